// SPDX-License-Identifier: Apache-2.0
// Random mechanisms with loops.
#include "tests/loops/random_loops.h"

#include <cmath>

#include <fmt/format.h>

namespace vinci::test {
namespace {

std::string text(const Vector3& v) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z());
}
std::string text(const Quaternion& q) {
  return fmt::format("{{quaternion: [{:.17g}, {:.17g}, {:.17g}, {:.17g}]}}", q.w(), q.x(), q.y(),
                     q.z());
}
std::string name_of(int part) {
  return part < 0 ? "world" : fmt::format("p{}", part);
}
// A rotation with this z.
Quaternion towards(const Vector3& z) {
  return Quaternion::FromTwoVectors(Vector3::UnitZ(), z);
}

}  // namespace

const char* to_string(LoopFamily family) {
  constexpr const char* words[] = {"ring",    "flat",     "spherical", "hinges",
                                   "bennett", "platform", "braced",    "planar"};
  return words[static_cast<int>(family)];
}

LoopScene::LoopScene(unsigned seed, LoopFamily family, const LoopChoices& choices)
    : dice_(seed), family_(family), choices_(choices) {
  if (choices.floats) ground_ = add_part(Vector3::Zero());
  switch (family) {
    case LoopFamily::ring:
      make_ring();
      break;
    case LoopFamily::flat:
      make_flat();
      break;
    case LoopFamily::spherical:
      make_spherical();
      break;
    case LoopFamily::hinges:
      make_hinges();
      break;
    case LoopFamily::bennett:
      make_bennett();
      break;
    case LoopFamily::platform:
      make_platform();
      break;
    case LoopFamily::braced:
      make_braced();
      break;
    case LoopFamily::planar:
      make_planar();
      break;
  }
  if (choices.couples) couple();
}

int LoopScene::add_part(const Vector3& position) {
  Part part;
  part.pose.position = position;
  const MassProperties mass = dice_.mass();
  if (is_planar()) {
    const double angle = dice_.between(-3.0, 3.0);
    part.pose = planar_pose(position.x(), position.y(), angle);
    part.text = fmt::format(
        "mass: {:.17g}, center: [{:.17g}, {:.17g}], inertia: {:.17g}, "
        "position: [{:.17g}, {:.17g}], angle: {:.17g}",
        mass.mass, mass.center.x(), mass.center.y(), mass.inertia(2, 2), position.x(), position.y(),
        angle);
  } else {
    part.pose.rotation = dice_.rotation();
    const auto row = [&](int i) { return text(Vector3(mass.inertia.row(i).transpose())); };
    part.text = fmt::format(
        "mass: {:.17g}, center: {}, inertia: [{}, {}, {}], position: {}, rotation: {}", mass.mass,
        text(mass.center), row(0), row(1), row(2), text(position), text(part.pose.rotation));
  }
  parts_.push_back(part);
  return static_cast<int>(parts_.size()) - 1;
}

// Friction, limits and motors along the freedoms.
void LoopScene::add_acting(int freedoms, JointKind kind, const std::array<double, 4>& q,
                           std::string& joint) {
  const auto list = [&](const std::string& entry) {
    std::string all = entry;
    for (int k = 1; k < freedoms; ++k) all += ", " + entry;
    return freedoms == 1 ? all : "[" + all + "]";
  };
  if (freedoms == 0) return;
  if (choices_.friction > 0.0)
    joint += fmt::format(", friction: {}", list(fmt::format("{:.17g}", choices_.friction)));
  if (choices_.range > 0.0 && kind != JointKind::ball && dice_.below(2) == 0) {
    std::string all;
    for (int k = 0; k < freedoms; ++k)
      all += fmt::format("{}[{:.17g}, {:.17g}]", k == 0 ? "" : ", ",
                         q[static_cast<std::size_t>(k)] - choices_.range * dice_.between(0.2, 1.0),
                         q[static_cast<std::size_t>(k)] + choices_.range * dice_.between(0.2, 1.0));
    joint += ", limits: " + (freedoms == 1 ? all : "[" + all + "]");
  }
  if (choices_.torque > 0.0 && freedoms == 1 && is_turning(kind, 0))
    joint += fmt::format(", motor: {{torque: {:.17g}}}",
                         dice_.between(-choices_.torque, choices_.torque));
}

