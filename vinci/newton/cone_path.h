// SPDX-License-Identifier: Apache-2.0
// Interior point on Coulomb's law in the units of scaled_contacts.h, where it reads
//
//   w = J v + C x + b,  v = v₀ + Jᵀx,  z = w + |w_t| e_n,  K ∋ x ⟂ z ∈ K
//
// with Nesterov and Todd's scaling [1997] and Mehrotra's predictor and corrector. The shift |w_t|
// is that of the point at hand, so that the matrix 1 + JᵀEJ stays symmetric [compare Acary, Armand,
// Nguyen 2023]: a step costs one Cholesky factorisation on the graph of the bodies. The shift
// settles by a factor of about two a step: right to three or four digits, after which the exact
// methods go on.
#pragma once

#include "vinci/base/clock.h"
#include "vinci/newton/scaled_contacts.h"

namespace vinci {

class ConePath {
 public:
  struct Terms {
    double target = 0.0;      // of the judge's natural map, in the unit of w
    double unit = 1.0;        // a typical speed of one contact
    double compliance = 0.0;  // added to the diagonal of C: unit of W
    int steps = 60;
    const Deadline* until = nullptr;
  };
  struct Outcome {
    double distance = 0.0;  // the natural map's, without the compliance added
    int steps = 0;          // factorisations
  };
  // From the loads x of before, or from the middle where there are none (empty), to x.
  Outcome run(ScaledContacts& contacts, const Terms& terms, VectorX& x);

 private:
  using Contact = ScaledContacts::Contact;
  struct Scaling {
    double eta = 1.0;                           // W = η (...)
    double axis[ScaledContacts::largest] = {};  // of the hyperbolic turn
  };
  void start(const ScaledContacts& contacts, const Terms& terms, const VectorX& x);
  void go_inside(const ScaledContacts& contacts, double inset);
  bool scale(const ScaledContacts& contacts);
  void aim(const ScaledContacts& contacts, double product);
  bool step(ScaledContacts& contacts);
  double longest(const ScaledContacts& contacts, double most) const;
  double product(const ScaledContacts& contacts) const;

  std::vector<Scaling> scaling_;
  std::vector<double> E_;
  VectorX x_, z_, w_, v_, soft_, gap_, g_, dx_, dz_, dv_, moved_;
};

}  // namespace vinci
