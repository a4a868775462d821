// SPDX-License-Identifier: Apache-2.0
// The report for people.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vinci/base/words.h"
#include "vinci/study/study_report.h"

namespace vinci {
namespace {

std::string counted(std::uint64_t count, const std::string& noun) {
  return plural(static_cast<std::int64_t>(count), noun);
}

std::string in_words(const Probability& it) {
  if (std::isnan(it.value)) return "not known";
  if (std::isnan(it.lower)) return fmt::format("{:.4g}", it.value);
  return fmt::format("{:.4g} ({:.4g} to {:.4g})", it.value, it.lower, it.upper);
}

std::string in_words(const VerdictCounts& it) {
  std::string words = fmt::format("{} of {}", it.successes, counted(it.cases(), "case"));
  if (it.unknown > 0) words += fmt::format(", {} unknown", it.unknown);
  return words;
}

class Words {
 public:
  explicit Words(const StudyReport& report) : report_(report) {}

  std::string text() {
    line("study", report_.title);
    line("cases",
         counted(report_.cases, "case") + (report_.complete ? "" : "; the study is not complete"));
    if (report_.waiting > 0)
      line("waiting", fmt::format("{} of a round that is not complete: they count when it is",
                                  counted(report_.waiting, "case")));
    add_success();
    if (report_.has_verdicts && report_.looks > 1)
      line("intervals", fmt::format("exact; each holds its {:g} % although its runs could end at "
                                    "{} looks at them",
                                    100.0 * report_.confidence, report_.looks));
    add_statuses();
    for (const MeasureSummary& it : report_.measures) add_measure(it);
    add_levels();
    add_designs();
    add_map();
    add_sensitivity();
    add_rare();
    add_found();
    add_troubled();
    return std::move(text_);
  }

 private:
  void line(const std::string& label, const std::string& words) {
    fmt::format_to(std::back_inserter(text_), "{:<14} {}\n", label, words);
  }

  std::string values(const std::vector<double>& numbers) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(numbers.size(), report_.design_parameters.size()); ++i)
      text +=
          fmt::format("{}{}={:.6g}", i == 0 ? "" : " ", report_.design_parameters[i], numbers[i]);
    return text;
  }

  void add_success() {
    const VerdictCounts& verdicts = report_.verdicts;
    if (report_.has_verdicts && report_.probability) {
      line("success", fmt::format("{}, interval of {:g} %", in_words(*report_.probability),
                                  100.0 * report_.confidence));
      if (verdicts.unknown > 0)
        line("unknown", fmt::format("{}; whatever they would have been, {:.4g} to {:.4g}",
                                    counted(verdicts.unknown, "case"), report_.probability->least,
                                    report_.probability->most));
    } else if (report_.has_verdicts) {
      line("success", in_words(verdicts));
    }
    if (!report_.withheld.empty()) line("estimates", "none over all cases: " + report_.withheld);
  }

  void add_statuses() {
    std::vector<std::string> parts;
    for (int i = 0; i < case_status_count; ++i)
      if (const auto count = report_.statuses[static_cast<std::size_t>(i)]; count > 0)
        parts.push_back(fmt::format("{} {}", count, to_string(static_cast<CaseStatus>(i))));
    if (!parts.empty()) line("status", fmt::format("{}", fmt::join(parts, ", ")));
  }

  void add_measure(const MeasureSummary& it) {
    if (it.count == 0) return line(it.name, "no numbers");
    std::string words;
    if (it.drawn)
      words =
          fmt::format("mean {:.5g} ({:.5g} to {:.5g}), ", it.mean, it.mean_lower, it.mean_upper);
    words += fmt::format("from {:.5g} to {:.5g}", it.least, it.greatest);
    for (const MeasureQuantile& quantile : it.quantiles)
      if (quantile.share == 0.05 || quantile.share == 0.5 || quantile.share == 0.95)
        words += fmt::format(", {:g} %: {:.5g}", 100.0 * quantile.share, quantile.value);
    if (it.drawn && it.quantiles_of < it.count)
      words += fmt::format("; quantiles of {} of them, drawn", it.quantiles_of);
    if (it.count < report_.cases) words += fmt::format("; of {}", counted(it.count, "case"));
    if (report_.levels.size() > 1) words += fmt::format(", by level {}", it.level);
    line(it.name, words);
  }

