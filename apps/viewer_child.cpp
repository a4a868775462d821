// SPDX-License-Identifier: Apache-2.0
#include "apps/viewer_child.h"

#include <nlohmann/json.hpp>

#include "apps/stop_signal.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

constexpr double patience = 20.0;  // s until the viewer has printed its address

ChildOptions viewer_options(const std::vector<std::filesystem::path>& recordings, bool wait) {
  ChildOptions options;
  // This very program, even if its file has been replaced meanwhile.
  options.command = {"/proc/self/exe", "view", "--json", "--until-input-ends"};
  if (wait) options.command.push_back("--wait");
  options.command.push_back("--");
  for (const auto& path : recordings) options.command.push_back(path.string());
  options.feed = options.listen = true;
  return options;
}

// One JSON object: the address in one line, or errors in several.
nlohmann::json answer_of(ChildProcess& viewer) {
  std::string text;
  while (!nlohmann::json::accept(text)) {
    const auto line = viewer.read_line(patience);
    if (!line) throw Error("the viewer does not start");
    text += *line + "\n";
  }
  return nlohmann::json::parse(text);
}

}  // namespace

ViewerChild::ViewerChild(const std::vector<std::filesystem::path>& recordings, bool wait)
    : process_(viewer_options(recordings, wait)) {
  const auto json = answer_of(process_);
  if (json.contains("address")) {
    address_ = json["address"].get<std::string>();
    return;
  }
  const bool told = json.contains("errors") && !json["errors"].empty();
  throw Error(told ? json["errors"][0].value("message", "") : "the viewer does not start");
}

void ViewerChild::wait_for_stop() {
  while (!stop_wanted() && !process_.wait(3600.0, [] { return !stop_wanted(); })) {
  }
}

}  // namespace vinci
