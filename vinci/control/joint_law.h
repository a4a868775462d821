// SPDX-License-Identifier: Apache-2.0
// Laws of joint controllers: efforts from errors. A law is one file, described once; the class
// JointController (controllers.h) samples, holds and cuts off what it gives. With e = q* − q,
// ė = v* − v of a reference that moves, per controlled joint rate. Coordinates of balls have no e.
#pragma once

#include <string>
#include <vector>

#include "vinci/control/controller_kind.h"
#include "vinci/control/robot.h"

namespace vinci {

// One number per controlled joint rate, or none: zero (limits: what the drives of the joints can
// do).
struct JointGains {
  VectorX proportional;  // K_p: N/m, N m/rad; of computed torque 1/s²
  VectorX derivative;    // K_d: N s/m, N m s/rad; of computed torque 1/s
  VectorX integral;      // K_i: per second of K_p
  VectorX limits;        // N, N m
  double sample = 0.0;   // s; 0: every step
};

// What a law sees when it is asked; lists have an entry per controlled rate.
struct JointSample {
  Robot& robot;                   // placed at the state if the law asks for it
  const std::vector<int>& rates;  // the controlled ones
  const JointGains& gains;
  const VectorX& error;       // e
  const VectorX& rate_error;  // ė
  const VectorX& reference_acceleration;
  VectorX& all;  // room for a number per joint rate
};

struct JointLaw {
  std::string name;  // of the kind: "pd"
  std::string text;  // one sentence
  std::vector<ControllerKey> keys;
  bool uses_robot = false;
  bool has_integral = false;  // of e, which then counts as K_i ∫ e dt
  bool needs_inertia = false;
  void (*efforts)(JointSample& sample, VectorX& efforts);
};

const JointLaw& pd_law();
const JointLaw& pid_law();
const JointLaw& gravity_compensation_law();
const JointLaw& computed_torque_law();
// All of them, in the order in which scenes list them.
const std::vector<const JointLaw*>& joint_laws();

// Keys that several laws have: gains on e and ė in units of stiffness.
ControllerKey proportional_key();
ControllerKey derivative_key();

}  // namespace vinci
