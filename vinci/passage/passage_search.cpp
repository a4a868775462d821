// SPDX-License-Identifier: Apache-2.0
// Poses as states of OMPL.
#include "vinci/passage/passage_search.h"

#include <memory>

#include <ompl/base/spaces/SE2StateSpace.h>
#include <ompl/base/spaces/SE3StateSpace.h>

#include "vinci/passage/ompl_trees.h"

namespace vinci {
namespace {

using PlanarPoses = ompl::base::SE2StateSpace;
using SpatialPoses = ompl::base::SE3StateSpace;

class PoseGuide : public TreeGuide {
 public:
  explicit PoseGuide(const PathSearch& search)
      : TreeGuide(search.effort, search.seed, search.stop),
        search_(search),
        angle_(planar_angle(search.start.rotation)) {}

  Pose pose(const State* state) const {
    if (search_.planar) {
      const auto* s = state->as<PlanarPoses::StateType>();
      return {Vector3(s->getX(), s->getY(), search_.start.position.z()),
              rotation_about_z(s->getYaw() - angle_) * search_.start.rotation};
    }
    const auto* s = state->as<SpatialPoses::StateType>();
    const auto& q = s->rotation();
    return {Vector3(s->getX(), s->getY(), s->getZ()), Quaternion(q.w, q.x, q.y, q.z)};
  }
  void set(State* state, const Pose& pose) const {
    const Vector3& p = pose.position;
    if (search_.planar) {
      auto* s = state->as<PlanarPoses::StateType>();
      s->setXY(p.x(), p.y());
      const Quaternion turn = pose.rotation * search_.start.rotation.conjugate();
      const double yaw = std::remainder(planar_angle(turn) + angle_, 2.0 * M_PI);
      s->setYaw(yaw < M_PI ? yaw : -M_PI);  // OMPL refuses π itself
    } else {
      auto* s = state->as<SpatialPoses::StateType>();
      s->setXYZ(p.x(), p.y(), p.z());
      s->rotation().x = pose.rotation.x();
      s->rotation().y = pose.rotation.y();
      s->rotation().z = pose.rotation.z();
      s->rotation().w = pose.rotation.w();
    }
  }

  bool is_free(const State* state) override { return search_.is_free(pose(state)); }
  bool is_free_between(const State* a, const State* b) override {
    return search_.is_free_between(pose(a), pose(b));
  }
  bool make_free(State* state) override {
    Pose moved = pose(state);
    if (!search_.make_free(moved)) return false;
    set(state, moved);
    return true;
  }
  void draw(State* state, ompl::RNG& random) override {
    const bool shall_be_free = samples % 2 == 0;
    Pose drawn = any_pose(random);
    const Pose first = drawn;
    if (shall_be_free && !guarded([&] { return search_.make_free(drawn); })) drawn = first;
    set(state, drawn);
  }
  void draw_goal(State* state, ompl::RNG& random) override {
    std::array<double, 6> numbers;
    for (double& number : numbers) number = random.uniform01();
    set(state, search_.goal(numbers));
  }

 private:
  Pose any_pose(ompl::RNG& random) const {
    Pose pose = search_.start;
    const int axes = search_.planar ? 2 : 3;
    for (int i = 0; i < axes; ++i)
      pose.position[i] = random.uniformReal(search_.lower[i], search_.upper[i]);
    if (axes == 2) {
      pose.rotation = rotation_about_z(random.uniformReal(-M_PI, M_PI)) * pose.rotation;
    } else {
      double q[4];
      random.quaternion(q);
      pose.rotation = Quaternion(q[3], q[0], q[1], q[2]);
    }
    return pose;
  }

  const PathSearch& search_;
  double angle_;
};

template <class Base>
ompl::base::StateSpacePtr pose_space(PoseGuide& guide, const ompl::base::RealVectorBounds& bounds,
                                     double turn_weight) {
  auto space = std::make_shared<SlidingSpace<Base>>(guide);
  space->setBounds(bounds);
  space->setSubspaceWeight(1, turn_weight);
  return space;
}

// A turn by φ counts as radius · φ, as Clearance::travel() does.
ompl::base::StateSpacePtr make_space(PoseGuide& guide, const PathSearch& search) {
  const unsigned axes = search.planar ? 2 : 3;
  ompl::base::RealVectorBounds bounds(axes);
  for (unsigned i = 0; i < axes; ++i) {
    bounds.setLow(i, search.lower[i]);
    bounds.setHigh(i, search.upper[i]);
  }
  if (search.planar) return pose_space<PlanarPoses>(guide, bounds, search.radius);
  // OMPL measures half the angle.
  return pose_space<SpatialPoses>(guide, bounds, 2.0 * search.radius);
}

}  // namespace

PathFound search_path(const PathSearch& search) {
  PoseGuide guide(search);
  PathFound found;
  grow_trees(
      make_space(guide, search), guide,
      [&](ompl::base::State* state) { guide.set(state, search.start); }, search.range,
      [&](const ompl::base::State* state) { found.path.push_back(guide.pose(state)); });
  found.samples = guide.samples;
  return found;
}

}  // namespace vinci
