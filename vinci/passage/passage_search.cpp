// SPDX-License-Identifier: Apache-2.0
// Two trees that grow towards each other [Kuffner, LaValle 2000], as OMPL has them. OMPL's own
// random numbers come from a state of the whole process; here every one is drawn from the search's
// seed.
#include "vinci/passage/passage_search.h"

#include <exception>
#include <limits>
#include <memory>

#include <ompl/base/MotionValidator.h>
#include <ompl/base/ProblemDefinition.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/goals/GoalSampleableRegion.h>
#include <ompl/base/spaces/SE2StateSpace.h>
#include <ompl/base/spaces/SE3StateSpace.h>
#include <ompl/datastructures/NearestNeighborsLinear.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>

namespace vinci {
namespace {

namespace ob = ompl::base;
using Planar = ob::SE2StateSpace;
using Spatial = ob::SE3StateSpace;

// Poses as OMPL's states, and how far the search has come.
class Translation {
 public:
  explicit Translation(const PathSearch& search)
      : search_(search), angle_(planar_angle(search.start.rotation)) {}

  Pose pose(const ob::State* state) const {
    if (search_.planar) {
      const auto* s = state->as<Planar::StateType>();
      return {Vector3(s->getX(), s->getY(), search_.start.position.z()),
              rotation_about_z(s->getYaw() - angle_) * search_.start.rotation};
    }
    const auto* s = state->as<Spatial::StateType>();
    const auto& q = s->rotation();
    return {Vector3(s->getX(), s->getY(), s->getZ()), Quaternion(q.w, q.x, q.y, q.z)};
  }
  void set(ob::State* state, const Pose& pose) const {
    const Vector3& p = pose.position;
    if (search_.planar) {
      auto* s = state->as<Planar::StateType>();
      s->setXY(p.x(), p.y());
      const Quaternion turn = pose.rotation * search_.start.rotation.conjugate();
      const double yaw = std::remainder(planar_angle(turn) + angle_, 2.0 * M_PI);
      s->setYaw(yaw < M_PI ? yaw : -M_PI);  // OMPL refuses π itself
    } else {
      auto* s = state->as<Spatial::StateType>();
      s->setXYZ(p.x(), p.y(), p.z());
      s->rotation().x = pose.rotation.x();
      s->rotation().y = pose.rotation.y();
      s->rotation().z = pose.rotation.z();
      s->rotation().w = pose.rotation.w();
    }
  }
  const PathSearch& search() const { return search_; }

  // What a callback threw waits until OMPL has returned.
  template <class Function>
  bool guarded(const Function& function) {
    if (failure) return false;
    try {
      return function();
    } catch (...) {
      failure = std::current_exception();
      return false;
    }
  }
  bool is_over() {
    if (failure || samples >= search_.effort) return true;
    return search_.stop && guarded(search_.stop);
  }

  long samples = 0;
  std::exception_ptr failure;

 private:
  const PathSearch& search_;
  double angle_;
};

class Sampler : public ob::StateSampler {
 public:
  Sampler(const ob::StateSpace* space, Translation& translation)
      : StateSampler(space), translation_(translation) {
    rng_.setLocalSeed(static_cast<std::uint_fast32_t>(translation.search().seed + 1));
  }
  void sampleUniform(ob::State* state) override {
    const PathSearch& search = translation_.search();
    const bool shall_be_free = ++translation_.samples % 2 == 0;
    Pose pose = draw(search.lower, search.upper);
    const Pose drawn = pose;
    if (shall_be_free && !translation_.guarded([&] { return search.make_free(pose); }))
      pose = drawn;
    translation_.set(state, pose);
    space_->enforceBounds(state);
  }
  void sampleUniformNear(ob::State* state, const ob::State* near, double distance) override {
    const Vector3 p = translation_.pose(near).position, d = Vector3::Constant(distance);
    translation_.set(state, draw(p - d, p + d));
    space_->enforceBounds(state);
  }
  void sampleGaussian(ob::State* state, const ob::State* mean, double deviation) override {
    sampleUniformNear(state, mean, std::abs(rng_.gaussian(0.0, deviation)));
  }

 private:
  Pose draw(const Vector3& lower, const Vector3& upper) {
    Pose pose = translation_.search().start;
    const int axes = translation_.search().planar ? 2 : 3;
    for (int i = 0; i < axes; ++i) pose.position[i] = rng_.uniformReal(lower[i], upper[i]);
    if (axes == 2) {
      pose.rotation = rotation_about_z(rng_.uniformReal(-M_PI, M_PI)) * pose.rotation;
    } else {
      double q[4];
      rng_.quaternion(q);
      pose.rotation = Quaternion(q[3], q[0], q[1], q[2]);
    }
    return pose;
  }
  Translation& translation_;
};

class Goal : public ob::GoalSampleableRegion {
 public:
  Goal(const ob::SpaceInformationPtr& space, Translation& translation)
      : GoalSampleableRegion(space), translation_(translation) {
    random_.setLocalSeed(static_cast<std::uint_fast32_t>(translation.search().seed + 2));
  }
  void sampleGoal(ob::State* state) const override {
    ++translation_.samples;
    std::array<double, 6> numbers;
    for (double& number : numbers) number = random_.uniform01();
    translation_.set(state, translation_.search().goal(numbers));
  }
  unsigned maxSampleCount() const override { return std::numeric_limits<unsigned>::max(); }
  // The trees meet where a drawn goal pose is; nobody else asks.
  double distanceGoal(const ob::State*) const override {
    return std::numeric_limits<double>::infinity();
  }

