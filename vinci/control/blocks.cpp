// SPDX-License-Identifier: Apache-2.0
// Blocks of signals: checks of their numbers, outputs, and how memories advance.
#include "vinci/control/blocks.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/systems/transfer_function.h"

namespace vinci {

namespace {

void check_sample_time(double sample_time, const char* where) {
  if (!(sample_time > 0.0 && sample_time < infinity))
    throw Error(fmt::format("a sample time of {} s; accepted: above 0 and finite", sample_time),
                where);
}

void check_count(int count, int least, const char* what, const char* where) {
  if (count < least)
    throw Error(fmt::format("{} {}; accepted: {} or more", count, what, least), where);
}

void check_finite(double number, const char* what, const char* where) {
  if (!std::isfinite(number))
    throw Error(fmt::format("{} is {}; accepted: finite numbers", what, number), where);
}

void check_limits(double lower, double upper, const char* where) {
  if (!(lower <= upper && lower < infinity && upper > -infinity))
    throw Error(fmt::format("limits {} and {}; accepted: a lower one that is not above the upper "
                            "one, -inf and inf for none",
                            lower, upper),
                where);
}

void check_lengths(const VectorX& first, const VectorX& second, const char* what,
                   const char* where) {
  if (first.size() != second.size() || first.size() == 0)
    throw Error(fmt::format("{} and {} {}; accepted: one of each per signal, at least one",
                            first.size(), second.size(), what),
                where);
}

void check_matrix(const MatrixX& matrix, const char* name, int rows, int columns,
                  const char* where) {
  if (matrix.rows() != rows || matrix.cols() != columns)
    throw Error(fmt::format("{} has {} rows and {} columns; accepted: {} and {}", name,
                            matrix.rows(), matrix.cols(), rows, columns),
                where);
  if (!matrix.allFinite())
    throw Error(fmt::format("{} has numbers that are not finite; accepted: finite numbers", name),
                where);
}

}  // namespace

void SignalBlock::begin_at(const Signals&, Eigen::Ref<VectorX> memory) const {
  begin(memory);
}

bool SignalBlock::follows(int) const {
  return true;
}

std::optional<GainInputs> SignalBlock::gains() const {
  return std::nullopt;
}

LinearBlock::LinearBlock(LinearSystem system) : system_(std::move(system)) {
  check_system(system_);
}

void LinearBlock::output(const Signals& memory, const Signals& input,
                         Eigen::Ref<VectorX> output) const {
  output.noalias() = system_.d * input;
  output.noalias() += system_.c * memory;
}

void LinearBlock::derivative(const Signals& memory, const Signals& input,
                             Eigen::Ref<VectorX> change) const {
  if (is_sampled()) {
    change.setZero();
    return;
  }
  change.noalias() = system_.a * memory;
  change.noalias() += system_.b * input;
}

void LinearBlock::advance(double h, const Signals& input, Eigen::Ref<VectorX> memory) const {
  if (is_sampled() || memory.size() == 0 || h == 0.0) return;
  const LinearSystem held = sampled_with_hold(system_, h);
  memory = (held.a * memory + held.b * input).eval();
}

void LinearBlock::sample(const Signals& input, Eigen::Ref<VectorX> memory) const {
  if (is_sampled()) memory = (system_.a * memory + system_.b * input).eval();
}

LinearBlock gain_block(const MatrixX& gain) {
  return LinearBlock(constant_system(gain));
}

LinearBlock transfer_block(const VectorX& numerator, const VectorX& denominator,
                           double sample_time) {
  try {
    return LinearBlock(system_of(numerator, denominator, sample_time));
  } catch (const Error& error) {
    throw Error(error.message() +
                    "; accepted: finite coefficients, a denominator that is not zero and is of at "
                    "least the numerator's degree, a sample time of 0 or more",
                "transfer function");
  }
}

LinearBlock lead_block(double gain, double zero, double pole) {
  const char* where = "lead or lag";
  check_finite(gain, "the gain", where);
  check_finite(zero, "the zero", where);
  check_finite(pole, "the pole", where);
  return transfer_block(Vector2(gain, -gain * zero), Vector2(1.0, -pole));
}

LinearBlock held_block(const LinearBlock& continuous, double sample_time) {
  check_sample_time(sample_time, "held block");
  if (continuous.is_sampled())
    throw Error("a sampled block; accepted: a continuous one", "held block");
  return LinearBlock(sampled_with_hold(continuous.system(), sample_time));
}

LinearBlock observer_block(const LinearSystem& plant, const MatrixX& feedback,
                           const MatrixX& observer, const MatrixX& reference) {
  check_system(plant);
  const char* where = "observer";
  const int n = plant.state_count(), m = plant.input_count(), p = plant.output_count();
  const int r = static_cast<int>(reference.cols());
  check_matrix(feedback, "K", m, n, where);
  check_matrix(observer, "L", n, p, where);
  check_matrix(reference, "N", m, r, where);
  // x̂' = (A − L C) x̂ + (B − L D) u + L y.
  const MatrixX drive = plant.b - observer * plant.d;
  LinearSystem system;
  system.sample = plant.sample;
  system.a = plant.a - observer * plant.c - drive * feedback;
  system.b.resize(n, r + p);
  system.b << drive * reference, observer;
  system.c = -feedback;
  system.d = MatrixX::Zero(m, r + p);
  system.d.leftCols(r) = reference;
  return LinearBlock(std::move(system));
}

SaturationBlock::SaturationBlock(VectorX lower, VectorX upper)
    : lower_(std::move(lower)), upper_(std::move(upper)) {
  check_lengths(lower_, upper_, "limits", "saturation");
  for (int i = 0; i < inputs(); ++i) check_limits(lower_[i], upper_[i], "saturation");
}

void SaturationBlock::output(const Signals&, const Signals& input,
                             Eigen::Ref<VectorX> output) const {
  output = input.cwiseMax(lower_).cwiseMin(upper_);
}

RateLimitBlock::RateLimitBlock(VectorX rising, VectorX falling, double sample_time)
    : least_(std::move(falling)), most_(std::move(rising)), sample_time_(sample_time) {
  const char* where = "rate limit";
  check_lengths(most_, least_, "rates", where);
  for (const VectorX* rates : {&most_, &least_})
    for (const double rate : *rates)
      if (!(rate > 0.0))
        throw Error(fmt::format("a rate of {}; accepted: above 0, inf for none", rate), where);
  check_sample_time(sample_time, where);
  least_ *= -sample_time;
  most_ *= sample_time;
}

double RateLimitBlock::limited(int i, double last, double input) const {
  const double change = input - last;
  // Inputs that are reached are so with their very bits.
  if (change > most_[i]) return last + most_[i];
  if (change < least_[i]) return last + least_[i];
  return input;
}

void RateLimitBlock::output(const Signals& memory, const Signals& input,
                            Eigen::Ref<VectorX> output) const {
  for (int i = 0; i < inputs(); ++i) output[i] = limited(i, memory[i], input[i]);
}

void RateLimitBlock::sample(const Signals& input, Eigen::Ref<VectorX> memory) const {
  for (int i = 0; i < inputs(); ++i) memory[i] = limited(i, memory[i], input[i]);
}

DelayBlock::DelayBlock(int channels, int samples, double sample_time)
    : channels_(channels), samples_(samples), sample_time_(sample_time) {
  check_count(channels, 1, "channels", "delay");
  check_count(samples, 0, "samples", "delay");
  check_sample_time(sample_time, "delay");
}

void DelayBlock::output(const Signals& memory, const Signals& input,
                        Eigen::Ref<VectorX> output) const {
  if (samples_ == 0)
    output = input;
  else
    output = memory.head(channels_);
}

void DelayBlock::sample(const Signals& input, Eigen::Ref<VectorX> memory) const {
  if (samples_ == 0) return;
  double* const numbers = memory.data();
  std::copy(numbers + channels_, numbers + memory.size(), numbers);
  memory.tail(channels_) = input;
}

FilteredDerivative::FilteredDerivative(double time_constant, double sample_time_)
    : share(-std::expm1(-sample_time_ / time_constant)), sample_time(sample_time_) {
  if (!(time_constant > 0.0 && time_constant < infinity))
    throw Error(fmt::format("a time constant of {} s; accepted: above 0 and finite", time_constant),
                "filtered derivative");
}

PidBlock::PidBlock(const PidNumbers& numbers, double sample_time)
    : numbers_(numbers), sample_time_(sample_time) {
  check_sample_time(sample_time, "PID");
  check_finite(numbers.proportional, "the proportional gain", "PID");
  check_finite(numbers.integral, "the integral gain", "PID");
  check_finite(numbers.derivative, "the derivative gain", "PID");
  check_limits(numbers.lower, numbers.upper, "PID");
  if (numbers.derivative != 0.0) filter_ = FilteredDerivative(numbers.filter, sample_time);
}

double PidBlock::wanted(const Signals& memory, double error) const {
  double sum = numbers_.proportional * error + memory[0];
  if (numbers_.derivative != 0.0) sum += numbers_.derivative * filter_.value(memory[1], error);
  return sum;
}

void PidBlock::output(const Signals& memory, const Signals& input,
                      Eigen::Ref<VectorX> output) const {
  output[0] = std::clamp(wanted(memory, input[0]), numbers_.lower, numbers_.upper);
}

void PidBlock::sample(const Signals& input, Eigen::Ref<VectorX> memory) const {
  const double error = input[0], sum = wanted(memory, error);
  const double growth = numbers_.integral * error * sample_time_;
  const bool farther =
      (sum > numbers_.upper && growth > 0.0) || (sum < numbers_.lower && growth < 0.0);
  if (!farther) memory[0] += growth;
  memory[1] = filter_.next(memory[1], error);
}

DigitalPdBlock::DigitalPdBlock(int channels, double filter, double sample_time)
    : channels_(channels), sample_time_(sample_time) {
  check_count(channels, 1, "channels", "digital PD");
  check_sample_time(sample_time, "digital PD");
  filter_ = FilteredDerivative(filter, sample_time);
}

void DigitalPdBlock::output(const Signals& memory, const Signals& input,
                            Eigen::Ref<VectorX> output) const {
  for (int i = 0; i < channels_; ++i) {
    const auto of = [&](Input list) { return input[list * channels_ + i]; };
    const double velocity = filter_.value(memory[i], of(measured));
    output[i] = of(proportional) * (of(reference) - of(measured)) +
                of(derivative_gain) * (of(rate) - velocity) + of(acceleration) + of(force);
  }
}

void DigitalPdBlock::sample(const Signals& input, Eigen::Ref<VectorX> memory) const {
  for (int i = 0; i < channels_; ++i)
    memory[i] = filter_.next(memory[i], input[measured * channels_ + i]);
}

HoldBlock::HoldBlock(std::shared_ptr<const SignalBlock> block, int steps)
    : block_(std::move(block)), steps_(steps) {
  check_count(steps, 1, "steps", "hold");
  if (!block_ || !block_->is_sampled())
    throw Error("no block with a sample time; accepted: a sampled block", "hold");
}

void HoldBlock::begin(Eigen::Ref<VectorX> memory) const {
  memory.setZero();
  block_->begin(memory.tail(block_->memory_size()));
}

void HoldBlock::output(const Signals& memory, const Signals& input,
                       Eigen::Ref<VectorX> output) const {
  if (memory[0] == 0.0)
    block_->output(memory.tail(block_->memory_size()), input, output);
  else
    output = memory.segment(1, outputs());
}

void HoldBlock::sample(const Signals& input, Eigen::Ref<VectorX> memory) const {
  if (memory[0] == 0.0) {
    auto inner = memory.tail(block_->memory_size());
    block_->output(inner, input, memory.segment(1, outputs()));
    block_->sample(input, inner);
  }
  memory[0] = memory[0] + 1.0 < steps_ ? memory[0] + 1.0 : 0.0;
}

}  // namespace vinci
