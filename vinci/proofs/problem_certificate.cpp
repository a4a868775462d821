// SPDX-License-Identifier: Apache-2.0
// Verdicts on one island after the other, and what they make of the whole.
#include "vinci/proofs/problem_certificate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/complementarity/islands.h"
#include "vinci/proofs/island_certificate.h"

namespace vinci {

const char* to_string(Existence existence) {
  switch (existence) {
    case Existence::proved:
      return "yes";
    case Existence::none:
      return "none";
    case Existence::unknown:
      break;
  }
  return "unknown";
}

const char* to_string(Only only) {
  switch (only) {
    case Only::unique:
      return "unique";
    case Only::isolated:
      return "locally unique";
    case Only::several:
      return "several";
    case Only::unknown:
      break;
  }
  return "unknown";
}

namespace {

// What is known of the whole is what is known of its worst part.
int badness(Existence existence) {
  return existence == Existence::proved ? 0 : existence == Existence::unknown ? 1 : 2;
}
int badness(Only only) {
  switch (only) {
    case Only::unique:
      return 0;
    case Only::isolated:
      return 1;
    case Only::unknown:
      return 2;
    case Only::several:
      break;
  }
  return 3;
}

template <class Verdict>
void take_worse(Verdict& whole, std::string& reason, Verdict part, const std::string& why) {
  if (!reason.empty() && badness(part) <= badness(whole)) return;
  whole = part;
  reason = why;
}

// The rows and columns of these unknowns.
SparseRows taken(const SparseRows& matrix, const std::vector<int>& unknowns) {
  SparseRows part;
  part.reset(static_cast<int>(unknowns.size()));
  for (const int i : unknowns) {
    for (int k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k) {
      const auto place = std::lower_bound(unknowns.begin(), unknowns.end(), matrix.indices[k]);
      if (place != unknowns.end() && *place == matrix.indices[k])
        part.push(static_cast<int>(place - unknowns.begin()), matrix.values[k]);
    }
    part.end_row();
  }
  return part;
}

// Entries of J that are rounding of directions and arms, in units of equal energies: a contact
// whose normal has 1e-16 along y would be opened by a velocity of 1e15 m/s.
SparseRows without_rounding(const SparseRows& J, const SparseRows& inertia) {
  constexpr double rounding = 1e-14;
  SparseRows cleaned;
  cleaned.reset(J.cols);
  for (int row = 0; row < J.rows; ++row) {
    const auto moved = [&](int k) {
      return std::abs(J.values[k]) / std::sqrt(inertia.diagonal(J.indices[k]));
    };
    double largest = 0.0;
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k) largest = std::max(largest, moved(k));
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
      if (moved(k) > rounding * largest) cleaned.push(J.indices[k], J.values[k]);
    cleaned.end_row();
  }
  return cleaned;
}

// Puts the answer of a part in its place in the whole.
class Assembly {
 public:
  explicit Assembly(const CertifiedProblem& step) : step_(step) {
    whole_.exists = Existence::proved;
    whole_.motion = whole_.loads = Only::unique;
    const int n = step.problem.unknowns();
    whole_.free = {MatrixX(n, 0), MatrixX(n, 0)};
    if (!step.has_inertia) whole_.proposition_1 = true;
  }

