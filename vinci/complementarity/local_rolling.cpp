// SPDX-License-Identifier: Apache-2.0
// The local problem with rolling resistance.
#include "vinci/complementarity/local_rolling.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "vinci/complementarity/law_rolling.h"
#include "vinci/complementarity/laws.h"
#include "vinci/complementarity/local_solve.h"

namespace vinci {

namespace {

// What an exact answer leaves, of the terms of w: rounding, with room for a bad condition. Of
// 100,000 hostile blocks each in space and in the plane all are met.
constexpr double accepted_share = 1e-12;

// Up to 5 × 5, on the stack.
using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor,
                            largest_contact, largest_contact>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, largest_contact, 1>;

struct RollingContact {
  const Block& block;
  Eigen::Map<const Small> W;
  Eigen::Map<const SmallVector> q;
  int k;         // rows of λ_t, and of λ_r
  double scale;  // mean diagonal of the rows (n, t)
  double length;

  RollingContact(const Block& b, const double* matrix, const double* vector)
      : block(b),
        W(matrix, b.size, b.size),
        q(vector, b.size),
        k(law::rolling_tangents(b.size)),
        scale(W.diagonal().head(1 + k).mean()),
        length(law::rolling_length(scale, W.diagonal().tail(k).mean(), b.rolling)) {}

  // Natural map over the terms of w: an exact answer leaves rounding.
  double violation(const SmallVector& lambda) const;
  // Where w_r = −s λ_r, λ_n free or given; false where W_rr + s I is singular.
  bool at(double s, const double* given, SmallVector& lambda) const;
  // μ_r λ_n/|λ_r| − 1: negative while the moment is too large.
  double excess(const SmallVector& lambda) const;
  bool find_rolling(const double* given, SmallVector& lambda) const;
  bool find_normal(SmallVector& lambda) const;
  bool newton_step(const SmallVector& at, SmallVector& next) const;
  void refine(SmallVector& lambda, double& least) const;
};

double RollingContact::violation(const SmallVector& lambda) const {
  if (!lambda.allFinite()) return infinity;
  const SmallVector w = W * lambda + q;
  SmallVector terms = W.cwiseAbs() * lambda.cwiseAbs() + q.cwiseAbs();
  SmallVector r(block.size);
  natural_map(block, scale > 0.0 ? scale : 1.0, lambda.data(), w.data(), r.data(), length);
  terms.tail(k) *= length;
  // w_t and w_r enter the map a second time.
  const double twice = 1.0 + block.friction + block.rolling / length;
  const double norm = r.norm();
  return norm == 0.0 ? 0.0 : norm / (terms.norm() * twice);
}

bool RollingContact::at(double s, const double* given, SmallVector& lambda) const {
  const int first = given ? 1 : 0, c = 1 + k - first;  // the rows that stay
  Small A = W.bottomRightCorner(k, k);
  A.diagonal().array() += s;
  double determinant = A(0, 0), inverse[4] = {1.0};
  if (k == 2) {
    determinant = A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0);
    inverse[0] = A(1, 1), inverse[1] = -A(0, 1), inverse[2] = -A(1, 0), inverse[3] = A(0, 0);
  }
  if (!(std::abs(determinant) > 0.0)) return false;
  const Small response = Eigen::Map<const Small>(inverse, k, k) / determinant;
  SmallVector pull = q;
  if (given) pull += *given * W.col(0);
  const Small others = response * W.block(1 + k, first, k, c);
  const SmallVector free = response * pull.tail(k);
  const Small left = W.block(first, first, c, c) - W.block(first, 1 + k, c, k) * others;
  const SmallVector right = pull.segment(first, c) - W.block(first, 1 + k, c, k) * free;
  if (!left.allFinite() || !right.allFinite()) return false;
  Block rest{.law = given ? Law::ball : Law::coulomb, .offset = 0, .size = c};
  rest.friction = block.friction;
  if (given) rest.upper = block.friction * *given;
  SmallVector forces(c);
  solve_local(rest, left.data(), right.data(), forces.data());
  if (given) lambda[0] = *given;
  lambda.segment(first, c) = forces;
  lambda.tail(k) = -free - others * forces;
  return lambda.allFinite();
}

double RollingContact::excess(const SmallVector& lambda) const {
  const double moment = law::norm(k, lambda.data() + 1 + k);
  if (moment == 0.0) return infinity;
  return block.rolling * lambda[0] / moment - 1.0;
}

// The least s >= 0 found at which the moment fits; λ receives the answer there.
bool RollingContact::find_rolling(const double* given, SmallVector& lambda) const {
  double low = 0.0, high = infinity, h_low = -1.0, h_high = 0.0;
  const double stiffness = W.diagonal().tail(k).cwiseAbs().mean();
  if (at(0.0, given, lambda)) {
    h_low = excess(lambda);
    if (h_low >= 0.0) return true;
  }
  // Were W_rr a multiple of I alone, h would be a straight line through (−stiffness, −1).
  double s = stiffness * -h_low / (1.0 + h_low);
  if (!(s > 0.0 && std::isfinite(s)))
    s = q.tail(k).norm() * W(0, 0) / (block.rolling * std::abs(q[0])) + stiffness;
  if (!(s > 0.0 && std::isfinite(s))) s = 1.0;
  int side = 0;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const double h = at(s, given, lambda) ? excess(lambda) : -1.0;
    if (h == 0.0) return true;
    if (h < 0.0) {
      low = s, h_low = h;
      if (side == -1) h_high *= 0.5;  // Illinois: no end may stay for long
      side = -1;
    } else {
      high = s, h_high = h;
      if (side == 1) h_low *= 0.5;
      side = 1;
    }
    if (std::isfinite(high) && high - low <= 2.0 * machine_epsilon * high) break;
    double next = (low * h_high - high * h_low) / (h_high - h_low);
    if (!std::isfinite(high))
      next = 4.0 * low;
    else if (!(next > low && next < high) || iteration > 50)
      next = 0.5 * (low + high);
    s = next;
  }
  return at(std::isfinite(high) ? high : s, given, lambda);
}

