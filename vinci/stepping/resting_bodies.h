// SPDX-License-Identifier: Apache-2.0
// Which bodies their contacts hold at rest.
//
// A contact that presses, closed and between surfaces at rest, lets no point move along its normal;
// one that sticks lets it not move at all. Where such contacts leave a body no other motion against
// bodies that rest, it rests: its velocity is zero, exactly, and what a solver has of it is what it
// left. So do bodies that leave each other none. It is the modes of the contacts that say so, no
// size of a velocity.
#pragma once

#include <vector>

#include <Eigen/SparseCore>

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
  void spread();
  bool hold_together();
  void leave(int body);
  bool gather(int first);
  bool holds_itself();
  Vector6 row_of(int body, const Hold& by, const Vector3& axis) const;
  template <class Visitor>
  void visit_rows(const Hold& by, Visitor&& visit) const;
  void add_rows(int body, const Hold& by, Matrix6& squares) const;
  static bool is_held(const Matrix6& squares);

  const Model* model_ = nullptr;
  const std::vector<Pose>* poses_ = nullptr;
  std::vector<Hold> holds_;
  std::vector<int> starts_, holds_of_;  // per body: its holds
  // Per body: the sum of squares of the rows that hold it; and of those of bodies beside it.
  std::vector<Matrix6> held_, together_;
  std::vector<char> resting_;
  std::vector<int> queue_;
  // Bodies that may hold each other; per body: −1 none of them, 0 not looked at, else its place.
  std::vector<int> group_, place_, members_;
  std::vector<Eigen::Triplet<double>> entries_;
};

}  // namespace vinci
