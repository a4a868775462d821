// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/compare.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "vinci/comparison/body_distance.h"

namespace vinci {
namespace {

constexpr double most_pose_bytes = 64e6;  // of the samples of one run
constexpr double brief_steps = 2.5;       // of the coarsest step

// Samples at the steps of the coarsest run, or every so many of them in a large scene.
std::vector<double> grid_for(const std::vector<Simulation>& simulations) {
  double coarsest = 0.0;
  for (const Simulation& simulation : simulations)
    coarsest = std::max(coarsest, simulation.step_size());
  const double duration = simulations.front().options().real("duration");
  const auto bodies = static_cast<double>(simulations.front().model().bodies.size());
  const double bytes = (duration / coarsest + 1.0) * bodies * static_cast<double>(sizeof(Pose));
  return sample_times(duration, coarsest * std::max(1.0, std::ceil(bytes / most_pose_bytes)));
}

// The values that a variant has on the axes of parameters.
std::string case_name(const VariantSet& set, const Variant& variant) {
  std::string name;
  for (std::size_t i = 0; i < set.axes.size(); ++i)
    if (set.axes[i].kind == Axis::Kind::parameter)
      name += (name.empty() ? "" : ", ") + set.axes[i].name + "=" +
              set.axes[i].values[variant.coordinates[i]];
  return name;
}

std::vector<ComparisonCase> one_case(const VariantSet& set) {
  ComparisonCase all;
  for (std::size_t v = 0; v < set.variants.size(); ++v) all.variants.push_back(v);
  return {all};
}

std::vector<ComparisonCase> make_cases(const VariantSet& set) {
  const bool only_parameters = std::all_of(set.axes.begin(), set.axes.end(), [](const Axis& axis) {
    return axis.kind == Axis::Kind::parameter;
  });
  if (only_parameters) return one_case(set);
  std::vector<ComparisonCase> cases;
  std::map<std::string, std::size_t> known;
  for (std::size_t v = 0; v < set.variants.size(); ++v) {
    const std::string name = case_name(set, set.variants[v]);
    const auto [place, fresh] = known.try_emplace(name, cases.size());
    if (fresh) cases.push_back({name, {}});
    cases[place->second].variants.push_back(v);
  }
  return cases;
}

// Gives every case the reference that the caller asked for: one each, or one of all.
std::vector<ComparisonCase> with_reference(const VariantSet& set, std::vector<ComparisonCase> cases,
                                           const std::string& selector) {
  const std::vector<std::size_t> chosen = select_variants(set, selector, "reference");
  if (chosen.size() == 1) {
    if (cases.size() > 1) cases = one_case(set);
    cases.front().reference = chosen.front();
    return cases;
  }
  for (ComparisonCase& it : cases) {
    std::vector<std::size_t> here;
    std::copy_if(it.variants.begin(), it.variants.end(), std::back_inserter(here),
                 [&](std::size_t v) { return std::count(chosen.begin(), chosen.end(), v) > 0; });
    if (here.size() != 1)
      throw Error(fmt::format("'{}' stands for {} runs{}; accepted: what stands for one", selector,
                              here.size(), it.name.empty() ? "" : " with " + it.name),
                  "reference");
    it.reference = here.front();
  }
  return cases;
}

// Smaller is finer, compared from left to right.
struct Fineness {
  bool incomplete;
  std::ptrdiff_t motion;
  double step;
  std::ptrdiff_t frames;  // of contacts
  bool late_impacts;      // at the end of the step in which they fall
  bool pyramid;
  long sides;
  auto operator<=>(const Fineness&) const = default;
};

Fineness fineness(const Simulation& simulation, const Trace& trace) {
  const OptionValues& options = simulation.options();
  const std::vector<std::string> motions{"dynamic", "first-order", "quasi-static", "dqc", "dlc"};
  const std::vector<std::string> frames{"gap", "end", "driven", "start"};
  const std::string& cone = options.text("cone");
  return {!trace.cost.complete,
          std::find(motions.begin(), motions.end(), options.text("motion")) - motions.begin(),
          trace.step_size,
          std::find(frames.begin(), frames.end(), options.text("contact-frames")) - frames.begin(),
          options.text("impact-time") == "none",
          cone != "quadratic",
          cone == "pyramid" ? -options.integer("directions") : 0};
}

// The first of the finest.
void choose_finest(ComparisonCase& it, const std::vector<Simulation>& simulations,
                   const std::vector<ComparedVariant>& variants) {
  const auto of = [&](std::size_t v) { return fineness(simulations[v], variants[v].trace); };
  it.reference = *std::min_element(it.variants.begin(), it.variants.end(),
                                   [&](std::size_t a, std::size_t b) { return of(a) < of(b); });
  it.finest = std::count_if(it.variants.begin(), it.variants.end(),
                            [&](std::size_t v) { return of(v) == of(it.reference); }) == 1;
}

BodyDifference compare_body(const Trace& run, const Trace& reference, int body, double tolerance,
                            double size) {
  const BodyDistance apart(*reference.model, body, size);
  BodyDifference found;
  found.body = body;
  const std::size_t samples = std::min(run.times.size(), reference.times.size());
  for (std::size_t k = 0; k < samples; ++k) {
    const auto b = static_cast<std::size_t>(body);
    const double d = apart(run.pose(k, b), reference.pose(k, b));
    found.distance.push_back(d);
    if (d > found.largest) found.largest = d, found.largest_time = run.times[k];
    if (std::isnan(found.first_above) && d > tolerance) found.first_above = run.times[k];
  }
  if (found.distance.empty()) return found;
  found.last = found.distance.back();
  const auto rotation = [&](const Trace& trace) {
    return trace.pose(samples - 1, static_cast<std::size_t>(body)).rotation;
  };
  found.last_turn = rotation(run).angularDistance(rotation(reference));
  return found;
}

// The body that is farthest, at every sample and over all.
void gather_bodies(Difference& all, const std::vector<double>& times) {
  const std::size_t samples = all.bodies.empty() ? 0 : all.bodies.front().distance.size();
  all.distance.assign(samples, 0.0);
  for (const BodyDifference& body : all.bodies) {
    for (std::size_t k = 0; k < samples; ++k)
      all.distance[k] = std::max(all.distance[k], body.distance[k]);
    if (body.largest > all.largest)
      all.largest = body.largest, all.largest_time = body.largest_time,
      all.largest_body = body.body;
    if (!std::isnan(body.first_above) && !(body.first_above >= all.first_above))
      all.first_above = body.first_above, all.first_body = body.body;
    if (body.last > all.last) all.last = body.last, all.last_body = body.body;
  }
  all.until = samples > 0 ? times[samples - 1] : 0.0;
}

double peak_force(const std::vector<Vector3>& impulse, const std::vector<double>& times,
                  std::size_t samples) {
  double peak = 0.0;
  for (std::size_t k = 1; k < std::min(samples, impulse.size()); ++k)
    peak = std::max(peak, (impulse[k] - impulse[k - 1]).norm() / (times[k] - times[k - 1]));
  return peak;
}

PairDifference compare_pair(const BodyPair& pair, const Trace& run, const Trace& reference,
                            const Difference& whole, double brief) {
  static const PairTrace nothing{{{ContactMode::open, 0.0}}, {}};
  const auto of = [&](const Trace& trace) -> const PairTrace& {
    const auto place = trace.pairs.find(pair);
    return place == trace.pairs.end() ? nothing : place->second;
  };
  const PairTrace &mine = of(run), &other = of(reference);
  PairDifference found;
  found.pair = pair;
  found.modes = compare_modes(settled(mine.modes, brief, run.end),
                              settled(other.modes, brief, reference.end), whole.until);
  const std::size_t samples = whole.distance.size();
  const auto at = [](const PairTrace& trace, std::size_t k) -> Vector3 {
    return k < trace.impulse.size() ? trace.impulse[k] : Vector3::Zero();
  };
  for (std::size_t k = 0; k < samples; ++k) {
    found.last_impulse = (at(mine, k) - at(other, k)).norm();
    if (found.last_impulse > found.impulse)
      found.impulse = found.last_impulse, found.impulse_time = run.times[k];
  }
  if (samples > 0) {
    found.total = at(mine, samples - 1).norm();
    found.reference_total = at(other, samples - 1).norm();
  }
  found.peak = peak_force(mine.impulse, run.times, samples);
  found.reference_peak = peak_force(other.impulse, reference.times, samples);
  return found;
}

Difference difference_of(const Trace& run, const Trace& reference, const Comparison& all) {
  Difference found;
  for (std::size_t b = 0; b < run.bodies(); ++b)
    if (run.model->bodies[b].freedom != Freedom::fixed)
      found.bodies.push_back(
          compare_body(run, reference, static_cast<int>(b), all.tolerance, all.size));
  gather_bodies(found, run.times);
  std::map<BodyPair, bool> pairs;
  for (const Trace* trace : {&run, &reference})
    for (const auto& [pair, notes] : trace->pairs) pairs[pair] = true;
  for (const auto& [pair, there] : pairs)
    found.pairs.push_back(compare_pair(pair, run, reference, found, all.brief));
  return found;
}

// Whether a run took one of several motions before a time, or in the step to it; s.
bool has_chosen(const Trace& trace, double time) {
  if (trace.cost.first_several == 0 || std::isnan(time)) return false;
  return static_cast<double>(trace.cost.first_several - 1) * trace.step_size <= time;
}

void judge(Comparison& all, const std::vector<Simulation>& simulations) {
  for (std::size_t c = 0; c < all.cases.size(); ++c) {
    ComparisonCase& it = all.cases[c];
    if (all.default_reference) choose_finest(it, simulations, all.variants);
    const Trace& reference = all.variants[it.reference].trace;
    for (const std::size_t v : it.variants) {
      ComparedVariant& variant = all.variants[v];
      variant.case_index = c;
      variant.agrees = variant.trace.cost.complete;
      if (v != it.reference) {
        variant.difference = difference_of(variant.trace, reference, all);
        variant.agrees = variant.agrees && std::isnan(variant.difference->first_above);
        const double parted = variant.difference->first_above;
        variant.by_choice = has_chosen(variant.trace, parted) || has_chosen(reference, parted);
      }
    }
    it.cheapest = cheapest_of(it, all.variants);
  }
}

void refuse_few(const VariantSet& set) {
  if (set.variants.size() >= 2) return;
  std::string text =
      fmt::format("a comparison needs two runs, {}",
                  set.variants.empty() ? "and none can run" : "and one alone can run");
  for (const SkippedVariant& skipped : set.skipped)
    text += "\n  " + skipped.name + ": " + skipped.reason;
  throw Error(text, "across");
}

void check(const CompareOptions& options) {
  if (options.tolerance && !(*options.tolerance > 0.0 && std::isfinite(*options.tolerance)))
    throw Error("accepted: a length above 0, in m", "tolerance");
  if (options.run.jobs < 0) throw Error("accepted: 1 or more", "jobs");
}

RunManyOptions prepared(const CompareOptions& options, const VariantSet& set,
                        std::vector<ComparedVariant>& variants) {
  RunManyOptions run = options.run;
  run.recordings.clear();
  if (options.folder.empty()) return run;
  std::error_code code;
  std::filesystem::create_directories(options.folder, code);
  if (code) throw Error("cannot be created: " + code.message(), options.folder.string());
  for (std::size_t v = 0; v < set.variants.size(); ++v) {
    variants[v].recording = options.folder / recording_name(set.variants[v]);
    if (std::count(run.recordings.begin(), run.recordings.end(), variants[v].recording) > 0)
      throw Error("two runs would be recorded here", variants[v].recording.string());
    if (std::filesystem::exists(variants[v].recording, code) && !run.overwrite)
      throw Error("exists already; allow to overwrite it, or take another folder",
                  variants[v].recording.string());
    run.recordings.push_back(variants[v].recording);
  }
  return run;
}

}  // namespace

std::size_t cheapest_of(const ComparisonCase& it, const std::vector<ComparedVariant>& variants) {
  const auto cost = [&](std::size_t v) { return variants[v].trace.cost.cpu_per_second(); };
  // Nobody is sent to a run whose steps are not what its model asks for.
  const auto serves = [&](std::size_t v) {
    return variants[v].agrees && variants[v].trace.cost.certified();
  };
  double least = cost(it.reference);
  for (const std::size_t v : it.variants)
    if (serves(v)) least = std::min(least, cost(v));
  const auto is_cheap = [&](std::size_t v) { return least >= same_cost * cost(v); };
  if (is_cheap(it.reference)) return it.reference;
  return *std::find_if(it.variants.begin(), it.variants.end(),
                       [&](std::size_t v) { return serves(v) && is_cheap(v); });
}

std::pair<std::string, std::string> pair_names(const std::vector<std::string>& bodies,
                                               const BodyPair& pair) {
  return {pair.a == pair.b ? "table" : bodies[static_cast<std::size_t>(pair.a)],
          bodies[static_cast<std::size_t>(pair.b)]};
}

std::string recording_name(const Variant& variant) {
  std::string name;
  for (const char c : variant.name) {
    const bool good = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string_view("=.+-_").find(c) != std::string_view::npos;
    if (good)
      name += c;
    else if (!name.ends_with('_'))
      name += '_';
  }
  return name + ".h5";
}

std::optional<Comparison> compare(const Scene& scene, const RunOverrides& base,
                                  std::vector<Axis> axes,
                                  const std::shared_ptr<const Plugins>& plugins,
                                  const CompareOptions& options) {
  check(options);
  VariantSet set = make_variants(scene, base, std::move(axes), plugins);
  refuse_few(set);
  Comparison all;
  all.default_reference = options.reference.empty();
  all.cases = make_cases(set);
  if (!all.default_reference)
    all.cases = with_reference(set, std::move(all.cases), options.reference);
  all.variants.resize(set.variants.size());
  all.times = grid_for(set.simulations);
  const RunManyOptions run = prepared(options, set, all.variants);
  std::vector<std::unique_ptr<Tracer>> tracers;
  std::vector<StepWatcher*> watchers;
  for (const Simulation& simulation : set.simulations) {
    tracers.push_back(std::make_unique<Tracer>(simulation, all.times));
    watchers.push_back(tracers.back().get());
    const std::optional<double> size = moving_size(simulation.model());
    all.size = std::max(all.size, size.value_or(0.0));
    all.sized = all.sized || size;
    all.brief = std::max(all.brief, brief_steps * simulation.step_size());
  }
  if (!all.sized) all.size = reference_length(set.simulations.front().model());
  if (!run_many(set.simulations, watchers, run)) return std::nullopt;
  for (std::size_t v = 0; v < set.variants.size(); ++v) {
    all.variants[v].trace = tracers[v]->finish(set.simulations[v]);
    all.variants[v].variant = std::move(set.variants[v]);
  }
  all.title = scene.title();
  for (const Body& body : set.simulations.front().model().bodies) all.bodies.push_back(body.name);
  all.duration = set.simulations.front().options().real("duration");
  all.default_tolerance = !options.tolerance;
  all.tolerance = options.tolerance.value_or(tolerance_share * all.size);
  all.skipped = std::move(set.skipped);
  all.axes = std::move(set.axes);
  judge(all, set.simulations);
  all.answer = comparison_words(all);
  return all;
}

}  // namespace vinci
