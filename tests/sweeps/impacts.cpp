// SPDX-License-Identifier: Apache-2.0
// Overlaps that no motion made, and rows of balls that strike each other.
#include <cmath>

#include "tests/sweeps/judge.h"
#include "tests/sweeps/parts.h"

namespace vinci::test {
namespace {

double fastest(const Simulation& simulation) {
  return simulation.state().velocities.size() > 0
             ? simulation.state().velocities.cwiseAbs().maxCoeff()
             : 0.0;
}

// Balls in a row, by events: times of impacts of neighbours, and Newton's law for two.
struct Row {
  std::vector<double> at, speed, mass;  // at: of the line, less the radii before
  double e;

  // Whether the impacts until then are single ones, well apart, and faster than those that are left
  // to the ordinary step.
  bool run(double until) {
    double now = 0.0, last = -1.0;
    for (int events = 0; events < 200; ++events) {
      double next = until;
      std::size_t pair = at.size();
      for (std::size_t i = 0; i + 1 < at.size(); ++i) {
        const double closing = speed[i] - speed[i + 1];
        if (!(closing > 1e-9)) continue;
        const double time = now + std::max(0.0, at[i + 1] - at[i]) / closing;
        if (std::abs(time - next) < 1e-6 && pair < at.size()) return false;
        if (time < next) next = time, pair = i;
      }
      for (std::size_t i = 0; i < at.size(); ++i) at[i] += speed[i] * (next - now);
      now = next;
      if (pair == at.size()) return true;
      if (now - last < 1e-6 || speed[pair] - speed[pair + 1] < 0.01) return false;
      last = now;
      const double reduced = mass[pair] * mass[pair + 1] / (mass[pair] + mass[pair + 1]);
      const double impulse = (1.0 + e) * reduced * (speed[pair] - speed[pair + 1]);
      speed[pair] -= impulse / mass[pair];
      speed[pair + 1] += impulse / mass[pair + 1];
    }
    return false;
  }
};

}  // namespace

// Bodies that begin in each other, or grow into each other, without weight: they part and nobody
// moves. One that grows on a floor stands on it at once.
void sweep_sudden(Draw& draw, bool spatial, Tally& tally) {
  const std::string stepper = random_stepper(draw);
  const bool grows = draw.below(2) == 0, weighs = draw.below(2) == 0;
  const double h = decades(draw, 1e-4, 1e-2), growth = decades(draw, 1e-5, 3e-2);
  std::string yaml = world(spatial) + fmt::format("parameters: {{r: {}}}\n", grows ? 0.0 : growth);
  // Bodies with layers, which would bear a weight and push what overlaps at the start; or rigid
  // ones beside a soft material that is not used.
  const bool soft = stepper == "song-pang-kumar" && grows && !weighs;
  yaml +=
      fmt::format("materials: {{m: {{friction: {}, restitution: {}{}}}, s: {{stiffness: 1e4}}}}\n",
                  draw.between(0.0, 1.0), draw.below(2) == 0 ? 0.0 : draw.between(0.0, 1.0),
                  soft ? ", stiffness: 1e5, damping: 10" : "");
  if (!weighs) yaml += no_gravity(spatial);
  yaml += fmt::format("bodies:\n  floor: {{freedom: fixed, shapes: [{{{}: {{}}, material: m}}]}}\n",
                      half(spatial));
  const double size = draw.between(0.05, 0.15);
  const int count = weighs ? 1 : 1 + draw.below(3);
  for (int i = 0; i < count; ++i) {
    const bool round = draw.below(2) == 0;
    const std::string shape =
        round ? fmt::format("{}: {:.17g} + r", spatial ? "sphere" : "circle", size)
              : fmt::format("box: [{0:.17g} + 2*r, {0:.17g} + 2*r{1}]", 2.0 * size,
                            spatial ? fmt::format(", {:.17g} + 2*r", 2.0 * size) : "");
    Vector3 at = Vector3::Zero();
    at[spatial ? 2 : 1] = size;
    // A row along x that touches.
    at.x() = 2.0 * size * i;
    yaml += fmt::format("  b{}: {{shapes: [{{{}, material: m}}], mass: {}, position: {}}}\n", i,
                        shape, decades(draw, 0.1, 10.0), list(at, spatial));
  }
  if (grows) yaml += fmt::format("changes: [{{at: {}, set: {{r: {:.17g}}}}}]\n", 3.0 * h, growth);
  yaml += fmt::format("run: {{step: {}, duration: {}, stepper: {}}}\n", h, 80.0 * h, stepper);
  SCOPED_TRACE(yaml);
  Simulation simulation = simulate(yaml);
  Watched watched(simulation, tally);
  long lifted = tally["lifted"];
  while (!simulation.finished() && watched.certified() && !tally.failed()) {
    watched.step(false);
    if (!watched.certified()) return;
    EXPECT_LE(fastest(simulation), 1e-9) << simulation.state().step;
  }
  if (!watched.certified() || tally.failed()) return;
  EXPECT_GT(tally["lifted"], lifted);
  // Anitescu–Potra leaves four fifths a step.
  const double left = stepper == "anitescu-potra" ? 1e-6 * growth + 1e-9 : 1e-5 * growth + 1e-9;
  EXPECT_LE(simulation.report().overlap, left);
  EXPECT_GE(position(simulation, "b0")[spatial ? 2 : 1], size + growth - left);
  if (weighs) {
    EXPECT_NEAR(position(simulation, "b0")[spatial ? 2 : 1], size + growth, left + 1e-6);
  }
  ++tally[soft ? "grown layers" : grows ? "grown" : "overlapping"];
}

// A row along a line in any direction, with gaps or without. Energy never rises above what there
// was before an impact, momentum stays; where times of impacts are found, all is as by events.
void sweep_rows(Draw& draw, bool spatial, Tally& tally) {
  const char* const stepper = draw.below(2) == 0 ? "stewart-trinkle" : "anitescu-potra";
  constexpr const char* ways[] = {"none", "none", "bisect", "gap-rate"};
  const std::string way = ways[draw.below(4)];
  const bool gaps = draw.below(3) > 0;
  Row row;
  row.e = draw.below(4) == 0 ? 0.0 : draw.below(3) == 0 ? 1.0 : draw.between(0.3, 1.0);
  const Vector3 along = random_direction(draw, spatial);
  const double r = 0.02, h = decades(draw, 1e-4, 5e-3);
  std::string yaml =
      world(spatial) + no_gravity(spatial) +
      fmt::format("materials: {{m: {{friction: {}, restitution: {:.17g}}}}}\nbodies:\n",
                  draw.between(0.0, 0.5), row.e);
  const int count = 2 + draw.below(6);
  double at = 0.0;
  for (int i = 0; i < count; ++i) {
    const double speed = i == 0               ? draw.between(0.5, 3.0)
                         : draw.below(4) == 0 ? draw.between(-1.0, 1.0)
                                              : 0.0;
    row.at.push_back(at - 2.0 * r * i);
    row.speed.push_back(speed);
    row.mass.push_back(draw.below(2) == 0 ? 1.0 : decades(draw, 0.1, 10.0));
    yaml += fmt::format(
        "  b{}: {{shapes: [{{{}, material: m}}], mass: {:.17g}, position: {}, velocity: {}}}\n", i,
        ball(spatial, r).shape, row.mass.back(), list(at * along, spatial),
        list(speed * along, spatial));
    at += 2.0 * r + (gaps || i == 0 ? draw.between(0.001, 0.02) : 0.0);
  }
  yaml += fmt::format("run: {{step: {}, duration: 0.2, stepper: {}, impact-time: {}}}\n", h,
                      stepper, way);
  SCOPED_TRACE(yaml);
  Simulation simulation = simulate(yaml);
  double momentum = 0.0, size = 0.0;
  for (std::size_t i = 0; i < row.mass.size(); ++i) {
    momentum += row.mass[i] * row.speed[i];
    size += row.mass[i] * std::abs(row.speed[i]);
  }
  Watched watched(simulation, tally);
  const double start = energy(simulation.model(), simulation.state()).total();
  while (!simulation.finished() && !tally.failed()) {
    const StepReport& report = watched.step(true);
    if (!watched.certified()) return;
    EXPECT_LE(energy(simulation.model(), simulation.state()).total(), start * (1.0 + 1e-9));
    tally["joint"] += report.joint_impacts ? 1 : 0;
    tally["impacts"] += report.impacts;
    double now = 0.0;
    for (int i = 0; i < count; ++i)
      now += row.mass[static_cast<std::size_t>(i)] *
             twist(simulation, fmt::format("b{}", i)).linear.dot(along);
    EXPECT_NEAR(now, momentum, 1e-9 * size) << simulation.state().step;
  }
  if (way == "none" || row.e < 0.3 || !gaps) return;
  const double end = simulation.state().time;
  if (!row.run(end)) return;
  for (int i = 0; i < count; ++i)
    EXPECT_NEAR(twist(simulation, fmt::format("b{}", i)).linear.dot(along),
                row.speed[static_cast<std::size_t>(i)], 1e-6)
        << i;
  ++tally["by events"];
}

}  // namespace vinci::test