void LoopScene::join(JointKind kind, int a, int b, const Pose& frame, double pitch) {
  Joint joint;
  joint.kind = kind;
  joint.pitch = pitch;
  std::array<double, 4> q{};
  if (kind == JointKind::ball) {
    const Quaternion r = dice_.rotation();
    q = {r.w(), r.x(), r.y(), r.z()};
  } else {
    for (int k = 0; k < rate_count(kind); ++k)
      q[static_cast<std::size_t>(k)] = dice_.between(-1.0, 1.0);
  }
  const Pose frame_b = place(b).inverse() * (frame * joint_pose(joint, q.data()));
  const Pose frame_a = place(a).inverse() * frame;
  const bool has_axis = kind != JointKind::fixed && kind != JointKind::ball;
  // Without an axis to choose the axes are those of the first body.
  const Quaternion axes = has_axis ? frame_a.rotation : Quaternion::Identity();
  const Quaternion between =
      axes * (has_axis
                  ? frame_b.rotation.conjugate()
                  : Quaternion((place(b).rotation.conjugate() * place(a).rotation).conjugate()));
  std::string joint_text = fmt::format(
      "{}: [{}, {}], at: [{}, {}], rotation: {}", vinci::to_string(kind), name_of(a), name_of(b),
      text(frame_a.position), text(frame_b.position), text(between.normalized()));
  if (has_axis)
    joint_text += fmt::format(", axis: {}, across: {}", text(axes * Vector3::UnitZ()),
                              text(axes * Vector3::UnitX()));
  if (kind == JointKind::screw) joint_text += fmt::format(", pitch: {:.17g}", pitch);
  add_acting(rate_count(kind), kind, q, joint_text);
  if (rate_count(kind) == 1) {
    names_of_single_.push_back(fmt::format("j{}", joints_.size()));
    starts_.push_back(q[0]);
  }
  joints_.push_back(joint_text);
}

// Coordinates begin at 0.
void LoopScene::join_planar(bool slides, int a, int b, const Vector3& point, double direction) {
  const Vector3 in_a = place(a).inverse() * point, in_b = place(b).inverse() * point;
  const auto turned_by = [](const Pose& pose) {
    return 2.0 * std::atan2(pose.rotation.z(), pose.rotation.w());
  };
  const double angle = turned_by(place(b)) - turned_by(place(a));
  std::string joint =
      fmt::format("{}: [{}, {}], at: [[{:.17g}, {:.17g}], [{:.17g}, {:.17g}]], angle: {:.17g}",
                  slides ? "prismatic" : "revolute", name_of(a), name_of(b), in_a.x(), in_a.y(),
                  in_b.x(), in_b.y(), angle);
  if (slides) {
    const double own = direction - turned_by(place(a));
    joint += fmt::format(", axis: [{:.17g}, {:.17g}]", std::cos(own), std::sin(own));
  }
  add_acting(1, slides ? JointKind::prismatic : JointKind::revolute, {}, joint);
  names_of_single_.push_back(fmt::format("j{}", joints_.size()));
  starts_.push_back(0.0);
  joints_.push_back(joint);
}

JointKind LoopScene::any_kind() {
  return static_cast<JointKind>(1 + dice_.below(joint_kind_count - 1));
}

Pose LoopScene::frame_between(int a, int b) {
  return {0.5 * (place(a).position + place(b).position) + dice_.vector(0.2), dice_.rotation()};
}

// Joints until the loop has one to three freedoms, or else more bodies.
void LoopScene::make_ring() {
  const int spare = 1 + dice_.below(3);
  int freedoms = 0, before = ground_;
  while (freedoms < 6 + spare) {
    const JointKind kind = any_kind();
    freedoms += rate_count(kind);
    const bool last = freedoms >= 6 + spare && before != ground_;
    const int part = last ? ground_ : add_part(place(before).position + dice_.vector(0.6));
    const Pose frame = frame_between(before, part);
    if (dice_.below(3) == 0)
      join(kind, part, before, frame, dice_.between(-0.3, 0.3));
    else
      join(kind, before, part, frame, dice_.between(-0.3, 0.3));
    before = part;
    if (last) return;
    if (freedoms >= 6 + spare) freedoms = 6 + spare - 1;
  }
}

