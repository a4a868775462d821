// SPDX-License-Identifier: Apache-2.0
// A scene in motion: owns the model, the state, the chosen plugins, and performs steps.
//
//   Simulation simulation(Scene::load("block.yaml"));
//   while (!simulation.finished()) simulation.step();
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "vinci/model/motion.h"
#include "vinci/model/run_options.h"
#include "vinci/scene/scene.h"
#include "vinci/simulation/plugins.h"

namespace vinci {

class CheckedStepper;  // stepping/checked_stepper.h

// Code of the caller that takes part in a run, beside the plugins. A scene or a recording cannot
// hold it; a recording says that it took part.
struct RunCode {
  std::vector<NamedController> controllers;  // in the order in which they act
  // {body, coordinate} -> what replaces the scene's expression; the scene prescribes the
  // coordinate.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const Motion>> motions;
};

// What the caller sets over the scene: the flags of `vinci run`, or arguments from code.
struct RunOverrides {
  std::map<std::string, double> parameters;    // --set mu=0.3
  std::map<std::string, std::string> options;  // run table: "step" -> "1e-4", "solver" -> "lemke"
  std::map<std::pair<std::string, std::string>, std::string>
      plugin_options;  // {"solver","tolerance"} -> "1e-12"
  RunCode code = {};
};

// Mistakes in the plugins that a scene names and in the options it gives them, for Scene::load().
std::vector<Diagnostic> check_run(const RunChoices& run, const Plugins& plugins);

// A step that was not done because stop_when() said so.
struct StepStopped {};

class Simulation {
 public:
  // Throws SceneError or Error on anything that cannot run.
  explicit Simulation(Scene scene, const RunOverrides& overrides = {});
  Simulation(Scene scene, const RunOverrides& overrides, std::shared_ptr<const Plugins> plugins);

  // One step of the stepper; applies the scene's parameter changes that are due. Throws only what
  // code of the caller throws (controllers, motions, plugins), and StepStopped: state, report and
  // contacts are then those of the step before.
  const StepReport& step();
  // Of an event-driven run: the next step up to a time within it. What comes next is the rest of
  // the step; state().step counts whole ones. Throws Error for another time, else as step().
  const StepReport& advance_within(double time);
  bool has_ended() const;  // diverged, or no next state (StepReport::ending)
  bool finished() const;   // has ended, or the duration is reached

  const Model& model() const { return *model_; }
  std::shared_ptr<const Model> shared_model() const { return model_; }
  const State& state() const { return state_; }
  const StepReport& report() const { return report_; }                                  // last step
  const std::vector<SolvedContact>& contacts() const { return context_.out.contacts; }  // last step
  const std::vector<SolvedJoint>& joints() const { return context_.out.joints; }        // last step
  // Of the last step where it was event-driven: what changed within it, at which time (s of the
  // run), and what acts at its end.
  const std::vector<StepEvent>& events() const { return context_.out.events; }
  const std::vector<ConstraintMode>& modes() const { return context_.out.modes; }
  bool is_event_driven() const;
  // Of the scene, then those of code; in the order in which they act. Names of the numbers that
  // they keep in State::controls: control_columns().
  const std::vector<NamedController>& controllers() const { return controllers_; }
  // The numbers of joint_columns() at the present state; efforts are means over the last step.
  void read_joints(VectorX& numbers) const;
  // Hands them out without a copy, and takes them back: contacts() is what it was then.
  std::vector<SolvedContact> take_contacts() { return std::exchange(context_.out.contacts, {}); }
  void give_contacts(std::vector<SolvedContact> contacts) {
    context_.out.contacts = std::move(contacts);
  }
  const ComplementarityProblem& problem() const { return context_.work.problem; }  // last step
  const Solution& solution() const { return context_.work.solution; }
  const Scene& scene() const { return scene_; }
  const OptionValues& options() const { return options_; }
  const std::map<std::string, double>& parameters() const { return model_->parameters; }
  // Those set over the scene's own: by the overrides, over them by the scene's changes, over these
  // by set_parameter(). The others follow.
  const std::map<std::string, double>& set_parameters() const { return set_parameters_; }
  // Those of them that set_parameter() set.
  const std::map<std::string, double>& code_parameters() const { return code_parameters_; }
  // What code of the caller takes part: "controller pd", "motion wall.x", "solver mine"; sorted.
  const std::vector<std::string>& code_names() const { return code_names_; }
  // {"stepper", values}, {"detector", ...}, {"solver", ...}, {"impact-law", ...}
  const std::map<std::string, OptionValues>& plugin_options() const { return plugin_options_; }

