// SPDX-License-Identifier: Apache-2.0
// The geometric model: passages of one body, and of joints.
#include <filesystem>

#include <pybind11/stl/filesystem.h>

#include "python/core/core.h"
#include "vinci/base/clock.h"
#include "vinci/passage/passage.h"
#include "vinci/passage/passage_recording.h"
#include "vinci/passage/robot_passage.h"

namespace vinci::python {
namespace {

using Numbers = std::map<std::string, double>;
using Ranges = std::map<std::string, std::pair<std::optional<double>, std::optional<double>>>;

std::map<std::string, CoordinateRange> ranges_of(const Ranges& given) {
  std::map<std::string, CoordinateRange> ranges;
  for (const auto& [name, ends] : given) {
    CoordinateRange range;
    range.lower = ends.first.value_or(range.lower);
    range.upper = ends.second.value_or(range.upper);
    ranges[name] = range;
  }
  return ranges;
}

Pose start_of(const Body& body, const Numbers& given) {
  std::array<std::optional<double>, coordinate_count> values;
  for (const auto& [name, value] : given) {
    int i = 0;
    while (i < coordinate_count &&
           !(has_coordinate(body, i) && name == coordinate_name(body.freedom, i)))
      ++i;
    if (i == coordinate_count)
      throw Error("'" + name + "' is not a coordinate of '" + body.name + "'", "start");
    values[i] = value;
  }
  return with_coordinates(body, body.initial_pose, values);
}

// Rows of the coordinates that the body has, in their order.
py::list rows_of(const Body& body, const std::vector<Pose>& path) {
  py::list rows;
  for (const Pose& pose : path) {
    const std::array<double, coordinate_count> values = coordinates(body, pose);
    py::list row;
    for (int i = 0; i < coordinate_count; ++i)
      if (has_coordinate(body, i)) row.append(values[i]);
    rows.append(row);
  }
  return rows;
}

struct PlanRequest {
  std::string body, detector;
  Numbers parameters, start;
  Ranges goal, bounds;
  double clearance = 0.0, resolution = 0.0;
  long effort = 0;
  unsigned long seed = 0;
};

py::dict plan(const Scene& scene, const PlanRequest& request,
              const std::optional<std::filesystem::path>& record, bool overwrite) {
  const std::shared_ptr<const Plugins> plugins = known_plugins();
  const std::shared_ptr<const Model> model = scene.compile(request.parameters);
  PassageQuery query;
  query.body = model->find_body(request.body);
  if (query.body < 0) throw Error("there is no body '" + request.body + "'", "body");
  const Body& body = model->bodies[query.body];
  query.start = start_of(body, request.start);
  query.goal = ranges_of(request.goal);
  query.bounds = ranges_of(request.bounds);
  query.clearance = request.clearance;
  query.resolution = request.resolution;
  query.effort = request.effort;
  query.seed = request.seed;
  query.stop = [] {
    check_signals();
    return false;
  };
  const std::unique_ptr<CollisionDetector> detector = plugins->detectors.make(request.detector);
  PassageResult result;
  double seconds = 0.0;
  {
    py::gil_scoped_release release;
    const Stopwatch watch;
    result = find_passage(*model, *detector, query);
    seconds = watch.seconds();
  }
  // HDF5 is called with the GIL held.
  if (record && !result.path.empty())
    record_path(*record, scene, request.parameters, plugins, query.body, result.path, overwrite);
  return py::dict("status"_a = to_string(result.status), "note"_a = result.note,
                  "path"_a = rows_of(body, result.path), "length"_a = result.length,
                  "least_gap"_a = result.least_gap, "samples"_a = result.samples,
                  "queries"_a = result.queries, "seconds"_a = seconds);
}

using Names = std::vector<std::string>;

RobotPassageQuery robot_query(const py::dict& given) {
  RobotPassageQuery query;
  query.choice.robot = given["robot"].cast<std::string>();
  query.choice.tip = given["tip"].cast<std::string>();
  query.choice.joints = given["joints"].cast<Names>();
  query.choice.hold = given["hold"].cast<Names>();
  query.choice.carried = given["carry"].cast<std::map<std::string, std::string>>();
  query.start = given["start"].cast<Numbers>();
  query.goal = ranges_of(given["goal"].cast<Ranges>());
  query.bounds = ranges_of(given["bounds"].cast<Ranges>());
  query.clearance = given["clearance"].cast<double>();
  query.self_clearance = given["self_clearance"].cast<double>();
  query.resolution = given["resolution"].cast<double>();
  query.effort = given["effort"].cast<long>();
  query.seed = given["seed"].cast<unsigned long>();
  query.stop = [] {
    check_signals();
    return false;
  };
  return query;
}

py::list lists_of(const std::vector<VectorX>& rows) {
  py::list list;
  for (const VectorX& row : rows) list.append(copied(row));
  return list;
}

py::dict plan_robot(const Scene& scene, const py::dict& given, const Numbers& parameters,
                    const std::string& detector_name,
                    const std::optional<std::filesystem::path>& record, bool overwrite) {
  const std::shared_ptr<const Plugins> plugins = known_plugins();
  const std::shared_ptr<const Model> model = scene.compile(parameters);
  const RobotPassageQuery query = robot_query(given);
  const std::unique_ptr<CollisionDetector> detector = plugins->detectors.make(detector_name);
  RobotPassageResult result;
  double seconds = 0.0;
  {
    py::gil_scoped_release release;
    const Stopwatch watch;
    result = find_robot_passage(*model, *detector, query);
    seconds = watch.seconds();
  }
  // HDF5 is called with the GIL held.
  if (record && result.trajectory)
    record_motion(*record, scene, parameters, plugins, query, result, overwrite);
  // Python knows no trajectories that cannot be changed.
  const auto trajectory =
      result.moves_balls ? nullptr : std::const_pointer_cast<Trajectory>(result.trajectory);
  return py::dict("status"_a = to_string(result.status), "note"_a = result.note,
                  "joints"_a = result.joints, "path"_a = lists_of(result.path),
                  "positions"_a = lists_of(result.positions), "length"_a = result.length,
                  "least_gap"_a = result.least_gap, "samples"_a = result.samples,
                  "queries"_a = result.queries, "seconds"_a = seconds, "trajectory"_a = trajectory,
                  "smooth"_a = result.smooth);
}

}  // namespace

void add_planning(py::module_& module) {
  module.def("_plan_robot", &plan_robot, "scene"_a, "query"_a, "parameters"_a, "detector"_a,
             "record"_a, "overwrite"_a);
  module.def(
      "_plan",
      [](const Scene& scene, const std::string& body, const Ranges& goal, const Numbers& start,
         const Ranges& bounds, const Numbers& parameters, double clearance, double resolution,
         long effort, unsigned long seed, const std::string& detector,
         const std::optional<std::filesystem::path>& record, bool overwrite) {
        return plan(
            scene,
            {body, detector, parameters, start, goal, bounds, clearance, resolution, effort, seed},
            record, overwrite);
      },
      "scene"_a, "body"_a, "goal"_a, "start"_a, "bounds"_a, "parameters"_a, "clearance"_a,
      "resolution"_a, "effort"_a, "seed"_a, "detector"_a, "record"_a, "overwrite"_a);
}

}  // namespace vinci::python
