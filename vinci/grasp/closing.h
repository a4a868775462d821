// SPDX-License-Identifier: Apache-2.0
// Auto-grasp: fingers close at one speed until they touch something or reach a limit.
//
// Statically nothing else moves. Links are driven along their joints by conservative advancement
// [Mirtich 1996]: within a time τ no pair can touch whose gap is larger than τ times the most that
// its surfaces approach, so steps as long as gaps allow never pass a contact. A joint stops where a
// link beyond it touches and would go in, or at its limit. Coupled joints stop together; one that
// is driven through a clutch stops alone, and what drives it goes on.
//
// Dynamically velocity servos drive the joints, up to the limits of their motors, until all rest.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vinci/grasp/grasp.h"
#include "vinci/simulation/simulation.h"

namespace vinci {

// Within this a link touches, m; no link goes deeper in.
inline constexpr double touching_gap = 1e-9;

struct ClosingChoice {
  // Joints of one freedom; "-name" closes towards smaller coordinates. If empty, those that are
  // driven by a motor, towards where it drives them (a position servo: to its target at the end of
  // the run; motors that hold a joint where it is do not close it).
  std::vector<std::string> joints;
  std::string robot;   // only joints of this robot; "": of all
  double speed = 1.0;  // rad/s, m/s
};

// A joint that is to close, and in which direction: 1 or −1.
struct ClosingJoint {
  int joint = 0;
  int direction = 1;
};
// `end`: s, of the run. Throws Error naming what is not there and what is accepted.
std::vector<ClosingJoint> closing_joints(const Model& model, const ClosingChoice& choice,
                                         double end);

enum class StopReason : char {
  contact,   // a link beyond the joint touches
  limit,     // of the joint
  coupling,  // with another joint
  effort,    // dynamically: at rest, the motor at its limit
  rest,      // dynamically: at rest without it
  none,      // still moving, or nothing in the way for a whole turn, or 1 m
};
const char* to_string(StopReason reason);

struct ClosedJoint {
  int joint = 0;
  bool driven = false;                 // or it follows by couplings
  double start = 0.0, position = 0.0;  // rad or m
  double time = 0.0;                   // s at which it stopped
  StopReason reason = StopReason::none;
  int body = -1, other = -1;  // contact: the link beyond it, and what that touches
};

struct Closing {
  State state;  // poses, joint coordinates, offsets of couplings; at rest
  double time = 0.0;
  std::vector<ClosedJoint> joints;
  ContactSet contacts;  // of all bodies, within touching_gap
  // Coordinates of all joints at times; joints move at constant rates between.
  std::vector<std::pair<double, VectorX>> path;
  std::int64_t looks = 0;  // of the detector
};

// `model` has its tree of joints (reduced coordinates). Throws Error: nothing to close, links that
// are in something at the start, joints that close loops, unbounded links.
Closing close_statically(const Model& model, const State& start,
                         const std::vector<ClosingJoint>& joints, double speed);

// The contacts of a body as a grasp about its centre of mass; friction is that at rest.
struct TouchingContact {
  const Contact* contact = nullptr;
  int other = 0;
};
std::vector<TouchingContact> touching_contacts(const ContactSet& contacts, int body,
                                               const std::vector<char>& others = {});
Grasp touching_grasp(const Model& model, const State& state, const ContactSet& contacts, int body,
                     const std::vector<char>& others = {});

// A static closing as a recording for the viewer ("controller auto-grasp"). Throws Error.
void record_closing(const std::filesystem::path& file, const Scene& scene,
                    const RunOverrides& overrides, const std::shared_ptr<const Plugins>& plugins,
                    const Closing& closing, bool overwrite = false);

}  // namespace vinci
