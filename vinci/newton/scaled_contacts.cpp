// SPDX-License-Identifier: Apache-2.0
#include "vinci/newton/scaled_contacts.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

constexpr double least_friction = 1e-6;  // below it the cone's unit is lost in rounding: refused
// Of the diagonal: what rounding leaves of the symmetry of M.
constexpr double most_skew = 1e-12;

template <int count>
using Run = Eigen::Map<Eigen::Matrix<double, count, 1>>;
template <int count>
using ConstantRun = Eigen::Map<const Eigen::Matrix<double, count, 1>>;

template <int count>
Run<count> run(double* first) {
  return Run<count>(first);
}
template <int count>
ConstantRun<count> run(const double* first) {
  return ConstantRun<count>(first);
}

// What is done with the rows of one contact and the velocities of one body.
template <int rows, int count>
struct Piecewise {
  // out += Aᵀ B by columns; A and B have rows `stride` apart.
  static void add_transposed(const double* A, const double* B, int stride, double* out) {
    for (int j = 0; j < count; ++j, ++B, out += count) {
      if constexpr (rows == 3)
        run<count>(out) += B[0] * run<count>(A) + B[stride] * run<count>(A + stride) +
                           B[2 * stride] * run<count>(A + 2 * stride);
      else
        run<count>(out) += B[0] * run<count>(A) + B[stride] * run<count>(A + stride);
    }
  }
  // out = E A.
  static void multiply(const double* E, const double* A, int stride, double* out) {
    for (int i = 0; i < rows; ++i, E += rows, out += stride) {
      if constexpr (rows == 3)
        run<count>(out) = E[0] * run<count>(A) + E[1] * run<count>(A + stride) +
                          E[2] * run<count>(A + 2 * stride);
      else
        run<count>(out) = E[0] * run<count>(A) + E[1] * run<count>(A + stride);
    }
  }
  // w += A v.
  static void add_velocity(const double* A, int stride, const double* v, double* w) {
    for (int i = 0; i < rows; ++i, A += stride) w[i] += run<count>(A).dot(run<count>(v));
  }
  // v += Aᵀ x.
  static void add_impulse(const double* A, int stride, const double* x, double* v) {
    if constexpr (rows == 3)
      run<count>(v) +=
          x[0] * run<count>(A) + x[1] * run<count>(A + stride) + x[2] * run<count>(A + 2 * stride);
    else
      run<count>(v) += x[0] * run<count>(A) + x[1] * run<count>(A + stride);
  }
};
using InSpace = Piecewise<3, 6>;
using InPlane = Piecewise<2, 3>;

bool in_space(int rows, int count) {
  return rows == 3 && count == 6;
}
bool in_plane(int rows, int count) {
  return rows == 2 && count == 3;
}

void add_transposed(int rows, int na, int nb, const double* A, const double* B, int stride,
                    double* out) {
  if (na == nb && in_space(rows, na)) return InSpace::add_transposed(A, B, stride, out);
  if (na == nb && in_plane(rows, na)) return InPlane::add_transposed(A, B, stride, out);
  for (int j = 0; j < nb; ++j, out += na)
    for (int k = 0; k < rows; ++k)
      for (int i = 0; i < na; ++i) out[i] += A[k * stride + i] * B[k * stride + j];
}

// L in the place of a symmetric positive matrix, row-major.
bool factor_mass(int size, double* L) {
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < i; ++j)
      if (std::abs(L[i * size + j] - L[j * size + i]) >
          most_skew * (std::abs(L[i * size + i]) + std::abs(L[j * size + j])))
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
  return true;
}

// x ← L⁻¹x.
void divide(int size, const double* L, double* x) {
  for (int i = 0; i < size; ++i, L += size) {
    for (int k = 0; k < i; ++k) x[i] -= L[k] * x[k];
    x[i] /= L[i];
  }
}

}  // namespace

