// SPDX-License-Identifier: Apache-2.0
// Random scenes in space over all laws of contact and all shapes: parts that fall on a ground, on
// each other and against a pusher. Each step is judged by what it leaves, without the detector and
// without the solver's residual: momentum, cone and slip of each contact, place, energy.
// VINCI_SWEEP=20 runs twenty times as many, VINCI_SEED=17 one of them.
#include <cstdlib>
#include <optional>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "tests/sweeps/judge.h"
#include "tests/sweeps/law_table.h"
#include "vinci/formulation/free_motion.h"

namespace vinci::test {
namespace {

constexpr int shards = 4, scenes_per_shard = 250, most_failed = 10;

int from_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

struct LawScene {
  const LawRow* law = nullptr;
  const GroundRow* ground = nullptr;
  std::vector<Solid> solids;
  LawValues values, plain;  // at the ground, and between parts
  Vector3 normal = Vector3::UnitZ();
  bool driven = false;
  std::string yaml;
};

// Every law meets every shape in turn.
std::size_t shape_of(unsigned seed) {
  const std::size_t laws = law_rows().size();
  return (seed % laws + seed / laws) % shape_rows().size();
}

LawScene draw_scene(Draw& draw, unsigned seed) {
  const std::vector<LawRow>& laws = law_rows();
  const std::vector<ShapeRow>& shapes = shape_rows();
  const std::vector<GroundRow>& grounds = ground_rows();
  LawScene scene;
  scene.law = &laws[seed % laws.size()];
  scene.ground = &grounds[static_cast<std::size_t>(draw.below(static_cast<int>(grounds.size())))];
  scene.plain.friction = draw.between(0.0, 1.0);
  const std::string surface = scene.law->surface(draw, scene.values);
  const std::string run = scene.law->run(draw, scene.values);
  scene.plain.directions = scene.values.directions;
  scene.plain.box = scene.values.box;
  const std::string ground = scene.ground->shape(draw, scene.normal);
  const std::string belt =
      scene.values.belt.isZero(0.0) ? "" : ", surface-velocity: " + list(scene.values.belt, true);
  scene.yaml = fmt::format(
      "world: spatial\nmaterials: {{m: {{friction: {:.17g}{}}}, g: {{}}}}\n"
      "surfaces: [{{between: [m, g], {}}}]\nbodies:\n"
      "  ground: {{freedom: fixed, shapes: [{{{}, material: g{}}}]}}\n",
      scene.plain.friction,
      scene.law->acts == Acts::layers
          ? fmt::format(", stiffness: {}, damping: {}", decades(draw, 1e4, 1e6),
                        draw.below(3) == 0 ? 0.0 : decades(draw, 1.0, 300.0))
          : "",
      surface, ground, belt);
  // Without inertia weight is a speed, 9.81 m/s: what turns overlaps unless steps are short.
  const bool slow = scene.law->acts == Acts::damping;
  const int count = 1 + draw.below(slow ? 2 : 3);
  double height = slow ? 0.0 : 0.02;
  for (int i = 0; i < count; ++i) {
    const double size = decades(draw, 0.02, 0.2);
    const std::size_t row =
        i == 0 ? shape_of(seed)
               : static_cast<std::size_t>(draw.below(static_cast<int>(shapes.size())));
    scene.solids.push_back(shapes[row].make(draw, size));
    // Over each other, apart.
    height += 1.5 * size;
    const Vector3 at(draw.between(-0.03, 0.03), draw.between(-0.03, 0.03), height);
    height += 1.5 * size;
    const Vector3 velocity = draw.between(0.0, 2.0) * random_direction(draw, true) -
                             draw.between(0.5, 4.0) * Vector3::UnitZ();
    scene.yaml += fmt::format("  b{}: {{shapes: [{}], position: {}, {}, velocity: {}, {}}}\n", i,
                              scene.solids.back().shapes(), list(at, true), random_turn(draw, true),
                              list(velocity, true), random_spin(draw, true, 15.0));
  }
  scene.driven = draw.below(4) == 0;
  if (scene.driven)
    scene.yaml += fmt::format(
        "  pusher: {{shapes: [{{sphere: 0.05, material: m}}], motion: {{x: -0.4 + {:.17g}*t, y: 0, "
        "z: 0.06, roll: 0, pitch: 0, yaw: 0}}}}\nexclude: [[pusher, ground]]\n",
        draw.between(0.5, 3.0));
  const double h = (slow ? 0.05 : 1.0) * decades(draw, 5e-4, 5e-3);
  scene.yaml += fmt::format("run: {{step: {:.17g}, duration: {:.17g}{}{}}}\n", h,
                            (slow ? 150.0 : 50.0) * h, run.empty() ? "" : ", ", run);
  return scene;
}

// What the bodies were before a step.
struct Before {
  std::vector<Pose> poses;
  VectorX velocities;
};

struct Scales {
  double impulse = 0.0, speed = 0.0;  // N s, m/s
};

Scales scales_of(const Simulation& simulation, const Before& before) {
  const Model& model = simulation.model();
  Scales scales;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0) continue;
    double fastest = model.gravity.norm() * simulation.step_size();
    for (const VectorX* v : {&before.velocities, &simulation.state().velocities}) {
      const Twist twist = body_twist(model, *v, static_cast<int>(b));
      fastest = std::max(fastest, twist.linear.norm() + 0.2 * twist.angular.norm());
    }
    scales.speed = std::max(scales.speed, fastest);
    if (!body.is_prescribed()) scales.impulse += body.mass.mass * fastest;
  }
  for (const SolvedContact& contact : simulation.contacts())
    scales.impulse += contact.impulse.norm();
  return scales;
}

