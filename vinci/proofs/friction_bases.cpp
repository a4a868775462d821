// SPDX-License-Identifier: Apache-2.0
// The bound itself: S by elimination, and the choices of contacts that carry all loads.
#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "vinci/proofs/friction_bound.h"

namespace vinci {
namespace {

// Pivots of an elimination relative to the diagonal that they were: at most the first is rounding
// of a row that depends on others, at least the second is none. Between them nothing is said.
constexpr double dependent_pivot = 1e-13, independent = 1e-8;
// Shares of a row or a load that are rounding.
constexpr double row_rounding = 1e-9;
// What rounding may do to the bound.
constexpr double margin = 1e-6;
// A ratio that is taken over has to be below this: the W at hand differs by rounding, which weak
// pivots enlarge.
constexpr double known_margin = 0.99;
// A pivot of the stiffness of friction relative to the largest: less is free.
constexpr double spread_rounding = 1e-12;
// Choices of contacts that are looked at.
constexpr double most_bases = 256.0;

// Of the same places, but for rounding of the largest.
bool same_entries(const SparseRows& a, const SparseRows& b) {
  if (a.rows != b.rows || a.values.size() != b.values.size() || a.starts != b.starts ||
      a.indices != b.indices)
    return false;
  double largest = 0.0, changed = 0.0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    largest = std::max(largest, std::abs(b.values[i]));
    changed = std::max(changed, std::abs(a.values[i] - b.values[i]));
  }
  return changed <= dependent_pivot * largest;
}

double row_sums(const MatrixX& matrix) {
  return matrix.cwiseAbs().rowwise().sum().maxCoeff();
}

double largest_eigenvalue(const MatrixX& matrix) {
  const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(matrix, Eigen::EigenvaluesOnly);
  return eigen.eigenvalues().maxCoeff();
}

double choices(int from, int count) {
  double product = 1.0;
  for (int i = 0; i < count; ++i) product *= static_cast<double>(from - i) / (i + 1);
  return product;
}

}  // namespace

// W, without the rows of σ. False where C makes it unsymmetric.
bool FrictionBound::fill(const ComplementarityProblem& problem) {
  const int m = problem.rows();
  width_ = static_cast<std::size_t>(m);
  rows_.scale(problem.J);
  rows_.multiply(whole_);
  const auto at = [&](int i, int j) -> double& {
    return whole_[static_cast<std::size_t>(i) * width_ + static_cast<std::size_t>(j)];
  };
  const SparseRows& C = problem.C;
  for (int i = 0; i < C.rows; ++i)
    for (int k = C.starts[i]; k < C.starts[i + 1]; ++k)
      if (role_[static_cast<std::size_t>(i)] != 2 &&
          role_[static_cast<std::size_t>(C.indices[k])] != 2)
        at(i, C.indices[k]) += C.values[k];
  double largest = 0.0, uneven = 0.0;
  for (int i = 0; i < m && !diagonal_; ++i)
    for (int j = 0; j <= i; ++j) {
      largest = std::max(largest, std::abs(at(i, j)));
      uneven = std::max(uneven, std::abs(at(i, j) - at(j, i)));
    }
  if (uneven > row_rounding * largest) return false;
  for (Contact& contact : doubtful_) {
    contact.mobility = at(contact.normal, contact.normal);
    if (!(contact.mobility > 0.0)) return false;
    contact.slip = slip_of(problem, contact);
  }
  return true;
}

// max |w_t|² <= slip · w_tᵀ W_tt⁺ w_t.
double FrictionBound::slip_of(const ComplementarityProblem& problem, const Contact& contact) const {
  const auto at = [&](int i, int j) {
    return whole_[static_cast<std::size_t>(i) * width_ + static_cast<std::size_t>(j)];
  };
  const int t = contact.first;
  if (contact.sigma < 0 && contact.count == 2) {
    const double mean = 0.5 * (at(t, t) + at(t + 1, t + 1)), half = mean - at(t, t);
    return mean + std::sqrt(half * half + at(t, t + 1) * at(t, t + 1));
  }
  double trace = 0.0;
  for (int j = t; j < t + contact.count; ++j) trace += at(j, j);
  return contact.sigma < 0 ? trace : direction_share(problem, contact) * trace;
}

