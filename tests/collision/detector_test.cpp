// SPDX-License-Identifier: Apache-2.0
// The broad phase against brute force, its growth, and the detector's bookkeeping.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/cpu_time.h"
#include "vinci/collision/exact_detector.h"
#include "vinci/geometry/build.h"

namespace vinci {
namespace {

using Items = std::vector<BroadPhase::Item>;
using Pairs = std::vector<std::pair<int, int>>;

Items random_items(std::mt19937_64& random, int n, int dimensions) {
  // Constant density: the side grows with the root of the number.
  const double side = std::pow(n, 1.0 / dimensions);
  std::uniform_real_distribution<double> position(0.0, side), half(0.2, 0.6);
  Items items;
  for (int i = 0; i < n; ++i) {
    Vector3 center(position(random), position(random), dimensions == 3 ? position(random) : 0.0);
    const Vector3 extent(half(random), half(random), half(random));
    items.push_back({{center - extent, center + extent}, i, i / 2, i % 7 != 0});
  }
  return items;
}

TEST(Broad, pairs_are_those_of_brute_force) {
  std::mt19937_64 random(1);
  BroadPhase broad_phase;
  for (int trial = 0; trial < 40; ++trial) {
    Items items = random_items(random, 5 * trial, 2 + trial % 2);
    if (trial > 10) {  // a floor below everything, and boxes in one place
      items[3].box = {Vector3(-100, -100, -100), Vector3(100, 1, 1)};
      for (int i = 10; i < 20; ++i) items[i].box = items[10].box;
    }
    Pairs expected, found;
    for (std::size_t i = 0; i < items.size(); ++i)
      for (std::size_t j = i + 1; j < items.size(); ++j) {
        const auto &p = items[i], &q = items[j];
        if (p.group != q.group && (p.movable || q.movable) &&
            (p.box.lower.array() <= q.box.upper.array()).all() &&
            (q.box.lower.array() <= p.box.upper.array()).all())
          expected.emplace_back(i, j);
      }
    broad_phase.find_pairs(items, found);
    EXPECT_EQ(found, expected);
  }
}

TEST(Broad, cost_grows_about_linearly_at_constant_density) {
  for (const int dimensions : {2, 3}) {
    std::mt19937_64 random(2);
    BroadPhase broad_phase;
    Pairs pairs;
    std::vector<double> tests_per_box;
    for (const int n : {1'000, 8'000}) {
      broad_phase.find_pairs(random_items(random, n, dimensions), pairs);
      tests_per_box.push_back(static_cast<double>(broad_phase.test_count()) / n);
    }
    EXPECT_LT(tests_per_box[1], 1.3 * tests_per_box[0]) << dimensions;
  }
}

struct SceneBuilder {
  Model model;
  std::vector<Pose> poses;

