// SPDX-License-Identifier: Apache-2.0
// Meshes against brute force, against exact shapes and against planes.
#include <gtest/gtest.h>

#include "tests/collision/mesh_oracle.h"
#include "tests/collision/spatial_oracle.h"
#include "tests/support/mesh_shapes.h"
#include "vinci/collision/narrow_phase.h"

namespace vinci {
namespace {

using oracle::Random;

std::vector<ContactPoint> contacts(const Shape& a, const Pose& pose_a, const Shape& b,
                                   const Pose& pose_b, double margin) {
  static SpatialWorkspace workspace;
  std::vector<ContactPoint> points;
  collide_spatial({&a, pose_a, &b, pose_b}, margin, workspace, points);
  return points;
}

double least_gap(const std::vector<ContactPoint>& points) {
  double least = infinity;
  for (const ContactPoint& p : points) least = std::min(least, p.gap);
  return least;
}

void expect_consistent(const std::vector<ContactPoint>& points) {
  for (const ContactPoint& p : points) {
    EXPECT_NEAR(p.normal.norm(), 1.0, 1e-12);
    EXPECT_NEAR(p.gap, p.normal.dot(p.point_b - p.point_a), 1e-12);
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(points[i].feature_a == points[j].feature_a &&
                   points[i].feature_b == points[j].feature_b);
}

Polyhedron hull_with_triangles(const Polyhedron& hull) {
  Polyhedron result = hull;
  result.surface = make_triangle_mesh(hull);
  return result;
}

// A rough solid: a star, a torus or a box in pieces.
TriangleSoup rough_solid(Random& random) {
  switch (random() % 3) {
    case 0:
      return meshes::rough_ball(random, 4, 5);
    case 1:
      return meshes::torus(0.7, 0.25, 6, 4);
    default:
      return meshes::box(Vector3(0.5, 0.3, 0.7), 1);
  }
}

Pose random_pose(Random& random, double distance) {
  return {oracle::uniform(random, 0.0, distance) * oracle::unit_vector(random),
          oracle::rotation(random)};
}

TEST(Mesh, least_gap_of_two_meshes_apart_is_their_distance_by_brute_force) {
  Random random(11);
  int apart = 0, crossing = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Mesh a = make_mesh(rough_solid(random)), b = make_mesh(rough_solid(random));
    const Pose pose_a = random_pose(random, 5.0), pose_b = pose_a * random_pose(random, 2.2);
    const auto triangles_a = oracle::placed_triangles(*a.surface, pose_a);
    const auto triangles_b = oracle::placed_triangles(*b.surface, pose_b);
    const double distance = oracle::surface_distance(triangles_a, triangles_b);
    const auto points = contacts(a, pose_a, b, pose_b, 10.0);
    expect_consistent(points);
    if (distance == 0.0 || oracle::winding(triangles_a, triangles_b[0][0]) > 0.5 ||
        oracle::winding(triangles_b, triangles_a[0][0]) > 0.5) {
      ++crossing;
      EXPECT_LT(least_gap(points), 0.0) << trial;
    } else {
      ++apart;
      EXPECT_NEAR(least_gap(points), distance, 1e-9) << trial;
    }
  }
  EXPECT_GT(apart, 300);
  EXPECT_GT(crossing, 300);
}

TEST(Mesh, least_gap_with_convex_shapes_apart_is_their_distance_by_brute_force) {
  Random random(12);
  int apart = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Mesh a = make_mesh(rough_solid(random));
    const Pose pose_a = random_pose(random, 5.0), pose_b = pose_a * random_pose(random, 2.0);
    const bool is_box = trial % 2 == 0;
    const Vector3 half(0.3, 0.4, 0.2);
    const Shape other = is_box ? Shape(Box{half})
                               : Shape(hull_with_triangles(std::get<Polyhedron>(
                                     oracle::random_shape(oracle::polyhedron, random))));
    const Polyhedron solid = is_box ? box_polyhedron(half) : std::get<Polyhedron>(other);
    const auto triangles_a = oracle::placed_triangles(*a.surface, pose_a);
    const auto triangles_b = oracle::placed_triangles(*make_triangle_mesh(solid), pose_b);
    const double distance = oracle::surface_distance(triangles_a, triangles_b);
    const bool within = oracle::winding(triangles_a, triangles_b[0][0]) > 0.5 ||
                        oracle::winding(triangles_b, triangles_a[0][0]) > 0.5;
    // Either one may be the first.
    const auto points = trial % 4 < 2 ? contacts(a, pose_a, other, pose_b, 10.0)
                                      : contacts(other, pose_b, a, pose_a, 10.0);
    expect_consistent(points);
    if (distance > 0.0 && !within) {
      ++apart;
      EXPECT_NEAR(least_gap(points), distance, 1e-9) << trial;
    } else {
      EXPECT_LT(least_gap(points), 0.0) << trial;
    }
  }
  EXPECT_GT(apart, 500);
}

TEST(Mesh, balls_and_capsules_apart_have_the_distance_of_their_cores_by_brute_force) {
  Random random(13);
  int apart = 0, inside = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Mesh a = make_mesh(rough_solid(random));
    const Pose pose_a = random_pose(random, 5.0), pose_b = pose_a * random_pose(random, 1.8);
    const double radius = oracle::uniform(random, 0.05, 0.3);
    const Vector3 half =
        trial % 2 == 0 ? Vector3(Vector3::Zero())
                       : Vector3(oracle::uniform(random, 0.1, 0.6) * oracle::unit_vector(random));
    const Shape other = trial % 2 == 0 ? Shape(Sphere{radius}) : Shape(Capsule{half, radius});
    const Vector3 p = pose_b * Vector3(-half), q = pose_b * half;
    const auto triangles = oracle::placed_triangles(*a.surface, pose_a);
    double distance = infinity;
    bool pierced = false;
    for (const oracle::Triangle& t : triangles) {
      distance = std::min({distance, oracle::point_triangle(p, t), oracle::point_triangle(q, t)});
      if (trial % 2 == 0) continue;
      pierced = pierced || oracle::segment_pierces(p, q, t);
      for (std::size_t k = 0; k < 3; ++k)
        distance = std::min(distance, oracle::segment_segment(p, q, t[k], t[(k + 1) % 3]));
    }
    const auto points = contacts(a, pose_a, other, pose_b, 10.0);
    expect_consistent(points);
    if (!pierced && oracle::winding(triangles, p) < 0.5) {
      ++apart;
      // A point on the side of a capsule that has sunk in may be deeper than its way out is long.
      if (trial % 2 == 0 || distance >= radius)
        EXPECT_NEAR(least_gap(points), distance - radius, 1e-9) << trial;
      else
        EXPECT_LE(least_gap(points), distance - radius + 1e-9) << trial;
    } else if (trial % 2 == 0) {
      ++inside;
      EXPECT_NEAR(least_gap(points), -distance - radius, 1e-9) << trial;
    } else {
      EXPECT_LT(least_gap(points), -radius) << trial;
    }
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(inside, 200);
}

// Every shape on a floor of triangles in one plane has the contacts that it has on the plane.
TEST(Mesh, flat_floor_of_random_triangles_is_a_plane) {
  Random random(14);
  std::vector<Shape> shapes{Sphere{0.2}, Box{Vector3(0.2, 0.3, 0.1)},
                            Capsule{Vector3(0.1, 0.2, 0.3), 0.1}, Cylinder{0.2, 0.15}};
  shapes.push_back(
      hull_with_triangles(std::get<Polyhedron>(oracle::random_shape(oracle::polyhedron, random))));
  int compared = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Mesh floor = make_mesh(meshes::floor(random, 3.0, 4 + trial % 5));
    const Shape& shape = shapes[static_cast<std::size_t>(trial) % shapes.size()];
    const Pose ground = random_pose(random, 3.0);
    Pose pose{Vector3(oracle::uniform(random, -1.0, 1.0), oracle::uniform(random, -1.0, 1.0), 0.0),
              trial % 3 == 0 ? Quaternion::Identity() : oracle::rotation(random)};
    const Box3 box = bounding_box(shape, {Vector3::Zero(), pose.rotation});
    pose.position.z() = oracle::uniform(random, -1e-3, 1e-2) - box.lower.z();
    auto expected = contacts(HalfSpace{}, ground, shape, ground * pose, 0.02);
    auto found = contacts(floor, ground, shape, ground * pose, 0.02);
    const auto by_feature = [](const ContactPoint& p, const ContactPoint& q) {
      return p.feature_b < q.feature_b;
    };
    std::sort(expected.begin(), expected.end(), by_feature);
    std::sort(found.begin(), found.end(), by_feature);
    ASSERT_EQ(found.size(), expected.size()) << trial << ' ' << kind_of(shape);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ++compared;
      EXPECT_NEAR(found[i].gap, expected[i].gap, 1e-13) << trial;
      EXPECT_NEAR((found[i].normal - expected[i].normal).norm(), 0.0, 1e-13);
      EXPECT_NEAR((found[i].point_b - expected[i].point_b).norm(), 0.0, 1e-12);
    }
  }
  EXPECT_GT(compared, 3000);
}

