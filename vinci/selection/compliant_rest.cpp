// SPDX-License-Identifier: Apache-2.0
// Newton's method on a smooth convex function, dense.
#include "vinci/selection/compliant_rest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/base/regular_polygon.h"

namespace vinci {
namespace {

constexpr double softest = 1.0, stiffest = 1e-6, hardest = 1e-10;  // over the diagonal of W
constexpr double slowly = 0.1;  // from one proximal step to the next
constexpr int steady = 10;      // proximal steps before springs grow stiffer
constexpr int most_descents = 200, most_proximal_steps = 40, most_halvings = 30;
constexpr int most_idle = 4;
constexpr double at_rest_to = 1e-14;
constexpr double rounded = 1e-12;   // of the function, over its value
constexpr double balanced = 1e-15;  // what is missing of the momentum, over that without loads
// What counts as rest, over the speeds without loads: of an answer, and of what is foretold.
constexpr double still = 1e-8, nearly_still = 0.1;

struct Response {
  Vector3 load = Vector3::Zero();
  Matrix3 slope = Matrix3::Zero();
};

// The sector of a polygon in which t lies: its corners.
void find_sector(int sides, const Vector2& t, Vector2& from, Vector2& to) {
  double angle = std::atan2(t.y(), t.x());
  if (angle < 0.0) angle += 2.0 * M_PI;
  const int corner = std::min(static_cast<int>(angle * sides / (2.0 * M_PI)), sides - 1);
  from = polygon_corner(sides, corner);
  to = polygon_corner(sides, (corner + 1) % sides);
}

// The nearest point of the cone |t| <= μ n; z = (n, t).
Response nearest_in_cone(double mu, int tangents, const Vector3& z) {
  Response response;
  const double length = z.tail<2>().norm();
  if (length <= mu * z[0]) {
    response.load = z;
    response.slope.setIdentity();
  } else if (mu * length > -z[0]) {
    const double normal = (z[0] + mu * length) / (1.0 + mu * mu);
    const Vector2 along = z.tail<2>() / length;
    Vector3 edge(1.0, mu * along.x(), mu * along.y());
    response.load = normal * edge;
    response.slope = edge * edge.transpose() / edge.squaredNorm();
    if (tangents == 2) {
      const Vector3 across(0.0, -along.y(), along.x());
      response.slope += mu * normal / length * across * across.transpose();
    }
  }
  return response;
}

Response nearest_on_ray(const Vector3& ray, const Vector3& z) {
  Response response;
  const double part = z.dot(ray) / ray.squaredNorm();
  if (part > 0.0) {
    response.load = part * ray;
    response.slope = ray * ray.transpose() / ray.squaredNorm();
  }
  return response;
}

// The same of a pyramid: by its symmetry the nearest point is in the sector of t.
Response nearest_in_pyramid(double mu, int sides, const Vector3& z) {
  Vector2 from, to;
  find_sector(sides, z.tail<2>(), from, to);
  const Vector3 a(1.0, mu * from.x(), mu * from.y()), b(1.0, mu * to.x(), mu * to.y());
  const Vector2 middle = (from + to).normalized();
  if (z.tail<2>().dot(middle) <= mu * from.dot(middle) * z[0]) {
    Response response;
    response.load = z;
    response.slope.setIdentity();
    return response;
  }
  const double aa = a.dot(a), ab = a.dot(b), bb = b.dot(b), az = a.dot(z), bz = b.dot(z);
  const double determinant = aa * bb - ab * ab;
  const double of_a = bb * az - ab * bz, of_b = aa * bz - ab * az;
  if (of_a <= 0.0 || of_b <= 0.0 || !(determinant > 0.0)) return nearest_on_ray(az > bz ? a : b, z);
  const Vector3 outwards = a.cross(b).normalized();
  Response response;
  response.slope = Matrix3::Identity() - outwards * outwards.transpose();
  response.load = response.slope * z;
  return response;
}

// The nearest point of a disk, or of a polygon within it; z = (t, 0).
Response nearest_in_disk(double radius, int sides, int tangents, const Vector3& z) {
  Response response;
  const Vector2 t = z.head<2>();
  response.load = z;
  response.slope.setIdentity();
  if (sides == 0 || tangents == 1) {
    const double length = t.norm();
    if (length <= radius) return response;
    const Vector3 along = z / length;
    response.load = radius * along;
    response.slope.setZero();
    if (tangents == 2) {
      const Vector3 across(-along.y(), along.x(), 0.0);
      response.slope = radius / length * across * across.transpose();
    }
    return response;
  }
  Vector2 from, to;
  find_sector(sides, t, from, to);
  const Vector2 middle = (from + to).normalized();
  if (t.dot(middle) <= radius * from.dot(middle)) return response;
  const Vector2 edge = (to - from).normalized();
  const double low = radius * from.dot(edge), high = radius * to.dot(edge);
  const double part = std::clamp(t.dot(edge), low, high);
  response.load.head<2>() = radius * from + (part - low) * edge;
  response.slope.setZero();
  if (part > low && part < high) response.slope.topLeftCorner<2, 2>() = edge * edge.transpose();
  return response;
}

struct Descent {
  const VectorX &u, &lambda, &gradient;
  double compliance;
};

// Whether nothing is left of the gradient but what the terms of its entries round to; `noise` is
// working memory.
bool is_rounding(const ComplementarityProblem& problem, const Descent& at,
                 std::vector<double>& noise) {
  const SparseRows &M = problem.M, &J = problem.J;
  noise.resize(static_cast<std::size_t>(problem.unknowns()));
  for (int row = 0; row < problem.unknowns(); ++row) {
    double terms = std::abs(problem.p[row]);
    for (int k = M.starts[row]; k < M.starts[row + 1]; ++k)
      terms += std::abs(M.values[k] * at.u[M.indices[k]]);
    noise[static_cast<std::size_t>(row)] = terms;
  }
  for (int row = 0; row < problem.rows(); ++row) {
    if (at.lambda[row] == 0.0) continue;
    double speed = std::abs(problem.b[row]);
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
      speed += std::abs(J.values[k] * at.u[J.indices[k]]);
    const double load = std::abs(at.lambda[row]) + speed / at.compliance;
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
      noise[static_cast<std::size_t>(J.indices[k])] += std::abs(J.values[k]) * load;
  }
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  for (int row = 0; row < problem.unknowns(); ++row)
    if (!(std::abs(at.gradient[row]) <= epsilon * noise[static_cast<std::size_t>(row)]))
      return false;
  return true;
}

}  // namespace

void CompliantRest::load(const ComplementarityProblem& problem, const MassFactor& mass,
                         std::span<const ContactUnit> units, const VectorX& scales) {
  problem_ = &problem;
  mass_ = &mass;
  units_ = units;
  typical_ = scales.size() > 0 ? scales.mean() : 1.0;
  if (!(typical_ > 0.0)) typical_ = 1.0;
}

void CompliantRest::measure() {
  w_ = problem_->b;
  const SparseRows& J = problem_->J;
  for (int row = 0; row < problem_->rows(); ++row) {
    double sum = w_[row];
    for (int k = J.starts[row], end = J.starts[row + 1]; k < end; ++k)
      sum += J.values[k] * u_[J.indices[k]];
    w_[row] = sum;
  }
}

void CompliantRest::measure_at(const VectorX& lambda, VectorX& w) {
  const SparseRows& J = problem_->J;
  gradient_ = problem_->p;
  for (int row = 0; row < problem_->rows(); ++row)
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
      gradient_[J.indices[k]] += J.values[k] * lambda[row];
  u_.resize(problem_->unknowns());
  mass_->solve(gradient_.data(), u_.data());
  measure();
  w = w_;
}

// Whether friction is at its limit, or a contact has lost its load: all else stands still.
bool CompliantRest::may_move(const VectorX& start, const VectorX& lambda) const {
  constexpr double at_limit = 1.0 - 1e-9;
  const bool known = start.cwiseAbs().maxCoeff() > 0.0;
  for (const ContactUnit& unit : units_) {
    if (unit.kind != ContactUnit::Kind::cone) continue;
    const double load = lambda[unit.first];
    if (!(load > 0.0)) {
      if (!known || start[unit.first] > 0.0) return true;
      continue;
    }
    const double friction = lambda.segment(unit.first_tangent(), unit.tangents()).norm();
    const double shortest = unit.sides > 0 ? std::cos(M_PI / unit.sides) : 1.0;
    if (friction >= at_limit * shortest * unit.limit * load) return true;
  }
  return false;
}

// Whether contacts that touch stood still when the step began, as far as is known: slower than what
// forces make of them within it. Loads of the last step may be those of an impact, and say less.
bool CompliantRest::stood_still(const Foretelling& begun) {
  const double least = still * begun.speed, most = nearly_still * begun.speed;
  VectorX& before = centre_;
  if (begun.velocities == nullptr) {
    before = begun.w;
  } else {
    centre_.setZero(problem_->rows());
    measure_at(centre_, free_);
    u_ = *begun.velocities;
    measure();
    before = w_;
  }
  for (const ContactUnit& unit : units_) {
    if (unit.kind != ContactUnit::Kind::cone) continue;
    if (before[unit.first] > most && begun.lambda[unit.first] == 0.0) continue;
    const int first = unit.first_tangent(), count = unit.tangents();
    const double change =
        begun.velocities == nullptr ? most : (free_ - before).segment(first, count).norm() + least;
    if (before.segment(first, count).norm() > change) return false;
  }
  return true;
}

bool CompliantRest::foretold(const Foretelling& begun, const VectorX& lambda, const VectorX& w) {
  if (!may_move(begun.lambda, lambda)) return false;
  bool moves = false;
  for (const ContactUnit& unit : units_) {
    if (unit.kind != ContactUnit::Kind::cone) continue;
    const int first = unit.first_tangent(), count = unit.tangents();
    if (lambda[unit.first] > 0.0)
      moves = moves || w.segment(first, count).norm() > still * begun.speed;
    else  // parts that did not: pushed away by other loads
      moves = moves || (w[unit.first] > still * begun.speed &&
                        begun.w[unit.first] <= nearly_still * begun.speed);
  }
  return moves && stood_still(begun);
}

// λ of a unit, its slope and its part of the function.
double CompliantRest::respond(const ContactUnit& unit, std::size_t number) {
  using Kind = ContactUnit::Kind;
  Matrix3& slope = slopes_[number];
  if (unit.kind == Kind::fixed || unit.kind == Kind::scalar) {
    double sum = 0.0;
    slope.setZero();
    for (int row = unit.first; row < unit.first + unit.count; ++row) {
      const double z = centre_[row] - w_[row] / compliance_;
      const bool free = unit.kind == Kind::fixed || (z > unit.lower && z < unit.upper);
      lambda_[row] = free ? z : std::clamp(z, unit.lower, unit.upper);
      slope(0, 0) = free ? 1.0 : 0.0;
      sum += compliance_ * lambda_[row] * (z - 0.5 * lambda_[row]);
    }
    return sum;
  }
  Vector3 z = Vector3::Zero();
  for (int k = 0; k < unit.count; ++k)
    z[k] = centre_[unit.first + k] - w_[unit.first + k] / compliance_;
  Response response;
  if (unit.kind == Kind::disk)
    response = nearest_in_disk(unit.limit, unit.sides, unit.tangents(), z);
  else if (unit.sides == 0 || unit.tangents() < 2)
    response = nearest_in_cone(unit.limit, unit.tangents(), z);
  else
    response = nearest_in_pyramid(unit.limit, unit.sides, z);
  slope = response.slope;
  lambda_.segment(unit.first, unit.count) = response.load.head(unit.count);
  return compliance_ * response.load.dot(z - 0.5 * response.load);
}

double CompliantRest::evaluate() {
  measure();
  double value = 0.0;
  for (std::size_t i = 0; i < units_.size(); ++i) value += respond(units_[i], i);
  gradient_ = -problem_->p;
  const SparseRows &M = problem_->M, &J = problem_->J;
  for (int row = 0; row < problem_->unknowns(); ++row) {
    double sum = 0.0;
    for (int k = M.starts[row]; k < M.starts[row + 1]; ++k) sum += M.values[k] * u_[M.indices[k]];
    value += u_[row] * (0.5 * sum - problem_->p[row]);
    gradient_[row] += sum;
  }
  for (int row = 0; row < problem_->rows(); ++row) {
    const double load = lambda_[row];
    if (load == 0.0) continue;
    for (int k = J.starts[row], end = J.starts[row + 1]; k < end; ++k)
      gradient_[J.indices[k]] -= J.values[k] * load;
  }
  return value;
}

bool CompliantRest::minimise() {
  const SparseRows &M = problem_->M, &J = problem_->J;
  const int size = problem_->unknowns();
  double value = evaluate(), least = gradient_.norm();
  const auto ends = [&] {
    return is_rounding(*problem_, {u_, lambda_, gradient_, compliance_}, noise_);
  };
  int idle = 0;  // descents since the function or the gradient fell
  for (int step = 0; step < most_descents && !ends(); ++step) {
    lu_.reset(size);
    for (int row = 0; row < size; ++row)
      for (int k = M.starts[row]; k < M.starts[row + 1]; ++k)
        lu_.entry(row, M.indices[k]) += M.values[k];
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const ContactUnit& unit = units_[i];
      const bool alone = unit.kind == ContactUnit::Kind::fixed;
      for (int a = 0; a < unit.count; ++a)
        for (int b = 0; b < unit.count; ++b) {
          const double slope = alone ? (a == b ? 1.0 : 0.0) : slopes_[i](a, b);
          if (slope == 0.0) continue;
          const double stiffness = slope / compliance_;
          const int from = J.starts[unit.first + b], end = J.starts[unit.first + b + 1];
          for (int k = J.starts[unit.first + a]; k < J.starts[unit.first + a + 1]; ++k) {
            double* const to = &lu_.entry(J.indices[k], 0);
            const double factor = stiffness * J.values[k];
            for (int l = from; l < end; ++l) to[J.indices[l]] += factor * J.values[l];
          }
        }
    }
    lu_.factor();
    step_.assign(gradient_.data(), gradient_.data() + size);
    lu_.solve(step_.data());
    trial_ = u_;
    const double before = gradient_.norm();
    double largest = 0.0, descent = 0.0;
    for (int i = 0; i < size; ++i) {
      largest = std::max(largest, std::abs(step_[i]));
      descent += step_[i] * gradient_[i];
    }
    if (!std::isfinite(largest)) return false;
    double part = 1.0, now = value;
    for (int half = 0; half < most_halvings; ++half, part *= 0.5) {
      for (int i = 0; i < size; ++i) u_[i] = trial_[i] - part * step_[i];
      now = evaluate();
      const double noise = rounded * std::abs(value);
      if (now <= value - 1e-4 * part * descent ||
          (now <= value + noise && (gradient_.norm() < before || ends())))
        break;
    }
    // Below, gradients and values only round. Either may rise on the way: the function falls while
    // pieces change, the gradient on a piece.
    const bool falls = now < value - 1e-4 * part * descent;
    value = now;
    idle = falls || gradient_.norm() < 0.5 * least ? 0 : idle + 1;
    least = std::min(least, gradient_.norm());
    if (idle == most_idle) return true;
    // The steps themselves say less: small ones may cross into another piece of the function.
    if (gradient_.norm() <= balanced * problem_->p.norm() || part < 1e-6) return true;
  }
  return true;  // as far as it goes: the judge decides
}

