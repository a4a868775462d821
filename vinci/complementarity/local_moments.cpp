// SPDX-License-Identifier: Apache-2.0
// The local problem with moments.
#include "vinci/complementarity/local_moments.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "vinci/complementarity/law_moments.h"
#include "vinci/complementarity/laws.h"
#include "vinci/complementarity/local_solve.h"

namespace vinci {

namespace {

// What an exact answer leaves, of the terms of w: rounding, with room for a bad condition. Of
// 100,000 hostile blocks each in space and in the plane all are met.
constexpr double accepted_share = 1e-12;
constexpr int most_newton_steps = 12;

// Up to 6 × 6, on the stack.
using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor,
                            largest_contact, largest_contact>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, largest_contact, 1>;

// A contact of which the last balls are eliminated. With a given
// normal impulse its row is gone, and the balls have fixed radii.
struct Remainder {
  Small W;
  SmallVector q;
  law::Balls balls;
  bool has_normal;
  double normal = 0.0;  // where it is given
};

bool solve_remainder(const Remainder& contact, SmallVector& lambda);

// The inverse of W_rr + s I of the last ball; false where it is singular.
bool invert(const Remainder& contact, double s, Small& inverse) {
  const int k = contact.balls.at[contact.balls.count - 1].count;
  inverse = contact.W.bottomRightCorner(k, k);
  inverse.diagonal().array() += s;
  if (k == 3) {
    const Matrix3 A = inverse;
    if (!(std::abs(A.determinant()) > 0.0)) return false;
    inverse = A.inverse();
    return true;
  }
  double determinant = inverse(0, 0), adjugate[4] = {1.0};
  if (k == 2) {
    determinant = inverse(0, 0) * inverse(1, 1) - inverse(0, 1) * inverse(1, 0);
    adjugate[0] = inverse(1, 1), adjugate[1] = -inverse(0, 1);
    adjugate[2] = -inverse(1, 0), adjugate[3] = inverse(0, 0);
  }
  if (!(std::abs(determinant) > 0.0)) return false;
  inverse = Eigen::Map<const Small>(adjugate, k, k) / determinant;
  return true;
}

// Where w_r = −s λ_r of the last ball.
bool solve_at(const Remainder& contact, double s, SmallVector& lambda) {
  const int k = contact.balls.at[contact.balls.count - 1].count;
  const int c = static_cast<int>(contact.q.size()) - k;  // the rows that stay
  Small response;
  if (!invert(contact, s, response)) return false;
  const Small others = response * contact.W.bottomLeftCorner(k, c);
  const SmallVector free = response * contact.q.tail(k);
  Remainder rest{contact.W.topLeftCorner(c, c) - contact.W.topRightCorner(c, k) * others,
                 contact.q.head(c) - contact.W.topRightCorner(c, k) * free, contact.balls,
                 contact.has_normal, contact.normal};
  --rest.balls.count;
  if (!rest.W.allFinite() || !rest.q.allFinite()) return false;
  SmallVector forces(c);
  if (!solve_remainder(rest, forces)) return false;
  lambda.resize(c + k);
  lambda.head(c) = forces;
  lambda.tail(k) = -free - others * forces;
  return lambda.allFinite();
}

// radius/|λ_r| − 1 of the last ball: negative while the moment is too large.
double excess(const Remainder& contact, const SmallVector& lambda) {
  const law::Ball& ball = contact.balls.at[contact.balls.count - 1];
  const double moment = law::norm(ball.count, lambda.data() + lambda.size() - ball.count);
  if (moment == 0.0) return infinity;
  return ball.limit * (contact.has_normal ? lambda[0] : contact.normal) / moment - 1.0;
}

// The least s >= 0 found at which the last ball holds its moment; λ receives the answer there.
bool find_slip(const Remainder& contact, SmallVector& lambda) {
  const law::Ball& ball = contact.balls.at[contact.balls.count - 1];
  const int k = ball.count;
  double low = 0.0, high = infinity, h_low = -1.0, h_high = 0.0;
  const double stiffness = contact.W.diagonal().tail(k).cwiseAbs().mean();
  if (solve_at(contact, 0.0, lambda)) {
    h_low = excess(contact, lambda);
    if (h_low >= 0.0) return true;
  }
  // Were W_rr a multiple of I alone, h would be a straight line through (−stiffness, −1).
  double s = stiffness * -h_low / (1.0 + h_low);
  if (!(s > 0.0 && std::isfinite(s)))
    s = contact.q.tail(k).norm() * contact.W(0, 0) / (ball.limit * std::abs(contact.q[0])) +
        stiffness;
  if (!(s > 0.0 && std::isfinite(s))) s = 1.0;
  int side = 0;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const double h = solve_at(contact, s, lambda) ? excess(contact, lambda) : -1.0;
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
  return solve_at(contact, std::isfinite(high) ? high : s, lambda);
}

bool solve_remainder(const Remainder& contact, SmallVector& lambda) {
  const law::Balls& balls = contact.balls;
  const int size = static_cast<int>(contact.q.size());
  lambda.setZero(size);
  if (size == 0) return true;
  const law::Ball& last = balls.at[std::max(balls.count - 1, 0)];
  const double normal = contact.has_normal ? 1.0 : contact.normal;
  if (balls.count > 0 && last.limit * normal == 0.0) {  // its rows are free
    Remainder rest{contact.W.topLeftCorner(size - last.count, size - last.count),
                   contact.q.head(size - last.count), balls, contact.has_normal, contact.normal};
    --rest.balls.count;
    SmallVector forces(size - last.count);
    if (!solve_remainder(rest, forces)) return false;
    lambda.head(size - last.count) = forces;
    return true;
  }
  if (balls.count > 1 || (balls.count == 1 && last.count > 2)) return find_slip(contact, lambda);
  Block block{.law = Law::nonnegative, .offset = 0, .size = size};
  if (balls.count == 1) {
    block.law = contact.has_normal ? Law::coulomb : Law::ball;
    block.friction = last.limit;
    if (!contact.has_normal) block.upper = last.limit * contact.normal;
  }
  solve_local(block, contact.W.data(), contact.q.data(), lambda.data());
  return lambda.allFinite();
}

struct MomentContact {
  const Block& block;
  Eigen::Map<const Small> W;
  Eigen::Map<const SmallVector> q;
  law::Balls balls;
  int forces;    // rows of n and t
  double scale;  // mean diagonal of those
  double length;

