// SPDX-License-Identifier: Apache-2.0
// Every run that a scene allows, as a tree. Where a step has solutions of different velocities, the
// run is continued from the state before it with each of them. All branches advance step by step
// side by side; those whose states are the same after a step are one from there on.
//
// States are the same if no point of a body is farther apart than merge_share of the largest body
// that moves, and no velocity (nor a rebound that is due) would bring it as far apart in the
// duration of the run. The impulses that a solver starts from do not count.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vinci/comparison/alternatives.h"
#include "vinci/recording/run_loop.h"
#include "vinci/simulation/simulation.h"

namespace vinci {

inline constexpr double merge_share = 1e-7;
// Of one step of one branch: more combinations of alternatives are not tried.
inline constexpr std::size_t most_ways = 64;

struct BranchOptions {
  int most = 8;                         // branches that are followed at a time: leaves of the tree
  std::vector<std::string> quantities;  // quantity.h; empty: the final poses of all bodies
  // Within which outcomes agree: m for poses, otherwise the unit of the quantity. By default 1 % of
  // the largest body that moves, or of the largest value.
  std::optional<double> tolerance;
  // Asked before every step; the arguments are the steps done and those of the run.
  std::function<bool(std::int64_t done, std::int64_t total)> go_on;
};

// What is taken at the points of choice of one step.
struct StepChoices {
  std::int64_t step = 0;  // done before it
  std::vector<int> taken;
};

struct Branch {
  enum class End { leaf, met, left };  // reached the end; the same as another one; not followed
  int parent = -1;                     // −1: the run as the solver makes it
  std::int64_t step = 0;               // in which it parted from it, from 1; 0: the first branch
  double time = 0.0;                   // s, at the begin of this step
  std::vector<ChoicePoint> points;     // of this step
  double distance = 0.0;               // m/s, from its parent at the end of this step
  std::string modes, parent_modes;     // of the contacts in this step: "floor-rod slide left"
  std::vector<StepChoices> choices;    // all since the beginning that are not the solver's
  End end = End::leaf;
  int met = -1;                // End::met: the branch
  std::int64_t last_step = 0;  // done at its end
  double last_time = 0.0;      // s
  std::string ending;          // why it ended before its duration; "" if it did not
  int ending_kind = 0;         // 0: it did not; those of one kind have one number
  std::vector<double> values;  // of the quantities, at its end
  State state;                 // at its end
  int outcome = -1;            // leaves: Outcomes
};

// Leaves that agree with the first of them.
struct Outcome {
  std::vector<int> branches;
  double spread = 0.0;  // largest difference from the first, as the tolerance is
};

enum class BranchVerdict : std::uint8_t {
  robust,         // proved: every run has this outcome
  undecided,      // one outcome was found, but not everything was looked into or followed
  indeterminate,  // runs with other outcomes were found
};
const char* to_string(BranchVerdict verdict);

struct BranchTree {
  std::string title;
  std::vector<std::string> bodies, quantities;
  int most = 0;
  double duration = 0.0, step_size = 0.0;  // s
  double tolerance = 0.0;                  // m, of poses
  std::optional<double> given_tolerance;
  BranchVerdict verdict = BranchVerdict::undecided;
  std::vector<Branch> branches;  // in the order in which they parted
  std::vector<Outcome> outcomes;
  std::int64_t steps = 0;                 // of all branches
  std::int64_t several_steps = 0;         // of them with points of choice
  std::int64_t unseen_steps = 0;          // of them with islands that were not looked into
  std::int64_t unproved_steps = 0;        // of them with islands where there may be more
  std::int64_t uncertified_steps = 0;     // of them that are not certified
  std::int64_t continuum_steps = 0;       // of them where infinitely many solutions were found
  std::int64_t left = 0, first_left = 0;  // alternatives not followed, and the first step
  std::vector<std::string> answer;        // in words

  int leaves() const;
};

// None if go_on() said no. Throws Error.
std::optional<BranchTree> follow_branches(const Scene& scene, const RunOverrides& overrides,
                                          const std::shared_ptr<const Plugins>& plugins,
                                          const BranchOptions& options);

// Makes one branch again, with its choices: before_step() is called before every step of a
// simulation that began anew.
class BranchReplay final : public StepWatcher {
 public:
  BranchReplay(Simulation& simulation, std::vector<StepChoices> choices);
  void before_step(const Simulation& simulation) override;
  void after_step(const Simulation&) override {}

 private:
  Simulation& simulation_;
  std::vector<StepChoices> choices_;
  StepChooser chooser_;
};

std::string branches_json(const BranchTree& tree);  // docs/json.md
std::vector<std::string> branches_words(const BranchTree& tree);
std::string branches_svg(const BranchTree& tree);  // the tree over time
// One page: the answer, the tree, the table; with links to the viewer's page of all leaves if there
// is one.
std::string branches_page(const BranchTree& tree, const std::string& viewer);

}  // namespace vinci
