// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/converge.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/comparison/body_distance.h"
#include "vinci/comparison/quantity.h"
#include "vinci/comparison/trace.h"
#include "vinci/comparison/words.h"

namespace vinci {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr double misfit_limit =
    0.4;  // of ln e: beyond, errors are 50 % off the line on the average

// One quantity along one run, up to a time; between two steps on a straight line.
class Gauge {
 public:
  Gauge(const Quantity& quantity, const Simulation& simulation, Over over, double until)
      : reader_(quantity, simulation), over_(over), until_(until) {
    last_ = reader_.read(simulation);
    note(last_);
    if (until_ <= 0.0) result_ = last_;
  }

  void after_step(const Simulation& simulation, double begin) {
    const double now = reader_.read(simulation);
    if (begin < until_) {
      const double end = simulation.state().time;
      const double rounding = 1e-9 * (end - begin);
      const double share = end <= until_ + rounding ? 1.0 : (until_ - begin) / (end - begin);
      const double value = last_ + share * (now - last_);
      integral_ += 0.5 * (last_ + value) * share * (end - begin);
      note(value);
      if (end >= until_ - rounding) result_ = value;
    }
    last_ = now;
  }

  double result() const {
    if (std::isnan(result_) || over_ == Over::end) return result_;
    return over_ == Over::mean ? integral_ / until_ : over_ == Over::largest ? largest_ : smallest_;
  }

 private:
  void note(double value) {
    largest_ = std::max(largest_, value);
    smallest_ = std::min(smallest_, value);
  }

  QuantityReader reader_;
  Over over_;
  double until_, last_ = 0.0, integral_ = 0.0, result_ = nothing;
  double largest_ = -std::numeric_limits<double>::infinity();
  double smallest_ = std::numeric_limits<double>::infinity();
};

// All that is asked of one run.
class ConvergeWatcher : public StepWatcher {
 public:
  ConvergeWatcher(const std::vector<Quantity>& quantities, const Simulation& simulation,
                  const ConvergeOptions& options, double until, std::vector<double> grid)
      : tracer_(simulation, std::move(grid)) {
    for (const Quantity& quantity : quantities)
      gauges_.emplace_back(quantity, simulation, options.over, until);
  }
  void before_step(const Simulation& simulation) override {
    begin_ = simulation.state().time;
    tracer_.before_step(simulation);
  }
  void after_step(const Simulation& simulation) override {
    tracer_.after_step(simulation);
    if (simulation.has_ended()) return;
    for (Gauge& gauge : gauges_) gauge.after_step(simulation, begin_);
  }
  Trace finish(const Simulation& simulation) { return tracer_.finish(simulation); }
  double value(std::size_t quantity) const { return gauges_[quantity].result(); }