// Eliminates the rows of R from W, the largest pivots first; what is left in the rows of B is S.
bool FrictionBound::eliminate_rest() {
  matrix_ = whole_;
  rest_.clear();
  order_.clear();  // rows that are left
  for (std::size_t row = 0; row < width_; ++row) {
    if (role_[row] == 2) continue;
    order_.push_back(static_cast<int>(row));
    if (role_[row] == 0) rest_.push_back(static_cast<int>(row));
  }
  const auto row_of = [&](int row) {
    return matrix_.data() + static_cast<std::size_t>(row) * width_;
  };
  while (!rest_.empty()) {
    std::size_t best = 0;
    double largest_share = -1.0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const auto row = static_cast<std::size_t>(rest_[i]);
      const double before = whole_[row * width_ + row];
      const double share = before > 0.0 ? matrix_[row * width_ + row] / before : 0.0;
      if (share > largest_share) largest_share = share, best = i;
    }
    if (largest_share <= dependent_pivot) return true;
    if (largest_share < independent) return false;
    const int pivot = rest_[best];
    rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(best));
    order_.erase(std::find(order_.begin(), order_.end(), pivot));
    const double* const from = row_of(pivot);
    const double inverse = 1.0 / from[pivot];
    for (const int row : order_) {
      double* const to = row_of(row);
      const double factor = to[pivot] * inverse;
      if (factor == 0.0) continue;
      for (const int column : order_) to[column] -= factor * from[column];
    }
  }
  return true;
}

// Cholesky's factorisation of S with pivots; order_ has those that carry first. −1 where a pivot is
// neither rounding nor more.
int FrictionBound::rank() {
  const std::size_t count = doubtful_.size();
  schur_.resize(count * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      schur_[i * count + j] = matrix_[static_cast<std::size_t>(doubtful_[i].normal) * width_ +
                                      static_cast<std::size_t>(doubtful_[j].normal)] /
                              std::sqrt(doubtful_[i].mobility * doubtful_[j].mobility);
  order_.resize(count);
  for (std::size_t i = 0; i < count; ++i) order_[i] = static_cast<int>(i);
  matrix_ = schur_;
  const auto at = [&](int i, int j) -> double& {
    return matrix_[static_cast<std::size_t>(i) * count + static_cast<std::size_t>(j)];
  };
  for (std::size_t done = 0; done < count; ++done) {
    std::size_t best = done;
    for (std::size_t i = done + 1; i < count; ++i)
      if (at(order_[i], order_[i]) > at(order_[best], order_[best])) best = i;
    std::swap(order_[done], order_[best]);
    const int pivot = order_[done];
    if (at(pivot, pivot) <= dependent_pivot) return static_cast<int>(done);
    if (at(pivot, pivot) < independent) return -1;
    for (std::size_t i = done + 1; i < count; ++i) {
      const double factor = at(order_[i], pivot) / at(pivot, pivot);
      for (std::size_t j = done + 1; j < count; ++j)
        at(order_[i], order_[j]) -= factor * at(pivot, order_[j]);
    }
  }
  return static_cast<int>(count);
}

// Whether B is that of the last problem.
bool FrictionBound::has_known_contacts() const {
  if (!known_.usable || known_.contacts.size() != doubtful_.size()) return false;
  for (std::size_t i = 0; i < doubtful_.size(); ++i) {
    const Contact &a = known_.contacts[i], &b = doubtful_[i];
    if (a.normal != b.normal || a.first != b.first || a.count != b.count || a.sigma != b.sigma)
      return false;
  }
  return true;
}

// Whether this is the problem itself but for rounding: what was made of it stands.
bool FrictionBound::is_same(const ComplementarityProblem& problem) const {
  return has_known_contacts() && problem.C.empty() && known_.without_C &&
         same_entries(problem.J, known_.J) && same_entries(problem.M, known_.M);
}

// Whether this is its W.
bool FrictionBound::has_known_matrix() const {
  if (!has_known_contacts() || known_.W.size() != whole_.size()) return false;
  const double rounding = dependent_pivot * known_.largest;
  for (std::size_t i = 0; i < width_; ++i)
    for (std::size_t j = i * width_; j <= i * width_ + i; ++j)
      if (!(std::abs(whole_[j] - known_.W[j]) <= rounding)) return false;
  return true;
}

void FrictionBound::keep(const ComplementarityProblem& problem) {
  known_.M = problem.M;
  known_.J = problem.J;
  known_.without_C = problem.C.empty();
  known_.contacts = doubtful_;
  known_.usable = true;
}

// The null vectors of S.
bool FrictionBound::find_open() {
  const auto count = static_cast<int>(doubtful_.size());
  taken_.resize(rank_, count - rank_);
  if (rank_ == count || rank_ == 0) return true;
  MatrixX carrying(rank_, rank_);
  const auto S = [&](int i, int j) {
    return schur_[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)] * count +
                                           order_[static_cast<std::size_t>(j)])];
  };
  for (int i = 0; i < rank_; ++i)
    for (int j = 0; j < count; ++j) (j < rank_ ? carrying(i, j) : taken_(i, j - rank_)) = S(i, j);
  carrying.llt().solveInPlace(taken_);
  return taken_.allFinite();
}

