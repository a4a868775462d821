// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/principal_pivoting.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <fmt/format.h>

#include "vinci/base/settings.h"

namespace vinci {

namespace {

constexpr const char* principal_pivoting_name = "principal-pivoting";
// Scaled numbers below this have no sign: rounding of sums of terms about 1.
constexpr double no_sign = 1e-13;
constexpr int largest_dense = 64;  // basic rows up to which the factors are dense
// ρ where the least one does not do: a hundredth of the diagonal, up to all of it, where every
// block step gains, by factors of ten.
constexpr double first_large = 1e-2, largest_proximal = 1.0, growth = 10.0, decay = 0.1;
constexpr int most_stalls = 8;  // by then ρ has been at its largest several times
constexpr int most_rounds =
    100;  // of moving the centre; each gains digits, and three idle ones end it
// A dense pivot below this is rounding: ρ keeps true ones of a singular W above it.
constexpr double singular_pivot = 1e-15;
// A diagonal below this part of its row's largest entry is none.
constexpr double no_diagonal = 1e-12;

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
    case Law::moments:
      return block.friction == 0.0 && block.rolling == 0.0 && block.torsion == 0.0;
  }
  return false;
}

}  // namespace

PrincipalPivotingSolver::PrincipalPivotingSolver(const Settings& settings)
    : SolveFrame(principal_pivoting_name, {settings.tolerance}), settings_(settings) {}

std::string PrincipalPivotingSolver::refusal(const ComplementarityProblem& problem) const {
  for (const Block& block : problem.blocks)
    if (!has_bounds_only(block))
      return fmt::format(
          "the {} block at row {} has friction, and principal pivoting takes rows under bounds "
          "only: use the solver 'lemke', or 'auto'",
          to_string(block.law), block.offset);
  return "";
}

const char* PrincipalPivotingSolver::prepare(const ComplementarityProblem& problem) {
  for (const Block& block : problem.blocks)
    if (!has_bounds_only(block)) return "a law has more than bounds";
  if (!condensation_.begin(problem)) return singular_mass;
  condensation_.fill_sparse(problem);
  bool finite = condensation_.q().allFinite();
  for (const double value : condensation_.sparse_W().values)
    finite = finite && std::isfinite(value);
  if (!finite) return "numbers that are not finite";
  set_bounds(problem);
  scale();
  list_columns();
  find_order();
  return nullptr;
}

SolveFrame::Ending PrincipalPivotingSolver::run(const ComplementarityProblem& problem,
                                                Solution& solution) {
  limit_ = settings_.max_iterations > 0 ? settings_.max_iterations : 100 + 2 * problem.rows();
  guess_ = solution.lambda;
  start_from(guess_);
  const Outcome outcome = approach(problem);
  if (std::isinf(best_residual().relative)) {  // no set settled: the last one, or the guess
    offer(guess_, judge_.measure(problem, solution), &judge_.u());
    value_ = value_.cwiseMax(lower_).cwiseMin(upper_);
    judge_values(problem);
  }
  switch (outcome) {
    case Outcome::limit:
      return {SolveStatus::limit, until_.passed() ? "time ran out" : "factorisations ran out"};
    case Outcome::stalled:
      return {SolveStatus::inaccurate, "the sets of basic rows cycle: W is not monotone"};
    case Outcome::singular:
      return {SolveStatus::inaccurate, "the basic rows are singular"};
    case Outcome::settled:
      break;
  }
  return {};
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
    if (scale_[i] < no_diagonal * largest) scale_[i] = largest;
    scale_[i] = scale_[i] > 0.0 ? 1.0 / power_of_two_near(scale_[i], true) : 1.0;
  }
  for (int i = 0; i < W.rows; ++i)
    for (int k = W.starts[i]; k < W.starts[i + 1]; ++k)
      matrix_.values[k] *= scale_[i] * scale_[W.indices[k]];
  vector_ = condensation_.q().cwiseProduct(scale_);
  magnitude_ = magnitude_of(vector_);
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

