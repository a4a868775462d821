// SPDX-License-Identifier: Apache-2.0
// The parts of a query for joints, checked: what moves, from where, within which bounds. Private to
// passage/.
#pragma once

#include <memory>

#include "vinci/passage/mechanism.h"
#include "vinci/passage/robot_passage.h"

namespace vinci {

// What moves, with the query's bounds as those of its coordinates; all of them finite. Throws
// Error.
std::unique_ptr<Mechanism> make_mechanism(const Model& model, CollisionDetector& detector,
                                          const RobotPassageQuery& query);
// The scene's coordinates with some replaced.
VectorX start_configuration(const Mechanism& mechanism, const RobotPassageQuery& query);
// The coordinate of a name, with or without the robot's before it; Error where there is none.
int coordinate_named(const Mechanism& mechanism, const RobotPassageQuery& query,
                     const std::string& name, const std::string& what);

// The value of the range nearest to this one; angles count modulo full turns.
double nearest_within(const CoordinateRange& range, double value, bool is_angle);
void check_range(const CoordinateRange& range, const std::string& what);

}  // namespace vinci
