// SPDX-License-Identifier: Apache-2.0
// A small HTTP/1.1 server for one user on one machine. What it is asked reaches the handler only if
// the address carries the random token, `Host` is an address of this server (else a foreign name
// could have been pointed at it) and `Origin`, if there is one, is that same address (else another
// page is asking). One thread; many connections; bounded in number, size and time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace vinci {

struct HttpRequest {
  bool post = false;  // GET or HEAD otherwise
  std::string path;   // below the token, not decoded: "" is the page
  std::string query;  // behind '?', not decoded
  std::string body;
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
};
HttpResponse http_error(int status, const std::string& text);  // {"error": text}

struct HttpOptions {
  std::string host = "127.0.0.1";  // an IP address, or "localhost"
  int port = 0;                    // 0: one that is free
  std::uint64_t max_body = 0;      // bytes of a POST; 0: none is accepted
  bool frames = false;             // pages of this server may frame each other
};

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  // Listens from now on; throws Error if the address is not available.
  HttpServer(const HttpOptions& options, Handler handler);
  HttpServer(HttpServer&&) noexcept;
  ~HttpServer();

  std::string address() const;  // "http://127.0.0.1:PORT/TOKEN/"
  // Once. Until stop(), or until `go_on`, asked ten times a second, says no. What a handler throws
  // is answered with status 500.
  void serve(const std::function<bool()>& go_on = {});
  void stop();  // from any thread

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vinci
