// SPDX-License-Identifier: Apache-2.0
// The keys of signals.
#include "vinci/scene/scene_signals.h"
#include "vinci/scene/scene_values.h"

namespace vinci {
namespace {

using namespace scene_values;

// What only the reader of signals can take apart, for its names.
SceneValue signal_text() {
  return SceneValue{Kind::anything, "an expression of signals, coordinates, parameters and t"};
}

SceneValue signal_entries() {
  return either(
      "an expression of signals, coordinates, parameters and t, or a list of such",
      {signal_text(), list("a list of expressions", signal_text(), 1, max_signal_length)});
}

SceneValue terms(const std::string& text) {
  return list(text, signal_text(), 1, max_signal_length);
}

// A number, a list of numbers, or rows of them.
SceneValue matrix() {
  const SceneValue row = list("a row of numbers", number("a number"), 1, max_signal_length);
  return either(
      "a number, a list of numbers, or a list of rows",
      {number("a number"), list("a list of numbers or of rows",
                                either("a number or a row of numbers", {number("a number"), row}),
                                1, max_signal_length)});
}

SceneValue polynomial() {
  return list("coefficients, highest power first", number("a number"), 1, max_signal_length);
}

SceneValue zero_and_pole() {
  return map("{gain: k, zero: z, pole: p}",
             {{"gain", "k of k (s - z)/(s - p); 1 if not given.", number("a number")},
              {"zero", "z, in 1/s.", number("a number in 1/s"), true},
              {"pole", "p, in 1/s.", number("a number in 1/s"), true}});
}

SceneValue system_matrices() {
  return map("{a: [[...]], b: [...], c: [...], d: 0}",
             {{"a", "A of x' = A x + B u, rows of numbers.", matrix(), true},
              {"b", "B, rows of numbers; a list is a column.", matrix(), true},
              {"c", "C of y = C x + D u, rows of numbers; a list is one row.", matrix(), true},
              {"d", "D, rows of numbers; 0 if not given.", matrix()}});
}

SceneValue observer() {
  SceneValue value = system_matrices();
  value.text = "{a: [[...]], b: [...], c: [...], feedback: [...], gain: [...]}";
  value.keys.push_back({"feedback", "K of u = -K x + N r; a list is one row.", matrix(), true});
  value.keys.push_back(
      {"gain", "L, by which what is measured corrects x; a list is a column.", matrix(), true});
  value.keys.push_back({"reference", "What u = N r follows, a signal.", signal_entries()});
  value.keys.push_back({"reference-gain", "N; 1 if not given.", matrix()});
  return value;
}

SceneValue pid() {
  return map(
      "{proportional: 10, integral: 2, derivative: 1, filter: 10 ms}",
      {{"proportional", "K_p; 0 if not given.", number("a number")},
       {"integral", "K_i, 1/s; 0 if not given.", number("a number")},
       {"derivative", "K_d, in s; 0 if not given.", number("a number")},
       {"filter", "Time constant of the derivative, in s.", positive("s")},
       {"limits",
        "Largest |output|, or [lower, upper]; the integral does not grow beyond. For sampled ones.",
        either("a number or [lower, upper]",
               {positive("the unit of the output"), numbers("[lower, upper]", 2)})}});
}

SceneValue bounds(const std::string& low, const std::string& high, const SceneValue& one,
                  const std::string& text) {
  return either(text, {one, map(text, {{low, "The lower one; none if not given.", one},
                                       {high, "The upper one; none if not given.", one}})});
}

void add_digital_keys(std::vector<SceneKey>& keys) {
  keys.push_back({"proportional", "kp(k), 0 or more, in 1/s².", signal_entries(), true});
  keys.push_back({"derivative", "kd(k), in 1/s.", signal_entries(), true});
  keys.push_back({"filter", "Time constant of the derivative of what is measured, in s.",
                  positive("s"), true});
  keys.push_back({"reference",
                  "r(k). Of a signal of the kinds reference and trajectory r' and r'' are taken "
                  "as well.",
                  signal_entries(), true});
  keys.push_back({"rate", "r'(k); 0 if neither given nor known.", signal_entries()});
  keys.push_back({"acceleration", "r''(k); 0 if neither given nor known.", signal_entries()});
  keys.push_back({"force", "f(k), added to u; 0 if not given.", signal_entries()});
}

SceneValue digital_pd() {
  SceneValue value =
      map("{proportional: kp, derivative: kd, filter: 10 ms, measured: y, reference: r}", {});
  add_digital_keys(value.keys);
  value.keys.push_back({"measured", "y(k).", signal_entries(), true});
  return value;
}

SceneValue task_pd(World world) {
  SceneValue value = map(
      "{tip: hand, robot: arm, proportional: kp, derivative: kd, filter: 10 ms, reference: r}",
      {tip_key(world),
       {"axes", "Axes of the world along which the tip is led; all if not given.",
        list("a list of axes", choice({"x", "y", "z"}), 1, 3)},
       {"robot", "A robot of the scene: its joints lead the tip.",
        word("the name of a robot, with which the names of its joints begin")},
       {"joints", "The joints that lead the tip; all of the robot, or of the scene, if not given.",
        list("a list of joints", word("the name of a joint"), 1, max_joints_of_a_tip)},
       {"limits",
        "Largest effort in N or N m, one for all or one per joint; `largest-effort` of the "
        "joints if not given.",
        either("a positive number, or a list of one per joint",
               {positive("N or N m"), list("a list of positive numbers", positive("N or N m"), 1,
                                           max_joints_of_a_tip)})}});
  add_digital_keys(value.keys);
  return value;
}

SceneValue limits_of_moves() {
  const auto one = [](const std::string& unit) {
    return either(
        "a positive number in " + unit + ", or a list of one per entry",
        {positive(unit), list("a list of positive numbers", positive(unit), 1, max_signal_length)});
  };
  return map("{velocity: ..., acceleration: ..., jerk: ...}",
             {{"velocity", "Largest rate.", one("1/s")},
              {"acceleration", "That which reaches the velocity in 1 s if not given.", one("1/s²")},
              {"jerk", "That which reaches the acceleration in 0.1 s if not given.", one("1/s³")}});
}

SceneValue place_of_reference() {
  return either(
      "a number, or a list of them",
      {number("a number"), list("a list of numbers", number("a number"), 1, max_signal_length)});
}

SceneValue reference() {
  SceneValue spline =
      map("{points: [...], times: [...], kind: cubic}",
          {{"points", "Where to go, one after the other.",
            list("a list of places", place_of_reference(), 1, max_path_pieces), true},
           {"times",
            "When it is there, from the start of the piece; as fast as the limits allow if not "
            "given.",
            list("a list of times in s", positive("s"), 1, max_path_pieces)},
           {"kind", "cubic if not given.", choice({"cubic", "quintic"})}});
  SceneValue piece =
      map("{move: ...}, {spline: {points: [...]}} or {wait: 1 s}",
          {{"move", "Where to go straight, from rest to rest.", place_of_reference()},
           {"spline", "Through points by a spline.", std::move(spline)},
           {"wait", "Time to stand still, in s.", within("a time in s, 0 or more", 0.0, infinity)},
           {"limits", "Limits of this piece, over those of the reference.", limits_of_moves()}});
  piece.one_of = {{"move", "spline", "wait"}};
  return map("{from: 0, path: [{move: 1}], limits: {velocity: 1}}",
             {{"from", "Where it begins; 0 if not given.", place_of_reference()},
              {"start", "When it begins; 0 s if not given.",
               within("a time in s, 0 or more", 0.0, infinity)},
              {"path", "Its pieces, each from rest to rest.",
               list("a list of pieces", std::move(piece), 1, max_path_pieces), true},
              {"limits", "Limits of velocity, acceleration and jerk.", limits_of_moves()}});
}

SceneValue signal(World world) {
  const SceneValue rate = positive("1/s");
  SceneValue value = map(
      "a signal, as in {lead: {gain: 2, zero: -1, pole: -10}, in: ball.x}",
      {{"expression", "A function of other signals.", signal_entries()},
       {"gain", "K of K u.", matrix()},
       {"sum", "The sum of these; with signs, as in [r, -ball.x].", terms("a list of terms")},
       {"product", "The product of these.", terms("a list of factors")},
       {"transfer-function", "Numerator over denominator, of s, or of z where it is sampled.",
        map("{numerator: [...], denominator: [...]}",
            {{"numerator", "Coefficients, highest power first.", polynomial(), true},
             {"denominator", "Coefficients, highest power first.", polynomial(), true}})},
       {"state-space", "x' = A x + B u or x(k+1) = A x(k) + B u(k), y = C x + D u.",
        system_matrices()},
       {"pid", "K_p e + K_i times the integral of e + K_d times its filtered derivative.", pid()},
       {"lead", "k (s - z)/(s - p), p left of z.", zero_and_pole()},
       {"lag", "k (s - z)/(s - p), p right of z.", zero_and_pole()},
       {"saturation", "The input within limits: {lower: ..., upper: ...}, or one for both sides.",
        bounds("lower", "upper", number("a number"), "a number, or {lower: -1, upper: 2}")},
       {"rate-limit",
        "The input no faster than this, 1/s: {falling: ..., rising: ...}, or one for both ways. "
        "Sampled.",
        bounds("falling", "rising", rate, "a positive number, or {falling: 1, rising: 2}")},
       {"hold", "What is held from sample to sample.", signal_entries()},
       {"delay", "The input of a whole number of samples ago, in s. Sampled.",
        within("a time in s, 0 or more", 0.0, infinity)},
       {"observer", "-K x + N r, x observed from what is measured (`in`).", observer()},
       {"digital-pd", "u = kp (r - y) + kd (r' - y') + r'' + f, sampled.", digital_pd()},
       {"task-pd",
        "The same in coordinates of a tip, whose joints it drives; gravity is compensated. "
        "Sampled.",
        task_pd(world)},
       {"reference", "A way through time within limits of velocity, acceleration and jerk.",
        reference()},
       {"trajectory", "The coordinates of a trajectory.",
        word("the name of a trajectory", Reference::trajectory)},
       {"input", "A signal from outside, for linear systems; its value otherwise.",
        place_of_reference()},
       {"in", "What goes in.", signal_entries()},
       {"sample", "Time between samples, in s.", positive("s")},
       {"drives",
        "The force that it is, or a list of one per entry: JOINT.effort, BODY.force_x, ...",
        either("the name of a force, or a list of names",
               {word("the name of a force"),
                list("a list of names of forces", word("the name of a force"), 1,
                     max_signal_length)})}});
  value.one_of.emplace_back();
  for (const SceneKey& key : value.keys)
    if (key.name != "in" && key.name != "sample" && key.name != "drives")
      value.one_of.back().push_back(key.name);
  return value;
}

}  // namespace

SceneKey signal_section(World world) {
  SceneValue value = names(
      "signals by name",
      either("an expression, a list of expressions, or a map",
             {signal_text(), list("a list of expressions", signal_text(), 1, max_signal_length),
              signal(world)}));
  value.naming = SceneValue::Naming::identifier;
  value.most = max_signals;
  return {signals_name, "Signals by name, from coordinates to forces.", std::move(value)};
}

}  // namespace vinci