  MomentContact(const Block& b, const double* matrix, const double* vector)
      : block(b),
        W(matrix, b.size, b.size),
        q(vector, b.size),
        balls(law::balls_of(b)),
        forces(law::moment_start(b)),
        scale(W.diagonal().head(forces).mean()),
        length(law::moment_length(scale, moment_scale(), b)) {}

  double moment_scale() const {
    return forces < block.size ? W.diagonal().tail(block.size - forces).mean() : 0.0;
  }
  // Natural map over the terms of w: an exact answer leaves rounding.
  double violation(const SmallVector& lambda) const;
  void cut(SmallVector& lambda) const;
  bool find_normal(SmallVector& lambda) const;
  bool newton_step(const SmallVector& at, SmallVector& next) const;
  void start(SmallVector& lambda) const;
  void refine(SmallVector& lambda, double& least, int rises) const;
};

double MomentContact::violation(const SmallVector& lambda) const {
  if (!lambda.allFinite()) return infinity;
  const SmallVector w = W * lambda + q;
  SmallVector terms = W.cwiseAbs() * lambda.cwiseAbs() + q.cwiseAbs();
  SmallVector r(block.size);
  const double unit = forces < block.size ? length : 1.0;
  natural_map(block, scale > 0.0 ? scale : 1.0, lambda.data(), w.data(), r.data(), unit);
  terms.tail(block.size - forces) *= unit;
  // The rows of balls enter the map a second time.
  double twice = 1.0;
  for (const law::Ball& ball : law::scaled(balls, unit)) twice += ball.limit;
  const double norm = r.norm();
  return norm == 0.0 ? 0.0 : norm / (terms.norm() * twice);
}

// Into the cone, by the radii of its normal impulse.
void MomentContact::cut(SmallVector& lambda) const {
  for (const law::Ball& ball : balls)
    law::project_ball(ball.count, lambda.data() + ball.first,
                      ball.limit * std::max(lambda[0], 0.0));
}

// With λ_n given the rest is one variational inequality over balls, whose solution is unique and
// moves continuously with λ_n where W is positive definite, symmetric or not; w_n is negative at
// λ_n = 0 and positive for a large one. Slow and sure, for contacts at which the Coulomb problem
// left over by the elimination has several solutions.
bool MomentContact::find_normal(SmallVector& lambda) const {
  const int others = block.size - 1;
  Remainder rest{W.bottomRightCorner(others, others), q.tail(others), balls, false};
  SmallVector forces(others);
  const auto gap = [&](double normal) {
    rest.normal = normal;
    rest.q = q.tail(others) + normal * W.col(0).tail(others);
    if (!solve_remainder(rest, forces)) return infinity;
    lambda[0] = normal;
    lambda.tail(others) = forces;
    return W.row(0).dot(lambda) + q[0];
  };
  double low = 0.0, high = -q[0] / W(0, 0), w_low = q[0], w_high = 0.0;
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

// One step on w_n = 0 and, for each ball, either w = 0 or λ = limit λ_n y/|y| with y = s λ − w.
bool MomentContact::newton_step(const SmallVector& from, SmallVector& next) const {
  const int size = block.size;
  const SmallVector w = W * from + q;
  Small A(size, size);
  SmallVector right(size);
  A.row(0) = W.row(0);
  right[0] = -w[0];
  for (const law::Ball& ball : balls) {
    const int first = ball.first, k = ball.count;
    const double s = ball.moment ? scale / (length * length) : scale;
    const SmallVector y = s * from.segment(first, k) - w.segment(first, k);
    const double size_y = y.norm(), radius = ball.limit * from[0];
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
    A.block(first, 0, k, 1) -= ball.limit * d;
    right.segment(first, k) = radius * d - from.segment(first, k);
    A.middleRows(first, k) *= s;
    right.segment(first, k) *= s;
  }
  next = from + SmallVector(Eigen::PartialPivLU<Small>(A).solve(right));
  if (!next.allFinite()) return false;
  cut(next);
  return true;
}

// The normal impulse alone.
void MomentContact::start(SmallVector& lambda) const {
  lambda.setZero(block.size);
  lambda[0] = -q[0] / W(0, 0);
}

// `rises` of the violation are allowed on the way; λ is the best point met.
void MomentContact::refine(SmallVector& lambda, double& least, int rises) const {
  SmallVector at = lambda, next = lambda;
  double before = least;
  for (int step = 0; step < most_newton_steps && least > machine_epsilon; ++step) {
    if (!newton_step(at, next)) return;
    const double now = violation(next);
    if (!(now < before) && (!std::isfinite(now) || rises-- == 0)) return;
    at = next;
    before = now;
    if (!(now < least)) continue;
    lambda = next;
    least = now;
  }
}

}  // namespace

bool solve_local_moments(const Block& block, const double* W, const double* q, double* lambda) {
  const MomentContact contact(block, W, q);
  const int size = block.size;
  std::fill(lambda, lambda + size, 0.0);
  if (q[0] >= 0.0) return true;
  if (!(W[0] > 0.0)) return false;
  SmallVector answer(size);
  double least = infinity;
  enum class Way { newton, eliminate, bisect };
  for (const Way way : {Way::newton, Way::eliminate, Way::bisect}) {
    if (least <= accepted_share) break;
    answer.setZero(size);
    if (way == Way::newton)
      contact.start(answer);
    else if (way == Way::eliminate)
      solve_remainder({contact.W, contact.q, contact.balls, true}, answer);
    else
      contact.find_normal(answer);
    contact.cut(answer);
    double now = contact.violation(answer);
    contact.refine(answer, now, way == Way::newton ? most_newton_steps : 0);
    if (!(now < least)) continue;
    least = now;
    std::copy(answer.data(), answer.data() + size, lambda);
  }
  return least <= accepted_share;
}

}  // namespace vinci