// Triangles that are wholly behind the floor, deeper than the margin, bring their corners too.
TEST(Mesh, deepest_corner_is_found_beyond_the_margin) {
  Random random(15);
  std::vector<Shape> shapes{Box{Vector3(0.2, 0.3, 0.1)}, Cylinder{0.2, 0.15},
                            Shape(make_mesh(meshes::box(Vector3(0.2, 0.1, 0.3), 3))),
                            Shape(make_mesh(meshes::rough_ball(random, 6, 8)))};
  for (int trial = 0; trial < 1000; ++trial) {
    const Mesh floor = make_mesh(meshes::floor(random, 3.0, 4 + trial % 5));
    const Shape& shape = shapes[static_cast<std::size_t>(trial) % shapes.size()];
    const Quaternion little = exponential(0.02 * oracle::unit_vector(random));
    Pose pose{Vector3(oracle::uniform(random, -1.0, 1.0), oracle::uniform(random, -1.0, 1.0), 0.0),
              trial % 2 == 0 ? little : oracle::rotation(random)};
    pose.position.z() = 2.0;  // far above, then down by as much and into the floor
    pose.position.z() -= least_gap(contacts(HalfSpace{}, Pose(), shape, pose, 3.0)) +
                         oracle::uniform(random, 1e-5, 1e-2);
    const double expected = least_gap(contacts(HalfSpace{}, Pose(), shape, pose, 1e-6));
    EXPECT_LT(expected, -9e-6);
    EXPECT_NEAR(least_gap(contacts(floor, Pose(), shape, pose, 1e-6)), expected, 1e-12)
        << trial << ' ' << kind_of(shape);
  }
}

