// SPDX-License-Identifier: Apache-2.0
// How a kind of controller stands in a scene, described once: keys, checks and the JSON Schema of
// `controllers` follow from it, as those of elements do from theirs (model/element.h).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vinci/control/trajectory.h"
#include "vinci/model/controller.h"

namespace vinci {

// A key of a kind's own: numbers that are not negative, one for all joints or one per joint.
struct ControllerKey {
  std::string name;
  std::string text;  // one sentence with its unit
  bool required = false;
};

// Where joints are to be: coordinates of a trajectory.
struct JointReference {
  std::shared_ptr<const Trajectory> trajectory = nullptr;  // null: where the scene begins
  // Per controlled rate the coordinate of the trajectory, −1: where the scene begins. Empty: they
  // are the same.
  std::vector<int> chosen = {};
};

// What a scene says of a controller.
struct ControllerSetup {
  std::string name;
  std::vector<int> rates;                  // joint rates that it drives
  std::vector<int> others;                 // that other controllers drive
  JointReference reference;                // of these rates
  VectorX limits;                          // N, N m per rate
  double sample = 0.0;                     // s; 0: every step
  std::map<std::string, VectorX> numbers;  // by key, one per rate
};

struct ControllerKind {
  std::string name;  // `kind: pd`
  std::string text;  // one sentence
  std::vector<ControllerKey> keys;
  std::shared_ptr<const ControllerDescription> (*make)(ControllerSetup setup);
};

// Those that come with Vinci, in the order in which scenes list them.
const std::vector<ControllerKind>& controller_kinds();

}  // namespace vinci
