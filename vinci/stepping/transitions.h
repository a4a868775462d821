// SPDX-License-Identifier: Apache-2.0
// Transitions of a step of second order (second_order.h) as sign changes of continuous functions:
// the arguments of the natural map of every law at the end of the step, of which the law itself
// picks one side or the other. With β the length of the last stage, a the diagonal of
// J M⁻¹Jᵀ + C, R the radius of friction:
//
//   lift    a λ_n/β − w_n/β                       bears → parts
//   stick   a (R − |λ_t − w_t/a|)/β               sticks → slips
//   slip    d·(w_t − a λ_t) − a R                 slips along d → sticks, or back
//   inside  a min(λ⁺ − z, z − λ⁻)/β, z = λ − w/a  within the bounds of a box → at one
//   at one  a (λ − λ⁺) − w, w − a (λ − λ⁻)        at a bound → within
//
// Accelerations where forces decide, velocities where motion does. A pyramid has that of its σ and
// of each of its directions.
#pragma once

#include <vector>

#include "vinci/complementarity/residual.h"
#include "vinci/formulation/problem_builder.h"

namespace vinci {

struct TransitionTolerances {
  double gap = 0.0;           // m or rad
  double velocity = 0.0;      // m/s or rad/s
  double acceleration = 0.0;  // m/s² or rad/s²
};

struct TransitionSignal {
  enum class Kind : char { gap, lift, stick, slip } kind = Kind::gap;
  double value = 0.0, tolerance = 0.0;
  int item = -1;       // of the modes
  bool fired = false;  // the part ends by it
  bool is_passed() const { return value < -tolerance; }
  bool is_due() const { return value <= tolerance; }
};

// A problem with its answer, as the judge sees it.
struct AnsweredProblem {
  const ComplementarityProblem& problem;
  const ProblemBuilder& builder;
  const VectorX& lambda;
  const Judge& judge;
  double length = 0.0;  // β
};

// How what touches or rubs does so: contacts, supports, and boxes and limits of joints.
class ContactModes {
 public:
  // Reads them from an answer; what was left slips.
  void read(const AnsweredProblem& answer);
  // After a part without transition: directions of slip as they are now.
  void follow(const AnsweredProblem& answer);
  // False if the problem has other rows than that which was read.
  bool signals(const AnsweredProblem& answer, const TransitionTolerances& tolerances,
               std::vector<TransitionSignal>& signals) const;
  // What sticks and is at the edge of slipping slips from now on, though an answer may say that it
  // sticks.
  void leave(const std::vector<TransitionSignal>& signals, const AnsweredProblem& answer);
  void forget() { left_.clear(); }
  // Keys of what bore and parts, ascending.
  void lifted(const std::vector<TransitionSignal>& signals, std::vector<EntityKey>& keys) const;

  // Whether a normal row bears in an answer, or parts no faster than can be told: what others bear
  // as well, and loads that rigid bodies leave open, are at the edge without parting.
  static bool bears(const AnsweredProblem& answer, int row, double acceleration);
  // Whether the rows of an entity stick, or slip no faster than `velocity`.
  bool sticks_at(const AnsweredProblem& answer, const EntityRows& rows, double velocity) const;

 private:
  enum class State : char { none, sticks, slips, lower, upper };
  struct Item {
    EntityKey key;
    std::int64_t point = 0;
    State state = State::none;
    Vector3 along = Vector3::Zero();  // of slip, in rows of the problem
    std::vector<char> sides;          // of a pyramid: directions that bear
  };
  struct Rows;
  static Rows rows_of(const AnsweredProblem& answer, const EntityRows& rows);
  static void read_item(const AnsweredProblem& answer, const Rows& rows, Item& item);
  void add_signals(const AnsweredProblem& answer, const Rows& rows, int item,
                   const TransitionTolerances& tolerances,
                   std::vector<TransitionSignal>& signals) const;

  std::vector<Item> items_;  // parallel to the map of the builder
  std::vector<Item> left_;   // that were left
};

}  // namespace vinci
