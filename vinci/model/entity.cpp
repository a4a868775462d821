// SPDX-License-Identifier: Apache-2.0
// Keys as numbers, kinds as words.
#include "vinci/model/entity.h"

namespace vinci {
namespace {

// First words of keys other than those of contacts count down from here, a kind after the other.
constexpr std::uint32_t first_mark = 0xffffffff;
constexpr std::uint32_t kind_count = 8;

}  // namespace

const char* to_string(EntityKind kind) {
  switch (kind) {
    case EntityKind::contact:
      return "contact";
    case EntityKind::support:
      return "support";
    case EntityKind::element:
      return "element";
    case EntityKind::joint:
      return "joint";
    case EntityKind::coupling:
      return "coupling";
    case EntityKind::constraint:
      return "constraint";
    case EntityKind::machine:
      return "machine";
    case EntityKind::body:
      return "body";
  }
  return "";
}

std::array<std::uint32_t, 4> key_words(const EntityKey& key) {
  if (key.kind == EntityKind::contact) return key.ids;
  const std::uint32_t mark = first_mark - (static_cast<std::uint32_t>(key.kind) - 1);
  return {mark, key.ids[0], key.ids[1], key.ids[2]};
}

EntityKey key_of_words(const std::array<std::uint32_t, 4>& words) {
  const std::uint32_t kind = first_mark - words[0] + 1;
  if (words[0] == 0 || kind >= kind_count || kind == 0) return {EntityKind::contact, words};
  return {static_cast<EntityKind>(kind), {words[1], words[2], words[3], 0}};
}

}  // namespace vinci