  explicit SceneBuilder(World world) { model.world = world; }
  int add(Shape shape, const Pose& pose, bool free = true) {
    Body body;
    body.freedom =
        free ? (model.world == World::planar ? Freedom::planar : Freedom::spatial) : Freedom::fixed;
    body.velocity_offset = model.velocity_count;
    body.velocity_size = free ? (model.world == World::planar ? 3 : 6) : 0;
    for (int i = 0; i < body.velocity_size; ++i) model.free_index.push_back(model.free_count++);
    model.velocity_count += body.velocity_size;
    body.first_shape = static_cast<int>(model.shapes.size());
    body.shape_count = 1;
    const int index = static_cast<int>(model.bodies.size());
    model.bodies.push_back(body);
    model.shapes.push_back({std::move(shape), Pose{}, index, 0});
    poses.push_back(pose);
    return index;
  }
  ContactSet detect(ExactDetector& detector, double reach) const {
    ContactSet contacts;
    detector.detect(model, poses, std::vector<double>(poses.size(), reach), contacts);
    return contacts;
  }
};

Shape planar_box(double width, double height) {
  const double x = 0.5 * width, y = 0.5 * height;
  return make_polygon(std::vector<Vector2>{{-x, -y}, {x, -y}, {x, y}, {-x, y}});
}

SceneBuilder wall(int columns, int rows) {
  SceneBuilder scene(World::planar);
  scene.add(HalfPlane{}, Pose{}, false);
  for (int i = 0; i < columns; ++i)
    for (int j = 0; j < rows; ++j)
      scene.add(planar_box(0.9, 1.0), planar_pose(i + 0.1 * (j % 2), 0.5 + j, 0.0));
  return scene;
}

TEST(Detector, wall_of_boxes_has_its_contacts_sorted_with_owners_in_order) {
  const SceneBuilder scene = wall(6, 5);
  ExactDetector detector;
  const ContactSet contacts = scene.detect(detector, 1e-3);
  int on_ground = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    EXPECT_TRUE(i == 0 || contacts[i - 1].key < c.key);
    EXPECT_LT(c.key.shape_a(), c.key.shape_b());
    EXPECT_EQ(scene.model.shapes[c.key.shape_a()].body, c.body_a);
    EXPECT_EQ(scene.model.shapes[c.key.shape_b()].body, c.body_b);
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
    on_ground += c.body_a == 0;
  }
  EXPECT_EQ(on_ground, 12);
}

TEST(Detector, settled_calls_do_not_allocate) {
  SceneBuilder scene = wall(20, 10);
  scene.add(Circle{0.5}, planar_pose(3.0, 10.5, 0.0));
  scene.add(Capsule{{0.5, 0.0, 0.0}, 0.2}, planar_pose(6.0, 10.2, 0.0));
  ExactDetector detector;
  ContactSet contacts;
  const std::vector<double> reach(scene.poses.size(), 0.01);
  detector.detect(scene.model, scene.poses, reach, contacts);
  const ContactSet first = contacts;
  const std::size_t before = allocations();
  detector.detect(scene.model, scene.poses, reach, contacts);
  EXPECT_EQ(allocations(), before);
  ASSERT_EQ(contacts.size(), first.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    EXPECT_EQ(contacts[i].key, first[i].key);
    EXPECT_EQ(contacts[i].gap, first[i].gap);
  }
}

TEST(Detector, spatial_shapes_are_dispatched_to_the_spatial_phase) {
  SceneBuilder scene(World::spatial);
  scene.add(HalfSpace{}, Pose{}, false);
  scene.add(Box{{0.5, 0.5, 0.5}}, Pose{{0, 0, 0.5}});
  scene.add(Sphere{0.5}, Pose{{0, 0, 1.5}});
  ExactDetector detector;
  const ContactSet contacts = scene.detect(detector, 1e-3);
  ASSERT_EQ(contacts.size(), 5u);
  EXPECT_EQ(contacts.back().body_a, 1);
  EXPECT_EQ(contacts.back().body_b, 2);
  EXPECT_NEAR(contacts.back().normal.z(), 1.0, 1e-15);
}

TEST(Detector, pairs_that_cannot_move_or_are_excluded_have_no_contacts) {
  SceneBuilder scene(World::planar);
  scene.add(HalfPlane{}, Pose{}, false);
  scene.add(planar_box(1, 1), planar_pose(0, 0.5, 0), false);
  const int pusher = scene.add(planar_box(1, 1), planar_pose(1, 0.5, 0));
  for (int i = 0; i < 3; ++i)  // fully prescribed
    scene.model.free_index[scene.model.bodies[pusher].velocity_offset + i] = -1;
  ExactDetector detector;
  EXPECT_TRUE(scene.detect(detector, 0.1).empty());
  scene.model.free_index[scene.model.bodies[pusher].velocity_offset] = 0;
  EXPECT_FALSE(scene.detect(detector, 0.1).empty());
  scene.model.excluded_pairs = {{0, 2}, {1, 2}};
  EXPECT_TRUE(scene.detect(detector, 0.1).empty());
}

TEST(Detector, shapes_of_one_body_do_not_meet) {
  SceneBuilder scene(World::planar);
  scene.add(planar_box(1, 1), Pose{});
  scene.model.shapes.push_back({Circle{1.0}, Pose{}, 0, 0});
  ExactDetector detector;
  EXPECT_TRUE(scene.detect(detector, 1.0).empty());
}

TEST(Detector, reach_of_both_bodies_is_the_margin) {
  SceneBuilder scene(World::planar);
  scene.add(Circle{0.5}, Pose{});
  scene.add(Circle{0.5}, planar_pose(1.3, 0, 0));
  ExactDetector detector;
  EXPECT_EQ(scene.detect(detector, 0.1499).size(), 0u);
  EXPECT_EQ(scene.detect(detector, 0.1501).size(), 1u);
}

TEST(Detector, a_body_that_left_the_numbers_meets_nothing) {
  SceneBuilder scene = wall(3, 3);
  scene.poses[4].position.x() = std::nan("");
  ExactDetector detector;
  for (const Contact& c : scene.detect(detector, 0.01)) {
    EXPECT_NE(c.body_a, 4);
    EXPECT_NE(c.body_b, 4);
    EXPECT_TRUE(std::isfinite(c.gap));
  }
}

// No more processor time than to look at every edge for every circle, plainly.
TEST(Detector, fine_terrain_is_found_quickly) {
  SceneBuilder scene(World::planar);
  std::vector<Vector2> ridge{{0.0, -5.0}, {100.0, -5.0}};
  for (int i = 4'000; i >= 0; --i)
    ridge.emplace_back(0.025 * i, 0.2 * std::sin(0.01 * i) + 0.01 * (i % 2));
  scene.add(make_polygon(ridge), Pose{}, false);
  for (int i = 0; i < 200; ++i) scene.add(Circle{0.1}, planar_pose(0.25 + 0.5 * i, 0.25, 0.0));
  ExactDetector detector;
  scene.detect(detector, 0.05);
  int near = 0;
  const double plain = test::cpu_seconds_of([&] {
    for (int i = 0; i < 200; ++i)
      for (std::size_t k = 0; k < ridge.size(); ++k) {
        const Vector2 a = ridge[k], b = ridge[(k + 1) % ridge.size()], center(0.25 + 0.5 * i, 0.25);
        const double t = std::clamp((center - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
        near += (a + t * (b - a) - center).norm() <= 0.15;
      }
  });
  EXPECT_GT(near, 0);
  std::size_t found = 0;
  const double taken = test::cpu_seconds_of([&] { found = scene.detect(detector, 0.05).size(); });
  EXPECT_GT(found, 0u);
  RecordProperty("ratio", std::to_string(taken / plain));
  EXPECT_LT(taken, plain);
}

// Chains of joints leave poses a rounding out of the plane: boxes there have no height, and would
// miss each other.
TEST(Detector, planar_overlaps_are_seen_a_rounding_out_of_the_plane) {
  SceneBuilder scene(World::planar);
  scene.add(Circle{1.0}, planar_pose(0.0, 0.0, 0.0));
  Pose lifted = planar_pose(1.5, 0.0, 0.0);
  lifted.position.z() = 1e-17;
  scene.add(Circle{1.0}, lifted);
  ExactDetector detector;
  EXPECT_EQ(scene.detect(detector, 0.0).size(), 1u);
}

TEST(Detector, registry_lists_the_exact_one) {
  DetectorRegistry registry("detector");
  add_builtin_detectors(registry);
  EXPECT_NE(registry.find("exact"), nullptr);
  EXPECT_NE(registry.make("exact"), nullptr);
}

}  // namespace
}  // namespace vinci
