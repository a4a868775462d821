// SPDX-License-Identifier: Apache-2.0
#include "vinci/passage/robot_passage.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/passage/configuration_search.h"
#include "vinci/passage/robot_goal.h"
#include "vinci/passage/robot_query.h"
#include "vinci/passage/robot_timing.h"

namespace vinci {
namespace {

struct RobotSearch {
  const RobotPassageQuery& query;
  Mechanism& mechanism;
  RobotGoal& goal;
  MotionRules rules;
  VectorX start;

  const MovingCoordinate& coordinate(int k) const {
    return mechanism.coordinates()[static_cast<std::size_t>(k)];
  }
  // With room to begin a certified motion.
  bool is_free(const VectorX& x) const {
    for (int k = 0; k < x.size(); ++k)
      if (!(x[k] >= coordinate(k).lower && x[k] <= coordinate(k).upper)) return false;
    return mechanism.room(x, rules.clearance, 2.0 * rules.resolution).body_a < 0;
  }
};

// Why a motion cannot begin; empty if it can.
std::string start_problem(RobotSearch& search) {
  for (int k = 0; k < search.start.size(); ++k) {
    const MovingCoordinate& coordinate = search.coordinate(k);
    if (search.start[k] < coordinate.lower || search.start[k] > coordinate.upper)
      return fmt::format("'{}' is at {:.6g}, outside of {:.6g} to {:.6g} {}", coordinate.name,
                         search.start[k], coordinate.lower, coordinate.upper,
                         coordinate.turns ? "rad" : "m");
  }
  if (search.is_free(search.start)) return {};
  return "at the start " + why_blocked(search.mechanism, search.start, search.rules.clearance);
}

ConfigurationsFound grow(RobotSearch& search, bool& stopped) {
  ConfigurationSearch trees;
  const int size = search.mechanism.size();
  trees.start = search.start;
  trees.lower.resize(size);
  trees.upper.resize(size);
  trees.weights.resize(size);
  for (int k = 0; k < size; ++k) {
    trees.lower[k] = search.coordinate(k).lower;
    trees.upper[k] = search.coordinate(k).upper;
    trees.weights[k] = search.coordinate(k).weight;
  }
  const double radius = search.mechanism.radius();
  trees.range = 0.4 * radius;
  trees.effort = search.query.effort;
  trees.seed = search.query.seed;
  trees.is_free = [&](const VectorX& x) { return search.is_free(x); };
  // Ample room lets a branch slide far, little room lets it into narrow places: they take turns.
  trees.make_free = [&, turn = 0](VectorX& x) mutable {
    const double room = std::ldexp(0.02 * radius, -(turn++ % 6));
    return search.mechanism.push_out(x, search.rules.clearance,
                                     room + 2.0 * search.rules.resolution);
  };
  trees.is_free_between = [&](const VectorX& a, const VectorX& b) {
    return search.mechanism.is_kept(a, b, search.rules.clearance, search.rules.resolution);
  };
  trees.goal = [&](const std::function<double()>& number) { return search.goal.draw(number); };
  trees.stop = [&] { return stopped = stopped || (search.query.stop && search.query.stop()); };
  return search_configurations(trees);
}

bool path_keeps(RobotSearch& search, const std::vector<VectorX>& path, double least) {
  for (std::size_t i = 0; i + 1 < path.size(); ++i)
    if (!search.mechanism.is_kept(path[i], path[i + 1], least, search.rules.resolution))
      return false;
  return true;
}

// The largest of a few gaps to what stands still that path and trajectory are certified to keep.
double gap_kept(RobotSearch& search, const std::vector<VectorX>& path,
                const RobotPassageResult& result) {
  const auto* spline = dynamic_cast<const Spline*>(result.trajectory.get());
  const auto keeps = [&](double least) {
    if (!path_keeps(search, path, least)) return false;
    if (!spline) return true;
    const LeadingCoordinates leading(search.mechanism, *spline);
    return search.mechanism.is_kept(leading, acceleration_peaks(search.mechanism, *spline), least,
                                    search.rules.resolution);
  };
  double kept = search.rules.clearance;
  double open = kept + search.mechanism.radius();
  for (const VectorX& x : path) open = search.mechanism.gap(x, open);
  if (path.size() < 2) return open;
  for (int i = 0; i < 7; ++i) {
    const double middle = 0.5 * (kept + open);
    (keeps(middle) ? kept : open) = middle;
  }
  return kept;
}

void finish_robot(RobotPassageResult& result, RobotSearch& search,
                  const std::vector<VectorX>& path) {
  result.path = path;
  for (const VectorX& x : path) result.positions.push_back(search.mechanism.joint_positions(x));
  for (std::size_t i = 0; i + 1 < path.size(); ++i)
    result.length += search.mechanism.travel(path[i], path[i + 1]);
  time_path(search.mechanism, path, search.rules, result);
  result.least_gap = gap_kept(search, path, result);
  result.status = PassageStatus::found;
  result.note = "certified: every configuration of the motion keeps the clearance";
}

void search_robot(RobotPassageResult& result, RobotSearch& search) {
  if (const std::string problem = start_problem(search); !problem.empty()) {
    result.status = PassageStatus::start_blocked;
    result.note = problem;
    return;
  }
  if (search.goal.holds(search.start)) return finish_robot(result, search, {search.start});
  const RobotGoal::Finding finding =
      search.goal.find(search.start, [&](const VectorX& x) { return search.is_free(x); });
  if (finding.status != PassageStatus::found) {
    result.status = finding.status;
    result.note = finding.note;
    return;
  }
  bool stopped = false;
  const ConfigurationsFound found = grow(search, stopped);
  result.samples = found.samples;
  if (!found.path.empty()) {
    finish_robot(result, search, shortened(search.mechanism, found.path, search.rules));
  } else if (stopped) {
    result.status = PassageStatus::stopped;
    result.note = "stopped before the effort was spent";
  } else {
    result.note = fmt::format("{} random configurations did not lead there; this is no proof",
                              result.samples);
  }
}

}  // namespace

RobotPassageResult find_robot_passage(const Model& model, CollisionDetector& detector,
                                      const RobotPassageQuery& query) {
  const std::unique_ptr<Mechanism> mechanism = make_mechanism(model, detector, query);
  mechanism->set_own_gap(query.self_clearance);
  RobotGoal goal(*mechanism, query);
  const double resolution = query.resolution > 0.0 ? query.resolution : 1e-4 * mechanism->radius();
  RobotSearch search{query,
                     *mechanism,
                     goal,
                     {query.clearance, resolution, query.seed},
                     start_configuration(*mechanism, query)};
  RobotPassageResult result;
  for (const MovingCoordinate& coordinate : mechanism->coordinates()) {
    result.joints.push_back(coordinate.name);
    result.moves_balls = result.moves_balls || coordinate.is_ball;
  }
  search_robot(result, search);
  result.queries = mechanism->queries();
  return result;
}

}  // namespace vinci
