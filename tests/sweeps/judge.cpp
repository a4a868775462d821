// SPDX-License-Identifier: Apache-2.0
#include "tests/sweeps/judge.h"

#include <algorithm>
#include <cmath>

namespace vinci::test {

namespace {

int failures() {
  return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
}

}  // namespace

void Tally::begin() {
  ++scenes;
  failures_ = failures();
}

bool Tally::failed() const {
  return failures() > failures_;
}

Watched::Watched(Simulation& simulation, Tally& tally)
    : simulation_(simulation), tally_(tally), accept_(simulation.options().real("accept")) {
  const Energy now = energy(simulation.model(), simulation.state());
  before_ = quiet_ = now.total();
  weighs_ = !simulation.model().gravity.isZero();
  scale_ = now.kinetic + std::abs(now.potential);
}

const StepReport& Watched::step(bool passive) {
  const StepReport& report = simulation_.step();
  const bool exact = is_certified(report, accept_);
  ++tally_.steps;
  if (!exact && certified_ && report.ending == Ending::none) ++tally_.uncertified;
  certified_ = certified_ && exact;
  tally_["cut"] += report.substeps > 1 ? 1 : 0;
  tally_["lifted"] += report.removed_overlap > 0.0 ? 1 : 0;
  tally_["loaded"] += report.active_count > 0 ? 1 : 0;
  const Energy now = energy(simulation_.model(), simulation_.state());
  scale_ = std::max(scale_, now.kinetic + std::abs(now.potential));
  if (passive && exact) {
    EXPECT_LE(now.total() - before_,
              report.added_energy + report.rebound_energy + report.frame_energy + 1e-9 * scale_)
        << "step " << simulation_.state().step << ", residual " << report.solve.residual.relative
        << ", scale " << scale_ << ", substeps " << report.substeps << ", lifted "
        << report.removed_overlap;
  }
  if (report.added_energy > 1e-9 * scale_) ++tally_["told gains"];
  if (passive && exact && !weighs_) {
    // Rebounds give no more than the landings before them took.
    EXPECT_LE(now.total() - std::max(before_, quiet_),
              report.added_energy + report.frame_energy + 1e-9 * scale_)
        << "step " << simulation_.state().step << ", rebounds " << report.rebound_energy;
    tally_["rebounds"] += report.rebound_energy > 0.0 ? 1 : 0;
  }
  before_ = now.total();
  if (simulation_.state().memory.rebounds.empty()) quiet_ = before_;
  return report;
}

std::string random_material(Draw& draw, double friction, double restitution, bool soft) {
  if (!soft)
    return fmt::format("materials: {{m: {{friction: {}, restitution: {}}}}}\n", friction,
                       restitution);
  return fmt::format("materials: {{m: {{friction: {}, stiffness: {}, damping: {}}}}}\n", friction,
                     std::pow(10.0, draw.between(3.0, 6.0)),
                     draw.below(3) == 0 ? 0.0 : std::pow(10.0, draw.between(0.0, 2.5)));
}

}  // namespace vinci::test
