// SPDX-License-Identifier: Apache-2.0
// Small models built in code, for the tests of states and actuation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "vinci/model/model.h"

namespace vinci {

inline Body example_body(const std::string& name, Freedom freedom) {
  Body body;
  body.name = name;
  body.freedom = freedom;
  body.mass.mass = 2.0;
  body.mass.inertia = Vector3(0.3, 0.5, 0.7).asDiagonal();
  body.mass.inertia(0, 1) = body.mass.inertia(1, 0) = 0.05;
  return body;
}

// Makes the coordinate (0..5) a prescribed function of t, or a force of t, q and v.
inline void drive(Body& body, int coordinate, bool prescribed, const std::string& text) {
  const std::vector<std::string> names{"t", "q", "v"};
  body.drives[static_cast<std::size_t>(coordinate)] = {prescribed, Expression::parse(text, names)};
}

// Numbers the packed entries as the scene compiler does.
inline Model example_model(std::vector<Body> bodies) {
  Model model;
  for (Body& body : bodies) {
    body.velocity_offset = model.velocity_count;
    body.velocity_size = velocity_entries(body.freedom);
    for (int k = 0; k < body.velocity_size; ++k) {
      const int coordinate = body.velocity_size == 3 && k == 2 ? 5 : k;
      const bool prescribed = body.drives[static_cast<std::size_t>(coordinate)].prescribed;
      model.free_index.push_back(prescribed ? -1 : model.free_count++);
      model.coordinate.push_back(coordinate);
    }
    model.velocity_count += body.velocity_size;
    model.bodies.push_back(std::move(body));
  }
  return model;
}

}  // namespace vinci
