// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/measure_watch.h"

#include <algorithm>

#include "vinci/recording/event_names.h"

namespace vinci {
namespace {

// N s, of the normal forces between two bodies in the last step.
double normal_impulse(const Simulation& simulation, int a, int b) {
  double sum = 0.0;
  for (const SolvedContact& contact : simulation.contacts()) {
    const int first = contact.contact.body_a, second = contact.contact.body_b;
    if ((first == a && second == b) || (first == b && second == a)) sum += contact.impulse[0];
  }
  return sum;
}

}  // namespace

ConditionWatch::ConditionWatch(const WatchedCondition& what, const Simulation& simulation)
    : condition_(&what.condition) {
  for (const Quantity& side : what.sides) readers_.emplace_back(side, simulation);
}

bool ConditionWatch::holds(const Simulation& simulation) {
  sides_.clear();
  for (QuantityReader& reader : readers_) sides_.push_back(reader.read(simulation));
  return condition_->holds(sides_);
}

MeasureWatch::MeasureWatch(std::span<const MeasureSpec> specs, const Simulation& simulation)
    : accept_(simulation.options().real("accept")),
      first_(simulation.state().time),
      last_(simulation.state().time) {
  items_.reserve(specs.size());
  for (const MeasureSpec& spec : specs) {
    Watched& item = items_.emplace_back(Watched{&spec, {}, no_number});
    if (spec.quantity) item.readers.emplace_back(*spec.quantity, simulation);
    for (const Quantity& side : spec.sides) item.readers.emplace_back(side, simulation);
    begin(item, simulation);
  }
}

bool MeasureWatch::holds(Watched& item, const Simulation& simulation) {
  sides_.clear();
  for (QuantityReader& reader : item.readers) sides_.push_back(reader.read(simulation));
  return item.spec->condition->holds(sides_);
}

void MeasureWatch::begin(Watched& item, const Simulation& simulation) {
  switch (item.spec->kind) {
    case MeasureKind::code:
      return;
    case MeasureKind::onsets:
    case MeasureKind::peak_force:
    case MeasureKind::events:
      item.value = 0.0;
      return;
    case MeasureKind::first_time:
      if (holds(item, simulation)) item.value = simulation.state().time;
      return;
    default:
      break;
  }
  item.last = item.readers[0].read(simulation);
  const double time = simulation.state().time;
  if (item.spec->kind == MeasureKind::at) {
    if (item.spec->time <= time) item.value = item.last;
  } else if (item.spec->kind == MeasureKind::time_of_least ||
             item.spec->kind == MeasureKind::time_of_greatest) {
    item.sum = item.last;
    item.value = time;
  } else {
    item.value = item.last;
  }
}

void MeasureWatch::before_step(const Simulation& simulation) {
  begin_ = simulation.state().time;
}

void MeasureWatch::after_step(const Simulation& simulation) {
  // A step after which there is no next state by the motion model has nothing to be certified.
  const StepReport& report = simulation.report();
  certified_ =
      certified_ && (report.ending != Ending::none || vinci::is_certified(report, accept_));
  last_ = simulation.state().time;
  for (Watched& item : items_) follow(item, simulation);
}

void MeasureWatch::follow(Watched& item, const Simulation& simulation) {
  const MeasureSpec& spec = *item.spec;
  switch (spec.kind) {
    case MeasureKind::code:
      return;
    case MeasureKind::onsets: {
      const bool touching = normal_impulse(simulation, spec.a, spec.b) > 0.0;
      if (touching && !item.touching) item.value += 1.0;
      item.touching = touching;
      return;
    }
    case MeasureKind::peak_force:
      item.value =
          std::max(item.value, normal_impulse(simulation, spec.a, spec.b) / simulation.step_size());
      return;
    case MeasureKind::events:
      for (const StepEvent& event : simulation.events())
        if (!spec.event || event_kind(event, simulation.model()) == *spec.event) item.value += 1.0;
      return;
    case MeasureKind::first_time:
      if (item.value != item.value && holds(item, simulation)) item.value = last_;
      return;
    default:
      note(item, item.readers[0].read(simulation), last_);
  }
}

// A number of the quantity at the end of a step. In `sum` stands the integral, or the extreme whose
// time is the value.
void MeasureWatch::note(Watched& item, double value, double time) const {
  switch (item.spec->kind) {
    case MeasureKind::end:
      item.value = value;
      break;
    case MeasureKind::least:
      item.value = std::min(item.value, value);
      break;
    case MeasureKind::greatest:
      item.value = std::max(item.value, value);
      break;
    case MeasureKind::mean:
    case MeasureKind::integral:
      item.sum += 0.5 * (item.last + value) * (time - begin_);
      break;
    case MeasureKind::at:
      if (begin_ < item.spec->time && item.spec->time <= time)
        item.value =
            item.last + (value - item.last) * ((item.spec->time - begin_) / (time - begin_));
      break;
    case MeasureKind::time_of_least:
    case MeasureKind::time_of_greatest:
      if (item.spec->kind == MeasureKind::time_of_least ? value < item.sum : value > item.sum) {
        item.sum = value;
        item.value = time;
      }
      break;
    default:
      break;
  }
  item.last = value;
}

std::vector<double> MeasureWatch::values() const {
  std::vector<double> values;
  for (const Watched& item : items_) {
    double value = item.value;
    if (item.spec->kind == MeasureKind::integral) value = item.sum;
    if (item.spec->kind == MeasureKind::mean && last_ > first_) value = item.sum / (last_ - first_);
    values.push_back(value);
  }
  return values;
}

}  // namespace vinci
