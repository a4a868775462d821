// SPDX-License-Identifier: Apache-2.0
// The built-in plugins, and those of shared libraries.
#include "vinci/simulation/plugins.h"

#include <cstring>
#include <exception>
#include <fstream>
#include <memory>

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include "vinci/events/event_driven.h"
#include "vinci/solvers/builtin.h"

namespace vinci {
namespace {

struct Unload {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, Unload>;

std::string loader_message() {
  const char* text = dlerror();
  return text ? text : "unknown reason";
}

// The loader maps what the headers announce and dies on bytes that are not there; so a library that
// is cut short is found out before. "" if the file is a whole library for this machine.
std::string why_not_a_library(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code code;
  const std::uint64_t size = std::filesystem::file_size(path, code);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (code || !file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "it is not a shared library";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return "it is not a shared library for this machine";
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    file.read(reinterpret_cast<char*>(&part), sizeof part);
    const bool inside = part.p_offset <= size && part.p_filesz <= size - part.p_offset;
    if (!file || (part.p_type == PT_LOAD && !inside)) return "it is cut short";
  }
  return {};
}

template <class Function>
Function* entry(const Library& library, const char* name, const std::string& where) {
  dlerror();
  void* symbol = dlsym(library.get(), name);
  if (!symbol) throw Error(fmt::format("is not a Vinci plugin: it has no entry '{}'", name), where);
  return reinterpret_cast<Function*>(symbol);
}

}  // namespace

Plugins builtin_plugins() {
  Plugins plugins;
  add_builtin_detectors(plugins.detectors);
  add_builtin_steppers(plugins.steppers);
  add_event_steppers(plugins.steppers);
  add_builtin_solvers(plugins.solvers);
  add_builtin_impact_laws(plugins.impact_laws);
  return plugins;
}

void load_plugin(Plugins& plugins, const std::filesystem::path& library) {
  const std::string where = library.string();
  std::error_code code;
  if (!std::filesystem::exists(library, code)) throw Error("no such library", where);
  // An absolute path: the loader takes it as it is, without its search list.
  const std::string path = std::filesystem::absolute(library).string();
  if (const std::string reason = why_not_a_library(path); !reason.empty())
    throw Error("cannot be loaded: " + reason, where);
  Library handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle) throw Error("cannot be loaded: " + loader_message(), where);
  int (*version)() = entry<int()>(handle, "vinci_plugin_interface_version", where);
  if (const int found = version(); found != plugin_interface_version)
    throw Error(fmt::format("was built for plugin interface version {}; this program has version "
                            "{}: build it anew",
                            found, plugin_interface_version),
                where);
  void (*add)(Plugins&) = entry<void(Plugins&)>(handle, "vinci_plugin_register", where);
  // From here on the library stays: factories and exceptions of its may live on.
  static_cast<void>(handle.release());
  Plugins extended = plugins;
  try {
    add(extended);
  } catch (const std::exception& error) {
    throw Error(std::string("its entry failed: ") + error.what(), where);
  } catch (...) {
    throw Error("its entry failed with an exception that is no std::exception", where);
  }
  plugins = std::move(extended);
}

}  // namespace vinci
