// SPDX-License-Identifier: Apache-2.0
// What is said about wrong scenes. tests/bad_scenes holds one scene a mistake, with the expected
// messages in comments: `# expect: [file:]line: key: beginning of the message`.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/cpu_time.h"
#include "vinci/scene/scene.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

const fs::path bad_scenes = fs::path(VINCI_SOURCE_DIR) / "tests" / "bad_scenes";

std::vector<Diagnostic> mistakes_of(const std::string& yaml) {
  try {
    Scene::parse(yaml, "test");
  } catch (const SceneError& error) {
    return error.diagnostics();
  }
  return {};
}

std::vector<std::string> expectations(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::string> found;
  const std::string mark = "# expect: ";
  for (std::string line; std::getline(stream, line);)
    if (line.rfind(mark, 0) == 0) found.push_back(line.substr(mark.size()));
  return found;
}

// As an expectation writes it: the scene itself goes without its name.
std::string shown(const Diagnostic& diagnostic, const fs::path& scene) {
  const std::string place = diagnostic.file == scene.filename() ? "" : diagnostic.file + ":";
  return fmt::format("{}{}: {}: {}", place, diagnostic.line, diagnostic.key, diagnostic.message);
}

TEST(SceneMistakes, every_bad_scene_gets_exactly_its_messages) {
  fs::current_path(bad_scenes);  // messages show files as they are named
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(bad_scenes)) {
    if (!entry.is_regular_file()) continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++count;
    const std::vector<std::string> expected = expectations(entry.path());
    EXPECT_FALSE(expected.empty());
    std::vector<std::string> said;
    try {
      Scene::load(entry.path().filename());
    } catch (const SceneError& error) {
      for (const Diagnostic& diagnostic : error.diagnostics())
        said.push_back(shown(diagnostic, entry.path()));
    }
    EXPECT_EQ(said.size(), expected.size());
    for (std::size_t i = 0; i < std::min(said.size(), expected.size()); ++i)
      EXPECT_EQ(said[i].substr(0, expected[i].size()), expected[i]);
  }
  EXPECT_GE(count, 60);
}

TEST(SceneMistakes, a_diagnostic_reads_file_line_key_message) {
  const auto mistakes = mistakes_of("world: planar\nbodies:\n  ball: {shapes: [{cicle: 1}]}\n");
  ASSERT_EQ(mistakes.size(), 1u);
  EXPECT_EQ(mistakes[0].text(),
            "test:3: bodies.ball.shapes[0].cicle: unknown key (did you mean 'circle'?); accepted: "
            "circle, polygon, box, capsule, superellipse, implicit, half-plane, material, density, "
            "surface-velocity, "
            "position, angle");
}

TEST(SceneMistakes, reports_stop_at_a_hundred) {
  std::string yaml = "world: planar\nbodies:\n";
  for (int i = 0; i < 1000; ++i) yaml += fmt::format("  b{}: {{shapes: 1}}\n", i);
  EXPECT_EQ(mistakes_of(yaml).size(), 101u);
}

TEST(SceneMistakes, text_includes_no_files_and_reads_no_meshes) {
  const auto mistakes = mistakes_of(
      "world: spatial\ninclude: other.yaml\nbodies:\n  a: {shapes: [{polyhedron: {file: "
      "a.obj}}]}\n");
  ASSERT_EQ(mistakes.size(), 2u);
  EXPECT_NE(mistakes[0].message.find("load it from a file"), std::string::npos);
  EXPECT_NE(mistakes[1].message.find("load it from a file"), std::string::npos);
}

TEST(SceneMistakes, an_impossible_override_names_the_key_it_breaks) {
  const Scene scene = Scene::parse(
      "world: planar\nparameters: {r: 0.1, mu: 0.2}\nmaterials: {m: {friction: mu}}\n"
      "bodies:\n  ball: {shapes: [{circle: r}]}\n");
  try {
    scene.compile({{"r", -1.0}, {"mu", -2.0}});
    FAIL();
  } catch (const SceneError& error) {
    ASSERT_EQ(error.diagnostics().size(), 2u);
    EXPECT_EQ(error.diagnostics()[0].key, "materials.m.friction");
    EXPECT_EQ(error.diagnostics()[1].key, "bodies.ball.shapes[0].circle");
    EXPECT_EQ(error.diagnostics()[1].line, 5);
  }
  try {
    scene.compile({{"mi", 0.5}});
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'mu'?"), std::string::npos);
  }
  EXPECT_THROW(scene.compile({{"mu", std::nan("")}}), SceneError);
}

