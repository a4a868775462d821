// SPDX-License-Identifier: Apache-2.0
// Newton on the identified active set.
#include "vinci/newton/active_set_polish.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseLU>

#include "vinci/complementarity/law_moments.h"
#include "vinci/complementarity/laws.h"

namespace vinci {

struct ActiveSetPolish::Sparse {
  using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
  std::vector<Eigen::Triplet<double, int>> entries;
  Matrix matrix;
  Eigen::SparseLU<Matrix> lu;
};

namespace {

// Up to this size a dense factorisation is faster than a sparse one.
constexpr int largest_dense = 90;
// ρ of the proximal term: small against every stiffness that matters, large against rounding, so
// that a step gains about eight digits; the larger ones are for sets whose equations contradict.
constexpr double proximities[] = {1e-9, 1e-5, 1e-2};
constexpr int most_failures = 3;  // steps in a row: one for each ρ

void to_limit(int size, double* x, double radius) {
  const double length = law::norm(size, x);
  for (int i = 0; i < size && length > 0.0; ++i) x[i] *= radius / length;
}

// Unit vectors at right angles to the unit vector d of `size` entries and to each other.
void turns_of(int size, const double* d, double across[2][3]) {
  if (size == 2) {
    across[0][0] = -d[1], across[0][1] = d[0];
    return;
  }
  int least = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(d[i]) < std::abs(d[least])) least = i;
  const Vector3 along(d[0], d[1], d[2]);
  const Vector3 first = along.cross(Vector3::Unit(least)).normalized();
  const Vector3 second = along.cross(first);
  for (int i = 0; i < 3; ++i) across[0][i] = first[i], across[1][i] = second[i];
}

}  // namespace

ActiveSetPolish::ActiveSetPolish() : sparse_(std::make_unique<Sparse>()) {}
ActiveSetPolish::~ActiveSetPolish() = default;

// ---------------------------------------------------------------------------------- the active set

int ActiveSetPolish::add_unknown(double scale) {
  scale_.push_back(scale);
  slip_.push_back(0.0);
  return static_cast<int>(scale_.size()) - 1;
}

void ActiveSetPolish::fix(int row, int unknown) {
  force_[row].add(unknown, 1.0);
  equation_[row].add(unknown, 1.0);
}

void ActiveSetPolish::classify(const ComplementarityProblem& problem, const Judge& judge,
                               const std::vector<Contact>* contacts, VectorX& lambda) {
  force_.assign(static_cast<std::size_t>(problem.rows()), {});
  equation_.assign(static_cast<std::size_t>(problem.rows()), {});
  sliding_.assign(problem.blocks.size(), 0);
  scale_.clear();
  slip_.clear();
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const Block& block = problem.blocks[i];
    const double scale = judge.scales()[block.offset], weight = judge.weights()[block.offset];
    const std::size_t before = scale_.size();
    const Contact contact = contacts ? (*contacts)[i] : Contact::natural;
    switch (block.law) {
      case Law::equality:
        for (int row = block.offset; row < block.offset + block.size; ++row)
          fix(row, add_unknown(scale));
        break;
      case Law::nonnegative:
      case Law::box:
        classify_scalar(block, scale, weight, contact, judge.w(), lambda);
        break;
      case Law::ball:
        classify_ball(block, scale, contact, judge.w(), lambda);
        break;
      case Law::coulomb:
      case Law::second_order:
        classify_cone(block, scale, contact, judge.w(), lambda);
        break;
      case Law::moments:
        sliding_[i] =
            classify_moments(block, &judge.scales()[block.offset], contact, judge.w(), lambda);
        continue;
    }
    const bool cone = block.law == Law::coulomb || block.law == Law::second_order;
    const bool free = equation_[block.offset].count == 1 && block.size > 1 &&
                      force_[block.offset + 1].count == 1 &&
                      scale_.size() - before == static_cast<std::size_t>(block.size);
    sliding_[i] = cone && scale_.size() > before && !free;
  }
}

void ActiveSetPolish::classify_scalar(const Block& block, double scale, double weight,
                                      Contact contact, const VectorX& w, VectorX& lambda) {
  const int row = block.offset;
  const bool box = block.law == Law::box;
  const double lower = box ? block.lower : 0.0;
  const double upper = box ? block.upper : std::numeric_limits<double>::infinity();
  const double target = scale * lambda[row] - weight * w[row];
  if (contact == Contact::natural)
    contact = target <= scale * lower   ? Contact::open
              : target >= scale * upper ? Contact::slide
                                        : Contact::stick;
  if (contact == Contact::open)
    lambda[row] = lower;
  else if (contact == Contact::slide)
    lambda[row] = upper;
  else
    fix(row, add_unknown(scale / weight));
}