// Whether loads that S does not see can be passed on with their friction, and nothing else changes.
bool FrictionBound::passes_on(const ComplementarityProblem& problem) {
  const auto count = static_cast<int>(doubtful_.size());
  if (rank_ == count) return true;
  for (const Contact& contact : doubtful_)
    for (int row = contact.normal; row < contact.first + contact.count; ++row)
      for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k)
        if (problem.C.indices[k] != contact.sigma && problem.C.values[k] != 0.0) return false;
  for (int k = 0; k < count - rank_; ++k) {
    sum_.setZero(problem.unknowns());
    double size = 0.0;
    for (int i = 0; i <= rank_; ++i) {
      const int place = order_[static_cast<std::size_t>(i < rank_ ? i : rank_ + k)];
      const Contact& contact = doubtful_[static_cast<std::size_t>(place)];
      const double share = i < rank_ ? -taken_(i, k) : 1.0;
      size = std::max(size, std::abs(share));
      if (contact.fixed && std::abs(share) > row_rounding) return false;
      const double load = share / std::sqrt(contact.mobility);
      rows_.add(contact.normal, load, sum_);
      for (int j = contact.first; j < contact.first + contact.count; ++j)
        rows_.add(j, load * per_load_[j], sum_);
    }
    for (int i = 0; i < problem.unknowns(); ++i)
      if (!(std::abs(sum_[i]) <= row_rounding * size)) return false;
  }
  return true;
}

