// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/runner.h"

#include <algorithm>
#include <ctime>
#include <new>
#include <optional>

#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/model/run_options.h"
#include "vinci/passage/passage.h"
#include "vinci/recording/recorder.h"
#include "vinci/study/measure_watch.h"
#include "vinci/study/study_data.h"

namespace vinci {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Without places in files: a table is the same wherever the study lies.
std::string message_of(const SceneError& error) {
  std::string text;
  for (const Diagnostic& mistake : error.diagnostics())
    text += (text.empty() ? "" : "; ") + (mistake.key.empty() ? "" : mistake.key + ": ") +
            mistake.message;
  return escaped(text);
}

// What a level said, with what it measured.
struct Said {
  LevelResult result;
  std::vector<double> measures;
  std::string message;
};

}  // namespace

struct CaseRunner::Impl {
  struct Level {
    RunOverrides overrides;
    std::vector<double*> places;           // of the values of a case among its parameters, or null
    std::optional<Simulation> simulation;  // of the last case, to begin anew with the next
    std::map<std::uint32_t, Said> known;   // of designs, where the level is run once a design
  };

  Impl(Study study_, StudyCode code_) : study(std::move(study_)), code(std::move(code_)) {
    const StudyData& data = study.data();
    for (const StudyMeasure& measure : data.measures)
      if (measure.is_code && !code.measures.contains(measure.name))
        throw Error("is a function in Python; accepted: studies with it run from Python",
                    "measures." + measure.name);
    for (std::size_t i = 0; i < data.levels.size(); ++i) {
      Level& level = levels.emplace_back();
      level.overrides = data.level_specs[i].overrides;
      level.overrides.parameters = data.fixed;
      const std::size_t count =
          data.levels[i].per_design ? study.design_parameter_count() : data.parameters.size();
      // Values that the level sets have no place of their own: what a case says goes nowhere.
      for (std::size_t k = 0; k < count; ++k) {
        const std::string& name = data.parameters[k].name;
        level.places.push_back(
            data.level_specs[i].set.contains(name) ? nullptr : &level.overrides.parameters[name]);
      }
      for (const auto& [name, value] : data.level_specs[i].set)
        level.overrides.parameters[name] = value;
    }
  }

  CaseAnswer run(const StudyCase& item);
  Said ask(std::size_t index, const StudyCase& item);
  void simulate(Said& said, Recorder* recorder, Simulation& simulation);
  Said simulated(std::size_t index);
  Said passed(std::size_t index);
  bool is_success(const Model& model, const std::vector<double>& measures) const;
  void set_values(Level& level, const StudyCase& item) const;
  std::string detector_of(const Level& level) const;

  static constexpr std::size_t most_known = 4096;  // designs that a level remembers

  Study study;
  StudyCode code;
  std::vector<Level> levels;
  std::function<bool()> wanted;
};

void CaseRunner::Impl::set_values(Level& level, const StudyCase& item) const {
  if (item.values.size() != study.parameters().size())
    throw Error(fmt::format("the case has {} values, the study {} parameters", item.values.size(),
                            study.parameters().size()));
  for (std::size_t k = 0; k < level.places.size(); ++k)
    if (level.places[k] != nullptr) *level.places[k] = item.values[k];
}

bool CaseRunner::Impl::is_success(const Model& model, const std::vector<double>& measures) const {
  const StudyData& data = study.data();
  std::vector<double> variables = measures, sides;
  for (const auto& [name, value] : model.parameters) variables.push_back(value);
  for (const Expression& side : data.success_sides) sides.push_back(side.value(variables));
  return data.success->holds(sides);
}

