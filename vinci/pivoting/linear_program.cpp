// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/linear_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vinci {

namespace {

constexpr double negligible_entry = 1e-10;  // entries of the dictionary that are rounding
constexpr double tie = 1e-12;  // ratios nearer than this, of 1 + themselves, are the same

}  // namespace

void LinearProgram::reset(int variables) {
  variables_ = variables;
  rows_.clear();
  values_.clear();
  equality_.clear();
}

void LinearProgram::add(const VectorX& row, double value, bool equality) {
  const double largest = variables_ > 0 ? row.cwiseAbs().maxCoeff() : 0.0;
  const double scale = largest > 0.0 ? 1.0 / largest : 1.0;
  for (int j = 0; j < variables_; ++j) rows_.push_back(scale * row[j]);
  values_.push_back(scale * value);
  equality_.push_back(equality);
}

void LinearProgram::add_equality(const VectorX& row, double value) {
  add(row, value, true);
}

void LinearProgram::add_at_least(const VectorX& row, double value) {
  add(row, value, false);
}

// Slack s_i = G_i x − h_i; behind them the objective and, in the first phase, its auxiliary goal.
void LinearProgram::load(const VectorX& objective) {
  const int count = static_cast<int>(values_.size());
  table_.reset(count + 2, variables_ + 1);
  basic_.resize(count);
  nonbasic_.resize(variables_ + 1);
  dead_.assign(variables_ + 1, 0);
  for (int i = 0; i < count; ++i) {
    std::copy_n(rows_.data() + static_cast<std::ptrdiff_t>(i) * variables_, variables_,
                table_.row(i));
    table_.constant(i) = -values_[i];
    basic_[i] = variables_ + i;
  }
  for (int j = 0; j < variables_; ++j) {
    table_.row(count)[j] = objective[j];
    nonbasic_[j] = j;
  }
  nonbasic_[variables_] = variables_ + count;
  dead_[variables_] = 1;  // zero but for the first phase
}

void LinearProgram::exchange(int row, int column) {
  table_.pivot(row, column);
  std::swap(basic_[row], nonbasic_[column]);
}

// Each equality determines a variable; its slack is zero from then on.
bool LinearProgram::eliminate_equalities() {
  const int count = static_cast<int>(values_.size());
  for (;;) {
    double largest = negligible_entry;
    int row = -1, column = -1;
    for (int i = 0; i < count; ++i) {
      if (basic_[i] < variables_ || !equality_[basic_[i] - variables_]) continue;
      for (int j = 0; j < variables_; ++j) {
        if (dead_[j] || std::abs(table_.row(i)[j]) <= largest) continue;
        largest = std::abs(table_.row(i)[j]);
        row = i;
        column = j;
      }
    }
    if (row < 0) break;
    exchange(row, column);
    dead_[column] = 1;
  }
  for (int i = 0; i < count; ++i)
    if (basic_[i] >= variables_ && equality_[basic_[i] - variables_] &&
        std::abs(table_.constant(i)) > tolerance)
      return false;
  return true;
}

// Free variables become basic, where they never block; those in no inequality stay at zero.
void LinearProgram::eliminate_variables() {
  const int count = static_cast<int>(values_.size());
  for (int j = 0; j < variables_; ++j) {
    if (dead_[j]) continue;
    double largest = negligible_entry;
    int row = -1;
    for (int i = 0; i < count; ++i) {
      if (basic_[i] < variables_ || equality_[basic_[i] - variables_]) continue;
      if (std::abs(table_.row(i)[j]) <= largest) continue;
      largest = std::abs(table_.row(i)[j]);
      row = i;
    }
    if (row >= 0) exchange(row, j);
  }
}

int LinearProgram::entering(int goal, bool bland) const {
  int best = -1;
  for (int j = 0; j <= variables_; ++j) {
    if (dead_[j] || table_.row(goal)[j] <= tolerance) continue;
    if (best < 0 ||
        (bland ? nonbasic_[j] < nonbasic_[best] : table_.row(goal)[j] > table_.row(goal)[best]))
      best = j;
  }
  return best;
}

