// SPDX-License-Identifier: Apache-2.0
#include "vinci/newton/scaled_contacts.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/law_coulomb.h"

namespace vinci {
namespace {

constexpr double least_friction = 1e-6;  // below it the cone's unit is lost in rounding: refused

// out += Aᵀ B by columns; A and B have `rows` rows `stride` apart.
template <int rows, int count>
void add_transposed(const double* A, const double* B, int stride, double* out) {
  using Column = Eigen::Map<Eigen::Matrix<double, count, 1>>;
  using Row = Eigen::Map<const Eigen::Matrix<double, count, 1>>;
  for (int j = 0; j < count; ++j, out += count)
    for (int k = 0; k < rows; ++k) Column(out) += B[k * stride + j] * Row(A + k * stride);
}

void add_any_transposed(int rows, int na, int nb, const double* A, const double* B, int stride,
                        double* out) {
  if (na == nb && na == 6 && rows == 3) return add_transposed<3, 6>(A, B, stride, out);
  if (na == nb && na == 3 && rows == 2) return add_transposed<2, 3>(A, B, stride, out);
  for (int j = 0; j < nb; ++j, out += na)
    for (int k = 0; k < rows; ++k)
      for (int i = 0; i < na; ++i) out[i] += A[k * stride + i] * B[k * stride + j];
}

}  // namespace

// The Cholesky factors of the bodies' blocks, and M⁻¹p.
bool ScaledContacts::read_mass(const ComplementarityProblem& problem, const Judge& judge) {
  const MassFactor& mass = judge.mass();
  if (!judge.regular() || !mass.block_diagonal()) return false;
  const int count = mass.component_count();
  starts_.assign(1, 0);
  root_starts_.assign(1, 0);
  for (int c = 0; c < count; ++c) {
    const int size = static_cast<int>(mass.members(c).size());
    starts_.push_back(starts_.back() + size);
    root_starts_.push_back(root_starts_.back() + size * size);
  }
  roots_.assign(static_cast<std::size_t>(root_starts_.back()), 0.0);
  free_.resize(starts_.back());
  for (int c = 0; c < count; ++c) {
    const std::span<const int> members = mass.members(c);
    const int size = static_cast<int>(members.size());
    double* const L = roots_.data() + root_starts_[c];  // row-major
    for (int i = 0; i < size; ++i)
      for (int k = problem.M.starts[members[i]]; k < problem.M.starts[members[i] + 1]; ++k)
        L[i * size + mass.position_of(problem.M.indices[k])] = problem.M.values[k];
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < i; ++j)
        if (std::abs(L[i * size + j] - L[j * size + i]) >
            1e-12 * (std::abs(L[i * size + i]) + std::abs(L[j * size + j])))
          return false;
    for (int j = 0; j < size; ++j) {
      for (int k = 0; k < j; ++k) L[j * size + j] -= L[j * size + k] * L[j * size + k];
      if (!(L[j * size + j] > 0.0)) return false;
      L[j * size + j] = std::sqrt(L[j * size + j]);
      for (int i = j + 1; i < size; ++i) {
        for (int k = 0; k < j; ++k) L[i * size + j] -= L[i * size + k] * L[j * size + k];
        L[i * size + j] /= L[j * size + j];
      }
    }
    double* const v = free_.data() + starts_[c];
    for (int i = 0; i < size; ++i) {
      v[i] = problem.p[members[i]];
      for (int k = 0; k < i; ++k) v[i] -= L[i * size + k] * v[k];
      v[i] /= L[i * size + i];
    }
  }
  return true;
}

bool ScaledContacts::read_block(const ComplementarityProblem& problem, const Judge& judge,
                                const Block& block) {
  Contact contact;
  contact.row = block.offset;
  const double scale = judge.scales()[block.offset];
  for (int i = block.offset; i < block.offset + block.size; ++i)
    if (!(scale > 0.0) || judge.weights()[i] != 1.0) return false;
  contact.root = std::sqrt(scale);
  contact.friction = block.friction;
  switch (block.law) {
    case Law::equality:
      contact.kind = Kind::free;
      for (int i = 0; i < block.size; ++i, ++contact.row)
        if (!add_contact(problem, judge.mass(), contact)) return false;
      return true;
    case Law::nonnegative:
      return add_contact(problem, judge.mass(), contact);
    case Law::coulomb:
      if (block.friction > 0.0) {
        if (block.friction < least_friction) return false;
        contact.kind = Kind::cone;
        contact.rows = block.size;
      }
      return add_contact(problem, judge.mass(), contact);
    default:
      return false;
  }
}

