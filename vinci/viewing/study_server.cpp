// SPDX-License-Identifier: Apache-2.0
#include "vinci/viewing/study_server.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/viewing/child_process.h"
#include "vinci/viewing/http_server.h"
#include "vinci/viewing/run_answers.h"
#include "vinci/viewing/study_page.h"
#include "vinci/viewing/temporary_folder.h"
#include "vinci/viewing/viewer_page.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

constexpr double refresh_seconds = 0.25;  // of one request; what is left comes with the next one
constexpr std::size_t most_replays = 16;  // recordings that are kept

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good =
      code == std::errc() && end == text.data() + text.size() && text == std::to_string(value);
  return good ? std::optional(value) : std::nullopt;
}

// A case that is simulated again, or was.
class Replay {
 public:
  Replay(std::uint64_t number, const ReplayCommand& command, const std::filesystem::path& folder)
      : number_(number),
        file_(folder / fmt::format("case-{}.h5", number)),
        log_(folder / fmt::format("case-{}.txt", number)),
        child_(options_of(command(number, file_), log_)) {
    recordings_.emplace_back(file_, true);
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  ~Replay() {
    child_.end();
    recordings_.clear();
    for (const auto& path : {file_, log_}) {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  }

  std::uint64_t number() const { return number_; }
  std::span<ServedRecording> recordings() { return recordings_; }

  // How it went: {"state": "running"}; or "done", with what the program says of the case; or
  // "failed", with its "error".
  std::string state() {
    if (state_.empty()) {
      const auto code = child_.exit_code();
      if (!code) return R"({"state":"running"})";
      state_ = end_state(*code);
    }
    return state_;
  }

  // Why there is no recording, and will be none; empty otherwise.
  std::string failure() {
    const Json json = Json::parse(state());
    return json.value("state", "") == "failed" ? json.value("error", "") : "";
  }

 private:
  static ChildOptions options_of(std::vector<std::string> command,
                                 const std::filesystem::path& log) {
    ChildOptions options;
    options.command = std::move(command);
    options.log = log;
    options.listen = true;
    return options;
  }

  std::string end_state(int code) {
    std::string text;
    while (const auto line = child_.read_line(0.0)) text += *line + "\n";
    const Json said = Json::parse(text, nullptr, false);
    if (code == 0 && said.is_object()) {
      Json json = {{"state", "done"}};
      json.update(said);
      return json.dump();
    }
    return Json{{"state", "failed"}, {"error", reason(said, code)}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
  }

  std::string reason(const Json& said, int code) const {
    if (said.is_object() && said.contains("errors") && !said["errors"].empty())
      return said["errors"][0].value("message", "");
    std::ifstream log(log_);
    std::string line;
    if (std::getline(log, line) && !line.empty()) return line;
    return code > 128
               ? fmt::format("the program that simulates it was ended by signal {}", code - 128)
               : fmt::format("the program that simulates it failed ({})", code);
  }

  std::uint64_t number_;
  std::filesystem::path file_, log_;
  ChildProcess child_;
  std::vector<ServedRecording> recordings_;  // one
  std::string state_;                        // once it has ended
};

}  // namespace

struct StudyServer::Impl {
  StudyWatch watch;
  ReplayCommand command;
  TemporaryFolder folder;
  std::list<Replay> replays;  // the one that was asked for last comes first
  HttpServer server;
  std::string page = study_page_for_server();

  Impl(StudyWatch&& study, ReplayCommand&& replay, const ServerOptions& options)
      : watch(std::move(study)),
        command(std::move(replay)),
        server({options.host, options.port, 0, true},
               [this](const HttpRequest& request) { return answer(request); }) {}

  HttpResponse answer(const HttpRequest& request);
  HttpResponse answer_study(std::span<const std::string_view> parts, const std::string& query);
  HttpResponse answer_case(std::span<const std::string_view> parts, const std::string& query);
  Replay& replay_of(std::uint64_t number);
};

HttpResponse StudyServer::Impl::answer(const HttpRequest& request) {
  if (request.post) return nothing_here();
  if (request.path.empty()) return {200, "text/html; charset=utf-8", page};
  const auto parts = path_parts(request.path);
  if (parts.size() >= 2 && parts[0] == "api" && parts[1] == "study")
    return answer_study(std::span(parts).subspan(2), request.query);
  if (parts.size() >= 3 && parts[0] == "cases")
    return answer_case(std::span(parts).subspan(1), request.query);
  return nothing_here();
}

// Below api/study.
HttpResponse StudyServer::Impl::answer_study(std::span<const std::string_view> parts,
                                             const std::string& query) {
  try {
    if (parts.empty()) {
      watch.refresh(refresh_seconds);
      return {200, "application/json", watch.description()};
    }
    if (parts.size() != 1) return nothing_here();
    if (parts[0] == "report") return {200, "application/json", watch.report()};
    if (parts[0] != "cases") return nothing_here();
  } catch (const Error& error) {
    return http_error(500, error.what());
  }
  const auto first =
      query.starts_with("first=") ? number_in(std::string_view(query).substr(6)) : std::nullopt;
  if (!first || *first > watch.rows())
    return http_error(400, "accepted: first=N, the number of a row or that of all rows");
  return {200, "application/octet-stream", watch.block(*first, StudyWatch::block_rows)};
}

// Below cases: "17/" is the player, what it asks for stands behind "17/api/runs", and "17/state"
// says how the simulation goes.
HttpResponse StudyServer::Impl::answer_case(std::span<const std::string_view> parts,
                                            const std::string& query) {
  const auto number = number_in(parts[0]);
  if (!number) return nothing_here();
  if (parts.size() == 2 && parts[1].empty())
    return {200, "text/html; charset=utf-8", std::string(viewer_page())};
  const bool runs = parts.size() >= 3 && parts[1] == "api";
  if (!runs && !(parts.size() == 2 && parts[1] == "state")) return nothing_here();
  try {
    Replay& replay = replay_of(*number);
    if (!runs) return {200, "application/json", replay.state()};
    const std::string failure = replay.failure();
    if (!failure.empty() && parts.size() == 3)
      return {200, "application/json",
              Json::array({{{"name", fmt::format("case {}", *number)}, {"error", failure}}})
                  .dump(-1, ' ', false, Json::error_handler_t::replace)};
    return answer_runs(replay.recordings(), parts.subspan(2), query);
  } catch (const Error& error) {
    return http_error(500, error.what());
  }
}

Replay& StudyServer::Impl::replay_of(std::uint64_t number) {
  const auto found = std::find_if(replays.begin(), replays.end(),
                                  [&](const Replay& replay) { return replay.number() == number; });
  if (found != replays.end()) {
    replays.splice(replays.begin(), replays, found);
    return replays.front();
  }
  if (replays.size() == most_replays) replays.pop_back();
  return replays.emplace_front(number, command, folder.path());
}

StudyServer::StudyServer(StudyWatch watch, ReplayCommand replay, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(watch), std::move(replay), options)) {}
StudyServer::StudyServer(StudyServer&&) noexcept = default;
StudyServer::~StudyServer() = default;

std::string StudyServer::address() const {
  return impl_->server.address();
}

void StudyServer::serve(const std::function<bool()>& go_on) {
  impl_->server.serve(go_on);
}

}  // namespace vinci
