// SPDX-License-Identifier: Apache-2.0
// What the time-stepping methods share: one step is foresee, detect, formulate, solve, advance.
//
//   M vˡ⁺¹ = M vˡ + h f + Jᵀ λ,      qˡ⁺¹ = qˡ + h G vˡ⁺¹
//   0 <= λ_n ⟂ J_n vˡ⁺¹ + b_n >= 0,  Coulomb friction on the quadratic cone or a pyramid
//
// A method says which contacts take part and what b_n is. Where its problem has no solution, the
// step is solved with b_n = max(0, ψ)/h + ∂ψ/∂t: without the terms that push overlapping bodies
// apart, which is the form of Anitescu and Potra and has a solution. Prescribed bodies enter the
// rows by their exact displacement and turn over the step (contact_motion.h); the velocity product
// is integrated by the midpoint rule (free_motion.h).
#pragma once

#include "vinci/formulation/joined_motion.h"
#include "vinci/formulation/joint_blocks.h"
#include "vinci/formulation/joint_closure.h"
#include "vinci/formulation/problem_builder.h"
#include "vinci/formulation/tree_motion.h"
#include "vinci/solvers/island_wise.h"
#include "vinci/solvers/quasi_static.h"
#include "vinci/stepping/contact_frames.h"
#include "vinci/stepping/discrete_model.h"
#include "vinci/stepping/drag_forces.h"
#include "vinci/stepping/flight.h"
#include "vinci/stepping/impact.h"
#include "vinci/stepping/mechanisms.h"
#include "vinci/stepping/reach.h"
#include "vinci/stepping/rebounds.h"
#include "vinci/stepping/resting_bodies.h"
#include "vinci/stepping/sliding_friction.h"
#include "vinci/stepping/smooth_motion.h"
#include "vinci/stepping/solution_witness.h"
#include "vinci/stepping/stepper.h"
#include "vinci/stepping/tree_loads.h"

namespace vinci {

// How a part of a step is made.
struct PartRules {
  // Up to an impact or before (impact_time.h): without restitution, and without the contacts that
  // these rules leave out. Null: an ordinary step.
  const FlightRules* flight = nullptr;
  // Forces of controllers, held through the parts of a step. Null: the controllers are asked.
  const LinearForces* held_forces = nullptr;
  bool stabilised = true;  // normal rows as the method has them; false: the fallback above
  double rebound = 1.0;    // share of the restitution that is asked for
};

// A step, or a part of one: what every stage is told.
struct StepPart {
  const Model& model;
  const State& state;  // at its start
  double h = 0.0;      // s
  PartRules rules = {};

  bool flies() const { return rules.flight != nullptr; }
  // A part of a flight so short that forces change velocities by little more than their rounding:
  // there is nothing to solve for.
  bool coasts() const;
};

// Of a stepper's own: how overlaps end.
OptionSpec overlap_option();

class ContactStepper : public TimeStepper {
 public:
  std::string why_not(const Model& model) const override;
  ComplementarityProblem probe(const Model& model) const override;
  StepReport step(StepContext& context, State& state, double h) override;

  // A part of a step by these rules. A flight does nothing where an impact is due at its start:
  // flight().is_struck().
  StepReport advance(StepContext& context, State& state, double h, const PartRules& rules);
  // The detection of a flight alone, for flight().
  void look(StepContext& context, const State& state, double h, const PartRules& rules);
  const Flight& flight() const { return flight_; }
  const std::vector<double>& reach() const { return reach_.distances(); }
  const ConeForm& form() const { return form_; }
  MotionModel motion() const { return motion_; }
  FrameRule frame_rule() const { return frames_.rule(); }
  OverlapRule overlap_rule() const override;

 protected:
  // Contacts with a gap up to `touch` take part, m; infinity: all that may touch within the step.
  ContactStepper(const OptionValues& options, double touch);
  // What the normal row of a contact asks for, and what the next step is to remember.
  virtual ImpactTerms normal_terms(const ImpactState& contact, double h) const = 0;

  // Share of an overlap that is taken out of positions in a step.
  virtual double removed_share() const { return 1.0; }

