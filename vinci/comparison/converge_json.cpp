// SPDX-License-Identifier: Apache-2.0
// The convergence study for programs; docs/json.md describes every key.
#include <cmath>
#include <nlohmann/json.hpp>

#include "vinci/comparison/converge.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json point_json(const ConvergencePoint& point) {
  return {{"step", point.step},
          {"value", number(point.value)},
          {"error", number(point.error)},
          {"local_order", number(point.local_order)},
          {"fitted", point.fitted},
          {"steps", point.steps},
          {"cpu_seconds", point.cpu_seconds}};
}

Json curve_json(const ConvergenceCurve& curve) {
  Json fit;
  if (curve.fit)
    fit = {{"order", curve.fit->order},
           {"order_deviation",
            curve.fit->order_deviation ? Json(*curve.fit->order_deviation) : Json()},
           {"constant", curve.fit->constant},
           {"misfit", curve.fit->misfit},
           {"points", curve.fit->points}};
  Json points = Json::array();
  for (const ConvergencePoint& point : curve.points) points.push_back(point_json(point));
  return {{"quantity", curve.quantity},
          {"variant", curve.variant},
          {"reference", number(curve.reference)},
          {"reference_step", curve.finest > 0.0 ? Json(curve.finest) : Json()},
          {"fit", fit},
          {"points", points},
          {"answer", curve.answer}};
}

}  // namespace

std::string convergence_json(const Convergence& convergence) {
  Json reference;
  if (const auto* rule = std::get_if<ReferenceRule>(&convergence.reference))
    reference = *rule == ReferenceRule::finest ? "finest" : "richardson";
  else
    reference = std::get<double>(convergence.reference);
  Json axes = Json::array();
  for (const Axis& axis : convergence.axes)
    axes.push_back({{"name", axis.name}, {"values", axis.values}});
  Json json = {{"title", convergence.title}, {"duration", convergence.duration},
               {"time", convergence.time},   {"over", to_string(convergence.over)},
               {"reference", reference},     {"axes", axes},
               {"steps", convergence.steps}, {"curves", Json::array()},
               {"skipped", Json::array()},   {"notes", convergence.notes}};
  for (const ConvergenceCurve& curve : convergence.curves)
    json["curves"].push_back(curve_json(curve));
  for (const SkippedVariant& it : convergence.skipped)
    json["skipped"].push_back({{"name", it.name}, {"reason", it.reason}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace vinci