void CaseRunner::Impl::simulate(Said& said, Recorder* recorder, Simulation& simulation) {
  const StudyData& data = study.data();
  if (wanted) simulation.stop_when(wanted);
  MeasureWatch watch(data.measure_specs, simulation);
  RunLoop loop{.last_step = simulation.total_steps(), .recorder = recorder, .watchers = {&watch}};
  const auto most = static_cast<std::int64_t>(data.limits.steps);
  const bool limited = most > 0 && most < loop.last_step;
  if (limited) loop.last_step = most;
  std::optional<ConditionWatch> until;
  if (data.until) until.emplace(*data.until, simulation);
  const auto is_over = [&] { return until && until->holds(simulation); };
  bool over = false;
  loop.go_on = [&] {
    if (wanted && wanted()) return false;
    over = is_over();
    return !over;
  };
  if (run_steps(simulation, loop))
    over = is_over();
  else if (!over)
    throw Stopped{};
  if (wanted && wanted()) throw Stopped{};
  said.result.steps = static_cast<std::uint64_t>(simulation.state().step);
  if (simulation.diverged()) {
    said.result.status = CaseStatus::diverged;
    const auto body = static_cast<std::size_t>(simulation.report().diverged_body);
    said.message = "no longer finite: " + simulation.model().bodies[body].name;
    return;
  }
  said.measures = watch.values();
  for (std::size_t i = 0; i < data.measures.size(); ++i)
    if (data.measures[i].is_code)
      said.measures[i] = code.measures.at(data.measures[i].name)(simulation);
  if (limited && !over && !simulation.has_ended()) {
    said.result.status = CaseStatus::timed_out;
    said.message = fmt::format("more than {} steps", most);
  } else if (!watch.is_certified()) {
    said.result.status = CaseStatus::inexact;
  } else if (simulation.has_ended()) {
    said.result.status = CaseStatus::ended;
  }
  if (is_whole(said.result.status) && data.success)
    said.result.verdict =
        is_success(simulation.model(), said.measures) ? Verdict::success : Verdict::failure;
}

Said CaseRunner::Impl::simulated(std::size_t index) {
  Said said;
  said.measures.assign(study.measures().size(), no_number);
  Level& level = levels[index];
  // Taken out while it runs: what ended by an exception, or in numbers that are not finite, does
  // not begin anew.
  std::optional<Simulation> simulation = std::move(level.simulation);
  level.simulation.reset();
  if (simulation)
    simulation->restart(level.overrides.parameters);
  else
    simulation.emplace(study.scene(), level.overrides, study.plugins());
  simulate(said, nullptr, *simulation);
  if (said.result.status != CaseStatus::diverged) level.simulation = std::move(simulation);
  return said;
}

std::string CaseRunner::Impl::detector_of(const Level& level) const {
  if (const auto own = level.overrides.options.find("detector");
      own != level.overrides.options.end())
    return own->second;
  const auto& values = study.scene().run().values;
  if (const auto written = values.find("detector"); written != values.end()) return written->second;
  return to_string(run_option_table().find("detector")->fallback);
}

Said CaseRunner::Impl::passed(std::size_t index) {
  const StudyData& data = study.data();
  const PassageSpec& spec = data.level_specs[index].passage;
  Said said;
  said.measures.assign(data.measures.size(), no_number);
  const auto model = study.scene().compile(levels[index].overrides.parameters);
  std::vector<double> parameters;
  for (const auto& [name, value] : model->parameters) parameters.push_back(value);
  const auto ranges = [&](const auto& written) {
    std::map<std::string, CoordinateRange> values;
    for (const auto& [name, ends] : written)
      values[name] = {ends.first.value(parameters), ends.second.value(parameters)};
    return values;
  };
  PassageQuery query;
  query.body = model->find_body(spec.body);
  query.start = model->bodies[static_cast<std::size_t>(query.body)].initial_pose;
  query.goal = ranges(spec.goal);
  query.bounds = ranges(spec.bounds);
  query.clearance = spec.clearance;
  query.resolution = spec.resolution;
  query.effort = spec.effort;
  query.seed = study.seed();
  if (wanted) query.stop = wanted;
  const auto detector = study.plugins()->detectors.make(detector_of(levels[index]));
  const PassageResult result = find_passage(*model, *detector, query);
  said.result.steps = static_cast<std::uint64_t>(result.samples);
  switch (result.status) {
    case PassageStatus::stopped:
      throw Stopped{};
    case PassageStatus::found:
      said.result.verdict = Verdict::success;
      break;
    case PassageStatus::impossible:
    case PassageStatus::start_blocked:
      said.result.verdict = Verdict::failure;
      break;
    default:
      said.result.verdict = spec.not_found;
  }
  if (said.result.verdict != Verdict::success) said.message = to_string(result.status);
  return said;
}

