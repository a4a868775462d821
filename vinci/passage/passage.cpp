// SPDX-License-Identifier: Apache-2.0
#include "vinci/passage/passage.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/base/options.h"
#include "vinci/model/state.h"
#include "vinci/passage/clearance.h"
#include "vinci/passage/passage_closed.h"
#include "vinci/passage/passage_search.h"

namespace vinci {
namespace {

constexpr double turn = 2.0 * M_PI;
constexpr int goal_tries = 1000;

bool is_angle(int coordinate) {
  return coordinate >= 3;
}

std::vector<std::string> coordinate_names(const Body& body, bool with_angles) {
  std::vector<std::string> names;
  for (int i = 0; i < coordinate_count; ++i) {
    if (has_coordinate(body, i) && (with_angles || !is_angle(i)))
      names.push_back(coordinate_name(body.freedom, i));
  }
  return names;
}

int coordinate_of(Freedom freedom, const std::string& name) {
  for (int i = 0; i < coordinate_count; ++i)
    if (name == coordinate_name(freedom, i)) return i;
  return -1;
}

using Ranges = std::array<CoordinateRange, coordinate_count>;

Ranges ranges_of(const Body& body, const std::map<std::string, CoordinateRange>& given,
                 const std::string& what, bool with_angles) {
  Ranges ranges;
  const std::vector<std::string> names = coordinate_names(body, with_angles);
  for (const auto& [name, range] : given) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(fmt::format("'{}' is no coordinate; accepted: {}", name, fmt::join(names, ", ")),
                  what);
    if (std::isnan(range.lower) || std::isnan(range.upper) || range.lower > range.upper)
      throw Error(fmt::format("from {} to {} is no range; the first must not exceed the second",
                              range.lower, range.upper),
                  what + " " + name);
    ranges[coordinate_of(body.freedom, name)] = range;
  }
  return ranges;
}

void check(const Model& model, const PassageQuery& query) {
  if (query.body < 0 || query.body >= static_cast<int>(model.bodies.size()))
    throw Error("there is no such body", "body");
  const Body& body = model.bodies[query.body];
  if (body.freedom == Freedom::fixed)
    throw Error(fmt::format("'{}' is fixed; accepted: a body that moves", body.name), "body");
  if (body.is_prescribed())
    throw Error(fmt::format("'{}' has prescribed coordinates; accepted: a body that moves freely",
                            body.name),
                "body");
  if (body.shape_count == 0) throw Error(fmt::format("'{}' has no shape", body.name), "body");
  if (!std::isfinite(radius_about_origin(model, query.body)))
    throw Error(fmt::format("'{}' has a shape without end; accepted: a bounded body", body.name),
                "body");
  if (query.goal.empty()) throw Error("has no condition; accepted: at least one range", "goal");
  auto at_least_zero = [](double value, const char* what) {
    if (!std::isfinite(value) || value < 0.0)
      throw Error(fmt::format("is {}; accepted: a length in m, 0 or more", value), what);
  };
  at_least_zero(query.clearance, "clearance");
  at_least_zero(query.resolution, "resolution");
  if (query.effort < 1)
    throw Error(fmt::format("is {}; accepted: a number of samples, 1 or more", query.effort),
                "effort");
  if (!query.start.position.allFinite() || !query.start.rotation.coeffs().allFinite())
    throw Error("has a number that is not finite", "start");
}

bool contains(const CoordinateRange& range, double value, bool angle) {
  if (!angle) return value >= range.lower && value <= range.upper;
  if (!std::isfinite(range.lower) && !std::isfinite(range.upper)) return true;
  if (!std::isfinite(range.lower)) return true;
  return range.lower + std::fmod(std::fmod(value - range.lower, turn) + turn, turn) <= range.upper;
}

bool holds(const Body& body, const Ranges& goal, const Pose& pose) {
  const std::array<double, coordinate_count> values = coordinates(body, pose);
  for (int i = 0; i < coordinate_count; ++i)
    if (!contains(goal[i], values[i], is_angle(i))) return false;
  return true;
}

// Where the body's origin may go: as given, and where nothing is given around all bounded shapes,
// the start and the finite ends of the goal, with room for the body on all sides.
Ranges bounds_of(const Model& model, const PassageQuery& query, const Ranges& goal, double radius) {
  const Body& body = model.bodies[query.body];
  Ranges bounds = ranges_of(body, query.bounds, "bounds", false);
  Vector3 lower = query.start.position, upper = query.start.position;
  for (const PlacedShape& placed : model.shapes) {
    if (placed.body == query.body || is_unbounded(placed.shape)) continue;
    const Box3 box =
        bounding_box(placed.shape, model.bodies[placed.body].initial_pose * placed.offset);
    lower = lower.cwiseMin(box.lower);
    upper = upper.cwiseMax(box.upper);
  }
  for (int i = 0; i < 3; ++i) {
    for (const double end : {goal[i].lower, goal[i].upper})
      if (std::isfinite(end)) {
        lower[i] = std::min(lower[i], end);
        upper[i] = std::max(upper[i], end);
      }
    if (!std::isfinite(bounds[i].lower)) bounds[i].lower = lower[i] - 1.5 * radius;
    if (!std::isfinite(bounds[i].upper)) bounds[i].upper = upper[i] + 1.5 * radius;
    if (has_coordinate(body, i) && !(bounds[i].lower < bounds[i].upper))
      throw Error("leave no room", std::string("bounds ") + coordinate_name(body.freedom, i));
  }
  return bounds;
}

// A pose of the goal from evenly spread numbers; within the bounds.
class GoalPoses {
 public:
  GoalPoses(const Body& body, const Pose& start, const Ranges& goal, const Ranges& bounds)
      : body_(body), start_(start), goal_(goal) {
    for (int i = 0; i < 3; ++i) {
      goal_[i].lower = std::max(goal_[i].lower, bounds[i].lower);
      goal_[i].upper = std::min(goal_[i].upper, bounds[i].upper);
      if (has(i) && goal_[i].lower > goal_[i].upper)
        throw Error("lies outside of the bounds",
                    std::string("goal ") + coordinate_name(body.freedom, i));
    }
    for (int i = 3; i < coordinate_count; ++i) {
      CoordinateRange& range = goal_[i];
      turns_ = turns_ || std::isfinite(range.lower) || std::isfinite(range.upper);
      if (!std::isfinite(range.lower))
        range.lower = std::isfinite(range.upper) ? range.upper - turn : -M_PI;
      range.upper = std::min(range.upper, range.lower + turn);
    }
  }

