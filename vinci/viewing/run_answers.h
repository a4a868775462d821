// SPDX-License-Identifier: Apache-2.0
// What a server answers about recordings, for the page that plays them (docs/viewer.md). Addresses
// are compared as they come: they hold nothing that would need decoding, so there is no second
// spelling of any of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vinci/viewing/http_server.h"
#include "vinci/viewing/served_recording.h"

namespace vinci {

std::vector<std::string_view> path_parts(std::string_view path);  // between slashes
// Digits only, in their one spelling.
std::optional<int> path_number(std::string_view text);
HttpResponse nothing_here();

// What stands behind "api/": the parts begin with "runs".
HttpResponse answer_runs(std::span<ServedRecording> runs, std::span<const std::string_view> parts,
                         const std::string& query);

}  // namespace vinci