// m Δv = m g h + Σ λ for every free body, and the same of its turning but for what the velocity
// product h ω × I ω may add.
void judge_momentum(const Simulation& simulation, const Before& before, const Scales& scales) {
  const Model& model = simulation.model();
  const double h = simulation.step_size();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const int b = static_cast<int>(i);
    if (body.velocity_size == 0 || body.is_prescribed()) continue;
    const Twist old = body_twist(model, before.velocities, b),
                now = body_twist(model, simulation.state().velocities, b);
    const Vector3 center = before.poses[i] * body.mass.center;
    Vector3 push = h * body.mass.mass * model.gravity, turn = Vector3::Zero();
    for (const SolvedContact& one : simulation.contacts()) {
      if (one.contact.body_a != b && one.contact.body_b != b) continue;
      const Vector3 impulse = one.impulse[0] * one.contact.normal + one.impulse[1] * one.tangent_1 +
                              one.impulse[2] * one.tangent_2;
      const double sign = one.contact.body_b == b ? 1.0 : -1.0;
      push += sign * impulse;
      turn += sign * (one.moment[0] * one.contact.normal + one.moment[1] * one.tangent_1 +
                      one.moment[2] * one.tangent_2);
      turn += sign * (0.5 * (one.contact.point_a + one.contact.point_b) - center).cross(impulse);
    }
    EXPECT_LE((body.mass.mass * (now.linear - old.linear) - push).norm(), 1e-8 * scales.impulse);
    const Matrix3 inertia = world_inertia(body, before.poses[i].rotation);
    const Vector3 moments = Eigen::SelfAdjointEigenSolver<Matrix3>(body.mass.inertia).eigenvalues();
    const double spin = std::max(old.angular.norm(), now.angular.norm());
    const double product = 1.5 * h * spin * spin * (moments.maxCoeff() - moments.minCoeff());
    EXPECT_LE((inertia * (now.angular - old.angular) - turn).norm(),
              product + 1e-8 * scales.impulse);
  }
}

// Signs and complementarity of each contact, and its law.
void judge_contacts(const Simulation& simulation, const LawScene& scene, const Scales& scales,
                    Tally& tally) {
  const double h = simulation.step_size();
  const int ground = body(simulation, "ground");
  for (const SolvedContact& one : simulation.contacts()) {
    const bool at_ground = one.contact.body_a == ground || one.contact.body_b == ground;
    EXPECT_GE(one.impulse[0], -1e-9 * scales.impulse);
    const double closing = std::max(0.0, one.contact.gap) / h + one.velocity[0];
    if (!scene.law->at_end) {
      EXPECT_GE(closing, -1e-7 * scales.speed);
    }
    if (one.impulse[0] <= 1e-6 * scales.impulse) continue;
    // Anitescu–Potra asks for no way that is left to go; overlaps go out of the way of drivers, and
    // without inertia at the pace of a step.
    const bool driven = simulation.model().bodies[one.contact.body_a].is_prescribed() ||
                        simulation.model().bodies[one.contact.body_b].is_prescribed() ||
                        scene.law->acts == Acts::damping;
    if (!(at_ground && scene.values.restitution > 0.0) && !(driven && one.contact.gap < 0.0) &&
        !scene.law->at_end) {
      EXPECT_LE(std::min(std::abs(closing), std::abs(one.velocity[0])), 1e-6 * scales.speed);
    }
    const Touch touch{one.tangent_1,
                      one.tangent_2,
                      one.impulse[0],
                      Vector2(one.impulse[1], one.impulse[2]),
                      Vector2(one.velocity[1], one.velocity[2]),
                      one.moment,
                      one.turning,
                      1e-7 * scales.impulse,
                      1e-6 * scales.speed,
                      0.5 * (one.contact.point_a + one.contact.point_b)};
    if (at_ground)
      scene.law->judge(touch, scene.values);
    else
      judge_coulomb(touch, scene.plain);
    ++tally[touch.slip.norm() > 1e-4 * scales.speed ? "slipping" : "sticking"];
    tally["between parts"] += at_ground ? 0 : 1;
  }
}

