// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the HTTP server: whatever bytes a client sends (TOKEN and HOST stand for the real
// ones), the connection ends, and the handler is asked only by those who know the token.
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vinci/viewing/http_server.h"

namespace {

class Server {
 public:
  Server()
      : server_({.max_body = 1000},
                [](const vinci::HttpRequest& request) {
                  return vinci::HttpResponse{200, "text/plain",
                                             request.path + request.query + request.body};
                }),
        thread_([this] { server_.serve(); }) {
    const std::string address = server_.address();  // http://127.0.0.1:PORT/TOKEN/
    const std::size_t host = 7, slash = address.find('/', host);
    host_ = address.substr(host, slash - host);
    token_ = address.substr(slash + 1, address.size() - slash - 2);
    port_ = std::atoi(host_.c_str() + host_.find(':') + 1);
  }
  ~Server() {
    server_.stop();
    thread_.join();
  }

  std::string asked(std::string bytes) const {
    replace(bytes, "TOKEN", token_);
    replace(bytes, "HOST", host_);
    const int client = connected();
    // Closed at once, without the wait for stray packets that would use up the ports.
    const linger reset{1, 0};
    setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count =
          TEMP_FAILURE_RETRY(send(client, &bytes[sent], bytes.size() - sent, MSG_NOSIGNAL));
      if (count <= 0) break;
      sent += static_cast<std::size_t>(count);
    }
    shutdown(client, SHUT_WR);
    std::string answer;
    std::array<char, 4096> part;
    for (ssize_t count;
         (count = TEMP_FAILURE_RETRY(recv(client, part.data(), part.size(), 0))) > 0;)
      answer.append(part.data(), static_cast<std::size_t>(count));
    close(client);
    return answer;
  }

 private:
  // The alarm by which libFuzzer watches the time of an input interrupts system calls.
  int connected() const {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port_));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    while (true) {
      const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (client < 0) std::abort();
      if (connect(client, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0)
        return client;
      if (errno != EINTR) std::abort();
      close(client);
    }
  }

  static void replace(std::string& text, const std::string& name, const std::string& value) {
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size(), value);
  }

  vinci::HttpServer server_;
  std::thread thread_;
  std::string host_, token_;
  int port_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Server server;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string answer = server.asked(bytes);
  if (answer.starts_with("HTTP/1.1 200") && bytes.find("TOKEN") == std::string::npos) std::abort();
  return 0;
}
