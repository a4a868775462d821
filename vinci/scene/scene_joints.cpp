// SPDX-License-Identifier: Apache-2.0
// Joints from the scene tree. What cannot be is said at the key that causes it, with a way out.
#include "vinci/scene/scene_joints.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/QR>
#include <fmt/format.h>

#include "vinci/kinematics/joint_motion.h"
#include "vinci/kinematics/joint_rows.h"
#include "vinci/model/state.h"

namespace vinci {
namespace {

// How far joints may be open at the start: numbers in scenes are typed by hand.
constexpr double largest_opening = 1e-6;  // m or rad

const Node* kind_of(const Node& node) {
  for (const Node& child : node.children)
    if (joint_kind_named(child.key)) return &child;
  return nullptr;
}

// The axes of a joint's frame: z along the axis, x along `across` as far as that is across it.
Quaternion frame_axes(const Vector3& axis, const Vector3& across) {
  Matrix3 axes;
  axes.col(2) = axis;
  axes.col(0) = (across - axis.dot(across) * axis).normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return Quaternion(axes).normalized();
}

bool has_place(const Node& body) {
  return body.has("position") || body.has("rotation") || body.has("angle") || body.has("pose");
}

}  // namespace

const Node* JointReader::entry(const Node& node, const char* key, const Joint& joint,
                               std::size_t k) const {
  const Node* given = node.find(key);
  if (!given) return nullptr;
  const auto count = static_cast<std::size_t>(rate_count(joint.kind));
  const std::size_t size = given->is_list() ? given->children.size() : 1;
  if (size != count)
    throw Impossible{given, fmt::format("{} for {} freedoms of a {} joint; accepted: {}",
                                        size == 1 ? "one value" : fmt::format("{} values", size),
                                        count, to_string(joint.kind),
                                        count == 0 ? "none" : fmt::format("a list of {}", count))};
  return given->is_list() ? &given->children[k] : given;
}

void JointReader::read_frames(const Node& node, Joint& joint) const {
  const Node& pair = *kind_of(node);
  joint.body_a = model_.find_body(pair.children[0].text);
  joint.body_b = model_.find_body(pair.children[1].text);
  if (joint.body_a == joint.body_b)
    throw Impossible{&pair,
                     "a body and itself; accepted: two different bodies, or a body and "
                     "world"};
  const auto is_driven = [&](int b) {
    if (b < 0) return true;
    const Body& body = model_.bodies[static_cast<std::size_t>(b)];
    const auto prescribed = [&](std::size_t i) { return body.drives[i].prescribed; };
    if (body.freedom == Freedom::planar) return prescribed(0) && prescribed(1) && prescribed(5);
    return body.freedom == Freedom::fixed || (prescribed(0) && prescribed(1) && prescribed(2) &&
                                              prescribed(3) && prescribed(4) && prescribed(5));
  };
  if (is_driven(joint.body_a) && is_driven(joint.body_b))
    throw Impossible{&pair,
                     "both bodies are fixed or move as prescribed, and the joint could hold "
                     "neither; accepted: one or two bodies that forces move"};
  const bool planar = scene_.world == World::planar;
  const bool slides = joint.kind == JointKind::prismatic;
  Vector3 axis = planar && slides ? Vector3::UnitX() : Vector3::UnitZ();
  if (const Node* given = node.find("axis")) {
    if (joint.kind == JointKind::fixed || joint.kind == JointKind::ball || (planar && !slides))
      throw Impossible{given, fmt::format("a {} joint has no axis to choose{}; remove it",
                                          to_string(joint.kind), planar ? " in the plane" : "")};
    axis = read_.vector(*given);
    const double length = axis.stableNorm();
    if (!(length > 0.0) || !std::isfinite(length))
      throw Impossible{given, "an axis of no length; accepted: any direction but zero"};
    axis /= length;
  }
  Vector3 across = planar && slides ? Vector3::UnitZ() : axis.unitOrthogonal();
  if (!planar && axis == Vector3::UnitZ()) across = Vector3::UnitX();
  if (const Node* given = node.find("across")) {
    across = read_.vector(*given);
    if (!(axis.cross(across).stableNorm() > 1e-9 * across.stableNorm()))
      throw Impossible{given, "it lies along the axis; accepted: a direction across it"};
  }
  if (const Node* pitch = node.find("pitch"); pitch && joint.kind != JointKind::screw)
    throw Impossible{pitch, "a screw alone has a pitch; remove it"};
  if (joint.kind == JointKind::screw && !node.has("pitch"))
    throw Impossible{&node, "'pitch' is missing; accepted: the advance of the screw in m per rad"};
  joint.pitch = read_.number(node, "pitch", 0.0);
  const Quaternion axes = frame_axes(axis, across);
  joint.frame_a.rotation = axes;
  joint.frame_b.rotation = read_.rotation(node).conjugate() * axes;
  if (const Node* at = node.find("at")) {
    joint.frame_a.position = read_.vector(at->children[0]);
    joint.frame_b.position = read_.vector(at->children[1]);
  }
}

Motor JointReader::motor(const Node& node, const Joint& joint, std::size_t freedom) const {
  Motor motor;
  const bool turns = is_turning(joint.kind, static_cast<int>(freedom));
  const auto refuse = [&](const char* key, const char* message) {
    if (const Node* given = node.find(key)) throw Impossible{given, message};
  };
  refuse(turns ? "force" : "torque", turns ? "this freedom turns; accepted: `torque`"
                                           : "this freedom shifts; accepted: `force`");
  motor.limit = read_.number(node, "limit", infinity);
  for (const auto& [key, kind] : {std::pair{"torque", MotorKind::effort},
                                  {"force", MotorKind::effort},
                                  {"velocity", MotorKind::velocity},
                                  {"position", MotorKind::position}})
    if (const Node* given = node.find(key)) {
      motor.kind = kind;
      motor.target = numbers_.function(*given);
      const std::array<double, 3> start{};  // t, q, v
      if (!motor.target.uses(1) && !motor.target.uses(2))
        if (const double value = motor.target.value(start); !std::isfinite(value))
          throw Impossible{given, fmt::format("it is {} at t = 0; accepted: a number, or an "
                                              "expression that has a value at all times",
                                              value)};
    }
  if (motor.kind != MotorKind::position)
    refuse("stiffness", "a position servo alone has it; accepted with `position`");
  if (motor.kind == MotorKind::effort)
    refuse("damping", "a servo alone has it; accepted with `position` or `velocity`");
  motor.stiffness = read_.number(node, "stiffness", 0.0);
  motor.damping = read_.number(node, "damping", 0.0);
  if (motor.kind != MotorKind::effort && motor.stiffness == 0.0 && motor.damping == 0.0)
    throw Impossible{&node, motor.kind == MotorKind::position
                                ? "a position servo without gains does nothing; accepted: "
                                  "`stiffness`, `damping` or both above 0"
                                : "a velocity servo without a gain does nothing; accepted: "
                                  "`damping` above 0"};
  return motor;
}

void JointReader::read_limits(const Node& node, Joint& joint) const {
  const Node* limits = node.find("limits");
  if (!limits) return;
  const std::size_t count = joint.freedoms.size();
  const bool pairs = limits->children[0].is_list();
  if (joint.kind == JointKind::ball || count == 0)
    throw Impossible{limits, fmt::format("a {} joint has no coordinate to limit; remove it",
                                         to_string(joint.kind))};
  if (pairs ? limits->children.size() != count : count != 1 || limits->children.size() != 2)
    throw Impossible{
        limits, fmt::format("limits do not fit a {} joint; accepted: {}", to_string(joint.kind),
                            count == 1 ? "[lowest, highest]"
                                       : fmt::format("{} pairs [lowest, highest]", count))};
  for (std::size_t k = 0; k < count; ++k) {
    const Node& pair = pairs ? limits->children[k] : *limits;
    for (const Node& bound : pair.children)
      if (bound.is_list())
        throw Impossible{&pair, "numbers and pairs mixed; accepted: pairs [lowest, highest]"};
    joint.freedoms[k].lower = numbers_(pair.children[0]);
    joint.freedoms[k].upper = numbers_(pair.children[1]);
    if (joint.freedoms[k].lower > joint.freedoms[k].upper)
      throw Impossible{&pair, fmt::format("the lowest, {:.6g}, lies above the highest, {:.6g}; "
                                          "accepted: [lowest, highest]",
                                          joint.freedoms[k].lower, joint.freedoms[k].upper)};
  }
}

void JointReader::read_start(const Node& node, Joint& joint) const {
  const Node* position = node.find("position");
  if (joint.kind == JointKind::ball) {
    if (!position) return;
    if (!position->is_map())
      throw Impossible{position,
                       "a ball joint begins with a rotation; accepted: {rpy: [...]}, "
                       "{axis: ..., angle: ...} or {quaternion: [...]}"};
    Node parent;
    parent.kind = Node::Kind::map;
    parent.children.push_back(*position);
    parent.children[0].key = "rotation";
    // Of the second body, along the axes of the first.
    joint.rotation =
        joint.frame_a.rotation.conjugate() * read_.rotation(parent) * joint.frame_a.rotation;
    return;
  }
  if (position && position->is_map())
    throw Impossible{position, "a rotation is the start of a ball joint; accepted: numbers"};
  for (std::size_t k = 0; k < joint.freedoms.size(); ++k) {
    JointFreedom& freedom = joint.freedoms[k];
    const Node* given = entry(node, "position", joint, k);
    freedom.position = given ? numbers_(*given) : std::clamp(0.0, freedom.lower, freedom.upper);
    if (freedom.position < freedom.lower || freedom.position > freedom.upper)
      throw Impossible{given, fmt::format("it begins at {:.6g}, outside of its limits; accepted: "
                                          "{:.6g} to {:.6g}",
                                          freedom.position, freedom.lower, freedom.upper)};
  }
}

void JointReader::read_freedoms(const Node& node, Joint& joint) const {
  joint.freedoms.resize(static_cast<std::size_t>(rate_count(joint.kind)));
  for (const char* key : {"position", "restitution", "friction", "damping", "stiffness", "rest",
                          "armature", "largest-effort", "velocity", "motor", "motion-limits"})
    if (const Node* given = node.find(key); given && joint.freedoms.empty())
      throw Impossible{given, "a fixed joint has no freedom; remove it"};
  for (std::size_t k = 0; k < joint.freedoms.size(); ++k) {
    JointFreedom& freedom = joint.freedoms[k];
    const auto number = [&](const char* key, double otherwise = 0.0) {
      const Node* given = entry(node, key, joint, k);
      return given ? numbers_(*given) : otherwise;
    };
    freedom.restitution = number("restitution");
    freedom.friction = number("friction");
    freedom.damping = number("damping");
    freedom.stiffness = number("stiffness");
    freedom.rest = number("rest");
    freedom.armature = number("armature");
    freedom.largest_effort = number("largest-effort", infinity);
    freedom.velocity = number("velocity");
    if (const Node* given = entry(node, "motion-limits", joint, k)) {
      freedom.velocity_limit = read_.number(*given, "velocity", infinity);
      freedom.acceleration_limit = read_.number(*given, "acceleration", infinity);
      freedom.jerk_limit = read_.number(*given, "jerk", infinity);
    }
    if (joint.kind == JointKind::ball && freedom.stiffness > 0.0)
      throw Impossible{node.find("stiffness"),
                       "a ball joint has no coordinate for a spring; remove it"};
    if (const Node* given = entry(node, "motor", joint, k)) {
      freedom.motor = motor(*given, joint, k);
      if (joint.kind == JointKind::ball &&
          (freedom.motor.kind == MotorKind::position || freedom.motor.target.uses(1)))
        throw Impossible{given,
                         "a ball joint has no coordinate q; accepted: `torque` of t and v, "
                         "or `velocity`"};
    }
  }
}

bool JointReader::add(const Node& node) {
  Joint joint;
  joint.name = node.key;
  joint.kind = *joint_kind_named(kind_of(node)->key);
  bool fine = true;
  const auto attempt = [&](auto&& part) {
    try {
      part();
    } catch (const Impossible& mistake) {
      mistakes_.add(*mistake.where, mistake.message);
      fine = false;
    }
  };
  attempt([&] { read_frames(node, joint); });
  attempt([&] { read_freedoms(node, joint); });
  attempt([&] { read_limits(node, joint); });
  if (fine) attempt([&] { read_start(node, joint); });
  joint.first_coordinate = model_.joint_coordinate_count;
  joint.first_rate = model_.joint_rate_count;
  model_.joint_coordinate_count += position_count(joint.kind);
  model_.joint_rate_count += rate_count(joint.kind);
  if (fine && joint.body_a >= 0 && joint.body_b >= 0)
    model_.excluded_pairs.push_back(std::minmax(joint.body_a, joint.body_b));
  given_.push_back(node.has("position"));
  model_.joints.push_back(std::move(joint));
  return fine;
}

bool JointReader::add_coupling(const Node& node) {
  Coupling coupling;
  coupling.name = node.key;
  const Node& pair = *node.find("joints");
  const Node* const chosen = node.find("freedoms");
  int* const sides[] = {&coupling.joint_a, &coupling.joint_b};
  int* const freedoms[] = {&coupling.freedom_a, &coupling.freedom_b};
  for (std::size_t side = 0; side < 2; ++side) {
    const Node& name = pair.children[side];
    const auto found = std::find_if(model_.joints.begin(), model_.joints.end(),
                                    [&](const Joint& joint) { return joint.name == name.text; });
    *sides[side] = static_cast<int>(found - model_.joints.begin());
    const auto count = static_cast<int>(found->freedoms.size());
    if (found->kind == JointKind::ball || (count != 1 && !chosen)) {
      mistakes_.add(name, fmt::format("a {} joint has {} freedoms; accepted: a joint of one, or "
                                      "`freedoms` of one that is no ball",
                                      to_string(found->kind), count));
      return false;
    }
    if (!chosen) continue;
    const double number = numbers_(chosen->children[side]);
    if (number < count) {
      *freedoms[side] = static_cast<int>(number);
      continue;
    }
    mistakes_.add(
        chosen->children[side],
        fmt::format("joint '{}' has no such freedom; accepted: 0 to {}", name.text, count - 1));
    return false;
  }
  if (coupling.joint_a == coupling.joint_b && coupling.freedom_a == coupling.freedom_b) {
    mistakes_.add(pair, "a joint and itself; accepted: two different joints, or `freedoms`");
    return false;
  }
  coupling.ratio = read_.number(node, "ratio", 1.0);
  coupling.offset = read_.number(node, "offset", 0.0);
  coupling.breakaway = read_.number(node, "breakaway", infinity);
  model_.couplings.push_back(coupling);
  return true;
}

void JointReader::read_named_frames(const Node* frames) {
  for (std::size_t i = 0; frames && i < frames->children.size(); ++i) {
    const Node& node = frames->children[i];
    const int body = model_.find_body(node.find("body")->text);
    if (model_.find_body(node.key) >= 0 && model_.find_body(node.key) != body)
      mistakes_.add(node, "another body has this name; accepted: a name of its own");
    model_.frames.push_back({node.key, body, read_.placement(node)});
  }
}

Pose& JointReader::pose_of(int body) {
  return body < 0 ? world_ : model_.bodies[static_cast<std::size_t>(body)].initial_pose;
}

// Which joint places which body, in this order; the others are between bodies that have a place.
// Joints place their second bodies as long as they can, and then a first one.
void JointReader::find_order() {
  const Node& bodies = *scene_.root.find("bodies");
  const auto joins = [&](std::size_t b, bool as_second) {
    return std::any_of(model_.joints.begin(), model_.joints.end(), [&](const Joint& joint) {
      return (as_second ? joint.body_b : joint.body_a) == static_cast<int>(b);
    });
  };
  std::vector<char> placed(model_.bodies.size());
  for (std::size_t b = 0; b < placed.size(); ++b)
    placed[b] = (!joins(b, true) && !joins(b, false)) || has_place(bodies.children[b]) ||
                model_.bodies[b].is_prescribed() || model_.bodies[b].freedom == Freedom::fixed;
  const auto is_placed = [&](int body) {
    return body < 0 || placed[static_cast<std::size_t>(body)];
  };
  places_.assign(model_.joints.size(), Places::none);
  const auto place = [&](Places which) {
    bool any = false;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      const bool second = which == Places::second;
      const int from = second ? joint.body_a : joint.body_b;
      const int to = second ? joint.body_b : joint.body_a;
      if (!is_placed(from) || is_placed(to)) continue;
      placed[static_cast<std::size_t>(to)] = 1;
      places_[j] = which;
      order_.push_back(static_cast<int>(j));
      any = true;
      if (!second) break;
    }
    return any;
  };
  // Bodies of which none has a place: the first that is the second of no joint, or else the first,
  // stands where it would by itself.
  const auto begin_elsewhere = [&] {
    for (const bool only_first : {true, false})
      for (std::size_t b = 0; b < placed.size(); ++b)
        if (!placed[b] && !(only_first && joins(b, true))) {
          placed[b] = 1;
          return true;
        }
    return false;
  };
  while (place(Places::second) || place(Places::first) || begin_elsewhere()) {
  }
}

