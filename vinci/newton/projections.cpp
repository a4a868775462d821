// SPDX-License-Identifier: Apache-2.0
#include "vinci/newton/projections.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/law_moments.h"
#include "vinci/complementarity/laws.h"

namespace vinci {

namespace {

void identity(int size, double* d, double value = 1.0) {
  for (int i = 0; i < size * size; ++i) d[i] = 0.0;
  for (int i = 0; i < size; ++i) d[i * size + i] = value;
}

// Onto the friction cone: 1 inside, 0 in the polar cone, otherwise the ray's projector plus the
// turning of the ray.
void cone_derivative(int size, double friction, const double* y, double* d) {
  const double tangential = law::norm(size - 1, y + 1);
  if (y[0] >= 0.0 && tangential <= friction * y[0]) return identity(size, d);
  if (friction * tangential <= -y[0]) return identity(size, d, 0.0);
  const double cosine = 1.0 / std::hypot(1.0, friction), sine = friction * cosine;
  const double along = y[0] * cosine + tangential * sine;
  double ray[3] = {cosine, 0.0, 0.0};
  for (int i = 1; i < size; ++i) ray[i] = sine * y[i] / tangential;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) d[i * size + j] = ray[i] * ray[j];
  const double turning = along * sine / tangential;
  for (int i = 1; i < size; ++i)
    for (int j = 1; j < size; ++j)
      d[i * size + j] += turning * ((i == j ? 1.0 : 0.0) - y[i] * y[j] / (tangential * tangential));
}

// [y_n]₊ and y_t cut to the length μ [y_n]₊: in sliding friction follows the normal impulse.
void coulomb_derivative(int size, double friction, const double* y, double* d) {
  if (y[0] <= 0.0) return identity(size, d, 0.0);
  const double tangential = law::norm(size - 1, y + 1), radius = friction * y[0];
  if (tangential <= radius) return identity(size, d);
  identity(size, d, 0.0);
  d[0] = 1.0;
  for (int i = 1; i < size; ++i) {
    d[i * size] = friction * y[i] / tangential;
    for (int j = 1; j < size; ++j)
      d[i * size + j] =
          radius / tangential * ((i == j ? 1.0 : 0.0) - y[i] * y[j] / (tangential * tangential));
  }
}

void ball_derivative(int size, double radius, const double* y, double* d) {
  const double length = law::norm(size, y);
  if (length <= radius) return identity(size, d);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      d[i * size + j] = radius / length * ((i == j ? 1.0 : 0.0) - y[i] * y[j] / (length * length));
}

// One normal part n(y) and balls of the radii μ_i n: a part beyond its limit follows n and turns.
// Moments are divided by the length ℓ, and the derivative brought back.
void moments_derivative(const Block& block, Projection projection, const double* y, double length,
                        double* d) {
  const int size = block.size, forces = law::moment_start(block);
  const law::Balls balls = law::scaled(law::balls_of(block), length);
  double x[largest_contact], sizes[law::most_balls] = {};
  for (int i = 0; i < size; ++i) x[i] = i < forces ? y[i] : y[i] / length;
  for (int b = 0; b < balls.count; ++b)
    sizes[b] = law::norm(balls.at[b].count, x + balls.at[b].first);
  const bool cone = projection == Projection::cone;
  const double normal = cone ? law::moments_normal(x[0], balls, sizes) : std::max(x[0], 0.0);
  identity(size, d, 0.0);
  if (normal <= 0.0) return;
  double stretch = 1.0;
  for (int b = 0; b < balls.count && cone; ++b)
    if (sizes[b] > balls.at[b].limit * normal) stretch = std::hypot(stretch, balls.at[b].limit);
  d[0] = 1.0 / stretch / stretch;
  for (int b = 0; b < balls.count && cone; ++b) {
    const law::Ball& ball = balls.at[b];
    for (int i = ball.first; i < ball.first + ball.count; ++i)
      if (sizes[b] > ball.limit * normal) d[i] = ball.limit / stretch * (x[i] / sizes[b]) / stretch;
  }
  for (int b = 0; b < balls.count; ++b) {
    const law::Ball& ball = balls.at[b];
    for (int i = ball.first; i < ball.first + ball.count; ++i) {
      double* const row = d + i * size;
      row[i] = 1.0;
      if (sizes[b] <= ball.limit * normal) continue;
      const double turning = ball.limit * normal / sizes[b], along = x[i] / sizes[b];
      for (int j = 0; j < size; ++j) row[j] = ball.limit * along * d[j];
      row[i] += turning;
      for (int j = ball.first; j < ball.first + ball.count; ++j)
        row[j] -= turning * along * (x[j] / sizes[b]);
    }
  }
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      d[i * size + j] *= (i < forces ? 1.0 : length) / (j < forces ? 1.0 : length);
}

void apply_moments(const Block& block, Projection projection, double length, double* x) {
  const int forces = law::moment_start(block);
  const law::Balls balls = law::scaled(law::balls_of(block), length);
  for (int i = forces; i < block.size; ++i) x[i] /= length;
  if (projection == Projection::cone) {
    law::project_moments(balls, x);
  } else {
    x[0] = std::max(x[0], 0.0);
    for (const law::Ball& ball : balls)
      law::project_ball(ball.count, x + ball.first, ball.limit * x[0]);
  }
  for (int i = forces; i < block.size; ++i) x[i] *= length;
}

}  // namespace

void projection_derivative(const Block& block, Projection projection, const double* y, double* d,
                           double length) {
  switch (block.law) {
    case Law::equality:
      return identity(block.size, d);
    case Law::nonnegative:
      d[0] = y[0] > 0.0 ? 1.0 : 0.0;
      return;
    case Law::box:
      d[0] = y[0] > block.lower && y[0] < block.upper ? 1.0 : 0.0;
      return;
    case Law::ball:
      return ball_derivative(block.size, block.upper, y, d);
    case Law::coulomb:
      if (projection == Projection::coulomb)
        return coulomb_derivative(block.size, block.friction, y, d);
      return cone_derivative(block.size, block.friction, y, d);
    case Law::second_order:
      return cone_derivative(block.size, block.friction, y, d);
    case Law::moments:
      return moments_derivative(block, projection, y, length, d);
  }
}

void apply_projection(const Block& block, Projection projection, double* x, double length) {
  if (block.law == Law::moments) return apply_moments(block, projection, length, x);
  if (block.law != Law::coulomb || projection == Projection::cone) return project(block, 1.0, x);
  x[0] = std::max(x[0], 0.0);
  law::project_ball(block.size - 1, x + 1, block.friction * x[0]);
}

}  // namespace vinci
