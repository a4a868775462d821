// SPDX-License-Identifier: Apache-2.0
// One scene under many models: where, when and by how much they disagree, and which is the cheapest
// that agrees with the finest.
//
// Parameters of the scene make cases; in a case all runs have the same parameters, and each is
// compared with the finest of its case. Where parameters are all that varies, there is one case.
// The finest is the first of: ran to its end; motion dynamic, first-order, quasi-static; smallest
// step; gaps of the end of the step, contact frames of it, driven, of its start; impacts located
// within the step; cone quadratic, then pyramids with more directions. What this does not tell
// apart is taken in the order of the axes' values.
#pragma once

#include <limits>
#include <optional>

#include "vinci/comparison/run_many.h"
#include "vinci/comparison/trace.h"
#include "vinci/comparison/variants.h"

namespace vinci {

struct CompareOptions {
  std::optional<double> tolerance;  // m; otherwise tolerance_share of reference_length()
  std::string reference;  // for select_variants(), one per case or one of all; "": the finest
  RunManyOptions run;
  std::filesystem::path folder;  // of recordings, created; empty: none
};
inline constexpr double tolerance_share = 0.01;
// Timings repeat to a few percent; two whose ratio is not below this count as the same.
inline constexpr double same_cost = 0.9;

inline constexpr double never = std::numeric_limits<double>::quiet_NaN();  // for times, s

struct BodyDifference {
  int body = 0;
  std::vector<double> distance;              // m, at the samples; body_distance.h
  double largest = 0.0, largest_time = 0.0;  // m, s
  double first_above = never;                // s: the distance exceeds the tolerance
  double last = 0.0;                         // m: at the end
  double last_turn = 0.0;                    // rad: angle between the two rotations, at the end
};

struct PairDifference {
  BodyPair pair;
  ModeDifference modes;
  double impulse = 0.0, impulse_time = 0.0;  // N s: largest |I − I_reference| of ∫ F dt, and when
  double last_impulse = 0.0;                 // N s: at the end
  double total = 0.0, reference_total = 0.0;  // N s: |I| and |I_reference| at the end
  double peak = 0.0, reference_peak = 0.0;    // N: largest force, as a mean between two samples
};

// A run against its reference, over the time that both have.
struct Difference {
  double until = 0.0;                        // s
  std::vector<double> distance;              // m: of the body that is farthest, at the samples
  double largest = 0.0, largest_time = 0.0;  // m, s
  double first_above = never;                // s
  double last = 0.0;                         // m
  int largest_body = -1, first_body = -1, last_body = -1;
  std::vector<BodyDifference> bodies;  // all that are not fixed
  std::vector<PairDifference> pairs;   // all that touch in one of the two
};

struct ComparedVariant {
  Variant variant;
  Trace trace;
  std::size_t case_index = 0;
  bool agrees = false;                   // complete, and never above the tolerance
  std::optional<Difference> difference;  // from the reference; none for the reference itself
  // It leaves its reference after a step of one of the two that allows several motions; known where
  // the runs are diagnosed.
  bool by_choice = false;
  std::filesystem::path recording;  // empty: none
};

struct ComparisonCase {
  std::string name;                   // "speed=0.1", or "" where there is one case
  std::vector<std::size_t> variants;  // into Comparison::variants
  std::size_t reference = 0;
  bool finest = false;  // the reference is finer than all others, not only named before them
  // Of those that agree: the reference, unless others take a tenth less CPU time; of these the
  // first whose time is within a tenth of the least.
  std::size_t cheapest = 0;
};

struct Comparison {
  std::string title;
  std::vector<std::string> bodies;
  std::vector<Axis> axes;
  double tolerance = 0.0, size = 0.0;  // m; the latter of the largest body that moves freely
  bool sized = false;                  // there is such a body; otherwise the size is 1 m
  bool default_tolerance = false, default_reference = false;
  double duration = 0.0;
  double brief = 0.0;         // s: separations that are shorter do not count
  std::vector<double> times;  // s, samples
  std::vector<ComparedVariant> variants;
  std::vector<SkippedVariant> skipped;
  std::vector<ComparisonCase> cases;
  std::vector<std::string> answer;  // in words, one sentence per entry
};

// None if go_on() said no. Throws Error: bad axes, a reference that is not one, fewer than two
// runs.
std::optional<Comparison> compare(const Scene& scene, const RunOverrides& base,
                                  std::vector<Axis> axes,
                                  const std::shared_ptr<const Plugins>& plugins,
                                  const CompareOptions& options);

// ComparisonCase::cheapest, from the costs and from what agrees.
std::size_t cheapest_of(const ComparisonCase& it, const std::vector<ComparedVariant>& variants);

// Names of the bodies of a pair: "floor" and "block", or a body and "table".
std::pair<std::string, std::string> pair_names(const std::vector<std::string>& bodies,
                                               const BodyPair& pair);

// The file in which a variant is recorded: its name, without what a path cannot hold.
std::string recording_name(const Variant& variant);

// The sentences of Comparison::answer.
std::vector<std::string> comparison_words(const Comparison& comparison);

// docs/json.md. With at most `most_samples` of the series, evenly kept, and the series of single
// bodies for at most `most_bodies`, those that differ most.
struct ComparisonJsonOptions {
  std::size_t most_samples = std::numeric_limits<std::size_t>::max();
  std::size_t most_bodies = std::numeric_limits<std::size_t>::max();
};
std::string comparison_json(const Comparison& comparison,
                            const ComparisonJsonOptions& options = {});

}  // namespace vinci