  void add_levels() {
    if (report_.levels.size() < 2 && report_.levels[0].timed == 0) return;
    text_ += fmt::format("\n{:<20}{:>10}{:>10}{:>10}{:>10}{:>14}{:>14}\n", "level", "asked",
                         "success", "failure", "unknown", "steps", "s per case");
    for (const LevelSummary& it : report_.levels) {
      const std::string cost =
          it.timed > 0 ? fmt::format("{:.3g}", it.cpu_seconds / static_cast<double>(it.timed))
                       : "-";
      text_ += fmt::format("{:<20}{:>10}{:>10}{:>10}{:>10}{:>14}{:>14}\n", it.name,
                           it.verdicts.cases(), it.verdicts.successes, it.verdicts.failures,
                           it.verdicts.unknown, it.steps, cost);
    }
    for (const LevelsApart& it : report_.levels_apart) {
      const std::string &first = report_.levels[it.first].name,
                        &second = report_.levels[it.second].name;
      text_ += fmt::format(
          "levels {} and {} contradict each other in {} of {}: {} succeed by {} alone, {} by {}\n",
          first, second, it.first_only + it.second_only, counted(it.cases, "case"), it.first_only,
          first, it.second_only, second);
    }
  }

  // The best designs; without verdicts the first ones.
  void add_designs() {
    if (report_.best.empty() || report_.design_count < 2) return;
    text_ += fmt::format("\n{} of {}\n", report_.has_verdicts ? "best" : "first",
                         counted(report_.design_count, "design"));
    for (const std::uint32_t design : report_.best) {
      const auto at = std::lower_bound(
          report_.designs.begin(), report_.designs.end(), design,
          [](const DesignSummary& it, std::uint32_t number) { return it.design < number; });
      text_ += fmt::format("  {:>6}  {}  {}\n", design, values(at->values), design_words(*at));
    }
  }

  std::string design_words(const DesignSummary& it) const {
    if (report_.has_verdicts)
      return it.probability ? in_words(*it.probability) : in_words(it.verdicts);
    std::string words;
    for (const DesignMeasure& measure : it.measures) {
      words += fmt::format("{}{} {:.5g}", words.empty() ? "" : ", ", measure.name, measure.mean);
      if (measure.drawn)
        words += fmt::format(" ({:.5g} to {:.5g})", measure.mean_lower, measure.mean_upper);
      if (report_.levels.size() > 1) words += fmt::format(" by level {}", measure.level);
    }
    return words;
  }

  // Percent of success; the first parameter to the right, the second one upwards.
  void add_map() {
    if (!report_.map) return;
    const MapSummary& map = *report_.map;
    if (map.runs < map.full_runs)
      line("saved",
           fmt::format("{} of {}", counted(map.full_runs - map.runs, "run"), map.full_runs));
    const std::size_t across = map.values[0].size();
    const std::size_t along = map.values.size() > 1 ? map.values[1].size() : 1;
    if (across > 30 || along > 60 || report_.designs.size() < across * along) return;
    text_ += fmt::format("\nsuccess in %, {} to the right{}\n", map.over[0],
                         along > 1 ? ", " + map.over[1] + " upwards" : "");
    for (std::size_t j = along; j-- > 0;) {
      text_ += along > 1 ? fmt::format("{:>10.4g} ", map.values[1][j]) : std::string(11, ' ');
      for (std::size_t i = 0; i < across; ++i) {
        const VerdictCounts& it = report_.designs[j * across + i].verdicts;
        const std::uint64_t known = it.successes + it.failures;
        text_ += known == 0 ? "   -"
                            : fmt::format("{:>4.0f}", 100.0 * static_cast<double>(it.successes) /
                                                          static_cast<double>(known));
      }
      text_ += "\n";
    }
    text_ += fmt::format("{:>11}from {:.4g} to {:.4g}\n", "", map.values[0].front(),
                         map.values[0].back());
  }

