// SPDX-License-Identifier: Apache-2.0
// The table of scene keys; see scene_grammar.h.
#include "vinci/scene/scene_grammar.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "vinci/elements/builtin.h"
#include "vinci/geometry/build.h"
#include "vinci/geometry/triangle_mesh.h"
#include "vinci/model/run_options.h"
#include "vinci/scene/scene_constraints.h"
#include "vinci/scene/scene_control.h"
#include "vinci/scene/scene_joints.h"
#include "vinci/scene/scene_stabilisation.h"
#include "vinci/scene/scene_values.h"

namespace vinci {

SceneValue::SceneValue(Kind kind_, std::string text_) : kind(kind_), text(std::move(text_)) {}

const SceneKey* SceneValue::find(const std::string& name) const {
  for (const SceneKey& key : keys)
    if (key.name == name) return &key;
  return nullptr;
}

bool names_plugin(const std::string& run_key) {
  static const std::array<std::string, 4> plugins{"stepper", "detector", "solver", "impact-law"};
  return std::find(plugins.begin(), plugins.end(), run_key) != plugins.end();
}

namespace {

using namespace scene_values;

// `circle: r` or `circle: {radius: r}`.
SceneValue round_shape(const std::string& kind) {
  return either(
      fmt::format("a radius in m, as in `{}: 0.1` or `{}: {{radius: 0.1}}`", kind, kind),
      {positive("m"), map("{radius: r}", {{"radius", "Radius in m.", positive("m"), true}})});
}

SceneValue capsule(World world) {
  SceneValue value =
      map("{length: l, radius: r} or {from: p, to: p, radius: r}",
          {{"length",
            world == World::planar
                ? "Distance in m of the centres of the round ends; the axis lies along x."
                : "Distance in m of the centres of the round ends; the axis lies along z.",
            positive("m")},
           {"from", "Centre of one round end.", vector(world, "m")},
           {"to", "Centre of the other round end.", vector(world, "m")},
           {"radius", "Radius in m.", positive("m"), true}});
  value.one_of = {{"length", "from"}};
  value.together = {{"from", "to"}};
  return value;
}

SceneValue half(World world) {
  SceneValue value = map("{}, {angle: a} or {point: p, normal: n}", {});
  if (world == World::planar)
    value.keys.push_back({"angle", "Slope of the surface against the x axis.", number(angle_text)});
  else
    value.text = "{} or {point: p, normal: n}";
  value.keys.push_back({"point", "A point of the surface.", vector(world, "m")});
  value.keys.push_back(
      {"normal", "Outward normal of the surface, of any length but zero.", vector(world, "")});
  if (world == World::planar) value.clashes = {{"angle", "normal"}};
  return value;
}

SceneValue points(World world, std::size_t least, std::size_t most) {
  return list(fmt::format("a list of {} to {} points", least, most), vector(world, "m"), least,
              most);
}

SceneValue superellipse() {
  return map(
      "{axes: [a, b], exponent: n}",
      {{"axes", "Semi-axes a and b in m: the shape reaches from -a to a and from -b to b.",
        numbers("[a, b] in m", 2, positive("m")), true},
       {"exponent",
        "Exponent n of |x/a|^n + |y/b|^n <= 1: 1 is a rhombus, 2 an ellipse, large ones are "
        "nearly boxes.",
        within(fmt::format("a number from 1 (a rhombus; below it the shape is not convex) over "
                           "2 (an ellipse) to {:g} (nearly a box)",
                           max_superellipse_exponent),
               1.0, max_superellipse_exponent),
        true}});
}

SceneValue superquadric() {
  const auto roundness = [] {
    return within(fmt::format("a number from {:g} (flat, with sharp edges) over 1 (round) to 2 "
                              "(straight to an edge between; above it the shape is not convex)",
                              min_superquadric_exponent),
                  min_superquadric_exponent, 2.0);
  };
  return map("{axes: [a, b, c], e1: e, e2: e}",
             {{"axes", "Semi-axes a, b and c in m: the shape reaches from -a to a, and so on.",
               numbers("[a, b, c] in m", 3, positive("m")), true},
              {"e1", "Exponent from pole to pole along z: 1 is round, small ones are nearly flat.",
               roundness(), true},
              {"e2", "Exponent around the z axis: 1 is round, small ones are nearly square.",
               roundness(), true}});
}

SceneValue implicit() {
  return map(
      "{function: f} or {function: f, inside: [x, y]}",
      {{"function", "Function of x and y that is negative inside the body and 0 on its curve.",
        function("an expression of x and y, negative inside, as in x^2 + 2*y^2 - 0.01",
                 Variables::plane),
        true},
       {"inside", "A point of the body; searched for from the origin if not given.",
        vector(World::planar, "m")}});
}

SceneValue polyhedron() {
  return either("a list of points, or {file: part.obj, scale: 0.001}",
                {points(World::spatial, 4, max_hull_points),
                 map("{file: part.obj, scale: 0.001}",
                     {{"file", "OBJ or STL file, relative to the scene file.",
                       word("the name of an OBJ or STL file"), true},
                      {"scale", "Metres per unit of the file.", positive("m per unit")}})});
}

SceneValue mesh() {
  SceneValue value = map(
      "{file: part.obj, scale: 0.001} or {vertices: [...], triangles: [...]}",
      {{"file", "OBJ or STL file, relative to the scene file.",
        word("the name of an OBJ or STL file")},
       {"scale", "Metres per unit of the file.", positive("m per unit")},
       {"vertices", "Corners of the triangles, in m.", points(World::spatial, 3, max_hull_points)},
       {"triangles", "Three vertices each, counted from 0, counter-clockwise seen from outside.",
        list("a list of [i, j, k]",
             numbers("[i, j, k], vertices counted from 0", 3,
                     whole("a vertex, counted from 0", 0.0)),
             1)}});
  value.one_of = {{"file", "vertices"}};
  value.together = {{"vertices", "triangles"}};
  value.clashes = {{"scale", "vertices"}};
  return value;
}

SceneValue height_field() {
  SceneValue row = either("a row of heights in m, as a list or as one text",
                          {list("a list of heights in m", number("a height in m"), 2, max_heights),
                           word("heights in m, with blanks between them")});
  SceneValue value = map(
      "{size: [a, b], heights: [[...], ...]}, {size: [a, b], file: ground.txt} or {size: [a, b], "
      "function: f, points: [m, n]}",
      {{"size", "Whole lengths along x and y; the middle is the shape's origin.",
        numbers("[a, b] in m", 2, positive("m")), true},
       {"heights", "Rows of heights along x, the first row at the least y.",
        list("a list of rows of the same length", std::move(row), 2, max_heights)},
       {"file", "Text file of rows of heights, relative to the scene file.",
        word("the name of a text file")},
       {"function", "Height as a function of x and y.",
        function("an expression of x and y, as in 0.1*sin(3*x)", Variables::plane)},
       {"points", "How many heights of the function are taken along x and y.",
        numbers("[m, n], at least 2 each", 2, whole("a whole number, at least 2", 2.0))}});
  value.one_of = {{"heights", "file", "function"}};
  value.together = {{"function", "points"}};
  return value;
}

std::vector<SceneKey> shape_kinds(World world) {
  if (world == World::planar)
    return {{"circle", "Disk about the shape's origin: its radius.", round_shape("circle")},
            {"polygon", "Corners of a simple polygon, convex or not, in order.",
             points(world, 3, max_polygon_vertices)},
            {"box", "Rectangle about the shape's origin: full width and height.",
             numbers("[width, height] in m", 2, positive("m"))},
            {"capsule", "All points within a radius of a segment.", capsule(world)},
            {"superellipse", "|x/a|^n + |y/b|^n <= 1 about the shape's origin.", superellipse()},
            {"implicit", "The convex set where a function of x and y is negative.", implicit()},
            {"half-plane", "Everything below a line; by default below the x axis.", half(world)}};
  return {{"sphere", "Ball about the shape's origin: its radius.", round_shape("sphere")},
          {"box", "Box about the shape's origin: full lengths along x, y and z.",
           numbers("[a, b, c] in m", 3, positive("m"))},
          {"capsule", "All points within a radius of a segment.", capsule(world)},
          {"cylinder", "Cylinder about the shape's origin, axis along z.",
           map("{radius: r, height: h}", {{"radius", "Radius in m.", positive("m"), true},
                                          {"height", "Full height in m.", positive("m"), true}})},
          {"polyhedron", "Convex hull of points, or of the vertices of a mesh file.", polyhedron()},
          {"mesh", "Surface of triangles, convex or not: closed, or open as fixed ground.", mesh()},
          {"height-field", "Fixed ground below the heights of a grid.", height_field()},
          {"superquadric",
           "(|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) <= 1 about the shape's origin.",
           superquadric()},
          {"half-space", "Everything below a plane; by default below the x-y plane.", half(world)}};
}

// Placement of a body or shape in its parent frame.
void add_placement(World world, const std::string& parent, std::vector<SceneKey>& keys) {
  keys.push_back({"position", "Origin in the frame of the " + parent + ".", vector(world, "m")});
  if (world == World::planar)
    keys.push_back({"angle", "Angle about z against the " + parent + ".", number(angle_text)});
  else
    keys.push_back({"rotation", "Orientation against the " + parent + ".", rotation_value()});
}

SceneValue shape(World world) {
  SceneValue value = map("a shape, as in {box: ..., material: wood}", shape_kinds(world));
  std::vector<std::string> kinds;
  for (const SceneKey& key : value.keys) kinds.push_back(key.name);
  value.one_of = {kinds};
  value.other_world =
      world == World::planar
          ? std::vector<std::string>{"sphere",       "cylinder",     "polyhedron", "mesh",
                                     "height-field", "superquadric", "half-space", "rotation"}
          : std::vector<std::string>{"circle",   "polygon",    "superellipse",
                                     "implicit", "half-plane", "angle"};
  value.keys.push_back({"material", "A name from `materials`; without it, `default`.",
                        word("the name of a material", Reference::material)});
  const std::string unit = world == World::planar ? "kg/m²" : "kg/m³";
  value.keys.push_back({"density", "Density in " + unit + "; 1000 if not given.",
                        within("a number in " + unit + ", 0 or more", 0.0, infinity)});
  const SceneValue speed =
      function("a speed in m/s, as a number or an expression of t", Variables::time);
  value.keys.push_back({"surface-velocity",
                        "Velocity at which the surface runs over the shape, as that of a belt, "
                        "along the axes of the "
                        "shape; what is normal to a contact does not count.",
                        world == World::planar ? numbers("[vx, vy] in m/s", 2, speed)
                                               : numbers("[vx, vy, vz] in m/s", 3, speed)});
  add_placement(world, "body", value.keys);
  return value;
}

SceneValue motion(World world) {
  const SceneValue length =
      function("a length in m, as a number or an expression of t", Variables::time);
  const SceneValue turn =
      function("an angle in rad, as a number or an expression of t", Variables::time);
  std::vector<SceneKey> keys{{"x", "Position along x at time t.", length},
                             {"y", "Position along y at time t.", length}};
  if (world == World::planar) {
    keys.push_back({"angle", "Angle at time t.", turn});
  } else {
    keys.push_back({"z", "Position along z at time t.", length});
    keys.push_back({"roll", "Angle about x at time t; R = Rz(yaw) Ry(pitch) Rx(roll).", turn});
    keys.push_back({"pitch", "Angle about y at time t.", turn});
    keys.push_back({"yaw", "Angle about z at time t.", turn});
  }
  return map("coordinates and their expressions of t, as in {x: 0.2*sin(5*t)}", std::move(keys));
}

SceneValue force(World world) {
  const SceneValue push =
      function("a force in N, as a number or an expression of t, q and v", Variables::state);
  const SceneValue turn =
      function("a torque in N m, as a number or an expression of t, q and v", Variables::state);
  std::vector<SceneKey> keys{{"x", "Force along x at the centre of mass.", push},
                             {"y", "Force along y at the centre of mass.", push}};
  if (world == World::planar) {
    keys.push_back({"torque", "Torque about z.", turn});
  } else {
    keys.push_back({"z", "Force along z at the centre of mass.", push});
    keys.push_back({"torque-x", "Torque about the world's x axis.", turn});
    keys.push_back({"torque-y", "Torque about the world's y axis.", turn});
    keys.push_back({"torque-z", "Torque about the world's z axis.", turn});
  }
  return map("coordinates and their forces, as in {x: -10*q - v}", std::move(keys));
}

SceneValue pose(World world) {
  const bool planar = world == World::planar;
  return map(planar ? "{on: body, at: s}" : "{on: body, at: [s, t]}",
             {{"on",
               planar ? "The body with the half-plane to stand on."
                      : "The body with the half-space to stand on.",
               word("the name of a body", Reference::body), true},
              {"at",
               planar ? "Place along the surface, from its origin, of the body's origin."
                      : "Place along the surface's own x and y of the body's origin.",
               planar ? number("a length in m") : numbers("[s, t] in m", 2), true},
              {"height", "Gap between the surface and the body's lowest point; 0 if not given.",
               number("a length in m")}});
}

SceneValue inertia(World world) {
  if (world == World::planar) return positive("kg m²");
  const SceneValue row = numbers("three numbers", 3);
  return list("[Ixx, Iyy, Izz] or a 3×3 list, in kg m²",
              either("a number, or a row of three", {number("a number in kg m²"), row}), 3, 3);
}

// What a body in the plane lies on.
SceneValue supports() {
  const SceneValue points_on_table = points(World::planar, 1, max_supports);
  const SceneValue coefficient = within("a number, 0 or more", 0.0, infinity);
  SceneValue value = map(
      "{points: [[x, y], ...], loads: [...]} or {patch: spacing, pressure: ...}",
      {{"points", "Where the body touches the table, in its frame.", points_on_table},
       {"loads",
        "Load in N of every point; without it those of equal springs under the weight, which are "
        "those of equilibrium for three points.",
        list("a list of numbers in N, 0 or more", within("a number in N, 0 or more", 0.0, infinity),
             1, max_supports)},
       {"patch",
        "The body lies on all of its shapes, sampled on a square grid of this spacing in m.",
        positive("m")},
       {"pressure",
        "Pressure in Pa of the patch, an expression of x and y in the body's frame; without it the "
        "weight is spread evenly.",
        word("a pressure in Pa, as a number or an expression of x and y")},
       {"friction", "Coulomb coefficient, over that of the table: of all points, or of each.",
        either("a number, 0 or more, or a list with one per point",
               {coefficient, list("a list of numbers, 0 or more", coefficient, 1, max_supports)})},
       {"viscosity",
        "Viscous coefficient in N s/m of every point, over that of the table: the force -c v.",
        within("a number in N s/m, 0 or more", 0.0, infinity)}});
  value.one_of = {{"points", "patch"}};
  value.clashes = {{"loads", "patch"}, {"pressure", "points"}};
  return either("a list of points, or {points: ..., loads: ...}, or {patch: spacing}",
                {points_on_table, std::move(value)});
}

SceneValue table() {
  return map(
      "{gravity: 9.81, friction: ..., viscosity: ...}",
      {{"gravity", "Acceleration in m/s² that presses bodies on the table; 9.81 if not given.",
        within("a number in m/s², 0 or more", 0.0, infinity)},
       {"friction", "Coulomb coefficient of the supports; 0 if not given.",
        within("a number, 0 or more", 0.0, infinity)},
       {"viscosity", "Viscous coefficient in N s/m of every support; 0 if not given.",
        within("a number in N s/m, 0 or more", 0.0, infinity)}});
}

SceneValue body(World world) {
  const bool planar = world == World::planar;
  std::vector<SceneKey> keys{
      {"freedom",
       planar ? "How the body may move: fixed, or planar (the default)."
              : "How the body may move: fixed, planar (in x-y, about z), or spatial (the default).",
       planar ? choice({"fixed", "planar"}) : choice({"fixed", "planar", "spatial"})},
      {"shapes", "The shapes that make up the body, each with its own material and offset.",
       list("a list of shapes, as in [{box: ..., material: wood}]", shape(world))},
      {"mass", "Mass in kg, in place of that from density; scales the inertia along.",
       positive("kg")},
      {"inertia", "Inertia about the centre of mass in kg m², in place of that from density.",
       inertia(world)},
      {"center", "Centre of mass in the body's frame, in place of that from density.",
       vector(world, "m")}};
  if (!planar)
    keys.push_back({"inertia-check",
                    "Whether `inertia` has to be that of a body (physical, the default), or only "
                    "positive definite, as some published ones are.",
                    choice({"physical", "definite"})});
  add_placement(world, "world", keys);
  keys.push_back({"pose", "Stands the body on the surface of another.", pose(world)});
  keys.push_back(
      {"velocity", "Initial velocity of the centre of mass, world axes.", vector(world, "m/s")});
  keys.push_back({"spin", "Initial angular velocity, world axes.",
                  planar ? number("a number in rad/s") : vector(world, "rad/s")});
  keys.push_back({"motion", "Coordinates prescribed as functions of time.", motion(world)});
  keys.push_back({"force", "Forces on coordinates that are not prescribed.", force(world)});
  if (planar)
    keys.push_back(
        {"supports",
         "Points on which the body lies on the table, which rub there: three of them, or "
         "more, or a patch.",
         supports()});
  SceneValue value = map("a body, as in {shapes: [...], position: [...]}", std::move(keys));
  value.clashes = {{"position", "pose"}};
  value.other_world =
      planar ? std::vector<std::string>{"rotation"} : std::vector<std::string>{"angle", "supports"};
  return value;
}

// One coefficient of friction.
SceneValue coefficient() {
  SceneValue value =
      within("a number from 0 to 1000, or an expression of speed, x, y, z and t", 0.0, 1000.0);
  value.variables = Variables::friction;
  return value;
}

// One number, or in space two.
SceneValue directed(World world, SceneValue anisotropic) {
  if (world == World::planar) return coefficient();
  return either(
      "a number from 0 to 1000, an expression of speed, x, y, z and t, or " + anisotropic.text,
      {coefficient(), std::move(anisotropic)});
}

SceneKey along_key() {
  return {"along", "Coefficient along the axis.", coefficient(), true};
}
SceneKey across_key() {
  return {"across", "Coefficient across it.", coefficient(), true};
}

// The keys of friction, of a material or of a pair of them.
std::vector<SceneKey> friction_keys(World world, bool pair) {
  SceneValue ellipse =
      map("{along: ..., across: ..., axis: [x, y, z]}",
          {along_key(),
           across_key(),
           {"axis",
            pair ? "Axis of the ellipse, of any length but zero, in the frame of the body that "
                   "has the material `of`; of the world without it."
                 : "Axis of the ellipse, of any length but zero, in the frame of the body that "
                   "has the material.",
            vector(world, ""), true}});
  std::vector<SceneKey> keys{
      {"friction",
       pair ? "Coulomb coefficient of the pair; x, y and z are of the world, or of the body that "
              "has the material `of`."
            : "Coulomb coefficient, 0 if not given; x, y and z are in the frame of the body that "
              "has the material.",
       directed(world, std::move(ellipse))},
      {"kinetic-friction",
       "Coefficient where surfaces slide faster than the threshold speed; that of `friction` if "
       "not given.",
       directed(world, map("{along: ..., across: ...}", {along_key(), across_key()}))},
      {"threshold-speed",
       "Sliding speed in m/s up to which `friction` holds, and `kinetic-friction` above it; 0 if "
       "not given.",
       within("a number in m/s, 0 or more", 0.0, infinity)}};
  if (pair)
    keys.push_back({"of",
                    "The one of the two materials to whose body the axis of `friction` and the "
                    "place x, y, z belong.",
                    word("the name of a material", Reference::material)});
  return keys;
}

// The keys of moments at contacts, of a material or of a pair of them.
std::vector<SceneKey> moment_keys(World world) {
  const auto arm = [] { return within("a number in m, 0 or more", 0.0, infinity); };
  std::vector<SceneKey> keys{
      {"rolling-friction",
       "Largest moment against rolling over the normal force, in m; 0 if not given.", arm()}};
  if (world == World::planar) return keys;
  keys.push_back({"torsional-friction",
                  "Largest moment about the normal over the normal force, in m; 0 if not given.",
                  arm()});
  keys.push_back(
      {"patch",
       "Round patch in which friction and the moment about the normal share one limit, the "
       "ellipsoid of its limit surface, instead of `torsional-friction`.",
       map("{radius: r, pressure: uniform}",
           {{"radius", "Radius of the patch in m.", positive("m"), true},
            {"pressure",
             "How pressure is spread: uniform (if not given), hertz, ring, or a list of pressures "
             "at equal distances from the centre to the rim.",
             either("'uniform', 'hertz', 'ring' or a list of two or more pressures",
                    {choice({"uniform", "hertz", "ring"}),
                     list("two or more pressures", within("a number, 0 or more", 0.0, infinity), 2,
                          1000)})}})});
  return keys;
}

const SceneValue& restitution() {
  static const SceneValue value = within("a number from 0 to 1", 0.0, 1.0);
  return value;
}

// A section of elements: what they hold, and the options of their kind.
SceneValue elements(World world, const ElementKind& kind) {
  SceneValue one = map(
      "{between: [body, body], at: [point, point], ...}",
      {{"between", "The two bodies, or `world` for a point that stands still.", pair_of_anchors(),
        true},
       {"at",
        "The points that it holds, in the frames of the two bodies; their origins if not given.",
        numbers("[point, point]", 2, vector(world, "m"))}});
  for (const OptionSpec& spec : kind.options.specs())
    one.keys.push_back(
        {spec.name, spec.text,
         within(fmt::format("{} in {}", accepted(spec), spec.unit), spec.lower, spec.upper)});
  SceneValue all = names(kind.section + " by name", std::move(one));
  all.most = max_elements;
  return all;
}

SceneValue run() {
  SceneValue value = map("the choices of the run, as in {step: 1 ms, duration: 2 s}", {});
  for (const OptionSpec& spec : run_option_table().specs()) {
    SceneKey key{spec.name, spec.text, number(accepted(spec))};
    if (names_plugin(spec.name)) {
      const std::string name =
          fmt::format("the name of {} {}", spec.name == "impact-law" ? "an" : "a", spec.name);
      SceneValue plugin = map("{name: ..., option: value}",
                              {{"name", "Name of the " + spec.name + ".", word(name), true}});
      plugin.open = true;
      key.value = either(name + ", or {name: ..., option: value}", {word(name), std::move(plugin)});
    } else if (std::holds_alternative<std::string>(spec.fallback)) {
      key.value = spec.choices.empty() ? word(accepted(spec)) : choice(spec.choices);
    } else if (std::holds_alternative<bool>(spec.fallback)) {
      key.value = choice({"true", "false"});
    } else {
      key.value.lower = spec.lower;
      key.value.upper = spec.upper;
      key.value.whole = std::holds_alternative<long>(spec.fallback);
    }
    value.keys.push_back(std::move(key));
  }
  return value;
}

SceneValue build(World world) {
  const SceneValue pair_of_bodies =
      numbers("[body, body]", 2, word("the name of a body", Reference::body));
  SceneValue parameters = names("names and their values, as in {mu: 0.3, slope: 20 deg}",
                                number("a number, or an expression of other parameters"));
  parameters.naming = SceneValue::Naming::identifier;
  parameters.most = max_parameters;
  SceneValue set = names("parameters and their new values, as in {mu: 0.1}", number("a number"));
  set.reference = Reference::parameter;
  SceneValue surface =
      map("{between: [material, material], friction: ..., restitution: ...}",
          {{"between", "The two materials, which may be the same.",
            numbers("[material, material]", 2, word("the name of a material", Reference::material)),
            true},
           {"restitution", "Newton coefficient of the pair.", restitution()}});
  for (SceneKey& key : friction_keys(world, true)) surface.keys.push_back(std::move(key));
  for (SceneKey& key : moment_keys(world)) surface.keys.push_back(std::move(key));
  for (SceneKey& key : impact_keys()) surface.keys.push_back(std::move(key));
  SceneValue meshes = names("points by file name", points(World::spatial, 4, max_hull_vertices));
  meshes.naming = SceneValue::Naming::free;
  const SceneValue texts = list("a list of texts", word("numbers with blanks between them"), 1);
  SceneValue mesh_triangles =
      names("vertices and triangles by file name",
            map("{vertices: [...], triangles: [...]}",
                {{"vertices", "Coordinates of the vertices.", texts, true},
                 {"triangles", "Three vertices of each triangle, counted from 0.", texts, true}}));
  mesh_triangles.naming = SceneValue::Naming::free;
  SceneValue materials =
      names("materials by name, as in {wood: {friction: 0.4}}",
            map("{friction: ..., restitution: ..., stiffness: ...}",
                {{"restitution", "Newton coefficient; 0 if not given.", restitution()},
                 {"stiffness",
                  "Stiffness in N/m of the material's visco-elastic layer at a contact, for the "
                  "stepper song-pang-kumar; rigid if not given.",
                  positive("N/m")},
                 {"damping", "Damping in N s/m of the layer; 0 if not given.",
                  within("a number in N s/m, 0 or more", 0.0, infinity)},
                 {"tangential-stiffness",
                  "Stiffness in N/m of the layer along the surface; that across it if not given.",
                  positive("N/m")},
                 {"tangential-damping",
                  "Damping in N s/m of the layer along the surface; if not given, as much that it "
                  "relaxes as fast as across it.",
                  within("a number in N s/m, 0 or more", 0.0, infinity)},
                 {"coupling-stiffness",
                  "Force in N along the surface for each metre across it, and the other way round; "
                  "0 if not given.",
                  number("a number in N/m")},
                 {"thickness",
                  "Depth in m of the layer, down to the rigid core under it; a quarter of the "
                  "shape's least thickness if not given.",
                  positive("m")}}));
  materials.most = max_materials;
  std::vector<SceneKey> rubs = friction_keys(world, false);
  for (SceneKey& key : moment_keys(world)) rubs.push_back(std::move(key));
  for (SceneKey& key : impact_keys()) rubs.push_back(std::move(key));
  materials.items[0].keys.insert(materials.items[0].keys.begin(),
                                 std::make_move_iterator(rubs.begin()),
                                 std::make_move_iterator(rubs.end()));
  SceneValue value =
      map("a scene",
          {{"title", "What the scene shows.", word("a text")},
           {"world", "Whether bodies move in the plane or in space.", choice({"planar", "spatial"}),
            true},
           {"include", "Other scene files whose parts belong to this scene, relative to this file.",
            either("a file name or a list of file names",
                   {word("the name of a scene file"),
                    list("a list of file names", word("the name of a scene file"))})},
           {"parameters", "Named numbers that may be used wherever a number stands.",
            std::move(parameters)},
           {"gravity", "Acceleration of gravity; 9.81 m/s² downwards if not given.",
            vector(world, "m/s²")},
           {"materials",
            "Materials by name. A pair of them has friction √(μa μb) and the larger restitution.",
            std::move(materials)},
           {"surfaces", "Pairs of materials with values of their own.",
            list("a list of {between: [material, material], friction: ...}", std::move(surface))},
           {"bodies", "The bodies by name.", names("bodies by name", body(world))},
           {"exclude", "Pairs of bodies that never touch.",
            list("a list of pairs, as in [[wheel, axle]]", pair_of_bodies)},
           {"changes", "Changes of parameters during the run, in the order of time.",
            list("a list of at most 1000 changes, as in [{at: 0.5 s, set: {mu: 0.1}}]",
                 map("{at: time, set: {parameter: value}}",
                     {{"at", "Time of the change in s.",
                       within("a time in s, 0 or more", 0.0, infinity), true},
                      {"set", "The parameters and their new values.", std::move(set), true}}),
                 0, 1000)},
           {"run", "How the scene is run; flags of `vinci run` win over it.", run()},
           {"meshes",
            "Points of mesh files by name, used in place of the files: recordings carry their "
            "meshes so.",
            std::move(meshes)},
           {"mesh-triangles",
            "Triangles of mesh files by name, used in place of the files: recordings carry their "
            "meshes so.",
            std::move(mesh_triangles)}});
  // Gone before a scene is checked: scene_robots.cpp looks at it.
  if (world == World::spatial)
    value.keys.push_back({"robots", "Robots by name, each from a model file.",
                          names("robots by name", SceneValue{Kind::unchecked, "a robot"})});
  for (const ElementKind& kind : element_kinds())
    value.keys.push_back({kind.section, kind.text, elements(world, kind)});
  for (SceneKey& key : joint_sections(world)) value.keys.push_back(std::move(key));
  for (SceneKey& key : control_sections(world)) value.keys.push_back(std::move(key));
  for (SceneKey& key : constraint_sections()) value.keys.push_back(std::move(key));
  if (world == World::planar)
    value.keys.push_back({"table",
                          "The plane of motion as a table that bodies with `supports` lie on. "
                          "Without `gravity` it is level: nothing pulls along it.",
                          table()});
  else
    value.other_world = {"table"};
  if (world == World::planar) value.other_world = {"robots"};
  return value;
}

}  // namespace

const SceneValue& scene_grammar(World world) {
  static const SceneValue planar = build(World::planar), spatial = build(World::spatial);
  return world == World::planar ? planar : spatial;
}

}  // namespace vinci
