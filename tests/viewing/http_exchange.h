// SPDX-License-Identifier: Apache-2.0
// A client of servers on loopback.
#pragma once

#include <stdexcept>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace vinci {

// One exchange on a connection of its own: all bytes are sent, then all bytes read until the end.
inline std::string exchanged(int port, const std::string& bytes) {
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(client, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0)
    throw std::runtime_error("cannot connect");
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t more = send(client, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (more <= 0) break;  // refused before its end
    sent += static_cast<std::size_t>(more);
  }
  shutdown(client, SHUT_WR);
  std::string answer;
  char part[4096];
  for (ssize_t size = 0; (size = recv(client, part, sizeof part, 0)) > 0;)
    answer.append(part, static_cast<std::size_t>(size));
  close(client);
  return answer;
}

// 0 where nothing came back.
inline int status_of(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

}  // namespace vinci
