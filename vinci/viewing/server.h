// SPDX-License-Identifier: Apache-2.0
// Serves the viewer's page and the recordings it shows, and nothing else (docs/viewer.md: addresses
// and answers). Recordings may still be growing, be replaced, or turn out to be damaged: that one
// then answers with its error, and the others go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vinci {

// What the page draws when pictures are made of it, and who takes them.
struct RenderHooks {
  std::string job;  // JSON
  std::function<void(std::int64_t number, std::string_view png)> picture;
  std::function<void()> done;
  std::function<void(const std::string& text)> failed;
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: one that is free
  // Recordings as they are now do not count: each one is waited for until somebody writes it.
  bool wait = false;
  RenderHooks* render = nullptr;
};

class ViewServer {
 public:
  // Throws Error: no page in this build, an address that is not available.
  ViewServer(const std::vector<std::filesystem::path>& recordings, const ServerOptions& options);
  ViewServer(ViewServer&&) noexcept;
  ~ViewServer();

  std::string address() const;  // of the page, with its token
  // Once. Until stop(), or until `go_on`, asked ten times a second, says no.
  void serve(const std::function<bool()>& go_on = {});
  void stop();  // from any thread

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vinci
