// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/branches.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vinci/comparison/body_distance.h"
#include "vinci/comparison/compare.h"
#include "vinci/comparison/contact_modes.h"
#include "vinci/comparison/quantity.h"

namespace vinci {
namespace {

// Values below this are zero where no tolerance is given, in the unit of the quantity.
constexpr double least_value = 1e-9;
// Branches that are not followed and told; more are counted.
constexpr std::int64_t most_told = 20;

// What the contacts of a step do: "floor-rod slide left, wall-rod open".
std::string modes_of(const Simulation& simulation, const std::vector<std::string>& bodies) {
  const bool planar = simulation.model().world == World::planar;
  ModeRule rule;
  rule.exact_cone = planar || simulation.options().text("cone") == "quadratic";
  double largest = 0.0;
  for (const SolvedContact& contact : simulation.contacts())
    largest = std::max(largest, contact.impulse[0]);
  std::map<BodyPair, PairModes> modes;
  for (const SolvedContact& contact : simulation.contacts()) {
    const BodyPair pair{contact.contact.body_a, contact.contact.body_b};
    modes[pair].add(contact, planar && pair.a != pair.b, 1e-10 * largest, rule);
  }
  std::vector<std::string> words;
  for (const auto& [pair, mode] : modes) {
    const auto [a, b] = pair_names(bodies, pair);
    words.push_back(fmt::format("{}-{} {}", a, b, to_string(mode.result().mode)));
  }
  return words.empty() ? "no contact" : fmt::format("{}", fmt::join(words, ", "));
}

// Measures whether two states of a run are the same.
class StateMeasure {
 public:
  StateMeasure(double length, double duration) : length_(length), duration_(duration) {}

  bool same(const Model& model, const State& a, const State& b) {
    const double tolerance = merge_share * length_;
    if (motion_distance(model, a.velocities, b.velocities) * duration_ > tolerance) return false;
    if (!(poses(model, a, b) <= tolerance) || !same_memory(a.memory, b.memory, tolerance))
      return false;
    // Clutches of couplings, m or rad; angles count at the length.
    if ((a.coupling_offsets - b.coupling_offsets).lpNorm<Eigen::Infinity>() *
            std::max(1.0, length_) >
        tolerance)
      return false;
    if (a.controls.size() != b.controls.size()) return false;
    for (Eigen::Index i = 0; i < a.controls.size(); ++i)
      if (!(std::abs(a.controls[i] - b.controls[i]) <=
            merge_share * std::max(1.0, std::abs(a.controls[i]))))
        return false;
    return true;
  }

  // The largest way between the two places of a point of a body, m.
  double poses(const Model& model, const State& a, const State& b) {
    if (&model != model_) {
      bodies_.clear();
      for (std::size_t i = 0; i < model.bodies.size(); ++i)
        bodies_.emplace_back(model, static_cast<int>(i), length_);
      model_ = &model;
    }
    double most = 0.0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const double apart = bodies_[i](a.poses[i], b.poses[i]);
      if (!(apart <= most)) most = apart;
    }
    return most;
  }

 private:
  bool same_memory(const Memory& a, const Memory& b, double tolerance) const {
    if (a.rebounds.size() != b.rebounds.size() || a.layers.size() != b.layers.size()) return false;
    for (std::size_t i = 0; i < a.rebounds.size(); ++i)
      if (a.rebounds[i].key != b.rebounds[i].key ||
          !(std::abs(a.rebounds[i].speed - b.rebounds[i].speed) * duration_ <= tolerance))
        return false;
    // In the plane the last of the three is a tilt; turns count at the length.
    const Vector3 unit(1.0, 1.0, model_->world == World::planar ? length_ : 1.0);
    const auto apart = [&](const Vector3& x, const Vector3& y) {
      return (x - y).cwiseProduct(unit).cwiseAbs().maxCoeff();
    };
    const auto turned = [&](const Vector3& x, const Vector3& y) {
      return length_ * (x - y).cwiseAbs().maxCoeff();
    };
    for (std::size_t i = 0; i < a.layers.size(); ++i)
      if (a.layers[i].key != b.layers[i].key || a.layers[i].point != b.layers[i].point ||
          !(apart(a.layers[i].deformation_a, b.layers[i].deformation_a) <= tolerance) ||
          !(apart(a.layers[i].deformation_b, b.layers[i].deformation_b) <= tolerance) ||
          !(turned(a.layers[i].turn_a, b.layers[i].turn_a) <= tolerance) ||
          !(turned(a.layers[i].turn_b, b.layers[i].turn_b) <= tolerance))
        return false;
    return true;
  }

