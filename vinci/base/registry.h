// SPDX-License-Identifier: Apache-2.0
// Named factories of one plugin interface. Built-ins are added explicitly by one function per
// folder; a shared library adds its own at run time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vinci/base/error.h"
#include "vinci/base/options.h"

namespace vinci {

template <class Interface>
class Registry {
 public:
  struct Entry {
    std::string name;       // kebab-case, as scenes and flags spell it
    std::string text;       // one sentence
    std::string reference;  // paper or book, "" if none
    OptionTable options;
    std::function<std::unique_ptr<Interface>(const OptionValues&)> make;
    bool is_code = false;  // lives in the caller's program alone: no library brings it back
  };

  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  void add(Entry entry) {
    if (find(entry.name)) throw Error("the " + kind_ + " '" + entry.name + "' exists already");
    entries_.push_back(std::move(entry));
  }
  const Entry* find(const std::string& name) const {
    for (const Entry& entry : entries_)
      if (entry.name == name) return &entry;
    return nullptr;
  }
  // What to say of a name that is not here: the nearest known one, and all of them.
  std::string unknown(const std::string& name) const {
    std::string known;
    for (const Entry& entry : entries_) known += (known.empty() ? "" : ", ") + entry.name;
    const std::string guess = nearest(name, names());
    return "unknown " + kind_ + " '" + name + "'" +
           (guess.empty() ? "" : " (did you mean '" + guess + "'?)") + "; accepted: " + known;
  }
  // Throws Error where there is none of that name.
  const Entry& at(const std::string& name) const {
    if (const Entry* entry = find(name)) return *entry;
    throw Error(unknown(name));
  }
  std::unique_ptr<Interface> make(const std::string& name, const OptionValues& values) const {
    return at(name).make(values);
  }
  std::unique_ptr<Interface> make(const std::string& name) const {
    const Entry& entry = at(name);
    return entry.make(OptionValues(entry.options));
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Entry& entry : entries_) names.push_back(entry.name);
    return names;
  }
  const std::vector<Entry>& entries() const { return entries_; }
  const std::string& kind() const { return kind_; }

 private:
  std::string kind_;
  std::vector<Entry> entries_;
};

}  // namespace vinci