// The friction of the contacts that stick, spread over their loads with least squares: the same
// motion has these forces as well, and needs less friction.
bool FrictionBound::spread_friction(const ComplementarityProblem& problem, const VectorX& lambda) {
  const auto n = static_cast<std::size_t>(problem.unknowns());
  if (sticking_.empty()) return false;
  sum_.setZero(problem.unknowns());
  stiffness_.assign(n * n, 0.0);
  for (const Contact& contact : sticking_) {
    if (contact.fixed || contact.sigma >= 0) return false;
    for (int j = contact.first; j < contact.first + contact.count; ++j) {
      if (problem.C.starts[j] != problem.C.starts[j + 1]) return false;
      rows_.add(j, lambda[j], sum_);
      rows_.add_square(j, lambda[contact.normal], stiffness_);
    }
  }
  // Elimination with the largest diagonal entries; what has none left is free, and stays at zero.
  pivots_.clear();
  lever_ = sum_;
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, stiffness_[i * n + i]);
  role_of_unknown_.assign(n, 0);
  while (true) {
    std::size_t best = n;
    for (std::size_t i = 0; i < n; ++i)
      if (role_of_unknown_[i] == 0 &&
          (best == n || stiffness_[i * n + i] > stiffness_[best * n + best]))
        best = i;
    if (best == n || stiffness_[best * n + best] <= spread_rounding * largest) break;
    role_of_unknown_[best] = 1;
    pivots_.push_back(static_cast<int>(best));
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = stiffness_[i * n + best] / stiffness_[best * n + best];
      if (role_of_unknown_[i] != 0 || factor == 0.0) continue;
      for (std::size_t j = 0; j < n; ++j)
        stiffness_[i * n + j] -= factor * stiffness_[best * n + j];
      lever_[static_cast<Eigen::Index>(i)] -= factor * lever_[static_cast<Eigen::Index>(best)];
    }
  }
  double size = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    size = std::max(size, std::abs(sum_[k]));
    if (role_of_unknown_[i] == 0) sum_[k] = 0.0;
  }
  for (std::size_t i = 0; i < n; ++i)
    if (role_of_unknown_[i] == 0 &&
        !(std::abs(lever_[static_cast<Eigen::Index>(i)]) <= row_rounding * size))
      return false;
  for (std::size_t k = pivots_.size(); k-- > 0;) {
    const auto row = static_cast<std::size_t>(pivots_[k]);
    double value = lever_[pivots_[k]];
    for (std::size_t l = k + 1; l < pivots_.size(); ++l)
      value -= stiffness_[row * n + static_cast<std::size_t>(pivots_[l])] * sum_[pivots_[l]];
    sum_[pivots_[k]] = value / stiffness_[row * n + row];
  }
  const std::size_t first = doubtful_.size() - sticking_.size();
  for (std::size_t i = first; i < doubtful_.size(); ++i) {
    Contact& contact = doubtful_[i];
    double needed = 0.0;
    for (int j = contact.first; j < contact.first + contact.count; ++j) {
      per_load_[j] = rows_.product(j, sum_);
      needed += per_load_[j] * per_load_[j];
    }
    contact.needed = std::sqrt(needed);
    if (!(contact.needed <= contact.friction)) return false;
  }
  return true;
}

// One choice. First Σ r √(S⁻¹_ii W_tt,ii) < 2, which is as much and needs no eigenvalues.
FrictionBound::Basis FrictionBound::test(std::span<const int> basis) {
  const std::size_t count = doubtful_.size(), size = basis.size();
  lower_.resize(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    double* const row = lower_.data() + i * size;
    const double* const from = schur_.data() + static_cast<std::size_t>(basis[i]) * count;
    double rest = from[basis[i]];
    for (std::size_t j = 0; j < i; ++j) {
      double sum = from[basis[j]];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * lower_[j * size + k];
      row[j] = sum * lower_[j * size + j];
      rest -= row[j] * row[j];
    }
    if (rest <= dependent_pivot) return Basis::none;
    if (rest < independent) return Basis::large;
    row[i] = 1.0 / std::sqrt(rest);
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < size; ++i) {  // column i of L⁻¹ has the squares of S⁻¹_ii
    double squares = 0.0;
    double* const column = matrix_.data();
    for (std::size_t j = i; j < size; ++j) {
      double value = j == i ? 1.0 : 0.0;
      for (std::size_t k = i; k < j; ++k) value -= lower_[j * size + k] * column[k];
      column[j] = value * lower_[j * size + j];
      squares += column[j] * column[j];
    }
    const Contact& contact = doubtful_[static_cast<std::size_t>(basis[i])];
    sum += contact.needed * std::sqrt(squares / contact.mobility * contact.slip);
  }
  if (sum < 2.0 * (1.0 - margin)) {
    ratio_ = std::max(ratio_, 0.5 * sum);
    return Basis::small;
  }
  return test_exactly(basis) ? Basis::small : Basis::large;
}

