// SPDX-License-Identifier: Apache-2.0
// `stepper: second-order`: TR-BDF2, two stages a step, each one problem of the one form
// (stage_problem.h), with the times of transitions. With d = 1 − 1/√2, ω = √2/4, u₀ and F₀ the
// velocities and accelerations at the start,
//
//   to t + 2 d h:  q₁ = q ⊕ h (d u₀ + d u₁),          u₁ = u₀ + h (d F₀ + d F₁)
//   to t + h:      q₂ = q ⊕ h (ω u₀ + ω u₁ + d u₂),   u₂ = u₀ + h (ω F₀ + ω F₁ + d F₂)
//
// where F has contact forces in it. Every island of bodies that may touch within the step makes its
// own parts of it: a part ends where a function of transitions.h, or the gap of an open contact or
// limit, changes its sign; the impact law acts, and two micro-steps find F₀ and what sticks and
// slips from there. Behind a bound on the number of parts the ordinary step takes what is left.
// docs/theory/second_order.md has the whole of it.
#pragma once

#include <cmath>
#include <memory>

#include "vinci/stepping/contact_stepper.h"
#include "vinci/stepping/stage_problem.h"
#include "vinci/stepping/struck_instant.h"
#include "vinci/stepping/substeps.h"
#include "vinci/stepping/transitions.h"

namespace vinci {

class SecondOrder : public TimeStepper {
 public:
  explicit SecondOrder(const OptionValues& options);
  static StepperRegistry::Entry entry();

  std::string why_not(const Model& model) const override;
  ComplementarityProblem probe(const Model& model) const override {
    return ordinary_->probe(model);
  }
  StepReport step(StepContext& context, State& state, double h) override;
  OverlapRule overlap_rule() const override { return ordinary_->overlap_rule(); }
  std::string why_not_law(const Model& model, const ImpactLaw& law,
                          const Solver& solver) const override {
    return StruckInstant::why_not_law(*ordinary_, model, law, solver);
  }

 private:
  // A stage with its answer: what is read of it.
  struct Answer {
    VectorX u, acceleration;            // unknowns
    std::vector<ImpulseMemory> forces;  // of all entities, N and N m, by ascending keys
  };
  // A part of the step that was tried from now_.
  struct Trial {
    double length = 0.0;  // s
    State end;
    Answer middle, last;
    ContactSet seen;  // contacts within reach at its end
    std::vector<TransitionSignal> signals;
    double error = 0.0;  // m, estimated
    StepReport report;
    bool solved = false;
  };

  static double last_share() { return 1.0 - M_SQRT1_2; }  // d
  static double first_share() { return 0.25 * M_SQRT2; }  // ω

  // The step (second_order.cpp).
  bool make(StepContext& context, double h, StepReport& report);
  void set_tolerances();
  void find_islands(StepContext& context, const State& state, double h);
  void take_island(const Model& model, std::size_t island);
  void place(const Model& model, double time, State& state);
  void advance_island(StepContext& context, double h, SubstepSum& sum);
  bool is_passed() const;
  double least_length() const;
  void choose_length(bool kept);
  void accept(StepContext& context, bool cut, SubstepSum& sum);
  void take_ordinary(StepContext& context, double left, SubstepSum& sum);

  // A part of it (second_order_part.cpp).
  bool find_closed(StepContext& context);
  double least_rebound(const Model& model);
  bool strike_what_closes(StepContext& context, SubstepSum& sum);
  bool micro_step(StepContext& context, double e, Answer& answer, StepReport& report);
  bool begin_part(StepContext& context, SubstepSum& sum);
  void open_what_parts();
  double micro_length() const { return std::max(1e-2 * std::min(grid_, length_), 1e-7 * grid_); }
  void search(StepContext& context);
  void settle(StepContext& context);
  bool is_held(const EntityRows& rows, int row) const;
  bool is_limit(const EntityRows& rows) const;
  void add_results(StepContext& context, SubstepSum& sum);
  void collect_joints(const Model& model, double s);

  // Its stages (second_order_stage.cpp).
  void shift(const Model& model, const State& from, double time, const VectorX& displacement,
             State& to);
  void set_velocities(const Model& model, const VectorX& u, State& state);
  void gather(const Model& model, const State& state, VectorX& u) const;
  void detect(StepContext& context, const State& state, ContactSet& contacts);
  void match_contacts(const ContactSet& found);
  bool is_closed(const EntityKey& key) const;
  void find_residuals(const Model& model);
  bool solve_stage(StepContext& context, double length, const VectorX& before, bool residuals,
                   Answer& answer, StepReport& report);
  void try_part(StepContext& context, double length);
  void add_gaps(const Model& model, const State& state, const ContactSet& seen,
                std::vector<TransitionSignal>& signals);
  void estimate(const Model& model);
  bool moves(int body) const { return in_[static_cast<std::size_t>(body)] != 0; }
  bool moves(const Joint& joint) const;
  bool counts(const Contact& contact) const {
    return moves(contact.body_a) || moves(contact.body_b);
  }
  bool counts(const Model& model, const EntityKey& key) const;
  AnsweredProblem answered(double length) const {
    return {problem_, stage_.builder(), solution_.lambda, judge_, length};
  }

  std::unique_ptr<ContactStepper> ordinary_;
  ConeForm form_;
  long most_cuts_ = 0;
  double accuracy_ = 0.0;  // of a run; 0: steps are those of the run

  // Of the step at hand.
  State start_, now_;
  double grid_ = 0.0;  // its length, s
  LinearForces held_;  // of the controllers
  Reach reach_;
  std::vector<std::vector<char>> islands_;  // per body: it belongs
  bool merged_ = false, outran_ = false;
  TransitionTolerances tolerances_;
  double closing_ = 0.0;  // m/s: slower, a contact neither closes nor parts
  std::vector<SolvedContact> before_, collected_;
  std::vector<ImpulseMemory> known_;  // forces at the end
  int cuts_ = 0, ordinary_parts_ = 0, rejected_ = 0, least_steps_ = 0;
  double error_ = 0.0;

  // Of the island at hand.
  std::vector<char> in_, own_unknowns_;  // per body, per unknown
  ContactSet near_, closed_, stage_contacts_, found_;
  std::vector<char> matched_;       // parallel to closed_: it is among those found
  std::vector<EntityKey> adopted_;  // found in the place of closed ones
  std::vector<JointLimit> limits_;
  std::vector<EntityKey> closed_limits_, lifted_;
  VectorX velocity_, first_;  // u₀, F₀
  bool knows_first_ = false;
  double length_ = 0.0;                // s, that the accuracy asks for
  double regular_ = 0.0;               // s, of the last part that met it
  std::vector<ImpulseMemory> forces_;  // at the start of the part
  ContactModes modes_;
  Trial trial_;
  std::vector<TransitionSignal> good_, high_;  // where nothing was passed, and where it was
  std::vector<char> bearing_;
  std::vector<std::pair<EntityKey, std::int64_t>> sticking_;

  // Workspace.
  Answer micro_[2];
  State foreseen_;
  VectorX residuals_;  // per row, of the start of the part
  VectorX mean_, before_stage_, packed_, rates_, scratch_, load_, displacement_;
  Tree end_tree_;
  ComplementarityProblem problem_;
  Solution solution_;
  Judge judge_;
  StageProblem stage_;
  LoadSelection selection_;
  StruckInstant struck_;
  JointClosure closure_;
  LeastMotion least_;
  SparseRows rows_;
  TreeLoads tree_loads_;
  std::vector<SolvedContact> solved_;
  std::vector<SolvedJoint> solved_joints_;
};

}  // namespace vinci
