// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/grasp_answer.h"

#include <nlohmann/json.hpp>
#include <vector>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 3> hold_keys = {"least_squares", "least_sum", "least_largest"};

std::vector<double> wrench_entries(const Grasp& grasp, const Vector6& wrench) {
  if (grasp.world == World::planar) return {wrench[0], wrench[1], wrench[5]};
  return {wrench.begin(), wrench.end()};
}

const char* status_text(HeldWrench::Status status) {
  constexpr const char* names[] = {"held", "impossible", "undecided"};
  return names[static_cast<int>(status)];
}

Json loads_json(const std::vector<ContactLoad>& loads) {
  Json json = Json::array();
  for (const ContactLoad& load : loads)
    json.push_back({{"force", {load.force[0], load.force[1], load.force[2]}},
                    {"moment", {load.moment[0], load.moment[1], load.moment[2]}}});
  return json;
}

Json quality_json(const Grasp& grasp, const Quality& quality) {
  return {{"lower", quality.lower},
          {"upper", quality.upper},
          {"settled", quality.settled},
          {"weakest", wrench_entries(grasp, quality.weakest)},
          {"facets", quality.facets}};
}

Json contacts_json(const NamedGrasp& named) {
  Json json = Json::array();
  const auto vector = [](const Vector3& v) { return Json{v.x(), v.y(), v.z()}; };
  for (std::size_t i = 0; i < named.grasp.contacts.size(); ++i) {
    const GraspContact& contact = named.grasp.contacts[i];
    const ContactAxesOfGrasp axes = axes_of(named.grasp.world, contact);
    json.push_back({{"by", named.by[i].empty() ? Json() : Json(named.by[i])},
                    {"position", vector(contact.position)},
                    {"normal", vector(axes.normal)},
                    {"tangent_1", vector(axes.tangent_1)},
                    {"tangent_2", vector(axes.tangent_2)},
                    {"friction", contact.friction},
                    {"friction_2", contact.friction_2.value_or(contact.friction)},
                    {"rolling", contact.moments.rolling},
                    {"torsion", contact.moments.torsion},
                    {"radius", contact.moments.radius}});
  }
  return json;
}

Json answer_json(const NamedGrasp& named, const GraspAnswer& answer, int directions) {
  const Grasp& grasp = named.grasp;
  const ClosureProof& proof = answer.proof;
  Json json = {{"world", to_string(grasp.world)},
               {"object", named.object.empty() ? Json() : Json(named.object)},
               {"frame", named.frame < 0 ? Json() : Json(named.frame)},
               {"time", named.object.empty() ? Json() : Json(named.time)},
               {"center", {grasp.center.x(), grasp.center.y(), grasp.center.z()}},
               {"length", length_of(grasp)},
               {"contacts", contacts_json(named)},
               {"closed", proof.closed},
               {"proved", proof.proved},
               {"margin", proof.margin},
               {"rank", proof.rank},
               {"balance", proof.closed ? loads_json(proof.loads) : Json()},
               {"imbalance", proof.closed ? Json(proof.imbalance) : Json()},
               {"unresisted", proof.closed ? Json() : Json(wrench_entries(grasp, proof.direction))},
               {"push", proof.closed ? Json() : Json(proof.push)},
               {"friction_required", answer.friction_required},
               {"quality_sum", quality_json(grasp, answer.sum)},
               {"quality_each", quality_json(grasp, answer.each)},
               {"directions", directions}};
  const auto hull = [](const std::optional<WrenchHull>& one) {
    return one ? Json{{"radius", one->radius}, {"volume", one->volume}} : Json();
  };
  json["hull"] = hull(answer.inside);
  json["hull_outside"] = hull(answer.outside);
  json["wrench"] = answer.wrench ? Json(wrench_entries(grasp, *answer.wrench)) : Json();
  for (std::size_t i = 0; i < hold_objectives.size() && answer.wrench; ++i) {
    const HeldWrench& held = answer.held[i];
    const bool good = held.status == HeldWrench::Status::held;
    const bool never = held.status == HeldWrench::Status::impossible;
    json[hold_keys[i]] = {
        {"status", status_text(held.status)},
        {"value", good ? Json(held.value) : Json()},
        {"gap", good ? Json(held.gap) : Json()},
        {"loads", good ? loads_json(held.loads) : Json()},
        {"unresisted", never ? Json(wrench_entries(grasp, held.direction)) : Json()}};
  }
  return json;
}

}  // namespace

GraspAnswer answer_grasp(const NamedGrasp& named, const GraspQuestion& question) {
  const Grasp& grasp = named.grasp;
  if (grasp.contacts.size() > most_grasp_contacts)
    throw Error(fmt::format("the body has {} loaded contacts; accepted: up to {}",
                            grasp.contacts.size(), most_grasp_contacts));
  GraspAnswer answer;
  answer.proof = prove_closure(grasp);
  answer.friction_required = friction_required(grasp);
  answer.sum = grasp_quality(grasp, ForceLimit::sum, question.quality);
  answer.each = grasp_quality(grasp, ForceLimit::each, question.quality);
  const int directions = question.directions;
  if (directions != 0 && hull_corners(grasp, directions) <= most_hull_corners) {
    answer.inside = wrench_hull(grasp, directions);
    answer.outside = wrench_hull(grasp, directions, true);
  }
  answer.wrench = question.wrench ? question.wrench : named.wrench;
  if (!answer.wrench && named.mass > 0.0 && !named.gravity.isZero(0.0)) {
    answer.wrench = Vector6::Zero();
    answer.wrench->head<3>() = named.mass * named.gravity;
  }
  if (answer.wrench)
    for (std::size_t i = 0; i < hold_objectives.size(); ++i)
      answer.held[i] = hold(grasp, *answer.wrench, hold_objectives[i]);
  return answer;
}

std::string grasp_answer_json(const NamedGrasp& named, const GraspAnswer& answer,
                              const GraspQuestion& question) {
  return answer_json(named, answer, question.directions)
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace vinci
