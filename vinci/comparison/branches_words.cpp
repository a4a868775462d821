// SPDX-License-Identifier: Apache-2.0
// The answer of a tree of branches: sentences, and JSON for programs (docs/json.md).
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vinci/comparison/branches.h"
#include "vinci/comparison/words.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// What keeps a tree with one outcome from a proof.
std::vector<std::string> doubts(const BranchTree& tree) {
  std::vector<std::string> list;
  const auto steps = [](std::int64_t n) { return counted(n, "step", "steps"); };
  if (tree.unseen_steps > 0)
    list.push_back(steps(tree.unseen_steps) +
                   " had contacts that are too many to enumerate, or laws that cannot be");
  if (tree.unproved_steps > 0)
    list.push_back(steps(tree.unproved_steps) +
                   " may have solutions besides those found: the enumeration was not complete");
  if (tree.continuum_steps > 0)
    list.push_back(steps(tree.continuum_steps) +
                   " had infinitely many solutions, of which a few stand for all");
  if (tree.uncertified_steps > 0)
    list.push_back(steps(tree.uncertified_steps) + " were not certified");
  if (tree.left > 0)
    list.push_back(fmt::format("{} not followed, the first in step {}",
                               counted(tree.left, "alternative was", "alternatives were"),
                               tree.first_left));
  return list;
}

std::string asked(const BranchTree& tree) {
  return tree.quantities.empty() ? "the final poses"
                                 : fmt::format("{}", fmt::join(tree.quantities, ", "));
}

// Where the leaves of different outcomes parted first.
const Branch* first_parting(const BranchTree& tree) {
  for (const Branch& branch : tree.branches)
    if (branch.parent >= 0 && branch.end == Branch::End::leaf && branch.outcome > 0) return &branch;
  return nullptr;
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

const char* end_word(Branch::End end) {
  switch (end) {
    case Branch::End::leaf:
      return "leaf";
    case Branch::End::met:
      return "met";
    case Branch::End::left:
      break;
  }
  return "not followed";
}

Json points_json(const BranchTree& tree, const Branch& branch) {
  Json list = Json::array();
  for (const ChoicePoint& point : branch.points) {
    Json bodies = Json::array();
    for (const int body : point.bodies)
      bodies.push_back(tree.bodies[static_cast<std::size_t>(body)]);
    list.push_back({{"problem", point.problem},
                    {"bodies", bodies},
                    {"alternatives", point.alternatives},
                    {"taken", point.taken},
                    {"distance", number(point.distance)},
                    {"continuum", point.continuum}});
  }
  return list;
}

Json poses_json(const BranchTree& tree, const Branch& branch) {
  Json list = Json::array();
  for (std::size_t i = 0; i < branch.state.poses.size(); ++i) {
    const Pose& pose = branch.state.poses[i];
    list.push_back(
        {{"body", tree.bodies[i]},
         {"position", {pose.position.x(), pose.position.y(), pose.position.z()}},
         {"rotation",
          {pose.rotation.w(), pose.rotation.x(), pose.rotation.y(), pose.rotation.z()}}});
  }
  return list;
}

Json branch_json(const BranchTree& tree, std::size_t i) {
  const Branch& branch = tree.branches[i];
  Json choices = Json::array();
  for (const StepChoices& choice : branch.choices)
    choices.push_back({{"step", choice.step + 1}, {"taken", choice.taken}});
  Json values = Json::array();
  for (const double value : branch.values) values.push_back(number(value));
  return {{"branch", i},
          {"parent", branch.parent < 0 ? Json() : Json(branch.parent)},
          {"step", branch.step},
          {"time", branch.time},
          {"points", points_json(tree, branch)},
          {"distance", number(branch.distance)},
          {"modes", branch.modes},
          {"parent_modes", branch.parent_modes},
          {"choices", choices},
          {"end", end_word(branch.end)},
          {"met", branch.met < 0 ? Json() : Json(branch.met)},
          {"last_step", branch.last_step},
          {"last_time", branch.last_time},
          {"ending", branch.ending},
          {"values", values},
          {"poses", poses_json(tree, branch)},
          {"outcome", branch.outcome < 0 ? Json() : Json(branch.outcome)}};
}

}  // namespace

std::vector<std::string> branches_words(const BranchTree& tree) {
  std::vector<std::string> list;
  const int leaves = tree.leaves();
  const std::string what = asked(tree);
  if (tree.verdict == BranchVerdict::indeterminate) {
    list.push_back(fmt::format("Indeterminate: the model allows {} outcomes of {} in {}.",
                               tree.outcomes.size(), what, counted(leaves, "run", "runs")));
    if (const Branch* first = first_parting(tree))
      list.push_back(fmt::format(
          "They part in step {}, at {}: the run has {}, another solution {}; their velocities "
          "differ by {:.3g} m/s.",
          first->step, time_words(first->time), first->parent_modes, first->modes,
          first->distance));
  } else if (leaves > 1) {
    list.push_back(fmt::format("{}: {} runs with different solutions on the way agree on {}.",
                               tree.verdict == BranchVerdict::robust ? "Robust" : "Undecided",
                               leaves, what));
  } else if (tree.verdict == BranchVerdict::robust) {
    list.push_back(tree.several_steps == 0
                       ? "Robust: every step has one motion, so that there is one run."
                       : "Robust: runs with different solutions on the way meet again, so that "
                         "there is one outcome.");
  } else {
    list.push_back("Undecided: no other outcome was found, which proves nothing here.");
  }
  for (const std::string& doubt : doubts(tree)) list.push_back("Of all steps, " + doubt + ".");
  return list;
}

std::string branches_json(const BranchTree& tree) {
  Json branches = Json::array(), outcomes = Json::array();
  for (std::size_t i = 0; i < tree.branches.size(); ++i) branches.push_back(branch_json(tree, i));
  for (const Outcome& outcome : tree.outcomes)
    outcomes.push_back({{"branches", outcome.branches}, {"spread", number(outcome.spread)}});
  return Json{{"title", tree.title},
              {"verdict", to_string(tree.verdict)},
              {"most", tree.most},
              {"duration", tree.duration},
              {"step_size", tree.step_size},
              {"quantities", tree.quantities},
              {"tolerance", tree.quantities.empty() ? Json(tree.tolerance)
                            : tree.given_tolerance  ? Json(*tree.given_tolerance)
                                                    : Json()},
              {"leaves", tree.leaves()},
              {"outcomes", outcomes},
              {"branches", branches},
              {"steps", tree.steps},
              {"several_steps", tree.several_steps},
              {"unseen_steps", tree.unseen_steps},
              {"unproved_steps", tree.unproved_steps},
              {"continuum_steps", tree.continuum_steps},
              {"uncertified_steps", tree.uncertified_steps},
              {"not_followed", tree.left},
              {"first_not_followed", tree.left > 0 ? Json(tree.first_left) : Json()},
              {"answer", tree.answer}}
      .dump();
}

}  // namespace vinci