// A body of the same form as a box, on a plane and on a box, has the contacts of the box.
TEST(Mesh, box_of_triangles_lies_on_a_plane_and_on_a_box_by_its_four_corners) {
  for (const int n : {1, 3, 8}) {
    const Mesh mesh = make_mesh(meshes::box(Vector3(0.2, 0.1, 0.3), n));
    const Pose pose{Vector3(0.4, 0.2, 0.3 + 1e-6), rotation_about_z(0.3)};
    const auto on_plane = contacts(HalfSpace{}, Pose(), mesh, pose, 1e-3);
    ASSERT_EQ(on_plane.size(), 4u);
    for (const ContactPoint& p : on_plane) EXPECT_NEAR(p.gap, 1e-6, 1e-15);
    const Shape table = Box{Vector3(1.0, 1.0, 0.5)};
    const auto on_box =
        contacts(table, {Vector3(0.0, 0.0, -0.5), Quaternion::Identity()}, mesh, pose, 1e-3);
    ASSERT_EQ(on_box.size(), 4u);
    for (const ContactPoint& p : on_box) EXPECT_NEAR(p.gap, 1e-6, 1e-15);
  }
}

// Sphere, box and torus: the error of the gap falls with the square of the triangles' size, that
// is, with their number; flat sides have none.
TEST(Mesh, gap_of_a_mesh_sphere_and_torus_converges_with_the_number_of_triangles) {
  Random random(15);
  const double radius = 0.3;
  double before_ball = 0.0, before_torus = 0.0;
  for (const int n : {8, 16, 32}) {
    const Mesh ball = make_mesh(meshes::ball(1.0, n, 2 * n));
    const Mesh torus = make_mesh(meshes::torus(1.0, 0.4, 2 * n, n));
    double ball_error = 0.0, torus_error = 0.0;
    Random same(16);
    for (int trial = 0; trial < 100; ++trial) {
      const Vector3 x = oracle::uniform(same, 1.2, 1.6) * oracle::unit_vector(same);
      const auto with_ball =
          contacts(ball, Pose(), Sphere{radius}, {x, Quaternion::Identity()}, 1.0);
      ball_error = std::max(ball_error, std::abs(least_gap(with_ball) - (x.norm() - 1.0 - radius)));
      const double ring = std::hypot(x.x(), x.y()) - 1.0;
      const double exact = std::hypot(ring, x.z()) - 0.4 - radius;
      const auto with_torus =
          contacts(torus, Pose(), Sphere{radius}, {x, Quaternion::Identity()}, 2.0);
      torus_error = std::max(torus_error, std::abs(least_gap(with_torus) - exact));
    }
    if (before_ball > 0.0) {
      EXPECT_GT(before_ball / ball_error, 3.0) << n;
      EXPECT_GT(before_torus / torus_error, 3.0) << n;
    }
    before_ball = ball_error;
    before_torus = torus_error;
  }
  const Mesh box = make_mesh(meshes::box(Vector3(0.5, 0.6, 0.7), 5));
  for (int trial = 0; trial < 500; ++trial) {
    const Pose pose = random_pose(random, 1.5);
    const auto exact = contacts(Box{Vector3(0.5, 0.6, 0.7)}, Pose(), Sphere{radius}, pose, 2.0);
    const auto found = contacts(box, Pose(), Sphere{radius}, pose, 2.0);
    EXPECT_NEAR(least_gap(found), least_gap(exact), 1e-12) << trial;
  }
}

