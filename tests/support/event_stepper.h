// SPDX-License-Identifier: Apache-2.0
// A stepper with events in closed form: a ball falls onto the floor, is thrown back by a share of
// its speed that grows smaller with every impact, and lies still after the last one. What it needs
// to go on is in Memory::modes alone.
#pragma once

#include <cmath>
#include <memory>

#include "vinci/simulation/simulation.h"

namespace vinci::test {

inline const char* bouncing = R"(
title: bouncing
world: planar
materials: {rubber: {}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: rubber}]}
  ball: {shapes: [{circle: 0.1, material: rubber}], mass: 2, position: [0, 0.6]}
run: {step: 10 ms, duration: 2, stepper: bouncer, output-interval: 50 ms}
)";

class Bouncer : public TimeStepper {
 public:
  static constexpr double radius = 0.1, gravity = 9.81, mass = 2.0, first_share = 0.8;
  static constexpr int impacts = 5;  // the last one ends the bouncing

  std::string why_not(const Model&) const override { return {}; }
  ComplementarityProblem probe(const Model&) const override { return {}; }
  bool is_event_driven() const override { return true; }

  void prepare(StepContext& context, State& state) override {
    state.memory.modes = {
        {key(), 0, 0, 0, Vector3(first_share, 0.0, 0.0), Vector3::Zero(), Vector3::Zero()},
        {body_key(1), 0, -3, 2, Vector3(0.1, -0.0, 1e-300), Vector3(1, 2, 3), Vector3(-4, 5, -6)}};
    note_mode(context, state);
  }

  StepReport step(StepContext& context, State& state, double h) override {
    StepReport report;
    report.solve.status = SolveStatus::solved;
    double& y = state.poses[1].position.y();
    double& v = state.velocities[1];
    ModeMemory& memory = state.memory.modes.front();
    double done = 0.0;
    while (done < h) {
      if (memory.state == 1) break;
      const double gap = y - radius;
      const double fall = (v + std::sqrt(std::max(0.0, v * v + 2.0 * gravity * gap))) / gravity;
      const double part = std::min(fall, h - done);
      y += v * part - 0.5 * gravity * part * part;
      v -= gravity * part;
      done += part;
      if (part < fall) break;
      y = radius;
      memory.sliding += 1;
      const double before = v;
      v *= memory.sliding == impacts ? 0.0 : -memory.held.x();
      memory.held.x() *= 0.9;
      const Vector3 force(mass * (v - before), 0.0, 0.0);
      const double time = state.time + done;
      event(context, {time, 0, {key(), 0, 1, 0.0, before, force}});
      if (memory.sliding < impacts)
        event(context, {time, 1, {key(), 0, 0, 0.0, v, Vector3::Zero()}});
      else
        memory.state = 1, report.accumulations = 1, report.piled = key();
      report.sinking = 1e-3 / static_cast<double>(memory.sliding);
      report.impact_energy += 0.25;
    }
    report.events = static_cast<int>(context.out.events.size());
    report.integrator_steps = 3 + report.events;
    report.evaluations = 10;
    note_mode(context, state);
    return report;
  }

  static EntityKey key() { return contact_key(0, 1, 0, 0); }
  // When the ball touches the floor for the n-th time, from 0.
  static double touch(int n) {
    const double first = std::sqrt(2.0 * 0.5 / gravity);
    double time = first, speed = gravity * first, share = first_share;
    for (int i = 0; i < n; ++i) {
      speed *= share;
      share *= 0.9;
      time += 2.0 * speed / gravity;
    }
    return time;
  }

 private:
  static void event(StepContext& context, const StepEvent& event) {
    context.out.events.push_back(event);
  }
  static void note_mode(StepContext& context, const State& state) {
    const bool rests = state.memory.modes.front().state == 1;
    context.out.modes = {{key(), 0, rests ? 1 : 0, state.poses[1].position.y() - radius,
                          state.velocities[1], Vector3(rests ? mass * gravity : 0.0, 0.0, 0.0)}};
  }
};

inline std::shared_ptr<const Plugins> with_bouncer() {
  Plugins plugins = builtin_plugins();
  plugins.steppers.add({.name = "bouncer",
                        .text = "",
                        .reference = "",
                        .options = {},
                        .make = [](const OptionValues&) { return std::make_unique<Bouncer>(); }});
  return std::make_shared<const Plugins>(std::move(plugins));
}

inline Simulation bouncing_ball(const RunOverrides& overrides = {}) {
  const auto plugins = with_bouncer();
  return Simulation(Scene::parse(bouncing), overrides, plugins);
}

}  // namespace vinci::test