void PrincipalPivotingSolver::judge_values(const ComplementarityProblem& problem) {
  trial_.lambda = value_.cwiseProduct(scale_) * magnitude_;
  offer(trial_.lambda, judge_.measure(problem, trial_), &judge_.u());
}

// Moves the centre of the proximal term until the judge is satisfied or nothing is gained.
PrincipalPivotingSolver::Outcome PrincipalPivotingSolver::approach(
    const ComplementarityProblem& problem) {
  Outcome outcome = Outcome::settled;
  double least = settings_.regularisation;
  proximal_ = least;
  bool single_steps = false;
  for (int round = 0, idle = 0, stalls = 0; round < most_rounds && idle < 3; ++round) {
    outcome = pivot(single_steps);
    if (outcome == Outcome::limit || (outcome == Outcome::stalled && single_steps)) break;
    if (outcome == Outcome::singular) {  // to rounding, or at this very ρ
      if (proximal_ >= largest_proximal) break;
      least = proximal_ = growth * proximal_;
      factored_.clear();
      continue;
    }
    if (outcome != Outcome::settled && ++stalls > most_stalls) {  // no ρ helps: start again
      single_steps = true;
      proximal_ = least;
      start_from(guess_);
      continue;
    }
    if (outcome != Outcome::settled) {
      proximal_ = std::min(largest_proximal, std::max(first_large, growth * proximal_));
      factored_.clear();
      continue;
    }
    const double before = best_residual().relative;
    judge_values(problem);
    const bool at_least = proximal_ <= least;
    idle = at_least && !(best_residual().relative < 0.5 * before) ? idle + 1 : 0;
    if (best_residual().relative <= accuracy().tolerance) break;
    center_ = value_;
    if (at_least) continue;
    proximal_ = std::max(least, decay * proximal_);
    factored_.clear();
  }
  return outcome;
}

// Changes sides until none is wrong. Single steps end on a P-matrix, but after up to 2^m of them;
// more than ten for each row say that it is none, or none that is solved this way.
PrincipalPivotingSolver::Outcome PrincipalPivotingSolver::pivot(bool single_steps) {
  int best = std::numeric_limits<int>::max(), patience = settings_.patience;
  int singles = single_steps ? 10 * matrix_.rows + 100 : 0;
  while (true) {
    if (iterations_ >= limit_ || until_.passed()) return Outcome::limit;
    if (!solve_basic()) return Outcome::singular;
    const int wrong = find_wrong();
    if (wrong == 0) return Outcome::settled;
    if (wrong < best) {
      best = wrong;
      patience = settings_.patience;
    }
    if (patience > 0) {
      --patience;
      for (const int row : wrong_) change_side(row);
    } else {
      if (--singles < 0) return Outcome::stalled;
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
  using Settings = PrincipalPivotingSolver::Settings;
  return entry_of<Solver, PrincipalPivotingSolver>(
      principal_pivoting_name,
      "Block principal pivoting: rows under bounds (no friction) with W a P-matrix or positive "
      "semi-definite; a few factorisations, warm start from the guess.",
      "Júdice, Pires, A block principal pivoting algorithm for large-scale strictly monotone "
      "linear complementarity problems, 1994",
      {{&Settings::tolerance, "tolerance", "Relative residual asked of the judge.", "", 0.0, 1.0},
       {&Settings::max_iterations, "max-iterations", "Factorisations; 0: 100 + 2 for each row.", "",
        0.0, 1e9},
       {&Settings::regularisation, "regularisation",
        "Least ρ of the proximal term ρ (λ − λ̄), rows scaled to a diagonal of 1; the term "
        "vanishes at the answer.",
        "", 1e-14, 1.0},
       {&Settings::patience, "patience",
        "Steps that change all wrong rows without making them fewer before ρ grows.", "", 0.0,
        1e6}});
}

}  // namespace vinci