// Hinges along one direction, and sometimes a guide across it.
void LoopScene::make_flat() {
  const Vector3 normal = dice_.rotation() * Vector3::UnitZ();
  const Quaternion plane = towards(normal);
  const int count = 3 + dice_.below(3);
  const int slider = dice_.below(2 * count);
  int before = ground_;
  for (int i = 0; i <= count; ++i) {
    const double angle = 2.0 * M_PI * i / (count + 1.0) + dice_.between(-0.4, 0.4);
    const Vector3 point = plane * Vector3(0.8 * std::cos(angle), 0.8 * std::sin(angle), 0.0);
    const int part = i == count ? ground_ : add_part(point + dice_.vector(0.3));
    if (i == slider && i > 0) {
      const Vector3 along = plane * Vector3(std::cos(angle + 1.0), std::sin(angle + 1.0), 0.0);
      join(JointKind::prismatic, before, part, {point, towards(along)});
    } else {
      join(JointKind::revolute, before, part, {point + dice_.between(-0.2, 0.2) * normal, plane});
    }
    before = part;
  }
}

void LoopScene::make_spherical() {
  const Vector3 center = dice_.vector(0.3);
  const int count = 3 + dice_.below(2);
  int before = ground_;
  for (int i = 0; i <= count; ++i) {
    const Vector3 axis = dice_.rotation() * Vector3::UnitZ();
    const int part = i == count ? ground_ : add_part(center + 0.5 * axis + dice_.vector(0.2));
    join(JointKind::revolute, before, part,
         {center + dice_.between(-0.3, 0.3) * axis, towards(axis)});
    before = part;
  }
}

// Along one line: hinges, guides of the same kind, or screws of one pitch.
void LoopScene::make_hinges() {
  constexpr std::array<JointKind, 5> kinds = {JointKind::revolute, JointKind::prismatic,
                                              JointKind::cylindrical, JointKind::screw,
                                              JointKind::planar};
  const JointKind kind = kinds[static_cast<std::size_t>(dice_.below(5))];
  const Vector3 line = dice_.rotation() * Vector3::UnitZ();
  const double pitch = dice_.between(0.05, 0.3);
  int before = ground_;
  for (int i = 0, parts = 1 + dice_.below(2); i < parts; ++i) {
    const int part = add_part(place(before).position + dice_.vector(0.5));
    for (int k = 0, several = 2 + dice_.below(2); k < several; ++k)
      join(kind, before, part, {Vector3(0.5 * (k + i) * line), towards(line)}, pitch);
    before = part;
  }
}

// a/sin α = b/sin β, and the angles of its one motion [Bennett 1903].
void LoopScene::make_bennett() {
  const double a = dice_.between(0.8, 1.2), alpha = dice_.between(0.4, 0.7);
  const double b = a * dice_.between(1.1, 1.4), beta = std::asin(b * std::sin(alpha) / a);
  const double first = dice_.between(0.7, 2.2);
  const double second = 2.0 * std::atan(std::sin((beta + alpha) / 2.0) /
                                        std::sin((beta - alpha) / 2.0) / std::tan(first / 2.0));
  const std::array<double, 4> angles = {first, second, -first, -second};
  Pose frame = dice_.pose(0.3);
  int before = ground_;
  for (int i = 0; i < 4; ++i) {
    const double length = i % 2 == 0 ? a : b, twist = i % 2 == 0 ? alpha : beta;
    const Pose joint = frame;
    frame = frame *
            Pose{Vector3::Zero(), turned(Vector3::UnitZ(), angles[static_cast<std::size_t>(i)])};
    frame = frame * Pose{Vector3(length, 0.0, 0.0), turned(Vector3::UnitX(), twist)};
    const int part =
        i == 3 ? ground_ : add_part(0.5 * (joint.position + frame.position) + dice_.vector(0.1));
    join(JointKind::revolute, before, part, joint);
    before = part;
  }
}

