// SPDX-License-Identifier: Apache-2.0
// What study.yaml says, checked; private to study/.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vinci/comparison/quantity.h"
#include "vinci/recording/event_names.h"
#include "vinci/study/case.h"
#include "vinci/study/condition.h"
#include "vinci/study/study.h"

namespace vinci {

inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// The run went to its end, or to one that the scene gives: its measures and its verdict count.
inline bool is_whole(CaseStatus status) {
  return status == CaseStatus::good || status == CaseStatus::ended;
}

// A range, or the values that it may have.
struct DesignParameter {
  std::string name;
  bool is_range = false;
  double from = 0.0, to = 0.0;
  std::vector<double> values;
};

// What is known of an uncertain parameter, as written.
struct DistributionSpec {
  enum class Kind {
    uniform,      // a, b
    normal,       // mean a, deviation b
    lognormal,    // mean a and deviation b of the logarithm
    triangular,   // a, mode c, b
    exponential,  // mean a
    discrete,     // values, weights
    measured,     // values
    grid          // values, all of them
  };
  Kind kind = Kind::uniform;
  double a = 0.0, b = 0.0, c = 0.0;
  double from = -infinity, to = infinity;  // where it is cut off
  std::vector<double> values, weights;
  bool smooth = false;
};

using DistributionKind = DistributionSpec::Kind;

struct UncertainParameter {
  std::string name;
  DistributionSpec distribution;
};

struct MeasureSpec {
  enum class Kind {
    end,
    least,
    greatest,
    mean,
    integral,
    at,
    first_time,
    time_of_least,
    time_of_greatest,
    onsets,
    peak_force,
    events,
    code
  };
  Kind kind = Kind::end;
  std::optional<Quantity> quantity;
  double time = 0.0;                   // of `at`, s
  std::optional<Condition> condition;  // of first_time
  std::vector<Quantity> sides;         // of the condition
  int a = -1, b = -1;                  // bodies
  std::optional<EventKind> event;      // of `events`; all kinds without one
};

using MeasureKind = MeasureSpec::Kind;

// Of the geometric model; numbers are expressions of the scene's parameters.
struct PassageSpec {
  std::string body;
  std::map<std::string, std::pair<Expression, Expression>> goal, bounds;
  double clearance = 0.0, resolution = 0.0;
  long effort = 20'000;
  Verdict not_found = Verdict::unknown;
};

struct LevelSpec {
  RunOverrides overrides;             // parameters are those of the case
  std::map<std::string, double> set;  // but these
  PassageSpec passage;
};

// A condition on quantities of the run.
struct WatchedCondition {
  Condition condition;
  std::vector<Quantity> sides;
};

enum class SampleMethod { monte_carlo, latin_hypercube, sobol, grid };

struct SampleSpec {
  SampleMethod method = SampleMethod::monte_carlo;
  std::uint64_t count = 0;    // per design
  std::uint64_t designs = 0;  // drawn from the ranges; 0: all combinations, or those listed
  bool common = true;         // all designs meet the same draws
};

struct MapSpec {
  std::vector<std::size_t> over;            // design parameters
  std::vector<std::vector<double>> values;  // of the cells
  bool adaptive = false;
  std::uint64_t first = 0, most = 0;  // runs of a cell
  double width = 0.0;                 // 0: not asked for
  double threshold = 0.0;             // likewise
};

// Rounds of `every` cases of each design until all that is asked for holds.
struct StopSpec {
  double width = 0.0;
  std::uint64_t successes = 0, failures = 0, every = 0;
  bool is_given() const { return width > 0.0 || successes > 0 || failures > 0; }
};

struct SearchSpec {
  enum class Goal { probability, worst, mean };
  Goal goal = Goal::probability;
  bool minimise = false;
  std::size_t measure = 0;
  std::string method = "cma-es";
  std::uint64_t evaluations = 0, samples = 0;
  std::uint64_t best = 0, confirm = 0;  // how many designs are run again, with how many draws
};

struct SensitivitySpec {
  bool morris = false;
  std::vector<int> measures;  // -1: success, as 0 or 1
  std::uint64_t count = 0;    // rows of the base matrices, or trajectories
  int levels = 4;             // of Morris' grid
};

struct RareSpec {
  bool importance = false;
  std::size_t measure = 0;  // negative on failure
  std::uint64_t count = 0;  // per round
  double share = 0.1;       // of a round that the next one begins with
  int rounds = 0;           // at most
  int components = 1;       // of importance sampling: regions of the failure
};

struct StudyData {
  std::string title, source, hash, name;
  std::filesystem::path file, folder;
  std::uint64_t seed = 0;
  std::optional<Scene> scene;
  std::shared_ptr<const Plugins> plugins;
  std::shared_ptr<const Model> model;  // with `set`
  std::vector<std::string> names;      // of all parameters of the scene, sorted
  std::map<std::string, double> fixed;

  std::vector<DesignParameter> design;
  bool listed = false;  // designs stand in a list
  std::vector<std::vector<double>> designs;
  std::vector<UncertainParameter> uncertain;
  MatrixX correlation;  // of the uncertain ones' normals; empty: independent
  std::vector<StudyParameter> parameters;

  std::vector<StudyMeasure> measures;
  std::vector<MeasureSpec> measure_specs;
  std::optional<WatchedCondition> until;  // a case is over where it holds
  std::optional<Condition> success;
  std::vector<Expression> success_sides;  // of measures, then the scene's parameters
  std::vector<StudyLevel> levels;
  std::vector<LevelSpec> level_specs;

  // No level is a simulation: the verdicts are those of the geometric model.
  bool is_geometric() const {
    return !levels.empty() && std::all_of(levels.begin(), levels.end(),
                                          [](const StudyLevel& level) { return level.geometric; });
  }

  StudyKind kind = StudyKind::sample;
  int kind_line = 0;                                // where it stands
  SampleMethod method = SampleMethod::monte_carlo;  // of draws, whatever the kind
  SampleSpec sample;
  MapSpec map;
  SearchSpec search;
  SensitivitySpec sensitivity;
  RareSpec rare;
  StopSpec stop;
  StudyLimits limits;
  double confidence = 0.95;
  bool exact_intervals = false;
  std::uint64_t looks = 1;  // at which a design may end
};

}  // namespace vinci
