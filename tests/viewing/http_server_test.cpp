// SPDX-License-Identifier: Apache-2.0
// The server and its clients: polite ones, strangers, and ones that send anything at all.
#include "vinci/viewing/http_server.h"

#include <atomic>
#include <map>
#include <random>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/viewing/http_exchange.h"

namespace vinci {
namespace {

// A server that says what it was asked.
class Serving : public testing::Test {
 protected:
  Serving() { start({}); }
  ~Serving() override { end(); }

  void start(const HttpOptions& options) {
    server_.emplace(options, [this](const HttpRequest& request) {
      ++asked_;
      if (request.path == "fail") throw std::runtime_error("it failed");
      return HttpResponse{200, "text/plain",
                          fmt::format("{} {} {} {}", request.post ? "POST" : "GET", request.path,
                                      request.query, request.body)};
    });
    const std::string address = server_->address();  // http://127.0.0.1:PORT/TOKEN/
    const auto colon = address.rfind(':'), slash = address.find('/', colon);
    port_ = std::stoi(address.substr(colon + 1, slash - colon - 1));
    token_ = address.substr(slash + 1, address.size() - slash - 2);
    thread_ = std::thread([this] { server_->serve(); });
  }
  void end() {
    server_->stop();
    thread_.join();
  }
  void restart(const HttpOptions& options) {
    end();
    start(options);
  }

  std::string host() const { return fmt::format("127.0.0.1:{}", port_); }
  std::string request(const std::string& target, const std::string& method = "GET",
                      const std::string& more = "", const std::string& body = "") const {
    return fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{}\r\n{}", method,
                       target, host(), more, body);
  }
  std::string ask(const std::string& bytes) const { return exchanged(port_, bytes); }
  std::string below(const std::string& path) const { return "/" + token_ + "/" + path; }
  bool answers() const { return status_of(ask(request(below("alive")))) == 200; }

  std::optional<HttpServer> server_;
  std::thread thread_;
  std::atomic<int> asked_ = 0;
  int port_ = 0;
  std::string token_;
};

TEST_F(Serving, path_and_query_reach_the_handler_as_they_are) {
  const std::string answer = ask(request(below("api/runs/0?first=%31&x=a%2Fb")));
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_TRUE(answer.ends_with("\r\n\r\nGET api/runs/0 first=%31&x=a%2Fb "));
}

TEST_F(Serving, a_head_has_no_body) {
  const std::string answer = ask(request(below(""), "HEAD"));
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(Serving, nothing_is_found_without_the_token) {
  std::string other = token_;
  other[5] = other[5] == '0' ? '1' : '0';
  for (const std::string& target :
       {std::string("/"), "/" + token_, "//" + token_ + "/", "/" + other + "/", "/" + token_ + "0/",
        "/" + token_.substr(1) + "/", std::string("*"), token_ + "/"})
    EXPECT_NE(status_of(ask(request(target))), 200) << target;
  EXPECT_EQ(asked_, 0);
  EXPECT_TRUE(answers());
}

TEST_F(Serving, strangers_and_their_pages_are_refused) {
  const std::string line = "GET " + below("") + " HTTP/1.1\r\nConnection: close\r\n";
  const std::string own = "Host: " + host() + "\r\n";
  for (const std::string& head :
       {std::string(), std::string("Host: elsewhere.example\r\n"),
        fmt::format("Host: elsewhere:{}\r\n", port_), std::string("Host: 127.0.0.1\r\n"), own + own,
        own + "Origin: http://elsewhere.example\r\n", own + "Origin: null\r\n"})
    EXPECT_EQ(status_of(ask(line + head + "\r\n")), 403) << head;
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(status_of(ask(line + own + "Origin: http://" + host() + "\r\n\r\n")), 200);
}

TEST_F(Serving, bodies_are_taken_up_to_their_limit) {
  const auto post = [&](std::size_t size) {
    return ask(request(below("p"), "POST", fmt::format("Content-Length: {}\r\n", size),
                       std::string(size, 'x')));
  };
  EXPECT_EQ(status_of(post(1)), 413);  // none is taken unless asked for
  EXPECT_EQ(status_of(ask(request(below("p"), "DELETE"))), 405);
  restart({.max_body = 1000});
  EXPECT_TRUE(post(1000).ends_with("POST p  " + std::string(1000, 'x')));
  EXPECT_EQ(status_of(post(1001)), 413);
  EXPECT_EQ(status_of(ask(request(below("p"), "POST", "Content-Length: 99999999999999999999\r\n"))),
            400);
  EXPECT_TRUE(answers());
}

TEST_F(Serving, long_headers_are_refused) {
  EXPECT_EQ(status_of(ask(request(below(std::string(100'000, 'a'))))), 431);
  EXPECT_EQ(status_of(ask(request(below(""), "GET", "X: " + std::string(100'000, 'a') + "\r\n"))),
            431);
  EXPECT_TRUE(answers());
}

TEST_F(Serving, a_handler_that_throws_is_answered_with_its_words) {
  const std::string answer = ask(request(below("fail")));
  EXPECT_EQ(status_of(answer), 500);
  EXPECT_NE(answer.find("it failed"), std::string::npos);
}

TEST_F(Serving, requests_may_follow_each_other_on_one_connection) {
  const std::string one = fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", below("a"), host());
  std::string many;
  for (int i = 0; i < 20; ++i) many += one;
  ask(many + request(below("a")));
  EXPECT_EQ(asked_, 21);
}

// Requests that are cut, changed, doubled, and bytes that never were one. Every kind of answer but
// a crash is right; the handler hears only those that still carry the token.
TEST_F(Serving, anything_at_all_is_answered_or_forgotten) {
  restart({.max_body = 1000});
  std::mt19937_64 random(1);
  const auto below_size = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string good = request(below("a?b=c"), "POST", "Content-Length: 5\r\n", "hello");
  const std::string chunked = request(below("a"), "POST", "Transfer-Encoding: chunked\r\n",
                                      "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n");
  std::map<int, int> statuses;
  for (int trial = 0; trial < 400; ++trial) {
    std::string bytes = trial % 2 == 0 ? good : chunked;
    switch (trial % 5) {
      case 0:
        bytes.resize(below_size(bytes.size()));
        break;
      case 1:
        for (int k = 0; k < 3; ++k) bytes[below_size(bytes.size())] = static_cast<char>(random());
        break;
      case 2:
        bytes.insert(below_size(bytes.size()), bytes.substr(below_size(bytes.size())));
        break;
      case 3:
        bytes.erase(below_size(bytes.size()), 1 + below_size(4));
        break;
      default:
        for (char& byte : bytes) byte = static_cast<char>(random());
    }
    ++statuses[status_of(ask(bytes))];
  }
  EXPECT_GT(statuses[0], 0);    // cut: nobody to answer
  EXPECT_GT(statuses[200], 0);  // changed where it does not matter
  EXPECT_GT(statuses[400], 0);
  EXPECT_GT(statuses[404], 0);
  EXPECT_EQ(statuses[500], 0);
  EXPECT_TRUE(answers());
}

}  // namespace
}  // namespace vinci
