// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/study_grammar.h"

#include <fmt/format.h>

#include "vinci/scene/document.h"
#include "vinci/scene/scene_values.h"
#include "vinci/study/study.h"

namespace vinci {
namespace {

constexpr double most_values = 100'000;      // of a grid
constexpr double most_of_round = 1'000'000;  // cases of a rare study, which are kept

using namespace scene_values;

SceneValue count(const std::string& text, double least = 1.0, double most = most_cases) {
  SceneValue value = whole(fmt::format("a whole number of {}, at most {:g}", text, most), least);
  value.upper = most;
  return value;
}

SceneValue share(const std::string& text) {
  SceneValue value = within(text + " between 0 and 1", 0.0, 1.0);
  value.above_lower = true;
  return value;
}

SceneValue identifiers(std::string text, SceneValue item) {
  SceneValue value = names(std::move(text), std::move(item));
  value.naming = SceneValue::Naming::identifier;
  value.most = 1000;
  return value;
}

SceneValue flag() {
  return choice({"true", "false"});
}

SceneValue pair_of_bodies() {
  return list("[body, body]", word("the name of a body"), 2, 2);
}

// --- parameters ---

SceneValue design() {
  SceneValue range =
      map("{from: a, to: b} or {from: a, to: b, grid: n}",
          {{"from", "Least value.", number("a number"), true},
           {"to", "Greatest value.", number("a number"), true},
           {"grid", "Number of values, ends included.", count("values", 1, most_values)}});
  return identifiers(
      "parameters of the scene by name",
      either("a list of values, or {from: a, to: b}",
             {list("a list of values", number("a number"), 1, 100'000), std::move(range)}));
}

SceneValue designs() {
  return either(
      "a list of {parameter: value}, or the name of a CSV file",
      {list("a list of {parameter: value}", identifiers("{parameter: value}", number("a number")),
            1, static_cast<std::size_t>(most_designs)),
       word("the name of a CSV file")});
}

std::vector<SceneKey> with_ends(std::vector<SceneKey> keys) {
  keys.push_back({"from", "Nothing below it is drawn.", number("a number")});
  keys.push_back({"to", "Nothing above it is drawn.", number("a number")});
  return keys;
}

SceneValue uncertain() {
  const SceneValue any = number("a number");
  SceneValue measured = map("{file: table.csv, column: name} or {values: [...]}",
                            {{"file", "CSV file with a line of names.", word("a file name")},
                             {"column", "Name of the column.", word("a name")},
                             {"values", "The samples.", list("a list of numbers", any, 2, 100'000)},
                             {"smooth", "Values between the samples are drawn too.", flag()}});
  measured.one_of = {{"file", "values"}};
  measured.together = {{"file", "column"}};
  SceneValue value = map(
      "{uniform: [a, b]}, {normal: {mean: m, deviation: d}} or another distribution",
      {{"uniform", "All values between two ends alike.", numbers("[from, to]", 2)},
       {"normal", "Normal, cut off at `from` and `to` where they are given.",
        map("{mean: m, deviation: d}",
            with_ends({{"mean", "Its mean, before it is cut off.", any, true},
                       {"deviation", "Standard deviation.", positive("its unit"), true}}))},
       {"lognormal", "Its logarithm is normal.",
        map("{median: m, spread: s}",
            with_ends({{"median", "Its median.", positive("its unit"), true},
                       {"spread", "Standard deviation of its logarithm.", positive("1"), true}}))},
       {"triangular", "Density rises from one end to the mode and falls to the other.",
        map("{from: a, mode: c, to: b}", {{"from", "Least value.", any, true},
                                          {"mode", "The most likely one.", any, true},
                                          {"to", "Greatest value.", any, true}})},
       {"exponential", "Of the mean, from 0 on.",
        map("{mean: m}", with_ends({{"mean", "Its mean.", positive("its unit"), true}}))},
       {"discrete", "Some values, with weights.",
        map("{values: [...], weights: [...]}",
            {{"values", "What it may be.", list("a list of numbers", any, 1, 100'000), true},
             {"weights", "How likely, in proportion; all alike without them.",
              list("a list of weights", within("a weight, 0 or more", 0.0, infinity), 1,
                   100'000)}})},
       {"measured", "As often as in samples.",
        either("a list of samples, or {file: table.csv, column: name}",
               {list("a list of samples", any, 2, 100'000), std::move(measured)})},
       {"grid", "Each of the values once: for `sample: {method: grid}`.",
        either("a list of values, or {from: a, to: b, count: n}",
               {list("a list of values", any, 1, 100'000),
                map("{from: a, to: b, count: n}", {{"from", "Least value.", any, true},
                                                   {"to", "Greatest value.", any, true},
                                                   {"count", "Number of values, ends included.",
                                                    count("values", 1, most_values), true}})})}});
  value.one_of = {{"uniform", "normal", "lognormal", "triangular", "exponential", "discrete",
                   "measured", "grid"}};
  return identifiers("parameters of the scene by name", std::move(value));
}

SceneValue correlations() {
  return list(
      "a list of {of: [a, b], value: r}",
      map("{of: [a, b], value: r}",
          {{"of", "Two uncertain parameters.",
            list("[parameter, parameter]", word("the name of an uncertain parameter"), 2, 2), true},
           {"value", "Their correlation.", within("a number from -1 to 1", -1.0, 1.0), true},
           {"kind", "Of the normals of the copula, or of ranks (Spearman).",
            choice({"normal", "rank"})}}));
}

// --- measures ---

SceneValue measures() {
  const SceneValue quantity = word("a quantity of the run, as in part.x or force(part, floor)");
  SceneValue extreme =
      map("{greatest: quantity} or {least: quantity}",
          {{"greatest", "Of this quantity.", quantity}, {"least", "Of this quantity.", quantity}});
  extreme.one_of = {{"greatest", "least"}};
  SceneValue value = map(
      "{end: quantity} or another measure",
      {{"end", "At the end of the run.", quantity},
       {"least", "The least over the run.", quantity},
       {"greatest", "The greatest over the run.", quantity},
       {"mean", "The mean over time.", quantity},
       {"integral", "The integral over time.", quantity},
       {"at", "At a time, of the quantity `of`.", within("a time in s, 0 or more", 0, infinity)},
       {"of", "The quantity at the time `at`.", quantity},
       {"first_time", "When a condition holds first, s; no number if it never does.",
        word("a condition, as in part.y < -0.1")},
       {"time_of", "When a quantity is at its extreme, s.",
        either("`greatest of part.y`, or {greatest: quantity}",
               {word("`greatest of part.y`"), std::move(extreme)})},
       {"onsets", "How often contact of two bodies begins.", pair_of_bodies()},
       {"peak_force", "Greatest normal force between two bodies, N.", pair_of_bodies()},
       {"events", "Number of events of event-driven steps, of a kind or `all`.",
        choice({"all", "touch", "release", "parting", "slide", "stick", "transition"})},
       {"python", "A function in Python of the run at its end; only from Python.",
        word("file.py:function")}});
  value.one_of = {{"end", "least", "greatest", "mean", "integral", "at", "first_time", "time_of",
                   "onsets", "peak_force", "events", "python"}};
  value.together = {{"at", "of"}};
  return identifiers("measures by name", std::move(value));
}

// --- levels ---

SceneValue levels() {
  const SceneValue end = word("a number, or an expression of the scene's parameters");
  const SceneValue ranges =
      names("{coordinate: [from, to]}",
            either("[from, to], or {from: a} or {to: b}",
                   {list("[from, to]", end, 2, 2),
                    map("{from: a, to: b}", {{"from", "Least.", end}, {"to", "Greatest.", end}})}));
  return list(
      "a list of levels",
      map("a level",
          {{"name", "Of the level, in the report.", word("a name"), true},
           {"model", "A simulation, or the geometric model: can the body pass at all?",
            choice({"simulation", "geometric"})},
           {"run", "Choices of this level, over those of the study and the scene.",
            scene_grammar(World::spatial).find("run")->value},
           {"rejects", "A case that fails here has failed. By default true.", flag()},
           {"confirms", "A case succeeds only if it does so here. By default the last level.",
            flag()},
           {"set", "Parameters of the scene that have another value at this level.",
            identifiers("{parameter: value}", number("a number"))},
           {"per", "A level that looks at the design only runs once a design.",
            choice({"case", "design"})},
           {"body", "What is to pass (geometric).", word("the name of a body")},
           {"goal", "Where it is to get (geometric).", ranges},
           {"bounds", "Where it may go (geometric).", ranges},
           {"clearance", "Gap to keep (geometric).",
            within("a length in m, 0 or more", 0.0, infinity)},
           {"resolution", "Length below which the search gives up (geometric).", positive("m")},
           {"effort", "Random poses to try (geometric).", count("poses")},
           {"not-found", "What it means that no way was found, which proves nothing (geometric).",
            choice({"unknown", "failure"})}}),
      1, 20);
}

// --- which cases ---

SceneValue methods(bool with_grid) {
  if (with_grid) return choice({"monte-carlo", "latin-hypercube", "sobol", "grid"});
  return choice({"monte-carlo", "latin-hypercube", "sobol"});
}

SceneValue sample() {
  return map("{count: n}",
             {{"method", "How the uncertain parameters are drawn.", methods(true)},
              {"count", "Cases of each design.", count("cases")},
              {"designs", "How many designs are drawn from the ranges.", count("designs")},
              {"common", "All designs meet the same draws. By default true.", flag()}});
}

SceneValue map_key() {
  SceneValue adaptive =
      map("{first: 20, most: 200, width: 0.1}",
          {{"first", "Runs of every cell.", count("runs"), true},
           {"most", "Runs of a cell at most.", count("runs"), true},
           {"width", "A cell is settled where its interval is not wider.", share("a width")},
           {"threshold", "Or where its interval lies on one side of this probability.",
            share("a probability")}});
  SceneValue value =
      map("{over: [x, y], cells: [20, 20], count: 200}",
          {{"over", "One or two design parameters.",
            list("one or two names", word("the name of a design parameter"), 1, 2), true},
           {"cells", "Number of cells of each range.",
            list("one or two numbers of cells", count("cells"), 1, 2)},
           {"count", "Runs of every cell.", count("runs")},
           {"adaptive", "Runs go where they are needed.", std::move(adaptive)},
           {"method", "How the uncertain parameters are drawn.", methods(false)}});
  value.one_of = {{"count", "adaptive"}};
  return value;
}

SceneValue search() {
  const SceneValue goal = choice({"probability", "worst", "mean"});
  SceneValue value = map(
      "{maximise: probability, evaluations: n}",
      {{"maximise", "The probability of success, or the worst or mean of a measure.", goal},
       {"minimise", "The worst (greatest) or the mean of a measure.", choice({"worst", "mean"})},
       {"of", "The measure.", word("the name of a measure")},
       {"method", "Who searches.", choice({"cma-es", "bobyqa", "cobyla", "sbplx", "direct-l"})},
       {"evaluations", "Designs to try.", count("designs"), true},
       {"samples", "Cases of each design.", count("cases")},
       {"confirm", "The best designs run again with this many fresh draws.", count("cases")},
       {"best", "How many designs are confirmed. By default 1.", count("designs")}});
  value.one_of = {{"maximise", "minimise"}};
  return value;
}

SceneValue sensitivity() {
  return map("{method: sobol, of: [measure], count: n}",
             {{"method", "Sobol's indices, or Morris' effects.", choice({"sobol", "morris"})},
              {"of", "Measures, or `success`.",
               list("a list of measures", word("the name of a measure, or success"), 1, 100), true},
              {"count", "Rows of the base matrices, or trajectories.", count("rows", 2), true},
              {"levels", "Of Morris' grid. By default 4.", count("levels", 2)}});
}

SceneValue rare() {
  return map(
      "{method: subset, of: measure, count: n}",
      {{"method", "Subset simulation, or importance sampling.", choice({"subset", "importance"})},
       {"of", "A measure that is negative on failure.", word("the name of a measure"), true},
       {"count", "Cases of a round.", count("cases", 10, most_of_round), true},
       {"share", "Of a round that the next one begins with. By default 0.1.", share("a share")},
       {"rounds", "At most. By default 10.", count("rounds")},
       {"components", "Of importance sampling: regions of the failure. By default 1.",
        count("regions", 1, 100)}});
}

SceneValue stop() {
  SceneValue value = map("{width: w}, {failures: n} or {successes: n}",
                         {{"width", "No interval is wider.", share("a width")},
                          {"successes", "So many of each design.", count("successes")},
                          {"failures", "So many of each design.", count("failures")},
                          {"every", "Cases of each design between two looks.", count("cases")}});
  return value;
}

SceneValue limits() {
  return map("{time: s, memory: 2 GB, steps: n}",
             {{"time", "That a case computes or sleeps.", positive("s")},
              {"memory", "Of a worker.", word("a size, as in `500 MB` or `2 GB`")},
              {"steps", "Of a level.", count("steps")}});
}

SceneValue root() {
  SceneValue value =
      map("a study",
          {{"title", "What the study is about.", word("a text")},
           {"scene", "File of the scene, from the folder of the study.", word("a file name"), true},
           {"seed", "Another seed, other draws.", within("a whole number, 0 or more", 0, 0x1p53)},
           {"run", "Choices of the run, over those of the scene.",
            scene_grammar(World::spatial).find("run")->value},
           {"set", "Parameters of the scene that have another value all through the study.",
            identifiers("{parameter: value}", number("a number"))},
           {"design", "Parameters to choose.", design()},
           {"designs", "Designs one by one.", designs()},
           {"uncertain", "Parameters that are not known exactly.", uncertain()},
           {"correlations", "Between uncertain parameters.", correlations()},
           {"measures", "What is kept of a run, by name.", measures()},
           {"until", "A case is over where this holds.", word("a condition, as in part.y < -0.1")},
           {"success", "What counts as success.", word("a condition, as in x_end > 0.1")},
           {"levels", "The ladder of models.", levels()},
           {"sample", "Draws of the uncertain parameters for every design.", sample()},
           {"map", "The probability over one or two design parameters.", map_key()},
           {"search", "The best design.", search()},
           {"sensitivity", "Which uncertain parameters matter.", sensitivity()},
           {"rare", "The probability of rare failures.", rare()},
           {"stop", "When to stop before all cases are run.", stop()},
           {"limits", "Of a case.", limits()},
           {"interval", "How sure intervals are.",
            map("{confidence: 0.95}",
                {{"confidence", "Share of intervals that hold the truth. By default 0.95.",
                  within("a number between 0.5 and 0.999999", 0.5, 0.999999)},
                 {"method", "Wilson's, or the exact ones of Clopper and Pearson.",
                  choice({"wilson", "exact"})}})}});
  value.keys[2].value.whole = true;
  value.clashes = {{"design", "designs"}};
  value.one_of = {{"sample", "map", "search", "sensitivity", "rare"}};
  return value;
}

}  // namespace

const SceneValue& study_grammar() {
  static const SceneValue grammar = root();
  return grammar;
}

std::string study_schema() {
  return document_schema(study_grammar(), "Vinci study",
                         "A scene under uncertainty: which cases run, and what is kept of them.");
}

}  // namespace vinci
