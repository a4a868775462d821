// SPDX-License-Identifier: Apache-2.0
// Ranks of the rows that close loops, here and nearby.
#include "vinci/formulation/loop_analysis.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "vinci/formulation/joint_closure.h"
#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

// Of a row's length: what is less is rounding, or the motion between here and nearby.
constexpr double independent = 1e-7;

class Ranks {
 public:
  Ranks(const Model& model, const State& state) : model_(model), state_(state) {}

  // Where the mechanism stands: which rows add to those before them.
  std::vector<char> find() {
    tree_.place(model_, state_.poses, state_.joint_positions);
    blocks_.find_held(
        {.model = model_, .state = state_, .placed = state_.poses, .tree = tree_, .h = 1.0}, {},
        {});
    basis_.clear();
    std::vector<char> counts;
    SparseRows row;
    for (const HeldRow& held : blocks_.held()) {
      if (held.row < 0) {
        counts.push_back(0);
        continue;
      }
      row.reset(model_.free_count);
      blocks_.write_row(held.row, row);
      VectorX v = VectorX::Zero(model_.free_count);
      for (std::size_t k = 0; k < row.indices.size(); ++k) v[row.indices[k]] = row.values[k];
      const double length = v.norm();
      remove_basis(v);
      remove_basis(v);
      counts.push_back(v.norm() > independent * length ? 1 : 0);
      if (counts.back()) basis_.push_back(v.normalized());
    }
    return counts;
  }

  std::span<const HeldRow> held() const { return blocks_.held(); }
  int rank() const { return static_cast<int>(basis_.size()); }

  // Moves on along some motion that the rows allow; false where there is none, or the loops do not
  // close after it.
  bool move(std::mt19937& engine, double way) {
    VectorX v(model_.free_count);
    for (int i = 0; i < v.size(); ++i) v[i] = static_cast<double>(engine()) / 2147483648.0 - 1.0;
    const double before = v.norm();
    remove_basis(v);
    remove_basis(v);
    if (!(v.norm() > 1e-6 * before)) return false;
    v *= way / v.lpNorm<Eigen::Infinity>();
    JointClosure closure;
    closure.displace(model_, state_, v);
    return closure.close(model_, state_).left < 1e-11;
  }

 private:
  void remove_basis(VectorX& v) const {
    for (const VectorX& b : basis_) v -= v.dot(b) * b;
  }

  const Model& model_;
  State state_;
  Tree tree_;
  JointBlocks blocks_;
  std::vector<VectorX> basis_;
};

// Bodies from one end of a joint to the other through the tree.
std::vector<int> bodies_of(const Model& model, int a, int b) {
  const auto path = [&](int body) {
    std::vector<int> all;
    for (; body >= 0; body = model.tree_joint[body] >= 0 ? parent_body(model, body) : -1)
      all.push_back(body);
    return all;
  };
  std::vector<int> first = path(a), second = path(b);
  while (first.size() > 1 && second.size() > 1 &&
         first[first.size() - 2] == second[second.size() - 2])
    first.pop_back(), second.pop_back();
  if (!first.empty() && !second.empty() && first.back() == second.back()) second.pop_back();
  first.insert(first.end(), second.rbegin(), second.rend());
  return first;
}

}  // namespace

LoopAnalysis analyse_loops(const Model& given, const State& state) {
  LoopAnalysis analysis;
  Model model = given;
  make_tree(model);
  analysis.freedoms = model.free_count;
  Ranks here(model, state);
  const std::vector<char> counts = here.find();
  if (counts.empty() || counts.size() > static_cast<std::size_t>(most_analysed_rows))
    return analysis;
  // Nearby rows are as independent as they get anywhere else.
  std::vector<char> nearby = counts;
  int best = here.rank();
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937 engine(seed);
    Ranks there = here;
    if (!there.move(engine, 0.02)) continue;
    const std::vector<char> found = there.find();
    if (found.size() == counts.size() && there.rank() > best) {
      best = there.rank();
      nearby = found;
    }
  }
  analysis.freedoms -= best;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const HeldRow& held = here.held()[i];
    const bool couples = held.of == HeldRow::Of::coupling;
    const bool known =
        !analysis.loops.empty() &&
        (couples ? analysis.loops.back().coupling : analysis.loops.back().joint) == held.index;
    if (!known) {
      LoopFacts facts;
      (couples ? facts.coupling : facts.joint) = held.index;
      if (!couples) {
        const Joint& joint = model.joints[static_cast<std::size_t>(held.index)];
        facts.bodies = bodies_of(model, joint.body_a, joint.body_b);
      }
      analysis.loops.push_back(facts);
    }
    LoopFacts& facts = analysis.loops.back();
    ++facts.rows;
    facts.redundant += nearby[i] ? 0 : 1;
    facts.singular += (nearby[i] ? 1 : 0) - (counts[i] ? 1 : 0);
  }
  for (LoopFacts& facts : analysis.loops) facts.singular = std::max(0, facts.singular);
  return analysis;
}

}  // namespace vinci
