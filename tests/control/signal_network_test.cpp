// SPDX-License-Identifier: Apache-2.0
// Networks of signals by themselves: every block in closed form, loops against systems that are
// closed by hand, samples, and case 24's sampled PD up to the contact.
#include "vinci/control/signal_network.h"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "vinci/control/signal_controller.h"
#include "vinci/scene/scene.h"
#include "vinci/systems/time_response.h"
#include "vinci/systems/transfer_function.h"

namespace vinci::test {
namespace {

constexpr double h = 0.01;

// A network with the signals of a scene that has a body to read and to push.
struct Loop {
  explicit Loop(const std::string& signals) {
    model = Scene::parse(
                "world: planar\ngravity: [0, 0]\nparameters: {k: 3}\n"
                "bodies: {cart: {mass: 1, inertia: 1}}\nsignals:\n" +
                signals)
                .compile();
    network = std::static_pointer_cast<const SignalDescription>(model->controllers.back());
    reads = VectorX::Zero(static_cast<Eigen::Index>(net().reads().size()));
    memory.resize(net().memory_size());
    net().begin(0.0, reads, memory);
  }
  const SignalNetwork& net() const { return network->network(); }
  VectorX states() const { return memory.head(net().state_count()); }
  VectorX sampled() const { return memory.tail(memory.size() - net().state_count()); }
  double signal(const std::string& name) const {
    VectorX all(static_cast<Eigen::Index>(net().signal_names().size()));
    net().signals(time, reads, memory, all);
    const auto& names = net().signal_names();
    const auto found = std::find(names.begin(), names.end(), name);
    EXPECT_NE(found, names.end()) << name;
    return all[found - names.begin()];
  }
  void step(double seconds = h) {
    net().sample(time, reads, memory);
    net().advance(time, seconds, reads, memory, steps);
    time += seconds;
  }
  // A, B, C, D from all inputs to all signals, by derivatives.
  LinearSystem linear() const {
    const int n = net().state_count(), m = static_cast<int>(net().inputs().size());
    const auto p = static_cast<int>(net().signal_names().size());
    LinearSystem result{MatrixX(n, n), MatrixX(n, m), MatrixX(p, n), MatrixX(p, m)};
    for (int j = 0; j < n + m; ++j) {
      VectorOf<Dual<double>> x(n), u(m), own(reads.size()), forces, rates, signals;
      for (int i = 0; i < n; ++i) x[i] = {memory[i], i == j ? 1.0 : 0.0};
      for (int i = 0; i < m; ++i) u[i] = {0.0, i == j - n ? 1.0 : 0.0};
      for (int i = 0; i < own.size(); ++i) own[i] = reads[i];
      net().flow(time, own, x, sampled(), forces, rates, &u);
      net().evaluate(time, own, x, sampled(), signals, &u);
      for (int i = 0; i < n; ++i) (j < n ? result.a(i, j) : result.b(i, j - n)) = rates[i].slope;
      for (int i = 0; i < p; ++i) (j < n ? result.c(i, j) : result.d(i, j - n)) = signals[i].slope;
    }
    return result;
  }

