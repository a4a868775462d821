// SPDX-License-Identifier: Apache-2.0
// The certificate of motions of joints against distances in closed form, sampled finely: chains
// with every kind of joint, spheres in their way, and their own links.
#include "vinci/passage/mechanism.h"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/scene/scene.h"
#include "vinci/simulation/plugins.h"

namespace vinci {
namespace {

std::unique_ptr<CollisionDetector> detector_of_mechanism() {
  static const Plugins plugins = builtin_plugins();
  return plugins.detectors.make("exact");
}

// The least distance of two segments p + s u, q + t v, s and t in [0, 1]: at a stationary point
// inside, or where one of them is at an end.
double segment_distance(const Vector3& p, const Vector3& u, const Vector3& q, const Vector3& v) {
  const auto to_segment = [](const Vector3& x, const Vector3& a, const Vector3& way) {
    const double length = way.squaredNorm();
    const double s = length > 0.0 ? std::clamp((x - a).dot(way) / length, 0.0, 1.0) : 0.0;
    return (a + s * way - x).norm();
  };
  double least = std::min(
      {to_segment(p, q, v), to_segment(p + u, q, v), to_segment(q, p, u), to_segment(q + v, p, u)});
  const double a = u.dot(u), b = u.dot(v), c = v.dot(v), d = u.dot(p - q), e = v.dot(p - q);
  const double determinant = a * c - b * b;
  if (determinant > 1e-14 * a * c) {
    const double s = (b * e - c * d) / determinant, t = (a * e - b * d) / determinant;
    if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)
      least = std::min(least, (p + s * u - q - t * v).norm());
  }
  return least;
}

// The least gap of all pairs that may touch: capsules and spheres, by hand.
double gap_by_hand(const Mechanism& mechanism) {
  const Model& model = mechanism.model();
  struct Round {
    int body;
    Vector3 from, way;
    double radius;
  };
  std::vector<Round> rounds;
  for (const PlacedShape& placed : model.shapes) {
    const Pose pose = mechanism.poses()[static_cast<std::size_t>(placed.body)] * placed.offset;
    if (const auto* capsule = std::get_if<Capsule>(&placed.shape)) {
      const Vector3 half = pose.rotation * capsule->half_axis;
      rounds.push_back({placed.body, pose.position - half, 2.0 * half, capsule->radius});
    } else {
      rounds.push_back(
          {placed.body, pose.position, Vector3::Zero(), std::get<Sphere>(placed.shape).radius});
    }
  }
  double least = infinity;
  for (std::size_t i = 0; i < rounds.size(); ++i)
    for (std::size_t j = i + 1; j < rounds.size(); ++j) {
      const Round &a = rounds[i], &b = rounds[j];
      const bool is_excluded =
          std::binary_search(model.excluded_pairs.begin(), model.excluded_pairs.end(),
                             std::pair(std::min(a.body, b.body), std::max(a.body, b.body)));
      if (a.body == b.body || is_excluded || !(model.is_moved(a.body) || model.is_moved(b.body)))
        continue;
      least = std::min(least, segment_distance(a.from, a.way, b.from, b.way) - a.radius - b.radius);
    }
  return least;
}

// A chain of links of 0.3 m along z, each by another kind of joint; the last one hangs as the first
// body of its joint. Spheres stand around it.
std::string chain_text(const std::vector<std::string>& kinds, std::mt19937& random) {
  std::uniform_real_distribution<double> place(-0.9, 0.9), size(0.02, 0.1);
  std::string bodies, joints, before = "world";
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string name = fmt::format("link{}", i);
    const bool turned = i + 1 == kinds.size();
    // Joints put their second bodies in place.
    bodies += fmt::format(
        "  {}: {{shapes: [{{capsule: {{from: [0, 0, 0.06], to: [0, 0, 0.24], radius: "
        "0.03}}}}]{}}}\n",
        name, turned ? fmt::format(", position: [0, 0, {}]", 0.3 * static_cast<double>(i)) : "");
    const std::string end = before == "world" ? "[0, 0, 0]" : "[0, 0, 0.3]";
    joints +=
        fmt::format("  j{0}: {{{1}: [{2}, {3}], at: [{4}, {5}]{6}{7}}}\n", i, kinds[i],
                    turned ? name : before, turned ? before : name, turned ? "[0, 0, 0]" : end,
                    turned ? end : "[0, 0, 0]", kinds[i] == "ball" ? "" : ", axis: [0.3, 1, 0.2]",
                    kinds[i] == "screw" ? ", pitch: 0.05" : "");
    before = name;
  }
  for (int i = 0; i < 14; ++i)
    bodies += fmt::format(
        "  ball{}: {{freedom: fixed, shapes: [{{sphere: {}}}], position: [{}, {}, {}]}}\n", i,
        size(random), place(random), place(random), place(random));
  return "world: spatial\nbodies:\n" + bodies + "joints:\n" + joints;
}