// Hostile texts cost no more processor time than a good scene of many bodies.
class Hostile : public testing::Test {
 protected:
  static std::string crowd(int bodies) {
    std::string yaml = "world: planar\nbodies:\n";
    for (int i = 0; i < bodies; ++i) yaml += fmt::format("  b{}: {{shapes: [{{circle: 1}}]}}\n", i);
    yaml += "exclude:\n";
    for (int i = 0; i + 1 < bodies; ++i) yaml += fmt::format("  - [b{}, b{}]\n", i, i + 1);
    return yaml;
  }
  static double seconds_for(const std::string& yaml) {
    return test::cpu_seconds_of([&] { mistakes_of(yaml); });
  }
  static std::string repeated(const std::string& part, std::size_t count) {
    std::string text;
    text.reserve(part.size() * count);
    for (std::size_t i = 0; i < count; ++i) text += part;
    return text;
  }
  static void expect_refusal(const std::string& yaml) {
    bool refused = false;
    const double taken = test::cpu_seconds_of([&] { refused = !mistakes_of(yaml).empty(); });
    EXPECT_TRUE(refused);
    static const double good = seconds_for(crowd(12'000));
    EXPECT_LT(taken, good);
  }
};

TEST_F(Hostile, brackets_without_end) {
  for (const char* part : {"[", "{", "[\n", "- ", "? ", "{a: ", "[a, ", "&a ", "!a ", "a: "})
    expect_refusal(repeated(part, 2'000'000));
}

TEST_F(Hostile, a_file_beyond_the_size_cap) {
  expect_refusal(repeated("a: 1\n", 4'000'000));
}

TEST_F(Hostile, a_million_vertices) {
  std::string yaml = "world: planar\nbodies:\n  a:\n    shapes:\n      - polygon:\n";
  yaml += repeated("        - [0, 1]\n", 700'000);
  expect_refusal(yaml);
}

TEST_F(Hostile, a_polygon_of_too_many_corners_hears_the_cap) {
  std::string yaml = "world: planar\nbodies:\n  a:\n    shapes:\n      - polygon:\n";
  yaml += repeated("        - [0, 1]\n", 10'001);
  const auto mistakes = mistakes_of(yaml);
  ASSERT_EQ(mistakes.size(), 1u);
  EXPECT_EQ(mistakes[0].message, "a list of 10001; accepted: a list of 3 to 10000 points");
}

TEST_F(Hostile, more_changes_than_can_be_tried) {
  std::string yaml = "world: planar\nparameters: {p: 1}\nbodies:\n";
  for (int i = 0; i < 5'000; ++i) yaml += fmt::format("  b{}: {{shapes: [{{circle: p}}]}}\n", i);
  yaml += "changes:\n";
  for (int i = 0; i < 900; ++i) yaml += fmt::format("  - {{at: {}, set: {{p: {}}}}}\n", i, i + 1);
  expect_refusal(yaml);
}

TEST_F(Hostile, aliases_of_long_texts) {
  std::string yaml = "world: planar\na: &a " + std::string(60'000, 'x') + "\nb: [";
  yaml += repeated("*a, ", 10'000);
  expect_refusal(yaml + "]\n");
}

TEST_F(Hostile, chains_of_parameters) {
  std::string yaml = "world: planar\nparameters:\n";
  for (int i = 0; i < 499; ++i) yaml += fmt::format("  p{}: p{} + 1\n", i, i + 1);
  yaml += "  p499: p0\nbodies:\n  ball: {shapes: [{circle: p0}]}\n";
  expect_refusal(yaml);
}

// Four times as many cost four times as much; sixteen if every one were compared with all others.
TEST_F(Hostile, many_bodies_and_pairs) {
  EXPECT_TRUE(mistakes_of(crowd(12'000)).empty());
  const double few = seconds_for(crowd(3'000)), many = seconds_for(crowd(12'000));
  EXPECT_LT(many, 10.0 * few);
}

TEST_F(Hostile, includes_that_nest_or_multiply) {
  const fs::path folder = fs::path(testing::TempDir()) / "vinci_includes";
  fs::create_directories(folder);
  for (int i = 0; i < 20; ++i) {
    std::ofstream(folder / fmt::format("deep{}.yaml", i))
        << fmt::format("include: deep{}.yaml\n", i + 1);
  }
  std::ofstream wide(folder / "wide.yaml");
  wide << "world: planar\ninclude:\n";
  for (int i = 0; i < 70; ++i) {
    wide << fmt::format("  - part{}.yaml\n", i);
    std::ofstream(folder / fmt::format("part{}.yaml", i)) << "title: part\n";
  }
  wide.close();
  const auto message = [&](const char* name) -> std::string {
    try {
      Scene::load(folder / name);
    } catch (const SceneError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("deep0.yaml").find("deeper than 16 levels"), std::string::npos);
  EXPECT_NE(message("wide.yaml").find("more than 64 files"), std::string::npos);
  fs::remove_all(folder);
}

TEST_F(Hostile, pipes_and_folders_are_no_scenes) {
  const fs::path pipe = fs::path(testing::TempDir()) / "vinci_pipe.yaml";
  fs::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(Scene::load(pipe), SceneError);
  EXPECT_THROW(Scene::load(testing::TempDir()), SceneError);
  EXPECT_THROW(Scene::load("no/such/file.yaml"), SceneError);
  fs::remove(pipe);
}

}  // namespace
}  // namespace vinci