TEST(Mesh, ball_in_the_hole_of_a_torus_touches_nothing_and_one_that_fits_touches_all_around) {
  const Mesh torus = make_mesh(meshes::torus(1.0, 0.25, 24, 12));
  EXPECT_TRUE(contacts(torus, Pose(), Sphere{0.5}, Pose(), 0.01).empty());
  EXPECT_TRUE(contacts(torus, Pose(), Box{Vector3(0.3, 0.3, 0.1)}, Pose(), 0.01).empty());
  // The middles of the 24 edges around the hole.
  const auto tight = contacts(torus, Pose(), Sphere{0.74}, Pose(), 0.01);
  EXPECT_EQ(tight.size(), 24u);
  for (const ContactPoint& p : tight)
    EXPECT_NEAR(p.gap, 0.75 * std::cos(M_PI / 24.0) - 0.74, 1e-12);
}

TEST(Mesh, shapes_wholly_inside_are_told_a_way_out) {
  const Mesh solid = make_mesh(meshes::box(Vector3(1.0, 1.0, 1.0), 4));
  std::vector<Shape> shapes{Sphere{0.1}, Box{Vector3(0.1, 0.1, 0.1)},
                            Capsule{Vector3(0.1, 0.0, 0.0), 0.05}, Cylinder{0.1, 0.1},
                            make_mesh(meshes::torus(0.1, 0.04, 8, 6))};
  shapes.push_back(hull_with_triangles(box_polyhedron(Vector3(0.1, 0.1, 0.1))));
  const Vector3 place(0.5, 0.1, -0.2);
  for (const Shape& shape : shapes) {
    const auto points = contacts(solid, Pose(), shape, {place, Quaternion::Identity()}, 1e-3);
    ASSERT_FALSE(points.empty()) << kind_of(shape);
    for (const ContactPoint& p : points) {
      EXPECT_LT(p.gap, -0.3) << kind_of(shape);
      // Moved out by as much it is out.
      const Pose out{place - (1e-6 - p.gap + 0.2) * -p.normal, Quaternion::Identity()};
      EXPECT_GT(least_gap(contacts(solid, Pose(), shape, out, 10.0)), 0.0) << kind_of(shape);
      break;
    }
  }
}

