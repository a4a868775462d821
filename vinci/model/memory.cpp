// SPDX-License-Identifier: Apache-2.0
// Memory as a whole: its order, its bits, its places.
#include "vinci/model/memory.h"

#include <cmath>

namespace vinci {
namespace {

using Place = std::pair<EntityKey, std::int64_t>;

Place place(const ImpulseMemory& record) {
  return {record.key, record.point};
}
Place place(const ReboundMemory& record) {
  return {record.key, 0};
}
Place place(const LayerMemory& record) {
  return {record.key, record.point};
}
Place place(const ModeMemory& record) {
  return {record.key, record.point};
}

struct ByPlace {
  template <class Record>
  bool operator()(const Record& a, const Record& b) const {
    return place(a) < place(b);
  }
};

bool same_bits(const Vector3& a, const Vector3& b) {
  return equal_bits(a.data(), b.data(), 3);
}
bool same_bits(const ImpulseMemory& a, const ImpulseMemory& b) {
  return place(a) == place(b) && same_bits(a.impulse, b.impulse) &&
         equal_bits(&a.sliding, &b.sliding, 1) && same_bits(a.moment, b.moment);
}
bool same_bits(const ReboundMemory& a, const ReboundMemory& b) {
  return place(a) == place(b) && equal_bits(&a.speed, &b.speed, 1) &&
         equal_bits(&a.energy, &b.energy, 1);
}
bool same_bits(const LayerMemory& a, const LayerMemory& b) {
  return place(a) == place(b) && same_bits(a.deformation_a, b.deformation_a) &&
         same_bits(a.deformation_b, b.deformation_b) && equal_bits(&a.energy, &b.energy, 1) &&
         same_bits(a.turn_a, b.turn_a) && same_bits(a.turn_b, b.turn_b) &&
         same_bits(a.normal, b.normal);
}

bool same_bits(const ModeMemory& a, const ModeMemory& b) {
  return place(a) == place(b) && a.state == b.state && a.sliding == b.sliding &&
         same_bits(a.held, b.held) && same_bits(a.force, b.force) &&
         same_bits(a.direction, b.direction);
}

template <class Record>
bool same_lists(const std::vector<Record>& a, const std::vector<Record>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Record& x, const Record& y) { return same_bits(x, y); });
}

}  // namespace

void Memory::clear() {
  impulses.clear();
  rebounds.clear();
  layers.clear();
  modes.clear();
}

void Memory::sort() {
  std::sort(impulses.begin(), impulses.end(), ByPlace());
  std::sort(rebounds.begin(), rebounds.end(), ByPlace());
  std::sort(layers.begin(), layers.end(), ByPlace());
  std::sort(modes.begin(), modes.end(), ByPlace());
}

bool Memory::is_sorted() const {
  return std::is_sorted(impulses.begin(), impulses.end(), ByPlace()) &&
         std::is_sorted(rebounds.begin(), rebounds.end(), ByPlace()) &&
         std::is_sorted(layers.begin(), layers.end(), ByPlace()) &&
         std::is_sorted(modes.begin(), modes.end(), ByPlace());
}

bool Memory::is_finite() const {
  for (const ImpulseMemory& record : impulses)
    if (!record.impulse.allFinite() || !std::isfinite(record.sliding) || !record.moment.allFinite())
      return false;
  for (const ReboundMemory& record : rebounds)
    if (!std::isfinite(record.speed) || !std::isfinite(record.energy)) return false;
  for (const LayerMemory& record : layers)
    if (!record.deformation_a.allFinite() || !record.deformation_b.allFinite() ||
        !std::isfinite(record.energy) || !record.turn_a.allFinite() || !record.turn_b.allFinite() ||
        !record.normal.allFinite())
      return false;
  for (const ModeMemory& record : modes)
    if (!record.held.allFinite() || !record.force.allFinite() || !record.direction.allFinite())
      return false;
  return true;
}

bool Memory::operator==(const Memory& other) const {
  return same_lists(impulses, other.impulses) && same_lists(rebounds, other.rebounds) &&
         same_lists(layers, other.layers) && same_lists(modes, other.modes);
}

bool is_at_rest(const LayerMemory& layer) {
  const Vector3 zero = Vector3::Zero();
  return same_bits(layer.deformation_a, zero) && same_bits(layer.deformation_b, zero) &&
         layer.energy == 0.0 && same_bits(layer.turn_a, zero) && same_bits(layer.turn_b, zero) &&
         same_bits(layer.normal, zero);
}

// Rigid contacts have the hashes that they had before there were layers, these those that they had
// before their energy was kept, in the plane those before there were any in space, and all whose
// friction is one number those of before there were others.
void add_memory(Hash& hash, const Memory& memory) {
  std::uint64_t count = 0;
  visit_places(memory, [&](const MemoryPlace&) { ++count; });
  hash.add(count);
  visit_places(memory, [&](const MemoryPlace& at) {
    for (const std::uint32_t word : key_words(at.key)) hash.add(word);
    add_vector(hash, at.impulse ? at.impulse->impulse : Vector3::Zero());
    hash.add(at.rebound ? at.rebound->speed : 0.0);
    constexpr double none = 0.0;
    if (at.impulse && !equal_bits(&at.impulse->sliding, &none, 1)) hash.add(at.impulse->sliding);
    if (at.impulse && !same_bits(at.impulse->moment, Vector3::Zero()))
      add_vector(hash, at.impulse->moment);
    if (at.rebound && !equal_bits(&at.rebound->energy, &none, 1)) hash.add(at.rebound->energy);
    const LayerMemory layer = at.layer ? *at.layer : LayerMemory{};
    if (at.point == 0 && is_at_rest(layer)) return;
    hash.add(at.point);
    add_vector(hash, layer.deformation_a);
    add_vector(hash, layer.deformation_b);
    if (!equal_bits(&layer.energy, &none, 1)) hash.add(layer.energy);
    const Vector3 zero = Vector3::Zero();
    if (same_bits(layer.turn_a, zero) && same_bits(layer.turn_b, zero) &&
        same_bits(layer.normal, zero))
      return;
    for (const Vector3* vector : {&layer.turn_a, &layer.turn_b, &layer.normal})
      add_vector(hash, *vector);
  });
  for (const ModeMemory& mode : memory.modes) {
    for (const std::uint32_t word : key_words(mode.key)) hash.add(word);
    for (const std::int64_t number : {mode.point, mode.state, mode.sliding}) hash.add(number);
    for (const Vector3* vector : {&mode.held, &mode.force, &mode.direction})
      add_vector(hash, *vector);
  }
}

}  // namespace vinci
