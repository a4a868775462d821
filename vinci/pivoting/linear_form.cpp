// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/linear_form.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/complementarity/law_moments.h"

namespace vinci {

namespace {

bool has_intervals_only(const Block& block) {
  const law::Balls balls = law::balls_of(block);
  return std::all_of(balls.begin(), balls.end(),
                     [](const law::Ball& ball) { return ball.count == 1 || ball.limit == 0.0; });
}

}  // namespace

bool LinearForm::is_linear(const Block& block) {
  switch (block.law) {
    case Law::equality:
    case Law::nonnegative:
    case Law::box:
      return true;
    case Law::ball:
      return block.size == 1 || block.upper == 0.0;
    case Law::coulomb:
    case Law::second_order:
      return block.size == 2 || block.friction == 0.0;
    case Law::moments:
      return has_intervals_only(block);
  }
  return false;
}

std::string LinearForm::why_not(const ComplementarityProblem& problem) {
  for (const Block& block : problem.blocks) {
    if (is_linear(block)) continue;
    return fmt::format(
        "the {} block at row {} has a round cone, and pivoting solves piecewise linear laws only: "
        "use 'cone: pyramid', or the solver 'gauss-seidel'",
        to_string(block.law), block.offset);
  }
  return "";
}

int LinearForm::add(Variable variable) {
  variables_.push_back(variable);
  return static_cast<int>(variables_.size()) - 1;
}

void LinearForm::add_box(int row, double lower, double upper) {
  if (std::isinf(lower) && std::isinf(upper)) {
    add({{row, 1.0}, {}, 0.0, true});
    return;
  }
  if (std::isinf(lower)) {  // measured down from the upper bound
    shift_[row] = upper;
    add({{row, -1.0}, {}, 0.0, false});
    return;
  }
  shift_[row] = lower;
  const int above_lower = add({{row, 1.0}, {}, 0.0, false});
  if (std::isinf(upper)) return;
  const int at_upper = add({{}, {}, upper - lower, false, Sign::at_upper, row, 0.0});
  couplings_.push_back({above_lower, at_upper, 1.0});
  couplings_.push_back({at_upper, above_lower, -1.0});
}

void LinearForm::add_friction(int normal, int contact, int row, double limit) {
  if (limit == 0.0) return;
  const int plus = add({{row, 1.0}, {}, 0.0, false});
  const int minus = add({{row, -1.0}, {}, 0.0, false});
  const int slip = add({{}, {}, 0.0, false, Sign::slipping, contact, limit, row});
  couplings_.push_back({plus, slip, 1.0});
  couplings_.push_back({minus, slip, 1.0});
  couplings_.push_back({slip, normal, limit});
  couplings_.push_back({slip, plus, -1.0});
  couplings_.push_back({slip, minus, -1.0});
}

void LinearForm::add_block(const Block& block) {
  const int row = block.offset;
  switch (block.law) {
    case Law::equality:
      for (int k = 0; k < block.size; ++k) add({{row + k, 1.0}, {}, 0.0, true});
      return;
    case Law::nonnegative:
      add({{row, 1.0}, {}, 0.0, false});
      return;
    case Law::box:
      add_box(row, block.lower, block.upper);
      return;
    case Law::ball:  // an interval where it has size 1
      if (block.upper > 0.0) add_box(row, -block.upper, block.upper);
      return;
    case Law::second_order:
      if (block.friction > 0.0) {
        for (const double mu : {block.friction, -block.friction})
          add({{row, 1.0}, {row + 1, mu}, 0.0, false, Sign::edge, row, mu});
      } else {
        add({{row, 1.0}, {}, 0.0, false});
      }
      return;
    case Law::coulomb:
    case Law::moments: {
      const int normal = add({{row, 1.0}, {}, 0.0, false});
      for (const law::Ball& ball : law::balls_of(block))
        add_friction(normal, row, row + ball.first, ball.limit);
      return;
    }
  }
}

void LinearForm::declare(const std::vector<Block>& blocks) {
  variables_.clear();
  couplings_.clear();
  const int rows = blocks.empty() ? 0 : blocks.back().offset + blocks.back().size;
  shift_.setZero(rows);
  for (const Block& block : blocks) add_block(block);
  plain_ = size() == rows;
  for (int k = 0; k < size() && plain_; ++k) {
    const Variable& variable = variables_[static_cast<std::size_t>(k)];
    plain_ = variable.first.index == k && variable.first.factor == 1.0 && variable.second.index < 0;
  }
}

void LinearForm::assemble(const RowMatrix& W, const VectorX& q) {
  const auto n = static_cast<Eigen::Index>(variables_.size());
  shifted_ = q;
  for (Eigen::Index j = 0; j < shift_.size(); ++j)
    if (shift_[j] != 0.0) shifted_ += W.col(j) * shift_[j];
  lcp_.is_free.resize(variables_.size());
  for (std::size_t k = 0; k < variables_.size(); ++k) lcp_.is_free[k] = variables_[k].is_free;
  if (plain_) {
    lcp_.A = W;
    lcp_.q = shifted_;
    return;
  }
  lcp_.A.setZero(n, n);
  lcp_.q.resize(n);
  for (Eigen::Index a = 0; a < n; ++a) {
    const Variable& row = variables_[static_cast<std::size_t>(a)];
    lcp_.q[a] = row.constant;
    for (const Term& left : {row.first, row.second}) {
      if (left.index < 0) continue;
      lcp_.q[a] += left.factor * shifted_[left.index];
      for (Eigen::Index b = 0; b < n; ++b) {
        const Variable& column = variables_[static_cast<std::size_t>(b)];
        for (const Term& right : {column.first, column.second})
          if (right.index >= 0)
            lcp_.A(a, b) += left.factor * right.factor * W(left.index, right.index);
      }
    }
  }
  for (const Coupling& entry : couplings_) lcp_.A(entry.row, entry.column) += entry.value;
}

void LinearForm::assemble_sparse(const SparseRows& W, const VectorX& q) {
  shifted_ = q;
  W.multiply_add(shift_.data(), shifted_.data());
  sparse_.q.resize(size());
  sparse_.is_free.resize(variables_.size());
  users_.assign(2 * static_cast<std::size_t>(q.size()), -1);  // a row has at most two
  for (int k = 0; k < size(); ++k) {
    const Variable& variable = variables_[static_cast<std::size_t>(k)];
    for (const Term& term : {variable.first, variable.second}) {
      if (term.index < 0) continue;
      int* const users = &users_[2 * static_cast<std::size_t>(term.index)];
      users[users[0] < 0 ? 0 : 1] = k;
    }
  }
  const auto factor_of = [&](const Variable& variable, int row) {
    return variable.first.index == row ? variable.first.factor : variable.second.factor;
  };
  entries_.clear();
  for (int a = 0; a < size(); ++a) {
    const Variable& variable = variables_[static_cast<std::size_t>(a)];
    sparse_.q[a] = variable.constant;
    sparse_.is_free[static_cast<std::size_t>(a)] = variable.is_free;
    for (const Term& left : {variable.first, variable.second}) {
      if (left.index < 0) continue;
      sparse_.q[a] += left.factor * shifted_[left.index];
      for (int e = W.starts[left.index]; e < W.starts[left.index + 1]; ++e) {
        const int row = W.indices[e];
        for (int which = 0; which < 2; ++which) {
          const int b = users_[2 * static_cast<std::size_t>(row) + static_cast<std::size_t>(which)];
          if (b < 0) continue;
          const double factor = factor_of(variables_[static_cast<std::size_t>(b)], row);
          entries_.push_back({a, b, left.factor * factor * W.values[e]});
        }
      }
    }
  }
  for (const Coupling& entry : couplings_)
    entries_.push_back({entry.row, entry.column, entry.value});
  sort_entries();
}

// The entries by columns, those of one place added up.
void LinearForm::sort_entries() {
  const auto n = static_cast<std::size_t>(size());
  SparseColumns& A = sparse_.A;
  places_.assign(n + 1, 0);
  for (const Entry& entry : entries_) ++places_[static_cast<std::size_t>(entry.column) + 1];
  for (std::size_t k = 0; k < n; ++k) places_[k + 1] += places_[k];
  order_.resize(entries_.size());
  for (std::size_t e = 0; e < entries_.size(); ++e)
    order_[static_cast<std::size_t>(places_[static_cast<std::size_t>(entries_[e].column)]++)] =
        static_cast<int>(e);
  A.reset(size());
  users_.assign(n, -1);  // where the row's entry of this column is
  std::size_t next = 0;
  for (int column = 0; column < size(); ++column) {
    const int begin = static_cast<int>(A.indices.size());
    for (; next < order_.size(); ++next) {
      const Entry& entry = entries_[static_cast<std::size_t>(order_[next])];
      if (entry.column != column) break;
      int& place = users_[static_cast<std::size_t>(entry.row)];
      if (place >= begin) {
        A.values[static_cast<std::size_t>(place)] += entry.value;
      } else {
        place = static_cast<int>(A.indices.size());
        A.push(entry.row, entry.value);
      }
    }
    A.end_column();
  }
}

void LinearForm::guess_basis(const VectorX& lambda, std::vector<char>& basic) const {
  // A guess is told from its bounds to this part of itself: the digits that a solver leaves.
  constexpr double resolution = 1e-12;
  basic.assign(variables_.size(), 0);
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    const Variable& variable = variables_[k];
    const int row = variable.row;
    bool active = false;
    switch (variable.sign) {
      case Sign::own: {
        const int index = variable.first.index;
        const double size = std::abs(lambda[index]) + std::abs(shift_[index]);
        active = variable.is_free ||
                 variable.first.factor * (lambda[index] - shift_[index]) > resolution * size;
        break;
      }
      case Sign::at_upper:
        active = lambda[row] - shift_[row] >= (1.0 - resolution) * variable.constant;
        break;
      case Sign::slipping:
        active = lambda[row] > 0.0 && std::abs(lambda[variable.tangent]) >=
                                          (1.0 - resolution) * variable.friction * lambda[row];
        break;
      case Sign::edge:  // λ = a (1, μ) + b (1, −μ)
        active = lambda[row] + lambda[row + 1] / variable.friction > resolution * lambda[row];
        break;
    }
    basic[k] = active;
  }
}