// The body that a joint places, and the other one.
int JointReader::placed_by(std::size_t j) const {
  return places_[j] == Places::first ? model_.joints[j].body_a : model_.joints[j].body_b;
}

// Poses of the bodies that joints place, from the coordinates at the start.
void JointReader::place_bodies() {
  for (const int j : order_) {
    const Joint& joint = model_.joints[static_cast<std::size_t>(j)];
    std::array<double, 4> q{};
    start_coordinates(joint, q.data());
    const Pose between = joint.frame_a * joint_pose(joint, q.data()) * joint.frame_b.inverse();
    if (places_[static_cast<std::size_t>(j)] == Places::second)
      pose_of(joint.body_b) = pose_of(joint.body_a) * between;
    else
      pose_of(joint.body_a) = pose_of(joint.body_b) * between.inverse();
  }
}

// The errors of the joints that place nothing, m and rad.
VectorX JointReader::openings() {
  std::vector<double> errors;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (places_[j] != Places::none) continue;
    const Joint& joint = model_.joints[j];
    std::array<double, 4> q{};
    start_coordinates(joint, q.data());
    JointRows rows;
    joint_rows(joint, model_.world, pose_of(joint.body_a), pose_of(joint.body_b), q[0], rows);
    for (int i = 0; i < rows.count; ++i)
      errors.push_back(rows.rows[static_cast<std::size_t>(i)].error);
  }
  return Eigen::Map<VectorX>(errors.data(), static_cast<Eigen::Index>(errors.size()));
}

