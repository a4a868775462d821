// SPDX-License-Identifier: Apache-2.0
// A model about a state with what acts there, by the state and by names; equilibria. Parts of
// linear_scene.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vinci/events/linear_scene.h"

namespace vinci {

// A wish of a mode, and the constraints that it is about.
struct NamedState {
  std::string text;
  ContactState state = ContactState::free;
  std::vector<int> constraints;
};

// The model about a state, with the constraints that can act there.
class Linearised {
 public:
  Linearised(const LinearPoint& point, const LinearWishes& wishes, const State& state);

  ModelSystem& system() { return *system_; }
  HybridState& hybrid() { return hybrid_; }
  const VectorX& values() const { return values_; }
  const std::vector<LinearInput>& inputs() const { return inputs_; }
  const std::vector<LinearOutput>& outputs() const { return outputs_; }
  bool is_named(int constraint) const { return named_[static_cast<std::size_t>(constraint)]; }
  // By the machine that switches it.
  bool is_on(int constraint) const {
    const Constraint& one = system_->constraints()[static_cast<std::size_t>(constraint)];
    return one.machine < 0 || one.on[static_cast<std::size_t>(
                                  hybrid_.machines[static_cast<std::size_t>(one.machine)])];
  }
  const SystemFrame<double>& frame() const { return frame_; }

  void evaluate() {
    frame_.time = hybrid_.time;
    frame_.positions = hybrid_.positions;
    frame_.velocities = hybrid_.velocities;
    frame_.extras = hybrid_.extras;
    frame_.inputs = values_;
    system_->evaluate(frame_);
  }
  // The largest gap that counts as closed.
  double tolerance(int constraint) const;
  void set(int constraint, ContactState state);

 private:
  void place(const State& state, double reach);
  void names();
  bool name_machine(const std::string& name, const std::string& state);
  void choose();
  std::vector<int> that_can_touch(const NamedState& wish);
  ContactState own_state(int constraint) const;
  bool is_remembered(int constraint) const;

  const LinearPoint& point_;
  const LinearWishes& wishes_;
  std::unique_ptr<ModelSystem> system_;
  HybridState hybrid_;
  SystemFrame<double> frame_;
  VectorX values_;
  std::vector<LinearInput> inputs_;
  std::vector<LinearOutput> outputs_;
  std::vector<NamedState> mode_;
  std::vector<bool> named_;
  bool machines_are_remembered_ = true;  // none is named in another state
};

// The constraint that has to change for the mode to be one: a contact that pulls, or bodies that
// overlap; −1: none.
struct Change {
  int constraint = -1;
  ContactState to = ContactState::free;
  double amount = 0.0;
};
Change worst_change(Linearised& at, const VectorX& forces);
// Throws Error where what is named would have to change.
void check_named(Linearised& at, const Change& change);

// Throws Error with the friction that would have to hold more than it can.
[[noreturn]] void tell_what_slides(Linearised& at, const VectorX& forces);

// At rest, in balance, with a mode that is one and forces that it can bear.
std::unique_ptr<Linearised> at_equilibrium(const LinearPoint& point, const LinearWishes& wishes,
                                           LinearScene& result);

}  // namespace vinci
