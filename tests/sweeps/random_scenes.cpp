// SPDX-License-Identifier: Apache-2.0
#include "tests/sweeps/random_scenes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace vinci::test {
namespace {

// Corners on a circle at sorted angles; every third time one of them is pulled in: concave.
std::string polygon(Draw& draw) {
  const int corners = 3 + draw.below(4), inward = draw.below(3) == 0 ? draw.below(corners) : -1;
  const double radius = draw.between(0.04, 0.1), first = draw.between(0.0, 2.0 * M_PI);
  std::string list;
  for (int i = 0; i < corners; ++i) {
    const double angle = first + 2.0 * M_PI * (i + draw.between(0.0, 0.5)) / corners;
    const double r = i == inward && corners > 3 ? 0.35 * radius : radius;
    list += fmt::format("{}[{}, {}]", i == 0 ? "" : ", ", r * std::cos(angle), r * std::sin(angle));
  }
  return fmt::format("polygon: [{}]", list);
}

std::string bodies(Draw& draw, int count, const char* (*extra)(int)) {
  std::string yaml;
  for (int i = 0; i < count; ++i)
    yaml += fmt::format(
        "  body-{}: {{shapes: [{}], position: [{}, {}], angle: {}, velocity: [{}, {}], spin: {}{}}}"
        "\n",
        i, random_shape(draw), draw.between(-0.05, 0.05), 0.13 + 0.24 * i, draw.between(-3.0, 3.0),
        draw.between(-1.0, 1.0), draw.between(-2.0, 0.0), draw.between(-8.0, 8.0), extra(i));
  return yaml;
}

std::string header(Draw& draw, bool table) {
  std::string yaml = "world: planar\n";
  if (table)
    yaml += fmt::format("table: {{friction: {}, viscosity: {}}}\n", random_friction(draw),
                        draw.below(3) == 0 ? draw.between(0.0, 2.0) : 0.0);
  return yaml + fmt::format("materials: {{m: {{friction: {}}}}}\nbodies:\n", random_friction(draw));
}

std::string falling(Draw& draw) {
  std::string yaml = header(draw, false);
  const double slope = draw.between(-0.3, 0.3);
  yaml += fmt::format(
      "  floor: {{freedom: fixed, shapes: [{{half-plane: {{angle: {}}}, material: m}}]}}\n", slope);
  if (draw.below(3) == 0)
    yaml += fmt::format(
        "  wall: {{freedom: fixed, shapes: [{{half-plane: {{point: [{}, 0], normal: [-1, {}]}}, "
        "material: m}}]}}\n",
        draw.between(0.18, 0.4), draw.between(-0.2, 0.5));
  if (draw.below(3) == 0)
    yaml +=
        fmt::format("  peg: {{freedom: fixed, shapes: [{}], position: [{}, -0.02], angle: {}}}\n",
                    random_shape(draw), draw.between(0.18, 0.3), draw.between(-3.0, 3.0));
  const int count = 1 + draw.below(3);
  return yaml + bodies(draw, count, [](int) { return ""; });
}

std::string driven(Draw& draw) {
  std::string yaml = header(draw, false);
  yaml += fmt::format(
      "  plate: {{shapes: [{{half-plane: {{}}, material: m}}], motion: {{x: {}*sin({}*t), y: "
      "{}*sin({}*t), angle: {}*sin({}*t)}}}}\n",
      draw.between(0.0, 0.02), draw.between(5.0, 60.0), draw.between(0.0, 0.01),
      draw.between(5.0, 60.0), draw.between(0.0, 0.1), draw.between(1.0, 20.0));
  if (draw.below(2) == 0)
    yaml += fmt::format("  paddle: {{shapes: [{}], motion: {{x: 0.25, y: 0.1, angle: {}*t}}}}\n",
                        random_shape(draw), draw.between(-20.0, 20.0));
  const int count = 1 + draw.below(2);
  return yaml + bodies(draw, count, [](int) { return ""; });
}

const char* supports(int i) {
  switch (i % 4) {
    case 0:
      return ", supports: [[0.03, 0], [-0.015, 0.02], [-0.015, -0.02]], center: [0, 0]";
    case 1:
      return ", supports: [[0.02, 0.02], [-0.02, 0.02], [-0.02, -0.02], [0.02, -0.02]], center: "
             "[0, 0]";
    case 2:
      return ", supports: {points: [[0.02, 0], [-0.02, 0.01]], loads: [3, 5]}";
    default:
      return ", supports: [[0, 0]], center: [0, 0]";
  }
}

std::string thrown(Draw& draw) {
  std::string yaml = header(draw, true);
  const int count = 1 + draw.below(3);
  return yaml + bodies(draw, count, supports);
}

std::string pushed(Draw& draw) {
  std::string yaml = header(draw, true);
  yaml += fmt::format(
      "  finger: {{shapes: [{{circle: 0.02, material: m}}], motion: {{x: {}, y: -0.05 + 0.5*t, "
      "angle: 0}}}}\n",
      draw.between(-0.04, 0.04));
  if (draw.below(2) == 0)
    yaml += fmt::format(
        "  wall: {{freedom: fixed, shapes: [{{half-plane: {{point: [0, {}], normal: [{}, -1]}}, "
        "material: m}}]}}\n",
        draw.between(0.8, 0.9), draw.between(-0.5, 0.5));
  const int count = 1 + draw.below(3);
  return yaml + bodies(draw, count, supports);
}

}  // namespace

double random_friction(Draw& draw) {
  switch (draw.below(5)) {
    case 0:
      return 0.0;
    case 1:
      return std::pow(10.0, draw.between(0.0, 2.0));
    default:
      return draw.between(0.0, 1.0);
  }
}

std::string random_shape(Draw& draw) {
  std::string kind;
  switch (draw.below(12)) {
    case 0:
    case 1:
      kind = fmt::format("circle: {}", draw.between(0.03, 0.09));
      break;
    case 2:
    case 3:
      kind = fmt::format("box: [{}, {}]", draw.between(0.04, 0.16), draw.between(0.04, 0.16));
      break;
    case 4:
    case 5:
      kind = fmt::format("capsule: {{length: {}, radius: {}}}", draw.between(0.04, 0.1),
                         draw.between(0.01, 0.04));
      break;
    case 6:
    case 7:
      kind = fmt::format("superellipse: {{axes: [{}, {}], exponent: {}}}", draw.between(0.03, 0.1),
                         draw.between(0.03, 0.1), 1.0 + std::pow(10.0, draw.between(-1.0, 1.0)));
      break;
    case 8:
      kind = fmt::format("implicit: {{function: (x/{})^2 + (y/{})^2*exp(4*x) - 1}}",
                         draw.between(0.04, 0.1), draw.between(0.04, 0.1));
      break;
    default:
      kind = polygon(draw);
  }
  return fmt::format("{{{}, material: m}}", kind);
}

RandomScene random_scene(unsigned seed) {
  Draw draw(seed);
  RandomScene scene;
  switch (seed % 10) {
    case 0:
    case 1:
    case 2:
    case 3:
      scene.family = Family::falling;
      scene.yaml = falling(draw);
      break;
    case 4:
    case 5:
      scene.family = Family::driven;
      scene.yaml = driven(draw);
      break;
    case 6:
    case 7:
      scene.family = Family::thrown;
      scene.yaml = thrown(draw);
      break;
    default:
      scene.family = Family::pushed;
      scene.yaml = pushed(draw);
  }
  scene.yaml += "run: {step: 2 ms, duration: 0.16}\n";
  return scene;
}

}  // namespace vinci::test