 private:
  Tracer tracer_;
  std::vector<Gauge> gauges_;
  double begin_ = 0.0;  // of the step, s
};

bool is_trajectory(const std::string& quantity) {
  return quantity == trajectory_quantity;
}

void check(const ConvergeOptions& options, double duration) {
  if (options.quantities.empty()) throw Error("accepted: one quantity or more", "quantity");
  const bool trajectory =
      std::any_of(options.quantities.begin(), options.quantities.end(), is_trajectory);
  if (trajectory && options.over != Over::end && options.over != Over::largest)
    throw Error(
        "the trajectory has its largest distance over the time, or that at one time; "
        "accepted: end, max",
        "over");
  const auto* rule = std::get_if<ReferenceRule>(&options.reference);
  if (trajectory && (rule == nullptr || *rule != ReferenceRule::finest))
    throw Error("the trajectory is compared with that of the finest step; accepted: finest",
                "reference");
  if (rule == nullptr && !std::isfinite(std::get<double>(options.reference)))
    throw Error("the exact value is not finite", "reference");
  if (options.at && !(*options.at >= 0.0 && *options.at <= duration))
    throw Error(fmt::format("accepted: 0 to the duration, {} s", duration), "at");
  if (options.run.jobs < 0) throw Error("accepted: 1 or more", "jobs");
}

std::vector<double> checked_steps(const ConvergeOptions& options, double scene_step) {
  std::vector<double> steps = options.steps;
  if (steps.empty())
    for (const double factor : {8.0, 4.0, 2.0, 1.0, 0.5}) steps.push_back(factor * scene_step);
  for (const double step : steps)
    if (!(step > 0.0 && std::isfinite(step)))
      throw Error(fmt::format("{} is no step; accepted: above 0 s", step), "steps");
  std::sort(steps.begin(), steps.end(), std::greater<>());
  if (std::adjacent_find(steps.begin(), steps.end()) != steps.end())
    throw Error("has a step twice", "steps");
  const bool exact = std::holds_alternative<double>(options.reference);
  if (steps.size() < (exact ? 2 : 3))
    throw Error(exact ? "an order needs two steps or more"
                      : "an order needs three steps or more; two, where the reference is the exact "
                        "value",
                "steps");
  return steps;
}

// What rounding leaves of a difference of values: below, it tells nothing of the step.
double rounding_of(const std::vector<ConvergencePoint>& points) {
  double largest = 0.0;
  for (const ConvergencePoint& point : points)
    if (std::isfinite(point.value)) largest = std::max(largest, std::abs(point.value));
  return 256.0 * std::numeric_limits<double>::epsilon() * largest;
}

void set_local_orders(ConvergenceCurve& curve) {
  const ConvergencePoint* coarser = nullptr;
  for (ConvergencePoint& point : curve.points) {
    if (!point.fitted) continue;
    if (coarser != nullptr) {
      const auto fit = fit_order(
          {{coarser->step, curve.finest, coarser->error}, {point.step, curve.finest, point.error}});
      if (fit) point.local_order = fit->order;
    }
    coarser = &point;
  }
}

// The fit of errors against a known value, or against the finest.
void fit_errors(ConvergenceCurve& curve, double rounding) {
  std::vector<StepDifference> differences;
  for (ConvergencePoint& point : curve.points) {
    point.fitted = point.error > rounding && point.step > curve.finest;
    if (point.fitted) differences.push_back({point.step, curve.finest, point.error});
  }
  curve.fit = fit_order(differences);
  set_local_orders(curve);
}

// From the differences of neighbours, and then the limit from the finest two.
void extrapolate(ConvergenceCurve& curve, double rounding) {
  std::vector<const ConvergencePoint*> good;
  for (const ConvergencePoint& point : curve.points)
    if (std::isfinite(point.value)) good.push_back(&point);
  std::vector<StepDifference> differences;
  for (std::size_t i = 1; i < good.size(); ++i)
    if (const double d = std::abs(good[i]->value - good[i - 1]->value); d > rounding)
      differences.push_back({good[i - 1]->step, good[i]->step, d});
  curve.finest = 0.0;
  const auto fit = fit_order(differences);
  if (good.size() < 2) return;
  const ConvergencePoint &last = *good.back(), &before = *good[good.size() - 2];
  curve.reference = last.value;
  if (fit)
    curve.reference +=
        (last.value - before.value) / (std::pow(before.step / last.step, fit->order) - 1.0);
  for (ConvergencePoint& point : curve.points)
    point.error = std::abs(point.value - curve.reference);
  for (ConvergencePoint& point : curve.points) point.fitted = fit && point.error > rounding;
  curve.fit = fit;
  set_local_orders(curve);
}

// Two values to compare: an error against the finest of them, or two errors.
bool has_values(const ConvergenceCurve& curve) {
  const auto errors = std::count_if(curve.points.begin(), curve.points.end(),
                                    [](const auto& point) { return std::isfinite(point.error); });
  return errors >= (curve.finest > 0.0 ? 1 : 2);
}

void set_answer(ConvergenceCurve& curve, double rounding) {
  const auto all_of = [&](auto condition) {
    return std::all_of(curve.points.begin(), curve.points.end(), condition);
  };
  const std::string head =
      curve.quantity + (curve.variant.empty() ? "" : " of '" + curve.variant + "'");
  if (!curve.failure.empty()) {
    curve.answer = head + ": " + curve.failure;
    return;
  }
  if (!curve.fit) {
    const bool exact =
        all_of([&](const auto& p) { return std::isnan(p.error) || p.error <= rounding; });
    curve.answer = head + (exact ? ": every step gives the same value, up to rounding"
                                 : ": too few errors above rounding for an order");
    return;
  }
  const OrderFit& fit = *curve.fit;
  curve.answer = fmt::format("{}: order {:.2f}", head, fit.order);
  if (fit.order_deviation) curve.answer += fmt::format(" ± {:.2f} (95 %)", *fit.order_deviation);
  curve.answer += fmt::format(", errors {:.2g} % off the line", 100.0 * std::expm1(fit.misfit));
  if (fit.misfit > misfit_limit) curve.answer += "; that is no clean power of the step";
}

class Study {
 public:
  Study(const Scene& scene, const RunOverrides& base, const std::shared_ptr<const Plugins>& plugins,
        const ConvergeOptions& options)
      : options_(options), first_(scene, base, plugins) {}

  Convergence all;

  std::optional<Convergence> run(const Scene& scene, const RunOverrides& base,
                                 std::vector<Axis> across,
                                 const std::shared_ptr<const Plugins>& plugins);