  double length_, duration_;
  const Model* model_ = nullptr;
  std::vector<BodyDistance> bodies_;
};

// A branch at work.
struct Runner {
  int branch = 0;
  Simulation simulation;
  std::vector<QuantityReader> readers;
  std::vector<double> values;
  bool stopped = false;  // a strict run whose step is not certified
};

class Follower {
 public:
  Follower(const Scene& scene, const RunOverrides& overrides,
           const std::shared_ptr<const Plugins>& plugins, const BranchOptions& options)
      : scene_(scene), overrides_(overrides), plugins_(plugins), options_(options) {}

  std::optional<BranchTree> run();

 private:
  Simulation made() const { return Simulation(scene_, overrides_, plugins_); }
  void begin();
  bool is_over(const Runner& runner) const {
    return runner.stopped || runner.simulation.has_ended();
  }
  void make_step(Runner& runner, std::vector<int> taken);
  void note_step(const Runner& runner);
  void advance(std::size_t number);
  void merge();
  void leave();
  void finish(const Runner& runner);
  void conclude();
  double difference(const Branch& a, const Branch& b, std::size_t quantity);
  bool agree(const Branch& a, const Branch& b, Outcome& outcome);

  const Scene& scene_;
  const RunOverrides& overrides_;
  const std::shared_ptr<const Plugins>& plugins_;
  const BranchOptions& options_;
  BranchTree tree_;
  StepChooser chooser_;
  std::vector<Quantity> quantities_;
  std::vector<double> tolerances_;  // of them
  std::optional<StateMeasure> measure_;
  std::vector<std::unique_ptr<Runner>> live_;  // in the order of their branches
};

void Follower::begin() {
  if (options_.most < 1) throw Error("accepted: a number of at least 1", "branches");
  if (options_.tolerance && !(*options_.tolerance > 0.0 && std::isfinite(*options_.tolerance)))
    throw Error("accepted: a number above 0", "tolerance");
  auto first = std::make_unique<Runner>(Runner{0, made(), {}, {}});
  const Simulation& simulation = first->simulation;
  const Model& model = simulation.model();
  tree_.title = scene_.title();
  for (const Body& body : model.bodies) tree_.bodies.push_back(body.name);
  tree_.quantities = options_.quantities;
  tree_.most = options_.most;
  tree_.step_size = simulation.step_size();
  tree_.duration = static_cast<double>(simulation.total_steps()) * tree_.step_size;
  const double length = reference_length(model);
  tree_.given_tolerance = options_.tolerance;
  tree_.tolerance = options_.tolerance.value_or(tolerance_share * length);
  measure_.emplace(length, tree_.duration);
  for (const std::string& text : options_.quantities)
    quantities_.push_back(Quantity::parse(text, model));
  for (const Quantity& quantity : quantities_) {
    first->readers.emplace_back(quantity, simulation);
    first->values.push_back(first->readers.back().read(simulation));
  }
  first->simulation.set_witness(&chooser_);
  tree_.branches.emplace_back();
  live_.push_back(std::move(first));
}

void Follower::make_step(Runner& runner, std::vector<int> taken) {
  chooser_.begin(std::move(taken));
  Simulation& simulation = runner.simulation;
  try {
    simulation.step();
  } catch (const Error& error) {
    throw Failure(error);
  }
  for (std::size_t i = 0; i < runner.readers.size(); ++i)
    runner.values[i] = runner.readers[i].read(simulation);
  runner.stopped = simulation.options().flag("strict") &&
                   !is_certified(simulation.report(), simulation.options().real("accept"));
}

void Follower::note_step(const Runner& runner) {
  ++tree_.steps;
  const std::vector<ChoicePoint>& points = chooser_.points();
  if (!points.empty()) ++tree_.several_steps;
  if (chooser_.unseen_islands() > 0) ++tree_.unseen_steps;
  if (chooser_.unproved_islands() > 0) ++tree_.unproved_steps;
  if (!is_certified(runner.simulation.report(), runner.simulation.options().real("accept")))
    ++tree_.uncertified_steps;
  if (chooser_.has_free_motion() ||
      std::any_of(points.begin(), points.end(), [](const ChoicePoint& p) { return p.continuum; }))
    ++tree_.continuum_steps;
}

// The next step of a branch, and the branches that begin there.
void Follower::advance(std::size_t number) {
  Runner& runner = *live_[number];
  const State before = runner.simulation.state();
  const std::vector<QuantityReader> readers = runner.readers;
  make_step(runner, {});
  note_step(runner);
  if (chooser_.points().empty()) return;
  // What is taken at the first points of choice, and then what the solver gives.
  std::vector<std::vector<int>> ways;
  const auto add_ways = [&](std::size_t fixed) {
    const std::vector<ChoicePoint>& points = chooser_.points();
    for (std::size_t i = fixed; i < points.size(); ++i)
      for (int other = 1; other < points[i].alternatives; ++other) {
        std::vector<int> way;
        for (std::size_t k = 0; k < i; ++k) way.push_back(points[k].taken);
        way.push_back(other);
        ways.push_back(std::move(way));
      }
  };
  add_ways(0);
  const std::string own_modes = modes_of(runner.simulation, tree_.bodies);
  const Model& model = runner.simulation.model();
  const std::size_t first_new = live_.size();
  for (std::size_t k = 0; k < ways.size() && k < most_ways; ++k) {
    auto other = std::make_unique<Runner>(
        Runner{static_cast<int>(tree_.branches.size()), made(), readers, runner.values});
    other->simulation.set_state(before);
    other->simulation.set_witness(&chooser_);
    make_step(*other, ways[k]);
    note_step(*other);
    add_ways(ways[k].size());
    const State& after = other->simulation.state();
    const auto same = [&](const Runner& known) {
      return measure_->same(model, known.simulation.state(), after) &&
             known.simulation.has_ended() == other->simulation.has_ended();
    };
    bool known = same(runner);
    for (std::size_t i = first_new; i < live_.size() && !known; ++i) known = same(*live_[i]);
    if (known) continue;
    Branch branch;
    branch.parent = runner.branch;
    branch.step = before.step + 1;
    branch.time = before.time;
    branch.points = chooser_.points();
    branch.distance =
        motion_distance(model, after.velocities, runner.simulation.state().velocities);
    branch.modes = modes_of(other->simulation, tree_.bodies);
    branch.parent_modes = own_modes;
    branch.choices = tree_.branches[static_cast<std::size_t>(runner.branch)].choices;
    branch.choices.push_back({before.step, ways[k]});
    tree_.branches.push_back(std::move(branch));
    live_.push_back(std::move(other));
  }
  if (ways.size() > most_ways) {
    if (tree_.left == 0) tree_.first_left = before.step + 1;
    tree_.left += static_cast<std::int64_t>(ways.size() - most_ways);
  }
}

void Follower::finish(const Runner& runner) {
  Branch& branch = tree_.branches[static_cast<std::size_t>(runner.branch)];
  const Simulation& simulation = runner.simulation;
  const StepReport& report = simulation.report();
  branch.state = simulation.state();
  branch.last_step = branch.state.step;
  branch.last_time = branch.state.time;
  branch.values = runner.values;
  const auto name = [&](int body) {
    return body < 0 ? std::string() : tree_.bodies[static_cast<std::size_t>(body)];
  };
  if (simulation.diverged()) {
    branch.ending_kind = 1;
    branch.ending = fmt::format("the run diverged: body '{}'", name(report.diverged_body));
  } else if (simulation.has_ended()) {
    branch.ending_kind = 2 + static_cast<int>(report.ending);
    branch.ending = ending_words(report.ending, report.shortage, name(report.shortage.body));
  } else if (runner.stopped) {
    branch.ending_kind = 2;
    branch.ending = "the run is strict and the step is not certified";
  }
}

// Branches in the same state are the older one from here on.
void Follower::merge() {
  for (std::size_t i = 0; i < live_.size(); ++i)
    for (std::size_t k = i + 1; k < live_.size();) {
      const Runner &a = *live_[i], &b = *live_[k];
      if (is_over(a) || is_over(b) ||
          !measure_->same(a.simulation.model(), a.simulation.state(), b.simulation.state())) {
        ++k;
        continue;
      }
      finish(b);
      Branch& branch = tree_.branches[static_cast<std::size_t>(b.branch)];
      branch.end = Branch::End::met;
      branch.met = a.branch;
      live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

// Those that are too many: the youngest.
void Follower::leave() {
  while (live_.size() > static_cast<std::size_t>(options_.most)) {
    finish(*live_.back());
    const auto number = static_cast<std::size_t>(live_.back()->branch);
    Branch& branch = tree_.branches[number];
    branch.end = Branch::End::left;
    if (tree_.left == 0) tree_.first_left = branch.step;
    ++tree_.left;
    if (tree_.left > most_told && number + 1 == tree_.branches.size()) tree_.branches.pop_back();
    live_.pop_back();
  }
}

double Follower::difference(const Branch& a, const Branch& b, std::size_t quantity) {
  const double x = a.values[quantity], y = b.values[quantity];
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0.0;
  const double apart = std::abs(x - y);
  return std::isnan(apart) ? infinity : apart;
}

bool Follower::agree(const Branch& a, const Branch& b, Outcome& outcome) {
  if (a.ending_kind != b.ending_kind ||
      std::abs(a.last_time - b.last_time) > tolerance_share * tree_.duration)
    return false;
  double spread = 0.0;
  if (quantities_.empty()) {
    spread = measure_->poses(live_.front()->simulation.model(), a.state, b.state);
    if (!(spread <= tree_.tolerance)) return false;
  }
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    const double apart = difference(a, b, q);
    if (!(apart <= tolerances_[q])) return false;
    spread = std::max(spread, apart);
  }
  outcome.spread = std::max(outcome.spread, spread);
  return true;
}

void Follower::conclude() {
  for (const auto& runner : live_) finish(*runner);
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    double largest = 0.0;
    for (const auto& runner : live_)
      if (std::isfinite(runner->values[q]))
        largest = std::max(largest, std::abs(runner->values[q]));
    tolerances_.push_back(
        tree_.given_tolerance.value_or(std::max(tolerance_share * largest, least_value)));
  }
  for (const auto& runner : live_) {
    Branch& branch = tree_.branches[static_cast<std::size_t>(runner->branch)];
    std::size_t k = 0;
    while (k < tree_.outcomes.size() &&
           !agree(tree_.branches[static_cast<std::size_t>(tree_.outcomes[k].branches.front())],
                  branch, tree_.outcomes[k]))
      ++k;
    if (k == tree_.outcomes.size()) tree_.outcomes.emplace_back();
    tree_.outcomes[k].branches.push_back(runner->branch);
    branch.outcome = static_cast<int>(k);
  }
  const bool whole = tree_.left == 0 && tree_.unseen_steps == 0 && tree_.unproved_steps == 0 &&
                     tree_.continuum_steps == 0 && tree_.uncertified_steps == 0;
  tree_.verdict = tree_.outcomes.size() > 1 ? BranchVerdict::indeterminate
                  : whole                   ? BranchVerdict::robust
                                            : BranchVerdict::undecided;
  tree_.answer = branches_words(tree_);
}

std::optional<BranchTree> Follower::run() {
  begin();
  const std::int64_t total = live_.front()->simulation.total_steps();
  for (std::int64_t step = 0; step < total; ++step) {
    if (options_.go_on && !options_.go_on(step, total)) return std::nullopt;
    const std::size_t count = live_.size();
    bool moved = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (is_over(*live_[i])) continue;
      moved = true;
      advance(i);
    }
    if (!moved) break;
    if (live_.size() > 1) merge();
    leave();
  }
  conclude();
  return std::move(tree_);
}

}  // namespace

