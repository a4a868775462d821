// SPDX-License-Identifier: Apache-2.0
// The grasp of experiments/grasp as a task for engines: where the gripper closes, with which
// friction, and where everything ended.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vinci/scene/scene.h"

namespace vinci {

struct GraspTask {
  double x, y;                  // m, middle between the tips at the beginning
  double mu_table, mu_gripper;  // friction
};

struct GraspEnd {
  Vector2 part = Vector2::Zero();  // m
  double angle = 0.0;              // rad, of the part
  double left = 0.0, right = 0.0;  // m, x of the tips
};

struct GraspRun {
  GraspEnd end;
  int steps = 0;
  double building = 0.0, stepping = 0.0;  // s, CPU time
  double residual = -1.0;                 // worst of the run by our judge; negative: has none
};

// Largest of: way between the part's centres, turn between the parts at the outer edge, way between
// the tips; m.
double distance(const GraspEnd& a, const GraspEnd& b, const Model& model);
// Whether both tips touch the outer edges of the outermost teeth, to 0.05 mm: the definition of
// experiments/grasp for poses.
bool held(const GraspEnd& end, const GraspTask& task, const Model& model);

class GraspEngine {
 public:
  virtual ~GraspEngine() = default;
  virtual std::string name() const = 0;
  virtual GraspRun run(const GraspTask& task, double step, double duration) = 0;
};

std::map<std::string, double> parameters_of(const GraspTask& task);

std::unique_ptr<GraspEngine> make_vinci_grasp(const Scene& scene);

struct Box2dSettings {
  std::string name;
  bool joint_a_support = true;  // else one joint at the centre of mass for the whole part
  int velocity_iterations = 8, position_iterations = 3;
  double scale = 1000.0;  // Box2D's units a metre
};
std::unique_ptr<GraspEngine> make_box2d_grasp(const Scene& scene, const Box2dSettings& settings);

}  // namespace vinci