  // What a method whose contacts yield does otherwise; the defaults are those of rigid bodies.
  // The contacts within reach.
  virtual void find_contacts(StepContext& context, const State& state);
  // Layers in the terms of the contacts that yield.
  virtual void soften(const StepPart& part, const ContactSet& contacts,
                      std::span<ContactTerms> terms);
  // What the contacts that yield hand to the next step; state.memory has that of all others.
  virtual void remember(const StepContext& context, State& state, double h);

  // The part without contact: forces_, placed_, foreseen_, M, p and reach_.
  void begin(StepContext& context, const StepPart& part);
  const VectorX& foreseen() const { return foreseen_; }
  // Of a step that was made: packed velocities at its end, along axes of joints at its start.
  const VectorX& solved_velocities() const { return next_; }
  const Tree& tree() const { return tree_; }
  const JointBlocks& joint_blocks() const { return joint_blocks_; }
  // Takes the work that rows of joints did on bodies out of a sum per body, J.
  void take_joint_work(const StepContext& context, std::span<double> sums) const;
  // Whether the motion without contact is asked for as joints allow it, also where nothing bounces.
  virtual bool joins_foreseen() const { return false; }
  // The C of the contact in probe().
  virtual std::span<const Compliance> probe_compliance() const { return {}; }

 private:
  bool foresees() const;
  double impulse_time(double h) const;
  void foresee(const StepPart& part);
  void fill_motion(const StepPart& part, ComplementarityProblem& problem);
  void fill_inertia(const StepPart& part, ComplementarityProblem& problem);
  void set_reach(const StepPart& part);
  void detect(StepContext& context, const StepPart& part, StepReport& report);
  ContactTerms terms_of(const StepPart& part, std::size_t index, const Contact& contact,
                        double rebound_due);
  double row_gap(const StepPart& part, std::size_t index, const Contact& contact,
                 const Vector3& prescribed);
  double change_of_speed(const Model& model, const State& state, const Contact& contact) const;
  // Velocity of b against a where the impulse of a contact acts.
  Vector3 velocity_at(const StepPart& part, std::size_t index, const Contact& contact,
                      const VectorX& velocities) const;
  const std::vector<Pose>& running_poses(const FramedContact* framed, const State& state) const;
  void note_rebound(const StepPart& part, std::size_t index, const Contact& contact,
                    const ImpulseMemory* landing, double speed);
  void formulate(StepWorkspace& work, const StepPart& part);
  void warm_start(StepWorkspace& work, const StepPart& part);
  void guess_impulses(StepWorkspace& work, const StepPart& part,
                      const std::vector<ImpulseMemory>& known, double scale);
  void solve_part(StepContext& context, const StepPart& part, StepReport& report);
  void solve(StepContext& context, StepReport& report);
  void solve_motion(StepContext& context, StepReport& report);
  SolvedProblem solved(const StepContext& context) const;
  void show(StepContext& context, StepReport& report) const;
  void diagnose(StepContext& context, StepReport& report) const;
  struct Gain {
    double gained, moving;  // J
  };
  Gain energy_gained(const Model& model, const StepWorkspace& work);
  void limit_rebounds(StepContext& context, StepPart part, StepReport& report);
  void settle_forces(StepContext& context, StepPart part, StepReport& report);
  void settle_friction(StepContext& context, const StepPart& part, StepReport& report);
  SlidingFriction::Scene rubbing(const StepContext& context, const StepPart& part) const;
  bool has_no_answer(const StepReport& report) const;
  void fall_back(StepContext& context, StepPart part, StepReport& report);
  // Contacts at other poses than those of the start (contact_stepper_frames.cpp).
  void take_driven_frames(StepContext& context, const StepPart& part);
  void reframe(StepContext& context, const StepPart& part, const FrameGuess& guess);
  void set_guess(const StepPart& part, const VectorX& u);
  bool solve_at_guess(StepContext& context, const StepPart& part, StepReport& report);
  void settle_frames(StepContext& context, const StepPart& part, StepReport& report);
  void take_nearest(StepContext& context, const StepPart& part, bool guessed, StepReport& report);
  bool is_still(const Model& model, int body) const;
  void rest_on_supports(const Model& model, const Accuracy& accuracy);
  void rest_on_contacts(const StepContext& context, const StepPart& part, const StepReport& report);
  bool is_whole(const StepPart& part, StepReport& report);
  void mark_acted(const StepWorkspace& work, std::vector<char>& bodies) const;
  void mark_joined(const Model& model, const StepWorkspace& work, std::vector<char>& bodies) const;
  void mark_touched(StepWorkspace& work, const StepPart& part);
  void hold_touched(const StepPart& part, ComplementarityProblem& problem);
  void move(const StepPart& part);
  Pose carried_by(const StepPart& part, int body, const VectorX& velocities) const;
  void collect(StepContext& context, State& state, double h, StepReport& report);
  void collect_supports(StepContext& context, State& state, double h, StepReport& report) const;
  void collect_elements(const StepContext& context, State& state, double h, StepReport& report);
  // Joints (contact_stepper_joints.cpp).
  void find_joints(const StepPart& part);
  void carry_drivers(const Model& model);
  JointStep joint_step(const StepPart& part) const;
  void find_joint_rows(const StepPart& part, bool all_limits);
  bool overruns_limit(const StepPart& part) const;
  bool rides_smoothly(const StepContext& context, const StepPart& part);
  bool foresees_tree(const TreeStep& step, ComplementarityProblem& problem);
  void take_matrix(const StepPart& part, ComplementarityProblem& problem);
  void fill_tree(const StepPart& part, ComplementarityProblem& problem);
  const Tree* tree_of(const Model& model) const {
    return model.tree_order.empty() ? nullptr : &tree_;
  }
  void set_limits(const StepPart& part);
  void join_motion(const StepPart& part, ComplementarityProblem& problem);
  void spread(const Model& model, const VectorX& u, VectorX& velocities, VectorX& rates) const;
  void gather(const Model& model, const VectorX& velocities, const VectorX& rates,
              VectorX& u) const;
  void collect_motors(StepContext& context, double h) const;
  void collect_tree(StepContext& context, const State& state, double h);
  void add_solved_forces(const StepContext& context, const State& state, double h);
  void note_limit(std::size_t i, double lambda, const VectorX& u, double h, State& state) const;
  void advance_coordinates(const StepPart& part, const VectorX& rates);
  void advance_joints(const StepPart& part);
  void carry_velocities(const Model& model, State& state);
  void collect_joints(StepContext& context, State& state, double h);
  void add_efforts(const Model& model, ComplementarityProblem& problem);
  void judge_by_speed(const Accuracy& accuracy, StepReport& report) const;
  void settle_products(StepContext& context, const StepPart& part, StepReport& report);
  void settle_joints(const Model& model, State& state, StepReport& report);
  void close_frames(const StepPart& part, std::vector<Pose>& poses);
  JointOpening close_joints(const Model& model, State& state);
  void find_served(const Model& model);
  void read_slipped(const Model& model, State& state) const;
  void foresee_errors(const StepPart& part);
  void reconcile_rows(const Model& model, const SparseRows& inertia);
  static void advance_tree(const Model& model, const VectorX& rates, double h, VectorX& positions,
                           std::vector<Pose>& poses);
  // Joints in a flight (contact_stepper_flight.cpp).
  void begin_flight(const StepPart& part);
  void set_middle(const StepPart& part);
  bool ground_mechanisms(const StepPart& part);
  bool is_driven_by_rows(const StepPart& part, const Joint& joint) const;
  bool is_flying(const Joint& joint) const;
  bool is_flying(const Model& model, const HeldRow& held) const;
  const State& at_middle(const StepPart& part) const {
    return part.flies() && !part.model.joints.empty() ? middle_ : part.state;
  }
  double flight_gap(const StepPart& part, double gap) const;
  const VectorX& flown_velocities(const StepPart& part);
  void keep_coasting(const StepPart& part);
  void settle_flight_products(StepContext& context, const StepPart& part, StepReport& report);
  void change_spins(const StepPart& part, const VectorX& from, const VectorX& to, bool first,
                    VectorX& momentum) const;
  void settle_flight(const ComplementarityProblem& solved, const StepPart& part, State& state);