const char* to_string(BranchVerdict verdict) {
  switch (verdict) {
    case BranchVerdict::robust:
      return "robust";
    case BranchVerdict::indeterminate:
      return "indeterminate";
    case BranchVerdict::undecided:
      break;
  }
  return "undecided";
}

int BranchTree::leaves() const {
  return static_cast<int>(std::count_if(branches.begin(), branches.end(), [](const Branch& b) {
    return b.end == Branch::End::leaf;
  }));
}

std::optional<BranchTree> follow_branches(const Scene& scene, const RunOverrides& overrides,
                                          const std::shared_ptr<const Plugins>& plugins,
                                          const BranchOptions& options) {
  return Follower(scene, overrides, plugins, options).run();
}

BranchReplay::BranchReplay(Simulation& simulation, std::vector<StepChoices> choices)
    : simulation_(simulation), choices_(std::move(choices)) {}

void BranchReplay::before_step(const Simulation& simulation) {
  const std::int64_t step = simulation.state().step;
  const auto found = std::find_if(choices_.begin(), choices_.end(),
                                  [&](const StepChoices& it) { return it.step == step; });
  simulation_.set_witness(found == choices_.end() ? nullptr : &chooser_);
  if (found != choices_.end()) chooser_.begin(found->taken);
}

}  // namespace vinci