void ActiveSetPolish::classify_cone(const Block& block, double scale, Contact contact,
                                    const VectorX& w, VectorX& lambda) {
  const int row = block.offset, tangents = block.size - 1;
  double target[3];
  for (int i = 0; i <= tangents; ++i) target[i] = scale * lambda[row + i] - w[row + i];
  const double mu = block.friction, length = law::norm(tangents, target + 1);
  const bool open = block.law == Law::coulomb ? target[0] <= 0.0 : mu * length <= -target[0];
  if (contact == Contact::natural)
    contact = open                                   ? Contact::open
              : length <= mu * target[0] && mu > 0.0 ? Contact::stick
                                                     : Contact::slide;
  if (contact == Contact::open) {
    lambda.segment(row, block.size).setZero();
  } else if (contact == Contact::stick) {
    for (int i = 0; i <= tangents; ++i) fix(row + i, add_unknown(scale));
  } else {
    double direction[2] = {1.0, 0.0}, along = 0.0;
    const double alpha = std::max(lambda[row], 0.0);
    lambda[row] = alpha;
    for (int i = 0; i < tangents; ++i) {
      if (length > 0.0) direction[i] = target[1 + i] / length;
      lambda[row + 1 + i] = mu * alpha * direction[i];
      along -= direction[i] * w[row + 1 + i];
    }
    slide(block, scale, direction, std::max(along, 0.0) / (mu * alpha));
  }
}

void ActiveSetPolish::slide(const Block& block, double scale, const double* direction,
                            double slip) {
  const int row = block.offset;
  const double mu = block.friction;
  const int normal = add_unknown(scale);
  force_[row].add(normal, 1.0);
  equation_[row].add(normal, 1.0);
  for (int i = 0; i + 1 < block.size; ++i) {
    force_[row + 1 + i].add(normal, mu * direction[i]);
    // The relaxation is associated: its equation is that w ⟂ (1, μ d).
    if (block.law == Law::second_order) equation_[row + 1 + i].add(normal, mu * direction[i]);
  }
  if (block.size < 3 || !std::isfinite(slip)) return;
  const int turning = add_unknown(scale);
  slip_[turning] = slip;
  const double tangent[2] = {-direction[1], direction[0]};
  for (int i = 0; i < 2; ++i) {
    force_[row + 1 + i].add(turning, tangent[i]);
    equation_[row + 1 + i].add(turning, tangent[i]);
  }
}

struct ActiveSetPolish::Limited {
  int first, count;      // rows
  double limit, radius;  // μ, and μ λ_n
  double scale;          // of the diagonal of W
  double target[3];      // s λ − w
};

// λ = limit λ_n d along the target, and where there are several rows d may turn.
void ActiveSetPolish::yield(const Limited& part, int normal, const VectorX& w, VectorX& lambda) {
  const double length = law::norm(part.count, part.target);
  double direction[3] = {1.0, 0.0, 0.0}, along = 0.0;
  for (int i = 0; i < part.count; ++i) {
    if (length > 0.0) direction[i] = part.target[i] / length;
    lambda[part.first + i] = part.radius * direction[i];
    along -= direction[i] * w[part.first + i];
    force_[part.first + i].add(normal, part.limit * direction[i]);
  }
  const double slip = std::max(along, 0.0) / part.radius;
  if (part.count < 2 || !std::isfinite(slip)) return;
  double across[2][3];
  turns_of(part.count, direction, across);
  for (int turn = 0; turn + 1 < part.count; ++turn) {
    const int turning = add_unknown(part.scale);
    slip_[turning] = slip;
    for (int i = 0; i < part.count; ++i) {
      force_[part.first + i].add(turning, across[turn][i]);
      equation_[part.first + i].add(turning, across[turn][i]);
    }
  }
}