  Pose operator()(const std::array<double, 6>& numbers) const {
    auto value = [&](int i) {
      return goal_[i].lower + numbers[i] * (goal_[i].upper - goal_[i].lower);
    };
    Pose pose = start_;
    for (int i = 0; i < 3; ++i)
      if (has(i)) pose.position[i] = value(i);
    if (body_.freedom == Freedom::planar)
      return with_coordinates(body_, pose, {{{}, {}, {}, {}, {}, value(5)}});
    if (turns_) return with_coordinates(body_, pose, {{{}, {}, {}, value(3), value(4), value(5)}});
    pose.rotation = any_rotation(numbers);
    return pose;
  }

 private:
  bool has(int i) const { return has_coordinate(body_, i); }
  // Evenly over all rotations [Shoemake 1992].
  static Quaternion any_rotation(const std::array<double, 6>& numbers) {
    const double a = std::sqrt(1.0 - numbers[3]), b = std::sqrt(numbers[3]);
    const double p = turn * numbers[4], q = turn * numbers[5];
    return {b * std::cos(q), a * std::sin(p), a * std::cos(p), b * std::sin(q)};
  }
  const Body& body_;
  Pose start_;
  Ranges goal_;
  bool turns_ = false;  // a rotation is asked for
};

// Fractional parts of multiples of powers of the root of x⁷ = x + 1: evenly spread numbers without
// chance [Roberts 2018].
std::array<double, 6> even_numbers(int index) {
  constexpr double root = 1.1127756842787055;
  std::array<double, 6> numbers;
  double step = 1.0;
  for (double& number : numbers) {
    step /= root;
    number = std::fmod(0.5 + (index + 1) * step, 1.0);
  }
  return numbers;
}

struct Search {
  const PassageQuery& query;
  const Body& body;
  Clearance clearance;
  double resolution;
  Ranges goal, bounds;
  GoalPoses goal_poses;

