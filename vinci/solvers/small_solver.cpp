// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/small_solver.h"

#include <algorithm>
#include <cmath>

#include "vinci/base/settings.h"
#include "vinci/complementarity/laws.h"
#include "vinci/complementarity/local_solve.h"

namespace vinci {

namespace {

constexpr const char* name = "small";
constexpr int most = SmallSolver::largest;
constexpr double proximity = 1e-9;  // ρ of ActiveSetPolish, of the scale of a block: W is singular
// Of the largest entry of the matrix: ε for the sums of up to 32 rows, and a margin of ten.
constexpr double singular_pivot = 1e-13;

const char* reason_against(const ComplementarityProblem& problem) {
  if (problem.rows() > most) return "more than 32 rows";
  if (problem.unknowns() > SmallSolver::most_unknowns) return "more than 24 unknowns";
  bool scalar = true;
  for (const Block& block : problem.blocks) {
    if (block.law == Law::moments || block.law == Law::ball || block.law == Law::second_order)
      return "takes equality, nonnegative, box and coulomb blocks only: use the solver 'auto'";
    scalar = scalar && block.law != Law::coulomb;
  }
  for (int row = 0; scalar && row < problem.rows(); ++row) {
    if (problem.J.starts[row + 1] > problem.J.starts[row]) continue;
    bool diagonal = false;
    for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k)
      diagonal = diagonal || (problem.C.indices[k] == row && problem.C.values[k] != 0.0);
    if (!diagonal)
      return "a row has no diagonal in W (a friction pyramid): use the solver 'auto', or cone: "
             "quadratic";
  }
  if (scalar) return nullptr;
  for (const Block& block : problem.blocks)
    if (block.law == Law::equality && block.size > 1)
      return "contacts beside equality blocks of several rows: use the solver 'auto'";
  return nullptr;
}

// a x = right by elimination with partial pivoting, in place; false if singular to rounding.
bool solve_dense(int size, double* a, double* right) {
  double largest = 0.0;
  for (int k = 0; k < size * size; ++k) largest = std::max(largest, std::abs(a[k]));
  for (int column = 0; column < size; ++column) {
    int pivot = column;
    for (int i = column + 1; i < size; ++i)
      if (std::abs(a[i * size + column]) > std::abs(a[pivot * size + column])) pivot = i;
    if (!(std::abs(a[pivot * size + column]) > singular_pivot * largest)) return false;
    if (pivot != column) {
      std::swap_ranges(a + pivot * size + column, a + (pivot + 1) * size,
                       a + column * size + column);
      std::swap(right[pivot], right[column]);
    }
    const double* const top = a + column * size;
    const double reciprocal = 1.0 / top[column];
    for (int i = column + 1; i < size; ++i) {
      double* const row = a + i * size;
      const double factor = row[column] * reciprocal;
      if (factor == 0.0) continue;
      for (int j = column + 1; j < size; ++j) row[j] -= factor * top[j];
      right[i] -= factor * right[column];
    }
  }
  for (int i = size - 1; i >= 0; --i) {
    double sum = right[i];
    for (int j = i + 1; j < size; ++j) sum -= a[i * size + j] * right[j];
    right[i] = sum / a[i * size + i];
  }
  return true;
}

// A dense copy of the problem and the best answer so far.
class Work {
 public:
  Work(const ComplementarityProblem& problem, double tolerance, int limit, double* lambda)
      : problem_(problem),
        m_(problem.rows()),
        tolerance_(tolerance),
        limit_(limit),
        lambda_(lambda) {
    std::fill_n(W_, m_ * m_, 0.0);
    for (int row = 0; row < m_; ++row)
      for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k)
        W_[row * m_ + problem.C.indices[k]] = problem.C.values[k];
    std::copy_n(lambda, m_, kept_);
    judge_.prepare(problem);
    for (const Block& block : problem.blocks) project(block, 1.0, lambda_ + block.offset);
    offer();
  }
  bool solved() const { return best_.relative <= tolerance_; }
  Residual residual() const {
    Residual result = best_;
    result.rounding = judge_.rounding(problem_, kept_);
    return result;
  }
  int iterations() const { return iterations_; }
  const double* best() const { return kept_; }

