// SPDX-License-Identifier: Apache-2.0
// The certificate of a step as JSON.
#include <nlohmann/json.hpp>

#include "vinci/simulation/certify.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

Json vector_json(const Vector3& vector) {
  return {vector.x(), vector.y(), vector.z()};
}

// Twists by the names of the bodies; of those that move, or that could.
Json motion_json(const std::vector<Twist>& twists, const Model& model) {
  Json json = Json::object();
  for (std::size_t b = 0; b < twists.size(); ++b)
    if (model.bodies[b].velocity_size > 0)
      json[model.bodies[b].name] = {{"velocity", vector_json(twists[b].linear)},
                                    {"spin", vector_json(twists[b].angular)}};
  return json;
}

Json solution_json(const StepSolution& solution, const Model& model) {
  Json json = {{"bodies", motion_json(solution.bodies, model)}, {"forces", Json::array()}};
  for (const Vector3& force : solution.forces) json["forces"].push_back(vector_json(force));
  return json;
}

}  // namespace

std::string certificate_json(const StepCertificate& certificate, const Model& model) {
  const ProblemCertificate& verdict = certificate.verdict;
  const auto name = [&](int body) { return model.bodies[static_cast<std::size_t>(body)].name; };
  Json json = {{"step", certificate.step},
               {"time", certificate.time},
               {"step_size", certificate.step_size},
               {"reached", certificate.reached},
               {"parts", certificate.parts},
               {"fell_back", certificate.fell_back},
               {"motion_model", certificate.motion},
               {"cone", certificate.cone},
               {"certain", certificate.is_certain()},
               {"exists", to_string(verdict.exists)},
               {"exists_because", verdict.existence_reason},
               {"motion", to_string(verdict.motion)},
               {"motion_because", verdict.motion_reason},
               {"loads", to_string(verdict.loads)},
               {"loads_because", verdict.loads_reason},
               {"proposition_1", nullptr},
               {"contacts", Json::array()},
               {"solution", nullptr},
               {"free_motions", Json::array()},
               {"families", Json::array()},
               {"others", Json::array()},
               {"missing", Json::array()}};
  if (verdict.proposition_1) json["proposition_1"] = *verdict.proposition_1;
  for (const CertifiedContact& contact : certificate.contacts)
    json["contacts"].push_back({{"a", name(contact.body_a)},
                                {"b", name(contact.body_b)},
                                {"point", vector_json(contact.point)},
                                {"normal", vector_json(contact.normal)},
                                {"share_of_proof", contact.share}});
  if (!certificate.solution.bodies.empty())
    json["solution"] = solution_json(certificate.solution, model);
  for (const FreeMotion& motion : certificate.free)
    json["free_motions"].push_back(
        {{"both_ways", motion.both_ways}, {"bodies", motion_json(motion.bodies, model)}});
  for (const auto& family : certificate.families) {
    json["families"].push_back(Json::array());
    for (const StepSolution& member : family)
      json["families"].back().push_back(solution_json(member, model));
  }
  for (const StepSolution& other : certificate.others)
    json["others"].push_back(solution_json(other, model));
  for (const BodyWrench& wrench : certificate.missing)
    json["missing"].push_back({{"body", name(wrench.body)},
                               {"force", vector_json(wrench.force)},
                               {"torque", vector_json(wrench.torque)}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace vinci