// With λ_n given the rest is one variational inequality over two disks, whose solution is unique
// and moves continuously with λ_n where W is positive definite, symmetric or not; w_n is negative
// at λ_n = 0 and positive for a large one. Slow and sure, for contacts at which the Coulomb problem
// left over by find_rolling has several solutions.
bool RollingContact::find_normal(SmallVector& lambda) const {
  double low = 0.0, high = -q[0] / W(0, 0), w_low = q[0], w_high = 0.0;
  const auto gap = [&](double normal) {
    return find_rolling(&normal, lambda) ? W.row(0).dot(lambda) + q[0] : infinity;
  };
  for (int doubling = 0; (w_high = gap(high)) < 0.0; ++doubling) {
    if (doubling == 100) return false;
    low = high, w_low = w_high;
    high *= 2.0;
  }
  int side = 0;
  for (int iteration = 0; iteration < 120 && high - low > 2.0 * machine_epsilon * high;
       ++iteration) {
    double next = (low * w_high - high * w_low) / (w_high - w_low);
    if (!(next > low && next < high) || iteration > 60) next = 0.5 * (low + high);
    const double w = gap(next);
    if (w == 0.0) return true;
    if (w < 0.0) {
      low = next, w_low = w;
      if (side == -1) w_high *= 0.5;
      side = -1;
    } else {
      high = next, w_high = w;
      if (side == 1) w_low *= 0.5;
      side = 1;
    }
  }
  return std::isfinite(gap(high));
}

// One step on w_n = 0 and, for t and r each, either w = 0 or λ = limit λ_n y/|y| with
// y = s λ − w.
bool RollingContact::newton_step(const SmallVector& from, SmallVector& next) const {
  const int size = block.size;
  const SmallVector w = W * from + q;
  Small A(size, size);
  SmallVector right(size);
  A.row(0) = W.row(0);
  right[0] = -w[0];
  for (const bool rolls : {false, true}) {
    const int first = rolls ? 1 + k : 1;
    const double limit = rolls ? block.rolling : block.friction;
    const double s = rolls ? scale / (length * length) : scale;
    const SmallVector y = s * from.segment(first, k) - w.segment(first, k);
    const double size_y = y.norm(), radius = limit * from[0];
    if (size_y <= s * radius) {
      A.middleRows(first, k) = W.middleRows(first, k);
      right.segment(first, k) = -w.segment(first, k);
      continue;
    }
    const SmallVector d = y / size_y;
    // (I − d dᵀ)/|y| turns d with y.
    Small turn = -d * d.transpose();
    turn.diagonal().array() += 1.0;
    turn *= radius / size_y;
    A.middleRows(first, k) = turn * W.middleRows(first, k);
    A.block(first, first, k, k) -= s * turn;
    A.block(first, first, k, k).diagonal().array() += 1.0;
    A.block(first, 0, k, 1) -= limit * d;
    right.segment(first, k) = radius * d - from.segment(first, k);
    A.middleRows(first, k) *= s;
    right.segment(first, k) *= s;
  }
  next = from + SmallVector(Eigen::PartialPivLU<Small>(A).solve(right));
  if (!next.allFinite()) return false;
  law::project_ball(k, next.data() + 1, block.friction * std::max(next[0], 0.0));
  law::project_ball(k, next.data() + 1 + k, block.rolling * std::max(next[0], 0.0));
  return true;
}

void RollingContact::refine(SmallVector& lambda, double& least) const {
  SmallVector next = lambda;
  for (int step = 0; step < 8 && least > machine_epsilon; ++step) {
    if (!newton_step(SmallVector(lambda), next)) return;
    const double now = violation(next);
    if (!(now < least)) return;
    lambda = next;
    least = now;
  }
}

}  // namespace

bool solve_local_rolling(const Block& block, const double* W, const double* q, double* lambda) {
  const RollingContact contact(block, W, q);
  const int size = block.size, c = 1 + contact.k;
  std::fill(lambda, lambda + size, 0.0);
  if (q[0] >= 0.0) return true;
  if (!(W[0] > 0.0)) return false;
  SmallVector answer = SmallVector::Zero(size);
  if (block.rolling == 0.0) {
    Block coulomb{.law = Law::coulomb, .offset = 0, .size = c};
    coulomb.friction = block.friction;
    const Small left = contact.W.topLeftCorner(c, c);
    return solve_local(coulomb, left.data(), q, lambda);
  }
  double least = infinity;
  for (const bool sure : {false, true}) {
    if (least <= accepted_share) break;
    sure ? contact.find_normal(answer) : contact.find_rolling(nullptr, answer);
    law::project_ball(contact.k, answer.data() + c, block.rolling * std::max(answer[0], 0.0));
    double now = contact.violation(answer);
    contact.refine(answer, now);
    if (!(now < least)) continue;
    least = now;
    std::copy(answer.data(), answer.data() + size, lambda);
  }
  return least <= accepted_share;
}

}  // namespace vinci