  std::shared_ptr<const Model> model;
  std::shared_ptr<const SignalDescription> network;
  VectorX reads, memory;
  double time = 0.0;
  SignalNetwork::HeldSteps steps;
};

VectorX list(std::initializer_list<double> numbers) {
  return Eigen::Map<const VectorX>(numbers.begin(), static_cast<Eigen::Index>(numbers.size()));
}

VectorX sorted_real(const MatrixX& a) {
  VectorX real = Eigen::EigenSolver<MatrixX>(a).eigenvalues().real();
  std::sort(real.begin(), real.end());
  return real;
}

// The step response of a block that is told by a line, against a formula.
template <class Formula>
void expect_step_response(const std::string& block, const Formula& exact) {
  Loop loop("  y: {" + block + ", in: 1}\n");
  for (int i = 0; i < 100; ++i, loop.step())
    ASSERT_NEAR(loop.signal("y"), exact(loop.time), 1e-12) << block << " at " << loop.time;
}

TEST(SignalNetworks, continuous_blocks_have_their_closed_step_responses) {
  expect_step_response("transfer-function: {numerator: [2], denominator: [1, 4]}",
                       [](double t) { return 0.5 * (1.0 - std::exp(-4.0 * t)); });
  expect_step_response("lead: {gain: 2, zero: -1, pole: -5}",
                       [](double t) { return 0.4 + 1.6 * std::exp(-5.0 * t); });
  expect_step_response("lag: {zero: -5, pole: -1}",
                       [](double t) { return 5.0 - 4.0 * std::exp(-t); });
  expect_step_response("pid: {proportional: 2, integral: 3, derivative: 0.1, filter: 20 ms}",
                       [](double t) { return 2.0 + 3.0 * t + 5.0 * std::exp(-t / 0.02); });
  expect_step_response("state-space: {a: [[0, 1], [-25, 0]], b: [0, 25], c: [1, 0]}",
                       [](double t) { return 1.0 - std::cos(5.0 * t); });
  expect_step_response("gain: k", [](double) { return 3.0; });
}

TEST(SignalNetworks, expressions_sums_and_products_go_entry_by_entry) {
  Loop loop(
      "  r: [1, 2*t, -3]\n"
      "  sum: {sum: [r, -2*r_2, 1]}\n"
      "  p: {product: [sum, r, k]}\n"
      "  c: {saturation: {lower: -30}, in: p}\n"
      "  one: p_1 + cart.vx\n"
      "  mix: {gain: [[1, 0, 0], [0, 1, 1]], in: r}\n");
  loop.time = 0.5;
  loop.reads = list({0.25});
  ASSERT_EQ(loop.net().reads(),
            (std::vector<CoordinateRead>{{CoordinateRead::Kind::body, 0, 0, true}}));
  EXPECT_EQ(loop.signal("sum_0"), 8.0);
  EXPECT_EQ(loop.signal("p_0"), 24.0);
  EXPECT_EQ(loop.signal("p_1"), 24.0);
  EXPECT_EQ(loop.signal("p_2"), -36.0);
  EXPECT_EQ(loop.signal("c_2"), -30.0);
  EXPECT_EQ(loop.signal("one"), 24.25);
  EXPECT_EQ(loop.signal("mix_1"), -2.0);
  EXPECT_EQ(loop.net().signal_columns()[3], "sum_0 [1]");
}

TEST(SignalNetworks, loops_equal_systems_that_are_closed_by_hand) {
  const Loop loop(
      "  r: {input: 0}\n"
      "  e: {sum: [r, -y]}\n"
      "  c: {lead: {gain: 12, zero: -1, pole: -10}, in: e}\n"
      "  u: c*k\n"
      "  y: {transfer-function: {numerator: [1, 2], denominator: [1, 1, 4]}, in: u}\n");
  const LinearSystem all = loop.linear();
  const LinearSystem own = channel(all, {0}, {4});
  LinearSystem controller = system_of(Vector2(36.0, 36.0), Vector2(1.0, 10.0));
  const LinearSystem plant = system_of(Vector2(1.0, 2.0), Vector3(1.0, 1.0, 4.0));
  const LinearSystem closed =
      closed_loop(in_series(controller, plant), constant_system(MatrixX::Identity(1, 1)), -1.0);
  for (const Complex s : {Complex(0.0, 0.3), Complex(0.0, 7.0), Complex(1.0, 40.0)})
    EXPECT_LT(std::abs(value_at(own, s)(0, 0) - value_at(closed, s)(0, 0)), 1e-13);
  EXPECT_EQ(loop.net().state_names(),
            (std::vector<std::string>{"c.state_0", "y.state_0", "y.state_1"}));
  EXPECT_EQ(loop.net().inputs()[0].name, "r");
}

TEST(SignalNetworks, observer_and_feedback_keep_their_poles) {
  // The double integrator, with −1, −2 by feedback and −5, −6 of the observer.
  const Loop loop(
      "  r: {input: 0}\n"
      "  u: {observer: {a: [[0, 1], [0, 0]], b: [0, 1], c: [1, 0], feedback: [2, 3],\n"
      "       gain: [11, 30], reference: r, reference-gain: 2}, in: y}\n"
      "  y: {transfer-function: {numerator: [1], denominator: [1, 0, 0]}, in: u}\n");
  const LinearSystem closed = loop.linear();
  EXPECT_LT((sorted_real(closed.a) - list({-6.0, -5.0, -2.0, -1.0})).norm(), 1e-10);
  // N = 2 of K = [2 3]: y comes to r.
  EXPECT_NEAR(value_at(channel(closed, {0}, {2}), 0.0)(0, 0).real(), 1.0, 1e-12);
}

TEST(SignalNetworks, saturation_cuts_off_and_has_no_slope_there) {
  const Loop loop(
      "  r: {input: [0, 5]}\n"
      "  y: {saturation: 2, in: r}\n");
  EXPECT_EQ(loop.signal("y_1"), 2.0);
  VectorOf<Dual<double>> none, u(2), signals;
  u[0] = {0.5, 1.0};
  u[1] = {-3.0, 1.0};
  loop.net().evaluate<Dual<double>>(0.0, none, none, VectorX(), signals, &u);
  EXPECT_EQ(signals[2].slope, 1.0);
  EXPECT_EQ(signals[3].slope, 0.0);
  EXPECT_EQ(signals[3].value, -2.0);
}

TEST(SignalNetworks, sampled_blocks_jump_at_their_samples_and_hold_in_between) {
  Loop loop(
      "  w: 2*t + 1\n"
      "  held: {hold: w, sample: 0.1}\n"
      "  late: {delay: 0.2, in: w, sample: 0.1}\n"
      "  slow: {rate-limit: {rising: 1.5, falling: 1}, in: w, sample: 0.1}\n"
      "  half: {transfer-function: {numerator: [1], denominator: [1, -0.5]}, in: held, sample: "
      "0.1}\n");
  double half = 0.0;
  for (int i = 0; i < 100; ++i, loop.step()) {
    const int k = (i + 1e-9 > 0 ? (i - 1) / 10 : 0);  // the sample before, taken in the last step
    if (i == 0) continue;
    const double at = 0.1 * k;
    ASSERT_NEAR(loop.signal("held"), 2.0 * at + 1.0, 1e-12) << i;
    ASSERT_NEAR(loop.signal("late"), k < 2 ? 0.0 : 2.0 * (at - 0.2) + 1.0, 1e-12) << i;
    ASSERT_NEAR(loop.signal("slow"), 0.15 * (k + 1), 1e-12) << i;
    if ((i - 1) % 10 == 0 && k > 0) half = 0.5 * half + 2.0 * (at - 0.1) + 1.0;
    ASSERT_NEAR(loop.signal("half"), half, 1e-12) << i;
    ASSERT_NEAR(loop.net().next_sample(loop.memory), 0.1 * (k + 1), 1e-12);
  }
}

TEST(SignalNetworks, samples_of_different_times_are_taken_each_at_its_own) {
  Loop loop(
      "  fast: {hold: t, sample: 0.02}\n"
      "  slow: {hold: fast, sample: 0.03}\n");
  const auto at = [&](double time) {
    loop.time = time;
    EXPECT_NEAR(loop.net().next_sample(loop.memory), time, 1e-15);
    loop.net().sample(time, loop.reads, loop.memory);
    return std::pair(loop.signal("fast"), loop.signal("slow"));
  };
  EXPECT_EQ(at(0.0), std::pair(0.0, 0.0));
  EXPECT_EQ(at(0.02), std::pair(0.02, 0.0));
  EXPECT_EQ(at(0.03), std::pair(0.02, 0.02));
  EXPECT_EQ(at(0.04), std::pair(0.04, 0.02));
  // Both are due: what the slow one takes is what the fast one has just got.
  EXPECT_EQ(at(0.06), std::pair(0.06, 0.06));
}

TEST(SignalNetworks, references_keep_their_limits_and_know_their_derivatives) {
  Loop loop(
      "  r: {reference: {from: [0, 1], start: 0.5, limits: {velocity: 0.4, acceleration: 2, jerk: "
      "[30, 20]}, path: [{move: [0.3, 1]}, {wait: 0.2}, {spline: {points: [[0.2, 1.1], [0, 0.9]]}, "
      "limits: {velocity: 0.2}}]}}\n");
  double before = 0.0, rate = 0.0;
  const double dt = 1e-4;
  double fastest = 0.0, hardest = 0.0;
  for (int i = 1; i < 60000; ++i) {
    loop.time = i * dt;
    const double now = loop.signal("r_0"), v = loop.signal("r.rate_0");
    ASSERT_NEAR((now - before) / dt, 0.5 * (v + rate), 1e-5) << loop.time;
    ASSERT_LE(std::abs(v), (loop.time < 2.0 ? 0.4 : 0.2) * (1.0 + 1e-9));
    fastest = std::max(fastest, std::abs(v));
    hardest = std::max(hardest, std::abs(loop.signal("r.acceleration_0")));
    before = now;
    rate = v;
  }
  EXPECT_NEAR(fastest, 0.4, 1e-9);
  EXPECT_LE(hardest, 2.0 * (1.0 + 1e-9));
  EXPECT_EQ(loop.signal("r_0"), 0.0);
  EXPECT_EQ(loop.signal("r_1"), 0.9);
}

TEST(SignalNetworks, continues_bit_for_bit) {
  const std::string signals =
      "  e: sin(3*t) - y\n"
      "  u: {pid: {proportional: 2, integral: 5, derivative: 0.1, filter: 10 ms, limits: 1}, in: "
      "e, "
      "sample: 30 ms}\n"
      "  late: {delay: 60 ms, in: u, sample: 20 ms}\n"
      "  y: {transfer-function: {numerator: [1], denominator: [1, 2, 10]}, in: late}\n";
  Loop one(signals), other(signals);
  for (int i = 0; i < 37; ++i) one.step();
  other.memory = one.memory;
  other.time = one.time;
  for (int i = 0; i < 50; ++i) one.step(), other.step();
  EXPECT_EQ(one.memory, other.memory);
  EXPECT_NE(one.signal("y"), 0.0);
}

// Case 24: the force is held over the sample, so that network and plant together are exact.
std::string pressing(double kp) {
  return fmt::format(
      "  u: {{digital-pd: {{proportional: {}, derivative: 40, filter: -0.001/log(0.9), measured: "
      "y_0, reference: 0.005*t, rate: 0.005}}, sample: 1 ms}}\n"
      "  f: 2*u\n"
      "  y: {{state-space: {{a: [[0, 1], [0, 0]], b: [0, 0.5], c: [[1, 0], [0, 1]]}}, in: f}}\n",
      kp);
}

TEST(SignalNetworks, digital_pd_moves_as_in_case_24_up_to_the_wall) {
  const auto run =
      reference("case24_event_linear")["expected"]["sampled"]["runs"]["position_control_kept"];
  Loop loop(pressing(400.0));
  int checked = 0;
  for (std::size_t i = 0; i < run["t"].size() && run["t"][i] < 2.05; ++i) {
    const double until = run["t"][i];
    while (loop.time < until - 1e-9) {
      loop.net().sample(loop.time, loop.reads, loop.memory);
      loop.net().advance(loop.time, 1e-3, loop.reads, loop.memory, loop.steps);
      loop.time = std::round(loop.time * 1000.0 + 1.0) / 1000.0;
    }
    EXPECT_NEAR(loop.signal("y_0"), double(run["x"][i]), 1e-13) << until;
    EXPECT_NEAR(loop.signal("y_1"), double(run["v"][i]), 1e-11) << until;
    ++checked;
  }
  EXPECT_EQ(checked, 5);
}

// The sampled loop's poles, those of the reference; x of the filter stands for y(k−1) and d(k−1).
TEST(SignalNetworks, sampled_loop_has_the_poles_of_case_24) {
  Loop loop(pressing(400.0));
  const auto after = [&](const Vector3& start) {
    Loop one(pressing(400.0));
    one.memory.head(2) = start.head(2);
    one.memory[one.memory.size() - 1] = start[2];
    one.step(1e-3);
    return Vector3(one.memory[0], one.memory[1], one.memory[one.memory.size() - 1]);
  };
  const Vector3 rest = after(Vector3::Zero());
  MatrixX a(3, 3);
  for (int i = 0; i < 3; ++i) a.col(i) = after(Vector3::Unit(i)) - rest;
  auto poles = Eigen::EigenSolver<MatrixX>(a).eigenvalues().eval();
  std::sort(poles.begin(), poles.end(), [](const Complex& p, const Complex& q) {
    return std::pair(p.real(), p.imag()) < std::pair(q.real(), q.imag());
  });
  const auto expected =
      reference("case24_event_linear")["expected"]["sampled"]["free_loop_kp400"]["poles"];
  ASSERT_EQ(expected.size(), 4U);  // and one at 0 of y(k−1)
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(poles[i].real(), double(expected[i + 1][0]), 1e-8);
    EXPECT_NEAR(poles[i].imag(), double(expected[i + 1][1]), 1e-8);
  }
}

}  // namespace
}  // namespace vinci::test