TEST(Mechanism, certified_motions_of_every_kind_of_joint_never_come_nearer) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> anywhere(-1.5, 1.5), near(-0.35, 0.35);
  const std::vector<std::vector<std::string>> chains = {
      {"revolute", "revolute", "revolute", "revolute"},
      {"prismatic", "universal", "revolute", "prismatic"},
      {"ball", "cylindrical", "screw", "revolute"},
      {"planar", "revolute", "ball", "universal"},
      {"revolute", "screw", "planar", "cylindrical"},
      {"revolute", "revolute", "revolute", "planar"}};
  int certified = 0, refused = 0;
  for (const auto& kinds : chains) {
    const auto model = Scene::parse(chain_text(kinds, random)).compile();
    const auto detector = detector_of_mechanism();
    MechanismChoice choice;
    for (int j = 0; j < static_cast<int>(model->joints.size()); ++j) choice.joints.push_back(j);
    Mechanism mechanism(*model, *detector, choice);
    for (int i = 0; i < 120; ++i) {
      VectorX a(mechanism.size()), b(mechanism.size());
      for (int k = 0; k < a.size(); ++k) {
        const double by = mechanism.coordinates()[static_cast<std::size_t>(k)].turns ? 1.0 : 0.2;
        a[k] = by * anywhere(random);
        b[k] = a[k] + by * near(random);
      }
      const double least = i % 3 == 0 ? 0.01 : 0.0;
      if (!mechanism.is_kept(a, b, least, 1e-5)) {
        ++refused;
        continue;
      }
      ++certified;
      for (int k = 0; k <= 400; ++k) {
        mechanism.place(a + (b - a) * k / 400.0);
        ASSERT_GE(gap_by_hand(mechanism), least - 1e-12) << "motion " << i;
      }
    }
  }
  EXPECT_GT(certified, 60);
  EXPECT_GT(refused, 60);
}

// Points of two boxes that are as near as projecting from one to the other and back makes them: no
// less than their distance, and near it.
double box_distance(const Pose& a, const Vector3& half_a, const Pose& b, const Vector3& half_b) {
  const auto nearest = [](const Pose& pose, const Vector3& half, const Vector3& point) {
    return pose * pose.to_local(point).cwiseMax(-half).cwiseMin(half).eval();
  };
  Vector3 p = a.position, q = b.position;
  for (int i = 0; i < 400; ++i) {
    q = nearest(b, half_b, p);
    p = nearest(a, half_a, q);
  }
  return (p - q).norm();
}

TEST(Mechanism, certified_motions_of_boxes_never_come_nearer) {
  std::mt19937 random(21);
  std::uniform_real_distribution<double> place(-0.8, 0.8), angle(-3.0, 3.0), near(-0.4, 0.4);
  std::string text = "world: spatial\nbodies:\n";
  for (int i = 0; i < 3; ++i)
    text += fmt::format(
        "  link{}: {{shapes: [{{box: [0.06, 0.1, 0.24], position: [0, 0, 0.15]}}]}}\n", i);
  for (int i = 0; i < 10; ++i)
    text += fmt::format(
        "  block{}: {{freedom: fixed, shapes: [{{box: [0.2, 0.12, 0.1]}}], position: [{}, {}, {}], "
        "rotation: {{rpy: [{}, {}, {}]}}}}\n",
        i, place(random), place(random), place(random), angle(random), angle(random),
        angle(random));
  text += R"(joints:
  j0: {revolute: [world, link0], axis: [0.2, 0.1, 1]}
  j1: {revolute: [link0, link1], at: [[0, 0, 0.3], [0, 0, 0]], axis: [0, 1, 0]}
  j2: {universal: [link1, link2], at: [[0, 0, 0.3], [0, 0, 0]], axis: [1, 0, 0], across: [0, 1, 0]}
)";
  const auto model = Scene::parse(text).compile();
  const auto detector = detector_of_mechanism();
  Mechanism mechanism(*model, *detector, {{0, 1, 2}});
  const Vector3 half_link(0.03, 0.05, 0.12), half_block(0.1, 0.06, 0.05);
  int certified = 0;
  for (int i = 0; i < 300; ++i) {
    VectorX a(4), b(4);
    for (int k = 0; k < 4; ++k) {
      a[k] = angle(random);
      b[k] = a[k] + near(random);
    }
    const double least = i % 2 == 0 ? 0.005 : 0.0;
    if (!mechanism.is_kept(a, b, least, 1e-5)) continue;
    ++certified;
    for (int k = 0; k <= 60; ++k) {
      mechanism.place(a + (b - a) * k / 60.0);
      for (std::size_t link = 0; link < 3; ++link)
        for (std::size_t block = 3; block < 13; ++block) {
          Pose middle = mechanism.poses()[link];
          middle.position = middle * Vector3(0.0, 0.0, 0.15);
          ASSERT_GE(box_distance(middle, half_link, mechanism.poses()[block], half_block),
                    std::max(least, 1e-9) - 1e-12)
              << "motion " << i;
        }
    }
  }
  EXPECT_GT(certified, 30);
}

