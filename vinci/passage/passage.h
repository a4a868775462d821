// SPDX-License-Identifier: Apache-2.0
// The geometric model: can a body pass at all? Searches a path of one body, free to go and turn,
// among the others at their initial poses. A path that is found is certified: the whole motion, not
// samples of it, keeps the gap to every other body at least as large as the clearance. Not to find
// one proves nothing, unless the answer is `impossible`.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vinci/collision/contact.h"
#include "vinci/model/model.h"

namespace vinci {

// Of one coordinate, m or rad; ends may be infinite. An angle lies in it if one of its turns does.
struct CoordinateRange {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

struct PassageQuery {
  int body = -1;
  Pose start;  // of the body frame
  // By coordinate as scenes spell it: x, y, z, angle (in space roll, pitch, yaw); those not named
  // are free. The motion ends where all conditions hold.
  std::map<std::string, CoordinateRange> goal;
  // Where the body's origin may go (x, y, z). Ends not given: around all bodies, start and goal.
  std::map<std::string, CoordinateRange> bounds;
  double clearance = 0.0;   // m, >= 0
  double resolution = 0.0;  // m; below it the search gives up on a motion. 0: 1e-4 of the body
  long effort = 20'000;     // random poses to try
  unsigned long seed = 0;
  std::function<bool()> stop = {};  // asked now and then; true ends the search
};

enum class PassageStatus {
  found,          // and certified
  not_found,      // within the effort: no proof that there is none
  impossible,     // proven: not even a disk inside the body gets there
  start_blocked,  // the start is nearer to another body than the clearance, or outside the bounds
  goal_blocked,   // no free goal pose among those tried
  unreachable,    // of joints: they do not bring the tip there, or not within their limits
  stopped,        // by PassageQuery::stop
};
const char* to_string(PassageStatus status);

struct PassageResult {
  PassageStatus status = PassageStatus::not_found;
  std::string note;        // one sentence for people
  std::vector<Pose> path;  // start to goal; straight and turning the shorter way in between
  double length = 0.0;     // m, no point of the body travels farther
  double least_gap = 0.0;  // m: no pose of the path comes nearer to any body; >= clearance
  long samples = 0;        // random poses tried
  long queries = 0;        // of the detector
};

// Throws Error naming what is wrong with the query.
PassageResult find_passage(const Model& model, CollisionDetector& detector,
                           const PassageQuery& query);

// The six coordinates of a pose of the body (m, rad), as scenes name them; zero where it has none.
bool has_coordinate(const Body& body, int coordinate);
std::array<double, coordinate_count> coordinates(const Body& body, const Pose& pose);
// The pose with some of them replaced.
Pose with_coordinates(const Body& body, const Pose& pose,
                      const std::array<std::optional<double>, coordinate_count>& given);

// Between two poses of a path: position linear, rotation at constant speed the shorter way.
Pose between(const Pose& a, const Pose& b, double fraction);

}  // namespace vinci
