// SPDX-License-Identifier: Apache-2.0
// The ball in Siconos: a system of one coordinate, a linear relation, Newton's impact law.
#include <SiconosKernel.hpp>
#include <cmath>

#include "events/run.h"
#include "solvers/cpu_clock.h"

namespace vinci {
namespace {

struct World {
  std::shared_ptr<LagrangianLinearTIDS> ball;
  std::shared_ptr<NonSmoothDynamicalSystem> system;
};

World make_world() {
  const auto height = std::make_shared<SiconosVector>(1),
             speed = std::make_shared<SiconosVector>(1);
  const auto weight = std::make_shared<SiconosVector>(1);
  const auto mass = std::make_shared<SimpleMatrix>(1, 1),
             normal = std::make_shared<SimpleMatrix>(1, 1);
  height->setValue(0, ball_height);
  speed->zero();
  weight->setValue(0, -ball_gravity);
  mass->setValue(0, 0, 1.0);
  normal->setValue(0, 0, 1.0);
  World world;
  world.ball = std::make_shared<LagrangianLinearTIDS>(height, speed, mass);
  world.ball->setFExtPtr(weight);
  const auto contact =
      std::make_shared<Interaction>(std::make_shared<NewtonImpactNSL>(ball_restitution),
                                    std::make_shared<LagrangianLinearTIR>(normal));
  world.system = std::make_shared<NonSmoothDynamicalSystem>(0.0, ball_until);
  world.system->insertDynamicalSystem(world.ball);
  world.system->link(contact, world.ball);
  return world;
}

double height_of(const World& world) {
  return world.ball->q()->getValue(0);
}

}  // namespace

bool has_siconos() {
  return true;
}

BallRun siconos_events(double tolerance) {
  const World world = make_world();
  const auto integrator = std::make_shared<LsodarOSI>();
  const auto simulation = std::make_shared<EventDriven>(
      world.system, std::make_shared<TimeDiscretisation>(0.0, ball_stop));
  simulation->insertIntegrator(integrator);
  simulation->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_ED_IMPACT);
  simulation->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_ED_SMOOTH_ACC);
  simulation->initialize();
  integrator->setTol(1, tolerance, tolerance);
  simulation->setToleranceED(tolerance);
  BallRun run;
  const double start = cpu_seconds();
  while (simulation->hasNextEvent()) {
    simulation->advanceToEvent();
    simulation->processEvents();
  }
  run.seconds = cpu_seconds() - start;
  run.height = height_of(world);
  run.good = std::abs(simulation->startingTime() - ball_until) < 1e-9;
  return run;
}

BallRun siconos_steps(double step) {
  const World world = make_world();
  const auto simulation =
      std::make_shared<TimeStepping>(world.system, std::make_shared<TimeDiscretisation>(0.0, step),
                                     std::make_shared<MoreauJeanOSI>(0.5), std::make_shared<LCP>());
  simulation->initialize();
  BallRun run;
  const double start = cpu_seconds();
  while (simulation->hasNextEvent()) {
    simulation->computeOneStep();
    simulation->nextStep();
  }
  run.seconds = cpu_seconds() - start;
  run.height = height_of(world);
  run.good = std::abs(simulation->startingTime() - ball_until) < 1.5 * step;
  return run;
}

}  // namespace vinci