Said CaseRunner::Impl::ask(std::size_t index, const StudyCase& item) {
  Level& level = levels[index];
  const StudyLevel& kind = study.levels()[index];
  if (kind.per_design)
    if (const auto found = level.known.find(item.design); found != level.known.end())
      return found->second;
  Said said;
  const auto failed = [&](CaseStatus status, std::string message) {
    said = {};
    said.measures.assign(study.measures().size(), no_number);
    said.result.status = status;
    said.message = std::move(message);
  };
  set_values(level, item);
  try {
    said = kind.geometric ? passed(index) : simulated(index);
  } catch (const SceneError& error) {
    failed(CaseStatus::failed, message_of(error));
  } catch (const std::bad_alloc&) {
    failed(CaseStatus::crashed, "no memory left");
  } catch (const std::exception& error) {
    failed(CaseStatus::failed, escaped(error.what()));
  }
  said.result.level = static_cast<std::uint32_t>(index);
  if (kind.per_design) {
    if (level.known.size() >= most_known) level.known.clear();
    level.known[item.design] = said;
  }
  return said;
}

CaseAnswer CaseRunner::Impl::run(const StudyCase& item) {
  CaseAnswer answer;
  CaseResult& result = answer.result;
  result.number = item.number;
  result.measures.assign(study.measures().size(), no_number);
  bool confirmed = true, rejected = false;
  for (std::size_t i = 0; i < levels.size() && !rejected; ++i) {
    const StudyLevel& level = study.levels()[i];
    const double begin = cpu_seconds();
    Said said = ask(i, item);
    answer.cpu_seconds.push_back(cpu_seconds() - begin);
    const bool sound = confirmed || is_whole(result.status);
    const bool whole = is_whole(said.result.status);
    rejected = level.rejects && said.result.verdict == Verdict::failure;
    if (level.confirms) confirmed = confirmed && said.result.verdict == Verdict::success;
    // What kept a case from being confirmed is its status, unless a later level rejects it.
    if (sound || rejected || (level.confirms && !whole)) {
      result.status = said.result.status;
      result.message = std::move(said.message);
    }
    if (!level.geometric) result.measures = std::move(said.measures);
    result.level = static_cast<std::uint32_t>(i);
    result.levels.push_back(said.result);
  }
  result.verdict = rejected ? Verdict::failure : confirmed ? Verdict::success : Verdict::unknown;
  return answer;
}

CaseRunner::CaseRunner(Study study, StudyCode code)
    : impl_(std::make_unique<Impl>(std::move(study), std::move(code))) {}
CaseRunner::CaseRunner(CaseRunner&&) noexcept = default;
CaseRunner& CaseRunner::operator=(CaseRunner&&) noexcept = default;
CaseRunner::~CaseRunner() = default;

CaseAnswer CaseRunner::run(const StudyCase& item) {
  return impl_->run(item);
}

void CaseRunner::stop_when(std::function<bool()> wanted) {
  impl_->wanted = std::move(wanted);
}

const Study& CaseRunner::study() const {
  return impl_->study;
}

CaseAnswer CaseRunner::record(const StudyCase& item, const std::filesystem::path& file,
                              bool overwrite) {
  CaseAnswer answer = impl_->run(item);
  // The last level asked that is a simulation; where the geometric model alone decided, the first
  // one, of which the beginning is shown.
  const std::vector<StudyLevel>& levels = impl_->study.levels();
  std::optional<std::size_t> shown;
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (!levels[i].geometric && (i < answer.result.levels.size() || !shown)) shown = i;
  if (!shown) throw Error("the study has no level that is a simulation");
  Impl::Level& level = impl_->levels[*shown];
  impl_->set_values(level, item);
  Simulation simulation(impl_->study.scene(), level.overrides, impl_->study.plugins());
  Recorder recorder(file, simulation, overwrite);
  Said again;
  if (*shown < answer.result.levels.size()) impl_->simulate(again, &recorder, simulation);
  recorder.finish(simulation);
  return answer;
}

CaseResult lost_case(const Study& study, std::uint64_t number, CaseStatus status,
                     std::string message) {
  CaseResult result;
  result.number = number;
  result.status = status;
  result.measures.assign(study.measures().size(), no_number);
  result.message = std::move(message);
  return result;
}

}  // namespace vinci