// Loops are closed by the coordinates that the scene does not give: Newton's method, least changes.
void JointReader::assemble() {
  place_bodies();
  VectorX errors = openings();
  std::vector<std::pair<int, std::size_t>> open;  // joint and freedom
  for (const int j : order_)
    if (const Joint& joint = model_.joints[static_cast<std::size_t>(j)];
        !given_[static_cast<std::size_t>(j)] && joint.kind != JointKind::ball)
      for (std::size_t k = 0; k < joint.freedoms.size(); ++k) open.emplace_back(j, k);
  constexpr int most_rounds = 50;
  constexpr std::size_t most_open = 300;
  constexpr double closed = 1e-13, change = 1e-6;
  const auto at = [&](const std::pair<int, std::size_t>& place) -> double& {
    return model_.joints[static_cast<std::size_t>(place.first)].freedoms[place.second].position;
  };
  const auto size = [](const VectorX& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; };
  for (int round = 0;
       round < most_rounds && !open.empty() && open.size() <= most_open && size(errors) > closed;
       ++round) {
    MatrixX slopes(errors.size(), static_cast<Eigen::Index>(open.size()));
    for (std::size_t i = 0; i < open.size(); ++i) {
      double& q = at(open[i]);
      const double before = q;
      q = before + change;
      place_bodies();
      slopes.col(static_cast<Eigen::Index>(i)) = openings();
      q = before - change;
      place_bodies();
      slopes.col(static_cast<Eigen::Index>(i)) -= openings();
      q = before;
    }
    slopes /= 2.0 * change;
    VectorX step = slopes.completeOrthogonalDecomposition().solve(-errors);
    // Angles far off are not to go round several times.
    const double largest = size(step);
    if (largest > 0.5) step *= 0.5 / largest;
    for (std::size_t i = 0; i < open.size(); ++i) at(open[i]) += step[static_cast<Eigen::Index>(i)];
    place_bodies();
    const VectorX next = openings();
    if (round > 10 && !(size(next) < size(errors))) break;
    errors = next;
  }
  place_bodies();
}

