// SPDX-License-Identifier: Apache-2.0
// The linear system of a scene as JSON, with what follows from it.
#include <cmath>
#include <nlohmann/json.hpp>

#include "vinci/simulation/linearize.h"
#include "vinci/systems/frequency.h"
#include "vinci/systems/modes.h"
#include "vinci/systems/transfer_function.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

// Infinite numbers are null.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json complex_json(const Complex& value) {
  return {number(value.real()), number(value.imag())};
}

Json values_json(const ComplexVector& values) {
  Json json = Json::array();
  for (const Complex& value : values) json.push_back(complex_json(value));
  return json;
}

Json list_json(const VectorX& vector) {
  Json json = Json::array();
  for (const double value : vector) json.push_back(number(value));
  return json;
}

Json matrix_json(const MatrixX& matrix) {
  Json json = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    json.push_back(list_json(matrix.row(i).transpose()));
  return json;
}

Json numbers_json(const std::vector<NamedNumber>& numbers) {
  Json json = Json::object();
  for (const NamedNumber& one : numbers) json[one.name] = number(one.value);
  return json;
}

const char* kind_name(ConstraintKind kind) {
  return kind == ConstraintKind::contact ? "contact"
         : kind == ConstraintKind::link  ? "link"
                                         : "friction";
}

Json constraints_json(const std::vector<LinearConstraint>& constraints) {
  Json json = Json::array();
  for (const LinearConstraint& one : constraints)
    json.push_back({{"name", one.name},
                    {"kind", kind_name(one.kind)},
                    {"state", to_string(one.state)},
                    {"named", one.named},
                    {one.kind == ConstraintKind::friction ? "slip" : "gap", number(one.gap)},
                    {"force", number(one.force)}});
  return json;
}

// Poles with what inputs and outputs have of them.
Json poles_json(const LinearSystem& system) {
  Json json = Json::array();
  const ModeDistances distances = mode_distances(system);
  for (Eigen::Index i = 0; i < distances.poles.size(); ++i) {
    const Complex pole = distances.poles[i];
    json.push_back({{"value", complex_json(pole)},
                    {"frequency", number(natural_frequency(pole, system.sample))},
                    {"damping", number(damping_ratio(pole, system.sample))},
                    {"reached", number(distances.reached[i])},
                    {"seen", number(distances.seen[i])}});
  }
  return json;
}

Json margins_json(const LinearSystem& loop) {
  const Margins found = margins(loop);
  const auto crossings = [](const std::vector<Crossing>& list) {
    Json json = Json::array();
    for (const Crossing& one : list)
      json.push_back({{"frequency", number(one.frequency)}, {"margin", number(one.margin)}});
    return json;
  };
  return {{"stable", found.is_stable()},
          {"stability", to_string(found.stability)},
          {"gain_margin", number(found.gain_margin)},
          {"phase_margin", number(found.phase_margin)},
          {"delay_margin", number(found.delay_margin)},
          {"modulus_margin", number(found.modulus_margin)},
          {"gain_crossings", crossings(found.gain)},
          {"phase_crossings", crossings(found.phase)}};
}

Json channels_json(const LinearSystem& system) {
  Json json = Json::array();
  for (int i = 0; i < system.output_count(); ++i)
    for (int j = 0; j < system.input_count(); ++j) {
      const TransferFunction function = transfer_function(system, j, i);
      const LinearSystem own = channel(system, {j}, {i});
      json.push_back({{"input", system.inputs[static_cast<std::size_t>(j)]},
                      {"output", system.outputs[static_cast<std::size_t>(i)]},
                      {"invariant_zeros", values_json(invariant_zeros(own).values)},
                      {"gain", number(function.gain)},
                      {"zeros", values_json(function.zeros)},
                      {"poles", values_json(function.poles)},
                      {"numerator", list_json(function.numerator())},
                      {"denominator", list_json(function.denominator())},
                      {"miss", number(function.miss)},
                      {"known_up_to", number(function.known_up_to)},
                      {"margins", margins_json(minimal_part(own).system)}});
    }
  return json;
}

Json system_json(const LinearSystem& system) {
  const MinimalPart minimal = minimal_part(system);
  return {{"sample", system.sample},
          {"states", system.states},
          {"inputs", system.inputs},
          {"outputs", system.outputs},
          {"A", matrix_json(system.a)},
          {"B", matrix_json(system.b)},
          {"C", matrix_json(system.c)},
          {"D", matrix_json(system.d)},
          {"stable", is_stable(system)},
          {"stability", to_string(stability(system))},
          {"poles", poles_json(system)},
          {"zeros", values_json(invariant_zeros(system).values)},
          {"minimal",
           {{"states", minimal.system.state_count()},
            {"poles", values_json(poles(minimal.system))},
            {"unreached", values_json(minimal.unreached)},
            {"unseen", values_json(minimal.unseen)}}},
          {"channels", channels_json(system)}};
}

}  // namespace

std::string linearization_json(const Linearization& it) {
  Json json = {{"of", it.is_step ? "step" : "model"},
               {"time", it.time},
               {"equilibrium",
                {{"found", it.is_equilibrium},
                 {"iterations", it.iterations},
                 {"imbalance", number(it.imbalance)}}},
               {"point",
                {{"coordinates", numbers_json(it.coordinates)},
                 {"rates", numbers_json(it.rates)},
                 {"accelerations", numbers_json(it.accelerations)},
                 {"further_states", numbers_json(it.extras)},
                 {"inputs", numbers_json(it.inputs)},
                 {"outputs", numbers_json(it.outputs)}}},
               {"mode", constraints_json(it.constraints)},
               {"basis", it.basis.size() > 0 ? matrix_json(it.basis) : Json()},
               {"smooth", it.limits.empty() && it.kinks.empty()},
               {"limits", it.limits},
               {"kinks", it.kinks},
               {"notes", it.notes},
               {"system", system_json(it.system)},
               {"other_side", it.other ? system_json(*it.other) : Json()}};
  return json.dump();
}

}  // namespace vinci
