// SPDX-License-Identifier: Apache-2.0
// The summary of a run as JSON.
#include "vinci/recording/summary_json.h"

#include <nlohmann/json.hpp>

#include "vinci/stepping/stepper.h"

namespace vinci {

std::string summary_json(const RunSummary& summary) {
  using Json = nlohmann::ordered_json;
  Json stages;
  for (std::size_t i = 0; i < summary.stage_seconds.size(); ++i)
    stages[to_string(static_cast<Stage>(i))] = summary.stage_seconds[i];
  const Json json = {{"steps", summary.steps},
                     {"inexact_steps", summary.inexact_steps},
                     {"worst_residual", summary.worst_residual},
                     {"worst_residual_step", summary.worst_residual_step},
                     {"worst_penetration", summary.worst_penetration},
                     {"contacts_max", summary.contacts_max},
                     {"contacts_mean", summary.contacts_mean},
                     {"iterations_mean", summary.iterations_mean},
                     {"energy_first", summary.energy_first},
                     {"energy_last", summary.energy_last},
                     {"wall_seconds", summary.wall_seconds},
                     {"stage_seconds", stages},
                     {"fallback_steps", summary.fallback_steps},
                     {"free_steps", summary.free_steps},
                     {"free_body", summary.free_body},
                     {"substeps", summary.substeps},
                     {"impacts", summary.impacts},
                     {"coarse_steps", summary.coarse_steps},
                     {"ending", summary.ending},
                     {"diverged", summary.diverged},
                     {"diverged_body", summary.diverged_body},
                     {"state_hash", summary.state_hash}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace vinci
