// SPDX-License-Identifier: Apache-2.0
// Which bodies their contacts hold at rest.
//
// A contact that presses, closed and between surfaces at rest, lets no point move along its normal;
// one that sticks lets it not move at all. Where such contacts leave a body no other motion against
// bodies that rest, it rests: its velocity is zero, exactly, and what a solver has of it is what it
// left. It is the modes of the contacts that say so, no size of a velocity.
#pragma once

#include <vector>

#include "vinci/collision/contact.h"
#include "vinci/formulation/contact_frame.h"
#include "vinci/model/model.h"

namespace vinci {

class RestingBodies {
 public:
  void begin(const Model& model, const std::vector<Pose>& poses);
  // A contact that presses; `sticks`: along its tangents too. It outlives find().
  void add(const Contact& contact, const ContactFrame& frame, bool sticks);
  // Per body: whether it rests, or nothing moves it.
  const std::vector<char>& find();
  // Whether it is found here: all its packed velocities are free, and it is bounded.
  static bool takes(const Model& model, int body);

 private:
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  struct Hold {
    const Contact* contact;
    ContactFrame frame;
    bool sticks;
  };
  void sort_holds(std::size_t count);
  void hold(int body, const Hold& by);
  bool is_held(int body) const;

  const Model* model_ = nullptr;
  const std::vector<Pose>* poses_ = nullptr;
  std::vector<Hold> holds_;
  std::vector<int> starts_, holds_of_;  // per body: its holds
  std::vector<Matrix6> held_;           // per body: the sum of squares of the rows that hold it
  std::vector<char> resting_;
  std::vector<int> queue_;
};

}  // namespace vinci