bool FrictionBound::test_exactly(std::span<const int> basis) {
  const auto size = static_cast<Eigen::Index>(basis.size());
  const auto contact_of = [&](Eigen::Index i) -> const Contact& {
    return doubtful_[static_cast<std::size_t>(basis[static_cast<std::size_t>(i)])];
  };
  MatrixX block(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j)
      block(i, j) =
          schur_[static_cast<std::size_t>(basis[static_cast<std::size_t>(i)]) * doubtful_.size() +
                 static_cast<std::size_t>(basis[static_cast<std::size_t>(j)])];
  MatrixX loads = block.llt().solve(MatrixX::Identity(size, size));
  std::vector<int> rows;
  std::vector<double> units;
  for (Eigen::Index i = 0; i < size; ++i) {
    const Contact& contact = contact_of(i);
    double trace = 0.0;
    for (int j = contact.first; j < contact.first + contact.count; ++j)
      trace += whole_[static_cast<std::size_t>(j) * width_ + static_cast<std::size_t>(j)];
    // What the sum over the directions of a pyramid counts.
    const double share = contact.sigma < 0 ? 1.0 : contact.slip / trace;
    const double alpha = std::sqrt(share * trace * contact.mobility / loads(i, i));
    if (!(alpha > 0.0)) return false;
    const double of_load = std::sqrt(contact.needed * alpha / contact.mobility);
    loads.row(i) *= of_load;
    loads.col(i) *= of_load;
    for (int j = contact.first; j < contact.first + contact.count; ++j) {
      rows.push_back(j);
      units.push_back(std::sqrt(share * contact.needed / alpha));
    }
  }
  const auto tangents = static_cast<Eigen::Index>(rows.size());
  MatrixX slips(tangents, tangents);
  for (Eigen::Index i = 0; i < tangents; ++i)
    for (Eigen::Index j = 0; j < tangents; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      slips(i, j) =
          units[a] * units[b] *
          whole_[static_cast<std::size_t>(rows[a]) * width_ + static_cast<std::size_t>(rows[b])];
    }
  constexpr double limit = 4.0 * (1.0 - margin);
  double a = row_sums(loads), b = row_sums(slips);
  if (a * b >= limit) a = largest_eigenvalue(loads);
  if (a * b >= limit) b = largest_eigenvalue(slips);
  ratio_ = std::max(ratio_, 0.5 * std::sqrt(a * b));
  return a * b < limit;
}

// By what is known of this W, or else by all choices.
bool FrictionBound::is_below() {
  if (known_.ratio > 0.0) {
    double share = 0.0;
    for (std::size_t i = 0; i < doubtful_.size(); ++i)
      if (doubtful_[i].needed > 0.0)
        share = std::max(
            share, known_.needed[i] > 0.0 ? doubtful_[i].needed / known_.needed[i] : infinity);
    if (share * known_.ratio < known_margin) {
      ratio_ = share * known_.ratio;
      return true;
    }
  }
  if (!test_all()) return false;
  known_.ratio = ratio_;
  known_.needed.clear();
  for (const Contact& contact : doubtful_) known_.needed.push_back(contact.needed);
  return true;
}

// All choices of contacts that carry the loads of the others.
bool FrictionBound::test_all() {
  const auto count = static_cast<int>(doubtful_.size());
  ratio_ = 0.0;
  basis_.resize(static_cast<std::size_t>(rank_));
  for (int i = 0; i < rank_; ++i) basis_[static_cast<std::size_t>(i)] = i;
  if (rank_ == count) return test(basis_) == Basis::small;
  if (choices(count, rank_) > most_bases) {
    ratio_ = infinity;
    return false;
  }
  while (true) {
    if (test(basis_) == Basis::large) return false;
    int place = rank_ - 1;  // the last one that can move on
    while (place >= 0 && basis_[static_cast<std::size_t>(place)] == count - rank_ + place) --place;
    if (place < 0) return true;
    int next = ++basis_[static_cast<std::size_t>(place)];
    while (++place < rank_) basis_[static_cast<std::size_t>(place)] = ++next;
  }
}

}  // namespace vinci
