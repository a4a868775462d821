// SPDX-License-Identifier: Apache-2.0
// The addresses below the token, and what answers there.
#include "vinci/viewing/server.h"

#include "vinci/viewing/http_server.h"
#include "vinci/viewing/run_answers.h"
#include "vinci/viewing/viewer_page.h"

namespace vinci {
namespace {

constexpr std::uint64_t max_picture = 256u << 20;  // bytes

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
};

HttpResponse ViewServer::Impl::answer(const HttpRequest& request) {
  if (request.path.empty() && !request.post)
    return {200, "text/html; charset=utf-8", std::string(viewer_page())};
  const auto parts = path_parts(request.path);
  if (parts.size() < 2 || parts[0] != "api") return nothing_here();
  if (parts[1] == "render" || parts[1] == "pictures") return answer_render(request, parts);
  if (request.post) return nothing_here();
  return answer_runs(runs, std::span(parts).subspan(1), request.query);
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
    const auto number = path_number(parts[2]);
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
