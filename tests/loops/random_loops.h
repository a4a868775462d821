// SPDX-License-Identifier: Apache-2.0
// Random mechanisms with loops, as scenes. Bodies are put anywhere, and a joint between two of them
// is then written so that it fits them as they stand: whatever is joined, every loop is closed.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/kinematics/joint_models.h"
#include "vinci/kinematics/joint_motion.h"

namespace vinci::test {

// What a mechanism is made of.
enum class LoopFamily {
  ring,       // one loop of joints of any kind, with freedoms to move
  flat,       // a linkage of a plane, in space: three rows of its loop follow from others
  spherical,  // axes through one point: three rows too
  hinges,     // several hinges, screws or guides along one line
  bennett,    // four hinges that only their proportions let move
  platform,   // a body on two to four legs
  braced,     // a tree with one to three joints that close loops
  planar      // in the plane
};
inline constexpr int loop_family_count = 8;
const char* to_string(LoopFamily family);

struct LoopChoices {
  bool floats = false;  // on a free body instead of the world
  bool weight = true;
  bool couples = false;   // two coordinates of one freedom
  double friction = 0.0;  // along every freedom
  double range = 0.0;     // of coordinates either way from the start; 0: no limits
  double torque = 0.0;    // constant, at joints of one freedom that turn; N m at most
  double step = 1e-3, duration = 0.1;
};

// A mechanism: its scene but for `coordinates`, which the caller chooses.
class LoopScene {
 public:
  LoopScene(unsigned seed, LoopFamily family, const LoopChoices& choices);
  std::string yaml(const char* coordinates) const;
  int joint_count() const { return static_cast<int>(joints_.size()); }

 private:
  struct Part {
    Pose pose;
    std::string text;
  };
  bool is_planar() const { return family_ == LoopFamily::planar; }
  Pose place(int part) const {
    return part < 0 ? Pose() : parts_[static_cast<std::size_t>(part)].pose;
  }
  int add_part(const Vector3& position);
  // At the pose `frame` of frame A in the world, with its coordinates at random.
  void join(JointKind kind, int a, int b, const Pose& frame, double pitch = 0.1);
  void join_planar(bool slides, int a, int b, const Vector3& point, double direction);
  JointKind any_kind();
  void add_acting(int freedoms, JointKind kind, const std::array<double, 4>& q, std::string& text);
  Pose frame_between(int a, int b);
  void make_ring();
  void make_flat();
  void make_spherical();
  void make_hinges();
  void make_bennett();
  void make_platform();
  void make_braced();
  void make_planar();
  void couple();

  Dice dice_;
  LoopFamily family_;
  LoopChoices choices_;
  int ground_ = -1;  // what the mechanism stands on
  std::vector<Part> parts_;
  std::vector<std::string> joints_, names_of_single_;
  std::vector<double> starts_;  // of those
  std::string couplings_;
};

}  // namespace vinci::test