char ActiveSetPolish::classify_moments(const Block& block, const double* scales, Contact contact,
                                       const VectorX& w, VectorX& lambda) {
  const int row = block.offset;
  const double scale = scales[0], normal = scale * lambda[row] - w[row];
  char yielding = 0;
  if (contact == Contact::open || (contact == Contact::natural && normal <= 0.0)) {
    lambda.segment(row, block.size).setZero();
    return yielding;
  }
  lambda[row] = std::max(lambda[row], 0.0);
  const int unknown = add_unknown(scale);
  fix(row, unknown);
  int bit = 1;
  for (const law::Ball& ball : law::balls_of(block)) {
    const double ratio = ball.moment ? scales[ball.first] / scale : 1.0;  // 1/ℓ
    Limited part{row + ball.first,      ball.count, ball.limit, ball.limit * lambda[row],
                 scale * ratio * ratio, {}};
    for (int i = 0; i < ball.count; ++i)
      part.target[i] = part.scale * lambda[part.first + i] - w[part.first + i];
    const bool holds = contact == Contact::stick ||
                       law::norm(ball.count, part.target) <= ball.limit * normal * ratio * ratio;
    if (holds && ball.limit > 0.0) {
      for (int i = 0; i < ball.count; ++i) fix(part.first + i, add_unknown(part.scale));
    } else {
      yield(part, unknown, w, lambda);
      yielding = static_cast<char>(yielding | bit);
    }
    bit *= 2;
  }
  return yielding;
}

void ActiveSetPolish::classify_ball(const Block& block, double scale, Contact contact,
                                    const VectorX& w, VectorX& lambda) {
  const int row = block.offset;
  double target[2] = {};
  for (int i = 0; i < block.size; ++i) target[i] = scale * lambda[row + i] - w[row + i];
  const double length = law::norm(block.size, target), radius = block.upper;
  if (contact == Contact::natural)
    contact = length <= scale * radius && radius > 0.0 ? Contact::stick : Contact::slide;
  if (contact == Contact::stick) {
    for (int i = 0; i < block.size; ++i) fix(row + i, add_unknown(scale));
    return;
  }
  double along = 0.0;
  for (int i = 0; i < block.size; ++i) {
    lambda[row + i] = length > 0.0 ? radius * (target[i] / length) : 0.0;
    along -= target[i] / length * w[row + i];
  }
  if (block.size < 2 || radius == 0.0) return;
  const int turning = add_unknown(scale);
  slip_[turning] = std::max(along, 0.0) / radius;
  const double tangent[2] = {-target[1] / length, target[0] / length};
  for (int i = 0; i < 2; ++i) {
    force_[row + i].add(turning, tangent[i]);
    equation_[row + i].add(turning, tangent[i]);
  }
}

// --------------------------------------------------------------------------------- the linear step

void ActiveSetPolish::add_entry(int row, int column, double value) {
  if (use_dense_)
    dense_.entry(row, column) += value;
  else
    sparse_->entries.emplace_back(row, column, value);
}

bool ActiveSetPolish::solve_system(double* x) {
  ++steps_;
  if (!use_dense_) {
    Sparse& sparse = *sparse_;
    sparse.matrix.resize(size_, size_);
    sparse.matrix.setFromTriplets(sparse.entries.begin(), sparse.entries.end());
    sparse.lu.compute(sparse.matrix);
    if (sparse.lu.info() != Eigen::Success) return false;
    Eigen::Map<VectorX> right(x, size_);
    right = VectorX(sparse.lu.solve(VectorX(right)));
    return right.allFinite();
  }
  // Rows, then columns, by their largest entry: DenseLu expects numbers about 1.
  equilibration_.assign(static_cast<std::size_t>(size_), 0.0);
  for (int i = 0; i < size_; ++i) {
    double* const row = &dense_.entry(i, 0);
    double largest = 0.0;
    for (int j = 0; j < size_; ++j) largest = std::max(largest, std::abs(row[j]));
    if (!(largest > 0.0) || !std::isfinite(largest)) return false;
    const double factor = 1.0 / largest;
    for (int j = 0; j < size_; ++j) {
      row[j] *= factor;
      equilibration_[j] = std::max(equilibration_[j], std::abs(row[j]));
    }
    x[i] *= factor;
  }
  for (double& factor : equilibration_) factor = 1.0 / factor;
  for (int i = 0; i < size_; ++i) {
    double* const row = &dense_.entry(i, 0);
    for (int j = 0; j < size_; ++j) row[j] *= equilibration_[j];
  }
  dense_.factor();
  dense_.solve(x);
  for (int i = 0; i < size_; ++i) {
    x[i] *= equilibration_[i];
    if (!std::isfinite(x[i])) return false;
  }
  return true;
}