  bool is_inside(const Pose& pose) const {
    for (int i = 0; i < 3; ++i)
      if (has_coordinate(body, i) && !contains(bounds[i], pose.position[i], false)) return false;
    return true;
  }
  // With room to begin a certified motion.
  bool is_free(const Pose& pose) {
    const double least = query.clearance + 2.0 * resolution;
    return is_inside(pose) && clearance.gap(pose, least) >= least;
  }
  bool is_free(const Pose& a, const Pose& b) {
    return clearance.is_kept(a, b, query.clearance, resolution);
  }
};

// Leaves out poses wherever a straight motion past them is free.
std::vector<Pose> shortened(const std::vector<Pose>& path, Search& search) {
  std::vector<Pose> shorter = {path.front()};
  for (std::size_t i = 0; i + 1 < path.size();) {
    std::size_t next = path.size() - 1;
    while (next > i + 1 && !search.is_free(path[i], path[next])) --next;
    shorter.push_back(path[next]);
    i = next;
  }
  return shorter;
}

// The largest of a few gaps that the whole path is certified to keep.
double certified_gap(const std::vector<Pose>& path, Search& search) {
  auto keeps = [&](double least) {
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
      if (!search.clearance.is_kept(path[i], path[i + 1], least, search.resolution)) return false;
    return true;
  };
  double kept = search.query.clearance;
  double open = std::numeric_limits<double>::infinity();
  for (const Pose& pose : path)
    open = std::min(open, search.clearance.gap(pose, kept + search.clearance.radius()));
  if (path.size() < 2) return open;
  for (int i = 0; i < 8; ++i) {
    const double middle = 0.5 * (kept + open);
    (keeps(middle) ? kept : open) = middle;
  }
  return kept;
}

PathFound search_with_trees(Search& search, bool& stopped) {
  PathSearch trees;
  const PassageQuery& query = search.query;
  trees.planar = search.body.freedom == Freedom::planar;
  trees.start = query.start;
  for (int i = 0; i < 3; ++i) {
    trees.lower[i] = search.bounds[i].lower;
    trees.upper[i] = search.bounds[i].upper;
  }
  trees.radius = search.clearance.radius();
  trees.range = 0.25 * trees.radius;
  trees.effort = query.effort;
  trees.seed = query.seed;
  trees.is_free = [&](const Pose& pose) { return search.is_free(pose); };
  // Ample room lets a branch slide far, little room lets it into narrow places: they take turns.
  trees.make_free = [&, turn = 0](Pose& pose) mutable {
    const double room = std::ldexp(0.04 * search.clearance.radius(), -(turn++ % 6));
    return search.clearance.push_out(pose, query.clearance + room + 2.0 * search.resolution) &&
           search.is_inside(pose);
  };
  trees.is_free_between = [&](const Pose& a, const Pose& b) { return search.is_free(a, b); };
  trees.goal = [&](const std::array<double, 6>& numbers) { return search.goal_poses(numbers); };
  trees.stop = [&] { return stopped = stopped || (query.stop && query.stop()); };
  return search_path(trees);
}

void finish(PassageResult& result, Search& search) {
  result.status = PassageStatus::found;
  result.note = "certified: every pose of the motion keeps the clearance";
  for (std::size_t i = 0; i + 1 < result.path.size(); ++i)
    result.length += search.clearance.travel(result.path[i], result.path[i + 1]);
  result.least_gap = certified_gap(result.path, search);
}

// What can be said without a search; false if nothing can.
bool is_settled(PassageResult& result, Search& search) {
  const PassageQuery& query = search.query;
  auto settle = [&](PassageStatus status, std::string note) {
    result.status = status;
    result.note = std::move(note);
    return true;
  };
  if (!search.is_inside(query.start))
    return settle(PassageStatus::start_blocked, "the start lies outside of the bounds");
  if (!search.is_free(query.start)) {
    const double gap = search.clearance.gap(query.start, query.clearance + search.resolution);
    return settle(PassageStatus::start_blocked,
                  gap < query.clearance
                      ? fmt::format("at the start the gap is {:.3g} m; the clearance is {:.3g} m",
                                    gap, query.clearance)
                      : "at the start there is no room to move within the resolution");
  }
  if (holds(search.body, search.goal, query.start)) {
    result.path = {query.start};
    finish(result, search);
    return true;
  }
  int tried = 0;
  while (tried < goal_tries && !search.is_free(search.goal_poses(even_numbers(tried)))) ++tried;
  if (tried == goal_tries)
    return settle(PassageStatus::goal_blocked,
                  fmt::format("none of {} poses of the goal is free", goal_tries));
  return false;
}

}  // namespace

