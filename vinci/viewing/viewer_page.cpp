// SPDX-License-Identifier: Apache-2.0
// The assembler copies the page into the read-only data: no generated source to compile.
#include "vinci/viewing/viewer_page.h"

#include "vinci/base/error.h"

#ifdef VINCI_VIEWER_PAGE
asm(".pushsection .rodata\n"
    ".hidden vinci_viewer_page_begin\n"
    ".hidden vinci_viewer_page_end\n"
    ".globl vinci_viewer_page_begin\n"
    ".globl vinci_viewer_page_end\n"
    "vinci_viewer_page_begin:\n"
    ".incbin \"" VINCI_VIEWER_PAGE
    "\"\n"
    "vinci_viewer_page_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" {
extern const char vinci_viewer_page_begin[] __attribute__((visibility("hidden")));
extern const char vinci_viewer_page_end[] __attribute__((visibility("hidden")));
}
#endif

namespace vinci {

std::string_view viewer_page() {
#ifdef VINCI_VIEWER_PAGE
  return {vinci_viewer_page_begin, vinci_viewer_page_end};
#else
  return {};
#endif
}

std::string_view required_viewer_page() {
  const std::string_view page = viewer_page();
  if (page.empty())
    throw Failure("this program was built without the viewer's page; 'make build' builds both");
  return page;
}

}  // namespace vinci