void ActiveSetPolish::assemble_condensed(const DelassusOperator& op) {
  const SparseRows& W = op.rows();
  for (int row = 0; row < W.rows; ++row) {
    const Combination& left = equation_[row];
    const int begin = W.starts[row], end = W.starts[row + 1];
    for (int a = 0; a < left.count; ++a) {
      const int target = left.index[a];
      const double factor = left.factor[a];
      if (use_dense_) {  // the inner loop of small problems
        double* const dense = &dense_.entry(target, 0);
        for (int k = begin; k < end; ++k) {
          const Combination& right = force_[W.indices[k]];
          const double value = factor * W.values[k];
          for (int b = 0; b < right.count; ++b) dense[right.index[b]] += value * right.factor[b];
        }
        continue;
      }
      for (int k = begin; k < end; ++k) {
        const Combination& right = force_[W.indices[k]];
        for (int b = 0; b < right.count; ++b)
          add_entry(target, right.index[b], factor * W.values[k] * right.factor[b]);
      }
    }
  }
  for (int i = 0; i < size_; ++i) add_entry(i, i, resistance_[i]);
}

void ActiveSetPolish::number_components(const ComplementarityProblem& problem,
                                        const DelassusOperator& op) {
  unknown_of_component_.assign(static_cast<std::size_t>(op.mass().component_count()), -1);
  size_ = 0;
  for (int i = 0; i < static_cast<int>(problem.blocks.size()); ++i) {
    const Block& block = problem.blocks[i];
    bool active = false;
    for (int row = block.offset; row < block.offset + block.size; ++row)
      active = active || force_[row].count > 0;
    if (!active) continue;
    for (const DelassusOperator::Touch& touch : op.touches(i))
      if (unknown_of_component_[touch.component] < 0) {
        unknown_of_component_[touch.component] = size_;
        size_ += touch.size;
      }
  }
}

void ActiveSetPolish::add_mass(const ComplementarityProblem& problem, const DelassusOperator& op) {
  const MassFactor& mass = op.mass();
  for (int c = 0; c < mass.component_count(); ++c) {
    const int first = unknown_of_component_[c];
    if (first < 0) continue;
    for (const int row : mass.members(c))
      for (int k = problem.M.starts[row]; k < problem.M.starts[row + 1]; ++k)
        add_entry(first + mass.position_of(row), first + mass.position_of(problem.M.indices[k]),
                  problem.M.values[k]);
  }
}

// [M −JᵀE; GᵀJ GᵀCE + R] (δu, z).
void ActiveSetPolish::assemble_coupled(const ComplementarityProblem& problem,
                                       const DelassusOperator& op) {
  add_mass(problem, op);
  const int first = size_ - static_cast<int>(scale_.size());
  const SparseRows &J = problem.J, &C = problem.C;
  for (int row = 0; row < problem.rows(); ++row) {
    const Combination &E = force_[row], &G = equation_[row];
    for (int k = J.starts[row]; k < J.starts[row + 1] && E.count > 0; ++k) {
      const int unknown = J.indices[k];
      const int column =
          unknown_of_component_[op.mass().component_of(unknown)] + op.mass().position_of(unknown);
      for (int a = 0; a < E.count; ++a)
        add_entry(column, first + E.index[a], -J.values[k] * E.factor[a]);
      for (int a = 0; a < G.count; ++a)
        add_entry(first + G.index[a], column, J.values[k] * G.factor[a]);
    }
    for (int k = C.starts[row]; k < C.starts[row + 1] && G.count > 0; ++k) {
      const Combination& other = force_[C.indices[k]];
      for (int a = 0; a < G.count; ++a)
        for (int b = 0; b < other.count; ++b)
          add_entry(first + G.index[a], first + other.index[b],
                    G.factor[a] * C.values[k] * other.factor[b]);
    }
  }
  for (std::size_t r = 0; r < scale_.size(); ++r)
    add_entry(first + static_cast<int>(r), first + static_cast<int>(r), resistance_[r]);
}

void ActiveSetPolish::assemble_velocity(const ComplementarityProblem& problem,
                                        const DelassusOperator& op, double* right) {
  add_mass(problem, op);
  for (int i = 0; i < static_cast<int>(problem.blocks.size()); ++i)
    add_block(op, problem.blocks[i], i, right);
}