void LinearForm::list_rows(const std::vector<char>& basic, std::vector<int>& rows) {
  active_.clear();
  rows.clear();
  local_.assign(static_cast<std::size_t>(shift_.size()), -1);
  const auto need = [&](int row) {
    if (row < 0 || local_[static_cast<std::size_t>(row)] >= 0) return;
    local_[static_cast<std::size_t>(row)] = static_cast<int>(rows.size());
    rows.push_back(row);
  };
  inverse_.assign(variables_.size(), -1);
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    if (!basic[k]) continue;
    inverse_[k] = static_cast<int>(active_.size());
    active_.push_back(static_cast<int>(k));
    need(variables_[k].first.index);
    need(variables_[k].second.index);
  }
  for (int row = 0; row < static_cast<int>(shift_.size()); ++row)
    if (shift_[row] != 0.0) need(row);
  width_ = static_cast<int>(rows.size());
}

void LinearForm::assemble_basic(const double* W, const VectorX& q, DenseLu& lu,
                                std::vector<double>& right) {
  const int size = static_cast<int>(active_.size());
  const auto place = [&](int row) { return local_[static_cast<std::size_t>(row)]; };
  lu.reset(size);
  right.assign(active_.size(), 0.0);
  for (int a = 0; a < size; ++a) {
    const Variable& row =
        variables_[static_cast<std::size_t>(active_[static_cast<std::size_t>(a)])];
    double sum = row.constant;
    for (const Term& left : {row.first, row.second}) {
      if (left.index < 0) continue;
      const double* const entries = W + static_cast<std::ptrdiff_t>(place(left.index)) * width_;
      sum += left.factor * q[left.index];
      for (Eigen::Index j = 0; j < shift_.size(); ++j)
        if (shift_[j] != 0.0) sum += left.factor * entries[place(static_cast<int>(j))] * shift_[j];
      for (int b = 0; b < size; ++b) {
        const Variable& column =
            variables_[static_cast<std::size_t>(active_[static_cast<std::size_t>(b)])];
        for (const Term& term : {column.first, column.second})
          if (term.index >= 0)
            lu.entry(a, b) += left.factor * term.factor * entries[place(term.index)];
      }
    }
    right[static_cast<std::size_t>(a)] = -sum;
  }
  for (const Coupling& entry : couplings_) {
    const int a = inverse_[static_cast<std::size_t>(entry.row)];
    const int b = inverse_[static_cast<std::size_t>(entry.column)];
    if (a >= 0 && b >= 0) lu.entry(a, b) += entry.value;
  }
}

