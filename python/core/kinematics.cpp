// SPDX-License-Identifier: Apache-2.0
// Robots: kinematics and dynamics over joint coordinates, inverse kinematics, trajectories and
// controllers.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "python/core/core.h"
#include "vinci/control/controllers.h"
#include "vinci/control/follow.h"
#include "vinci/control/inverse_kinematics.h"

namespace vinci::python {
namespace {

// Matrices with rows as NumPy has them.
py::array matrix(const MatrixX& given) {
  const RowMatrix rows = given;
  return py::array_t<double>({rows.rows(), rows.cols()}, rows.data());
}

VectorX sized(const py::handle& object, Eigen::Index size, const std::string& what) {
  VectorX vector = vector_of(object, what);
  if (vector.size() != size)
    throw Error(fmt::format("has {} numbers; accepted: {}", vector.size(), size), what);
  if (!vector.allFinite()) throw Error("has numbers that are not finite", what);
  return vector;
}

Pose pose_of(const py::handle& position, const py::handle& rotation, const std::string& what) {
  Pose pose;
  if (!position.is_none()) pose.position = sized(position, 3, what + " position");
  if (!rotation.is_none()) {
    const VectorX r = sized(rotation, 4, what + " rotation");
    if (std::abs(r.norm() - 1.0) > 1e-6)
      throw Error("is no unit quaternion; accepted: w, x, y, z of length 1", what + " rotation");
    pose.rotation = Quaternion(r[0], r[1], r[2], r[3]).normalized();
  }
  return pose;
}

std::vector<MotionLimits> limits_of(const py::handle& object, Eigen::Index size) {
  std::vector<MotionLimits> limits;
  for (const py::handle row : py::iter(object)) {
    const VectorX numbers = sized(row, 3, fmt::format("limits[{}]", limits.size()));
    limits.push_back({numbers[0], numbers[1], numbers[2]});
  }
  if (limits.size() == 1) limits.resize(static_cast<std::size_t>(size), limits[0]);
  return limits;
}

// A robot with the numbers that Python hands over checked.
class RobotHandle {
 public:
  RobotHandle(const ModelHandle& handle, const std::optional<std::vector<std::string>>& driven)
      : robot(*handle.model) {
    for (const Body& body : robot.model().bodies) names_.push_back(body.name);
    if (driven) robot.set_driven(rates_of(*driven, "driven"));
    if (driven) driven_ = rates_of(*driven, "driven");
  }
  std::vector<int> rates_of(const std::vector<std::string>& joints, const char* what) const {
    std::vector<int> rates;
    for (const std::string& name : joints) {
      const std::size_t before = rates.size();
      for (int i = 0; i < robot.rates(); ++i)
        if (robot.joint_of(i).name == name) rates.push_back(i);
      if (rates.size() == before)
        throw Error(fmt::format("there is no joint {} that moves; see joints", name), what);
    }
    return rates;
  }
  // Joints that lead a tip: those that are driven; none were named: all.
  const std::vector<int>& driven() const { return driven_; }
  Tip tip(const py::handle& body, const py::handle& point) const {
    return {body_index(names_, body), pose_of(point, py::none(), "point")};
  }
  VectorX positions(const py::handle& q) const {
    return sized(q, robot.coordinates(), "positions");
  }
  VectorX rates(const py::handle& u, const char* what) const {
    return sized(u, robot.rates(), what);
  }
  void place(const py::handle& q) { robot.place(positions(q)); }
  void place(const py::handle& q, const py::handle& u) {
    robot.place(positions(q), rates(u, "rates"));
  }
  py::list joints() const {
    py::list list;
    for (const Joint& joint : robot.model().joints) list.append(joint.name);
    return list;
  }

  Robot robot;