bool ScaledContacts::add_contact(const ComplementarityProblem& problem, const MassFactor& mass,
                                 Contact contact) {
  contact.first = row_count_;
  row_count_ += contact.rows;
  contact.piece = static_cast<int>(pieces_.size());
  for (int row = contact.row; row < contact.row + contact.rows; ++row) {
    for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k) {
      const int body = mass.component_of(problem.J.indices[k]);
      bool known = false;
      for (std::size_t i = static_cast<std::size_t>(contact.piece); i < pieces_.size(); ++i)
        known = known || pieces_[i].body == body;
      if (!known) pieces_.push_back({body, starts_[body], starts_[body + 1] - starts_[body]});
    }
    for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k)
      if (problem.C.indices[k] != row && problem.C.values[k] != 0.0) return false;
  }
  std::sort(pieces_.begin() + contact.piece, pieces_.end(),
            [](const Piece& a, const Piece& b) { return a.body < b.body; });
  contact.piece_end = static_cast<int>(pieces_.size());
  contact.panel = static_cast<int>(panel_.size());
  for (int i = contact.piece; i < contact.piece_end; ++i) contact.width += pieces_[i].size;
  panel_.resize(panel_.size() + static_cast<std::size_t>(contact.rows * contact.width), 0.0);
  if (!gather_panel(problem, mass, contact)) return false;
  contact.link = static_cast<int>(pairs_.size());
  for (int i = contact.piece; i < contact.piece_end; ++i)
    for (int j = contact.piece; j < i; ++j) pairs_.emplace_back(pieces_[j].body, pieces_[i].body);
  cones_ += contact.kind != Kind::free;
  contacts_.push_back(contact);
  return true;
}

// The rows of J, divided by L and by the units.
bool ScaledContacts::gather_panel(const ComplementarityProblem& problem, const MassFactor& mass,
                                  const Contact& contact) {
  for (int i = 0; i < contact.rows; ++i) {
    const int row = contact.row + i;
    double* at = panel_.data() + contact.panel + i * contact.width;
    int k = problem.J.starts[row];
    const int end = problem.J.starts[row + 1];
    const double unit = 1.0 / contact.unit(i);
    for (int p = contact.piece; p < contact.piece_end; ++p) {
      const Piece& piece = pieces_[p];
      for (int e = k; e < end; ++e)
        if (mass.component_of(problem.J.indices[e]) == piece.body)
          at[mass.position_of(problem.J.indices[e])] = problem.J.values[e] * unit;
      const double* const L = roots_.data() + root_starts_[piece.body];
      for (int j = 0; j < piece.size; ++j) {
        for (int m = 0; m < j; ++m) at[j] -= L[j * piece.size + m] * at[m];
        at[j] /= L[j * piece.size + j];
      }
      at += piece.size;
    }
  }
  return true;
}

