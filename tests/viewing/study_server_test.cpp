// SPDX-License-Identifier: Apache-2.0
// What the server of a study answers, and programs that simulate its cases: good, failing, killed.
#include "vinci/viewing/study_server.h"

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include <fmt/format.h>

#include "tests/viewing/http_exchange.h"
#include "tests/viewing/study_example.h"
#include "vinci/viewing/viewer_page.h"

namespace vinci {
namespace {

// Cases are simulated by a shell: 1 says what it did, 2 tells a mistake, 3 is killed, 4 says
// nothing, 5 is not there, 6 never ends.
std::vector<std::string> replayed(std::uint64_t number, const std::filesystem::path& file) {
  const std::string path = file.string();
  switch (number) {
    case 1:
      return {"/bin/sh", "-c",
              "printf '{\"ok\": true,\\n \"case\": 1, \"file\": \"%s\"}\\n' " + path};
    case 2:
      return {"/bin/sh", "-c", R"(echo '{"errors": [{"message": "no such case"}]}'; exit 3)"};
    case 3:
      return {"/bin/sh", "-c", "kill -9 $$"};
    case 4:
      return {"/bin/sh", "-c", "echo 'it broke' >&2; exit 1"};
    default:
      return {"/bin/sh", "-c", "sleep 1000"};
  }
}

class ServedStudy : public testing::Test {
 protected:
  void SetUp() override {
    if (viewer_page().empty()) GTEST_SKIP() << "built without the viewer's page";
    {
      Ledger ledger = example_.writer();
      example_.complete(ledger);
    }
    server_.emplace(example_.watch(), replayed, ServerOptions{});
    const std::string address = server_->address();
    const auto colon = address.rfind(':'), slash = address.find('/', colon);
    port_ = std::stoi(address.substr(colon + 1, slash - colon - 1));
    below_ = address.substr(slash);
    thread_ = std::thread([this] { server_->serve([this] { return !ended_.load(); }); });
  }
  void TearDown() override {
    ended_ = true;
    if (thread_.joinable()) thread_.join();
  }

  std::string get(const std::string& path) const {
    return exchanged(port_, fmt::format("GET {}{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: "
                                        "close\r\n\r\n",
                                        below_, path, port_));
  }
  std::string body(const std::string& path) const {
    const std::string answer = get(path);
    EXPECT_EQ(status_of(answer), 200) << path;
    return answer.substr(answer.find("\r\n\r\n") + 4);
  }
  nlohmann::json json(const std::string& path) const { return nlohmann::json::parse(body(path)); }
  nlohmann::json end_of(int number) const {
    while (true) {
      const nlohmann::json state = json(fmt::format("cases/{}/state", number));
      if (state["state"] != "running") return state;
    }
  }

  ExampleStudy example_{30};
  std::optional<StudyServer> server_;
  std::thread thread_;
  std::atomic<bool> ended_ = false;
  int port_ = 0;
  std::string below_;
};

TEST_F(ServedStudy, answers_what_is_known_of_the_study) {
  EXPECT_NE(body("").find("<html"), std::string::npos);
  EXPECT_EQ(json("api/study")["cases"], 60);
  EXPECT_EQ(json("api/study/report"), nlohmann::json::parse(example_.watch().report()));
  EXPECT_EQ(body("api/study/cases?first=58").substr(32),
            example_.watch().block(58, 100).substr(32));
  for (const char* const wrong : {"api/study/cases", "api/study/cases?first=61",
                                  "api/study/cases?first=-1", "api/study/cases?first=x"})
    EXPECT_EQ(status_of(get(wrong)), 400) << wrong;
  for (const char* const nothing : {"api", "api/study/other", "api/study/cases/1", "cases",
                                    "cases/01/", "cases/x/", "cases/1/other", "other"})
    EXPECT_EQ(status_of(get(nothing)), 404) << nothing;
}

TEST_F(ServedStudy, a_case_is_simulated_once_and_says_how_it_went) {
  EXPECT_NE(body("cases/1/").find("<html"), std::string::npos);
  const nlohmann::json state = end_of(1);
  EXPECT_EQ(state["state"], "done");
  EXPECT_EQ(state["case"], 1);
  EXPECT_NE(state["file"].get<std::string>().find("case-1.h5"), std::string::npos);
  EXPECT_EQ(json("cases/1/state"), state);
}

TEST_F(ServedStudy, programs_that_fail_are_told_with_their_reason) {
  EXPECT_EQ(end_of(2)["error"], "no such case");
  EXPECT_EQ(end_of(3)["error"], "the program that simulates it was ended by signal 9");
  EXPECT_EQ(end_of(4)["error"], "it broke");
  const nlohmann::json runs = json("cases/2/api/runs");
  EXPECT_EQ(runs[0]["name"], "case 2");
  EXPECT_EQ(runs[0]["error"], "no such case");
}

// More are asked for than are kept: the first one is asked for anew.
TEST_F(ServedStudy, programs_that_go_on_end_with_the_server) {
  for (int number = 6; number < 30; ++number)
    EXPECT_EQ(json(fmt::format("cases/{}/state", number))["state"], "running");
  EXPECT_EQ(json("cases/6/state")["state"], "running");
}

TEST_F(ServedStudy, a_ledger_that_is_gone_is_told) {
  std::filesystem::remove(example_.run().ledger());
  EXPECT_EQ(status_of(get("api/study")), 500);
}

}  // namespace
}  // namespace vinci
