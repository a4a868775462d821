// SPDX-License-Identifier: Apache-2.0
// The comparison for programs and pages; docs/json.md describes every key.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vinci/comparison/compare.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

Json numbers(const Vector3& v) {
  return {v.x(), v.y(), v.z()};
}

Json time_or_null(double time) {
  return std::isnan(time) ? Json() : Json(time);
}

class Writer {
 public:
  Writer(const Comparison& all, const ComparisonJsonOptions& options)
      : all_(all), options_(options) {
    const std::size_t count = all.times.size();
    stride_ = std::max<std::size_t>(1, (count + options.most_samples - 1) / options.most_samples);
  }

  std::string text() const {
    Json json = {{"title", all_.title},         {"duration", all_.duration},
                 {"tolerance", all_.tolerance}, {"tolerance_given", !all_.default_tolerance},
                 {"size", all_.size},           {"reference_given", !all_.default_reference},
                 {"brief", all_.brief},         {"axes", axes()},
                 {"bodies", all_.bodies},       {"times", series(all_.times)},
                 {"variants", Json::array()},   {"cases", cases()},
                 {"skipped", Json::array()},    {"answer", all_.answer}};
    for (const ComparedVariant& variant : all_.variants) json["variants"].push_back(entry(variant));
    for (const SkippedVariant& it : all_.skipped)
      json["skipped"].push_back({{"name", it.name}, {"reason", it.reason}});
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  Json axes() const {
    const char* kinds[] = {"run option", "plugin option", "parameter"};
    Json list = Json::array();
    for (const Axis& axis : all_.axes)
      list.push_back({{"name", axis.name},
                      {"kind", kinds[static_cast<int>(axis.kind)]},
                      {"values", axis.values}});
    return list;
  }

  Json cases() const {
    Json list = Json::array();
    for (const ComparisonCase& it : all_.cases)
      list.push_back({{"name", it.name},
                      {"variants", it.variants},
                      {"reference", it.reference},
                      {"finest", it.finest},
                      {"cheapest", it.cheapest}});
    return list;
  }

  // Every stride-th number, and the last.
  Json series(const std::vector<double>& values) const {
    Json list = Json::array();
    for (std::size_t k = 0; k < values.size(); k += stride_) list.push_back(values[k]);
    if (!values.empty() && (values.size() - 1) % stride_ != 0) list.push_back(values.back());
    return list;
  }

  Json body_name(int body) const {
    return body < 0 ? Json() : Json(all_.bodies[static_cast<std::size_t>(body)]);
  }

  Json entry(const ComparedVariant& variant) const {
    Json values = Json::object();
    for (std::size_t i = 0; i < all_.axes.size(); ++i)
      values[all_.axes[i].name] = all_.axes[i].values[variant.variant.coordinates[i]];
    const Trace& trace = variant.trace;
    Json json = {{"name", variant.variant.name},
                 {"values", values},
                 {"case", variant.case_index},
                 {"step_size", trace.step_size},
                 {"end", trace.end},
                 {"state_hash", trace.state_hash},
                 {"agrees", variant.agrees},
                 {"by_choice", variant.by_choice},
                 {"cost", cost(trace.cost)},
                 {"final", final_poses(trace)},
                 {"contacts", contacts(trace)},
                 {"difference", variant.difference ? difference(*variant.difference) : Json()}};
    json["recording"] = variant.recording.empty() ? Json() : Json(variant.recording.string());
    return json;
  }

  static Json cost(const RunCost& it) {
    return {{"certified", it.certified()},
            {"complete", it.complete},
            {"steps", it.steps},
            {"substeps", it.substeps},
            {"simulated_seconds", it.simulated_seconds},
            {"cpu_seconds", it.cpu_seconds},
            {"cpu_per_second", it.cpu_per_second()},
            {"worst_residual", it.worst_residual},
            {"uncertified_steps", it.uncertified_steps},
            {"inexact_steps", it.inexact_steps},
            {"worst_penetration", it.worst_penetration},
            {"frame_iterations", it.frame_iterations},
            {"worst_frame_error", it.worst_frame_error},
            {"unsettled_frames", it.unsettled_frames},
            {"fallback_steps", it.fallback_steps},
            {"free_steps", it.free_steps},
            {"unique_steps", it.unique_steps},
            {"several_steps", it.several_steps},
            {"unknown_steps", it.unknown_steps},
            {"first_several", it.first_several},
            {"ending", it.ending_text()},
            {"diverged_body", it.diverged_body_name}};
  }

  // At the last sample.
  Json final_poses(const Trace& trace) const {
    Json list = Json::array();
    for (std::size_t b = 0; b < trace.bodies(); ++b) {
      if (trace.model->bodies[b].freedom == Freedom::fixed || trace.times.empty()) continue;
      const Pose& pose = trace.pose(trace.times.size() - 1, b);
      const Quaternion& r = pose.rotation;
      list.push_back({{"body", all_.bodies[b]},
                      {"time", trace.times.back()},
                      {"position", numbers(pose.position)},
                      {"rotation", {r.w(), r.x(), r.y(), r.z()}}});
    }
    return list;
  }

  Json contacts(const Trace& trace) const {
    Json list = Json::array();
    for (const auto& [pair, notes] : trace.pairs) {
      Json modes = Json::array();
      const ModeSequence sequence = settled(notes.modes, all_.brief, trace.end);
      for (std::size_t i = 0; i < sequence.size(); ++i) {
        const bool last = i + 1 == sequence.size();
        Json mode = {{"mode", to_string(sequence[i].mode)},
                     {"begin", sequence[i].begin},
                     {"end", last ? trace.end : sequence[i + 1].begin}};
        if (sequence[i].mode == ContactMode::slide)
          mode["direction"] = numbers(sequence[i].direction);
        modes.push_back(mode);
      }
      const auto [a, b] = pair_names(all_.bodies, pair);
      const Vector3 impulse = notes.impulse.empty() ? Vector3::Zero() : notes.impulse.back();
      list.push_back({{"a", a}, {"b", b}, {"impulse", numbers(impulse)}, {"modes", modes}});
    }
    return list;
  }

  Json difference(const Difference& d) const {
    Json json = {{"until", d.until},
                 {"largest", d.largest},
                 {"largest_time", d.largest_time},
                 {"largest_body", body_name(d.largest_body)},
                 {"first_above", time_or_null(d.first_above)},
                 {"first_body", body_name(d.first_body)},
                 {"final", d.last},
                 {"final_body", body_name(d.last_body)},
                 {"distance", series(d.distance)},
                 {"bodies", bodies(d)},
                 {"contacts", Json::array()}};
    for (const PairDifference& pair : d.pairs) json["contacts"].push_back(contact(pair));
    return json;
  }

  Json bodies(const Difference& d) const {
    std::vector<const BodyDifference*> order;
    for (const BodyDifference& body : d.bodies) order.push_back(&body);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->largest > b->largest; });
    Json list = Json::array();
    for (const BodyDifference* body : order) {
      Json json = {{"body", body_name(body->body)},
                   {"largest", body->largest},
                   {"largest_time", body->largest_time},
                   {"first_above", time_or_null(body->first_above)},
                   {"final", body->last}};
      if (list.size() < options_.most_bodies) json["distance"] = series(body->distance);
      list.push_back(json);
    }
    return list;
  }

  Json contact(const PairDifference& pair) const {
    const auto [a, b] = pair_names(all_.bodies, pair.pair);
    const ModeDifference& modes = pair.modes;
    Json first;
    if (!modes.same) {
      const auto side = [](bool ended, ContactMode mode, double begin) {
        return ended ? Json() : Json{{"mode", to_string(mode)}, {"begin", begin}};
      };
      first = {{"index", modes.index},
               {"here", side(modes.ended, modes.mode, modes.begin)},
               {"reference", side(modes.reference_ended, modes.reference, modes.reference_begin)}};
    }
    return {{"a", a},
            {"b", b},
            {"same_modes", modes.same},
            {"modes_differ_for", modes.seconds},
            {"largest_shift", modes.same ? Json(modes.shift) : Json()},
            {"first_different_mode", first},
            {"impulse", pair.impulse},
            {"impulse_time", pair.impulse_time},
            {"final_impulse", pair.last_impulse},
            {"peak_force", pair.peak},
            {"reference_peak_force", pair.reference_peak}};
  }

  const Comparison& all_;
  const ComparisonJsonOptions& options_;
  std::size_t stride_;
};

}  // namespace

std::string comparison_json(const Comparison& comparison, const ComparisonJsonOptions& options) {
  return Writer(comparison, options).text();
}

}  // namespace vinci
