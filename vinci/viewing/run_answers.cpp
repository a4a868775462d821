// SPDX-License-Identifier: Apache-2.0
#include "vinci/viewing/run_answers.h"

#include <charconv>

#include "vinci/base/error.h"
#include "vinci/grasp/grasp_answer.h"
#include "vinci/viewing/description.h"
#include "vinci/viewing/frame_block.h"
#include "vinci/viewing/run_events.h"

namespace vinci {
namespace {

// "frame=12&object=3": what holds a body in a frame. An answer is wanted soon: volumes are left
// out, and qualities are intervals as wide as a second allows.
HttpResponse answer_grasp_query(const Recording& recording, std::string_view query) {
  const auto amp = query.find('&');
  const std::string_view first = query.substr(0, amp),
                         second = amp == std::string_view::npos ? "" : query.substr(amp + 1);
  const int frame = first.starts_with("frame=") ? path_number(first.substr(6)).value_or(-1) : -1;
  const int object =
      second.starts_with("object=") ? path_number(second.substr(7)).value_or(-1) : -1;
  const std::vector<std::string>& names = recording.body_names();
  if (frame < 0 || frame >= recording.frames() || object < 0 ||
      static_cast<std::size_t>(object) >= names.size())
    return http_error(400, "accepted: frame=F&object=B, numbers of a frame and of a body");
  GraspQuestion question;
  question.quality.tolerance = 0.01;
  question.quality.most_facets = 20'000;
  question.directions = 0;
  try {
    const NamedGrasp named =
        recorded_grasp(recording, frame, names[static_cast<std::size_t>(object)]);
    return {200, "application/json",
            grasp_answer_json(named, answer_grasp(named, question), question)};
  } catch (const Error& error) {
    return http_error(422, error.what());
  }
}

// What is below runs/K. Throws Error if the recording is damaged.
HttpResponse read_run(const Recording& recording, std::span<const std::string_view> parts,
                      const std::string& query) {
  if (parts.size() == 2) return {200, "application/json", run_description(recording)};
  if (parts.size() == 3 && parts[2] == "frames") {
    FrameQuery wanted;
    try {
      wanted = parse_frame_query(query);
      check_query(recording, wanted);
    } catch (const Error& error) {
      return http_error(400, error.what());
    }
    return {200, "application/octet-stream", frame_block(recording, wanted)};
  }
  if (parts.size() == 3 && parts[2] == "events") {
    const auto first =
        query.starts_with("first=") ? path_number(std::string_view(query).substr(6)) : std::nullopt;
    if (!first || *first > recording.event_count())
      return http_error(400, "accepted: first=N, the number of an event or that of all events");
    return {200, "application/json", run_events(recording, *first)};
  }
  if (parts.size() == 3 && parts[2] == "grasp") return answer_grasp_query(recording, query);
  const auto version =
      parts.size() == 4 && parts[2] == "models" ? path_number(parts[3]) : std::nullopt;
  if (!version || *version >= recording.models()) return nothing_here();
  return {200, "application/json", checked_model(recording, *version)};
}

HttpResponse all_runs(std::span<ServedRecording> runs) {
  std::string list;
  for (ServedRecording& run : runs) {
    list += list.empty() ? "[" : ",";
    run.refresh();
    try {
      list += run.get() ? run_description(*run.get())
                        : run_error(run.name(), run.error(), run.waiting());
    } catch (const Error& error) {
      list += run_error(run.name(), error.message());
    }
  }
  return {200, "application/json", list.empty() ? "[]" : list + "]"};
}

HttpResponse answer_run(ServedRecording& run, std::span<const std::string_view> parts,
                        const std::string& query) {
  if (parts.size() == 2 || run.get() == nullptr) run.refresh();
  for (bool again = true;; again = false) {
    if (run.get() == nullptr)
      return {run.waiting() ? 503 : 500, "application/json",
              run_error(run.name(), run.error(), run.waiting())};
    try {
      return read_run(*run.get(), parts, query);
    } catch (const Error& error) {
      if (!again || !run.changed())
        return {500, "application/json", run_error(run.name(), error.message())};
    }
    run.refresh();  // what was read is being written
  }
}

}  // namespace

std::vector<std::string_view> path_parts(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

std::optional<int> path_number(std::string_view text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = code == std::errc() && end == text.data() + text.size() && value >= 0 &&
                    text == std::to_string(value);
  return good ? std::optional(value) : std::nullopt;
}

HttpResponse nothing_here() {
  return http_error(404, "there is nothing here");
}

HttpResponse answer_runs(std::span<ServedRecording> runs, std::span<const std::string_view> parts,
                         const std::string& query) {
  if (parts.empty() || parts[0] != "runs") return nothing_here();
  if (parts.size() == 1) return all_runs(runs);
  const auto run = path_number(parts[1]);
  if (!run || static_cast<std::size_t>(*run) >= runs.size()) return nothing_here();
  return answer_run(runs[static_cast<std::size_t>(*run)], parts, query);
}

}  // namespace vinci