  MotionModel motion_ = MotionModel::dynamic;
  ConeForm form_;
  double touch_;
  Rebounds rebounds_;                // of the step at hand
  std::vector<EntityKey> struck_;    // with restitution, in the step at hand
  VectorX sum_, change_, momentum_;  // of free velocities, for their energy
  bool literal_;                     // overlaps stand in the normal rows, as in the papers
  DiscreteModel discrete_;

  // Workspace, kept between steps.
  Flight flight_;
  std::vector<char> touched_;  // per body, in a flight: a contact, support or element takes part
  DragForces forces_;
  VectorX foreseen_;            // packed velocities at the end of the step without contact
  std::vector<char> joined_;    // per body, with drags: rows of the problem act on it
  VectorX driven_;              // discrete models: packed velocities of drivers at its start
  VectorX before_;              // of the unknowns, at its start
  VectorX next_;                // packed velocities at the end of the step
  bool drivers_rest_ = false;   // placed_ are the poses of the start
  bool has_all_limits_ = true;  // rows of joints
  // The tree's M and p were not needed yet; and velocities are those of the start's product.
  bool lacks_matrix_ = false, foreseen_roughly_ = false;
  SmoothMotion smooth_;
  std::vector<Pose> placed_;  // poses with the prescribed coordinates at the end of the step
  std::vector<Pose> moved_;   // poses at the end of the step
  SparseRows inertia_;        // quasi-static: what measures motion
  QuasiStatic quasi_static_;
  IslandWise island_wise_;
  RestingBodies resting_;
  double unresolved_ = 0.0;  // of the way that forces give a body in the step: what no solver tells
  double gap_noise_ = 0.0;   // m/s: what gaps too small to tell may add to the problem
  Reach reach_;
  SlidingFriction friction_;         // where laws ask for more than one number
  std::vector<ContactTerms> terms_;  // parallel to the contacts
  std::vector<SupportPoint> supports_;
  std::vector<ElementTerms> elements_;
  std::vector<double> element_impulses_;  // N s
  std::vector<ElementRow> element_rows_;  // of one element
  JointLoads joint_loads_;
  JointBlocks joint_blocks_;
  struct LimitRebound {
    double speed = 0.0;  // to remember if it is hit, m/s or rad/s
  };
  std::vector<LimitRebound> limit_rebounds_;  // parallel to the terms of joints
  VectorX free_;                              // unknowns without contact
  Tree tree_, placed_tree_;                   // at the start, and where drivers are at the end
  JoinedMotion joined_motion_;
  JointedMotion jointed_motion_;
  TreeLoads tree_loads_;
  VectorX mean_, mean_rates_, prescribed_change_;         // of what joints bear
  VectorX foreseen_rates_, next_rates_, next_positions_;  // of joints
  std::vector<int> slipped_;                              // couplings
  std::vector<LimitPlace> bearing_;
  std::vector<FreedomPlace> stuck_, served_;  // by friction, by servos
  std::vector<Pose> closed_poses_;            // before joints are closed
  VectorX closed_positions_;
  State closing_;              // where frames are taken
  std::vector<int> clutches_;  // couplings that may slip
  // Of rows that hold joints: where the velocities of the start lead.
  std::vector<Pose> led_;
  VectorX led_positions_, start_errors_, led_errors_, held_load_;
  SparseRows held_rows_;
  LeastMotion least_motion_;
  JointClosure closure_;
  ProblemBuilder builder_;

  // Of joints in a flight.
  Mechanisms mechanisms_;
  std::vector<char> flying_, was_flying_;  // per body: it flies with its mechanism
  std::vector<EntityKey> limits_;          // of joints, that take part
  std::optional<JointFlight> joint_flight_;
  State middle_;                    // what flies in the middle, the rest at the start
  std::vector<Pose> flight_poses_;  // the same with drivers at the end
  VectorX flight_before_;           // unknowns at the start
  VectorX product_end_;             // and at the end, where velocity products are taken
  Tree end_tree_;
  std::vector<Pose> end_poses_;
  VectorX flown_, carried_velocities_;
  JointBlocks held_blocks_;
  ComplementarityProblem projection_;

  // Of contacts that are not taken at the start of the step.
  ContactFrames frames_;
  FrameGuess guess_;
  VectorX trial_, best_;                // unknowns: of the guess, of the best one so far
  VectorX guess_velocities_;            // packed, of the guess, with those of drivers
  VectorX guess_rates_;                 // of joints
  ContactSet found_;                    // contacts at the guess
  std::vector<ImpulseMemory> carried_;  // from one guess to the next
  Reach frame_ways_;
  std::vector<double> frame_reach_;  // m, per body
};

}  // namespace vinci
