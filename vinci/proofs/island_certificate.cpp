// SPDX-License-Identifier: Apache-2.0
// One island: does a solution exist, can it be left, is there another one?
#include "vinci/proofs/island_certificate.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/complementarity/certificate.h"
#include "vinci/pivoting/linear_program.h"
#include "vinci/proofs/friction_bound.h"
#include "vinci/proofs/infeasibility_search.h"

namespace vinci {
namespace {

// Solutions whose velocities differ by less, relative to the largest one, are one.
constexpr double apart = 1e-6;
// Rows of a linear program over all contact forces.
constexpr int largest_program = 120;

std::string counted(Eigen::Index count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

bool rubs(const FrictionSet& set) {
  return set.normal >= 0 && set.count > 0 && set.limit > 0.0;
}

}  // namespace

IslandCertificate::IslandCertificate(const CertifiedProblem& step)
    : step_(step), problem_(step.problem), solution_(step.solution) {
  find_friction_sets(problem_, sets_);
  judge_.prepare(problem_);
  answer_.free = {MatrixX(problem_.unknowns(), 0), MatrixX(problem_.unknowns(), 0)};
}

double IslandCertificate::miss(const Solution& solution) {
  return judge_.measure(problem_, solution).relative;
}

// In the metric of the inertia, relative to the velocities and to those that rows or momenta ask
// for: what rounding makes of bodies at rest is no motion.
bool IslandCertificate::differs(const VectorX& u, const VectorX& v) const {
  constexpr double slow = 1e-3;  // m/s, where nothing asks for a motion
  double change = 0.0, size = 0.0, asked = 0.0, heaviest = 0.0;
  for (int i = 0; i < problem_.unknowns(); ++i) {
    const double weight = std::sqrt(step_.inertia.diagonal(i));
    heaviest = std::max(heaviest, weight);
    change = std::max(change, weight * std::abs(u[i] - v[i]));
    size = std::max({size, weight * std::abs(u[i]), weight * std::abs(v[i])});
    if (step_.has_inertia) asked = std::max(asked, std::abs(problem_.p[i]) / weight);
  }
  for (int row = 0; row < problem_.rows(); ++row) {
    double moved = 0.0;
    for (int k = problem_.J.starts[row]; k < problem_.J.starts[row + 1]; ++k)
      moved += problem_.J.values[k] * problem_.J.values[k] /
               step_.inertia.diagonal(problem_.J.indices[k]);
    if (moved > 0.0) asked = std::max(asked, std::abs(problem_.b[row]) / std::sqrt(moved));
  }
  return change > apart * std::max(size, asked > 0.0 ? asked : slow * heaviest);
}

void IslandCertificate::say(Only motion, std::string reason) {
  answer_.motion = motion;
  answer_.motion_reason = std::move(reason);
}

// --- existence ----------------------------------------------------------------------------------

bool IslandCertificate::has_no_balance() {
  BalanceTest balance;
  if (balance(problem_, sets_, step_.inertia) != BalanceTest::Verdict::none) return false;
  answer_.exists = Existence::none;
  answer_.missing = balance.missing();
  answer_.existence_reason =
      "no contact forces within their cones balance the applied ones: there is a motion along "
      "which these gain more than friction can take";
  return true;
}

// y >= 0 on normal rows, any y on rows that hold joints, with Jᵀy = 0 and bᵀy < 0: whatever the
// velocities, Σ y w < 0.
bool IslandCertificate::rows_contradict() {
  const int m = problem_.rows();
  if (m > largest_program || m == 0) return false;
  const double speed = problem_.b.cwiseAbs().maxCoeff();
  if (speed == 0.0) return false;
  LinearProgram program;
  program.reset(m);
  const MatrixX J(problem_.J.view());
  for (Eigen::Index i = 0; i < J.cols(); ++i)
    program.add_equality(J.col(i) / std::sqrt(step_.inertia.diagonal(static_cast<int>(i))), 0.0);
  VectorX closing = VectorX::Zero(m);
  constexpr char other = 0, normal = 1, held = 2;
  std::vector<char> role(static_cast<std::size_t>(m), other);
  for (const FrictionSet& set : sets_)
    if (set.normal >= 0)
      role[static_cast<std::size_t>(set.normal)] = normal;
    else if (set.holds() && problem_.C.starts[set.first] == problem_.C.starts[set.first + 1])
      role[static_cast<std::size_t>(set.first)] = held;
  for (int row = 0; row < m; ++row) {
    if (role[static_cast<std::size_t>(row)] == other) {
      program.add_equality(VectorX::Unit(m, row), 0.0);
      continue;
    }
    if (role[static_cast<std::size_t>(row)] == normal)
      program.add_at_least(VectorX::Unit(m, row), 0.0);
    closing[row] = problem_.b[row] / speed;
  }
  program.add_equality(closing, -1.0);
  VectorX y;
  if (program.find_point(y) != LinearProgram::Status::optimal) return false;
  ComplementarityProblem regular = problem_;
  regular.M = step_.inertia;
  regular.p.setZero();
  if (!infeasibility(regular, y).proves_no_solution) return false;
  answer_.exists = Existence::none;
  answer_.proof = y;
  answer_.existence_reason =
      std::any_of(sets_.begin(), sets_.end(), [](const FrictionSet& set) { return set.holds(); })
          ? "contacts and joints contradict each other: no velocity keeps all of them"
          : "the contacts contradict each other: no velocity keeps all of them apart";
  return true;
}

bool IslandCertificate::has_solution() {
  const double enough = step_.accuracy.acceptable();
  double missed = miss(solution_);
  // What the whole lets pass may be much for an island that hardly moves.
  if (missed > step_.accuracy.tolerance && LocalEquations::takes(problem_)) {
    LocalEquations equations;
    equations.measure(problem_, step_.inertia, solution_, step_.accuracy);
    Solution trial = solution_;
    for (int i = 0; i < 4 && equations.improve(problem_, trial); ++i) {
      const double now = miss(trial);
      if (now >= missed) break;
      missed = now;
      solution_ = trial;
    }
  }
  if (missed <= enough) {
    answer_.exists = Existence::proved;
    answer_.existence_reason =
        fmt::format("the judge measures a relative residual of {:.1e}", missed);
    return true;
  }
  if (step_.has_inertia) {
    InfeasibilitySearch proof;
    if (problem_.rows() <= InfeasibilitySearch::largest && proof.prove(problem_) &&
        infeasibility(problem_, proof.certificate()).proves_no_solution) {
      answer_.exists = Existence::none;
      answer_.proof = proof.certificate();
      answer_.existence_reason =
          "a combination of the rows of the contacts contradicts itself (Farkas' lemma)";
      return false;
    }
  } else if (has_no_balance() || rows_contradict()) {
    return false;
  }
  search();
  if (!found_.empty()) {
    solution_ = found_.front().solution;
    answer_.exists = Existence::proved;
    answer_.existence_reason = "found by the search through all modes of contact";
    return true;
  }
  if (complete_) {
    answer_.exists = Existence::none;
    answer_.existence_reason =
        "every choice of open, sticking and sliding contacts contradicts "
        "itself";
    return false;
  }
  answer_.exists = Existence::unknown;
  answer_.existence_reason = fmt::format(
      "no solution was found to {:.1e}, and none is excluded ({})", enough, search_note_);
  return false;
}

// --- uniqueness ---------------------------------------------------------------------------------

void IslandCertificate::test_free_motions() {
  UniquenessTest test;
  answer_.proposition_1 = test.motions(problem_, sets_, step_.inertia, solution_, step_.accuracy,
                                       Holding::proposition_1)
                              .count() == 0;
  answer_.free = test.motions(problem_, sets_, step_.inertia, solution_, step_.accuracy);
  if (answer_.free.count() == 0) return;
  // Another solution along each of them, with the same contact forces.
  const double enough = std::max(step_.accuracy.acceptable(), 2.0 * miss(solution_));
  double speed = 0.0;
  for (int i = 0; i < problem_.unknowns(); ++i)
    speed = std::max(speed, std::abs(solution_.u[i]) * std::sqrt(step_.inertia.diagonal(i)));
  if (speed == 0.0) speed = 1.0;
  int proved = 0;
  for (const MatrixX* basis : {&answer_.free.both_ways, &answer_.free.one_way})
    for (Eigen::Index c = 0; c < basis->cols(); ++c) {
      VectorX d = basis->col(c);
      double size = 0.0;
      for (int i = 0; i < problem_.unknowns(); ++i)
        size = std::max(size, std::abs(d[i]) * std::sqrt(step_.inertia.diagonal(i)));
      d *= speed / size;
      for (int halving = 0; halving < 30; ++halving, d *= 0.5) {
        Solution other{solution_.u + d, solution_.lambda};
        VectorX slip = problem_.b;
        problem_.J.multiply_add(other.u.data(), slip.data());
        for (const FrictionSet& set : sets_)  // σ is a speed, and goes with the motion
          if (set.directions && set.bound(other.lambda) > 0.0)
            other.lambda[set.sigma] = resistance(set, slip);
        if (miss(other) > enough) continue;
        answer_.others.push_back(other);
        ++proved;
        break;
      }
    }
  if (proved == 0) return say(Only::unknown, "free motions were found, but no second solution");
  const char* const beyond =
      *answer_.proposition_1
          ? ", although proposition 1 holds: a force sits exactly on its sliding limit"
          : ": proposition 1 fails";
  say(Only::several, fmt::format("{} cost nothing with the contact forces as they are{}",
                                 counted(answer_.free.count(), "independent motion"), beyond));
}

// Whether every loaded contact with friction sticks inside its limit. Then dλᵀdw <= 0 row by row
// for whatever solution is near, and duᵀM du = dλᵀdw leaves no motion but one that costs nothing.
bool IslandCertificate::holds_inside_limits(const Solution& at) const {
  double largest = problem_.unknowns() > 0 ? problem_.p.lpNorm<Eigen::Infinity>() : 0.0;
  for (const FrictionSet& set : sets_)
    if (set.normal >= 0) largest = std::max(largest, at.lambda[set.normal]);
  const double zero = step_.accuracy.zero();
  return std::all_of(sets_.begin(), sets_.end(), [&](const FrictionSet& set) {
    const double limit = set.bound(at.lambda);
    if (set.count == 0 || set.normal < 0 || limit <= zero * largest) return true;
    const auto force = at.lambda.segment(set.first, set.count);
    return (set.directions ? force.sum() : force.norm()) < (1.0 - zero) * limit;
  });
}

// The solutions next to this one.
void IslandCertificate::look_around(const Solution& at) {
  const bool held = answer_.free.count() == 0 && holds_inside_limits(at);
  Freedoms freedoms = family_.freedoms(problem_, step_.inertia, at, step_.accuracy);
  if (!freedoms.decided) {
    const bool moments =
        std::any_of(sets_.begin(), sets_.end(), [](const FrictionSet& set) { return set.follows; });
    answer_.loads_reason = moments ? "contacts with moments: nobody looks around the solution"
                                   : "the problem is too large to look around the solution";
    if (held) say(Only::isolated, "every loaded contact sticks inside its friction limit");
    return;
  }
  if (held) freedoms.motions.resize(freedoms.motions.rows(), 0);
  bool moves = false, loads = false;
  const auto walk = [&](const VectorX& direction) {
    std::vector<Solution> members = family_.along(problem_, at, direction);
    if (members.size() < 2) return;
    bool own_moves = false, own_loads = false;
    for (const Solution& member : members) {
      own_moves = own_moves || differs(member.u, at.u);
      own_loads = own_loads || (member.lambda - at.lambda).lpNorm<Eigen::Infinity>() >
                                   apart * at.lambda.lpNorm<Eigen::Infinity>();
    }
    if (!own_moves && !own_loads) return;
    moves = moves || own_moves;
    loads = loads || own_loads;
    answer_.families.push_back(std::move(members));
  };
  for (Eigen::Index c = 0; c < freedoms.motions.cols(); ++c) walk(freedoms.motions.col(c));
  for (Eigen::Index c = 0; !moves && freedoms.motions.cols() > 0 && c < freedoms.ways.cols(); ++c)
    walk(freedoms.ways.col(c));
  for (Eigen::Index c = 0; !loads && c < freedoms.loads.cols(); ++c) walk(freedoms.loads.col(c));
  const Eigen::Index dimension = freedoms.motions.cols() + freedoms.loads.cols();
  if (loads) {
    answer_.loads = Only::several;
    answer_.loads_reason = fmt::format("contact forces form a family of dimension {}{}", dimension,
                                       moves ? ", and the motion changes with them" : "");
  } else if (freedoms.loads.cols() > 0 || (freedoms.motions.cols() > 0 && !moves)) {
    answer_.loads = Only::unknown;
    answer_.loads_reason = "they can be left to first order, but no others were found";
  } else {
    answer_.loads = Only::isolated;
    answer_.loads_reason = "no others are near to them";
  }
  if (answer_.motion == Only::several) return;
  if (moves)
    say(Only::several, fmt::format("contact forces are not unique (a family of dimension {}), and "
                                   "each has its own motion",
                                   dimension));
  else if (freedoms.motions.cols() > 0)
    say(Only::unknown, "the motion can be left to first order, but no other was found");
  else
    say(Only::isolated, "no other motion is near to it");
}

// Monotone: no law couples rows but by a symmetric C without negative part.
bool IslandCertificate::is_convex() const {
  for (const Block& block : problem_.blocks)
    if (block.law == Law::coulomb || block.law == Law::moments) return false;
  if (problem_.C.empty()) return true;
  if (problem_.rows() > largest_program) return false;
  const MatrixX C(problem_.C.view());
  const double size = C.cwiseAbs().maxCoeff();
  if ((C - C.transpose()).cwiseAbs().maxCoeff() > 1e-14 * size) return false;
  return Eigen::SelfAdjointEigenSolver<MatrixX>(C, Eigen::EigenvaluesOnly).eigenvalues()[0] >=
         -1e-12 * size;
}

// Whether every limit μ λ_n is the same for all forces that balance: the largest and the least λ_n
// by linear programs over cones that are polygons around the round ones.
bool IslandCertificate::limits_follow_from_balance() const {
  constexpr int sides = 16;
  const int m = problem_.rows(), n = problem_.unknowns();
  if (std::none_of(sets_.begin(), sets_.end(), rubs)) return true;
  if (m > largest_program) return false;
  // Beside a load 1e4 times as large, the program cannot tell the least one from none.
  double lightest = infinity, heaviest = 0.0;
  for (int i = 0; i < n; ++i) {
    const double weight = std::abs(problem_.p[i]);
    heaviest = std::max(heaviest, weight);
    if (weight > 1e-12 * heaviest) lightest = std::min(lightest, weight);
  }
  if (lightest < 1e-4 * heaviest) return false;
  const bool viscous = !problem_.M.empty();
  const int variables = m + (viscous ? n : 0);
  const MatrixX J(problem_.J.view()), D(problem_.M.view());
  const double force = std::max(problem_.p.cwiseAbs().maxCoeff(), 1e-300);
  LinearProgram program;
  program.reset(variables);
  for (int i = 0; i < n; ++i) {
    VectorX row = VectorX::Zero(variables);
    row.head(m) = J.col(i);
    if (viscous) row.tail(n) = -D.row(i).transpose();
    const double largest = row.cwiseAbs().maxCoeff();
    if (largest == 0.0) continue;
    program.add_equality(row / largest, -problem_.p[i] / force / largest);
  }
  const auto unit = [&](int row) { return VectorX(VectorX::Unit(variables, row)); };
  for (const FrictionSet& set : sets_) {
    if (set.holds()) continue;
    if (set.normal >= 0) program.add_at_least(unit(set.normal), 0.0);
    VectorX limit = VectorX::Zero(variables);
    if (set.normal >= 0) limit[set.normal] = set.limit;
    const double known = set.normal >= 0 ? 0.0 : set.limit / force;
    if (set.directions) {
      program.add_equality(unit(set.sigma), 0.0);
      for (int row = set.first; row < set.first + set.count; ++row) {
        program.add_at_least(unit(row), 0.0);
        limit[row] = -1.0;
      }
      program.add_at_least(limit, -known);
      continue;
    }
    for (int k = 0; k < (set.count == 2 ? sides : 2 * set.count); ++k) {
      VectorX row = limit;
      const double angle = 2.0 * M_PI * k / (set.count == 2 ? sides : 2);
      row[set.first + (set.count == 3 ? k / 2 : 0)] -= std::cos(angle);  // a cube around a ball
      if (set.count == 2) row[set.first + 1] -= std::sin(angle);
      program.add_at_least(row, -known);
    }
  }
  for (const FrictionSet& set : sets_) {
    if (!rubs(set)) continue;
    double ends[2];
    for (const int side : {0, 1}) {
      VectorX x;
      const VectorX goal = (side == 0 ? 1.0 : -1.0) * unit(set.normal);
      if (program.maximise(goal, x) != LinearProgram::Status::optimal) return false;
      ends[side] = x[set.normal];
    }
    if (std::abs(ends[0] - ends[1]) > 1e-7) return false;
  }
  return true;
}

void IslandCertificate::search() {
  if (searched_) return;
  searched_ = true;
  AllSolutionsLimits limits;
  limits.choices = step_.choices;
  limits.seconds = infinity;
  limits.tolerance = std::max(step_.accuracy.acceptable(), 1e-9);
  try {
    AllSolutions all = all_solutions(problem_, limits);
    complete_ = all.complete;
    search_note_ = all.note;
    found_ = std::move(all.solutions);
  } catch (const Error& error) {
    search_note_ = error.message();
  }
}

// A solution of the search: another motion, or one that others with other motions may surround.
// Whether that is decided.
bool IslandCertificate::take_found(const FoundSolution& found) {
  if (differs(found.solution.u, solution_.u)) {
    answer_.others.push_back(found.solution);
    say(Only::several, "the search through all modes of contact finds other motions");
    return true;
  }
  if (found.dimension == 0 || answer_.motion == Only::several) return true;
  look_around(found.solution);
  return answer_.motion == Only::several || answer_.motion == Only::isolated;
}

// From what is near to what is everywhere.
void IslandCertificate::settle() {
  const Only near = answer_.motion;
  if (step_.has_inertia ? is_convex() : limits_follow_from_balance()) {
    if (!step_.has_inertia && answer_.free.count() > 0) return;
    say(Only::unique,
        step_.has_inertia
            ? "the problem is convex: without friction that grows with the load, velocities are "
              "unique"
            : "the friction limits follow from the balance of forces alone, so that the step is a "
              "convex program, and proposition 1 holds for it");
  } else if (step_.has_inertia && FrictionBound().proves(problem_, solution_, step_.accuracy)) {
    say(Only::unique, "friction is too small for a second motion");
  } else {
    search();
    bool decided = complete_;
    for (const FoundSolution& found : found_) decided = take_found(found) && decided;
    if (answer_.motion == Only::several) return;
    if (decided)
      say(Only::unique, "the search through all modes of contact finds no other");
    else if (near == Only::isolated)
      answer_.motion_reason += fmt::format("; farther away none is excluded ({})", search_note_);
  }
  // For given velocities the contact forces are a convex set.
  if (answer_.motion == Only::unique && answer_.loads == Only::isolated) {
    answer_.loads = Only::unique;
    answer_.loads_reason = "no other forces go with these velocities";
  }
}

// Without inertia: whether the least force is below what counts as zero beside the largest one.
bool IslandCertificate::is_blurred() const {
  if (step_.has_inertia || problem_.unknowns() == 0) return false;
  double least = infinity, largest = problem_.p.lpNorm<Eigen::Infinity>();
  for (const FrictionSet& set : sets_)
    if (set.normal >= 0) largest = std::max(largest, solution_.lambda[set.normal]);
  for (int i = 0; i < problem_.unknowns(); ++i)
    if (std::abs(problem_.p[i]) > 1e-15 * largest) least = std::min(least, std::abs(problem_.p[i]));
  return least < 100.0 * step_.accuracy.zero() * largest;
}

ProblemCertificate IslandCertificate::find() {
  // Forces first: what the judge lets pass beside large ones may be all that one body lacks.
  if (!step_.has_inertia && has_no_balance()) return answer_;
  if (!has_solution()) return answer_;
  if (is_blurred()) {
    say(Only::unknown, "forces differ so much that the least one counts as none");
    answer_.loads_reason = answer_.motion_reason;
    return answer_;
  }
  if (!step_.has_inertia) test_free_motions();
  if (problem_.rows() == 0) {
    answer_.loads = Only::unique;
    answer_.loads_reason = "there are none";
    if (answer_.free.count() == 0) say(Only::unique, "it follows from the forces");
    return answer_;
  }
  look_around(solution_);
  if (answer_.motion != Only::several) settle();
  if (answer_.motion_reason.empty()) answer_.motion_reason = answer_.loads_reason;
  return answer_;
}

}  // namespace vinci