// Adds JᵀE R⁻¹GᵀJ of one block, and −JᵀE R⁻¹Gᵀw to the right-hand side.
void ActiveSetPolish::add_block(const DelassusOperator& op, const Block& block, int number,
                                double* right) {
  int first = -1, last = -1;
  for (int row = block.offset; row < block.offset + block.size; ++row)
    for (int a = 0; a < force_[row].count; ++a) {
      if (first < 0) first = force_[row].index[a];
      last = std::max(last, force_[row].index[a]);
    }
  if (first < 0) return;
  const auto touches = op.touches(number);
  int width = 0;
  for (const auto& touch : touches) width += touch.size;
  const int count = last - first + 1;
  forces_of_block_.assign(static_cast<std::size_t>(count * width), 0.0);
  equations_of_block_.assign(static_cast<std::size_t>(count * width), 0.0);
  int column = 0;
  for (const auto& touch : touches) {
    const double* jacobian = op.jacobian(touch);
    for (int i = 0; i < block.size; ++i, jacobian += touch.size) {
      const Combination &E = force_[block.offset + i], &G = equation_[block.offset + i];
      for (int k = 0; k < touch.size; ++k) {
        for (int a = 0; a < E.count; ++a)
          forces_of_block_[(E.index[a] - first) * width + column + k] += E.factor[a] * jacobian[k];
        for (int a = 0; a < G.count; ++a)
          equations_of_block_[(G.index[a] - first) * width + column + k] +=
              G.factor[a] * jacobian[k];
      }
    }
    column += touch.size;
  }
  for (int r = 0; r < count; ++r) {
    const double compliance = 1.0 / resistance_[first + r];
    const double* const E = &forces_of_block_[r * width];
    const double* const G = &equations_of_block_[r * width];
    int row = 0;
    for (const auto& upper : touches)
      for (int i = 0; i < upper.size; ++i, ++row) {
        const int target = unknown_of_component_[upper.component] + i;
        const double weight = E[row] * compliance;
        if (weight == 0.0) continue;
        right[target] -= weight * right_[first + r];
        int col = 0;
        for (const auto& lower : touches)
          for (int j = 0; j < lower.size; ++j, ++col)
            if (G[col] != 0.0)
              add_entry(target, unknown_of_component_[lower.component] + j, weight * G[col]);
      }
  }
}

// z = −R⁻¹ (Gᵀw + GᵀJ δu).
void ActiveSetPolish::recover_velocity(const ComplementarityProblem& problem,
                                       const DelassusOperator& op, const double* motion) {
  for (std::size_t r = 0; r < right_.size(); ++r) z_[r] = right_[r];
  for (int i = 0; i < static_cast<int>(problem.blocks.size()); ++i) {
    const Block& block = problem.blocks[i];
    for (const auto& touch : op.touches(i)) {
      const int first = unknown_of_component_[touch.component];
      const double* jacobian = op.jacobian(touch);
      for (int row = block.offset; row < block.offset + block.size; ++row, jacobian += touch.size) {
        const Combination& G = equation_[row];
        if (G.count == 0) continue;
        double sum = 0.0;
        for (int k = 0; k < touch.size; ++k) sum += jacobian[k] * motion[first + k];
        for (int a = 0; a < G.count; ++a) z_[G.index[a]] += G.factor[a] * sum;
      }
    }
  }
  for (std::size_t r = 0; r < right_.size(); ++r) z_[r] /= -resistance_[r];
}

bool ActiveSetPolish::step(const ComplementarityProblem& problem, const DelassusOperator& op,
                           double proximity, const VectorX& w) {
  const std::size_t count = scale_.size();
  resistance_.resize(count);
  right_.assign(count, 0.0);
  z_.resize(count);
  for (std::size_t r = 0; r < count; ++r) resistance_[r] = proximity * scale_[r] + slip_[r];
  for (int row = 0; row < problem.rows(); ++row)
    for (int a = 0; a < equation_[row].count; ++a)
      right_[equation_[row].index[a]] += equation_[row].factor[a] * w[row];
  const bool coupled = op.velocity_form() && !problem.C.empty();
  size_ = static_cast<int>(count);
  if (op.velocity_form()) number_components(problem, op);
  const int first = coupled ? size_ : 0;
  if (coupled) size_ += static_cast<int>(count);
  use_dense_ = size_ <= largest_dense;
  if (use_dense_)
    dense_.reset(size_);
  else
    sparse_->entries.clear();
  x_.assign(static_cast<std::size_t>(size_), 0.0);
  if (op.velocity_form() && !coupled) {
    assemble_velocity(problem, op, x_.data());
    if (!solve_system(x_.data())) return false;
    recover_velocity(problem, op, x_.data());
    return true;
  }
  for (std::size_t r = 0; r < count; ++r) x_[first + r] = -right_[r];
  if (coupled)
    assemble_coupled(problem, op);
  else
    assemble_condensed(op);
  if (!solve_system(x_.data())) return false;
  std::copy(x_.begin() + first, x_.end(), z_.begin());
  return true;
}