// A bench with a thin wall on it. All corners of the rod, and all edges of the wall, are outside;
// that it lies on the bench must not hide that it is through the wall.
TEST(Mesh, shapes_through_a_wall_are_told_a_way_out_wherever_their_middle_is_and_what_they_lie_on) {
  const std::vector<Vector2> outline{{-1.0, -0.1}, {1.0, -0.1},   {1.0, 0.0},    {0.005, 0.0},
                                     {0.005, 0.3}, {-0.005, 0.3}, {-0.005, 0.0}, {-1.0, 0.0}};
  const std::vector<std::array<int, 3>> caps{{0, 1, 6}, {1, 3, 6}, {1, 2, 3},
                                             {3, 4, 5}, {3, 5, 6}, {6, 7, 0}};
  TriangleSoup soup;
  for (const double y : {0.5, -0.5})
    for (const Vector2& p : outline) soup.points.emplace_back(p.x(), y, p.y());
  const int n = static_cast<int>(outline.size());
  for (const auto& [i, j, k] : caps) {
    soup.triangles.push_back({i, k, j});
    soup.triangles.push_back({i + n, j + n, k + n});
  }
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    soup.triangles.push_back({i, j, j + n});
    soup.triangles.push_back({i, j + n, i + n});
  }
  const Mesh bench = make_mesh(soup);
  EXPECT_NEAR(bench.surface->volume, 0.203, 1e-12);
  const Quaternion along_x(Eigen::AngleAxisd(M_PI / 2.0, Vector3::UnitY()));
  const std::vector<std::pair<Shape, Quaternion>> rods{
      {Box{Vector3(0.2, 0.025, 0.025)}, Quaternion::Identity()},
      {make_mesh(meshes::box(Vector3(0.2, 0.025, 0.025), 1)), Quaternion::Identity()},
      {hull_with_triangles(box_polyhedron(Vector3(0.2, 0.025, 0.025))), Quaternion::Identity()},
      {Cylinder{0.025, 0.2}, along_x},
      {Capsule{Vector3(0.175, 0.0, 0.0), 0.025}, Quaternion::Identity()},
      {make_superquadric(Vector3(0.2, 0.025, 0.025), 0.1, 0.1), Quaternion::Identity()}};
  for (const auto& [rod, rotation] : rods)
    for (const double height : {0.1, 0.025 + 1e-6, 0.025, 0.025 - 1e-6})
      for (const double x : {0.0, 0.05, -0.1, 0.17}) {
        const auto place = [&](double at) { return Pose{Vector3(at, 0.0, height), rotation}; };
        EXPECT_LT(least_gap(contacts(bench, Pose(), rod, place(x), 1e-3)), -0.004)
            << kind_of(rod) << " " << height << " " << x;
        EXPECT_GT(least_gap(contacts(bench, Pose(), rod, place(x < 0.0 ? -0.3 : 0.3), 1e-3)), -2e-6)
            << kind_of(rod) << " " << height << " " << x;
      }
}

