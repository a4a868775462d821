// SPDX-License-Identifier: Apache-2.0
// The addresses below the token, and what answers there. Addresses are compared as they come: they
// hold nothing that would need decoding, so there is no second spelling of any of them.
#include "vinci/viewing/server.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/grasp/grasp_answer.h"
#include "vinci/viewing/description.h"
#include "vinci/viewing/frame_block.h"
#include "vinci/viewing/http_server.h"
#include "vinci/viewing/run_events.h"
#include "vinci/viewing/served_recording.h"
#include "vinci/viewing/viewer_page.h"

namespace vinci {
namespace {

constexpr std::uint64_t max_picture = 256u << 20;  // bytes

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// Digits only, in their one spelling.
std::optional<int> index(std::string_view text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = code == std::errc() && end == text.data() + text.size() && value >= 0 &&
                    text == std::to_string(value);
  return good ? std::optional(value) : std::nullopt;
}

HttpResponse nothing_here() {
  return http_error(404, "there is nothing here");
}

// "frame=12&object=3": what holds a body in a frame. An answer is wanted soon: volumes are left
// out, and qualities are intervals as wide as a second allows.
HttpResponse answer_grasp_query(const Recording& recording, std::string_view query) {
  const auto amp = query.find('&');
  const std::string_view first = query.substr(0, amp),
                         second = amp == std::string_view::npos ? "" : query.substr(amp + 1);
  const int frame = first.starts_with("frame=") ? index(first.substr(6)).value_or(-1) : -1;
  const int object = second.starts_with("object=") ? index(second.substr(7)).value_or(-1) : -1;
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

// What is below api/runs/K. Throws Error if the recording is damaged.
HttpResponse read_run(const Recording& recording, const std::vector<std::string_view>& parts,
                      const std::string& query) {
  if (parts.size() == 3) return {200, "application/json", run_description(recording)};
  if (parts.size() == 4 && parts[3] == "frames") {
    FrameQuery wanted;
    try {
      wanted = parse_frame_query(query);
      check_query(recording, wanted);
    } catch (const Error& error) {
      return http_error(400, error.what());
    }
    return {200, "application/octet-stream", frame_block(recording, wanted)};
  }
  if (parts.size() == 4 && parts[3] == "events") {
    const auto first =
        query.starts_with("first=") ? index(std::string_view(query).substr(6)) : std::nullopt;
    if (!first || *first > recording.event_count())
      return http_error(400, "accepted: first=N, the number of an event or that of all events");
    return {200, "application/json", run_events(recording, *first)};
  }
  if (parts.size() == 4 && parts[3] == "grasp") return answer_grasp_query(recording, query);
  const auto version = parts.size() == 5 && parts[3] == "models" ? index(parts[4]) : std::nullopt;
  if (!version || *version >= recording.models()) return nothing_here();
  return {200, "application/json", checked_model(recording, *version)};
}

}  // namespace

struct ViewServer::Impl {
  std::vector<ServedRecording> runs;
  RenderHooks* render;
  HttpServer server;

  Impl(const std::vector<std::filesystem::path>& recordings, const ServerOptions& options)
      : render(options.render),
        server({options.host, options.port, options.render ? max_picture : 0},
               [this](const HttpRequest& request) { return answer(request); }) {
    required_viewer_page();
    for (const auto& path : recordings) runs.emplace_back(path, options.wait);
  }

  HttpResponse answer(const HttpRequest& request);
  HttpResponse answer_render(const HttpRequest& request,
                             const std::vector<std::string_view>& parts);
  HttpResponse answer_run(ServedRecording& run, const std::vector<std::string_view>& parts,
                          const std::string& query);
  HttpResponse all_runs();
};

HttpResponse ViewServer::Impl::answer(const HttpRequest& request) {
  if (request.path.empty() && !request.post)
    return {200, "text/html; charset=utf-8", std::string(viewer_page())};
  const auto parts = split(request.path);
  if (parts.size() < 2 || parts[0] != "api") return nothing_here();
  if (parts[1] == "render" || parts[1] == "pictures") return answer_render(request, parts);
  if (request.post || parts[1] != "runs") return nothing_here();
  if (parts.size() == 2) return all_runs();
  const auto run = index(parts[2]);
  if (!run || static_cast<std::size_t>(*run) >= runs.size()) return nothing_here();
  return answer_run(runs[static_cast<std::size_t>(*run)], parts, request.query);
}

HttpResponse ViewServer::Impl::answer_render(const HttpRequest& request,
                                             const std::vector<std::string_view>& parts) {
  if (render == nullptr) return nothing_here();
  if (!request.post)
    return parts.size() == 2 && parts[1] == "render"
               ? HttpResponse{200, "application/json", render->job}
               : nothing_here();
  if (parts.size() != 3) return nothing_here();
  if (parts[1] == "pictures") {
    const auto number = index(parts[2]);
    if (!number) return nothing_here();
    render->picture(*number, request.body);
  } else if (parts[2] == "done") {
    render->done();
  } else if (parts[2] == "failed") {
    render->failed(request.body);
  } else {
    return nothing_here();
  }
  return {200, "application/json", "{}"};
}

HttpResponse ViewServer::Impl::all_runs() {
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

HttpResponse ViewServer::Impl::answer_run(ServedRecording& run,
                                          const std::vector<std::string_view>& parts,
                                          const std::string& query) {
  if (parts.size() == 3 || run.get() == nullptr) run.refresh();
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

ViewServer::ViewServer(const std::vector<std::filesystem::path>& recordings,
                       const ServerOptions& options)
    : impl_(std::make_unique<Impl>(recordings, options)) {}
ViewServer::ViewServer(ViewServer&&) noexcept = default;
ViewServer::~ViewServer() = default;

std::string ViewServer::address() const {
  return impl_->server.address();
}

void ViewServer::serve(const std::function<bool()>& go_on) {
  impl_->server.serve(go_on);
}

void ViewServer::stop() {
  impl_->server.stop();
}

}  // namespace vinci
