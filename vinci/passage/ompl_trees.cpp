// SPDX-License-Identifier: Apache-2.0
#include "vinci/passage/ompl_trees.h"

#include <limits>
#include <memory>

#include <ompl/base/MotionValidator.h>
#include <ompl/base/ProblemDefinition.h>
#include <ompl/base/ScopedState.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/goals/GoalSampleableRegion.h>
#include <ompl/datastructures/NearestNeighborsLinear.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>

namespace vinci {
namespace {

namespace ob = ompl::base;

class TreeSampler : public ob::StateSampler {
 public:
  TreeSampler(const ob::StateSpace* space, TreeGuide& guide) : StateSampler(space), guide_(guide) {
    rng_.setLocalSeed(static_cast<std::uint_fast32_t>(guide.seed() + 1));
  }
  void sampleUniform(ob::State* state) override {
    ++guide_.samples;
    guide_.draw(state, rng_);
    space_->enforceBounds(state);
  }
  // The trees draw from the whole space alone.
  void sampleUniformNear(ob::State* state, const ob::State*, double) override {
    sampleUniform(state);
  }
  void sampleGaussian(ob::State* state, const ob::State*, double) override { sampleUniform(state); }

 private:
  TreeGuide& guide_;
};

class TreeGoal : public ob::GoalSampleableRegion {
 public:
  TreeGoal(const ob::SpaceInformationPtr& space, TreeGuide& guide)
      : GoalSampleableRegion(space), guide_(guide) {
    random_.setLocalSeed(static_cast<std::uint_fast32_t>(guide.seed() + 2));
  }
  void sampleGoal(ob::State* state) const override {
    ++guide_.samples;
    guide_.draw_goal(state, random_);
  }
  unsigned maxSampleCount() const override { return std::numeric_limits<unsigned>::max(); }
  // The trees meet where a drawn goal is; nobody else asks.
  double distanceGoal(const ob::State*) const override {
    return std::numeric_limits<double>::infinity();
  }

 private:
  TreeGuide& guide_;
  mutable ompl::RNG random_;
};

class FreeStates : public ob::StateValidityChecker {
 public:
  FreeStates(const ob::SpaceInformationPtr& space, TreeGuide& guide)
      : StateValidityChecker(space), guide_(guide) {}
  bool isValid(const ob::State* state) const override {
    return guide_.guarded([&] { return guide_.is_free(state); });
  }

 private:
  TreeGuide& guide_;
};

class FreeMotions : public ob::MotionValidator {
 public:
  FreeMotions(const ob::SpaceInformationPtr& space, TreeGuide& guide)
      : MotionValidator(space), guide_(guide) {}
  bool checkMotion(const ob::State* a, const ob::State* b) const override {
    return si_->isValid(b) && guide_.guarded([&] { return guide_.is_free_between(a, b); });
  }
  bool checkMotion(const ob::State* a, const ob::State* b,
                   std::pair<ob::State*, double>& last) const override {
    if (checkMotion(a, b)) return true;
    if (last.first != nullptr) si_->copyState(last.first, a);
    last.second = 0.0;
    return false;
  }

 private:
  TreeGuide& guide_;
};

}  // namespace

void grow_trees(const ob::StateSpacePtr& space, TreeGuide& guide,
                const std::function<void(ob::State*)>& start, double range,
                const std::function<void(const ob::State*)>& take) {
  ompl::msg::noOutputHandler();
  space->setStateSamplerAllocator(
      [&](const ob::StateSpace* owner) { return std::make_shared<TreeSampler>(owner, guide); });
  const auto information = std::make_shared<ob::SpaceInformation>(space);
  information->setStateValidityChecker(std::make_shared<FreeStates>(information, guide));
  information->setMotionValidator(std::make_shared<FreeMotions>(information, guide));
  information->setup();
  const auto problem = std::make_shared<ob::ProblemDefinition>(information);
  ob::ScopedState<> first(space);
  start(first.get());
  problem->addStartState(first);
  problem->setGoal(std::make_shared<TreeGoal>(information, guide));

  ompl::geometric::RRTConnect planner(information);
  planner.setNearestNeighbors<ompl::NearestNeighborsLinear>();  // the only one without chance
  planner.setRange(range);
  planner.setProblemDefinition(problem);
  planner.setup();
  const ob::PlannerStatus status =
      planner.solve(ob::PlannerTerminationCondition([&] { return guide.is_over(); }));
  guide.rethrow();
  if (status != ob::PlannerStatus::EXACT_SOLUTION) return;
  auto* path = problem->getSolutionPath()->as<ompl::geometric::PathGeometric>();
  for (const ob::State* state : path->getStates()) take(state);
}

}  // namespace vinci