  void pivot();
  void sweep_and_step();

 private:
  enum class Place : char { lower, inside, upper };
  enum class Contact : char { open, stick, slide };
  // A direction of λ (or of w) within one block, and its own term on the diagonal.
  struct Direction {
    int row, size;
    double part[3];
    double scale, slip;  // the terms of the diagonal are ρ · scale and slip
  };
  // Judges λ; keeps it where it is the best.
  double offer() {
    const Residual residual = judge_.measure(problem_, lambda_);
    if (residual.relative < best_.relative) {
      best_ = residual;
      std::copy_n(lambda_, m_, kept_);
    }
    return residual.relative;
  }
  bool solve_inside(const Block* const* owner);
  int change_places(const Block* const* owner);
  bool sweep(bool forwards);
  void classify();
  void classify_contact(const Block& block);
  void add_scalar(const Block& block);
  void add(int row, int size, const double* force, const double* equation, double slip);
  bool newton_step(double rho);

  const ComplementarityProblem& problem_;
  const int m_;
  const double tolerance_;
  const int limit_;
  double* const lambda_;
  SmallJudge judge_;
  Residual best_{infinity, infinity, infinity, 0.0};
  int iterations_ = 0;
  double kept_[most];
  double W_[most * most];
  Place place_[most];
  int count_ = 0;  // of unknowns
  Direction force_[most], equation_[most];
  double matrix_[most * most], right_[most];
};

// ------------------------------------------------------------------------------------ scalar laws

double lower_of(const Block& block) {
  return block.law == Law::box ? block.lower : (block.law == Law::equality ? -infinity : 0.0);
}
double upper_of(const Block& block) {
  return block.law == Law::box ? block.upper : infinity;
}

void Work::pivot() {
  const Block* owner[most];
  for (const Block& block : problem_.blocks)
    for (int i = 0; i < block.size; ++i) {
      const int row = block.offset + i;
      // Not the class of matrices on which whole blocks of rows may change places.
      if (block.law != Law::equality && !(W_[row * m_ + row] > 0.0)) return;
      owner[row] = &block;
      const double x = lambda_[row] - judge_.w()[row];
      place_[row] = x <= lower_of(block)   ? Place::lower
                    : x >= upper_of(block) ? Place::upper
                                           : Place::inside;
    }
  int fewest = m_ + 1, idle = 0;
  while (!solved() && iterations_ < limit_ && idle < 4) {
    ++iterations_;
    if (!solve_inside(owner)) return;
    offer();
    const int changed = change_places(owner);
    if (changed == 0) return;
    idle = changed < fewest ? 0 : idle + 1;
    fewest = std::min(fewest, changed);
  }
}

// λ at its bounds, and inside the solution of w = 0.
bool Work::solve_inside(const Block* const* owner) {
  int inside[most], count = 0;
  for (int i = 0; i < m_; ++i) {
    if (place_[i] == Place::inside)
      inside[count++] = i;
    else
      lambda_[i] = place_[i] == Place::lower ? lower_of(*owner[i]) : upper_of(*owner[i]);
  }
  for (int i = 0; i < count; ++i) {
    const double* const row = W_ + inside[i] * m_;
    for (int j = 0; j < count; ++j) matrix_[i * count + j] = row[inside[j]];
    double sum = problem_.b[inside[i]];
    for (int j = 0; j < m_; ++j)
      if (place_[j] != Place::inside) sum += row[j] * lambda_[j];
    right_[i] = -sum;
  }
  if (!solve_dense(count, matrix_, right_)) return false;
  for (int i = 0; i < count; ++i) lambda_[inside[i]] = right_[i];
  return true;
}

// Returns how many rows contradicted their place; judge_ holds w.
int Work::change_places(const Block* const* owner) {
  int changed = 0;
  for (int i = 0; i < m_; ++i) {
    const double lower = lower_of(*owner[i]), upper = upper_of(*owner[i]), w = judge_.w()[i];
    Place place = place_[i];
    if (place == Place::inside)
      place = lambda_[i] < lower ? Place::lower : (lambda_[i] > upper ? Place::upper : place);
    else if (lower < upper && (place == Place::lower ? w < 0.0 : w > 0.0))
      place = Place::inside;
    changed += place != place_[i];
    place_[i] = place;
  }
  return changed;
}

