// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/principal_pivoting.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <fmt/format.h>

namespace vinci {

namespace {

constexpr const char* principal_pivoting_name = "principal-pivoting";
// Scaled numbers below this have no sign: rounding of sums of terms about 1.
constexpr double no_sign = 1e-13;
constexpr int largest_dense = 64;  // basic rows up to which the factors are dense
constexpr int most_stalls = 8;     // then single steps are left
constexpr int most_rounds = 100;   // of moving the centre
// ρ where the least one does not do, and the factors by which it grows and falls.
constexpr double first_large = 1e-2, largest_proximal = 1.0, growth = 10.0, decay = 0.1;
// A dense pivot below this is rounding: ρ keeps true ones of a singular W above it.
constexpr double singular_pivot = 1e-15;

bool has_bounds_only(const Block& block) {
  switch (block.law) {
    case Law::equality:
    case Law::nonnegative:
    case Law::box:
      return true;
    case Law::ball:
      return block.size == 1 || block.upper == 0.0;
    case Law::coulomb:
    case Law::second_order:
      return block.friction == 0.0;
    case Law::rolling:
      return block.friction == 0.0 && block.rolling == 0.0;
  }
  return false;
}

}  // namespace

std::string PrincipalPivotingSolver::why_not(const ComplementarityProblem& problem) const {
  if (std::string reason = problem.why_invalid(); !reason.empty()) return reason;
  for (const Block& block : problem.blocks)
    if (!has_bounds_only(block))
      return fmt::format(
          "the {} block at row {} has friction, and principal pivoting takes rows under bounds "
          "only: use the solver 'lemke', or 'auto'",
          to_string(block.law), block.offset);
  MassFactor mass;
  if (problem.unknowns() > 0 && !mass.factor(problem.M))
    return "M is singular: the velocities cannot be eliminated, which this solver does first";
  return "";
}

SolveReport PrincipalPivotingSolver::refuse(const ComplementarityProblem& problem,
                                            Solution& solution, const char* note) {
  SolveReport report{SolveStatus::refused, {}, 0, principal_pivoting_name, note};
  solution.u.setZero(problem.unknowns());
  solution.lambda.setZero(problem.rows());
  judge_.prepare(problem);
  report.residual = judge_.measure(problem, solution);
  return report;
}

SolveReport PrincipalPivotingSolver::solve(const ComplementarityProblem& problem,
                                           Solution& solution) {
  for (const Block& block : problem.blocks)
    if (!has_bounds_only(block)) return refuse(problem, solution, "a law has more than bounds");
  deadline_ = deadline();
  if (!condensation_.begin(problem)) return refuse(problem, solution, "M is singular");
  condensation_.fill_sparse(problem);
  bool finite = condensation_.q().allFinite();
  for (const double value : condensation_.sparse_W().values)
    finite = finite && std::isfinite(value);
  if (!finite) return refuse(problem, solution, "numbers that are not finite");
  judge_.prepare(problem);
  set_bounds(problem);
  scale();
  list_columns();
  find_order();
  iterations_ = 0;
  limit_ = settings_.max_iterations > 0 ? settings_.max_iterations : 100 + 2 * problem.rows();
  const bool guessed = solution.lambda.size() == problem.rows() && solution.lambda.allFinite();
  if (!guessed) solution.lambda.setZero(problem.rows());
  guess_ = solution.lambda;
  start_from(guess_);
  return approach(problem, solution);
}

void PrincipalPivotingSolver::set_bounds(const ComplementarityProblem& problem) {
  lower_.setConstant(problem.rows(), -infinity);
  upper_.setConstant(problem.rows(), infinity);
  for (const Block& block : problem.blocks) {
    if (block.law == Law::equality) continue;
    for (int i = block.offset; i < block.offset + block.size; ++i) {
      lower_[i] = 0.0;
      upper_[i] = i == block.offset ? infinity : 0.0;  // no friction: no tangential impulse
      if (block.law == Law::ball) lower_[i] = -(upper_[i] = block.upper);
    }
    if (block.law == Law::box) {
      lower_[block.offset] = block.lower;
      upper_[block.offset] = block.upper;
    }
  }
}

// S W S with a diagonal about 1 (or a largest entry, where there is none), by powers of two.
void PrincipalPivotingSolver::scale() {
  const SparseRows& W = condensation_.sparse_W();
  matrix_ = W;
  scale_.setZero(W.rows);
  for (int i = 0; i < W.rows; ++i) {
    double largest = 0.0;
    for (int k = W.starts[i]; k < W.starts[i + 1]; ++k) {
      largest = std::max(largest, std::abs(W.values[k]));
      if (W.indices[k] == i) scale_[i] = std::abs(W.values[k]);
    }
    if (scale_[i] < 1e-12 * largest) scale_[i] = largest;
    scale_[i] = scale_[i] > 0.0 ? 1.0 / power_of_two_near(scale_[i], true) : 1.0;
  }
  for (int i = 0; i < W.rows; ++i)
    for (int k = W.starts[i]; k < W.starts[i + 1]; ++k)
      matrix_.values[k] *= scale_[i] * scale_[W.indices[k]];
  vector_ = condensation_.q().cwiseProduct(scale_);
  const double largest = W.rows > 0 ? vector_.cwiseAbs().maxCoeff() : 0.0;
  magnitude_ = largest > 0.0 ? power_of_two_near(largest) : 1.0;
  vector_ /= magnitude_;
  lower_.array() /= scale_.array() * magnitude_;
  upper_.array() /= scale_.array() * magnitude_;
}

void PrincipalPivotingSolver::list_columns() {
  const int m = matrix_.rows;
  columns_.rows = m;
  columns_.starts.assign(static_cast<std::size_t>(m) + 1, 0);
  columns_.indices.resize(matrix_.indices.size());
  columns_.values.resize(matrix_.values.size());
  for (const int column : matrix_.indices) ++columns_.starts[column + 1];
  for (int j = 0; j < m; ++j) columns_.starts[j + 1] += columns_.starts[j];
  place_.assign(columns_.starts.begin(), columns_.starts.end());
  for (int i = 0; i < m; ++i)
    for (int k = matrix_.starts[i]; k < matrix_.starts[i + 1]; ++k) {
      const int place = place_[matrix_.indices[k]]++;
      columns_.indices[place] = i;
      columns_.values[place] = matrix_.values[k];
    }
}

// One minimum-degree ordering of the whole pattern serves every set of basic rows.
void PrincipalPivotingSolver::find_order() {
  if (pattern_starts_ == columns_.starts && pattern_indices_ == columns_.indices) return;
  pattern_starts_ = columns_.starts;
  pattern_indices_ = columns_.indices;
  order_.resize(static_cast<std::size_t>(matrix_.rows));
  if (matrix_.rows <= largest_dense) return;
  const Eigen::Map<const Eigen::SparseMatrix<double>> view(
      matrix_.rows, matrix_.rows, static_cast<Eigen::Index>(columns_.indices.size()),
      columns_.starts.data(), columns_.indices.data(), columns_.values.data());
  Eigen::AMDOrdering<int>::PermutationType permutation;
  Eigen::AMDOrdering<int>()(Eigen::SparseMatrix<double>(view), permutation);
  for (int k = 0; k < matrix_.rows; ++k) order_[k] = permutation.indices()[k];
}

void PrincipalPivotingSolver::start_from(const VectorX& guess) {
  const int m = matrix_.rows;
  states_.assign(static_cast<std::size_t>(m), State::basic);
  factored_.clear();
  center_.resize(m);
  for (int i = 0; i < m; ++i) {
    center_[i] = std::clamp(guess[i] / (scale_[i] * magnitude_), lower_[i], upper_[i]);
    if (center_[i] == lower_[i])
      states_[i] = State::lower;
    else if (center_[i] == upper_[i])
      states_[i] = State::upper;
  }
  value_ = center_;
}

// Moves the centre of the proximal term until the judge is satisfied or nothing is gained.
SolveReport PrincipalPivotingSolver::approach(const ComplementarityProblem& problem,
                                              Solution& solution) {
  SolveReport report{SolveStatus::inaccurate, {}, 0, principal_pivoting_name, ""};
  report.residual.relative = infinity;
  Ending ending = Ending::settled;
  double least = settings_.regularisation;
  proximal_ = least;
  bool single_steps = false;
  for (int round = 0, idle = 0, stalls = 0; round < most_rounds && idle < 3; ++round) {
    ending = pivot(single_steps);
    if (ending == Ending::limit || (ending == Ending::stalled && single_steps)) break;
    if (ending == Ending::singular) {  // to rounding, or at this very ρ
      if (proximal_ >= largest_proximal) break;
      least = proximal_ = growth * proximal_;
      factored_.clear();
      continue;
    }
    if (ending != Ending::settled && ++stalls > most_stalls) {  // no ρ helps: from the start again
      single_steps = true;
      proximal_ = least;
      start_from(guess_);
      continue;
    }
    if (ending != Ending::settled) {
      proximal_ = std::min(largest_proximal, std::max(first_large, growth * proximal_));
      factored_.clear();
      continue;
    }
    trial_.lambda = value_.cwiseProduct(scale_) * magnitude_;
    const Residual measured = judge_.measure(problem, trial_);
    const bool at_least = proximal_ <= least;
    idle = at_least && !(measured.relative < 0.5 * report.residual.relative) ? idle + 1 : 0;
    if (measured.relative < report.residual.relative) {
      report.residual = measured;
      solution.lambda = trial_.lambda;
      solution.u = judge_.u();
    }
    if (report.residual.relative <= settings_.tolerance) break;
    center_ = value_;
    if (at_least) continue;
    proximal_ = std::max(least, decay * proximal_);
    factored_.clear();
  }
  return conclude(problem, solution, report, ending);
}

SolveReport PrincipalPivotingSolver::conclude(const ComplementarityProblem& problem,
                                              Solution& solution, SolveReport report,
                                              Ending ending) {
  report.iterations = iterations_;
  if (report.residual.relative == infinity) {  // no set settled: the last one, or the guess
    solution.lambda = guess_;
    report.residual = judge_.measure(problem, solution);
    trial_.lambda = value_.cwiseMax(lower_).cwiseMin(upper_).cwiseProduct(scale_) * magnitude_;
    const Residual measured = judge_.measure(problem, trial_);
    if (measured.relative < report.residual.relative) {
      report.residual = measured;
      solution.lambda = trial_.lambda;
    }
    judge_.measure(problem, solution);
    solution.u = judge_.u();
  }
  report.status = verdict(report.residual, settings_.tolerance,
                          ending == Ending::limit ? SolveStatus::limit : SolveStatus::inaccurate);
  if (report.status == SolveStatus::limit)
    report.note = deadline_.passed() ? "time ran out" : "factorisations ran out";
  if (report.status != SolveStatus::inaccurate) return noted(report, deadline_);
  if (ending == Ending::stalled)
    report.note = "the sets of basic rows cycle: W is not monotone";
  else if (ending == Ending::singular)
    report.note = "the basic rows are singular";
  else if (is_settled(report.residual, settings_.tolerance))
    report.note = at_resolution;
  return report;
}

// Changes sides until none is wrong. Single steps end on a P-matrix, but after up to 2^m of them;
// more than ten for each row say that it is none, or none that is solved this way.
PrincipalPivotingSolver::Ending PrincipalPivotingSolver::pivot(bool single_steps) {
  int best = std::numeric_limits<int>::max(), patience = settings_.patience;
  int singles = single_steps ? 10 * matrix_.rows + 100 : 0;
  while (true) {
    if (iterations_ >= limit_ || deadline_.passed()) return Ending::limit;
    if (!solve_basic()) return Ending::singular;
    const int wrong = find_wrong();
    if (wrong == 0) return Ending::settled;
    if (wrong < best) {
      best = wrong;
      patience = settings_.patience;
    }
    if (patience > 0) {
      --patience;
      for (const int row : wrong_) change_side(row);
    } else {
      if (--singles < 0) return Ending::stalled;
      change_side(wrong_.front());
    }
  }
}

// value = the answer of the present sides, velocity = w and the proximal term of it.
bool PrincipalPivotingSolver::solve_basic() {
  const int m = matrix_.rows;
  value_ = center_;
  for (int i = 0; i < m; ++i) {
    if (states_[i] == State::lower) value_[i] = lower_[i];
    if (states_[i] == State::upper) value_[i] = upper_[i];
  }
  multiply();
  if (!factor_basic()) return false;
  step_.resize(basic_.size());
  for (std::size_t a = 0; a < basic_.size(); ++a) step_[a] = -velocity_[basic_[a]];
  if (static_cast<int>(basic_.size()) <= largest_dense)
    dense_.solve(step_.data());
  else
    sparse_.solve(step_.data());
  for (std::size_t a = 0; a < basic_.size(); ++a) value_[basic_[a]] += step_[a];
  multiply();
  velocity_ += proximal_ * (value_ - center_);
  return value_.allFinite();
}

void PrincipalPivotingSolver::multiply() {
  velocity_ = vector_;
  matrix_.multiply_add(value_.data(), velocity_.data());
}

bool PrincipalPivotingSolver::factor_basic() {
  if (factored_ == states_) return true;  // only the centre moved
  factored_ = states_;
  ++iterations_;
  const int m = matrix_.rows;
  basic_.clear();
  place_.assign(static_cast<std::size_t>(m), -1);
  for (int i = 0; i < m; ++i) {
    if (states_[i] != State::basic) continue;
    place_[i] = static_cast<int>(basic_.size());
    basic_.push_back(i);
  }
  const int size = static_cast<int>(basic_.size());
  if (size <= largest_dense) {
    dense_.reset(size);
    for (int b = 0; b < size; ++b) {
      const int column = basic_[b];
      for (int k = columns_.starts[column]; k < columns_.starts[column + 1]; ++k)
        if (const int a = place_[columns_.indices[k]]; a >= 0)
          dense_.entry(a, b) = columns_.values[k];
      dense_.entry(b, b) += proximal_;
    }
    dense_.factor();
    return size == 0 || dense_.least_pivot() > singular_pivot;
  }
  basic_matrix_.reset(size);
  for (int b = 0; b < size; ++b) {
    const int column = basic_[b];
    bool diagonal = false;
    for (int k = columns_.starts[column]; k < columns_.starts[column + 1]; ++k) {
      const int a = place_[columns_.indices[k]];
      if (a < 0) continue;
      diagonal = diagonal || a == b;
      basic_matrix_.push(a, columns_.values[k] + (a == b ? proximal_ : 0.0));
    }
    if (!diagonal) basic_matrix_.push(b, proximal_);
    basic_matrix_.end_column();
  }
  basic_order_.clear();
  for (const int row : order_)
    if (place_[row] >= 0) basic_order_.push_back(place_[row]);
  return sparse_.factor(basic_matrix_, 0.0, &basic_order_);
}

int PrincipalPivotingSolver::find_wrong() {
  wrong_.clear();
  for (int i = 0; i < matrix_.rows; ++i) {
    const double w = velocity_[i];
    bool wrong = false;
    if (states_[i] == State::basic)
      wrong = value_[i] < lower_[i] - no_sign || value_[i] > upper_[i] + no_sign;
    else if (lower_[i] < upper_[i])  // w of a fixed row has any sign
      wrong = states_[i] == State::lower ? w < -no_sign : w > no_sign;
    if (wrong) wrong_.push_back(i);
  }
  return static_cast<int>(wrong_.size());
}

void PrincipalPivotingSolver::change_side(int row) {
  if (states_[row] != State::basic)
    states_[row] = State::basic;
  else
    states_[row] = value_[row] < lower_[row] ? State::lower : State::upper;
}

SolverRegistry::Entry principal_pivoting_entry() {
  const PrincipalPivotingSolver::Settings defaults;
  return {
      principal_pivoting_name,
      "Block principal pivoting: rows under bounds (no friction) with W a P-matrix or positive "
      "semi-definite; a few factorisations, warm start from the guess.",
      "Júdice, Pires, A block principal pivoting algorithm for large-scale strictly monotone "
      "linear "
      "complementarity problems, 1994",
      {
          {"tolerance", "Relative residual asked of the judge.", defaults.tolerance, "", 0.0, 1.0},
          {"max-iterations", "Factorisations; 0: 100 + 2 for each row.",
           static_cast<long>(defaults.max_iterations), "", 0.0, 1e9},
          {"regularisation",
           "Least ρ of the proximal term ρ (λ − λ̄), rows scaled to a diagonal of 1; the term "
           "vanishes at the answer.",
           defaults.regularisation, "", 1e-14, 1.0},
          {"patience", "Steps that change all wrong rows without making them fewer before ρ grows.",
           static_cast<long>(defaults.patience), "", 0.0, 1e6},
      },
      [](const OptionValues& values) -> std::unique_ptr<Solver> {
        PrincipalPivotingSolver::Settings settings;
        settings.tolerance = values.real("tolerance");
        settings.max_iterations = static_cast<int>(values.integer("max-iterations"));
        settings.regularisation = values.real("regularisation");
        settings.patience = static_cast<int>(values.integer("patience"));
        return std::make_unique<PrincipalPivotingSolver>(settings);
      },
  };
}

}  // namespace vinci
