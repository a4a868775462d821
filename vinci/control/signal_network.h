// SPDX-License-Identifier: Apache-2.0
// Blocks of signals that are wired to each other (blocks.h), as a scene has them under `signals`:
// from coordinates and rates to forces. Made by SignalBuilder (signal_builder.h).
//
// What it remembers is one flat list that the caller keeps, so that a run continues bit for bit:
// first the states of continuous blocks, which flow, then what sampled blocks keep, which changes
// at samples only. Between samples the outputs of sampled blocks are held.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vinci/base/dual.h"
#include "vinci/base/expression.h"
#include "vinci/control/blocks.h"
#include "vinci/control/trajectory.h"
#include "vinci/model/signal.h"

namespace vinci {

class SignalNetwork {
 public:
  // A signal that comes from outside: the number that it has if nothing is given, and its name.
  struct Input {
    std::string name;
    double value = 0.0;
  };

  int state_count() const { return state_count_; }
  int memory_size() const { return memory_size_; }  // states, then what sampled blocks keep
  const std::vector<CoordinateRead>& reads() const { return reads_; }
  const std::vector<ForceInput>& drives() const { return drives_; }  // each one once
  const std::vector<Input>& inputs() const { return inputs_; }
  // "lead1.state_0"; of one memory_size() long: "lead1.state_0 [1]", "pd.next_sample [s]".
  std::vector<std::string> state_names() const;
  std::vector<std::string> memory_columns() const;
  std::vector<std::string> signal_columns() const;  // "lead1 [1]"; of lists "r_0 [1]"
  // Of all signals, "lead1", "r_1"; their numbers in signals().
  const std::vector<std::string>& signal_names() const { return signal_names_; }

  // States and filters begin at rest, the outputs of sampled blocks as their first sample has them.
  // Samples at `time` itself are due.
  void begin(double time, const VectorX& reads, Eigen::Ref<VectorX> memory) const;
  // Forces at the drives and rates of the continuous states; `sampled` is the part of the memory
  // behind the states. `inputs` as inputs() has them; null: their own values. T: double and
  // Dual<double>.
  template <class T>
  void flow(double time, const VectorOf<T>& reads, const VectorOf<T>& states,
            const VectorX& sampled, VectorOf<T>& forces, VectorOf<T>& rates,
            const VectorOf<T>* inputs = nullptr) const;
  // The signals in the same way.
  template <class T>
  void evaluate(double time, const VectorOf<T>& reads, const VectorOf<T>& states,
                const VectorX& sampled, VectorOf<T>& signals,
                const VectorOf<T>* inputs = nullptr) const;
  void signals(double time, const VectorX& reads, const VectorX& memory,
               Eigen::Ref<VectorX> values) const;
  // When the next sample is due; infinite: none. After sample() at a time it is later.
  double next_sample(const VectorX& memory) const;
  // Takes all samples that are due at `time` (to rounding); those missed are taken once.
  void sample(double time, const VectorX& reads, Eigen::Ref<VectorX> memory) const;
  // Over h >= 0 seconds in which no sample lies: every continuous block exactly, its input held at
  // what it is at `time`. `steps` keeps the exponentials for the next call with the same h.
  struct HeldSteps {
    double h = -1.0;
    std::vector<LinearBlock> blocks;
  };
  void advance(double time, double h, const VectorX& reads, Eigen::Ref<VectorX> memory,
               HeldSteps& steps) const;

  // Where gains of PDs that depend on the time alone leave 0 <= kp <= kd², which keeps the loop of
  // a double integrator stable while kp changes and kd does not [Bortoff 2020, eq. 12], at samples
  // from 0 to the duration: sentences for people.
  std::vector<std::string> gain_notes(double duration) const;

 private:
  friend class SignalBuilder;
  template <class T>
  class Numbers;  // of all slots: the time, what is read, then what parts write

  // Writes some slots from others, all of which are written before it.
  struct Part {
    enum class Kind {
      expressions,  // one per slot
      sum,          // of lists that lie one after the other in `input`, as long as the slots
      product,
      linear,      // a continuous block of the states
      saturation,  // a block without memory
      sampled,     // what is held
      trajectory,  // positions, rates, accelerations
      input        // from outside
    };
    Kind kind = Kind::expressions;
    int first = 0, size = 0;    // slots that it writes
    int input = 0, inputs = 0;  // slots that a block reads; they may be written after it
    int memory = 0;             // its first state, or first number among those of sampled blocks
    int outside = 0;            // its first one of inputs_
    std::vector<Expression> expressions = {};  // of the slots
    std::shared_ptr<const LinearBlock> linear = {};
    std::shared_ptr<const SaturationBlock> saturation = {};
    std::shared_ptr<const SignalBlock> sampled = {};
    std::shared_ptr<const Trajectory> trajectory = {};
    std::string name = {};  // of the signal
  };
  // What acts on a drive.
  struct Push {
    int drive = 0, slot = 0;
  };

  template <class T>
  Numbers<T> start(double time, const VectorOf<T>& reads, const VectorOf<T>* inputs) const;
  template <class T>
  void write(const Part& part, Numbers<T>& numbers, const VectorOf<T>& states,
             const Eigen::Ref<const VectorX>& sampled) const;
  template <class T>
  Numbers<T> run(double time, const VectorOf<T>& reads, const VectorOf<T>& states,
                 const Eigen::Ref<const VectorX>& sampled, const VectorOf<T>* inputs) const;
  std::vector<char> slots_of_time() const;
  bool is_due(const Part& part, const Eigen::Ref<const VectorX>& sampled, double time) const;

  int state_count_ = 0, memory_size_ = 0, slots_ = 1;
  std::vector<CoordinateRead> reads_;
  std::vector<ForceInput> drives_;
  std::vector<Input> inputs_;
  std::vector<Part> parts_;  // in the order in which they are written
  std::vector<Push> pushes_;
  std::vector<std::string> signal_names_;
  std::vector<int> signal_slots_;
};

}  // namespace vinci
