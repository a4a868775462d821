// SPDX-License-Identifier: Apache-2.0
// The linear systems of reference cases 12 (ball maze), 19 (delta robot) and 24 (contact): poles,
// zeros, responses and closed loops from their matrices.
#include <fstream>
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "tests/systems/random_systems.h"
#include "vinci/systems/frequency.h"
#include "vinci/systems/modes.h"
#include "vinci/systems/transfer_function.h"

namespace vinci {
namespace {

using Json = nlohmann::json;

Json expected_of(const std::string& name) {
  std::ifstream file(std::string(VINCI_SOURCE_DIR "/tests/data/reference/") + name + ".json");
  return Json::parse(file)["expected"];
}

MatrixX matrix_of(const Json& rows) {
  MatrixX matrix(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].size(); ++k) matrix(i, k) = rows[i][k];
  return matrix;
}

VectorX vector_of(const Json& numbers) {
  VectorX vector(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) vector[i] = numbers[i];
  return vector;
}

ComplexVector complex_of(const Json& pairs) {
  ComplexVector vector(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i)
    vector[i] = pairs[i].is_array() ? Complex(pairs[i][0], pairs[i][1]) : Complex(pairs[i], 0.0);
  return vector;
}

LinearSystem system_of_case(const Json& part, const char* c, double d = 0.0) {
  const VectorX b = vector_of(part["B"]), row = vector_of(part[c]);
  return {matrix_of(part["A"]), MatrixX(b), MatrixX(row.transpose()), MatrixX::Constant(1, 1, d)};
}

// Poles at −α₁/2 stand four times, defective: rounding moves them by its fourth root.
TEST(SystemReferences, the_maze_has_the_poles_and_zeros_of_the_closed_form) {
  const Json cases = expected_of("case12_ball_maze");
  int counted = 0;
  for (const auto& [name, part] : cases.items()) {
    if (!part.contains("analytic_poles")) continue;
    const LinearSystem ball = system_of_case(part, "C_y1"), maze = system_of_case(part, "C_y2");
    EXPECT_LT(set_distance(poles(ball), complex_of(part["analytic_poles"])), 1e-2) << name;
    EXPECT_LT(
        set_distance(invariant_zeros(ball).values, complex_of(part["zeros_u_to_q2_analytic"])),
        1e-2)
        << name;
    EXPECT_LT(
        set_distance(invariant_zeros(maze).values, complex_of(part["zeros_u_to_q1_analytic"])),
        1e-2)
        << name;
    // What is neither cancelled nor defective is exact: p, and z of the maze's angle.
    const double p = part["pole_p"], z = part["zero_z_u_to_q1"];
    const TransferFunction to_ball = transfer_function(ball, 0, 0, 1e-7);
    ASSERT_EQ(to_ball.poles.size(), 2) << name;
    EXPECT_LT(set_distance(to_ball.poles, (ComplexVector(2) << -p, p).finished()), 1e-8 * p)
        << name;
    EXPECT_EQ(to_ball.zeros.size(), 0) << name;
    EXPECT_NEAR(to_ball.gain / part["gain_u_to_q2"].get<double>(), 1.0, 1e-8) << name;
    const TransferFunction to_maze = transfer_function(maze, 0, 0, 1e-7);
    EXPECT_LT(set_distance(to_maze.zeros, (ComplexVector(2) << -z, z).finished()), 1e-7 * z)
        << name;
    EXPECT_NEAR(to_maze.gain / part["gain_u_to_q1"].get<double>(), 1.0, 1e-8) << name;
    ++counted;
  }
  EXPECT_EQ(counted, 4);
}

TEST(SystemReferences, systems_in_contact_have_the_responses_of_the_reference) {
  const Json cases = expected_of("case24_event_linear");
  const auto compare = [](const LinearSystem& system, const VectorX& frequencies,
                          const Json& response) {
    const auto values = frequency_response(system, frequencies);
    const ComplexVector wanted = complex_of(response);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Complex at = wanted[static_cast<Eigen::Index>(i)];
      EXPECT_LT(std::abs(values[i](0, 0) - at), 1e-9 * std::abs(at) + 1e-14);
    }
  };
  const Json& maze = cases["maze"];
  const VectorX frequencies = vector_of(maze["frequencies"]);
  compare(system_of_case(maze, "C_q2"), frequencies, maze["response_u_to_q2"]);
  compare(system_of_case(maze, "C_q1"), frequencies, maze["response_u_to_q1"]);
  const Json& two = cases["two_mass"]["contact"];
  const LinearSystem force = system_of_case(two, "C_lambda", two["D_lambda"]);
  EXPECT_LT(set_distance(poles(force), complex_of(two["poles"])), 1e-8);
  EXPECT_LT(set_distance(invariant_zeros(force).values, complex_of(two["zeros_u_to_lambda"])),
            1e-8);
  const Json& apart = cases["two_mass"]["free"];
  EXPECT_LT(set_distance(invariant_zeros(system_of_case(apart, "C_x2")).values,
                         complex_of(apart["zeros_u_to_x2"])),
            1e-8);
  // In contact the input does not reach the mass: every pole is cancelled by a zero.
  const Json& one = cases["one_mass"]["contact"];
  const LinearSystem pressed = system_of_case(one, "C_lambda", one["D_lambda"]);
  EXPECT_EQ(minimal_part(pressed).system.state_count(), 0);
  EXPECT_NEAR(transfer_function(pressed, 0, 0).gain, -1.0, 1e-14);
}

