// SPDX-License-Identifier: Apache-2.0
// Two trees that grow towards each other [Kuffner, LaValle 2000], as OMPL has them, over any space;
// for the sources that include OMPL. OMPL's own random numbers come from a state of the whole
// process; here every one is drawn from a seed.
#pragma once

#include <exception>
#include <functional>

#include <ompl/base/StateSpace.h>
#include <ompl/util/RandomNumbers.h>

namespace vinci {

// What the trees ask about states of their space, and how far the search has come.
class TreeGuide {
 public:
  using State = ompl::base::State;

  TreeGuide(long effort, unsigned long seed, std::function<bool()> stop)
      : effort_(effort), seed_(seed), stop_(std::move(stop)) {}
  virtual ~TreeGuide() = default;

  virtual bool is_free(const State* state) = 0;
  virtual bool is_free_between(const State* a, const State* b) = 0;
  // Moves a state that is not free to a near one that is; false if it cannot.
  virtual bool make_free(State* state) = 0;
  // Any state; any state of the goal.
  virtual void draw(State* state, ompl::RNG& random) = 0;
  virtual void draw_goal(State* state, ompl::RNG& random) = 0;

  // What a callback threw waits until OMPL has returned.
  template <class Function>
  bool guarded(const Function& function) {
    if (failure_) return false;
    try {
      return function();
    } catch (...) {
      failure_ = std::current_exception();
      return false;
    }
  }
  bool is_over() {
    if (failure_ || samples >= effort_) return true;
    return stop_ && guarded(stop_);
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  unsigned long seed() const { return seed_; }

  long samples = 0;

 private:
  long effort_;
  unsigned long seed_;
  std::function<bool()> stop_;
  std::exception_ptr failure_;
};

// A space whose branches slide along bodies: what lies between two states is moved out of them. The
// trees ask for it where a branch is to end.
template <class Base>
class SlidingSpace : public Base {
 public:
  template <class... Arguments>
  explicit SlidingSpace(TreeGuide& guide, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), guide_(guide) {}

  void interpolate(const ompl::base::State* from, const ompl::base::State* to, double fraction,
                   ompl::base::State* state) const override {
    Base::interpolate(from, to, fraction, state);
    if (guide_.guarded([&] { return guide_.is_free(state); })) return;
    ompl::base::State* straight = this->cloneState(state);
    // A branch that comes no nearer would grow for ever.
    const double before = this->distance(from, to);
    const bool is_better = guide_.guarded([&] {
      return guide_.make_free(state);
    }) && !(this->distance(state, to) > before - least_progress * fraction * before);
    if (!is_better) this->copyState(state, straight);
    this->freeState(straight);
  }

 private:
  static constexpr double least_progress = 0.1;
  TreeGuide& guide_;
};

// Hands every state of a path from `start` to `take`; nothing if none is found within the effort.
// No single motion is longer than `range` as the space measures it. Throws what a callback threw.
void grow_trees(const ompl::base::StateSpacePtr& space, TreeGuide& guide,
                const std::function<void(ompl::base::State*)>& start, double range,
                const std::function<void(const ompl::base::State*)>& take);

}  // namespace vinci
