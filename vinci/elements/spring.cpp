// SPDX-License-Identifier: Apache-2.0
// Springs and dampers.
#include "vinci/elements/spring.h"

namespace vinci {

Spring::Spring(ElementPlace place, const Numbers& numbers)
    : Element(std::move(place)), numbers_(numbers) {}

// Where both points coincide the line has no direction; of a spring with a length x stands for it.
Spring::Line Spring::line(std::span<const Pose> poses) const {
  Line line{anchor_point(a(), poses), anchor_point(b(), poses), Vector3::UnitX()};
  const Vector3 way = line.to - line.from;
  line.length = way.norm();
  if (line.length > 0.0) line.axis = way / line.length;
  return line;
}

void Spring::rows(const Model& model, const State& state, std::vector<ElementRow>& out) const {
  const Line at = line(state.poses);
  ElementRow row{.body_a = a().body,
                 .body_b = b().body,
                 .point_a = at.from,
                 .point_b = at.to,
                 .axis = at.axis};
  if (numbers_.length > 0.0 || numbers_.stiffness == 0.0) {
    row.stretch = at.length - numbers_.length;
    row.stiffness = numbers_.stiffness;
    row.damping = numbers_.damping;
    const double pull = numbers_.stiffness * row.stretch;
    if (pull > 0.0) row.sideways = pull / at.length;
    out.push_back(row);
    return;
  }
  // Without a length of its own its force is k (b − a), linear: one row per direction. Damping acts
  // along the line, and where the points coincide in every direction.
  row.damping = numbers_.damping;
  if (at.length > 0.0 && numbers_.damping > 0.0) out.push_back(row);
  row.stiffness = numbers_.stiffness;
  if (at.length > 0.0) row.damping = 0.0;
  for (int i = 0; i < (model.world == World::planar ? 2 : 3); ++i) {
    row.axis = Vector3::Unit(i);
    row.stretch = (at.to - at.from)[i];
    out.push_back(row);
  }
}

double Spring::potential(std::span<const Pose> poses) const {
  const double stretch = line(poses).length - numbers_.length;
  return 0.5 * numbers_.stiffness * stretch * stretch;
}

std::span<const ElementColumn> Spring::columns() const {
  static constexpr ElementColumn all[] = {
      {"length", "m", "Distance of the two points."},
      {"rate", "m/s", "How fast it grows."},
      {"force", "N", "Draws the points together; negative: pushes them apart."}};
  return all;
}

void Spring::read(const Model& model, const State& state, double* out) const {
  const Line at = line(state.poses);
  const double rate =
      at.axis.dot(anchor_velocity(model, b(), state) - anchor_velocity(model, a(), state));
  out[0] = at.length;
  out[1] = rate;
  out[2] = numbers_.stiffness * (at.length - numbers_.length) + numbers_.damping * rate;
}

std::shared_ptr<const Element> Spring::begun_at(double distance) const {
  ElementPlace as_begun = place();
  as_begun.distance = distance;
  Numbers numbers = numbers_;
  if (numbers.begins_slack) numbers.length = distance;
  return std::make_shared<Spring>(std::move(as_begun), numbers);
}

std::vector<std::pair<std::string, double>> Spring::numbers() const {
  return {{"stiffness", numbers_.stiffness},
          {"damping", numbers_.damping},
          {"length", numbers_.length}};
}

ElementKind spring_kind() {
  constexpr double most = 1e15;
  return {"springs",
          "Springs and dampers between points of two bodies, by name.",
          {{"stiffness", "Stiffness k in N/m.", 0.0, "N/m", 0.0, most},
           {"damping", "Damping c along the line between the points in N s/m.", 0.0, "N s/m", 0.0,
            most},
           {"length",
            "Length without force in m; if not given, the distance of the points at the "
            "start.",
            0.0, "m", 0.0, most}},
          [](ElementPlace place, const OptionValues& values) -> std::shared_ptr<const Element> {
            const bool given = values.is_given("length");
            const Spring::Numbers numbers{values.real("stiffness"), values.real("damping"),
                                          given ? values.real("length") : place.distance, !given};
            return std::make_shared<Spring>(std::move(place), numbers);
          },
          [](const OptionValues& values) -> std::string {
            if (values.real("stiffness") > 0.0 || values.real("damping") > 0.0) return {};
            return "the spring does nothing; give it a `stiffness` in N/m, a `damping` in N s/m or "
                   "both";
          }};
}

}  // namespace vinci