// Each pair of bodies once.
void ScaledContacts::find_links() {
  graph_ = pairs_;
  std::sort(graph_.begin(), graph_.end());
  graph_.erase(std::unique(graph_.begin(), graph_.end()), graph_.end());
  links_.resize(pairs_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    links_[i] = i > 0 && pairs_[i] == pairs_[i - 1]
                    ? links_[i - 1]
                    : static_cast<int>(std::lower_bound(graph_.begin(), graph_.end(), pairs_[i]) -
                                       graph_.begin());
}

bool ScaledContacts::read(const ComplementarityProblem& problem, const Judge& judge) {
  contacts_.clear(), pieces_.clear(), panel_.clear(), pairs_.clear();
  row_count_ = cones_ = 0;
  if (problem.unknowns() == 0 || !read_mass(problem, judge)) return false;
  for (const Block& block : problem.blocks)
    if (!read_block(problem, judge, block)) return false;
  bias_.resize(row_count_);
  compliance_.resize(row_count_);
  for (const Contact& contact : contacts_)
    for (int i = 0; i < contact.rows; ++i) {
      bias_[contact.first + i] = problem.b[contact.row + i] / contact.unit(i);
      compliance_[contact.first + i] =
          problem.C.empty() ? 0.0
                            : problem.C.diagonal(contact.row + i) * compliance_unit(contact, i);
    }
  find_links();
  matrix_.analyse(graph_, starts_);
  return true;
}

void ScaledContacts::velocities(const VectorX& v, VectorX& w) const {
  w.resize(row_count_);
  for (const Contact& contact : contacts_) {
    const double* row = panel_.data() + contact.panel;
    for (int i = 0; i < contact.rows; ++i) {
      double sum = 0.0;
      for (int p = contact.piece; p < contact.piece_end; ++p) {
        const double* const own = v.data() + pieces_[p].first;
        for (int j = 0; j < pieces_[p].size; ++j) sum += row[j] * own[j];
        row += pieces_[p].size;
      }
      w[contact.first + i] = sum;
    }
  }
}

void ScaledContacts::add_impulses(const VectorX& x, VectorX& v) const {
  for (const Contact& contact : contacts_) {
    const double* row = panel_.data() + contact.panel;
    for (int i = 0; i < contact.rows; ++i) {
      const double factor = x[contact.first + i];
      for (int p = contact.piece; p < contact.piece_end; ++p) {
        double* const own = v.data() + pieces_[p].first;
        for (int j = 0; j < pieces_[p].size; ++j) own[j] += factor * row[j];
        row += pieces_[p].size;
      }
    }
  }
}

bool ScaledContacts::factor(const std::vector<double>& E) {
  matrix_.clear();
  for (std::size_t body = 0; body + 1 < starts_.size(); ++body) {
    const int size = starts_[body + 1] - starts_[body];
    double* const block = matrix_.diagonal(static_cast<int>(body));
    for (int i = 0; i < size; ++i) block[i * size + i] = 1.0;
  }
  const double* D = E.data();
  for (const Contact& contact : contacts_) {
    const int rows = contact.rows, width = contact.width;
    const double* const J = panel_.data() + contact.panel;
    product_.assign(static_cast<std::size_t>(rows * width), 0.0);  // E J
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < rows; ++k)
        Eigen::Map<VectorX>(product_.data() + i * width, width) +=
            D[i * rows + k] * Eigen::Map<const VectorX>(J + k * width, width);
    D += rows * rows;
    int link = contact.link, at = 0;
    for (int p = contact.piece; p < contact.piece_end; at += pieces_[p].size, ++p) {
      const int size = pieces_[p].size;
      int before = 0;
      for (int q = contact.piece; q < p; before += pieces_[q].size, ++q)
        add_any_transposed(rows, pieces_[q].size, size, J + before, product_.data() + at, width,
                           matrix_.between(static_cast<std::size_t>(links_[link++])));
      add_any_transposed(rows, size, size, J + at, product_.data() + at, width,
                         matrix_.diagonal(pieces_[p].body));
    }
  }
  return matrix_.factor();
}

void ScaledContacts::load(const VectorX& lambda, VectorX& x) const {
  x.resize(row_count_);
  for (const Contact& contact : contacts_)
    for (int i = 0; i < contact.rows; ++i)
      x[contact.first + i] = lambda[contact.row + i] * contact.unit(i);
}

void ScaledContacts::store(const VectorX& x, VectorX& lambda) const {
  lambda.setZero();
  for (const Contact& contact : contacts_)
    for (int i = 0; i < contact.rows; ++i)
      lambda[contact.row + i] = x[contact.first + i] / contact.unit(i);
}

double ScaledContacts::distance(const VectorX& x, const VectorX& w) const {
  double total = 0.0;
  for (const Contact& contact : contacts_) {
    const double *const own = x.data() + contact.first, *const speed = w.data() + contact.first;
    double sum = 0.0;
    if (contact.kind == Kind::free) {
      sum = speed[0] * speed[0];
    } else if (contact.kind == Kind::ray) {
      const double r = std::min(own[0], speed[0]);
      sum = r * r;
    } else {
      const double mu = contact.friction;
      const double slip = law::norm(contact.rows - 1, speed + 1);
      double target[largest], r0 = own[0] / mu;
      target[0] = r0 - mu * (speed[0] + slip);
      for (int i = 1; i < contact.rows; ++i) target[i] = own[i] - speed[i];
      law::project_cone(contact.rows, target, mu);
      sum = (r0 - target[0]) * (r0 - target[0]);
      for (int i = 1; i < contact.rows; ++i) sum += (own[i] - target[i]) * (own[i] - target[i]);
    }
    total += contact.root * contact.root * sum;
  }
  return std::sqrt(total);
}

}  // namespace vinci