TEST(Mechanism, no_point_travels_farther_than_is_told) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> anywhere(-2.0, 2.0), near(-0.6, 0.6);
  const auto model =
      Scene::parse(chain_text({"ball", "universal", "planar", "screw"}, random)).compile();
  const auto detector = detector_of_mechanism();
  Mechanism mechanism(*model, *detector, {{0, 1, 2, 3}});
  for (int i = 0; i < 100; ++i) {
    VectorX a(mechanism.size()), b(mechanism.size());
    for (int k = 0; k < a.size(); ++k) {
      a[k] = anywhere(random);
      b[k] = a[k] + near(random);
    }
    const double told = mechanism.travel(a, b);
    double way = 0.0;
    Vector3 last;
    for (int k = 0; k <= 500; ++k) {
      mechanism.place(a + (b - a) * k / 500.0);
      const Vector3 point = mechanism.poses()[3] * Vector3(0.0, 0.0, 0.27);
      if (k > 0) way += (point - last).norm();
      last = point;
    }
    ASSERT_LE(way, told) << i;
    ASSERT_GT(way, 0.0);
  }
}

TEST(Mechanism, rates_are_the_derivatives_of_coordinates_and_poses) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> anywhere(-1.0, 1.0);
  const auto model =
      Scene::parse(chain_text({"ball", "universal", "planar", "screw"}, random)).compile();
  const auto detector = detector_of_mechanism();
  Mechanism mechanism(*model, *detector, {{0, 1, 2, 3}});
  for (int i = 0; i < 20; ++i) {
    VectorX x(mechanism.size()), change(mechanism.size());
    for (int k = 0; k < x.size(); ++k) {
      x[k] = anywhere(random);
      change[k] = anywhere(random);
    }
    const double h = 1e-6;
    mechanism.place(x + h * change);
    const Vector3 after = center_of_mass(mechanism.model(), mechanism.poses(), 3);
    mechanism.place(x - h * change);
    const Vector3 before = center_of_mass(mechanism.model(), mechanism.poses(), 3);
    mechanism.place(x);
    const VectorX packed = mechanism.velocities(mechanism.joint_rates(x, change));
    const Twist twist = body_twist(mechanism.model(), packed, 3);
    ASSERT_LT((twist.linear - (after - before) / (2.0 * h)).norm(), 1e-7);
  }
}

TEST(Mechanism, bodies_that_move_together_are_not_held_against_each_other) {
  // Two disks on one arm overlap, a third one on a joint that is held as well.
  const auto model = Scene::parse(R"(
world: planar
bodies:
  arm: {shapes: [{circle: 0.1}]}
  plate: {shapes: [{circle: 0.1}]}
  tool: {shapes: [{circle: 0.1}]}
joints:
  shoulder: {revolute: [world, arm]}
  weld: {fixed: [arm, plate], at: [[0.05, 0], [0, 0]]}
  wrist: {revolute: [plate, tool], at: [[0, 0.05], [0, 0]]}
)")
                         .compile();
  const auto detector = detector_of_mechanism();
  Mechanism held(*model, *detector, {{0}});
  EXPECT_TRUE(held.is_kept(held.start(), VectorX::Constant(1, 3.0), 0.0, 1e-5));
  Mechanism moves(*model, *detector, {{0, 2}});
  EXPECT_LT(moves.room(moves.start(), 0.0, 0.0).gap, 0.0) << "arm and tool overlap";
}

}  // namespace
}  // namespace vinci
