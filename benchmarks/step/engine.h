// SPDX-License-Identifier: Apache-2.0
// What the benchmark asks of an engine. Each has one file; those of the peers are compiled where
// the peer is installed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "step/layout.h"

namespace vinci {

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  virtual void step() = 0;  // by the layout's; nothing else is timed
  // Centres of the boxes, m; in the order of the layout.
  virtual void positions(std::vector<Vector3>& centers) const = 0;
  // Deepest overlap the engine itself reports after the last step, skins counted, m; 0 if none.
  virtual double penetration() const = 0;
  virtual int contacts() const = 0;  // points, after the last step
  // Relative residual of the last step by our judge; negative for engines that have no such thing.
  virtual double residual() const { return -1.0; }
};

struct VinciChoices {
  bool diagnose = false;   // `diagnose: flag`
  double tolerance = 0.0;  // of the solver; 0: its default
};
std::unique_ptr<Engine> make_vinci(const Layout& layout, const VinciChoices& choices = {});
// Peers with their defaults; with or without what lets bodies at rest sleep.
std::unique_ptr<Engine> make_box2d(const Layout& layout, bool sleeps);     // planar layouts
std::unique_ptr<Engine> make_chipmunk(const Layout& layout, bool sleeps);  // planar layouts
std::unique_ptr<Engine> make_bullet(const Layout& layout, bool sleeps);    // spatial layouts
std::unique_ptr<Engine> make_ode(const Layout& layout, bool sleeps);       // spatial layouts

}  // namespace vinci