  void add_sensitivity() {
    if (report_.sensitivity.empty()) return;
    text_ += fmt::format("\n{:<16}{:<16}{:>28}{:>28}\n", "measure", "parameter",
                         report_.morris ? "mean effect" : "first order",
                         report_.morris ? "deviation" : "total");
    for (const SensitivityIndex& it : report_.sensitivity) {
      const auto with_ends = [](double value, double lower, double upper) {
        return fmt::format("{:.3g} ({:.3g} to {:.3g})", value, lower, upper);
      };
      if (!it.reason.empty()) {
        text_ += fmt::format("{:<16}{:<16}    none: {}\n", it.measure, it.parameter, it.reason);
        continue;
      }
      text_ += fmt::format("{:<16}{:<16}{:>28}{:>28}\n", it.measure, it.parameter,
                           with_ends(it.first, it.first_lower, it.first_upper),
                           report_.morris ? fmt::format("{:.3g}", it.total)
                                          : with_ends(it.total, it.total_lower, it.total_upper));
    }
    add_dropped();
  }

  void add_dropped() {
    const std::string* last = nullptr;
    for (const SensitivityIndex& it : report_.sensitivity) {
      if (it.dropped == 0 || !it.reason.empty() || (last && *last == it.measure)) continue;
      text_ += fmt::format("  {}: without {} of {}, in which a case has no number\n", it.measure,
                           it.dropped, counted(it.rows + it.dropped, "row"));
      last = &it.measure;
    }
  }

  void add_rare() {
    if (!report_.rare) return;
    const RareSummary& it = *report_.rare;
    line("failure", fmt::format("{:.3g} ({:.3g} to {:.3g}), variation {:.2g}, {}", it.probability,
                                it.lower, it.upper, it.variation, counted(it.rounds, "round")));
    if (it.unknown > 0)
      line("", fmt::format("{} without a number; the interval holds whatever they were",
                           counted(it.unknown, "case")));
    if (it.is_partial)
      line("", fmt::format("only a part: {:.0f} % of what leads to failures lies in other "
                           "directions; use `method: subset`, or more `components`",
                           100.0 * it.elsewhere));
    else if (!it.converged)
      line("", "the failure was not reached: only a bound");
  }

  void add_found() {
    for (std::size_t i = 0; i < report_.found.size(); ++i) {
      const FoundDesign& it = report_.found[i];
      std::string words = values(it.values) + ": ";
      if (std::isnan(it.objective))
        words +=
            fmt::format("no value, {} of {} without a number", it.verdicts.cases() - it.numbers,
                        counted(it.verdicts.cases(), "case"));
      else
        words += fmt::format("{:.6g}", it.objective);
      if (!std::isnan(it.objective_lower))
        words += fmt::format(" ({:.6g} to {:.6g})", it.objective_lower, it.objective_upper);
      if (report_.has_verdicts) words += ", success " + in_words(it.probability);
      if (!it.confirmed) words += "; by the draws of the search";
      line(i == 0 ? "found" : "", words);
    }
    if (report_.found.size() > 1 && report_.found[0].confirmed)
      line("", fmt::format("intervals of all {} hold together: the first one was chosen by them",
                           counted(report_.found.size(), "design")));
    if (report_.without_value > 0)
      line("without value", counted(report_.without_value, "design") +
                                " of the search, by cases without a number or a verdict");
  }

  void add_troubled() {
    if (report_.troubled.empty()) return;
    constexpr std::size_t most = 5;
    text_ += "\ncases that did not go well\n";
    for (std::size_t i = 0; i < std::min(most, report_.troubled.size()); ++i) {
      const TroubledCase& it = report_.troubled[i];
      text_ += fmt::format("  {} {}{}\n    {}\n", it.number, to_string(it.status),
                           it.message.empty() ? "" : ": " + it.message, it.command);
    }
  }

  const StudyReport& report_;
  std::string text_;
};

}  // namespace

std::string report_words(const StudyReport& report) {
  return Words(report).text();
}

}  // namespace vinci
