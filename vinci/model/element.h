// SPDX-License-Identifier: Apache-2.0
// Elements: what acts between bodies besides contact, such as a spring. An element kind is one file
// in vinci/elements/: it reads its keys from the scene, gives the rows of its forces, and names the
// numbers that recordings keep of it. Nothing else in the house knows kinds.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vinci/base/options.h"
#include "vinci/model/model.h"
#include "vinci/model/state.h"

namespace vinci {

// Where an element holds a body.
struct Anchor {
  int body = -1;                    // index into Model::bodies; −1: the world
  Vector3 point = Vector3::Zero();  // in the body's frame, m
};

// World coordinates of an anchor, m; and its velocity, m/s.
Vector3 anchor_point(const Anchor& anchor, std::span<const Pose> poses);
Vector3 anchor_velocity(const Model& model, const Anchor& anchor, const State& state);

// One scalar row: a force along a line that pulls body b towards less `stretch`,
//   force = −stiffness · stretch − damping · d(stretch)/dt,
// with d(stretch)/dt the velocity of b against a along the axis. Both terms are taken at the end of
// the step.
struct ElementRow {
  int body_a = -1, body_b = -1;       // −1: the world
  Vector3 point_a = Vector3::Zero();  // world, m, where the force acts on a and on b
  Vector3 point_b = Vector3::Zero();
  Vector3 axis = Vector3::UnitX();  // world, unit
  double stretch = 0.0;             // m
  double stiffness = 0.0;           // N/m, >= 0
  double damping = 0.0;             // N s/m, >= 0; not both are zero
  // N/m, >= 0, across the axis: a pull along a line brings back what leaves the line sideways. It
  // counts where motion has no momentum; with momentum, forces along the line keep that.
  double sideways = 0.0;
};

// A number that is recorded of an element.
struct ElementColumn {
  const char* name;
  const char* unit;
  const char* text;
};

// What every element has.
struct ElementPlace {
  std::string name;
  Anchor a, b;
  double distance = 0.0;  // m, of the anchors when the run begins
};

class Element {
 public:
  explicit Element(ElementPlace place) : place_(std::move(place)) {}
  virtual ~Element() = default;
  const std::string& name() const { return place_.name; }
  const Anchor& a() const { return place_.a; }
  const Anchor& b() const { return place_.b; }
  const ElementPlace& place() const { return place_; }

  virtual const char* kind() const = 0;  // "spring": what the viewer draws it by
  virtual void rows(const Model& model, const State& state, std::vector<ElementRow>& out) const = 0;
  virtual double potential(std::span<const Pose> poses) const = 0;  // J
  // What is recorded, and its numbers at a state, one per column.
  virtual std::span<const ElementColumn> columns() const = 0;
  virtual void read(const Model& model, const State& state, double* out) const = 0;
  // The same after a change of a parameter, where the anchors were `distance` m apart when the run
  // began.
  virtual std::shared_ptr<const Element> begun_at(double distance) const = 0;
  // Its own numbers for viewers and reports, by the names of the scene's keys.
  virtual std::vector<std::pair<std::string, double>> numbers() const = 0;

 private:
  ElementPlace place_;
};

// How a kind stands in a scene: a section of named elements,
//   springs: {prop: {between: [base, lid], at: [[0, 0], [0.1, 0]], stiffness: 200}}
// `between` and `at` are common to all; the options are the kind's own.
struct ElementKind {
  std::string section;  // "springs"
  std::string text;     // one sentence, for the schema
  OptionTable options;
  std::shared_ptr<const Element> (*make)(ElementPlace place, const OptionValues& values);
  // "" if the numbers fit together, otherwise what is wrong and what is accepted.
  std::string (*why_not)(const OptionValues& values);
};

// Numbers of all elements, one after the other in the order of their columns.
int element_width(const Model& model);
std::vector<std::string> element_columns(const Model& model);  // "rope.length [m]"
void read_elements(const Model& model, const State& state, VectorX& out);

}  // namespace vinci
