// SPDX-License-Identifier: Apache-2.0
// Thin shelves, and piles: what must stay on its side, and what must not gain energy.
#include <cmath>

#include "tests/sweeps/judge.h"
#include "tests/sweeps/parts.h"

namespace vinci::test {
namespace {

// How far the layers between two bodies are pressed in where they are most, m.
double pressed_between(const Simulation& simulation, int body, int other, int shape = -1) {
  const std::vector<PlacedShape>& shapes = simulation.model().shapes;
  double most = 0.0;
  for (const LayerMemory& layer : simulation.state().memory.layers) {
    const int a = static_cast<int>(layer.key.shape_a()), b = static_cast<int>(layer.key.shape_b());
    const bool theirs = (shapes[a].body == body && shapes[b].body == other) ||
                        (shapes[a].body == other && shapes[b].body == body);
    if (theirs && (shape < 0 || a == shape || b == shape))
      most = std::max(most, layer.deformation_a[0] + layer.deformation_b[0]);
  }
  return most;
}

// Parts with layers in a bin whose shapes come first: the deepest overlap of two of them, or
// with the bin, that no layer explains, over the half thickness of the thinner one.
double unexplained_in_bin(const Simulation& simulation, const std::vector<Part>& parts,
                          bool spatial) {
  const std::vector<PlacedShape>& shapes = simulation.model().shapes;
  const std::vector<Pose>& poses = simulation.state().poses;
  const std::size_t walls = spatial ? 5 : 3;
  const Vector3 out[] = {spatial ? Vector3(0, 0, -1) : Vector3(0, -1, 0),
                         {1, 0, 0},
                         {-1, 0, 0},
                         {0, 1, 0},
                         {0, -1, 0}};
  const double place[] = {0.0, 0.12, 0.12, 0.12, 0.12};
  double most = 0.0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double half = shapes[walls + i].half_thickness;
    const int own = static_cast<int>(i) + 1;
    for (std::size_t w = 0; w < walls; ++w) {
      const double depth = reach_along(parts[i], poses[i + 1], out[w]) - place[w];
      if (depth > 0.0)
        most = std::max(most,
                        (depth - pressed_between(simulation, 0, own, static_cast<int>(w))) / half);
    }
    for (std::size_t j = 0; j < i; ++j) {
      const double depth = overlap_of(parts[i], poses[i + 1], parts[j], poses[j + 1], spatial);
      if (depth > 0.0)
        most = std::max(most, (depth - pressed_between(simulation, static_cast<int>(j) + 1, own)) /
                                  std::min(half, shapes[walls + j].half_thickness));
    }
  }
  return most;
}

}  // namespace

// A part is thrown at a shelf, fixed, free or driven, thick or thin. It begins on the side of the
// normal n, the shelf's own up, and must end there; it is as deep as the record says.
void sweep_shelves(Draw& draw, bool spatial, Tally& tally) {
  const double size = decades(draw, 1e-3, 0.1), thick = decades(draw, 1e-4, 1e-2);
  const double fall = decades(draw, 1.0, 100.0), h = decades(draw, 1e-4, 5e-3);
  const Part part = random_part(draw, spatial, size);
  const std::string stepper = random_stepper(draw);
  const bool soft = stepper == "song-pang-kumar";
  const Vector3 up = spatial ? Vector3(0, 0, 1) : Vector3(0, 1, 0);
  Vector3 aside = draw.between(0.0, 0.5) * fall * random_direction(draw, spatial);
  aside -= up * up.dot(aside);
  const int kind = draw.below(4);  // 0: free, 1: driven, else fixed
  const Vector3 shelf = spatial ? Vector3(40, 40, thick) : Vector3(40, thick, 0);
  const double rise = kind == 1 ? draw.between(-0.5, 1.0) * fall : 0.0;
  std::string yaml = world(spatial) +
                     random_material(draw, random_friction(draw),
                                     draw.below(3) == 0 ? draw.between(0.0, 1.0) : 0.0, soft) +
                     (draw.below(2) == 0 ? no_gravity(spatial) : "") + "bodies:\n";
  const std::string box = fmt::format("shapes: [{{box: {}, material: m}}]", list(shelf, spatial));
  if (kind == 0)
    yaml += fmt::format("  shelf: {{{}}}\n", box);
  else if (kind == 1)
    yaml += fmt::format("  shelf: {{{}, motion: {{x: 0, {}: {}*t{}}}}}\n", box,
                        spatial ? "y: 0, z" : "y", rise,
                        spatial ? ", roll: 0, pitch: 0, yaw: 0" : ", angle: 0");
  else
    yaml += fmt::format("  shelf: {{freedom: fixed, {}}}\n", box);
  const double height = 0.5 * thick + size * draw.between(1.1, 3.0);
  yaml += fmt::format(
      "  part: {{shapes: [{{{}, material: m}}], position: {}, {}, velocity: {}, {}}}\n", part.shape,
      list(height * up, spatial), random_turn(draw, spatial), list(aside - fall * up, spatial),
      random_spin(draw, spatial, draw.below(3) == 0 ? 500.0 : 50.0));
  yaml += fmt::format("run: {{step: {}, duration: {}, stepper: {}}}\n", h,
                      std::max(20.0 * h, 3.0 * height / fall), stepper);
  SCOPED_TRACE(yaml);
  Simulation simulation = simulate(yaml);
  Watched watched(simulation, tally);
  while (!simulation.finished()) {
    const StepReport& report = watched.step(kind != 1);
    if (simulation.diverged()) break;
    const Pose &at = simulation.state().poses[1], &base = simulation.state().poses[0];
    const Vector3 n = base.rotation * up;
    // How far its lowest point is under the top of the shelf, and its highest above the middle.
    const double depth = 0.5 * thick + n.dot(base.position) + reach_along(part, at, -n);
    tally["met"] += depth > -1e-6 * size ? 1 : 0;
    if (!watched.certified()) break;
    const std::vector<PlacedShape>& shapes = simulation.model().shapes;
    const double yielding = soft ? shapes[0].layer_depth + shapes[1].layer_depth : 0.0;
    const double bound = yielding + report.overlap + 1e-9 * (size + thick);
    EXPECT_LE(depth, bound) << "step " << simulation.state().step << ", thick " << thick;
    EXPECT_GT(n.dot(at.position - base.position) + part.support(at.rotation.conjugate() * n), 0.0);
    if (tally.failed()) return;
  }
  tally["diverged"] += simulation.diverged() ? 1 : 0;
  tally[kind == 0 ? "free shelves" : kind == 1 ? "driven shelves" : "fixed shelves"] += 1;
}