// Legs of two bodies or of one rod.
void LoopScene::make_platform() {
  const int platform = add_part({0.0, 0.0, 1.0});
  const int legs = 2 + dice_.below(3);
  const bool rods = dice_.below(2) == 0;
  for (int i = 0; i < legs; ++i) {
    const double angle = 2.0 * M_PI * i / legs + dice_.between(-0.3, 0.3);
    const Vector3 out(std::cos(angle), std::sin(angle), 0.0);
    const Vector3 foot = 0.8 * out + dice_.vector(0.1);
    const Vector3 head = Vector3(0.4 * out + Vector3::UnitZ()) + dice_.vector(0.1);
    const Quaternion along = towards((head - foot).normalized());
    if (rods) {
      const int rod = add_part(0.5 * (foot + head));
      join(JointKind::ball, ground_, rod, {foot, along});
      join(dice_.below(2) == 0 ? JointKind::ball : JointKind::universal, rod, platform,
           {head, along});
      continue;
    }
    const int lower = add_part(foot + 0.3 * (head - foot)),
              upper = add_part(foot + 0.7 * (head - foot));
    join(JointKind::universal, ground_, lower, {foot, along});
    join(dice_.below(2) == 0 ? JointKind::prismatic : JointKind::cylindrical, lower, upper,
         {0.5 * (foot + head), along});
    join(JointKind::ball, upper, platform, {head, along});
  }
}

void LoopScene::make_braced() {
  const int count = 5 + dice_.below(4), first = static_cast<int>(parts_.size());
  for (int i = 0; i < count; ++i) {
    const int before = i == 0 ? ground_ : first + dice_.below(i);
    const int part = add_part(place(before).position + dice_.vector(0.5));
    join(any_kind(), before, part, frame_between(before, part), dice_.between(-0.3, 0.3));
  }
  constexpr std::array<JointKind, 4> loose = {JointKind::ball, JointKind::cylindrical,
                                              JointKind::universal, JointKind::planar};
  for (int i = 0, loops = 1 + dice_.below(3); i < loops; ++i) {
    const int a = first + dice_.below(count);
    const int b = first + (a - first + 1 + dice_.below(count - 1)) % count;
    join(loose[static_cast<std::size_t>(dice_.below(4))], a, b, frame_between(a, b));
  }
}

// One loop, or two that share a body.
void LoopScene::make_planar() {
  std::vector<int> made;
  for (int loop = 0, loops = 1 + dice_.below(2); loop < loops; ++loop) {
    const int count = 3 + dice_.below(2), slider = dice_.below(2 * count);
    const int start =
        made.empty() ? ground_
                     : made[static_cast<std::size_t>(dice_.below(static_cast<int>(made.size())))];
    int before = start;
    for (int i = 0; i <= count; ++i) {
      const Vector3 point(dice_.between(-0.8, 0.8), dice_.between(-0.8, 0.8), 0.0);
      const int part = i == count ? ground_
                                  : add_part({point.x() + dice_.between(-0.3, 0.3),
                                              point.y() + dice_.between(-0.3, 0.3), 0.0});
      join_planar(i == slider && i > 0, before, part, point, dice_.between(-3.0, 3.0));
      if (part != ground_) made.push_back(part);
      before = part;
    }
  }
}

void LoopScene::couple() {
  if (names_of_single_.size() < 2) return;
  const double ratio = dice_.between(-1.5, 1.5);
  couplings_ = fmt::format("k: {{joints: [{}, {}], ratio: {:.17g}, offset: {:.17g}}}",
                           names_of_single_.front(), names_of_single_.back(), ratio,
                           starts_.back() - ratio * starts_.front());
}

std::string LoopScene::yaml(const char* coordinates) const {
  std::string bodies, joints;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    bodies += fmt::format("  p{}: {{{}}}\n", i, parts_[i].text);
  for (std::size_t i = 0; i < joints_.size(); ++i)
    joints += fmt::format("  j{}: {{{}}}\n", i, joints_[i]);
  const std::string gravity = choices_.weight ? ""
                              : is_planar()   ? "gravity: [0, 0]\n"
                                              : "gravity: [0, 0, 0]\n";
  return fmt::format(
      "world: {}\n{}bodies:\n{}joints:\n{}{}run: {{step: {:.17g}, duration: {:.17g}, "
      "coordinates: {}}}\n",
      is_planar() ? "planar" : "spatial", gravity, bodies, joints,
      couplings_.empty() ? "" : "couplings: {" + couplings_ + "}\n", choices_.step,
      choices_.duration, coordinates);
}

}  // namespace vinci::test