// The first slack that the entering variable drives to zero; variables do not block. Of those that
// tie, the largest pivot, or Bland's.
int LinearProgram::leaving(int column, bool bland) const {
  const int slacks = variables_ + static_cast<int>(values_.size());
  const auto blocks = [&](int i) {
    const int label = basic_[i];
    return label >= variables_ && (label >= slacks || !equality_[label - variables_]) &&
           table_.row(i)[column] < -negligible_entry;
  };
  const auto reach = [&](int i) {
    return std::max(0.0, table_.constant(i)) / -table_.row(i)[column];
  };
  double least = std::numeric_limits<double>::infinity();
  const int count = static_cast<int>(basic_.size());
  for (int i = 0; i < count; ++i)
    if (blocks(i)) least = std::min(least, reach(i));
  int best = -1;
  for (int i = 0; i < count; ++i) {
    if (!blocks(i) || reach(i) > least + tie * (1.0 + least)) continue;
    if (best < 0 ||
        (bland ? basic_[i] < basic_[best] : table_.row(i)[column] < table_.row(best)[column]))
      best = i;
  }
  return best;
}

LinearProgram::Status LinearProgram::climb(int goal) {
  const int usual = 5 * (table_.rows() + table_.columns());
  for (int pivots = 0; pivots < 20 * usual; ++pivots) {
    const bool bland = pivots > usual;
    const int column = entering(goal, bland);
    if (column < 0) return Status::optimal;
    const int row = leaving(column, bland);
    if (row < 0) return Status::unbounded;
    exchange(row, column);
  }
  return Status::failed;
}

// The first phase: the largest violation, lent by the auxiliary variable, is paid back.
bool LinearProgram::make_feasible() {
  const int count = static_cast<int>(values_.size()), goal = count + 1;
  int worst = -1;
  for (int i = 0; i < count; ++i) {
    if (basic_[i] < variables_ || equality_[basic_[i] - variables_]) continue;
    if (worst < 0 || table_.constant(i) < table_.constant(worst)) worst = i;
  }
  if (worst < 0 || table_.constant(worst) >= 0.0) return true;
  // It enters here, with the rows that are left: pivots before would have changed its entries, and
  // the row of the largest violation would no longer pay for all.
  for (int i = 0; i < count; ++i)
    if (basic_[i] >= variables_ && !equality_[basic_[i] - variables_])
      table_.row(i)[variables_] = 1.0;
  table_.row(goal)[variables_] = -1.0;
  dead_[variables_] = 0;
  exchange(worst, variables_);
  if (climb(goal) == Status::failed) return true;  // nothing is proved: go on as if there were one
  const int auxiliary = variables_ + count;
  const auto where = std::find(basic_.begin(), basic_.end(), auxiliary);
  if (where != basic_.end()) {
    const int row = static_cast<int>(where - basic_.begin());
    if (table_.constant(row) > tolerance) return false;
    int column = -1;  // out of the basis at its zero
    for (int j = 0; j <= variables_; ++j)
      if (!dead_[j] &&
          (column < 0 || std::abs(table_.row(row)[j]) > std::abs(table_.row(row)[column])))
        column = j;
    if (column >= 0 && std::abs(table_.row(row)[column]) > negligible_entry) exchange(row, column);
  }
  for (int j = 0; j <= variables_; ++j)
    if (nonbasic_[j] == auxiliary) dead_[j] = 1;
  return true;
}

LinearProgram::Status LinearProgram::maximise(const VectorX& objective, VectorX& x) {
  load(objective);
  x.setZero(variables_);
  if (!eliminate_equalities()) return Status::infeasible;
  eliminate_variables();
  if (!make_feasible()) return Status::infeasible;
  const Status status = climb(static_cast<int>(values_.size()));
  for (std::size_t i = 0; i < basic_.size(); ++i)
    if (basic_[i] < variables_) x[basic_[i]] = table_.constant(static_cast<int>(i));
  return status;
}

}  // namespace vinci