void ActiveSetPolish::advance(const ComplementarityProblem& problem, const VectorX& from,
                              VectorX& to) const {
  to = from;
  for (int row = 0; row < problem.rows(); ++row)
    for (int a = 0; a < force_[row].count; ++a)
      to[row] += force_[row].factor[a] * z_[force_[row].index[a]];
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const Block& block = problem.blocks[i];
    double* const lambda = to.data() + block.offset;
    if (block.law == Law::moments && lambda[0] > 0.0) {
      int bit = 1;
      for (const law::Ball& ball : law::balls_of(block)) {
        (sliding_[i] & bit ? to_limit : law::project_ball)(ball.count, lambda + ball.first,
                                                           ball.limit * lambda[0]);
        bit *= 2;
      }
    } else if (sliding_[i] && lambda[0] > 0.0) {
      to_limit(block.size - 1, lambda + 1, block.friction * lambda[0]);
    } else {
      project(block, 1.0, lambda);
    }
  }
}

// Asks no clock without a limit.
bool ActiveSetPolish::in_time(const ComplementarityProblem& problem, const Deadline* until) {
  if (until == nullptr) return true;
  if (timed_rows_ != problem.rows()) slowest_ = 0.0;
  timed_rows_ = problem.rows();
  return until->remaining() > slowest_;
}

Residual ActiveSetPolish::improve(const ComplementarityProblem& problem, const DelassusOperator& op,
                                  Judge& judge, const Limits& limits, Solution& solution,
                                  const Residual& current) {
  Residual best = current;
  candidate_.u = solution.u;
  candidate_.lambda = solution.lambda;
  int failures = 0;
  const std::vector<Contact>* contacts = limits.contacts;  // as long as they lead on
  for (int k = 0; k < limits.steps && !limits.accuracy.is_settled(best); ++k) {
    if (!in_time(problem, limits.until)) break;
    const double before = limits.until ? limits.until->remaining() : 0.0;
    snapped_ = candidate_.lambda;
    classify(problem, judge, contacts, candidate_.lambda);
    if (scale_.empty()) break;
    const bool moved = candidate_.lambda != snapped_;
    snapped_ = candidate_.lambda;
    if (problem.unknowns() == 0) {
      op.velocity(snapped_, w_);  // w alone costs a fraction of a measurement
    } else {
      const Residual at_snapped = moved ? judge.measure(problem, candidate_) : best;
      if (at_snapped.relative < best.relative) {
        best = at_snapped;
        solution.lambda = snapped_;
      }
      w_ = judge.w();
    }
    const double proximity = proximities[std::min(failures, 2)];
    Residual trial;
    trial.relative = std::numeric_limits<double>::infinity();
    if (step(problem, op, proximity, w_)) {
      advance(problem, snapped_, candidate_.lambda);
      trial = judge.measure(problem, candidate_);
    }
    if (limits.until && std::isfinite(before) && !limits.until->interrupted())
      slowest_ = std::max(slowest_, before - limits.until->remaining());
    if (!(trial.relative < best.relative)) contacts = nullptr;
    if (trial.relative < best.relative) {
      // A slow gain is the sweeps' work.
      const bool fast = trial.relative < 0.5 * best.relative;
      best = trial;
      solution.lambda = candidate_.lambda;
      failures = fast ? 0 : failures + 1;
    } else {
      ++failures;
    }
    if (failures > most_failures) break;
    // Active sets are often found through a rise of the residual; far off it is of no use.
    if (!(trial.relative <= 10.0 * best.relative)) {
      candidate_.lambda = solution.lambda;
      judge.measure(problem, candidate_);
    }
  }
  return best;
}

}  // namespace vinci
