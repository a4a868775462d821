// SPDX-License-Identifier: Apache-2.0
// The report for programs; docs/studies.md describes every key. Numbers that are not finite are
// null.
#include <nlohmann/json.hpp>

#include "vinci/study/study_report.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

Json counts_json(const VerdictCounts& counts) {
  return {{"cases", counts.cases()},
          {"successes", counts.successes},
          {"failures", counts.failures},
          {"unknown", counts.unknown}};
}

Json probability_json(const Probability& it) {
  return {{"value", it.value},
          {"lower", it.lower},
          {"upper", it.upper},
          {"least", it.least},
          {"most", it.most}};
}

Json statuses_json(const std::array<std::uint64_t, case_status_count>& statuses) {
  Json json = Json::object();
  for (int i = 0; i < case_status_count; ++i)
    json[to_string(static_cast<CaseStatus>(i))] = statuses[static_cast<std::size_t>(i)];
  return json;
}

Json named(const std::vector<std::string>& names, const std::vector<double>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i)
    json[names[i]] = values[i];
  return json;
}

Json probability_json(const std::optional<Probability>& it) {
  return it ? probability_json(*it) : Json();
}

Json measure_json(const MeasureSummary& it) {
  Json json = {{"name", it.name}, {"count", it.count}};
  if (it.count == 0) return json;
  const auto estimate = [&](double value) { return it.drawn ? Json(value) : Json(); };
  json.update({{"level", it.level},
               {"mean", estimate(it.mean)},
               {"mean_lower", estimate(it.mean_lower)},
               {"mean_upper", estimate(it.mean_upper)},
               {"deviation", estimate(it.deviation)},
               {"least", it.least},
               {"greatest", it.greatest},
               {"quantiles_of", it.quantiles_of},
               {"quantiles", Json::array()}});
  for (const MeasureQuantile& quantile : it.quantiles)
    json["quantiles"].push_back({{"share", quantile.share},
                                 {"value", quantile.value},
                                 {"lower", quantile.lower},
                                 {"upper", quantile.upper}});
  return json;
}

Json level_json(const LevelSummary& it) {
  return {{"name", it.name},
          {"verdicts", counts_json(it.verdicts)},
          {"statuses", statuses_json(it.statuses)},
          {"steps", it.steps},
          {"cpu_seconds", it.timed > 0 ? Json(it.cpu_seconds) : Json()},
          {"timed", it.timed}};
}

Json map_json(const MapSummary& it) {
  Json json = {{"over", it.over},
               {"values", it.values},
               {"threshold", it.threshold > 0.0 ? Json(it.threshold) : Json()},
               {"runs", it.runs},
               {"full_runs", it.full_runs},
               {"saved", it.full_runs - it.runs}};
  return json;
}

class ReportWriter {
 public:
  explicit ReportWriter(const StudyReport& report) : report_(report) {}

