// SPDX-License-Identifier: Apache-2.0
// Reference case 18: a chain and a tree of ball, revolute and prismatic joints fall in space, as
// scenes, in reduced and in maximal coordinates; and the loads of their joints by both ways.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

Vector3 vector(const nlohmann::json& list) {
  return {list[0].get<double>(), list[1].get<double>(), list[2].get<double>()};
}
std::string text(const Vector3& v) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z());
}
Quaternion rotation(const nlohmann::json& rpy) {
  const auto turn = [](double angle, const Vector3& axis) {
    return Quaternion(Eigen::AngleAxisd(angle, axis));
  };
  return turn(rpy[2], Vector3::UnitZ()) * turn(rpy[1], Vector3::UnitY()) *
         turn(rpy[0], Vector3::UnitX());
}

// The joint frame of the reference is that of the link at rest; ours has the axes of the body
// before for a ball, so that its rotation and rates are turned.
std::string scene(const nlohmann::json& links, const nlohmann::json& expected, double h,
                  const char* coordinates) {
  std::string bodies, joints;
  std::size_t q = 0, v = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto& link = links[i];
    const Quaternion r = rotation(link["rpy"]);
    const auto& I = link["inertia"];
    bodies += fmt::format("link{}: {{mass: {:.17g}, center: {}, inertia: [{}, {}, {}]}}, ", i,
                          link["mass"].get<double>(), text(vector(link["com"])), text(vector(I[0])),
                          text(vector(I[1])), text(vector(I[2])));
    const std::string kind = link["joint"];
    const int parent = link["parent"];
    std::string joint = fmt::format(
        "j{}: {{{}: [{}, link{}], at: [{}, [0, 0, 0]], rotation: {{quaternion: [{:.17g}, {:.17g}, "
        "{:.17g}, {:.17g}]}}",
        i, kind, parent < 0 ? "world" : fmt::format("link{}", parent), i, text(vector(link["xyz"])),
        r.w(), r.x(), r.y(), r.z());
    const auto at = [&](std::size_t k) { return expected["q0"][k].template get<double>(); };
    const auto rate = [&](std::size_t k) { return expected["v0"][k].template get<double>(); };
    if (kind == "ball") {
      const Quaternion own =
          r * Quaternion(at(q), at(q + 1), at(q + 2), at(q + 3)).normalized() * r.conjugate();
      joint += fmt::format(
          ", position: {{quaternion: [{:.17g}, {:.17g}, {:.17g}, {:.17g}]}}, velocity: {}}}",
          own.w(), own.x(), own.y(), own.z(), text(r * Vector3(rate(v), rate(v + 1), rate(v + 2))));
      q += 4;
      v += 3;
    } else {
      joint += fmt::format(", axis: {}, position: {:.17g}, velocity: {:.17g}}}",
                           text(r * Vector3::UnitZ()), at(q), rate(v));
      ++q;
      ++v;
    }
    joints += joint + ", ";
  }
  return fmt::format(
      "world: spatial\nbodies: {{{}}}\njoints: {{{}}}\nrun: {{step: {:.17g}, duration: 0.5, "
      "coordinates: {}}}\n",
      bodies, joints, h, coordinates);
}

class Trees : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Trees, fall_as_the_reference) {
  const auto [name, coordinates] = GetParam();
  const auto c = reference("case18_trees");
  const auto& links = c["parameters"][name];
  const auto& expected = c["expected"][name];
  const auto& end = expected["motion"];
  std::vector<double> steps = {1e-3, 5e-4}, errors;
  for (const double h : steps) {
    Simulation simulation = simulate(scene(links, expected, h, coordinates));
    const Energy start = energy(simulation.model(), simulation.state());
    EXPECT_NEAR(start.kinetic, end["kinetic"][0].get<double>(), 1e-9);
    run_exactly(simulation);
    double apart = 0.0, turned = 0.0;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const Vector3 place =
          center_of_mass(simulation.model(), simulation.state().poses, static_cast<int>(i));
      apart = std::max(apart, (place - vector(end["com_position_end"][i])).norm());
      const auto& q = end["quaternion_wxyz_end"][i];
      const Quaternion there(q[0], q[1], q[2], q[3]);
      turned = std::max(turned, there.angularDistance(simulation.state().poses[i].rotation));
    }
    const auto& calibration =
        c["tolerance"][std::string(name) + " calibration"][h == 1e-3 ? "h=0.001" : "h=0.0005"];
    EXPECT_LE(apart, 5.0 * calibration["position"].get<double>()) << h;
    EXPECT_LE(turned, 5.0 * calibration["rotation"].get<double>()) << h;
    errors.push_back(apart);
  }
  EXPECT_GT(fitted_order(steps, errors), 0.8);
}

INSTANTIATE_TEST_SUITE_P(
    ways, Trees,
    testing::Values(std::pair{"chain", "reduced"}, std::pair{"chain", "maximal"},
                    std::pair{"tree", "reduced"}, std::pair{"tree", "maximal"}),
    [](const auto& tested) { return std::string(tested.param.first) + "_" + tested.param.second; });

// Force and moment of a joint: by the recursion in reduced coordinates, by its rows in maximal
// ones.
TEST(Trees, joints_bear_the_same_by_recursion_and_by_rows) {
  const auto c = reference("case18_trees");
  std::vector<double> steps = {1e-3, 2.5e-4}, errors;
  for (const double h : steps) {
    const auto one = [&](const char* coordinates) {
      Simulation simulation =
          simulate(scene(c["parameters"]["tree"], c["expected"]["tree"], h, coordinates));
      for (int i = 0; i * h < 0.1; ++i) simulation.step();
      return simulation.joints();
    };
    const auto reduced = one("reduced"), maximal = one("maximal");
    double largest = 0.0, apart = 0.0;
    for (std::size_t j = 0; j < reduced.size(); ++j) {
      largest = std::max(largest, reduced[j].impulse.norm() / h);
      apart = std::max({apart, (reduced[j].impulse - maximal[j].impulse).norm() / h,
                        (reduced[j].moment - maximal[j].moment).norm() / h});
    }
    errors.push_back(apart / largest);
  }
  EXPECT_LT(errors[1], 0.02);
  EXPECT_LT(errors[1], 0.5 * errors[0]);
}

}  // namespace
}  // namespace vinci::test