bool CompliantRest::find(VectorX& lambda) {
  if (!problem_->C.values.empty()) return false;
  slopes_.resize(units_.size());
  lambda_.resize(problem_->rows());
  centre_.setZero(problem_->rows());
  measure_at(centre_, free_);
  for (double part = softest; part >= 0.5 * stiffest; part *= 0.01) {
    compliance_ = part * typical_;
    if (!minimise()) return false;
  }
  // Speeds of rest are those of the springs.
  const double most = 100.0 * compliance_ * lambda_.cwiseAbs().maxCoeff();
  for (const ContactUnit& unit : units_)
    if (unit.kind == ContactUnit::Kind::cone && lambda_[unit.first] > 0.0 &&
        w_.segment(unit.first, unit.count).norm() > most)
      return false;
  double last = 0.0, least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_proximal_steps; ++k) {
    centre_ = lambda_;
    if (!minimise()) return false;
    const double largest = lambda_.cwiseAbs().maxCoeff();
    const double change = (lambda_ - centre_).cwiseAbs().maxCoeff();
    measure_at(lambda_, free_);
    double speed = 0.0;
    for (const ContactUnit& unit : units_)
      if (unit.kind == ContactUnit::Kind::cone && lambda_[unit.first] > 0.0)
        speed = std::max(speed, w_.segment(unit.first, unit.count).norm());
    if (speed < least) {
      least = speed;
      lambda = lambda_;
    }
    if (change <= at_rest_to * largest) break;
    // Bodies that are light beside others see springs of their own as soft.
    if (k >= steady && change > slowly * last && compliance_ > 2.0 * hardest * typical_)
      compliance_ *= 0.1;
    last = change;
  }
  measure_at(lambda, free_);
  return true;
}

}  // namespace vinci