 private:
  ConvergenceCurve curve(const std::vector<std::size_t>& runs, std::size_t quantity,
                         std::size_t number);
  void set_trajectory_errors(ConvergenceCurve& curve, const std::vector<std::size_t>& runs) const;
  std::string failure(const ConvergenceCurve& curve, const std::vector<std::size_t>& runs) const;
  void add_notes(const VariantSet& set);

  const ConvergeOptions& options_;
  Simulation first_;
  std::vector<std::unique_ptr<ConvergeWatcher>> watchers_;
  std::vector<Trace> traces_;
};

// The largest distance of any body from the finest run; over the time, or at one.
void Study::set_trajectory_errors(ConvergenceCurve& curve,
                                  const std::vector<std::size_t>& runs) const {
  const Trace& finest = traces_[runs.back()];
  const double size = reference_length(*finest.model);
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
    const Trace& trace = traces_[runs[i]];
    if (!trace.cost.complete || !finest.cost.complete) continue;
    double largest = 0.0;
    for (std::size_t b = 0; b < finest.bodies(); ++b) {
      const BodyDistance apart(*finest.model, static_cast<int>(b), size);
      const std::size_t end = trace.times.size();
      for (std::size_t k = options_.over == Over::largest ? 0 : end - 1; k < end; ++k)
        largest = std::max(largest, apart(trace.pose(k, b), finest.pose(k, b)));
    }
    curve.points[i].value = curve.points[i].error = largest;
  }
}

ConvergenceCurve Study::curve(const std::vector<std::size_t>& runs, std::size_t quantity,
                              std::size_t number) {
  ConvergenceCurve curve;
  curve.quantity = options_.quantities[quantity];
  for (const std::size_t r : runs) {
    const Trace& trace = traces_[r];
    ConvergencePoint point;
    point.step = trace.step_size;
    point.steps = trace.cost.steps;
    point.cpu_seconds = trace.cost.cpu_seconds;
    if (!is_trajectory(curve.quantity)) point.value = watchers_[r]->value(number);
    curve.points.push_back(point);
  }
  const auto* rule = std::get_if<ReferenceRule>(&options_.reference);
  double rounding = rounding_of(curve.points);
  if (is_trajectory(curve.quantity)) {
    curve.finest = curve.points.back().step;
    set_trajectory_errors(curve, runs);
    rounding = 256.0 * std::numeric_limits<double>::epsilon() *
               reference_length(*traces_[runs.back()].model);
    fit_errors(curve, rounding);
  } else if (rule != nullptr && *rule == ReferenceRule::richardson) {
    extrapolate(curve, rounding);
  } else {
    const bool exact = rule == nullptr;
    curve.finest = exact ? 0.0 : curve.points.back().step;
    curve.reference = exact ? std::get<double>(options_.reference) : curve.points.back().value;
    for (ConvergencePoint& point : curve.points)
      if (point.step > curve.finest) point.error = std::abs(point.value - curve.reference);
    fit_errors(curve, rounding);
  }
  return curve;
}

// Why a curve has too few values to compare; "" if it has enough.
std::string Study::failure(const ConvergenceCurve& curve,
                           const std::vector<std::size_t>& runs) const {
  if (has_values(curve)) return "";
  std::size_t reached = 0;
  const Trace* ended = nullptr;  // the finest run that did
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Trace& trace = traces_[runs[i]];
    if (trace.cost.complete || std::isfinite(curve.points[i].value))
      ++reached;
    else
      ended = &trace;
  }
  if (ended == nullptr) return "fewer than two values are finite, so there is nothing to compare";
  const std::string who = reached == 0   ? "no run reached"
                          : reached == 1 ? "only one run reached"
                                         : "the finest run, which is the reference, did not reach";
  const RunCost& cost = ended->cost;
  return fmt::format("{} t = {:.6g} s: that with the step {:.6g} s {} in step {}", who, all.time,
                     ended->step_size,
                     cost.diverged() ? "diverged at '" + cost.diverged_body_name + "'"
                                     : fmt::format("ended ({})", cost.ending_text()),
                     cost.steps);
}

void Study::add_notes(const VariantSet& set) {
  std::string between;
  for (const double step : all.steps) {
    const double ratio = all.time / step;
    if (std::abs(ratio - std::round(ratio)) > 1e-9 * std::max(1.0, ratio))
      between += (between.empty() ? "" : ", ") + fmt::format("{:.6g} s", step);
  }
  if (!between.empty())
    all.notes.push_back(fmt::format(
        "{:.6g} s is no multiple of the step {}: the value there is interpolated linearly between "
        "two steps, which adds an error of second order",
        all.time, between));
  for (std::size_t r = 0; r < traces_.size(); ++r)
    if (const RunCost& cost = traces_[r].cost; !cost.complete)
      all.notes.push_back(
          fmt::format("'{}' {} in step {}, and is left out", set.variants[r].name,
                      cost.diverged() ? "diverged" : fmt::format("ended ({})", cost.ending_text()),
                      cost.steps));
}