const char* to_string(PassageStatus status) {
  switch (status) {
    case PassageStatus::found:
      return "found";
    case PassageStatus::not_found:
      return "not found";
    case PassageStatus::impossible:
      return "impossible";
    case PassageStatus::start_blocked:
      return "start blocked";
    case PassageStatus::goal_blocked:
      return "goal blocked";
    case PassageStatus::unreachable:
      return "unreachable";
    case PassageStatus::stopped:
      return "stopped";
  }
  return "";
}

bool has_coordinate(const Body& body, int coordinate) {
  if (body.freedom == Freedom::planar) return coordinate < 2 || coordinate == 5;
  return body.freedom == Freedom::spatial;
}

std::array<double, coordinate_count> coordinates(const Body& body, const Pose& pose) {
  const Vector3& p = pose.position;
  if (body.freedom != Freedom::spatial)
    return {p.x(), p.y(), 0.0, 0.0, 0.0, planar_angle(pose.rotation)};
  const Matrix3 r = pose.rotation.toRotationMatrix();
  return {p.x(),
          p.y(),
          p.z(),
          std::atan2(r(2, 1), r(2, 2)),
          std::asin(std::clamp(-r(2, 0), -1.0, 1.0)),
          std::atan2(r(1, 0), r(0, 0))};
}

Pose with_coordinates(const Body& body, const Pose& pose,
                      const std::array<std::optional<double>, coordinate_count>& given) {
  std::array<double, coordinate_count> values = coordinates(body, pose);
  Pose result = pose;
  for (int i = 0; i < 3; ++i)
    if (given[i]) result.position[i] = *given[i];
  if (!given[3] && !given[4] && !given[5]) return result;
  for (int i = 3; i < coordinate_count; ++i) values[i] = given[i].value_or(values[i]);
  if (body.freedom == Freedom::planar)
    result.rotation = rotation_about_z(values[5] - planar_angle(pose.rotation)) * pose.rotation;
  else
    result.rotation = exponential(values[5] * Vector3::UnitZ()) *
                      exponential(values[4] * Vector3::UnitY()) *
                      exponential(values[3] * Vector3::UnitX());
  return result;
}

PassageResult find_passage(const Model& model, CollisionDetector& detector,
                           const PassageQuery& query) {
  check(model, query);
  const Body& body = model.bodies[query.body];
  const std::vector<Pose> poses = initial_state(model).poses;
  Clearance clearance(model, detector, query.body, poses);
  const double radius = clearance.radius();
  const double resolution = query.resolution > 0.0 ? query.resolution : 1e-4 * radius;
  const Ranges goal = ranges_of(body, query.goal, "goal", true);
  const Ranges bounds = bounds_of(model, query, goal, radius);
  Search search{query,
                body,
                std::move(clearance),
                resolution,
                goal,
                bounds,
                GoalPoses(body, query.start, goal, bounds)};

  PassageResult result;
  bool stopped = false;
  if (!is_settled(result, search)) {
    const ClosedQuery closed{query.body, poses, query.start, query.clearance, bounds, goal};
    const ClosedAnswer answer = is_closed(model, detector, closed);
    result.queries += answer.queries;
    if (answer.closed) {
      result.status = PassageStatus::impossible;
      result.note = fmt::format(
          "proven: a disk of radius {:.3g} m inside the body cannot reach the goal", answer.radius);
    } else {
      PathFound found = search_with_trees(search, stopped);
      result.samples = found.samples;
      if (!found.path.empty()) {
        result.path = shortened(found.path, search);
        finish(result, search);
      } else if (stopped) {
        result.status = PassageStatus::stopped;
        result.note = "stopped before the effort was spent";
      } else {
        result.note =
            fmt::format("{} random poses did not lead there; this is no proof", result.samples);
      }
    }
  }
  result.queries += search.clearance.queries();
  return result;
}

}  // namespace vinci
