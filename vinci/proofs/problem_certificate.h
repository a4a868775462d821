// SPDX-License-Identifier: Apache-2.0
// Existence and uniqueness of the solution of one step's problem, island by island, each verdict
// with what proves it:
//   - there is none: forces that cannot balance (balance.h), rows that contradict each other
//     (certificate.h), or a complete search through all modes of contact;
//   - it is not the only one: another one that the judge accepts;
//   - it is the only one: a convex problem, or a complete search.
// Without inertia, proposition 1 of [Trinkle 2005] says whether the motion is the only one for the
// contact forces found. Where the friction limits follow from the balance of forces alone the step
// is one convex program, and that settles it; otherwise other forces may go with other motions.
#pragma once

#include <optional>
#include <string>

#include "vinci/proofs/solution_family.h"
#include "vinci/proofs/uniqueness.h"

namespace vinci {

enum class Existence : char { proved, none, unknown };
enum class Only : char {
  unique,    // there is no other
  isolated,  // there is no other near to it; farther away is not known
  several,
  unknown,
};
const char* to_string(Existence existence);
const char* to_string(Only only);

struct ProblemCertificate {
  Existence exists = Existence::unknown;
  Only motion = Only::unknown;  // velocities
  Only loads = Only::unknown;   // contact forces
  std::string existence_reason, motion_reason, loads_reason;
  // Without inertia: whether the implication (32) holds.
  std::optional<bool> proposition_1;
  FreeMotions free;                             // that cost nothing with the contact forces held
  std::vector<std::vector<Solution>> families;  // of solutions, from end to end
  std::vector<Solution> others;                 // apart from the one found
  VectorX missing;  // of forces that cannot balance: per unknown, what would have to act besides
  VectorX proof;    // that there is none: per row, checked by infeasibility()
};

struct CertifiedProblem {
  const ComplementarityProblem& problem;  // without inertia: M is the viscosity
  const SparseRows& inertia;              // regular
  bool has_inertia = true;                // M is the inertia
  const Solution& solution;               // the answer of the step
  Accuracy accuracy = {};
  long choices = 10000;  // of modes that the search may look into per island: no clocks
};

ProblemCertificate certify(const CertifiedProblem& step);

}  // namespace vinci