// Parts that fall into a bin, thin and thick, light and heavy.
void sweep_piles(Draw& draw, bool spatial, Tally& tally) {
  const std::string stepper = random_stepper(draw);
  const bool soft = stepper == "song-pang-kumar";
  std::string yaml = world(spatial) +
                     random_material(draw, draw.below(3) == 0 ? 0.0 : draw.between(0.0, 1.0),
                                     draw.below(4) == 0 ? draw.between(0.0, 1.0) : 0.0, soft) +
                     (draw.below(4) == 0 ? no_gravity(spatial) : "") +
                     "bodies:\n  bin: {freedom: fixed, shapes: [";
  yaml += fmt::format("{{{}: {{}}, material: m}}", half(spatial));
  for (int axis = 0; axis < (spatial ? 2 : 1); ++axis)
    for (const double side : {-1.0, 1.0}) {
      Vector3 n = Vector3::Zero();
      n[axis] = side;
      yaml += fmt::format(", {{{}: {{point: {}, normal: {}}}, material: m}}", half(spatial),
                          list(-0.12 * n, spatial), list(n, spatial));
    }
  yaml += "]}\n";
  const int count = spatial ? 3 + draw.below(6) : 4 + draw.below(8);
  std::vector<Part> parts;
  for (int i = 0; i < count; ++i) {
    const double size = draw.between(0.02, 0.08);
    parts.push_back(random_part(draw, spatial, size));
    Vector3 at = draw.between(0.0, 0.06) * random_direction(draw, spatial);
    at[spatial ? 2 : 1] = 0.06 + 0.1 * i;
    yaml += fmt::format(
        "  b{}: {{shapes: [{{{}, material: m, density: {}}}], position: {}, {}, {}, velocity: "
        "{}}}\n",
        i, parts.back().shape, decades(draw, 100.0, 8000.0), list(at, spatial),
        random_turn(draw, spatial), random_spin(draw, spatial, 10.0),
        list(draw.between(0.0, 2.0) * random_direction(draw, spatial), spatial));
  }
  yaml += fmt::format("run: {{step: {}, duration: {}, stepper: {}}}\n",
                      decades(draw, soft ? 5e-4 : 1e-3, 5e-3), spatial ? 0.4 : 0.5, stepper);
  SCOPED_TRACE(yaml);
  Simulation simulation = simulate(yaml);
  Watched watched(simulation, tally);
  double deepest = 0.0;  // of what a certified step leaves
  for (const PlacedShape& placed : simulation.model().shapes)
    if (std::isfinite(placed.half_thickness)) deepest = std::max(deepest, placed.half_thickness);
  deepest *= 0.25 * 1.5;
  while (!simulation.finished()) {
    const StepReport& report = watched.step(true);
    if (simulation.diverged() || !watched.certified()) break;
    double depth = 0.0;  // under the floor and behind the walls
    const Vector3 down = spatial ? Vector3(0, 0, -1) : Vector3(0, -1, 0);
    for (int i = 0; i < count; ++i) {
      const Pose& pose = simulation.state().poses[static_cast<std::size_t>(i) + 1];
      depth = std::max(depth, reach_along(parts[static_cast<std::size_t>(i)], pose, down));
      for (int axis = 0; axis < (spatial ? 2 : 1); ++axis)
        for (const double side : {-1.0, 1.0})
          depth = std::max(depth, reach_along(parts[static_cast<std::size_t>(i)], pose,
                                              side * Vector3::Unit(axis)) -
                                      0.12);
    }
    if (soft) {
      const double unexplained = unexplained_in_bin(simulation, parts, spatial);
      EXPECT_LE(unexplained, 0.05 + 1e-6) << "step " << simulation.state().step;
      tally["soft and deep"] += depth > 0.0 ? 1 : 0;
    } else {
      EXPECT_LE(depth, report.overlap + 1e-9);
      EXPECT_LE(depth, deepest) << "step " << simulation.state().step;
    }
    if (tally.failed()) return;
  }
  tally["diverged"] += simulation.diverged() ? 1 : 0;
}

}  // namespace vinci::test
