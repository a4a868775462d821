// SPDX-License-Identifier: Apache-2.0
// The assembler copies the pages into the read-only data: no generated source to compile.
#include "vinci/viewing/viewer_page.h"

#include "vinci/base/error.h"

#ifdef VINCI_VIEWER_PAGE
// Symbols NAME_begin and NAME_end around the bytes of a file.
#define VINCI_EMBED(name, file)                                           \
  asm(".pushsection .rodata\n"                                            \
      ".hidden " #name                                                    \
      "_begin\n"                                                          \
      ".hidden " #name                                                    \
      "_end\n"                                                            \
      ".globl " #name                                                     \
      "_begin\n"                                                          \
      ".globl " #name "_end\n" #name                                      \
      "_begin:\n"                                                         \
      ".incbin \"" file "\"\n" #name                                      \
      "_end:\n"                                                           \
      ".byte 0\n"                                                         \
      ".popsection\n");                                                   \
  extern "C" {                                                            \
  extern const char name##_begin[] __attribute__((visibility("hidden"))); \
  extern const char name##_end[] __attribute__((visibility("hidden")));   \
  }
VINCI_EMBED(vinci_viewer_page, VINCI_VIEWER_PAGE)
VINCI_EMBED(vinci_study_page, VINCI_STUDY_PAGE)
#endif

namespace vinci {
namespace {

std::string_view required(std::string_view page) {
  if (page.empty())
    throw Failure("this program was built without the viewer's page; 'make build' builds both");
  return page;
}

}  // namespace

std::string_view viewer_page() {
#ifdef VINCI_VIEWER_PAGE
  return {vinci_viewer_page_begin, vinci_viewer_page_end};
#else
  return {};
#endif
}

std::string_view required_viewer_page() {
  return required(viewer_page());
}

std::string_view required_study_page() {
#ifdef VINCI_VIEWER_PAGE
  return {vinci_study_page_begin, vinci_study_page_end};
#else
  return required({});
#endif
}

}  // namespace vinci
