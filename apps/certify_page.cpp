// SPDX-License-Identifier: Apache-2.0
#include "apps/certify_page.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "vinci/formulation/free_motion.h"
#include "vinci/recording/recorder.h"
#include "vinci/viewing/temporary_folder.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_ghosts = 4;
// Of the largest body that moves: how far its fastest point goes.
constexpr double share = 0.5;

// The speeds of `motion` beyond those of the step; of the fastest point.
FreeMotion difference(const StepSolution& motion, const StepSolution& own) {
  FreeMotion found{motion.bodies, true};
  for (std::size_t b = 0; b < found.bodies.size(); ++b) {
    found.bodies[b].linear -= own.bodies[b].linear;
    found.bodies[b].angular -= own.bodies[b].angular;
  }
  return found;
}

double reach_of(const Body& body) {
  return std::isfinite(body.bounding_radius) ? body.bounding_radius : 1.0;
}

// The time along the motion after which its fastest point has gone as far as a ghost does, s.
double way_of(const FreeMotion& motion, const Model& model) {
  double fastest = 0.0, largest = 0.0;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const double reach = reach_of(model.bodies[b]);
    const double speed = motion.bodies[b].linear.norm() + reach * motion.bodies[b].angular.norm();
    fastest = std::max(fastest, speed);
    if (speed > 0.0) largest = std::max(largest, reach);
  }
  return fastest > 0.0 ? 2.0 * share * largest / fastest : 0.0;
}

// There and back, or to both sides.
double place(double time, bool both_ways) {
  const double turn = 2.0 * std::numbers::pi * time / ghost_duration;
  return both_ways ? std::sin(turn) : 0.5 * (1.0 - std::cos(turn));
}

void record(const fs::path& file, const State& state, const FreeMotion* motion,
            Simulation& simulation) {
  const Model& model = simulation.model();
  const double way = motion ? way_of(*motion, model) : 0.0;
  State shown = state;
  shown.step = 0;
  shown.time = 0.0;
  simulation.set_state(shown);
  Recorder recorder(file, simulation);
  for (std::int64_t step = 1; step <= simulation.total_steps(); ++step) {
    shown.step = step;
    shown.time = static_cast<double>(step) * simulation.step_size();
    for (std::size_t b = 0; motion && b < shown.poses.size(); ++b)
      shown.poses[b] = advanced(model.bodies[b], state.poses[b], motion->bodies[b],
                                way * place(shown.time, motion->both_ways));
    simulation.set_state(shown);
    recorder.add_pose(simulation);
  }
  recorder.finish(simulation);
}

}  // namespace

std::vector<FreeMotion> shown_motions(const StepCertificate& certificate) {
  std::vector<FreeMotion> found = certificate.free;
  if (found.empty())
    for (const auto& family : certificate.families)
      found.push_back(difference(family.back(), family.front()));
  if (found.empty())
    for (const StepSolution& other : certificate.others)
      found.push_back(difference(other, certificate.solution));
  // Other forces alone are no motion.
  std::erase_if(found, [](const FreeMotion& motion) {
    for (const Twist& twist : motion.bodies)
      if (!twist.linear.isZero(1e-9) || !twist.angular.isZero(1e-9)) return false;
    return true;
  });
  if (found.size() > most_ghosts) found.resize(most_ghosts);
  return found;
}

PageResult write_certificate_page(const fs::path& out, const StepCertificate& certificate,
                                  const State& state, Simulation& still,
                                  const PageOptions& options) {
  const TemporaryFolder scratch;
  std::vector<fs::path> recordings{scratch.path() / "step.h5"};
  record(recordings.back(), state, nullptr, still);
  const std::vector<FreeMotion> motions = shown_motions(certificate);
  for (std::size_t i = 0; i < motions.size(); ++i) {
    recordings.push_back(scratch.path() / fmt::format("motion-{}.h5", i + 1));
    record(recordings.back(), state, &motions[i], still);
  }
  return write_page(out, recordings, options);
}

}  // namespace vinci
