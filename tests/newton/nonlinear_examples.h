// SPDX-License-Identifier: Apache-2.0
// The classical small mixed nonlinear complementarity problems, written from their definitions,
// with starts and, where they are known, all solutions.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "vinci/complementarity/nonlinear_problem.h"

namespace vinci::examples {

struct Example {
  std::string name;
  NonlinearProblem problem;
  std::vector<VectorX> starts;
  std::vector<VectorX> solutions;  // empty: the natural map alone decides
};

inline VectorX vector(std::initializer_list<double> values) {
  VectorX result(static_cast<Eigen::Index>(values.size()));
  Eigen::Index k = 0;
  for (const double value : values) result[k++] = value;
  return result;
}

// F and its Jacobian as functions that return values; every entry of the Jacobian is stored.
template <class Function, class Jacobian>
NonlinearProblem dense(const VectorX& lower, const VectorX& upper, Function function,
                       Jacobian jacobian) {
  NonlinearProblem problem;
  problem.lower = lower;
  problem.upper = upper;
  const auto n = lower.size();
  problem.pattern = SparseRows::from_dense(MatrixX::Ones(n, n));
  problem.function = [function](const VectorX& z, VectorX& value) { value = function(z); };
  problem.derivative = [jacobian](const VectorX& z, SparseRows& result) {
    const MatrixX J = jacobian(z);
    for (int i = 0; i < result.rows; ++i)
      for (int k = result.starts[i]; k < result.starts[i + 1]; ++k)
        result.values[k] = J(i, result.indices[k]);
  };
  return problem;
}

inline VectorX unbounded(int n) {
  return VectorX::Constant(n, std::numeric_limits<double>::infinity());
}

// F_i = quadratic in (x₁, x₂) plus linear: 3 x₁² ... of Kojima and Shindo (1986) and of Josephy
// (1979), which differ in three numbers.
inline NonlinearProblem kojima(double c23, double c34, double constant3) {
  const auto function = [=](const VectorX& x) {
    const double a = x[0] * x[0], ab = x[0] * x[1], b = x[1] * x[1];
    return vector({3 * a + 2 * ab + 2 * b + x[2] + 3 * x[3] - 6,
                   2 * a + x[0] + b + c23 * x[2] + 2 * x[3] - 2,
                   3 * a + ab + 2 * b + 2 * x[2] + c34 * x[3] - constant3,
                   a + 3 * b + 2 * x[2] + 3 * x[3] - 3});
  };
  const auto jacobian = [=](const VectorX& x) {
    MatrixX J(4, 4);
    J << 6 * x[0] + 2 * x[1], 2 * x[0] + 4 * x[1], 1, 3,  //
        4 * x[0] + 1, 2 * x[1], c23, 2,                   //
        6 * x[0] + x[1], x[0] + 4 * x[1], 2, c34,         //
        2 * x[0], 6 * x[1], 2, 3;
    return J;
  };
  return dense(VectorX::Zero(4), unbounded(4), function, jacobian);
}

inline Example kojima_shindo() {
  return {"Kojima–Shindo",
          kojima(10, 9, 9),
          {vector({0, 0, 0, 0}), vector({1, 1, 1, 1}), vector({100, 100, 100, 100}),
           vector({1, 0, 1, 0}), vector({1, 0, 0, 0}), vector({0, 1, 1, 0})},
          {vector({std::sqrt(1.5), 0, 0, 0.5}), vector({1, 0, 3, 0})}};
}

inline Example josephy() {
  return {"Josephy",
          kojima(3, 3, 1),
          {vector({0, 0, 0, 0}), vector({1, 1, 1, 1}), vector({100, 100, 100, 100}),
           vector({1, 0, 1, 0}), vector({1.25, 0, 0, 0.5}), vector({0, 1, 1, 0})},
          {vector({std::sqrt(1.5), 0, 0, 0.5})}};
}

// Five firms, marginal cost c + (q/L)^(1/β), inverse demand (5000/Q)^(1/1.1) [Murphy, Sherali,
// Soyster 1982]; F_i = marginal cost − price − q_i dp/dQ. At q = 0 the price is infinite.
inline Example nash_cournot() {
  const VectorX c = vector({10, 8, 6, 4, 2}), beta = vector({1.2, 1.1, 1.0, 0.9, 0.8});
  constexpr double L = 5.0, gamma = 1.1;
  const auto function = [=](const VectorX& q) {
    const double Q = q.sum(), p = std::pow(5000.0 / Q, 1.0 / gamma), slope = -p / (gamma * Q);
    VectorX F(5);
    for (int i = 0; i < 5; ++i) F[i] = c[i] + std::pow(q[i] / L, 1.0 / beta[i]) - p - q[i] * slope;
    return F;
  };
  const auto jacobian = [=](const VectorX& q) {
    const double Q = q.sum(), p = std::pow(5000.0 / Q, 1.0 / gamma), slope = -p / (gamma * Q);
    const double curvature = -slope * (1.0 + 1.0 / gamma) / Q;
    MatrixX J(5, 5);
    for (int i = 0; i < 5; ++i) {
      J.row(i).setConstant(-slope - q[i] * curvature);
      J(i, i) += std::pow(q[i] / L, 1.0 / beta[i] - 1.0) / (beta[i] * L) - slope;
    }
    return J;
  };
  // A firm that makes nothing has an infinite slope where β > 1: the bound is a little above.
  return {"Nash–Cournot",
          dense(VectorX::Constant(5, 1e-6), unbounded(5), function, jacobian),
          {VectorX::Constant(5, 10.0), VectorX::Ones(5), VectorX::Constant(5, 1e-6),
           vector({1, 50, 1, 50, 1}), VectorX::Constant(5, 1e3)},
          {}};
}

// Costs A and B > 0 of two players: 0 <= x ⟂ A y − 1 >= 0, 0 <= y ⟂ Bᵀx − 1 >= 0. The battle of
// the sexes has three equilibria.
inline Example bimatrix() {
  Matrix2 A, B;
  A << 1, 4, 4, 3;
  B << 3, 4, 4, 1;
  MatrixX M = MatrixX::Zero(4, 4);
  M.topRightCorner(2, 2) = A;
  M.bottomLeftCorner(2, 2) = B.transpose();
  const VectorX inner = vector({3.0 / 13, 1.0 / 13, 1.0 / 13, 3.0 / 13});
  return {
      "bimatrix game",
      linear_problem(SparseRows::from_dense(M), -VectorX::Ones(4), VectorX::Zero(4), unbounded(4)),
      {VectorX::Zero(4), VectorX::Ones(4), vector({0, 1, 0, 1}), vector({1, 0, 0, 1})},
      {vector({1.0 / 3, 0, 1, 0}), vector({0, 1, 0, 1.0 / 3}), inner}};
}

// Braess' network, demand 6: paths of cost 10 h + 50 + h, 50 + h + 10 h and over the bridge; with
// the bridge each carries 2 and costs 92. Link costs 10 f (two), 50 + f (two), 10 + f.
inline Example braess() {
  const auto function = [](const VectorX& z) {
    const double first = z[0] + z[2], last = z[1] + z[2];  // flows on the links 10 f
    return vector({10 * first + 50 + z[0] - z[3], 50 + z[1] + 10 * last - z[3],
                   10 * first + 10 + z[2] + 10 * last - z[3], z[0] + z[1] + z[2] - 6});
  };
  const auto jacobian = [](const VectorX&) {
    MatrixX J(4, 4);
    J << 11, 0, 10, -1, 0, 11, 10, -1, 10, 10, 21, -1, 1, 1, 1, 0;
    return J;
  };
  VectorX lower = VectorX::Zero(4);
  lower[3] = -std::numeric_limits<double>::infinity();
  return {"Braess' traffic",
          dense(lower, unbounded(4), function, jacobian),
          {VectorX::Zero(4), VectorX::Ones(4), vector({6, 0, 0, 0}), vector({0, 0, 6, 1000})},
          {vector({2, 2, 2, 92})}};
}

// One commodity, two markets 1 and 2 with supply price s + x^1.5 and demand price d − y², shipped
// at a cost: spatial price equilibrium with powers.
inline Example spatial_prices() {
  const auto function = [](const VectorX& z) {
    // z = flows (11, 12, 21, 22)
    const double s1 = 1 + std::pow(z[0] + z[1], 1.5), s2 = 6 + 0.5 * std::pow(z[2] + z[3], 1.5);
    const double d1 = 10 - std::pow(z[0] + z[2], 2), d2 = 20 - std::pow(z[1] + z[3], 2);
    return vector({s1 - d1, s1 + 1.5 - d2, s2 + 1.5 - d1, s2 - d2});
  };
  const auto jacobian = [](const VectorX& z) {
    const double a = 1.5 * std::sqrt(z[0] + z[1]), b = 0.75 * std::sqrt(z[2] + z[3]);
    const double c = 2 * (z[0] + z[2]), d = 2 * (z[1] + z[3]);
    MatrixX J(4, 4);
    J << a + c, a, c, 0, a, a + d, 0, d, c, 0, b + c, b, 0, d, b, b + d;
    return J;
  };
  return {"spatial prices",
          dense(VectorX::Zero(4), unbounded(4), function, jacobian),
          {VectorX::Zero(4), VectorX::Ones(4), VectorX::Constant(4, 10.0), vector({0, 5, 5, 0})},
          {}};
}

// Rosenbrock's valley within bounds, the equation of its gradient. With x₁ <= 0.5: (0.5, 0.25).
inline Example rosenbrock() {
  const auto function = [](const VectorX& x) {
    const double e = x[1] - x[0] * x[0];
    return vector({-400 * x[0] * e - 2 * (1 - x[0]), 200 * e});
  };
  const auto jacobian = [](const VectorX& x) {
    MatrixX J(2, 2);
    J << 1200 * x[0] * x[0] - 400 * x[1] + 2, -400 * x[0], -400 * x[0], 200;
    return J;
  };
  return {"Rosenbrock in a box",
          dense(vector({-2, -2}), vector({0.5, 2}), function, jacobian),
          {vector({-1.2, 1}), vector({0, 0}), vector({-2, 2}), vector({0.5, -2})},
          {vector({0.5, 0.25})}};
}

// Rosen and Suzuki's program (Hock, Schittkowski 43), its conditions of optimality with three
// multipliers: x = (0, 1, 2, −1), multipliers (1, 0, 2).
inline Example rosen_suzuki() {
  const auto function = [](const VectorX& z) {
    const auto x = z.head<4>();
    const auto y = z.tail<3>();
    VectorX F(7);
    F[0] = 2 * x[0] - 5 + y[0] * (2 * x[0] + 1) + y[1] * (2 * x[0] - 1) + y[2] * (4 * x[0] + 2);
    F[1] = 2 * x[1] - 5 + y[0] * (2 * x[1] - 1) + y[1] * 4 * x[1] + y[2] * (2 * x[1] - 1);
    F[2] = 4 * x[2] - 21 + y[0] * (2 * x[2] + 1) + y[1] * 2 * x[2] + y[2] * 2 * x[2];
    F[3] = 2 * x[3] + 7 + y[0] * (2 * x[3] - 1) + y[1] * (4 * x[3] - 1) - y[2];
    F[4] = 8 - x.squaredNorm() - x[0] + x[1] - x[2] + x[3];
    F[5] = 10 - x[0] * x[0] - 2 * x[1] * x[1] - x[2] * x[2] - 2 * x[3] * x[3] + x[0] + x[3];
    F[6] = 5 - 2 * x[0] * x[0] - x[1] * x[1] - x[2] * x[2] - 2 * x[0] + x[1] + x[3];
    return F;
  };
  const auto jacobian = [](const VectorX& z) {
    const auto x = z.head<4>();
    const auto y = z.tail<3>();
    MatrixX J = MatrixX::Zero(7, 7);
    J(0, 0) = 2 + 2 * y[0] + 2 * y[1] + 4 * y[2];
    J(1, 1) = 2 + 2 * y[0] + 4 * y[1] + 2 * y[2];
    J(2, 2) = 4 + 2 * y[0] + 2 * y[1] + 2 * y[2];
    J(3, 3) = 2 + 2 * y[0] + 4 * y[1];
    MatrixX G(4, 3);
    G << 2 * x[0] + 1, 2 * x[0] - 1, 4 * x[0] + 2, 2 * x[1] - 1, 4 * x[1], 2 * x[1] - 1,
        2 * x[2] + 1, 2 * x[2], 2 * x[2], 2 * x[3] - 1, 4 * x[3] - 1, -1;
    J.topRightCorner(4, 3) = G;
    J.bottomLeftCorner(3, 4) = -G.transpose();
    return J;
  };
  VectorX lower = VectorX::Zero(7);
  lower.head(4).setConstant(-std::numeric_limits<double>::infinity());
  return {"Rosen–Suzuki",
          dense(lower, unbounded(7), function, jacobian),
          {VectorX::Zero(7), VectorX::Ones(7), VectorX::Constant(7, 10.0),
           vector({-5, 5, -5, 5, 0, 0, 0})},
          {vector({0, 1, 2, -1, 1, 0, 2})}};
}

// (x − 1)² − 1.01 for x >= 0: Newton's method and every descent of a merit function end at x = 0
// from the left of 1; the solution is 1 + √1.01 [Billups 1995].
inline Example billups() {
  return {"Billups",
          dense(
              VectorX::Zero(1), unbounded(1),
              [](const VectorX& x) { return vector({(x[0] - 1) * (x[0] - 1) - 1.01}); },
              [](const VectorX& x) { return MatrixX::Constant(1, 1, 2 * (x[0] - 1)); }),
          {vector({0}), vector({0.5}), vector({1}), vector({10})},
          {vector({1 + std::sqrt(1.01)})}};
}

// Powell's equations x₁ = 0, 10 x₁/(x₁ + 0.1) + 2 x₂² = 0: the Jacobian is singular along x₂ = 0,
// where the solution lies.
inline Example powell() {
  return {"Powell, singular",
          dense(
              vector({-0.05, -infinity}), unbounded(2),
              [](const VectorX& x) {
                return vector({x[0], 10 * x[0] / (x[0] + 0.1) + 2 * x[1] * x[1]});
              },
              [](const VectorX& x) {
                MatrixX J(2, 2);
                J << 1, 0, 1.0 / ((x[0] + 0.1) * (x[0] + 0.1)), 4 * x[1];
                return J;
              }),
          {vector({3, 1}), vector({0.5, 0}), vector({0, 5})},
          {}};
}

// Broyden's tridiagonal equations in a box that some of its solution's entries lie outside of.
inline Example bounded_broyden() {
  static constexpr int n = 30;
  return {"Broyden in a box",
          dense(
              VectorX::Constant(n, -0.68), VectorX::Constant(n, 0.5),
              [](const VectorX& x) {
                VectorX F(n);
                for (int i = 0; i < n; ++i)
                  F[i] = (3 - 2 * x[i]) * x[i] - (i > 0 ? x[i - 1] : 0) -
                         2 * (i + 1 < n ? x[i + 1] : 0) + 1;
                return F;
              },
              [](const VectorX& x) {
                MatrixX J = MatrixX::Zero(n, n);
                for (int i = 0; i < n; ++i) {
                  J(i, i) = 3 - 4 * x[i];
                  if (i > 0) J(i, i - 1) = -1;
                  if (i + 1 < n) J(i, i + 1) = -2;
                }
                return J;
              }),
          {VectorX::Constant(n, -1.0), VectorX::Zero(n), VectorX::Constant(n, 0.5)},
          {}};
}

// A membrane over [0, 1]² under a uniform load, held between an obstacle below and, where `ceiling`
// is finite, one above: −Δz − f on a grid of side² inner points, times h².
inline Example membrane(int side, double load, double ceiling) {
  const int n = side * side;
  const double h = 1.0 / (side + 1);
  SparseRows A;
  A.reset(n);
  VectorX lower(n), q = VectorX::Constant(n, -load * h * h);
  for (int i = 0; i < n; ++i) {
    const int x = i % side, y = i / side;
    if (y > 0) A.push(i - side, -1.0);
    if (x > 0) A.push(i - 1, -1.0);
    A.push(i, 4.0);
    if (x + 1 < side) A.push(i + 1, -1.0);
    if (y + 1 < side) A.push(i + side, -1.0);
    A.end_row();
    lower[i] =
        std::pow(std::sin(3 * M_PI * (x + 1) * h) * std::sin(3 * M_PI * (y + 1) * h), 3) - 0.4;
  }
  return {"membrane " + std::to_string(side),
          linear_problem(A, q, lower, VectorX::Constant(n, ceiling)),
          {VectorX::Zero(n), VectorX::Constant(n, 1.0), VectorX::Constant(n, -1.0)},
          {}};
}

inline std::vector<Example> classical() {
  return {kojima_shindo(),
          josephy(),
          nash_cournot(),
          bimatrix(),
          braess(),
          spatial_prices(),
          rosenbrock(),
          rosen_suzuki(),
          billups(),
          powell(),
          bounded_broyden(),
          membrane(20, -2.0, infinity),
          membrane(20, 15.0, 0.75)};
}

}  // namespace vinci::examples