 private:
  std::vector<std::string> names_;
  std::vector<int> driven_;
};

py::dict solve_kinematics(RobotHandle& handle, const py::object& body, const py::object& position,
                          const py::object& rotation, const py::object& start,
                          const py::object& point, const py::object& posture, int starts) {
  InverseKinematicsOptions options;
  options.position_only = rotation.is_none();
  options.starts = starts;
  options.rates = handle.driven();
  if (!posture.is_none()) {
    options.posture = true;
    if (!py::isinstance<py::str>(posture))
      options.preferred = handle.positions(posture);
    else if (posture.cast<std::string>() != "middle")
      throw Error("accepted: None, 'middle' or joint positions", "posture");
  }
  const VectorX from = start.is_none() ? handle.robot.start().positions : handle.positions(start);
  const Pose target = pose_of(position, rotation, "target");
  const Tip tip = handle.tip(body, point);
  InverseKinematicsResult result;
  {
    py::gil_scoped_release release;
    result = inverse_kinematics(handle.robot, tip, target, from, options);
  }
  return py::dict("reached"_a = result.reached, "positions"_a = copied(result.positions),
                  "position_error"_a = result.position_error,
                  "rotation_error"_a = result.rotation_error,
                  "smallest_singular_value"_a = result.smallest_singular_value,
                  "singular"_a = result.singular, "starts"_a = result.starts);
}

PoseLimits pose_limits(const py::handle& linear, const py::handle& angular) {
  const VectorX l = sized(linear, 3, "limits"), a = sized(angular, 3, "turning");
  return {{l[0], l[1], l[2]}, {a[0], a[1], a[2]}};
}

std::shared_ptr<Trajectory> followed(RobotHandle& handle, const Tip& tip, const PosePath& path,
                                     const VectorX& start) {
  const FollowResult result = follow(handle.robot, tip, path, start);
  if (!result.followed) throw Error("the tip cannot follow the path: " + result.why);
  return std::make_shared<Spline>(*result.joints);
}

std::shared_ptr<Trajectory> follow_line(RobotHandle& handle, const py::object& body,
                                        const py::object& start, const py::object& position,
                                        const py::object& rotation, const py::object& point,
                                        const py::object& limits, const py::object& turning) {
  const Tip tip = handle.tip(body, point);
  const VectorX from = handle.positions(start);
  handle.robot.place(from);
  const Pose begin = handle.robot.pose(tip);
  Pose end = pose_of(position, rotation, "target");
  if (rotation.is_none()) end.rotation = begin.rotation;
  return followed(handle, tip, PosePath::line(begin, end, pose_limits(limits, turning)), from);
}

std::shared_ptr<Trajectory> follow_circle(RobotHandle& handle, const py::object& body,
                                          const py::object& start, const py::object& center,
                                          const py::object& axis, double angle, bool turns,
                                          const py::object& point, const py::object& limits,
                                          const py::object& turning) {
  const Tip tip = handle.tip(body, point);
  const VectorX from = handle.positions(start);
  handle.robot.place(from);
  return followed(
      handle, tip,
      PosePath::circle(handle.robot.pose(tip), sized(center, 3, "center"), sized(axis, 3, "axis"),
                       angle, pose_limits(limits, turning), turns),
      from);
}

void add_robot(py::module_& module) {
  py::class_<RobotHandle>(module, "Robot",
                          R"(Joints whose base is held, as functions of their coordinates.

Coordinates and rates are those of all joints of the model, one after the other (a ball has four
coordinates, w x y z, and three rates). Joints that close loops have them as well; coordinates that
close the loops are found by `close`. `driven` names the joints along which efforts act, all if not
given; with loops or couplings all others go along.)")
      .def(py::init<const ModelHandle&, const std::optional<std::vector<std::string>>&>(),
           "model"_a, "driven"_a = py::none())
      .def(
          "close",
          [](RobotHandle& h, const py::object& q, const std::vector<std::string>& held) {
            VectorX positions = h.positions(q);
            const double open = h.robot.close(positions, h.rates_of(held, "held"));
            return py::make_tuple(copied(positions), open);
          },
          "positions"_a, "held"_a,
          "Coordinates that close loops and couplings while those of the held joints stay, from "
          "the "
          "given ones, and the largest opening left (m, rad).")
      .def(
          "complete_rates",
          [](RobotHandle& h, const py::object& q, const py::object& u) {
            VectorX all = h.rates(u, "rates");
            h.place(q);
            h.robot.complete_rates(all);
            return copied(all);
          },
          "positions"_a, "rates"_a,
          "Rates of all joints that follow from those of the driven ones.")
      .def_property_readonly("joints", &RobotHandle::joints, "Names, in the order of coordinates.")
      .def_property_readonly(
          "start", [](const RobotHandle& h) { return copied(h.robot.start().positions); },
          "Coordinates at the start of the scene.")
      .def_property_readonly(
          "limits",
          [](const RobotHandle& h) {
            MatrixX limits(h.robot.rates(), 2);
            for (int i = 0; i < h.robot.rates(); ++i)
              limits.row(i) << h.robot.lower(i), h.robot.upper(i);
            return matrix(limits);
          },
          "Lower and upper limit per rate; infinite where there is none.")
      .def(
          "pose",
          [](RobotHandle& h, const py::object& body, const py::object& q, const py::object& point) {
            const Tip tip = h.tip(body, point);
            h.place(q);
            const Pose pose = h.robot.pose(tip);
            return py::make_tuple(copied(pose.position), copied(pose.rotation));
          },
          "body"_a, "positions"_a, "point"_a = py::none(),
          "Position (m) of a point of a body (default: its origin) and the body's rotation (w x y "
          "z).")
      .def(
          "jacobian",
          [](RobotHandle& h, const py::object& body, const py::object& q, const py::object& point) {
            const Tip tip = h.tip(body, point);
            h.place(q);
            MatrixX jacobian;
            h.robot.jacobian(tip, jacobian);
            return matrix(jacobian);
          },
          "body"_a, "positions"_a, "point"_a = py::none(),
          "Velocity of a point of a body, then its angular velocity, per joint rate: 6 x rates.")
      .def(
          "inverse_dynamics",
          [](RobotHandle& h, const py::object& q, const py::object& u, const py::object& a) {
            const VectorX change = h.rates(a, "accelerations");
            h.place(q, u);
            VectorX efforts;
            h.robot.inverse_dynamics(change, efforts);
            return copied(efforts);
          },
          "positions"_a, "rates"_a, "accelerations"_a,
          "Efforts (N, N m) along the joints for these accelerations, against gravity.")
      .def(
          "forward_dynamics",
          [](RobotHandle& h, const py::object& q, const py::object& u, const py::object& efforts) {
            const VectorX along = h.rates(efforts, "efforts");
            h.place(q, u);
            VectorX change;
            if (!h.robot.forward_dynamics(along, change))
              throw Error("something that moves weighs nothing; accepted: bodies with mass");
            return copied(change);
          },
          "positions"_a, "rates"_a, "efforts"_a, "Accelerations of the joint rates under efforts.")
      .def(
          "gravity",
          [](RobotHandle& h, const py::object& q) {
            h.place(q);
            VectorX efforts;
            h.robot.gravity_efforts(efforts);
            return copied(efforts);
          },
          "positions"_a, "Efforts that hold it against gravity.")
      .def(
          "mass_matrix",
          [](RobotHandle& h, const py::object& q) {
            h.place(q);
            MatrixX mass;
            h.robot.mass_matrix(mass);
            return matrix(mass);
          },
          "positions"_a, "Of the joint rates, armatures included.")
      .def(
          "inverse_kinematics", &solve_kinematics, "body"_a, "position"_a,
          "rotation"_a = py::none(), "start"_a = py::none(), "point"_a = py::none(),
          "posture"_a = py::none(), "starts"_a = 200,
          R"(Joint coordinates that bring a point of a body to a position, and the body to a rotation.

Without a rotation only the position counts. `posture`: where redundant joints are to be, 'middle'
of their limits or joint positions. The answer tells `reached`, `positions`, `position_error` (m)
and `rotation_error` (rad) that remain, `smallest_singular_value` and `singular`.)")
      .def("line", &follow_line, "body"_a, "start"_a, "position"_a, "rotation"_a = py::none(),
           "point"_a = py::none(), "limits"_a = std::make_tuple(0.5, 2.0, 20.0),
           "turning"_a = std::make_tuple(1.0, 4.0, 40.0),
           R"(A trajectory of the joints that leads a point of a body straight to a position.

It begins with the joint coordinates `start`; the body turns to `rotation`, or keeps its own.
Limits: velocity, acceleration and jerk of the point (m), and of the turn (rad).)")
      .def(
          "circle", &follow_circle, "body"_a, "start"_a, "center"_a, "axis"_a, "angle"_a,
          "turns"_a = true, "point"_a = py::none(), "limits"_a = std::make_tuple(0.5, 2.0, 20.0),
          "turning"_a = std::make_tuple(1.0, 4.0, 40.0),
          R"(A trajectory of the joints that leads a point of a body on a circle, by an angle (rad).

The body turns along, or keeps its orientation.)");
}

py::tuple point_of(const Trajectory& way, double time) {
  TrajectoryPoint point;
  way.at(time, point);
  return py::make_tuple(copied(point.position), copied(point.velocity), copied(point.acceleration));
}

void add_trajectories(py::module_& module) {
  py::class_<Trajectory, std::shared_ptr<Trajectory>>(
      module, "Trajectory", "A way of joints through time, at rest before and after it.")
      .def_property_readonly("duration", &Trajectory::duration, "s.")
      .def_property_readonly("size", &Trajectory::size, "How many coordinates.")
      .def("at", &point_of, "time"_a, "Positions, velocities and accelerations at a time (s).");
  module.def(
      "joint_move",
      [](const py::object& start, const py::object& end,
         const py::object& limits) -> std::shared_ptr<Trajectory> {
        const VectorX from = vector_of(start, "start");
        return std::make_shared<JointMove>(from, vector_of(end, "end"),
                                           limits_of(limits, from.size()));
      },
      "start"_a, "end"_a, "limits"_a,
      R"(The fastest way from rest to rest that all joints end together.

`limits`: (velocity, acceleration, jerk) per coordinate, or one row for all.)");
  module.def(
      "spline",
      [](const std::vector<double>& times, const std::vector<py::object>& points,
         const std::string& kind, const py::object& limits) -> std::shared_ptr<Trajectory> {
        if (kind != "cubic" && kind != "quintic")
          throw Error(kind + "; accepted: cubic, quintic", "kind");
        MatrixX rows;
        for (std::size_t i = 0; i < points.size(); ++i) {
          const VectorX row = vector_of(points[i], fmt::format("points[{}]", i));
          if (i == 0) rows.resize(static_cast<Eigen::Index>(points.size()), row.size());
          if (row.size() != rows.cols())
            throw Error(fmt::format("has {} numbers; accepted: {}", row.size(), rows.cols()),
                        fmt::format("points[{}]", i));
          rows.row(static_cast<Eigen::Index>(i)) = row.transpose();
        }
        auto spline = std::make_shared<Spline>(
            kind == "cubic" ? SplineKind::cubic : SplineKind::quintic, times, rows);
        if (!limits.is_none()) spline->fit(limits_of(limits, rows.cols()));
        return spline;
      },
      "times"_a, "points"_a, "kind"_a = "quintic", "limits"_a = py::none(),
      R"(A smooth way through points at times, cubic or quintic.

With limits (as those of joint_move) it is run through as fast as they allow.)");
}

VectorX gains_of(const py::handle& object, Eigen::Index size, const std::string& what) {
  if (object.is_none()) return {};
  if (py::isinstance<py::float_>(object) || py::isinstance<py::int_>(object))
    return VectorX::Constant(size, object.cast<double>());
  return vector_of(object, what);
}

void add_controllers(py::module_& module) {
  py::class_<Controller, std::shared_ptr<Controller>>(module, "_Controller");
  py::class_<JointController, Controller, std::shared_ptr<JointController>>(
      module, "JointController", R"(A controller of joints: give it to Simulation(controllers=...).

law: 'pd', 'pid', 'gravity-compensation' or 'computed-torque'. Gains and limits (N, N m; if not
given, what the drives of the joints can do) are one number for all joint rates or a list; `sample` (s) is how often it acts, 0 for every step. The
reference is a trajectory; without one the joints are kept where they start.)")
      .def(py::init([](const ModelHandle& handle, const std::string& law,
                       const py::object& proportional, const py::object& derivative,
                       const py::object& integral, const py::object& limits, double sample,
                       const std::shared_ptr<Trajectory>& reference) {
             // Names of scenes; with '_' as well, as Python spells words.
             std::string wanted = law, names;
             std::replace(wanted.begin(), wanted.end(), '_', '-');
             const JointLaw* found = nullptr;
             for (const JointLaw* own : joint_laws()) {
               if (own->name == wanted) found = own;
               names += (names.empty() ? "" : ", ") + own->name;
             }
             if (!found) throw Error(law + "; accepted: " + names, "law");
             const int count = handle.model->joint_rate_count;
             return std::make_shared<JointController>(
                 *handle.model, *found,
                 JointGains{gains_of(proportional, count, "proportional"),
                            gains_of(derivative, count, "derivative"),
                            gains_of(integral, count, "integral"),
                            gains_of(limits, count, "limits"), sample},
                 JointReference{reference, {}});
           }),
           "model"_a, "law"_a, "proportional"_a = py::none(), "derivative"_a = py::none(),
           "integral"_a = py::none(), "limits"_a = py::none(), "sample"_a = 0.0,
           "reference"_a = py::none())
      .def_property_readonly(
          "efforts", [](const JointController& c) { return copied(c.efforts()); },
          "Of the last step, per joint rate.");
}

}  // namespace

void add_kinematics(py::module_& module) {
  add_trajectories(module);
  add_robot(module);
  add_controllers(module);
}

}  // namespace vinci::python