// u = k₁ (s + 0.6)/(s + 10) q₂ + k₂ (s + 0.05)/(s + 5) q₁ on the maze, as the reference has it.
TEST(SystemReferences, the_two_lead_compensators_place_the_poles_of_the_reference) {
  const Json cases = expected_of("case12_ball_maze");
  const Json& loop = cases["closed_loop"];
  const double jm = loop["parameters"]["Jm"], mb = loop["parameters"]["mb"];
  const double jb = loop["parameters"]["Jb"], rm = loop["parameters"]["rm"],
               rb = loop["parameters"]["rb"], g = 9.81;
  // The motion on the constraints, by hand: φ the ball's place on the ring, R = r_m + r_b, and
  // r_b q₄ = −(r_m q₁ + R φ).
  const double ring = rm + rb;
  Matrix2 mass;
  mass << jm + jb * rm * rm / (rb * rb), jb * rm * ring / (rb * rb), jb * rm * ring / (rb * rb),
      mb * ring * ring + jb * ring * ring / (rb * rb);
  Matrix2 stiffness = Matrix2::Zero();
  stiffness(1, 1) = mb * g * ring;  // drives the ball off the top
  const Matrix2 inverse = mass.inverse();
  LinearSystem maze = {MatrixX::Zero(4, 4), MatrixX::Zero(4, 1), MatrixX::Zero(2, 4),
                       MatrixX::Zero(2, 1)};
  maze.a.topRightCorner(2, 2).setIdentity();
  maze.a.bottomLeftCorner(2, 2) = inverse * stiffness;
  maze.b.bottomRows(2) = inverse.col(0);
  maze.c(0, 1) = ring;  // q₂
  maze.c(1, 0) = 1.0;   // q₁
  const auto lead = [](double gain, double zero, double pole) {
    return system_of(gain * (VectorX(2) << 1.0, zero).finished(),
                     (VectorX(2) << 1.0, pole).finished());
  };
  const LinearSystem first = lead(loop["k1"], 0.6, 10.0), second = lead(loop["k2"], 0.05, 5.0);
  LinearSystem both = {MatrixX::Zero(2, 2), MatrixX::Zero(2, 2), MatrixX::Zero(1, 2),
                       MatrixX::Zero(1, 2)};
  both.a.diagonal() << first.a(0, 0), second.a(0, 0);
  both.b.diagonal() << first.b(0, 0), second.b(0, 0);
  both.c << first.c, second.c;
  both.d << first.d, second.d;
  EXPECT_LT(set_distance(poles(closed_loop(maze, both, 1.0)),
                         complex_of(loop["nontrivial_poles_polynomial"])),
            1e-8);
  EXPECT_TRUE(is_stable(closed_loop(maze, both, 1.0)));
}

}  // namespace
}  // namespace vinci
