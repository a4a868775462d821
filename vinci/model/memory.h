// SPDX-License-Identifier: Apache-2.0
// What entities hand to the next step, in records by subject. Every list is sorted by key and
// point.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "vinci/base/hash.h"
#include "vinci/base/math.h"
#include "vinci/model/entity.h"

namespace vinci {

// Numbers as states are compared and fingerprinted: every bit of them.
inline bool equal_bits(const double* a, const double* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count * sizeof(double)) == 0;
}

inline void add_vector(Hash& hash, const Vector3& vector) {
  for (int i = 0; i < 3; ++i) hash.add(vector[i]);
}

// The impulse that an entity had: the first guess of the next step, and the sign that it bore load.
struct ImpulseMemory {
  EntityKey key;
  std::int64_t point = 0;             // of a contact that several points stand for, else 0
  Vector3 impulse = Vector3::Zero();  // N s on body b: normal, tangent 1, tangent 2
  // m/s at which the contact slid, where its friction depends on that; the least number above 0
  // where it stuck, 0: not known.
  double sliding = 0.0;
  Vector3 moment = Vector3::Zero();  // N m s on body b, about the same axes
};

// An impact whose rebound is still due.
struct ReboundMemory {
  EntityKey key;
  double speed = 0.0;   // m/s, > 0: the closing speed of the impact, or that of a rebound begun
  double energy = 0.0;  // J, > 0: that all impacts whose rebounds are due took; 0: not known
};

// The layers of a contact that yields, at one of its points.
struct LayerMemory {
  EntityKey key;
  std::int64_t point = 0;
  // Of the layers of a and b: along the normal (> 0 pressed in) and tangent 1, m; then, in the
  // plane, the tilt of the patch to which the contact belongs, rad, in space tangent 2, m.
  Vector3 deformation_a = Vector3::Zero(), deformation_b = Vector3::Zero();
  double energy = 0.0;  // J, this place's part of what the patch holds
  // In space: twist of the patch about the normal and its tilts along tangents 1 and 2, rad.
  Vector3 turn_a = Vector3::Zero(), turn_b = Vector3::Zero();
  Vector3 normal = Vector3::Zero();  // in space: of the axes (contact_frame.h), world
};

// Of event-driven motion: what acts at a constraint and how (events/event_driven.h), or the angle
// of a planar body with its turns.
struct ModeMemory {
  EntityKey key;
  std::int64_t point = 0;
  std::int64_t state = 0;  // ContactState, + 8 of a contact that sinks in; of a machine its number
  std::int64_t sliding = 0;  // of the friction of a contact: its ContactState
  // Where a link is held, or slips since sticking began, m; along the normal of a contact what it
  // has given since it was touched, J.
  Vector3 held = Vector3::Zero();
  Vector3 force = Vector3::Zero();  // near which those are chosen that rigid bodies leave open, N
  Vector3 direction = Vector3::Zero();  // in which friction slides, along normal and tangents
};

struct Memory {
  std::vector<ImpulseMemory> impulses;
  std::vector<ReboundMemory> rebounds;
  std::vector<LayerMemory> layers;
  std::vector<ModeMemory> modes;

  void clear();
  void sort();
  bool is_sorted() const;
  bool is_finite() const;
  bool operator==(const Memory& other) const;  // bit for bit: −0 and 0 differ
};

// All records of one key and point but modes; null where a list has none.
struct MemoryPlace {
  EntityKey key;
  std::int64_t point = 0;
  const ImpulseMemory* impulse = nullptr;
  const ReboundMemory* rebound = nullptr;
  const LayerMemory* layer = nullptr;
};
// Calls visit(place) for every key and point that has a record, in order.
template <class Visit>
void visit_places(const Memory& memory, Visit visit);

void add_memory(Hash& hash, const Memory& memory);

// Whether layers are as they were made: nothing to remember.
bool is_at_rest(const LayerMemory& layer);

// The records of one key in a sorted list of them.
template <class Record>
std::span<const Record> records_of(const std::vector<Record>& list, const EntityKey& key) {
  const auto before = [](const Record& record, const EntityKey& k) { return record.key < k; };
  const auto first = std::lower_bound(list.begin(), list.end(), key, before);
  auto last = first;
  while (last != list.end() && last->key == key) ++last;
  return {first, last};
}

// Looks records up by ascending keys and points, beside a list that is sorted likewise.
template <class Record>
class MemoryCursor {
 public:
  explicit MemoryCursor(const std::vector<Record>& list)
      : at_(list.data()), end_(at_ + list.size()) {}
  // Null if there is none.
  const Record* find(const EntityKey& key, std::int64_t point = 0) {
    while (at_ != end_ && is_before(*at_, key, point)) ++at_;
    return at_ != end_ && at_->key == key && point_of(*at_) == point ? at_ : nullptr;
  }

 private:
  static std::int64_t point_of(const Record& record) {
    if constexpr (requires { record.point; })
      return record.point;
    else
      return 0;
  }
  static bool is_before(const Record& record, const EntityKey& key, std::int64_t point) {
    return record.key < key || (record.key == key && point_of(record) < point);
  }
  const Record *at_, *end_;
};

template <class Visit>
void visit_places(const Memory& memory, Visit visit) {
  auto impulse = memory.impulses.begin();
  auto rebound = memory.rebounds.begin();
  auto layer = memory.layers.begin();
  for (;;) {
    const bool more[] = {impulse != memory.impulses.end(), rebound != memory.rebounds.end(),
                         layer != memory.layers.end()};
    if (!more[0] && !more[1] && !more[2]) return;
    MemoryPlace at;
    bool found = false;
    const auto consider = [&](const EntityKey& key, std::int64_t point) {
      if (!found || std::pair(key, point) < std::pair(at.key, at.point))
        at.key = key, at.point = point;
      found = true;
    };
    if (more[0]) consider(impulse->key, impulse->point);
    if (more[1]) consider(rebound->key, 0);
    if (more[2]) consider(layer->key, layer->point);
    if (more[0] && impulse->key == at.key && impulse->point == at.point) at.impulse = &*impulse++;
    if (more[1] && rebound->key == at.key && at.point == 0) at.rebound = &*rebound++;
    if (more[2] && layer->key == at.key && layer->point == at.point) at.layer = &*layer++;
    visit(at);
  }
}

}  // namespace vinci