// Velocities that M couples, or that the same blocks act on, are those of one body.
void ScaledContacts::find_bodies(const ComplementarityProblem& problem, const MassFactor& mass) {
  const int count = mass.component_count();
  signature_.assign(static_cast<std::size_t>(count), 0);
  seen_.assign(static_cast<std::size_t>(count), -1);
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    const Block& block = problem.blocks[b];
    const int end = problem.J.starts[block.offset + block.size];
    for (int k = problem.J.starts[block.offset]; k < end; ++k) {
      const int c = mass.component_of(problem.J.indices[k]);
      if (seen_[c] == static_cast<int>(b)) continue;
      seen_[c] = static_cast<int>(b);
      signature_[c] = (signature_[c] ^ (b + 1)) * 0x9E3779B97F4A7C15u;
    }
  }
  starts_.assign(1, 0);
  body_.resize(static_cast<std::size_t>(problem.unknowns()));
  place_.resize(body_.size());
  for (int c = 0; c < count;) {
    const std::uint64_t own = signature_[c];
    int place = starts_.back();
    do {
      for (const int unknown : mass.members(c)) {
        body_[unknown] = static_cast<int>(starts_.size()) - 1;
        place_[unknown] = place++;
      }
      ++c;
    } while (own != 0 && c < count && signature_[c] == own);  // 0: nothing acts on it
    starts_.push_back(place);
  }
}

// The Cholesky factors of the bodies' blocks, and what p alone moves.
bool ScaledContacts::read_mass(const ComplementarityProblem& problem, const Judge& judge) {
  const SparseRows& M = problem.M;
  if (!judge.regular() || !judge.mass().block_diagonal()) return false;
  find_bodies(problem, judge.mass());
  root_starts_.assign(1, 0);
  for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
    const int size = starts_[b + 1] - starts_[b];
    root_starts_.push_back(root_starts_.back() + size * size);
  }
  roots_.assign(static_cast<std::size_t>(root_starts_.back()), 0.0);
  free_.resize(starts_.back());
  for (int row = 0; row < M.rows; ++row) {
    const int body = body_[row], size = starts_[body + 1] - starts_[body];
    double* const own =
        roots_.data() + root_starts_[body] + (place_[row] - starts_[body]) * size - starts_[body];
    for (int k = M.starts[row]; k < M.starts[row + 1]; ++k) own[place_[M.indices[k]]] = M.values[k];
    free_[place_[row]] = problem.p[row];
  }
  for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
    const int size = starts_[b + 1] - starts_[b];
    double* const L = roots_.data() + root_starts_[b];  // row-major
    if (!factor_mass(size, L)) return false;
    divide(size, L, free_.data() + starts_[b]);
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
  contact.cosine = 1.0 / std::hypot(1.0, block.friction);
  switch (block.law) {
    case Law::equality:
      contact.kind = Kind::free;
      for (int i = 0; i < block.size; ++i, ++contact.row)
        if (!add_contact(problem, contact)) return false;
      return true;
    case Law::nonnegative:
      return add_contact(problem, contact);
    case Law::coulomb:
      if (block.friction > 0.0) {
        if (block.friction < least_friction) return false;
        contact.kind = Kind::cone;
        contact.rows = block.size;
      }
      return add_contact(problem, contact);
    default:
      return false;
  }
}