 private:
  Translation& translation_;
  mutable ompl::RNG random_;
};

class FreePoses : public ob::StateValidityChecker {
 public:
  FreePoses(const ob::SpaceInformationPtr& space, Translation& translation)
      : StateValidityChecker(space), translation_(translation) {}
  bool isValid(const ob::State* state) const override {
    return translation_.guarded(
        [&] { return translation_.search().is_free(translation_.pose(state)); });
  }

 private:
  Translation& translation_;
};

class FreeMotions : public ob::MotionValidator {
 public:
  FreeMotions(const ob::SpaceInformationPtr& space, Translation& translation)
      : MotionValidator(space), translation_(translation) {}
  bool checkMotion(const ob::State* a, const ob::State* b) const override {
    return si_->isValid(b) && translation_.guarded([&] {
      return translation_.search().is_free_between(translation_.pose(a), translation_.pose(b));
    });
  }
  bool checkMotion(const ob::State* a, const ob::State* b,
                   std::pair<ob::State*, double>& last) const override {
    if (checkMotion(a, b)) return true;
    if (last.first != nullptr) si_->copyState(last.first, a);
    last.second = 0.0;
    return false;
  }

 private:
  Translation& translation_;
};

// Poses, and what lies between two of them: the trees ask for it where a branch is to end.
template <class Base>
class Space : public Base {
 public:
  Space(Translation& translation, const ob::RealVectorBounds& bounds, double turn_weight)
      : translation_(translation) {
    this->setBounds(bounds);
    this->setSubspaceWeight(1, turn_weight);
  }
  void interpolate(const ob::State* from, const ob::State* to, double fraction,
                   ob::State* state) const override {
    Base::interpolate(from, to, fraction, state);
    const Pose straight = translation_.pose(state);
    Pose pose = straight;
    if (translation_.guarded([&] { return translation_.search().is_free(pose); })) return;
    if (!translation_.guarded([&] { return translation_.search().make_free(pose); })) return;
    translation_.set(state, pose);
    // A branch that comes no nearer would grow for ever.
    const double before = this->distance(from, to);
    if (this->distance(state, to) > before - least_progress * fraction * before)
      translation_.set(state, straight);
  }

 private:
  static constexpr double least_progress = 0.1;
  Translation& translation_;
};

// A turn by φ counts as radius · φ, as Clearance::travel() does.
ob::StateSpacePtr make_space(Translation& translation) {
  const PathSearch& search = translation.search();
  const unsigned axes = search.planar ? 2 : 3;
  ob::RealVectorBounds bounds(axes);
  for (unsigned i = 0; i < axes; ++i) {
    bounds.setLow(i, search.lower[i]);
    bounds.setHigh(i, search.upper[i]);
  }
  if (search.planar) return std::make_shared<Space<Planar>>(translation, bounds, search.radius);
  // OMPL measures half the angle.
  return std::make_shared<Space<Spatial>>(translation, bounds, 2.0 * search.radius);
}

}  // namespace

PathFound search_path(const PathSearch& search) {
  ompl::msg::noOutputHandler();
  Translation translation(search);
  const ob::StateSpacePtr space = make_space(translation);
  space->setStateSamplerAllocator(
      [&](const ob::StateSpace* owner) { return std::make_shared<Sampler>(owner, translation); });
  const auto information = std::make_shared<ob::SpaceInformation>(space);
  information->setStateValidityChecker(std::make_shared<FreePoses>(information, translation));
  information->setMotionValidator(std::make_shared<FreeMotions>(information, translation));
  information->setup();
  const auto problem = std::make_shared<ob::ProblemDefinition>(information);
  ob::ScopedState<> start(space);
  translation.set(start.get(), search.start);
  problem->addStartState(start);
  problem->setGoal(std::make_shared<Goal>(information, translation));

  ompl::geometric::RRTConnect planner(information);
  planner.setNearestNeighbors<ompl::NearestNeighborsLinear>();  // the only one without chance
  planner.setRange(search.range);
  planner.setProblemDefinition(problem);
  planner.setup();
  const ob::PlannerStatus status =
      planner.solve(ob::PlannerTerminationCondition([&] { return translation.is_over(); }));
  if (translation.failure) std::rethrow_exception(translation.failure);

  PathFound found;
  found.samples = translation.samples;
  if (status == ob::PlannerStatus::EXACT_SOLUTION) {
    auto* path = problem->getSolutionPath()->as<ompl::geometric::PathGeometric>();
    for (const ob::State* state : path->getStates()) found.path.push_back(translation.pose(state));
  }
  return found;
}

}  // namespace vinci