// Joints between bodies that have places begin with the coordinates that these mean.
bool JointReader::check_closed(const Node& joints) {
  bool fine = true;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    Joint& joint = model_.joints[j];
    const Node& node = joints.children[j];
    std::array<double, 4> q{};
    start_coordinates(joint, q.data());
    if (places_[j] == Places::none) {
      JointRows rows;
      joint_rows(joint, model_.world, pose_of(joint.body_a), pose_of(joint.body_b), q[0], rows);
      double apart = 0.0, turned = 0.0;
      for (int i = 0; i < rows.count; ++i) {
        const JointRow& row = rows.rows[static_cast<std::size_t>(i)];
        double& worst = row.linear.isZero(0.0) ? turned : apart;
        worst = std::max(worst, std::abs(row.error));
      }
      if (apart > largest_opening || turned > largest_opening) {
        mistakes_.add(node, fmt::format("the joint is open where the run begins: the bodies are "
                                        "{:.3g} m apart and {:.3g} rad askew there; accepted: "
                                        "places of bodies and positions of joints that close it, "
                                        "or bodies without a place, which joints then put there",
                                        apart, turned));
        fine = false;
      }
      const std::array<double, 4> asked = q;
      read_coordinates(joint, pose_of(joint.body_a), pose_of(joint.body_b), q.data());
      if (given_[j] && !std::equal(asked.begin(), asked.end(), q.begin(), [](double a, double b) {
            return std::abs(a - b) <= largest_opening;
          })) {
        mistakes_.add(
            *node.find("position"),
            fmt::format("the bodies stand so that the joint is at {:.6g}; accepted: that, "
                        "or nothing, or bodies without a place",
                        q[0]));
        fine = false;
      }
      set_start(joint, q.data());
    }
    for (std::size_t k = 0; k < joint.freedoms.size() && joint.kind != JointKind::ball; ++k) {
      const JointFreedom& freedom = joint.freedoms[k];
      if (q[k] >= freedom.lower - largest_opening && q[k] <= freedom.upper + largest_opening)
        continue;
      mistakes_.add(node, fmt::format("it begins at {:.6g}, outside of its limits {:.6g} to {:.6g}",
                                      q[k], freedom.lower, freedom.upper));
      fine = false;
    }
  }
  return fine;
}

