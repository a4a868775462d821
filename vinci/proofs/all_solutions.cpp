// SPDX-License-Identifier: Apache-2.0
#include "vinci/proofs/all_solutions.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/QR>
#include <fmt/format.h>

#include "vinci/base/clock.h"
#include "vinci/base/error.h"
#include "vinci/complementarity/condense.h"
#include "vinci/pivoting/linear_program.h"
#include "vinci/proofs/sliding_search.h"

namespace vinci {

namespace {

// In the units of the search, where W and q are of order one.
constexpr double slack = LinearProgram::tolerance;  // by which an inequality may be missed
// Of a regular system of one choice: what the linear program takes for rounding.
constexpr double rank_tolerance = 1e-10;
// Distance of two solutions that count as one: what a slack leaves at a condition of a hundred.
constexpr double same = 100.0 * slack;
constexpr int most_rounds = 40;  // of cuts at round cones

double largest_of(const VectorX& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

class Search {
 public:
  Search(const ComplementarityProblem& problem, const AllSolutionsLimits& limits)
      : problem_(problem), limits_(limits), deadline_(limits.seconds, limits.interruption) {
    judge_.prepare(problem);
    set_rows();
    for (const Block& block : scaled_blocks_) {
      pieces_.push_back(law_pieces(block));
      hulls_.push_back(law_hull(block));
    }
    chosen_.assign(pieces_.size(), 0);
  }

  AllSolutions run() {
    const Stopwatch watch;
    result_.complete = true;
    descend(0);
    merge();
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

 private:
  // One found set, and the choice of pieces it lies in.
  struct Found {
    FoundSolution what;
    VectorX x;
    std::vector<int> chosen;
    bool is_linear = true;
  };

  void set_rows();
  void set_units(const MatrixX& W);
  void incomplete(const char* why) {
    result_.complete = false;
    if (result_.note.empty()) result_.note = why;
  }
  bool out_of_limits();
  const LawPiece& piece(std::size_t block) const {
    return pieces_[block][static_cast<std::size_t>(chosen_[block])];
  }
  double level(const PieceCondition& condition, const VectorX& x) const;
  double functional(const PieceCondition& condition, VectorX& row) const;
  void add_to_program(const PieceCondition& condition);
  bool possible(std::size_t depth);
  void descend(std::size_t depth);
  void gather();
  void look_into();
  void look_into_linear();
  VectorX middle();
  void look_into_bent();
  bool inside(VectorX& x, int& dimension);
  bool cut_round_cones(const VectorX& x);
  void keep(const VectorX& x, int dimension, bool is_linear);
  bool lies_in(const VectorX& x, const std::vector<int>& chosen) const;
  bool is_part(const Found& one, const Found& other) const;
  void merge();

  const ComplementarityProblem& problem_;
  const AllSolutionsLimits limits_;
  const Deadline deadline_;
  Judge judge_;
  AffineRows rows_;
  MatrixX base_;  // equations of M u − Jᵀλ = p where M is singular
  VectorX base_values_;
  std::vector<Block> scaled_blocks_;
  VectorX impulse_, motion_;  // units of λ and u
  int moving_ = 0;            // of x: u comes first where M is singular
  std::vector<std::vector<LawPiece>> pieces_;
  std::vector<std::vector<PieceCondition>> hulls_;
  std::vector<int> chosen_;
  LinearProgram program_;
  VectorX row_, point_;
  // Of the choice at hand: equations, inequalities and the cuts at round cones.
  MatrixX equations_;
  VectorX values_;
  std::vector<const PieceCondition*> inequalities_;
  std::vector<PieceCondition> cuts_;
  std::vector<Found> found_;
  long choices_ = 0;
  AllSolutions result_;
};

// x = λ with w = W λ + q, or x = (u, λ) with the equation of u besides where M is singular.
void Search::set_rows() {
  const int m = problem_.rows(), n = problem_.unknowns();
  Condensation condensation;
  if (n == 0 || condensation.condense(problem_)) {
    MatrixX W;
    VectorX q;
    if (n == 0) {
      W = MatrixX(problem_.C.view());
      q = problem_.b;
    } else {
      W = condensation.W();
      q = condensation.q();
    }
    set_units(W);
    rows_.L = MatrixX::Identity(m, m);
    rows_.W = W * impulse_.asDiagonal() / judge_.free_norm();
    rows_.q = q / judge_.free_norm();
    base_.resize(0, m);
    base_values_.resize(0);
    return;
  }
  moving_ = n;
  const MatrixX M = MatrixX(problem_.M.view()), J = MatrixX(problem_.J.view());
  const double V = judge_.free_norm();
  set_units(MatrixX(problem_.C.view()));
  motion_.resize(n);
  for (int i = 0; i < n; ++i) {
    const double lever = m > 0 ? J.col(i).cwiseAbs().maxCoeff() : 0.0;
    motion_[i] = lever > 0.0 ? V / lever : V;
  }
  rows_.L = MatrixX::Zero(m, n + m);
  rows_.L.rightCols(m).setIdentity();
  rows_.W.resize(m, n + m);
  rows_.W << J * motion_.asDiagonal(), MatrixX(problem_.C.view()) * impulse_.asDiagonal();
  rows_.W /= V;
  rows_.q = problem_.b / V;
  base_.resize(n, n + m);
  base_ << M * motion_.asDiagonal(), -J.transpose() * impulse_.asDiagonal();
  base_values_ = problem_.p;
  for (int i = 0; i < n; ++i) {
    const double largest = base_.row(i).cwiseAbs().maxCoeff();
    if (largest == 0.0) continue;
    base_.row(i) /= largest;
    base_values_[i] /= largest;
  }
}

// Impulses of a block in one unit, that which its largest column of W turns into the judge's |q|.
void Search::set_units(const MatrixX& W) {
  impulse_.resize(problem_.rows());
  scaled_blocks_ = problem_.blocks;
  for (Block& block : scaled_blocks_) {
    double largest = 0.0;
    for (int j = block.offset; j < block.offset + block.size; ++j)
      largest = std::max(largest, W.col(j).cwiseAbs().maxCoeff());
    if (!(largest > 0.0)) largest = judge_.scales()[block.offset];
    const double unit = judge_.free_norm() / largest;
    impulse_.segment(block.offset, block.size).setConstant(unit);
    block.lower /= unit;
    block.upper /= unit;
  }
}

bool Search::out_of_limits() {
  if (deadline_.passed()) {
    incomplete(deadline_.interrupted() ? "interrupted" : "time ran out");
    return true;
  }
  if (choices_ >= limits_.choices) {
    incomplete("more choices than may be looked into");
    return true;
  }
  if (static_cast<int>(found_.size()) < limits_.solutions) return false;
  incomplete("more solutions than asked for");
  return true;
}

// condition = row·x + the number returned.
double Search::functional(const PieceCondition& condition, VectorX& row) const {
  row.setZero(rows_.L.cols());
  double constant = condition.constant;
  for (const PieceCondition::Term& term : condition.terms) {
    row += term.factor * (term.of_w ? rows_.W : rows_.L).row(term.row).transpose();
    if (term.of_w) constant += term.factor * rows_.q[term.row];
  }
  return constant;
}

double Search::level(const PieceCondition& condition, const VectorX& x) const {
  double sum = condition.constant;
  for (const PieceCondition::Term& term : condition.terms)
    sum += term.factor * (term.of_w ? rows_.W.row(term.row).dot(x) + rows_.q[term.row]
                                    : rows_.L.row(term.row).dot(x));
  return sum;
}

void Search::add_to_program(const PieceCondition& condition) {
  const double constant = functional(condition, row_);
  if (condition.is_equality)
    program_.add_equality(row_, -constant);
  else
    program_.add_at_least(row_, -constant);
}

// Whether the first `depth` pieces and the hulls of the other laws have a point in common.
bool Search::possible(std::size_t depth) {
  program_.reset(static_cast<int>(rows_.L.cols()));
  for (Eigen::Index i = 0; i < base_.rows(); ++i)
    program_.add_equality(base_.row(i), base_values_[i]);
  for (std::size_t b = 0; b < pieces_.size(); ++b)
    for (const PieceCondition& condition : b < depth ? piece(b).conditions : hulls_[b])
      add_to_program(condition);
  return program_.find_point(point_) != LinearProgram::Status::infeasible;
}

void Search::descend(std::size_t depth) {
  if (out_of_limits()) return;
  ++choices_;
  if (!possible(depth)) {
    ++result_.cut;
    return;
  }
  if (depth == pieces_.size()) {
    look_into();
    return;
  }
  for (std::size_t k = 0; k < pieces_[depth].size(); ++k) {
    chosen_[depth] = static_cast<int>(k);
    descend(depth + 1);
  }
}

void Search::gather() {
  inequalities_.clear();
  cuts_.clear();
  std::vector<const PieceCondition*> equalities;
  for (std::size_t b = 0; b < pieces_.size(); ++b) {
    if (piece(b).is_bent) continue;
    for (const PieceCondition& condition : piece(b).conditions)
      (condition.is_equality ? equalities : inequalities_).push_back(&condition);
  }
  const Eigen::Index first = base_.rows();
  equations_.resize(first + static_cast<Eigen::Index>(equalities.size()), rows_.L.cols());
  values_.resize(equations_.rows());
  equations_.topRows(first) = base_;
  values_.head(first) = base_values_;
  for (std::size_t k = 0; k < equalities.size(); ++k) {
    const Eigen::Index i = first + static_cast<Eigen::Index>(k);
    const double constant = functional(*equalities[k], row_);
    const double largest = row_.cwiseAbs().maxCoeff(), scale = largest > 0.0 ? 1.0 / largest : 1.0;
    equations_.row(i) = scale * row_;
    values_[i] = -scale * constant;
  }
}

void Search::look_into() {
  ++result_.pieces;
  gather();
  bool bent = false;
  for (std::size_t b = 0; b < pieces_.size(); ++b) bent = bent || piece(b).is_bent;
  if (bent)
    look_into_bent();
  else
    look_into_linear();
}

void Search::look_into_linear() {
  if (equations_.cols() == 0) {  // no rows: nothing to choose
    keep(VectorX(), 0, true);
    return;
  }
  Eigen::ColPivHouseholderQR<MatrixX> factors;
  factors.setThreshold(rank_tolerance);
  factors.compute(equations_);
  int dimension = static_cast<int>(equations_.cols() - factors.rank());
  VectorX x = factors.solve(values_);
  x += factors.solve(values_ - equations_ * x);
  if (largest_of(equations_ * x - values_) > slack * (1.0 + largest_of(x))) return;
  if (dimension > 0 && !inside(x, dimension)) return;
  keep(x, dimension, true);
}

// A point of the relative interior of the polyhedron and its dimension: with θ >= 1 and all
// inequalities g·x − h θ >= τ, 0 <= τ <= 1, the largest Σ τ has τ = 1 wherever an inequality can be
// strict [Freund, Roundy, Todd 1985]. Round cones are cut where the point lies outside.
bool Search::inside(VectorX& x, int& dimension) {
  const auto n = static_cast<int>(rows_.L.cols());
  for (int round = 0; round < most_rounds && !deadline_.passed(); ++round) {
    std::vector<const PieceCondition*> conditions = inequalities_;
    for (const PieceCondition& cut : cuts_) conditions.push_back(&cut);
    const int count = static_cast<int>(conditions.size()), size = n + 1 + count;
    program_.reset(size);
    VectorX wide = VectorX::Zero(size), strict;
    for (Eigen::Index i = 0; i < equations_.rows(); ++i) {
      wide.head(n) = equations_.row(i);
      wide[n] = -values_[i];
      program_.add_equality(wide, 0.0);
    }
    wide.setZero();
    wide[n] = 1.0;
    program_.add_at_least(wide, 1.0);
    for (int k = 0; k < count; ++k) {
      wide.setZero();
      wide[n] = functional(*conditions[static_cast<std::size_t>(k)], row_);
      wide.head(n) = row_;
      wide[n + 1 + k] = -1.0;
      program_.add_at_least(wide, 0.0);
      wide.setZero();
      wide[n + 1 + k] = 1.0;
      program_.add_at_least(wide, 0.0);
      wide[n + 1 + k] = -1.0;
      program_.add_at_least(wide, -1.0);
    }
    wide.setZero();
    wide.tail(count).setOnes();
    if (program_.maximise(wide, strict) != LinearProgram::Status::optimal) return false;
    x = strict.head(n) / strict[n];
    if (cut_round_cones(x)) continue;
    MatrixX all = equations_;
    for (int k = 0; k < count; ++k) {
      if (strict[n + 1 + k] > 0.5) continue;
      functional(*conditions[static_cast<std::size_t>(k)], row_);
      if (row_.isZero(0.0)) continue;
      all.conservativeResize(all.rows() + 1, n);
      all.row(all.rows() - 1) = row_.normalized();
    }
    Eigen::ColPivHouseholderQR<MatrixX> factors;
    factors.setThreshold(rank_tolerance);
    factors.compute(all);
    dimension = n - static_cast<int>(factors.rank());
    return true;
  }
  incomplete("a set of sticking contacts in space was not resolved");
  return false;
}

// Adds the tangent planes that x violates; true if there was one.
bool Search::cut_round_cones(const VectorX& x) {
  bool outside = false;
  for (std::size_t b = 0; b < pieces_.size(); ++b) {
    if (!piece(b).is_round) continue;
    const Block& block = scaled_blocks_[b];
    const int t = block.law == Law::ball ? block.offset : block.offset + 1;
    const double angle = std::atan2(rows_.L.row(t + 1).dot(x), rows_.L.row(t).dot(x));
    const PieceCondition plane = tangent_plane(block, angle);
    if (level(plane, x) >= -slack) continue;
    cuts_.push_back(plane);
    outside = true;
  }
  return outside;
}

// Within what is left of the choice: the mean of points at which one load after the other is
// largest. At a corner, loads vanish that need not.
VectorX Search::middle() {
  VectorX sum = point_, x;
  double count = 1.0;
  for (std::size_t b = 0; b < pieces_.size(); ++b) {
    const Block& block = scaled_blocks_[b];
    if (!piece(b).is_bent || block.law == Law::ball) continue;
    if (program_.maximise(rows_.L.row(block.offset), x) != LinearProgram::Status::optimal) continue;
    sum += x;
    count += 1.0;
  }
  return sum / count;
}

void Search::look_into_bent() {
  incomplete("sliding in space was searched by Newton's method from one start per sector");
  SlidingSearch search{rows_, equations_, values_, {}};
  for (std::size_t b = 0; b < pieces_.size(); ++b)
    if (piece(b).is_bent) search.sliding.push_back({scaled_blocks_[b], piece(b).direction});
  VectorX x = middle();
  int dimension = 0;
  if (search.run(x, dimension)) keep(x, dimension, false);
}

// What obeys the inequalities and satisfies the judge.
void Search::keep(const VectorX& x, int dimension, bool is_linear) {
  const double size = slack * (1.0 + largest_of(x));
  for (const PieceCondition* const condition : inequalities_)
    if (level(*condition, x) < -size) return;
  Found found;
  found.x = x;
  found.chosen = chosen_;
  found.is_linear = is_linear;
  found.what.solution.lambda = x.tail(problem_.rows()).cwiseProduct(impulse_);
  found.what.solution.u.setZero(problem_.unknowns());
  if (moving_ > 0) found.what.solution.u = x.head(moving_).cwiseProduct(motion_);
  found.what.residual = judge_.measure(problem_, found.what.solution);
  if (!(found.what.residual.relative <= limits_.tolerance)) return;
  found.what.solution.u = judge_.u();
  found.what.dimension = dimension;
  for (std::size_t b = 0; b < pieces_.size(); ++b) found.what.modes.push_back(piece(b).mode);
  for (const Found& other : found_)
    if (dimension == 0 && other.what.dimension == 0 &&
        largest_of(other.x - x) <= same * (1.0 + largest_of(x)))
      return;
  found_.push_back(std::move(found));
}

bool Search::lies_in(const VectorX& x, const std::vector<int>& chosen) const {
  const double size = same * (1.0 + largest_of(x));
  for (std::size_t b = 0; b < pieces_.size(); ++b)
    for (const PieceCondition& condition :
         pieces_[b][static_cast<std::size_t>(chosen[b])].conditions) {
      const double value = level(condition, x);
      if (value < -size || (condition.is_equality && value > size)) return false;
    }
  return true;
}

// Whether the set of k is part of that of `other`, which has at least its dimension. Linear pieces
// meet in faces, so that one point from within decides. Where one of them slides in space: to one w
// belongs one convex set of λ, whatever the law.
bool Search::is_part(const Found& one, const Found& other) const {
  if (one.is_linear && other.is_linear) return lies_in(one.x, other.chosen);
  const double difference = largest_of(rows_.W * (one.x - other.x));
  return difference <= same * (1.0 + largest_of(rows_.W * other.x));
}

void Search::merge() {
  std::vector<std::size_t> order(found_.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return found_[a].what.dimension > found_[b].what.dimension;
  });
  std::vector<char> kept(found_.size(), 0);
  std::vector<std::size_t> large;  // sets of more than a point
  for (const std::size_t k : order) {
    kept[k] = std::none_of(large.begin(), large.end(),
                           [&](std::size_t other) { return is_part(found_[k], found_[other]); });
    if (kept[k] && found_[k].what.dimension > 0) large.push_back(k);
  }
  for (std::size_t k = 0; k < found_.size(); ++k)
    if (kept[k]) result_.solutions.push_back(std::move(found_[k].what));
}

}  // namespace

AllSolutions all_solutions(const ComplementarityProblem& problem,
                           const AllSolutionsLimits& limits) {
  if (std::string why = problem.why_invalid(); !why.empty()) throw Error("all solutions: " + why);
  if (problem.rows() > limits.rows)
    throw Error(fmt::format("all solutions: {} rows, and enumeration takes at most {}",
                            problem.rows(), limits.rows));
  return Search(problem, limits).run();
}

std::string to_string(const std::vector<BlockMode>& modes) {
  std::string text;
  for (const BlockMode mode : modes)
    text += (text.empty() ? "" : ", ") + std::string(to_string(mode));
  return text;
}

}  // namespace vinci