// --------------------------------------------------------------------------------------- contacts

bool Work::sweep(bool forwards) {
  const int count = static_cast<int>(problem_.blocks.size());
  for (int k = 0; k < count; ++k) {
    const Block& block = problem_.blocks[forwards ? k : count - 1 - k];
    const int size = block.size, row = block.offset;
    double own[9], q[3];
    for (int i = 0; i < size; ++i) {
      q[i] = problem_.b[row + i];
      for (int j = 0; j < m_; ++j)
        if (j < row || j >= row + size) q[i] += W_[(row + i) * m_ + j] * lambda_[j];
      for (int j = 0; j < size; ++j) own[i * size + j] = W_[(row + i) * m_ + row + j];
    }
    if (block.law != Law::equality)
      solve_local(block, own, q, lambda_ + row);
    else if (own[0] != 0.0)
      lambda_[row] = -q[0] / own[0];
  }
  offer();
  return solved();
}

void Work::sweep_and_step() {
  // A guess that is of use goes to Newton's method as it is.
  if (best_.relative > 0.1 && (sweep(true) || sweep(false))) return;
  std::copy_n(kept_, m_, lambda_);
  judge_.measure(problem_, lambda_);
  int failures = 0;
  while (iterations_ < limit_ && failures < 3) {
    ++iterations_;
    const double before = best_.relative;
    classify();
    if (!newton_step(0.0) && !newton_step(proximity)) return;
    const double residual = offer();
    if (solved()) return;
    failures = best_.relative < 0.5 * before ? 0 : failures + 1;
    if (!(residual <= 10.0 * before)) return;
  }
}

void Work::add(int row, int size, const double* force, const double* equation, double slip) {
  Direction& column = force_[count_];
  Direction& line = equation_[count_++];
  column.row = line.row = row;
  column.size = line.size = size;
  column.scale = judge_.scales()[row];
  column.slip = slip;
  std::copy_n(force, size, column.part);
  std::copy_n(equation, size, line.part);
}

void Work::add_scalar(const Block& block) {
  const int row = block.offset;
  const double lower = lower_of(block), upper = upper_of(block), s = judge_.scales()[row];
  const double x = s * lambda_[row] - judge_.w()[row], one = 1.0;
  if (x <= s * lower || x >= s * upper)
    lambda_[row] = x <= s * lower ? lower : upper;
  else
    add(row, 1, &one, &one, 0.0);
}

// By Alart and Curnier's map; λ is set on the set found.
void Work::classify_contact(const Block& block) {
  const int row = block.offset, size = block.size;
  double* const lambda = lambda_ + row;
  const double* const w = judge_.w() + row;
  const double s = judge_.scales()[row], x = s * lambda[0] - w[0];
  if (!(x > 0.0)) {
    std::fill_n(lambda, size, 0.0);
    return;
  }
  double d[2] = {}, length = 0.0, slip = 0.0;
  for (int i = 1; i < size; ++i) {
    d[i - 1] = s * lambda[i] - w[i];
    length += d[i - 1] * d[i - 1];
    slip += w[i] * w[i];
  }
  length = std::sqrt(length);
  if (length <= block.friction * x) {
    for (int i = 0; i < size; ++i) {
      const double unit[3] = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
      add(row, size, unit, unit, 0.0);
    }
    return;
  }
  const double mu = block.friction, normal = std::max(lambda[0], 0.0);
  const double force[3] = {1.0, mu * d[0] / length, mu * d[1] / length};
  const double equation[3] = {1.0, 0.0, 0.0};
  for (int i = 0; i < size; ++i) lambda[i] = normal * force[i];
  add(row, size, force, equation, 0.0);
  if (size < 3 || !(mu > 0.0) || !(normal > 0.0)) return;
  const double across[3] = {0.0, -d[1] / length, d[0] / length};
  add(row, size, across, across, std::sqrt(slip) / (normal * mu));
}

