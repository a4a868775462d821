// SPDX-License-Identifier: Apache-2.0
// Blocks of signals: gains, transfer functions, state space, PID, observers, limits, delays. A
// block is numbers that do not change; its memory is a flat list that the caller keeps, so that a
// run continues bit for bit. Memory of a continuous block flows, that of a sampled one jumps at
// samples and stays in between.
#pragma once

#include <memory>
#include <optional>

#include "vinci/base/math.h"
#include "vinci/systems/linear_system.h"

namespace vinci {

// Numbers of a list, or of a part of one.
using Signals = Eigen::Ref<const VectorX>;

// Where gains of a PD stand among the inputs of a block, one per channel.
struct GainInputs {
  int proportional = 0, derivative = 0, channels = 0;
};

// Constructors throw Error for what makes no sense; the other functions take lists of the sizes
// that the block tells, and lists that are written may not overlap those that are read.
class SignalBlock {
 public:
  virtual ~SignalBlock() = default;
  virtual int inputs() const = 0;
  virtual int outputs() const = 0;
  virtual int memory_size() const { return 0; }
  virtual double sample_time() const { return 0.0; }  // s; 0: continuous, or without memory
  bool is_sampled() const { return sample_time() > 0.0; }

  virtual void begin(Eigen::Ref<VectorX> memory) const { memory.setZero(); }
  // The same where the input is known, so that filters need not begin with a jump.
  virtual void begin_at(const Signals& input, Eigen::Ref<VectorX> memory) const;
  // Whether outputs follow this input at once: what may not be part of a loop of such.
  virtual bool follows(int input) const;
  // Of a PD whose gains come with its inputs.
  virtual std::optional<GainInputs> gains() const;
  // Of this moment; the memory is that before sample().
  virtual void output(const Signals& memory, const Signals& input,
                      Eigen::Ref<VectorX> output) const = 0;
  // Of the memory, between samples.
  virtual void derivative(const Signals&, const Signals&, Eigen::Ref<VectorX> change) const {
    change.setZero();
  }
  // Over h >= 0 seconds in which the input is held and no sample lies: exact.
  virtual void advance(double, const Signals&, Eigen::Ref<VectorX>) const {}
  // At a sample, once, after output(): the memory from there to the next sample.
  virtual void sample(const Signals&, Eigen::Ref<VectorX>) const {}
};

// x' = A x + B u or x(k+1) = A x(k) + B u(k), y = C x + D u. The memory is x.
class LinearBlock : public SignalBlock {
 public:
  explicit LinearBlock(LinearSystem system);
  const LinearSystem& system() const { return system_; }

  int inputs() const override { return system_.input_count(); }
  int outputs() const override { return system_.output_count(); }
  int memory_size() const override { return system_.state_count(); }
  double sample_time() const override { return system_.sample; }
  void output(const Signals& memory, const Signals& input,
              Eigen::Ref<VectorX> output) const override;
  void derivative(const Signals& memory, const Signals& input,
                  Eigen::Ref<VectorX> change) const override;
  // Takes an exponential of a matrix; for many equal h held_block() takes one for all.
  void advance(double h, const Signals& input, Eigen::Ref<VectorX> memory) const override;
  void sample(const Signals& input, Eigen::Ref<VectorX> memory) const override;
  bool follows(int input) const override { return !system_.d.col(input).isZero(0.0); }

 private:
  LinearSystem system_;
};

// y = K u.
LinearBlock gain_block(const MatrixX& gain);
// Coefficients, highest power first, of s or, with a sample time, of z; in controllable form.
LinearBlock transfer_block(const VectorX& numerator, const VectorX& denominator,
                           double sample_time = 0.0);
// k (s − zero)/(s − pole): lead where the pole is farther left than the zero, else lag.
LinearBlock lead_block(double gain, double zero, double pole);
// A continuous block whose input is held from sample to sample, exact at the samples.
LinearBlock held_block(const LinearBlock& continuous, double sample_time);
// u = −K x̂ + N r with x̂' = A x̂ + B u + L (y − C x̂ − D u), or x̂(k+1) of a sampled plant. Inputs:
// r, then y; output: u; memory: x̂.
LinearBlock observer_block(const LinearSystem& plant, const MatrixX& feedback,
                           const MatrixX& observer, const MatrixX& reference);

// Every number is cut off at its limits, which may be infinite.
class SaturationBlock : public SignalBlock {
 public:
  SaturationBlock(VectorX lower, VectorX upper);
  int inputs() const override { return static_cast<int>(lower_.size()); }
  int outputs() const override { return inputs(); }
  const VectorX& lower() const { return lower_; }
  const VectorX& upper() const { return upper_; }
  void output(const Signals& memory, const Signals& input,
              Eigen::Ref<VectorX> output) const override;

 private:
  VectorX lower_, upper_;
};

// Outputs follow the inputs by no more than these rates (1/s, > 0). The memory is the last output.
class RateLimitBlock : public SignalBlock {
 public:
  RateLimitBlock(VectorX rising, VectorX falling, double sample_time);
  int inputs() const override { return static_cast<int>(most_.size()); }
  int outputs() const override { return inputs(); }
  int memory_size() const override { return inputs(); }
  double sample_time() const override { return sample_time_; }
  void output(const Signals& memory, const Signals& input,
              Eigen::Ref<VectorX> output) const override;
  void sample(const Signals& input, Eigen::Ref<VectorX> memory) const override;

