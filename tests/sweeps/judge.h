// SPDX-License-Identifier: Apache-2.0
// What every sweep asks of its scenes and counts: steps that are certified, energy that does not
// rise unless the record says so.
#pragma once

#include <map>
#include <string>

#include "tests/support/runs.h"
#include "tests/sweeps/random_scenes.h"

namespace vinci::test {

// What was exercised; a sweep fails if a counter of its class is zero.
struct Tally {
  int scenes = 0, uncertified = 0;
  long steps = 0;
  std::map<std::string, long> counts;
  long& operator[](const char* name) { return counts[name]; }
  void begin();         // another scene
  bool failed() const;  // has the scene at hand

 private:
  int failures_ = 0;  // before it
};

// A run under the eyes of its judge.
class Watched {
 public:
  Watched(Simulation& simulation, Tally& tally);
  // A step. If `passive`, energy must not rise by more than 1e-9 of its scale, unless the step says
  // by how much it did or is not certified.
  const StepReport& step(bool passive);
  bool certified() const { return certified_; }  // all steps so far
  double scale() const { return scale_; }        // J

 private:
  Simulation& simulation_;
  Tally& tally_;
  double accept_, before_ = 0.0, scale_ = 0.0;
  double quiet_ = 0.0;  // J, when no rebound was due last
  bool certified_ = true, weighs_ = true;
};

// Soft layers under song-pang-kumar need a soft material; "" for others.
std::string random_material(Draw& draw, double friction, double restitution, bool soft);

using Sweep = void (*)(Draw& draw, bool spatial, Tally& tally);
void sweep_shelves(Draw& draw, bool spatial, Tally& tally);
void sweep_piles(Draw& draw, bool spatial, Tally& tally);
void sweep_drags(Draw& draw, bool spatial, Tally& tally);
void sweep_mixed(Draw& draw, bool spatial, Tally& tally);
void sweep_sudden(Draw& draw, bool spatial, Tally& tally);
void sweep_rows(Draw& draw, bool spatial, Tally& tally);
void sweep_balance(Draw& draw, bool spatial, Tally& tally);

}  // namespace vinci::test
