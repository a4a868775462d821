// SPDX-License-Identifier: Apache-2.0
#include "vinci/scene/document.h"

#include <algorithm>
#include <optional>

#include "vinci/scene/scene_data.h"

namespace vinci {
namespace {

// Nobody looks below a node that is of another kind than belongs there.
void prune(Node& node) {
  if (!node.checked) node.children.clear();
  for (Node& child : node.children) prune(child);
}

// A wrong number is a mistake of the entry that has it, of a list or of names: the others are fine.
bool check_entries(Node& node, const SceneValue& value, const Numbers& numbers,
                   Mistakes& mistakes) {
  bool fine = true;
  if (node.checked &&
      (value.kind == SceneValue::Kind::list || value.kind == SceneValue::Kind::names))
    for (Node& child : node.children)
      fine &= check_entries(child, value.items[0], numbers, mistakes);
  else
    fine = check_numbers(node, value, numbers, mistakes);
  node.bad |= !fine;
  return !node.bad;
}

}  // namespace

struct Document::Impl {
  SceneData data;
  Mistakes mistakes{data};
  std::optional<Numbers> numbers;
  bool full = false;  // so many mistakes that no more are taken

  template <class Action>
  void guarded(Action action) {
    if (full) return;
    try {
      action();
    } catch (const TooManyMistakes&) {
      full = true;
    }
  }
};

Document::Document(std::string_view text, const std::string& name, const SceneValue& grammar,
                   const std::string& what)
    : impl_(std::make_unique<Impl>()) {
  SceneData& data = impl_->data;
  data.files = {name};
  data.variables = {"t", "q", "v", "", ""};
  impl_->guarded([&] {
    std::vector<Diagnostic> found;
    data.root = read_yaml(text, 0, found, what);
    for (Diagnostic& diagnostic : found) {
      diagnostic.file = name;
      impl_->mistakes.add(std::move(diagnostic));
    }
    impl_->numbers.emplace(data, std::map<std::string, double>(), impl_->mistakes);
    if (!data.root.is_map()) return;
    check_structure(data.root, grammar, data, impl_->mistakes);
    for (Node& child : data.root.children)
      if (const SceneKey* key = grammar.find(child.key); key && !child.bad)
        check_entries(child, key->value, *impl_->numbers, impl_->mistakes);
    prune(data.root);
  });
}

Document::~Document() = default;

const Node& Document::root() const {
  return impl_->data.root;
}

bool Document::is_fine(const Node& node) {
  return !node.bad && std::all_of(node.children.begin(), node.children.end(), is_fine);
}

const Node* Document::fine(const Node& map, std::string_view key) {
  const Node* node = map.find(key);
  return node && is_fine(*node) ? node : nullptr;
}

double Document::number(const Node& node) const {
  return (*impl_->numbers)(node);
}

RunChoices Document::run_choices(const Node& run) {
  RunChoices choices;
  impl_->guarded(
      [&] { choices = read_choices(impl_->data, run, *impl_->numbers, impl_->mistakes); });
  return choices;
}

void Document::add(const Node& where, std::string message) {
  impl_->guarded([&] { impl_->mistakes.add(where, std::move(message)); });
}

void Document::add(Diagnostic diagnostic) {
  impl_->guarded([&] { impl_->mistakes.add(std::move(diagnostic)); });
}

bool Document::none() const {
  return impl_->mistakes.none();
}

void Document::finish() {
  if (!none()) throw SceneError(impl_->mistakes.take());
}

}  // namespace vinci
