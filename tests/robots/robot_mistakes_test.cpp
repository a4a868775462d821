// SPDX-License-Identifier: Apache-2.0
// What is said about wrong models. tests/bad_robots holds one model a mistake, with the expected
// messages in comments at its end: `<!-- expect: line: beginning of the message -->`.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/robots/robot_file.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> expected_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::string> found;
  const std::string mark = "<!-- expect: ", end = " -->";
  for (std::string line; std::getline(stream, line);)
    if (line.rfind(mark, 0) == 0)
      found.push_back(line.substr(mark.size(), line.size() - mark.size() - end.size()));
  return found;
}

TEST(RobotMistakes, every_bad_model_gets_exactly_its_messages) {
  const fs::path folder = fs::path(VINCI_SOURCE_DIR) / "tests" / "bad_robots";
  fs::current_path(folder);  // messages show files as they are named
  std::map<std::string, int> counts;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename().string());
    ++counts[entry.path().extension().string()];
    const std::vector<std::string> expected = expected_of(entry.path());
    EXPECT_FALSE(expected.empty());
    std::vector<std::string> said;
    try {
      read_robot(entry.path().filename());
    } catch (const RobotError& error) {
      for (const RobotMistake& mistake : error.mistakes())
        said.push_back(fmt::format("{}: {}", mistake.line, mistake.message));
    }
    EXPECT_EQ(said.size(), expected.size());
    for (std::size_t i = 0; i < std::min(said.size(), expected.size()); ++i)
      EXPECT_EQ(said[i].substr(0, expected[i].size()), expected[i]);
  }
  EXPECT_GE(counts[".urdf"], 55);
  EXPECT_GE(counts[".xml"], 20);
  EXPECT_GE(counts[".sdf"], 15);
}

TEST(RobotMistakes, a_mistake_reads_file_line_message) {
  try {
    parse_robot("<robot name='r'>\n<link/></robot>", "arm.urdf");
    FAIL();
  } catch (const RobotError& error) {
    EXPECT_STREQ(error.what(), "arm.urdf:2: <link> has no name; accepted: name=\"...\"");
  }
}

std::size_t mistakes_in(const std::string& text) {
  try {
    parse_robot(text);
  } catch (const RobotError& error) {
    return error.mistakes().size();
  }
  return 0;
}

TEST(RobotMistakes, reports_stop_at_a_hundred) {
  std::string text = "<robot name='r'>";
  for (int i = 0; i < 1000; ++i) text += "<link/>";
  EXPECT_EQ(mistakes_in(text + "</robot>"), 101u);
}

TEST(RobotMistakes, hostile_texts_end_as_mistakes) {
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  EXPECT_EQ(mistakes_in(""), 1u);
  EXPECT_EQ(mistakes_in(std::string("<robot\0name='r'/>", 17)), 1u);
  EXPECT_EQ(mistakes_in(repeated("<a>", 2'000'000)), 1u);
  EXPECT_EQ(mistakes_in("<robot name='r'>" + repeated("<a/>", 1'000'000) + "</robot>"), 1u);
  EXPECT_EQ(mistakes_in("<robot name='r'><link name='l'/><a b='" + std::string(100'000, 'x') +
                        "'/></robot>"),
            1u);
  EXPECT_EQ(mistakes_in(std::string(9 << 20, ' ')), 1u);
  std::string many = "<robot name='r'><link name='l'/>";
  for (int i = 0; i < 3000; ++i)
    many += fmt::format(
        "<link name='l{0}'/><joint name='j{0}' type='fixed'><parent link='l'/>"
        "<child link='l{0}'/></joint>",
        i);
  EXPECT_EQ(mistakes_in(many + "</robot>"), 1u);
  // A chain of followers as long as it may be: the work grows by its square at most.
  std::string chain = "<robot name='r'><link name='l0'/>";
  for (int i = 1; i < 1999; ++i)
    chain += fmt::format(
        "<link name='l{0}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
        "izz='1'/></inertial></link><joint name='j{0}' type='continuous'><parent "
        "link='l{1}'/><child link='l{0}'/><mimic joint='j{2}'/></joint>",
        i, i - 1, i == 1998 ? 1998 : i + 1);
  EXPECT_EQ(mistakes_in(chain + "</robot>"), 1u);
}

}  // namespace
}  // namespace vinci