void sweep_law(unsigned seed, Tally& tally) {
  Draw draw(700000 + seed);
  const LawScene scene = draw_scene(draw, seed);
  SCOPED_TRACE(fmt::format("seed {}, {}\n{}", seed, scene.law->name, scene.yaml));
  std::optional<Simulation> made;
  try {
    made.emplace(Scene::parse(scene.yaml));
  } catch (const Error& error) {
    // Methods may refuse shapes that they do not know, and say so.
    EXPECT_NE(error.message().find("accepted"), std::string::npos) << error.message();
    ++tally["refused"];
    return;
  }
  Simulation& simulation = *made;
  Watched watched(simulation, tally);
  Before before{simulation.state().poses, simulation.state().velocities};
  long loaded = 0;
  while (!simulation.finished() && !tally.failed()) {
    const StepReport& report = watched.step(
        (scene.law->acts == Acts::nothing || scene.law->acts == Acts::layers) && !scene.driven);
    ASSERT_FALSE(simulation.diverged());
    ASSERT_TRUE(simulation.state().velocities.allFinite());
    if (!watched.certified()) break;
    const bool rigid = scene.law->acts != Acts::layers;
    for (std::size_t i = 0; i < scene.solids.size() && scene.ground->flat && rigid; ++i) {
      const Pose& pose = simulation.state().poses[i + 1];
      EXPECT_LE(scene.solids[i].reach_along(pose, -scene.normal), report.overlap + 1e-9);
    }
    // What a step in parts or with impacts in it leaves is the sum of them.
    if (rigid && report.substeps <= 1 && report.impacts == 0 && report.removed_overlap == 0.0) {
      const Scales scales = scales_of(simulation, before);
      if (scene.law->acts != Acts::damping && !scene.law->at_end)
        judge_momentum(simulation, before, scales);
      judge_contacts(simulation, scene, scales, tally);
      ++tally["judged"];
    }
    loaded += report.active_count > 0 ? 1 : 0;
    before = {simulation.state().poses, simulation.state().velocities};
  }
  if (!watched.certified()) ++tally.counts[fmt::format("not certified: {}", scene.law->name)];
  tally.counts[fmt::format("law: {}", scene.law->name)] += loaded > 0 ? 1 : 0;
  tally.counts[fmt::format("ground: {}", scene.ground->name)] += loaded > 0 ? 1 : 0;
  tally.counts[fmt::format("shape: {}", shape_rows()[shape_of(seed)].name)] += loaded > 0 ? 1 : 0;
}

class LawSweep : public testing::TestWithParam<int> {};

TEST_P(LawSweep, each_law_and_shape_is_right_or_says_that_it_is_not) {
  const int count = from_environment("VINCI_SWEEP", 1) * scenes_per_shard,
            only = from_environment("VINCI_SEED", -1);
  Tally tally;
  int failed = 0;
  for (int i = 0; i < (only < 0 ? count : 1) && failed < most_failed; ++i) {
    tally.begin();
    sweep_law(static_cast<unsigned>(only < 0 ? GetParam() * count + i : only), tally);
    failed += tally.failed() ? 1 : 0;
  }
  std::string line;
  for (const auto& [name, times] : tally.counts) line += fmt::format(", {} {}", times, name);
  fmt::print("laws in space: {} scenes, {} steps, {} scenes not certified{}\n", tally.scenes,
             tally.steps, tally.uncertified, line);
  // Drivers may squeeze parts, and what turns without inertia overlaps.
  EXPECT_LE(tally.uncertified, tally.scenes / 20);
  EXPECT_LE(tally["refused"], tally.scenes / 10);
  if (only >= 0) return;
  const auto counted = [&](const char* what, const char* name) {
    EXPECT_GT(tally.counts[fmt::format("{}: {}", what, name)], 0) << name;
  };
  for (const LawRow& row : law_rows()) counted("law", row.name);
  for (const ShapeRow& row : shape_rows()) counted("shape", row.name);
  for (const GroundRow& row : ground_rows()) counted("ground", row.name);
  for (const char* what : {"judged", "slipping", "sticking", "between parts", "loaded"})
    EXPECT_GT(tally[what], 0) << what;
}

INSTANTIATE_TEST_SUITE_P(Seeds, LawSweep, testing::Range(0, shards));

}  // namespace
}  // namespace vinci::test