  std::string text() const {
    Json json = {{"title", report_.title},
                 {"file", report_.file},
                 {"hash", report_.hash},
                 {"kind", to_string(report_.kind)},
                 {"complete", report_.complete},
                 {"cases", report_.cases},
                 {"waiting", report_.waiting},
                 {"confidence", report_.confidence},
                 {"looks", report_.looks},
                 {"verdicts", counts_json(report_.verdicts)},
                 {"probability", probability_json(report_.probability)},
                 {"withheld", report_.withheld.empty() ? Json() : Json(report_.withheld)},
                 {"statuses", statuses_json(report_.statuses)},
                 {"measures", Json::array()},
                 {"levels", Json::array()},
                 {"levels_apart", Json::array()},
                 {"convergence", Json::array()},
                 {"designs", designs()},
                 {"design_count", report_.design_count},
                 {"best", report_.has_verdicts ? Json(report_.best) : Json::array()}};
    for (const MeasureSummary& it : report_.measures) json["measures"].push_back(measure_json(it));
    for (const LevelSummary& it : report_.levels) json["levels"].push_back(level_json(it));
    for (const LevelsApart& it : report_.levels_apart)
      json["levels_apart"].push_back(
          {{"levels", {report_.levels[it.first].name, report_.levels[it.second].name}},
           {"cases", it.cases},
           {"first_only", it.first_only},
           {"second_only", it.second_only}});
    for (const EstimateSoFar& it : report_.convergence)
      json["convergence"].push_back(
          {{"cases", it.cases}, {"probability", probability_json(it.probability)}});
    if (report_.map) json["map"] = map_json(*report_.map);
    if (report_.kind == StudyKind::sensitivity) json["sensitivity"] = sensitivity();
    if (report_.rare) json["rare"] = rare();
    if (report_.kind == StudyKind::search) {
      json["found"] = found();
      json["without_value"] = report_.without_value;
    }
    json["troubled"] = Json::array();
    for (const TroubledCase& it : report_.troubled)
      json["troubled"].push_back({{"number", it.number},
                                  {"status", to_string(it.status)},
                                  {"message", it.message},
                                  {"command", it.command}});
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  Json designs() const {
    Json list = Json::array();
    for (const DesignSummary& it : report_.designs)
      list.push_back({{"design", it.design},
                      {"values", named(report_.design_parameters, it.values)},
                      {"verdicts", counts_json(it.verdicts)},
                      {"probability", probability_json(it.probability)},
                      {"measures", means(it.measures)}});
    return list;
  }

  static Json means(const std::vector<DesignMeasure>& measures) {
    Json list = Json::array();
    for (const DesignMeasure& it : measures)
      list.push_back({{"name", it.name},
                      {"level", it.level},
                      {"count", it.count},
                      {"mean", it.mean},
                      {"mean_lower", it.drawn ? Json(it.mean_lower) : Json()},
                      {"mean_upper", it.drawn ? Json(it.mean_upper) : Json()}});
    return list;
  }

  Json sensitivity() const {
    Json list = Json::array();
    for (const SensitivityIndex& it : report_.sensitivity) {
      Json entry = {{"measure", it.measure}, {"parameter", it.parameter}};
      const bool morris = report_.morris;
      entry[morris ? "effect" : "first"] = it.first;
      entry[morris ? "effect_lower" : "first_lower"] = it.first_lower;
      entry[morris ? "effect_upper" : "first_upper"] = it.first_upper;
      entry[morris ? "deviation" : "total"] = it.total;
      if (!morris) {
        entry["total_lower"] = it.total_lower;
        entry["total_upper"] = it.total_upper;
      }
      entry["rows"] = it.rows;
      entry["dropped"] = it.dropped;
      entry["reason"] = it.reason.empty() ? Json() : Json(it.reason);
      list.push_back(std::move(entry));
    }
    return list;
  }

  Json rare() const {
    const RareSummary& it = *report_.rare;
    return {{"probability", it.probability},
            {"lower", it.lower},
            {"upper", it.upper},
            {"variation", it.variation},
            {"rounds", it.rounds},
            {"converged", it.converged},
            {"unknown", it.unknown},
            {"is_partial", it.is_partial},
            {"elsewhere", it.elsewhere}};
  }

  Json found() const {
    Json list = Json::array();
    for (const FoundDesign& it : report_.found)
      list.push_back({{"design", it.design},
                      {"values", named(report_.design_parameters, it.values)},
                      {"objective", it.objective},
                      {"objective_lower", it.objective_lower},
                      {"objective_upper", it.objective_upper},
                      {"numbers", it.numbers},
                      {"confirmed", it.confirmed},
                      {"verdicts", counts_json(it.verdicts)},
                      {"probability", probability_json(it.probability)}});
    return list;
  }

  const StudyReport& report_;
};

}  // namespace

std::string report_json(const StudyReport& report) {
  return ReportWriter(report).text();
}

}  // namespace vinci