  // What may end the run, in words; "" where nothing is known to.
  std::string caution() const;
  double step_size() const { return h_; }
  std::int64_t total_steps() const { return total_steps_; }
  std::int64_t output_every() const {
    return output_every_;
  }  // steps between recorded frames, >= 1
  // A number of the state, or the energy, was no longer finite; the state is the last that was.
  bool diverged() const { return report_.diverged_body >= 0; }

  // Sets parameters from now on, also over the scene's changes of them; the model is compiled anew,
  // the state stays. Throws SceneError and changes nothing if the scene is impossible with them,
  // now or after a change that is still to come.
  void set_parameter(const std::string& name, double value);
  void set_parameter(const std::map<std::string, double>& values);  // all at once
  // Begins anew with other parameters over the scene's own, bit for bit as a simulation that is
  // made with them: what is kept are the plugins and their workspaces, which makes it cheap; where
  // choices of the run depend on the parameters, these are made anew, too. Throws
  // as the constructor does; a simulation that did not begin is of no further use.
  void restart(const std::map<std::string, double>& parameters);
  // Continues from a saved state of the same scene and step size, earlier or later than the present
  // one, with the parameters of its time. Throws Error and changes nothing if it cannot be a state
  // of this simulation.
  void set_state(const State& state);
  // Grows by one whenever the model is compiled anew; recordings store a model a version.
  int model_version() const { return model_version_; }
  // Asked every 20 ms at most while a step solves or integrates. Where it is true, or throws, the
  // step is not done and the state stays: step() throws StepStopped, or what the function throws.
  void stop_when(std::function<bool()> wanted);
  // What controllers give in the next step, in which they do not act; null: they do. It outlives
  // the step.
  void hold_controllers(const LinearForces* forces) { context_.in.held_forces = forces; }
  // Shown what steps solve from now on, and may change it (stepping/solution_witness.h); null:
  // nobody. It outlives the steps.
  void set_witness(SolutionWitness* witness) { context_.in.witness = witness; }

 private:
  using Values = std::map<std::string, double>;
  std::size_t changes_due(std::int64_t steps) const;
  std::size_t changes_made(std::int64_t steps) const;
  void await_change();
  Values merged(std::size_t changes, const Values& code) const;
  void check_changes(std::size_t first, const Values& code) const;
  void check_state(const State& state) const;
  std::shared_ptr<const Model> compiled(const Values& values) const;
  void choose();
  void set_accuracy();
  void begin();
  void begin_controllers();
  void adopt_code();
  void forget_step();
  void keep_last_finite();
  void clear_events();
  void swap_events();
  void make(double h);
  void use(std::size_t changes, const Values& code, State& state);

  std::shared_ptr<const Plugins> plugins_;
  Scene scene_;
  RunOverrides given_;  // by the caller
  RunChoices choices_;  // of the scene, with the parameters that were given
  OptionValues options_;
  std::map<std::string, OptionValues> plugin_options_;
  std::vector<std::string> code_names_;
  // Those set over the ones that were given, and what all layers come to; the scene's changes lie
  // between.
  std::map<std::string, double> code_parameters_, set_parameters_;
  std::vector<NamedController> controllers_;  // of the scene, then those of code
  // Now, that of the last step, and that which the run began with.
  std::shared_ptr<const Model> model_, stepped_model_, first_model_;
  std::unique_ptr<CollisionDetector> detector_;
  std::shared_ptr<CheckedStepper> stepper_;  // of a type that this header need not know
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<ImpactLaw> impact_law_;
  std::shared_ptr<StepDiagnosis> diagnosis_;  // null: not asked for
  StepContext context_;
  // Of the step before the one that is being made: back where it throws.
  std::vector<StepEvent> events_before_;
  std::vector<ConstraintMode> modes_before_;
  std::function<bool()> stops_;  // or throws
  std::unique_ptr<Interruption> interruption_;
  State state_;
  StepReport report_;
  double h_ = 0.0;
  std::int64_t total_steps_ = 0, output_every_ = 1;
  std::size_t applied_changes_ = 0;
  int model_version_ = 0;
};

}  // namespace vinci
