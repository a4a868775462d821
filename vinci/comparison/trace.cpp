// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/trace.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

namespace vinci {
namespace {

constexpr double rounding = 1e-9;  // of a step: samples that near are at its end

// Of this thread, s: what others do on the machine does not count.
double cpu_clock() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Pose between(const Pose& p, const Pose& q, double share) {
  return {p.position + share * (q.position - p.position), p.rotation.slerp(share, q.rotation)};
}

}  // namespace

double RunCost::cpu_per_second() const {
  return cpu_seconds / std::max(simulated_seconds, 1e-300);
}

std::vector<double> sample_times(double duration, double interval) {
  std::vector<double> times;
  const auto count = static_cast<std::int64_t>(std::floor(duration / interval * (1.0 + 1e-12)));
  for (std::int64_t i = 0; i <= count; ++i) times.push_back(static_cast<double>(i) * interval);
  if (duration - times.back() > rounding * interval)
    times.push_back(duration);
  else
    times.back() = std::min(times.back(), duration);
  return times;
}

Tracer::Tracer(const Simulation& simulation, std::vector<double> grid)
    : grid_(std::move(grid)), accept_(simulation.options().real("accept")) {
  trace_.model = simulation.shared_model();
  trace_.step_size = simulation.step_size();
  rule_.exact_cone =
      trace_.model->world == World::planar || simulation.options().text("cone") == "quadratic";
  trace_.times.reserve(grid_.size());
  trace_.poses.reserve(grid_.size() * trace_.bodies());
  if (!grid_.empty() && grid_.front() <= 0.0) add_sample(simulation, 1.0);
}

void Tracer::before_step(const Simulation& simulation) {
  begin_ = simulation.state().time;
  before_ = simulation.state().poses;
  cpu_begin_ = cpu_clock();
}

void Tracer::after_step(const Simulation& simulation) {
  trace_.cost.cpu_seconds += cpu_clock() - cpu_begin_;
  note_cost(simulation);
  if (simulation.has_ended()) return;  // no next state to see
  note_contacts(simulation, begin_);
  take_samples(simulation, begin_);
  trace_.end = simulation.state().time;
}

void Tracer::note_cost(const Simulation& simulation) {
  RunCost& cost = trace_.cost;
  cost.add(step_note(simulation, accept_));
  cost.simulated_seconds = static_cast<double>(cost.steps) * trace_.step_size;
  const auto name = [&](std::int64_t body) {
    return body < 0 ? std::string()
                    : simulation.model().bodies[static_cast<std::size_t>(body)].name;
  };
  cost.unbalanced_body_name = name(cost.unbalanced_body);
  cost.diverged_body_name = name(cost.diverged_body);
}

void Tracer::note_contacts(const Simulation& simulation, double begin) {
  const bool planar = simulation.model().world == World::planar;
  double largest = 0.0;
  for (const SolvedContact& contact : simulation.contacts())
    largest = std::max(largest, contact.impulse[0]);
  std::map<BodyPair, PairModes> modes;
  for (auto& [pair, sums] : sums_) sums.first = sums.second;
  for (const SolvedContact& contact : simulation.contacts()) {
    const BodyPair pair{contact.contact.body_a, contact.contact.body_b};
    // Impulses of rounding are none. Supports are planar bodies' contacts with two tangents.
    modes[pair].add(contact, planar && pair.a != pair.b, 1e-10 * largest, rule_);
    auto [sums, fresh] = sums_.try_emplace(pair, Vector3::Zero(), Vector3::Zero());
    sums->second.second += contact.impulse[0] * contact.contact.normal +
                           contact.impulse[1] * contact.tangent_1 +
                           contact.impulse[2] * contact.tangent_2;
    if (fresh && begin > 0.0) trace_.pairs[pair].modes.push_back({ContactMode::open, 0.0});
  }
  for (const auto& [pair, sums] : sums_) {
    const auto found = modes.find(pair);
    const PairMode now = found == modes.end() ? PairMode{} : found->second.result();
    ModeSequence& sequence = trace_.pairs[pair].modes;
    if (sequence.empty() || sequence.back().mode != now.mode)
      sequence.push_back({now.mode, begin, now.direction});
  }
}

void Tracer::take_samples(const Simulation& simulation, double begin) {
  const double h = trace_.step_size;
  while (trace_.times.size() < grid_.size()) {
    const double share = (grid_[trace_.times.size()] - begin) / h;
    if (share > 1.0 + rounding) return;
    add_sample(simulation, share > 1.0 - rounding ? 1.0 : share);
  }
}

void Tracer::add_sample(const Simulation& simulation, double share) {
  const std::size_t done = trace_.times.size();
  trace_.times.push_back(grid_[done]);
  const std::vector<Pose>& now = simulation.state().poses;
  for (std::size_t b = 0; b < now.size(); ++b)
    trace_.poses.push_back(share < 1.0 ? between(before_[b], now[b], share) : now[b]);
  for (auto& [pair, sums] : sums_) {
    std::vector<Vector3>& impulse = trace_.pairs[pair].impulse;
    impulse.resize(done, Vector3::Zero());  // before its first contact
    impulse.push_back(sums.first + share * (sums.second - sums.first));
  }
}

Trace Tracer::finish(const Simulation& simulation) {
  trace_.cost.complete =
      simulation.state().step >= simulation.total_steps() && !simulation.has_ended();
  for (auto& [pair, trace] : trace_.pairs)
    trace.impulse.resize(trace_.times.size(), Vector3::Zero());
  trace_.state_hash = fmt::format("{:016x}", hash(simulation.state()));
  return std::move(trace_);
}

}  // namespace vinci
