// SPDX-License-Identifier: Apache-2.0
// The impact law interface: from the velocities before an impact to those after it, at fixed poses.
//
//   M (u⁺ − u⁻) = Jᵀ Λ,      w = J u⁺ + C Λ + b
//
// Every contact that touches at that instant and does not part takes part, those at rest as well;
// one that parts and then closes is an impact of its own. The problem is that of an inelastic
// impact: b is what prescribed bodies contribute to the relative velocities, and w without the rows
// σ of pyramids are the relative velocities after. Limits of joints that are reached are contacts
// without friction. Rows that hold joints are equalities behind those of the contacts, and so are
// rotors that M does not know of, with C; their impulses are part of the answer. A law asks for
// more of the normal rows, solves in stages, or finds Λ by itself; u⁺ follows from Λ.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vinci/base/registry.h"
#include "vinci/complementarity/problem.h"
#include "vinci/complementarity/solver.h"

namespace vinci {

struct ImpactContact {  // or a limit of a joint, in rad where it turns
  // Of the problem: the normal row and those of friction. A pyramid has a row a direction, and σ.
  int row = 0, size = 1;
  double restitution = 0.0;  // e in [0, 1]
  double friction = 0.0;     // μ
  // m/s of b against a: normal (< 0 closing), tangents; scaled as their rows are (contact_rows.h)
  Vector3 before = Vector3::Zero();
};

struct ImpactProblem {
  ComplementarityProblem inelastic;  // p = M u⁻
  VectorX before;                    // u⁻, free entries
  std::vector<ImpactContact> contacts;
  bool pyramid = false;  // friction rows are the directions of a pyramid, and σ
  bool box = false;      // and four of them the corners of a square around the circle
};

struct ImpactReport {
  SolveReport solve;       // the worst of the problems that were solved, and all their iterations
  bool fell_back = false;  // the law had no solution: without rebound
};

class ImpactLaw {
 public:
  virtual ~ImpactLaw() = default;
  // "" if the law can work with this solver on problems like the probe, otherwise the reason in
  // words. A probe has one contact.
  virtual std::string why_not(const ImpactProblem& probe, const Solver& solver) const;
  // Finds the impulses, answer.lambda, by rows of the problem (N s); zeros on entry, and so is
  // answer.u. The velocities u⁺ are made from them. What holds for every law is measured
  // afterwards (impact_residual()). Never throws on a valid problem but what the solver throws;
  // does not allocate once settled on a shape.
  virtual ImpactReport apply(const ImpactProblem& impact, Solver& solver, Solution& answer) = 0;
};

using ImpactLawRegistry = Registry<ImpactLaw>;
void add_builtin_impact_laws(ImpactLawRegistry& registry);

// What no law may break: impulses in their friction cones, no contact that closes after the impact,
// and joints that hold. Puts the velocities of the impulses into answer.u, and gives the worst
// violation, relative to the velocities before; +∞ where a number is not finite.
double impact_residual(const ImpactProblem& impact, Judge& judge, Solution& answer);

// The impulse of a contact: normal, tangents (or directions of the pyramid), as it lies in lambda.
inline auto contact_impulse(const ImpactContact& contact, const VectorX& lambda) {
  return lambda.segment(contact.row, contact.size);
}

}  // namespace vinci
