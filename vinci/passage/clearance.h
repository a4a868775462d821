// SPDX-License-Identifier: Apache-2.0
// Whether a body at a pose, or all through a motion, keeps a gap to every other body.
//
// No point of the body travels farther between a and b than L = |Δp| + R |Δφ|, R the radius about
// its origin, and the gap is a distance: where it is g at fraction s, it is at least c within
// (g − c)/L of s. A motion is free if such intervals cover it [Schwarzer, Saha, Latombe 2005].
#pragma once

#include <vector>

#include "vinci/collision/contact.h"

namespace vinci {

class Clearance {
 public:
  // The others stand where `poses` says.
  Clearance(const Model& model, CollisionDetector& detector, int body, std::vector<Pose> poses);

  // The least gap to another body, or `reach` if that is less, m.
  double gap(const Pose& pose, double reach);
  // Every pose from a to b has a gap of at least `least`. False also where the certificate would
  // need steps below `resolution`.
  bool is_kept(const Pose& a, const Pose& b, double least, double resolution);
  // Moves a pose that is nearer than `least` out, by the least change that all contacts ask for,
  // again and again; in narrow places it comes to lie between them. False if that does not succeed.
  bool push_out(Pose& pose, double least);
  // No point of the body travels farther, m.
  double travel(const Pose& a, const Pose& b) const;
  double radius() const { return radius_; }  // of the body about its origin, m
  long queries() const { return queries_; }

 private:
  const Model& model_;
  CollisionDetector& detector_;
  int body_;
  double radius_ = 0.0;
  std::vector<Pose> poses_;
  std::vector<double> reach_;
  ContactSet contacts_;
  std::vector<std::pair<double, double>> uncovered_;
  MatrixX rows_;     // of push_out(): a contact each
  VectorX lacking_;  // m
  long queries_ = 0;
};

// Of a body's shapes about the origin of its frame, m; infinite if one has no end.
double radius_about_origin(const Model& model, int body);

}  // namespace vinci
