// SPDX-License-Identifier: Apache-2.0
// Every slot has one number: slot 0 the time, then what is read, then what parts write.
#include "vinci/control/signal_network.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

namespace vinci {

// With derivatives, expressions read a list of their own.
template <class T>
class SignalNetwork::Numbers {
 public:
  explicit Numbers(int slots) : numbers_(VectorOf<T>::Constant(slots, T(0.0))) {
    if constexpr (!std::is_same_v<T, double>) jets_.resize(static_cast<std::size_t>(slots));
  }
  const T& operator[](int slot) const { return numbers_[slot]; }
  void set(int slot, const T& number) {
    numbers_[slot] = number;
    if constexpr (!std::is_same_v<T, double>)
      jets_[static_cast<std::size_t>(slot)] = {number.value, number.slope, 0.0};
  }
  T value(const Expression& expression) const {
    if constexpr (std::is_same_v<T, double>) {
      return expression.value({numbers_.data(), static_cast<std::size_t>(numbers_.size())});
    } else {
      const Jet jet = expression.jet(jets_);
      return {jet.value, jet.first};
    }
  }
  auto segment(int first, int size) const { return numbers_.segment(first, size); }

 private:
  VectorOf<T> numbers_;
  std::vector<Jet> jets_;
};

namespace {

// The number at `row` of matrix · list, where `number(i)` is that of the list.
template <class T, class Number>
T row_times(const MatrixX& matrix, int row, const Number& number) {
  T sum(0.0);
  for (int i = 0; i < matrix.cols(); ++i)
    if (matrix(row, i) != 0.0) sum += matrix(row, i) * number(i);
  return sum;
}

// Among the numbers of sampled blocks: the time of the next sample, the outputs that are held, the
// memory of the block.
constexpr int next_time = 0, held_outputs = 1;

}  // namespace

std::vector<std::string> SignalNetwork::state_names() const {
  std::vector<std::string> names(static_cast<std::size_t>(state_count_));
  for (const Part& part : parts_)
    for (int i = 0; part.linear && i < part.linear->memory_size(); ++i)
      names[static_cast<std::size_t>(part.memory + i)] = fmt::format("{}.state_{}", part.name, i);
  return names;
}

std::vector<std::string> SignalNetwork::memory_columns() const {
  std::vector<std::string> columns;
  for (const std::string& name : state_names()) columns.push_back(name + " [1]");
  columns.resize(static_cast<std::size_t>(memory_size_));
  for (const Part& part : parts_) {
    if (!part.sampled) continue;
    auto column = columns.begin() + state_count_ + part.memory;
    *column++ = part.name + ".next_sample [s]";
    for (int i = 0; i < part.size; ++i) *column++ = fmt::format("{}.held_{} [1]", part.name, i);
    for (int i = 0; i < part.sampled->memory_size(); ++i)
      *column++ = fmt::format("{}.memory_{} [1]", part.name, i);
  }
  return columns;
}

std::vector<std::string> SignalNetwork::signal_columns() const {
  std::vector<std::string> columns;
  for (const std::string& name : signal_names_) columns.push_back(name + " [1]");
  return columns;
}

template <class T>
SignalNetwork::Numbers<T> SignalNetwork::start(double time, const VectorOf<T>& reads,
                                               const VectorOf<T>* inputs) const {
  Numbers<T> numbers(slots_);
  numbers.set(0, T(time));
  for (int i = 0; i < static_cast<int>(reads_.size()); ++i) numbers.set(1 + i, reads[i]);
  for (const Part& part : parts_)
    for (int i = 0; part.kind == Part::Kind::input && i < part.size; ++i)
      numbers.set(part.first + i,
                  inputs ? (*inputs)[part.outside + i]
                         : T(inputs_[static_cast<std::size_t>(part.outside + i)].value));
  return numbers;
}

template <class T>
void SignalNetwork::write(const Part& part, Numbers<T>& numbers, const VectorOf<T>& states,
                          const Eigen::Ref<const VectorX>& sampled) const {
  switch (part.kind) {
    case Part::Kind::expressions:
      for (int i = 0; i < part.size; ++i)
        numbers.set(part.first + i, numbers.value(part.expressions[static_cast<std::size_t>(i)]));
      return;
    case Part::Kind::sum:
    case Part::Kind::product:
      for (int i = 0; i < part.size; ++i) {
        T number = numbers[part.input + i];
        for (int k = part.size; k < part.inputs; k += part.size) {
          const T& next = numbers[part.input + k + i];
          number = part.kind == Part::Kind::sum ? T(number + next) : T(number * next);
        }
        numbers.set(part.first + i, number);
      }
      return;
    case Part::Kind::linear: {
      const LinearSystem& system = part.linear->system();
      for (int i = 0; i < part.size; ++i)
        numbers.set(part.first + i,
                    row_times<T>(system.c, i, [&](int k) { return states[part.memory + k]; }) +
                        row_times<T>(system.d, i, [&](int k) { return numbers[part.input + k]; }));
      return;
    }
    case Part::Kind::saturation:
      for (int i = 0; i < part.size; ++i) {
        const T& number = numbers[part.input + i];
        const double lower = part.saturation->lower()[i], upper = part.saturation->upper()[i];
        numbers.set(part.first + i, plain(number) < lower   ? T(lower)
                                    : plain(number) > upper ? T(upper)
                                                            : number);
      }
      return;
    case Part::Kind::sampled:
      for (int i = 0; i < part.size; ++i)
        numbers.set(part.first + i, T(sampled[part.memory + held_outputs + i]));
      return;
    case Part::Kind::trajectory: {
      TrajectoryPoint point;
      part.trajectory->at(plain(numbers[0]), point);
      const int count = part.trajectory->size();
      for (int i = 0; i < count; ++i) {
        numbers.set(part.first + i, T(point.position[i]));
        numbers.set(part.first + count + i, T(point.velocity[i]));
        numbers.set(part.first + 2 * count + i, T(point.acceleration[i]));
      }
      return;
    }
    case Part::Kind::input:
      return;  // written at the start
  }
}

template <class T>
SignalNetwork::Numbers<T> SignalNetwork::run(double time, const VectorOf<T>& reads,
                                             const VectorOf<T>& states,
                                             const Eigen::Ref<const VectorX>& sampled,
                                             const VectorOf<T>* inputs) const {
  Numbers<T> numbers = start(time, reads, inputs);
  for (const Part& part : parts_) write(part, numbers, states, sampled);
  return numbers;
}

template <class T>
void SignalNetwork::flow(double time, const VectorOf<T>& reads, const VectorOf<T>& states,
                         const VectorX& sampled, VectorOf<T>& forces, VectorOf<T>& rates,
                         const VectorOf<T>* inputs) const {
  const Numbers<T> numbers = run(time, reads, states, sampled, inputs);
  forces.setConstant(static_cast<Eigen::Index>(drives_.size()), T(0.0));
  for (const Push& push : pushes_) forces[push.drive] += numbers[push.slot];
  rates.setConstant(state_count_, T(0.0));
  for (const Part& part : parts_) {
    if (!part.linear) continue;
    const LinearSystem& system = part.linear->system();
    for (int i = 0; i < system.state_count(); ++i)
      rates[part.memory + i] =
          row_times<T>(system.a, i, [&](int k) { return states[part.memory + k]; }) +
          row_times<T>(system.b, i, [&](int k) { return numbers[part.input + k]; });
  }
}

template <class T>
void SignalNetwork::evaluate(double time, const VectorOf<T>& reads, const VectorOf<T>& states,
                             const VectorX& sampled, VectorOf<T>& signals,
                             const VectorOf<T>* inputs) const {
  const Numbers<T> numbers = run(time, reads, states, sampled, inputs);
  signals.resize(static_cast<Eigen::Index>(signal_slots_.size()));
  for (Eigen::Index i = 0; i < signals.size(); ++i)
    signals[i] = numbers[signal_slots_[static_cast<std::size_t>(i)]];
}

void SignalNetwork::signals(double time, const VectorX& reads, const VectorX& memory,
                            Eigen::Ref<VectorX> values) const {
  VectorX all;
  evaluate<double>(time, reads, memory.head(state_count_), memory.tail(memory_size_ - state_count_),
                   all);
  values = all;
}

void SignalNetwork::begin(double time, const VectorX& reads, Eigen::Ref<VectorX> memory) const {
  memory.setZero();
  const VectorX states = VectorX::Zero(state_count_);
  auto own = memory.tail(memory_size_ - state_count_);
  Numbers<double> numbers = start<double>(time, reads, nullptr);
  for (const Part& part : parts_) {
    if (part.sampled) {
      const SignalBlock& block = *part.sampled;
      const VectorX input = numbers.segment(part.input, part.inputs);
      auto inner = own.segment(part.memory + held_outputs + part.size, block.memory_size());
      block.begin_at(input, inner);
      block.output(inner, input, own.segment(part.memory + held_outputs, part.size));
      const double period = block.sample_time();
      own[part.memory + next_time] = period * std::ceil(time / period - 1e-9);
    }
    write<double>(part, numbers, states, own);
  }
}

double SignalNetwork::next_sample(const VectorX& memory) const {
  double next = infinity;
  for (const Part& part : parts_)
    if (part.sampled) next = std::min(next, memory[state_count_ + part.memory + next_time]);
  return next;
}

bool SignalNetwork::is_due(const Part& part, const Eigen::Ref<const VectorX>& sampled,
                           double time) const {
  // A rounding of the time does not put a sample off.
  return part.sampled &&
         time >= sampled[part.memory + next_time] - 1e-9 * part.sampled->sample_time();
}

void SignalNetwork::sample(double time, const VectorX& reads, Eigen::Ref<VectorX> memory) const {
  const VectorX states = memory.head(state_count_);
  auto own = memory.tail(memory_size_ - state_count_);
  Numbers<double> numbers = start<double>(time, reads, nullptr);
  const auto inner = [&](const Part& part) {
    return own.segment(part.memory + held_outputs + part.size, part.sampled->memory_size());
  };
  for (const Part& part : parts_) {
    if (is_due(part, own, time))
      part.sampled->output(inner(part), numbers.segment(part.input, part.inputs),
                           own.segment(part.memory + held_outputs, part.size));
    write<double>(part, numbers, states, own);
  }
  // Memories after all outputs: a block may be fed by one behind it.
  for (const Part& part : parts_) {
    if (!is_due(part, own, time)) continue;
    part.sampled->sample(numbers.segment(part.input, part.inputs), inner(part));
    const double period = part.sampled->sample_time();
    own[part.memory + next_time] = period * (std::floor(time / period + 1e-9) + 1.0);
  }
}

void SignalNetwork::advance(double time, double h, const VectorX& reads, Eigen::Ref<VectorX> memory,
                            HeldSteps& steps) const {
  if (state_count_ == 0 || h == 0.0) return;
  if (steps.h != h) {
    steps.blocks.clear();
    for (const Part& part : parts_)
      if (part.linear && part.linear->memory_size() > 0)
        steps.blocks.push_back(held_block(*part.linear, h));
    steps.h = h;
  }
  const Numbers<double> numbers = run<double>(time, reads, memory.head(state_count_),
                                              memory.tail(memory_size_ - state_count_), nullptr);
  auto block = steps.blocks.begin();
  for (const Part& part : parts_)
    if (part.linear && part.linear->memory_size() > 0)
      (block++)->sample(numbers.segment(part.input, part.inputs),
                        memory.segment(part.memory, part.linear->memory_size()));
}

// Which slots follow from the time alone.
std::vector<char> SignalNetwork::slots_of_time() const {
  std::vector<char> known(static_cast<std::size_t>(slots_), 0);
  known[0] = 1;
  const auto all_of = [&](int first, int size) {
    return std::all_of(known.begin() + first, known.begin() + first + size,
                       [](char one) { return one != 0; });
  };
  for (const Part& part : parts_) {
    for (int i = 0; i < part.size; ++i) {
      bool own = part.kind == Part::Kind::trajectory;
      if (part.kind == Part::Kind::expressions) {
        const Expression& expression = part.expressions[static_cast<std::size_t>(i)];
        own = true;
        for (std::size_t slot = 0; own && slot < known.size(); ++slot)
          own = known[slot] != 0 || !expression.uses(slot);
      } else if (part.kind == Part::Kind::sum || part.kind == Part::Kind::product ||
                 part.kind == Part::Kind::saturation ||
                 (part.linear && part.linear->memory_size() == 0)) {
        own = all_of(part.input, part.inputs);
      }
      known[static_cast<std::size_t>(part.first + i)] = own;
    }
  }
  return known;
}

std::vector<std::string> SignalNetwork::gain_notes(double duration) const {
  constexpr double most_samples = 1e5;
  std::vector<std::string> notes;
  const std::vector<char> known = slots_of_time();
  const VectorX reads = VectorX::Zero(static_cast<Eigen::Index>(reads_.size()));
  const VectorX states = VectorX::Zero(state_count_);
  const VectorX sampled = VectorX::Zero(memory_size_ - state_count_);
  for (const Part& part : parts_) {
    const auto gains = part.sampled ? part.sampled->gains() : std::nullopt;
    if (!gains) continue;
    const double period = part.sampled->sample_time();
    const double every = std::max(1.0, std::ceil(duration / period / most_samples));
    for (int channel = 0; channel < gains->channels; ++channel) {
      const int kp = part.input + gains->proportional + channel;
      const int kd = part.input + gains->derivative + channel;
      if (!known[static_cast<std::size_t>(kp)] || !known[static_cast<std::size_t>(kd)]) continue;
      for (double k = 0.0; k * period <= duration; k += every) {
        const Numbers<double> numbers = run<double>(k * period, reads, states, sampled, nullptr);
        const double bound = numbers[kd] * numbers[kd];
        if (numbers[kp] >= 0.0 && numbers[kp] <= bound * (1.0 + 1e-12)) continue;
        notes.push_back(fmt::format(
            "signal '{}'{}: kp is {:.6g} at {:.6g} s, outside of 0 <= kp <= kd^2 = {:.6g}, within "
            "which a kp that changes cannot make the loop unstable",
            part.name, gains->channels > 1 ? fmt::format(", channel {}", channel) : "", numbers[kp],
            k * period, bound));
        break;
      }
    }
  }
  return notes;
}

#define VINCI_INSTANTIATE(T)                                                                 \
  template void SignalNetwork::flow<T>(double, const VectorOf<T>&, const VectorOf<T>&,       \
                                       const VectorX&, VectorOf<T>&, VectorOf<T>&,           \
                                       const VectorOf<T>*) const;                            \
  template void SignalNetwork::evaluate<T>(double, const VectorOf<T>&, const VectorOf<T>&,   \
                                           const VectorX&, VectorOf<T>&, const VectorOf<T>*) \
      const;
VINCI_INSTANTIATE(double)
VINCI_INSTANTIATE(Dual<double>)
#undef VINCI_INSTANTIATE

}  // namespace vinci
