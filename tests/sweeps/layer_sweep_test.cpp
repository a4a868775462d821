// SPDX-License-Identifier: Apache-2.0
// Random scenes with soft layers on every shape, under song-pang-kumar: the energy of bodies and
// layers never grows. VINCI_SWEEP=20 runs twenty times as many.
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace vinci::test {
namespace {

double total_energy(const Simulation& simulation) {
  return energy(simulation.model(), simulation.state()).total();
}

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  double decades(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }
  int below(int n) { return static_cast<int>(between(0.0, n)); }
  bool one_in(int n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

std::string layered_shape(Dice& dice) {
  const double size = dice.between(0.03, 0.08);
  switch (dice.below(7)) {
    case 0:
      return fmt::format("circle: {}", size);
    case 1:
      return fmt::format("box: [{}, {}]", 2.0 * size, dice.between(0.5, 2.0) * size);
    case 2:
      return fmt::format("capsule: {{length: {}, radius: {}}}", size, 0.4 * size);
    case 3:
      return fmt::format("superellipse: {{axes: [{}, {}], exponent: {}}}", size,
                         dice.between(0.5, 1.0) * size, dice.between(1.5, 8.0));
    case 4:
      return fmt::format("implicit: {{function: (x/{})^2 + (y/{})^2 - 1}}", size,
                         dice.between(0.5, 1.0) * size);
    case 5: {
      std::string corners;
      const int n = 3 + dice.below(6);
      for (int i = 0; i < n; ++i)
        corners += fmt::format("{}[{}, {}]", i > 0 ? ", " : "", size * std::cos(2.0 * M_PI * i / n),
                               size * std::sin(2.0 * M_PI * i / n));
      return fmt::format("polygon: [{}]", corners);
    }
    default:  // an L
      return fmt::format(
          "polygon: [[{0}, {0}], [{1}, {0}], [{1}, 0], [0, 0], [0, {1}], [{0}, {1}]]", -0.8 * size,
          size);
  }
}

struct LayerScene {
  std::string yaml;
  unsigned seed;
};

LayerScene random_layers(unsigned seed) {
  Dice dice(seed + 1);
  std::string materials;
  for (const char* name : {"m0", "m1", "m2"})
    materials += fmt::format(
        "  {}: {{friction: {}, stiffness: {}, damping: {}, "
        "tangential-stiffness: {}}}\n",
        name, dice.one_in(3) ? 0.0 : dice.between(0.0, 1.0), dice.decades(1e3, 1e7),
        dice.one_in(3) ? 0.0 : dice.decades(1.0, 1e3), dice.decades(1e3, 1e7));
  const double angle = dice.one_in(2) ? 0.0 : dice.between(-0.4, 0.4);
  std::string bodies = fmt::format(
      "  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m0}}], angle: {}}}\n",
      angle);
  if (dice.one_in(3))
    bodies +=
        "  shelf: {freedom: fixed, shapes: [{box: [0.4, 0.04], material: m1}], "
        "position: [0, 0.15], angle: 0.2}\n";
  const int count = 1 + dice.below(3);
  for (int i = 0; i < count; ++i) {
    std::string shapes = fmt::format("{{{}, material: m{}}}", layered_shape(dice), dice.below(3));
    if (dice.one_in(4))
      shapes +=
          fmt::format(", {{circle: 0.03, position: [0.05, 0.02], material: m{}}}", dice.below(3));
    bodies += fmt::format(
        "  b{}: {{shapes: [{}], mass: {}, inertia: {}, position: [{}, {}], angle: {}, "
        "velocity: [{}, {}], spin: {}}}\n",
        i, shapes, dice.decades(0.05, 5.0), dice.decades(1e-4, 1e-2), dice.between(-0.1, 0.1),
        0.35 + 0.25 * i, dice.between(-3.1, 3.1), dice.between(-1.5, 1.5), dice.between(-8.0, 1.0),
        dice.one_in(2) ? 0.0 : dice.between(-20.0, 20.0));
  }
  const int points = dice.one_in(5) ? 5 : 1;
  return {
      fmt::format(R"(
world: planar
gravity: [0, {}]
materials:
{}bodies:
{}run:
  stepper:
    {{name: song-pang-kumar, resolution: {}, most-substeps: 300, points: {}, width: 0.01, coupling: {}}}
  step: {}
  duration: {}
)",
                  dice.one_in(4) ? 0.0 : -9.81, materials, bodies, dice.decades(0.001, 0.5), points,
                  points > 1 && dice.one_in(2) ? 0.002 : 0.0, dice.decades(1e-4, 5e-3), 0.12),
      seed};
}

struct Exercised {
  long steps = 0, loaded = 0, sliding = 0, changes = 0, used_up = 0, tilted = 0;
};

void expect_passive(const LayerScene& scene, Exercised& exercised) {
  SCOPED_TRACE(fmt::format("seed {}", scene.seed));
  Simulation simulation = simulate(scene.yaml);
  const auto moving = [&] {
    const Energy now = energy(simulation.model(), simulation.state());
    return now.kinetic + now.layers;
  };
  double before = total_energy(simulation), scale = moving();
  int active = 0;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    ASSERT_FALSE(simulation.diverged());
    const double now = total_energy(simulation);
    scale = std::max(scale, moving());
    ASSERT_LE(now - before, 1e-9 * scale)
        << "at " << simulation.state().time << ", step " << simulation.state().step << " of "
        << simulation.step_size() << " s, residual " << report.solve.residual.relative
        << ", fell back " << report.fell_back;
    before = now;
    ++exercised.steps;
    exercised.used_up += report.used_up;
    if (report.active_count != active) ++exercised.changes;
    active = report.active_count;
    for (const SolvedContact& solved : simulation.contacts()) {
      if (!(solved.impulse[0] > 0.0)) continue;
      ++exercised.loaded;
      exercised.sliding += solved.friction > 0.0 && std::abs(solved.impulse[1]) >=
                                                        solved.friction * solved.impulse[0] * 0.999;
    }
    for (const LayerMemory& layer : simulation.state().memory.layers)
      exercised.tilted += layer.deformation_a[2] != 0.0 || layer.deformation_b[2] != 0.0;
  }
}

class LayerSweep : public testing::TestWithParam<unsigned> {};

TEST_P(LayerSweep, energy_of_bodies_and_layers_never_grows) {
  constexpr unsigned scenes = 25;
  const char* const text = std::getenv("VINCI_SWEEP");
  const unsigned count = scenes * (text ? static_cast<unsigned>(std::max(1, std::atoi(text))) : 1u);
  Exercised exercised;
  for (unsigned seed = GetParam() * count; seed < (GetParam() + 1) * count; ++seed) {
    expect_passive(random_layers(seed), exercised);
    if (HasFailure()) return;
  }
  EXPECT_GT(exercised.loaded, 20 * static_cast<long>(count));
  EXPECT_GT(exercised.sliding, static_cast<long>(count));
  EXPECT_GT(exercised.changes, static_cast<long>(count));
  EXPECT_GT(exercised.tilted, static_cast<long>(count));
  RecordProperty("loaded", static_cast<int>(exercised.loaded));
}
INSTANTIATE_TEST_SUITE_P(Layers, LayerSweep, testing::Range(0u, 10u));

}  // namespace
}  // namespace vinci::test