void LinearForm::expand_basic(const std::vector<double>& basic_z, VectorX& z) const {
  z.setZero(size());
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const int k = active_[a];
    const bool is_free = variables_[static_cast<std::size_t>(k)].is_free;
    z[k] = is_free ? basic_z[a] : std::max(0.0, basic_z[a]);
  }
}

void LinearForm::recover_certificate(const std::vector<Block>& blocks, const VectorX& v,
                                     VectorX& y) const {
  y.setZero(shift_.size());
  for (std::size_t k = 0; k < variables_.size(); ++k)
    for (const Term& term : {variables_[k].first, variables_[k].second})
      if (term.index >= 0) y[term.index] += term.factor * v[static_cast<Eigen::Index>(k)];
  for (const Block& block : blocks) {
    double* const entries = &y[block.offset];
    if (block.law == Law::nonnegative) entries[0] = std::max(0.0, entries[0]);
    if (block.law == Law::ball) std::fill_n(entries, block.size, 0.0);
    if (block.law == Law::box) {
      if (std::isfinite(block.lower)) entries[0] = std::max(0.0, entries[0]);
      if (std::isfinite(block.upper)) entries[0] = std::min(0.0, entries[0]);
    }
    if (block.law == Law::coulomb || block.law == Law::second_order || block.law == Law::moments) {
      const double bound = block.law == Law::second_order ? block.friction : 0.0;
      entries[0] = std::max(0.0, entries[0]);
      for (int i = 1; i < block.size; ++i)
        entries[i] = std::clamp(entries[i], -bound * entries[0], bound * entries[0]);
    }
  }
}

void LinearForm::recover(const VectorX& z, VectorX& lambda) const {
  lambda = shift_;
  for (std::size_t k = 0; k < variables_.size(); ++k)
    for (const Term& term : {variables_[k].first, variables_[k].second})
      if (term.index >= 0) lambda[term.index] += term.factor * z[static_cast<Eigen::Index>(k)];
}

}  // namespace vinci
