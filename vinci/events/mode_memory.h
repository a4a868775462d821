// SPDX-License-Identifier: Apache-2.0
// Between the state of a hybrid system and what a State of the model remembers of it, by entities.
#pragma once

#include "vinci/events/model_system.h"
#include "vinci/hybrid/hybrid_motion.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

// The hybrid state at the system's own state. Contacts that nothing is remembered of act where
// their gap is at most `touching` (m), which is rounding: what is open touches when it has closed.
// Where other features of two shapes have acted, those that are as near act instead. Links act;
// friction is free, until what it acts with does.
HybridState hybrid_state(const ModelSystem& system, double touching);
// What a State is to remember of it.
std::vector<ModeMemory> mode_memory(const ModelSystem& system, const HybridState& hybrid);

// Modes and events as steps leave them, one per contact, joint part, constraint or machine.
class ModeReader {
 public:
  explicit ModeReader(const ModelSystem& system);
  // The modes of a state; forces and gaps as given.
  void read(const HybridState& hybrid, const VectorX& multipliers,
            const Eigen::Matrix<Series<double>, Eigen::Dynamic, 1>& gaps,
            std::vector<ConstraintMode>& modes) const;
  // Events of a motion that began in `before`, appended.
  void read(const std::vector<HybridEvent>& events, const HybridState& before,
            std::vector<StepEvent>& list) const;

 private:
  ConstraintState state_of(const std::vector<ContactState>& states, int normal) const;
  int head_of(int constraint) const;

  const ModelSystem& system_;
  std::vector<int> first_tangent_;  // per constraint: of a contact with friction, else −1
};

}  // namespace vinci