void Work::classify() {
  count_ = 0;
  for (const Block& block : problem_.blocks)
    if (block.law == Law::coulomb)
      classify_contact(block);
    else
      add_scalar(block);
  judge_.measure(problem_, lambda_);
}

// (Gᵀ W E + R) z = −Gᵀ w, λ ← λ + E z; false, and nothing done, where the matrix is singular.
bool Work::newton_step(double rho) {
  const double* const w = judge_.w();
  for (int i = 0; i < count_; ++i) {
    const Direction& line = equation_[i];
    double row[most];
    std::fill_n(row, m_, 0.0);
    right_[i] = 0.0;
    for (int a = 0; a < line.size; ++a) {
      if (line.part[a] == 0.0) continue;
      const double* const from = W_ + (line.row + a) * m_;
      for (int j = 0; j < m_; ++j) row[j] += line.part[a] * from[j];
      right_[i] -= line.part[a] * w[line.row + a];
    }
    for (int j = 0; j < count_; ++j) {
      const Direction& column = force_[j];
      double sum = i == j ? rho * column.scale + column.slip : 0.0;
      for (int b = 0; b < column.size; ++b) sum += row[column.row + b] * column.part[b];
      matrix_[i * count_ + j] = sum;
    }
  }
  if (!solve_dense(count_, matrix_, right_)) return false;
  for (int j = 0; j < count_; ++j)
    for (int b = 0; b < force_[j].size; ++b)
      lambda_[force_[j].row + b] += right_[j] * force_[j].part[b];
  return true;
}

}  // namespace

SmallSolver::SmallSolver(const Settings& settings)
    : SolveFrame(name, {settings.tolerance}), settings_(settings) {}

bool SmallSolver::takes(const ComplementarityProblem& problem) {
  return reason_against(problem) == nullptr;
}

std::string SmallSolver::refusal(const ComplementarityProblem& problem) const {
  const char* const reason = reason_against(problem);
  return reason ? reason : "";
}

const char* SmallSolver::prepare(const ComplementarityProblem& problem) {
  if (const char* reason = reason_against(problem)) return reason;
  if (problem.unknowns() == 0) return nullptr;
  if (!condensation_.begin(problem)) return singular_mass;
  condensation_.fill(problem);
  const int m = problem.rows();
  local_.C.reset(m);
  for (int row = 0; row < m; ++row) {
    for (int j = 0; j < m; ++j) local_.C.push(j, condensation_.W()(row, j));
    local_.C.end_row();
  }
  local_.b = condensation_.q();
  local_.blocks = problem.blocks;
  return nullptr;
}

SolveFrame::Ending SmallSolver::run(const ComplementarityProblem& problem, Solution& solution) {
  Work work(problem.unknowns() > 0 ? local_ : problem, accuracy().tolerance,
            settings_.max_iterations, solution.lambda.data());
  const bool contacts = std::any_of(problem.blocks.begin(), problem.blocks.end(),
                                    [](const Block& b) { return b.law == Law::coulomb; });
  if (!work.solved()) contacts ? work.sweep_and_step() : work.pivot();
  iterations_ = work.iterations();
  solution.lambda = Eigen::Map<const VectorX>(work.best(), problem.rows());
  if (problem.unknowns() == 0 && work.solved()) {
    offer(solution.lambda, work.residual(), &solution.u);
    return {};
  }
  judge_.prepare(problem);
  offer(solution.lambda, judge_.measure(problem, solution), &judge_.u());
  return {};
}

SolverRegistry::Entry small_entry() {
  using Settings = SmallSolver::Settings;
  return entry_of<Solver, SmallSolver>(
      name,
      "Up to 32 rows: principal pivoting for scalar laws, local solves and Newton's method on "
      "the active set for contacts, dense.",
      "Kostreva 1978; Alart, Curnier 1991",
      {{&Settings::tolerance, "tolerance", "Relative residual asked of the judge.", "", 0.0, 1.0},
       {&Settings::max_iterations, "max-iterations", "Factorisations before giving up.", "", 0,
        1000}});
}

}  // namespace vinci