std::optional<Convergence> Study::run(const Scene& scene, const RunOverrides& base,
                                      std::vector<Axis> across,
                                      const std::shared_ptr<const Plugins>& plugins) {
  all.title = scene.title();
  all.duration = first_.options().real("duration");
  check(options_, all.duration);
  all.steps = checked_steps(options_, first_.step_size());
  all.time = options_.at.value_or(all.duration);
  all.over = options_.over;
  all.reference = options_.reference;
  std::vector<Quantity> quantities;
  std::vector<std::size_t> numbers;  // of an option's quantity among these
  for (const std::string& text : options_.quantities) {
    numbers.push_back(quantities.size());
    if (!is_trajectory(text)) quantities.push_back(Quantity::parse(text, first_.model()));
  }
  Axis steps{"step", {}};
  for (const double step : all.steps) steps.values.push_back(fmt::format("{}", step));
  all.axes = across;
  across.push_back(steps);
  VariantSet set = make_variants(scene, base, std::move(across), plugins);
  all.skipped = set.skipped;
  all.axes.assign(set.axes.begin(), set.axes.end() - 1);
  std::vector<double> grid = sample_times(all.time, all.steps.front());
  if (options_.over == Over::end && !grid.empty()) grid = {all.time};
  std::vector<StepWatcher*> watchers;
  for (const Simulation& simulation : set.simulations) {
    watchers_.push_back(
        std::make_unique<ConvergeWatcher>(quantities, simulation, options_, all.time, grid));
    watchers.push_back(watchers_.back().get());
  }
  RunManyOptions run = options_.run;
  run.recordings.clear();
  if (!run_many(set.simulations, watchers, run)) return std::nullopt;
  for (std::size_t r = 0; r < watchers_.size(); ++r)
    traces_.push_back(watchers_[r]->finish(set.simulations[r]));
  add_notes(set);
  // Runs of one curve stand one after the other: the step is the last axis.
  for (std::size_t r = 0; r < set.variants.size();) {
    std::vector<std::size_t> runs;
    const auto place = [&](std::size_t i) {
      const auto& c = set.variants[i].coordinates;
      return std::vector<std::size_t>(c.begin(), c.end() - 1);
    };
    for (const std::size_t begin = r; r < set.variants.size() && place(r) == place(begin); ++r)
      runs.push_back(r);
    const std::string name = set.variants[runs.front()].name;
    const std::size_t cut = name.rfind(", step=");
    for (std::size_t q = 0; q < options_.quantities.size(); ++q) {
      all.curves.push_back(curve(runs, q, numbers[q]));
      ConvergenceCurve& last = all.curves.back();
      last.variant = cut == std::string::npos ? "" : name.substr(0, cut);
      last.failure = failure(last, runs);
      set_answer(last, rounding_of(last.points));
    }
  }
  return std::move(all);
}

}  // namespace

const char* to_string(Over over) {
  const char* names[] = {"end", "max", "min", "mean"};
  return names[static_cast<int>(over)];
}

std::vector<double> step_series(double from, double to, double ratio) {
  if (!(std::isfinite(from) && std::isfinite(to) && from > 0.0 && to > 0.0 && to < from))
    throw Error("the steps go from the coarsest down to the finest: accepted: from > to > 0",
                "from, to");
  if (!(ratio > 1.0 && std::isfinite(ratio))) throw Error("accepted: above 1", "ratio");
  std::vector<double> steps;
  for (double step = from; step >= to * (1.0 - 1e-9); step /= ratio) {
    steps.push_back(step);
    if (steps.size() > most_variants)
      throw Error("that many steps are too many; accepted: a larger ratio", "ratio");
  }
  return steps;
}

std::optional<Convergence> converge(const Scene& scene, const RunOverrides& base,
                                    std::vector<Axis> across,
                                    const std::shared_ptr<const Plugins>& plugins,
                                    const ConvergeOptions& options) {
  for (const Axis& axis : across)
    if (axis.name == "step" || axis.name == "run.step")
      throw Error("the step varies in any case; give the steps", "across step");
  if (base.options.contains("step")) throw Error("the step varies; give the steps", "step");
  return Study(scene, base, plugins, options).run(scene, base, std::move(across), plugins);
}

}  // namespace vinci
