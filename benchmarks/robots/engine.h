// SPDX-License-Identifier: Apache-2.0
// What the benchmark of robots asks of an engine. Every engine makes its robot of one compiled
// scene: joints with their frames, masses, centres, inertias, balls and boxes that touch. Peers
// have one file each, compiled where the peer is installed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vinci/model/model.h"
#include "vinci/scene/scene.h"

namespace vinci {

struct RobotCase {
  std::string name;
  Scene scene;
  std::shared_ptr<const Model> model;  // in reduced coordinates
  double duration = 1.0;               // s
  std::vector<double> steps;           // s, the longest first
  int object = -1;                     // body that is held; −1: nothing touches
};

// Joints have one freedom each and are in the order of the model.
struct RobotState {
  VectorX positions, rates;
  Pose object;
};

// What the contacts of the last step bore: N, or N s over a step, of normals and of tangents.
struct ContactLoad {
  double normal = 0.0, tangent = 0.0;
};

class RobotEngine {
 public:
  virtual ~RobotEngine() = default;
  virtual std::string name() const = 0;
  virtual void reset() = 0;  // to the start of the scene
  virtual void step() = 0;   // nothing else is timed
  virtual void read(RobotState& state) const = 0;
  // At the start: kinetic energy and that of weight, J, by the engine's own numbers.
  virtual double start_energy() = 0;
  virtual void start_accelerations(VectorX& accelerations) = 0;  // of the joints
  virtual void loads(std::vector<ContactLoad>& loads) const = 0;
  // Worst relative residual since reset() by our judge; negative: there is no such thing.
  virtual double residual() const { return -1.0; }
};

using EngineMaker = std::unique_ptr<RobotEngine> (*)(const RobotCase&, double step);
// The ways of each engine that take part in a case.
std::vector<EngineMaker> vinci_engines(const RobotCase& robot);
std::vector<EngineMaker> mujoco_engines(const RobotCase& robot);
std::vector<EngineMaker> dart_engines(const RobotCase& robot);

// The pose of a joint's frame A in the frame of the body that the joint hangs on; of one that hangs
// on a body at rest, in the world. And that body: −1 is the world.
struct JointBase {
  int body = -1;
  Pose frame;
};
JointBase base_of(const Model& model, const Joint& joint);
// Effort of the motor of a joint, a number.
double motor_effort(const Joint& joint);

}  // namespace vinci