bool ScaledContacts::add_contact(const ComplementarityProblem& problem, Contact contact) {
  contact.first = row_count_;
  row_count_ += contact.rows;
  contact.piece = static_cast<int>(pieces_.size());
  for (int row = contact.row; row < contact.row + contact.rows; ++row) {
    for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k) {
      const int body = body_[problem.J.indices[k]];
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
  gather_panel(problem, contact);
  contact.link = static_cast<int>(pairs_.size());
  for (int i = contact.piece; i < contact.piece_end; ++i)
    for (int j = contact.piece; j < i; ++j) pairs_.emplace_back(pieces_[j].body, pieces_[i].body);
  cones_ += contact.kind != Kind::free;
  contacts_.push_back(contact);
  return true;
}

// The rows of J, divided by L and by the units.
void ScaledContacts::gather_panel(const ComplementarityProblem& problem, const Contact& contact) {
  for (int i = 0; i < contact.rows; ++i) {
    const int row = contact.row + i;
    const double unit = 1.0 / contact.unit(i);
    double* at = panel_.data() + contact.panel + i * contact.width;
    for (int p = contact.piece; p < contact.piece_end; at += pieces_[p].size, ++p) {
      const Piece& piece = pieces_[p];
      for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
        if (body_[problem.J.indices[k]] == piece.body)
          at[place_[problem.J.indices[k]] - piece.first] = problem.J.values[k] * unit;
      divide(piece.size, roots_.data() + root_starts_[piece.body], at);
    }
  }
}

// Each pair of bodies once. The contacts of a pair follow each other as a rule.
void ScaledContacts::find_links() {
  graph_.clear();
  for (const FrontalCholesky::Link& pair : pairs_)
    if (graph_.empty() || graph_.back() != pair) graph_.push_back(pair);
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
  w.setZero(row_count_);
  for (const Contact& contact : contacts_) {
    const double* row = panel_.data() + contact.panel;
    double* const own = w.data() + contact.first;
    for (int p = contact.piece; p < contact.piece_end; row += pieces_[p].size, ++p) {
      const double* const from = v.data() + pieces_[p].first;
      if (in_space(contact.rows, pieces_[p].size))
        InSpace::add_velocity(row, contact.width, from, own);
      else if (in_plane(contact.rows, pieces_[p].size))
        InPlane::add_velocity(row, contact.width, from, own);
      else
        for (int i = 0; i < contact.rows; ++i)
          for (int j = 0; j < pieces_[p].size; ++j) own[i] += row[i * contact.width + j] * from[j];
    }
  }
}

void ScaledContacts::add_impulses(const VectorX& x, VectorX& v) const {
  for (const Contact& contact : contacts_) {
    const double* row = panel_.data() + contact.panel;
    const double* const own = x.data() + contact.first;
    for (int p = contact.piece; p < contact.piece_end; row += pieces_[p].size, ++p) {
      double* const to = v.data() + pieces_[p].first;
      if (in_space(contact.rows, pieces_[p].size))
        InSpace::add_impulse(row, contact.width, own, to);
      else if (in_plane(contact.rows, pieces_[p].size))
        InPlane::add_impulse(row, contact.width, own, to);
      else
        for (int i = 0; i < contact.rows; ++i)
          for (int j = 0; j < pieces_[p].size; ++j) to[j] += own[i] * row[i * contact.width + j];
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
    product_.resize(static_cast<std::size_t>(rows * width));  // E J
    for (int p = contact.piece, first = 0; p < contact.piece_end; first += pieces_[p].size, ++p) {
      const int size = pieces_[p].size;
      double* const out = product_.data() + first;
      if (in_space(rows, size))
        InSpace::multiply(D, J + first, width, out);
      else if (in_plane(rows, size))
        InPlane::multiply(D, J + first, width, out);
      else
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < size; ++j) {
            out[i * width + j] = 0.0;
            for (int k = 0; k < rows; ++k)
              out[i * width + j] += D[i * rows + k] * J[k * width + first + j];
          }
    }
    D += rows * rows;
    int link = contact.link, at = 0;
    for (int p = contact.piece; p < contact.piece_end; at += pieces_[p].size, ++p) {
      const int size = pieces_[p].size;
      int before = 0;
      for (int q = contact.piece; q < p; before += pieces_[q].size, ++q)
        add_transposed(rows, pieces_[q].size, size, J + before, product_.data() + at, width,
                       matrix_.between(static_cast<std::size_t>(links_[link++])));
      add_transposed(rows, size, size, J + at, product_.data() + at, width,
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

namespace {

// |x − P(x − ŵ)|² of a friction cone, x and w in the units of the law but for √s.
double cone_distance(const ScaledContacts::Contact& contact, const double* x, const double* w) {
  const double mu = contact.friction;
  double slip = 0.0, target_t = 0.0, own_t = 0.0, target[ScaledContacts::largest];
  for (int i = 1; i < contact.rows; ++i) {
    target[i] = x[i] - w[i];
    slip += w[i] * w[i];
    target_t += target[i] * target[i];
    own_t += x[i] * x[i];
  }
  const double normal = x[0] / mu;
  target[0] = normal - mu * (w[0] + std::sqrt(slip));
  target_t = std::sqrt(target_t);
  double share = 1.0;  // of target_t
  if (mu * target_t <= -target[0]) {
    return normal * normal + own_t;
  } else if (!(target[0] >= 0.0 && target_t <= mu * target[0])) {
    const double along = (target[0] + mu * target_t) * contact.cosine * contact.cosine;
    target[0] = along;
    share = along * mu / target_t;
  }
  double sum = (normal - target[0]) * (normal - target[0]);
  for (int i = 1; i < contact.rows; ++i) {
    const double r = x[i] - share * target[i];
    sum += r * r;
  }
  return sum;
}

}  // namespace

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
      sum = cone_distance(contact, own, speed);
    }
    total += contact.root * contact.root * sum;
  }
  return std::sqrt(total);
}

}  // namespace vinci