 private:
  double limited(int i, double last, double input) const;

  VectorX least_, most_;  // changes in one sample
  double sample_time_;
};

// The inputs of a whole number of samples ago; before, zeros. The memory is what is on its way, the
// oldest first.
class DelayBlock : public SignalBlock {
 public:
  DelayBlock(int channels, int samples, double sample_time);
  int inputs() const override { return channels_; }
  int outputs() const override { return channels_; }
  int memory_size() const override { return channels_ * samples_; }
  double sample_time() const override { return sample_time_; }
  bool follows(int) const override { return samples_ == 0; }
  void output(const Signals& memory, const Signals& input,
              Eigen::Ref<VectorX> output) const override;
  void sample(const Signals& input, Eigen::Ref<VectorX> memory) const override;

 private:
  int channels_, samples_;
  double sample_time_;
};

// s/(τ s + 1) at samples, right for inputs that grow steadily:
//   d(k) = β d(k−1) + (1 − β) (u(k) − u(k−1))/h,  β = exp(−h/τ).
// With x(k+1) = β x(k) + (1 − β) u(k) it is d(k) = (1 − β) (u(k) − x(k))/h.
struct FilteredDerivative {
  double share = 0.0;        // 1 − β: how far x comes in a sample
  double sample_time = 1.0;  // h, s

  FilteredDerivative() = default;
  FilteredDerivative(double time_constant, double sample_time);
  double value(double filtered, double input) const {
    return share * (input - filtered) / sample_time;
  }
  double next(double filtered, double input) const { return filtered + share * (input - filtered); }
};

struct PidNumbers {
  double proportional = 0.0, integral = 0.0, derivative = 0.0;  // K_p, K_i, K_d
  double filter = 0.0;  // s: time constant τ of the derivative; needed where K_d is not zero
  double lower = -infinity, upper = infinity;  // limits of the output
};

// u = K_p e + K_i ∫ e dt + K_d s/(τ s + 1) e of one error e, cut off. The integral stays where it
// would drive a cut-off output farther (clamping). Memory: K_i ∫ e dt, and x of the filter.
class PidBlock : public SignalBlock {
 public:
  PidBlock(const PidNumbers& numbers, double sample_time);
  int inputs() const override { return 1; }
  int outputs() const override { return 1; }
  int memory_size() const override { return 2; }
  double sample_time() const override { return sample_time_; }
  void output(const Signals& memory, const Signals& input,
              Eigen::Ref<VectorX> output) const override;
  void sample(const Signals& input, Eigen::Ref<VectorX> memory) const override;

 private:
  double wanted(const Signals& memory, double error) const;  // before it is cut off

  PidNumbers numbers_;
  FilteredDerivative filter_;
  double sample_time_;
};

// The digital PD with feed-forward of [Bortoff 2020, eq. 11], per channel
//   u(k) = kp(k) (r(k) − y(k)) + kd(k) (r'(k) − y'(k)) + r''(k) + f(k),
// where y' is the filtered derivative of y. Inputs, each a list of the channels: r, r', r'', f, y,
// kp, kd. Memory: x of the filters.
class DigitalPdBlock : public SignalBlock {
 public:
  enum Input { reference, rate, acceleration, force, measured, proportional, derivative_gain };
  static constexpr int lists = 7;

  DigitalPdBlock(int channels, double filter, double sample_time);
  // At rest at the measured y; begin() means rest at 0.
  void begin_at(const Signals& input, Eigen::Ref<VectorX> memory) const override {
    memory = input.segment(measured * channels_, channels_);
  }
  int inputs() const override { return lists * channels_; }
  std::optional<GainInputs> gains() const override {
    return GainInputs{proportional * channels_, derivative_gain * channels_, channels_};
  }
  int outputs() const override { return channels_; }
  int memory_size() const override { return channels_; }
  double sample_time() const override { return sample_time_; }
  void output(const Signals& memory, const Signals& input,
              Eigen::Ref<VectorX> output) const override;
  void sample(const Signals& input, Eigen::Ref<VectorX> memory) const override;

 private:
  int channels_;
  FilteredDerivative filter_;
  double sample_time_;
};

// A hold of zero order: a sampled block among faster ones, which is asked at every `steps`-th
// sample of theirs; its outputs are held in between. Memory: samples since it was asked, the
// outputs that are held, and the memory of the block.
class HoldBlock : public SignalBlock {
 public:
  HoldBlock(std::shared_ptr<const SignalBlock> block, int steps);
  int inputs() const override { return block_->inputs(); }
  int outputs() const override { return block_->outputs(); }
  int memory_size() const override { return 1 + outputs() + block_->memory_size(); }
  double sample_time() const override { return block_->sample_time() / steps_; }
  void begin(Eigen::Ref<VectorX> memory) const override;
  void output(const Signals& memory, const Signals& input,
              Eigen::Ref<VectorX> output) const override;
  void sample(const Signals& input, Eigen::Ref<VectorX> memory) const override;

 private:
  std::shared_ptr<const SignalBlock> block_;
  int steps_;
};

}  // namespace vinci