bool JointReader::read(const Node* joints, const Node* couplings) {
  if (!joints) return true;
  bool fine = true;
  for (const Node& node : joints->children) fine &= add(node);
  if (!fine) return false;
  for (std::size_t i = 0; couplings && i < couplings->children.size(); ++i)
    fine &= add_coupling(couplings->children[i]);
  find_order();
  assemble();
  return check_closed(*joints) && fine;
}

// Bodies that joints place move as their rates say, the rates of other joints are those of bodies.
void JointReader::set_velocities() {
  const Node* bodies = scene_.root.find("bodies");
  State start = initial_state(model_);
  const auto twist_of = [&](int body) {
    return body < 0 ? Twist() : body_twist(model_, start.velocities, body);
  };
  const auto center_of = [&](int body) {
    return body < 0 ? Vector3(Vector3::Zero()) : center_of_mass(model_, start.poses, body);
  };
  const auto moves_itself = [&](int body) {
    const Node& node = bodies->children[static_cast<std::size_t>(body)];
    return node.has("velocity") || node.has("spin");
  };
  const Node& joints = *scene_.root.find("joints");
  std::vector<int> moving = order_;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Node* given = joints.children[j].find("velocity");
    const int body = placed_by(j);
    if (!given) continue;
    const bool driven = body < 0 || model_.bodies[static_cast<std::size_t>(body)].is_prescribed();
    if (driven || moves_itself(body)) {
      mistakes_.add(*given, fmt::format("the {} body has a velocity of its own; accepted: one of "
                                        "the two",
                                        places_[j] == Places::first ? "first" : "second"));
      continue;
    }
    if (places_[j] == Places::none) moving.push_back(static_cast<int>(j));
  }
  for (const int j : moving) {
    const Joint& joint = model_.joints[static_cast<std::size_t>(j)];
    const int moved = placed_by(static_cast<std::size_t>(j));
    if (moves_itself(moved)) continue;
    const bool second = moved == joint.body_b;
    const int from = second ? joint.body_a : joint.body_b;
    const Pose a = pose_of(joint.body_a), b = pose_of(joint.body_b);
    JointAxes axes;
    const int count = joint_axes(joint, a, b, axes);
    const Vector3 point = b * joint.frame_b.position;
    const Twist before = twist_of(from);
    Twist at{before.at(point - center_of(from)), before.angular};
    for (int k = 0; k < count; ++k) {
      const double rate =
          (second ? 1.0 : -1.0) * joint.freedoms[static_cast<std::size_t>(k)].velocity;
      at.linear += rate * axes[static_cast<std::size_t>(k)].linear;
      at.angular += rate * axes[static_cast<std::size_t>(k)].angular;
    }
    Body& body = model_.bodies[static_cast<std::size_t>(moved)];
    body.initial_twist = {at.at(center_of(moved) - point), at.angular};
    start = initial_state(model_);
  }
  for (Joint& joint : model_.joints) {
    const Pose a = pose_of(joint.body_a), b = pose_of(joint.body_b);
    const Vector3 point = b * joint.frame_b.position;
    const Twist of_a = twist_of(joint.body_a), of_b = twist_of(joint.body_b);
    const Vector3 linear =
        of_b.at(point - center_of(joint.body_b)) - of_a.at(point - center_of(joint.body_a));
    const Vector3 angular = of_b.angular - of_a.angular;
    for (std::size_t k = 0; k < joint.freedoms.size(); ++k) {
      const Twist row = rate_row(joint, a, b, static_cast<int>(k));
      joint.freedoms[k].velocity = row.linear.dot(linear) + row.angular.dot(angular);
    }
    const auto itself = [&](int body) { return body >= 0 && moves_itself(body); };
    if (!itself(joint.body_a) && !itself(joint.body_b)) continue;
    std::array<double, 4> q{};
    start_coordinates(joint, q.data());
    JointRows rows;
    joint_rows(joint, model_.world, a, b, q[0], rows);
    double parting = 0.0;
    for (int i = 0; i < rows.count; ++i) {
      const JointRow& row = rows.rows[static_cast<std::size_t>(i)];
      parting = std::max(parting, std::abs(row.linear.dot(linear) + row.angular.dot(angular)));
    }
    if (parting > largest_opening * (1.0 + linear.norm() + angular.norm()))
      mistakes_.add(joints.children[static_cast<std::size_t>(&joint - model_.joints.data())],
                    fmt::format("its bodies begin with velocities that part them by {:.3g} m/s or "
                                "rad/s; accepted: velocities that the joint allows, or `velocity` "
                                "of the joint instead",
                                parting));
  }
}

}  // namespace vinci
