// SPDX-License-Identifier: Apache-2.0
// The geometric model for joints: a path of a robot, or of any joints that make trees, among the
// other bodies and itself. A path that is found is certified as that of a body is (passage.h): the
// whole motion of every link, not samples of it, keeps the clearance; so does the trajectory that
// runs through it within the limits of the joints.
#pragma once

#include <memory>

#include "vinci/control/robot.h"
#include "vinci/control/trajectory.h"
#include "vinci/passage/passage.h"

namespace vinci {

// What moves: joints, and bodies that are carried along as the scene begins.
struct RobotChoice {
  std::string robot = {};                // joints whose names begin with it and a dot
  std::vector<std::string> joints = {};  // or these; of none of both: those that move the tip
  std::vector<std::string> hold = {};    // joints that stand still all the same
  std::string tip = {};                  // a body or a named frame of the model
  std::map<std::string, std::string> carried = {};  // bodies, and what each moves along with
};

struct RobotPassageQuery {
  RobotChoice choice;
  // By joint, with or without the robot's name: coordinates to begin with elsewhere than the scene.
  std::map<std::string, double> start;
  // By joint: ranges; without a tip. With a tip: by coordinate of its pose, as scenes spell it (x,
  // y, z, roll, pitch, yaw; in the plane x, y, angle). Those not named are free.
  std::map<std::string, CoordinateRange> goal;
  // By joint: narrower than its limits.
  std::map<std::string, CoordinateRange> bounds;
  double clearance = 0.0;       // m, >= 0: to bodies that stand still
  double self_clearance = 0.0;  // m, >= 0: of bodies that move, to each other; at most clearance
  double resolution = 0.0;      // m; 0: 1e-4 of the longest lever of a joint
  long effort = 20'000;         // random configurations to try
  unsigned long seed = 0;
  std::function<bool()> stop = {};
};

struct RobotPassageResult {
  PassageStatus status = PassageStatus::not_found;
  std::string note;                 // one sentence for people
  std::vector<std::string> joints;  // whose coordinates a path has, several freedoms as "wrist.0"
  std::vector<VectorX> path;        // of these coordinates; straight in between
  std::vector<VectorX> positions;   // the same as State::joint_positions
  double length = 0.0;              // m, no point of a body travels farther
  double least_gap = 0.0;           // m: nothing that stands still comes nearer on the way
  long samples = 0;                 // random configurations tried
  long queries = 0;                 // of the detector
  // Through the path within the limits of the joints, at rest at both ends; over all joint rates of
  // the model, as controllers take it. Null where there is no path. Of a ball that moves it has the
  // rotation vector from the start.
  std::shared_ptr<const Trajectory> trajectory;
  bool smooth = false;         // without stops at the points of the path
  bool moves_balls = false;    // what no controller of joints can follow
  std::vector<double> times;   // s: of the points that the trajectory runs through
  std::vector<VectorX> knots;  // these points, per joint rate of the model
};

// Throws Error naming what is wrong with the query.
RobotPassageResult find_robot_passage(const Model& model, CollisionDetector& detector,
                                      const RobotPassageQuery& query);

// A body by its name, or a named frame.
Tip find_tip(const Model& model, const std::string& name);

}  // namespace vinci
