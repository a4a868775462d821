// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/root_locus.h"

#include <vector>

#include "vinci/base/error.h"
#include "vinci/systems/modes.h"

namespace vinci {

namespace {

constexpr int most_rounds = 12;  // halvings of an interval of gains
// By how much a branch may be longer than the straight line: a turn of about 5 degrees.
constexpr double turn_tolerance = 1e-3;

struct Row {
  double gain = 0.0;
  ComplexVector poles;
};

// Poles in the order of the branches: the nearest pairs are matched first.
ComplexVector follow_branches(const ComplexVector& before, ComplexVector after) {
  const Eigen::Index n = before.size();
  ComplexVector ordered(n);
  std::vector<bool> placed(n, false), used(n, false);
  for (Eigen::Index round = 0; round < n; ++round) {
    double least = infinity;
    Eigen::Index from = 0, to = 0;
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index k = 0; k < n; ++k)
        if (!placed[i] && !used[k] && std::abs(before[i] - after[k]) < least) {
          least = std::abs(before[i] - after[k]);
          from = i;
          to = k;
        }
    ordered[from] = after[to];
    placed[from] = used[to] = true;
  }
  return ordered;
}

// Whether the branches run nearly straight from a over the middle to b.
bool is_straight(const Row& a, const Row& middle, const Row& b, double size) {
  for (Eigen::Index i = 0; i < a.poles.size(); ++i) {
    const double way = std::abs(b.poles[i] - a.poles[i]);
    const double detour =
        std::abs(middle.poles[i] - a.poles[i]) + std::abs(b.poles[i] - middle.poles[i]) - way;
    if (detour > turn_tolerance * way + 1e-6 * size) return false;
  }
  return true;
}

}  // namespace

RootLocus root_locus(const LinearSystem& system, const VectorX& gains, double sign) {
  if (system.input_count() != 1 || system.output_count() != 1)
    throw Error("a root locus belongs to one input and one output", "linear system");
  for (Eigen::Index i = 0; i < gains.size(); ++i)
    if (!std::isfinite(gains[i]) || (i > 0 && !(gains[i] > gains[i - 1])))
      throw Error("accepted: finite gains that grow", "gains");
  const auto at = [&](double gain) {
    const LinearSystem feedback = constant_system(MatrixX::Constant(1, 1, gain), system.sample);
    return Row{gain, poles(closed_loop(system, feedback, sign))};
  };
  std::vector<Row> rows;
  const double size = std::max(1e-300, system.a.norm());
  const auto refine = [&](const auto& self, const Row& from, Row to, int round) -> void {
    Row middle = at(0.5 * (from.gain + to.gain));
    middle.poles = follow_branches(from.poles, middle.poles);
    to.poles = follow_branches(middle.poles, to.poles);
    if (round < most_rounds && !is_straight(from, middle, to, size)) {
      self(self, from, middle, round + 1);
      self(self, rows.back(), to, round + 1);
      return;
    }
    to.poles = follow_branches(middle.poles, to.poles);
    rows.push_back(to);
  };
  for (const double gain : gains) {
    Row row = at(gain);
    if (rows.empty())
      rows.push_back(row);
    else
      refine(refine, Row(rows.back()), row, 0);
  }
  RootLocus locus;
  locus.gains.resize(static_cast<Eigen::Index>(rows.size()));
  locus.poles.resize(static_cast<Eigen::Index>(rows.size()), system.state_count());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    locus.gains[static_cast<Eigen::Index>(i)] = rows[i].gain;
    locus.poles.row(static_cast<Eigen::Index>(i)) = rows[i].poles.transpose();
  }
  return locus;
}

}  // namespace vinci