  template <class Unknowns, class Rows>
  void add(const ProblemCertificate& part, const Unknowns& place_unknowns, const Rows& place_rows) {
    take_worse(whole_.exists, whole_.existence_reason, part.exists, part.existence_reason);
    take_worse(whole_.motion, whole_.motion_reason, part.motion, part.motion_reason);
    take_worse(whole_.loads, whole_.loads_reason, part.loads, part.loads_reason);
    if (part.proposition_1 && !*part.proposition_1) whole_.proposition_1 = false;
    if (!part.proposition_1) whole_.proposition_1.reset();
    const auto place_column = [&](const MatrixX& from, MatrixX& to) {
      for (Eigen::Index c = 0; c < from.cols(); ++c) {
        VectorX column = VectorX::Zero(to.rows());
        place_unknowns(from.col(c), column);
        to.conservativeResize(to.rows(), to.cols() + 1);
        to.col(to.cols() - 1) = column;
      }
    };
    place_column(part.free.both_ways, whole_.free.both_ways);
    place_column(part.free.one_way, whole_.free.one_way);
    const auto placed = [&](const Solution& own) {
      Solution all = step_.solution;
      place_unknowns(own.u, all.u);
      place_rows(own.lambda, all.lambda);
      return all;
    };
    for (const auto& family : part.families) {
      whole_.families.emplace_back();
      for (const Solution& member : family) whole_.families.back().push_back(placed(member));
    }
    for (const Solution& other : part.others) whole_.others.push_back(placed(other));
    if (part.missing.size() > 0 && whole_.missing.size() == 0) {
      whole_.missing = VectorX::Zero(step_.problem.unknowns());
      place_unknowns(part.missing, whole_.missing);
    }
    if (part.proof.size() > 0 && whole_.proof.size() == 0) {
      whole_.proof = VectorX::Zero(step_.problem.rows());
      place_rows(part.proof, whole_.proof);
    }
  }

  ProblemCertificate finish() {
    if (whole_.existence_reason.empty()) whole_.existence_reason = "nothing acts on what moves";
    if (whole_.exists == Existence::proved) return whole_;
    whole_.motion = whole_.loads = Only::unknown;
    whole_.motion_reason = whole_.loads_reason =
        whole_.exists == Existence::none ? "there is no solution" : "no solution is known";
    whole_.proposition_1.reset();
    return whole_;
  }

 private:
  const CertifiedProblem& step_;
  ProblemCertificate whole_;
};

}  // namespace

ProblemCertificate certify(const CertifiedProblem& step) {
  Assembly assembly(step);
  // Every body in one island: the inertia ties its unknowns together.
  ComplementarityProblem problem = step.problem;
  problem.J = without_rounding(problem.J, step.inertia);
  ComplementarityProblem weighted = problem;
  weighted.M = step.inertia;
  Islands islands;
  islands.find(weighted);
  VectorX seen = VectorX::Zero(step.problem.unknowns());
  for (int k = 0; k < islands.count(); ++k) {
    ComplementarityProblem part;
    islands.extract(weighted, k, part);
    const SparseRows inertia = part.M;
    islands.extract(problem, k, part);
    Solution solution;
    islands.gather_unknowns(k, step.solution.u, solution.u);
    islands.gather_rows(k, step.solution.lambda, solution.lambda);
    islands.scatter_unknowns(k, VectorX::Ones(part.unknowns()), seen);
    const CertifiedProblem own{part,     inertia,       step.has_inertia,
                               solution, step.accuracy, step.choices};
    assembly.add(
        IslandCertificate(own).find(),
        [&](const VectorX& from, VectorX& to) { islands.scatter_unknowns(k, from, to); },
        [&](const VectorX& from, VectorX& to) { islands.scatter_rows(k, from, to); });
  }
  std::vector<int> free;
  for (int i = 0; i < step.problem.unknowns(); ++i)
    if (seen[i] == 0.0) free.push_back(i);
  if (!free.empty()) {
    const int count = static_cast<int>(free.size());
    ComplementarityProblem part;
    part.M = taken(step.problem.M, free);
    part.J.reset(count);
    part.C.reset(0);
    part.p.resize(count);
    Solution solution{VectorX(count), VectorX(0)};
    for (int i = 0; i < count; ++i) {
      part.p[i] = step.problem.p[free[static_cast<std::size_t>(i)]];
      solution.u[i] = step.solution.u[free[static_cast<std::size_t>(i)]];
    }
    const SparseRows inertia = taken(step.inertia, free);
    const CertifiedProblem own{part,     inertia,       step.has_inertia,
                               solution, step.accuracy, step.choices};
    assembly.add(
        IslandCertificate(own).find(),
        [&](const VectorX& from, VectorX& to) {
          for (int i = 0; i < count; ++i) to[free[static_cast<std::size_t>(i)]] = from[i];
        },
        [](const VectorX&, VectorX&) {});
  }
  return assembly.finish();
}

}  // namespace vinci