// Their corners lie in the caps of each other, so that none is strictly inside.
TEST(Mesh, prisms_of_one_height_that_overlap_leave_sideways) {
  const Vector3 half(0.1, 0.1, 0.05);
  const Mesh block = make_mesh(meshes::box(half, 2));
  const std::vector<Shape> others{block, Box{half}, hull_with_triangles(box_polyhedron(half)),
                                  Cylinder{0.1, 0.05}};
  for (const Shape& other : others)
    for (const double depth : {1e-7, 1e-6, 1e-4, 1e-2})
      for (const double angle : {0.0, 0.5, M_PI / 4.0}) {
        const bool round = std::holds_alternative<Cylinder>(other);
        const double reach = round ? 0.1 : 0.1 * (std::cos(angle) + std::sin(angle));
        const Pose pose{Vector3(0.1 + reach - depth, 0.013, 0.0),
                        Quaternion(Eigen::AngleAxisd(angle, Vector3::UnitZ()))};
        const auto points = contacts(block, Pose(), other, pose, 1e-3);
        const auto deepest =
            std::min_element(points.begin(), points.end(),
                             [](const auto& a, const auto& b) { return a.gap < b.gap; });
        ASSERT_NE(deepest, points.end());
        EXPECT_NEAR(deepest->gap, -depth, 1e-9) << kind_of(other) << " " << depth << " " << angle;
        EXPECT_NEAR(deepest->normal.x(), 1.0, 1e-9) << kind_of(other) << " " << depth;
      }
}

// One on the other with sides in line: rounding must not put corners into the other's top.
TEST(Mesh, equal_blocks_in_a_stack_touch_by_their_faces_alone) {
  const Mesh block = make_mesh(meshes::box(Vector3(0.1, 0.075, 0.05), 1));
  for (int trial = 0; trial < 200; ++trial) {
    const Pose below{1e-3 * trial * Vector3(0.3, 0.7, 0.05), Quaternion::Identity()};
    const Pose above{below.position + Vector3(1e-4 * trial, 0.0, 0.1), Quaternion::Identity()};
    for (const ContactPoint& p : contacts(block, below, block, above, 1e-3)) {
      EXPECT_NEAR(p.gap, 0.0, 1e-12) << trial;
      EXPECT_NEAR(p.normal.z(), 1.0, 1e-12) << trial;
    }
  }
}

// A corner pushed into a concave corner by a little is held by all three walls.
TEST(Mesh, box_in_a_corner_of_a_room_keeps_its_contacts_with_floor_and_walls) {
  TriangleSoup room = meshes::box(Vector3(1.0, 1.0, 1.0), 3);
  for (auto& t : room.triangles) std::swap(t[1], t[2]);
  room.triangles.erase(room.triangles.end() - 18, room.triangles.end());  // without its top
  const Mesh open = make_mesh(room);
  EXPECT_FALSE(open.surface->closed);
  for (const double gap : {1e-6, 0.0, -1e-6, -1e-5}) {
    const Pose pose{Vector3::Constant(-1.0 + 0.2 + gap), Quaternion::Identity()};
    const auto points = contacts(open, Pose(), Box{Vector3(0.2, 0.2, 0.2)}, pose, 1e-3);
    int along[3] = {0, 0, 0};
    for (const ContactPoint& p : points) {
      EXPECT_NEAR(p.gap, gap, 1e-12);
      int axis = 0;
      EXPECT_NEAR(p.normal.maxCoeff(&axis), 1.0, 1e-12);
      ++along[axis];
    }
    for (const int count : along) EXPECT_EQ(count, 4) << gap;
  }
}

}  // namespace
}  // namespace vinci
