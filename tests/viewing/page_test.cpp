// SPDX-License-Identifier: Apache-2.0
// Descriptions, and pages that hold their recordings: everything is found in the file again.
#include "vinci/viewing/page.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <zlib.h>

#include "tests/viewing/example_run.h"
#include "vinci/base/error.h"
#include "vinci/viewing/description.h"
#include "vinci/viewing/encoding.h"
#include "vinci/viewing/viewer_page.h"

namespace {

using nlohmann::json;
using vinci::PageOptions;
using vinci::Recording;
using vinci::write_page;
using vinci::test::BlockColumns;

using Description = vinci::test::ViewingTest;

class Page : public vinci::test::ViewingTest {
 protected:
  void SetUp() override {
    if (vinci::viewer_page().empty()) GTEST_SKIP() << "built without the viewer's page";
  }
  bool left_something() const {
    for (const auto& entry : std::filesystem::directory_iterator(file("")))
      if (entry.path().string().find("partial") != std::string::npos) return true;
    return false;
  }
};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string unpacked(const std::string& text) {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string packed;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const auto digit = digits.find(c);
    if (digit == std::string::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) >= 8) packed += static_cast<char>(bits >> (count -= 8) & 255u);
  }
  std::string bytes(50'000'000, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  inflateEnd(&stream);
  return bytes;
}

// What stands between an opening that begins like this and </script>, for each one in the page.
std::vector<std::pair<std::string, std::string>> elements(const std::string& page,
                                                          const std::string& opening) {
  std::vector<std::pair<std::string, std::string>> found;
  for (auto at = page.find(opening); at != std::string::npos; at = page.find(opening, at + 1)) {
    const auto begin = page.find('>', at) + 1;
    found.emplace_back(page.substr(at, begin - at),
                       page.substr(begin, page.find("</script>", begin) - begin));
  }
  return found;
}

TEST_F(Description, tells_what_the_recording_holds) {
  const Recording recording(record());
  const json text = json::parse(vinci::run_description(recording));
  EXPECT_EQ(text["name"], "run.h5");
  EXPECT_EQ(text["title"], "tumbling");
  EXPECT_EQ(text["frames"], 101);
  EXPECT_EQ(text["total_steps"], 100);
  EXPECT_EQ(text["step_size"], 1e-3);
  EXPECT_NEAR(text["duration"].get<double>(), 0.1, 1e-15);
  EXPECT_EQ(text["world"], "spatial");
  EXPECT_EQ(text["models"], 2);  // the friction changes once
  EXPECT_EQ(text["finished"], true);
  EXPECT_EQ(text["has_writer"], false);
  EXPECT_EQ(text["summary"]["steps"], 100);
  EXPECT_EQ(text["summary"]["state_hash"], recording.summary().state_hash);
  EXPECT_EQ(text["options"]["run"]["stepper"], "stewart-trinkle");
  EXPECT_EQ(text["bodies"].size(), 3u);
  EXPECT_EQ(text["bodies"][0]["velocity_size"], 0);
  EXPECT_EQ(text["bodies"][2]["name"], "ball");
  EXPECT_EQ(text["bodies"][2]["freedom"], "spatial");
  EXPECT_EQ(text["bodies"][2]["velocity_offset"], 6);
  EXPECT_FALSE(text.contains("stride"));
}

TEST_F(Description, of_a_thinned_run_counts_the_frames_kept) {
  const Recording recording(record());
  const json text = json::parse(vinci::run_description(recording, 8));
  EXPECT_EQ(text["frames"], 13);
  EXPECT_EQ(text["stride"], 8);
}

TEST_F(Description, of_a_run_being_written_says_so) {
  vinci::Simulation simulation(
      vinci::Scene::parse(fmt::format(fmt::runtime(vinci::test::tumbling), "live", 0.1)));
  vinci::Recorder recorder(file("live.h5"), simulation);
  Recording recording(file("live.h5"));
  const json before = json::parse(vinci::run_description(recording));
  EXPECT_EQ(before["has_writer"], true);
  EXPECT_EQ(before["finished"], false);
  EXPECT_EQ(before["frames"], 1);
  while (!simulation.finished()) {
    simulation.step();
    recorder.after_step(simulation);
  }
  recorder.finish(simulation);
  recording.refresh();
  EXPECT_EQ(json::parse(vinci::run_description(recording))["frames"], 101);
}

TEST(Encoding, base64_matches_its_specification) {
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : examples) EXPECT_EQ(vinci::base64(plain), coded);
  EXPECT_EQ(vinci::base64("\xff\xfe\xfd"), "//79");
}

TEST_F(Page, holds_all_frames_of_all_runs) {
  const std::vector<std::filesystem::path> paths = {record("a.h5"), record("b.h5", 0.05)};
  const auto result = write_page(file("out.html"), paths, {});
  const std::string page = text_of(file("out.html"));
  EXPECT_EQ(result.bytes, page.size());
  EXPECT_EQ(page.find("<!--vinci:runs-->"), std::string::npos);
  const auto runs = elements(page, "<script type=\"application/json\" id=\"vinci-runs\"");
  ASSERT_EQ(runs.size(), 1u);
  const json descriptions = json::parse(runs[0].second);
  ASSERT_EQ(descriptions.size(), 2u);
  EXPECT_EQ(descriptions[0]["frames"], 101);
  EXPECT_EQ(descriptions[1]["name"], "b.h5");
  const auto models = elements(page, "<script type=\"application/json\" class=\"vinci-models\"");
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(json::parse(models[0].second)[1], json::parse(Recording(paths[0]).model_json(1)));
  std::size_t frames[2] = {};
  for (const auto& [opening, text] : elements(page, "<script type=\"text/plain\"")) {
    std::smatch data;
    ASSERT_TRUE(std::regex_search(
        opening, data, std::regex(R"re(data-run="(\d)" data-first="(\d+)" data-count="(\d+)")re")));
    const std::string bytes = unpacked(text);
    const BlockColumns block(bytes);
    std::size_t& done = frames[std::stoul(data[1])];
    EXPECT_EQ(std::stoul(data[2]), done);
    EXPECT_EQ(block.header[6], done);
    EXPECT_EQ(std::stoul(data[3]), block.header[2]);
    EXPECT_EQ(block.header[7], 1u);
    EXPECT_EQ(block.header[8], 7u);
    done += block.header[2];
  }
  EXPECT_EQ(frames[0], 101u);
  EXPECT_EQ(frames[1], 51u);
}

TEST_F(Page, is_thinned_to_its_size_and_says_so) {
  const auto path = record("run.h5", 2.0);
  PageOptions options;
  options.max_bytes = 60'000;
  const auto result = write_page(file("out.html"), {&path, 1}, options);
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].recorded, 2001);
  EXPECT_GT(result.runs[0].stride, 2);
  EXPECT_EQ(result.runs[0].kept, 2000 / result.runs[0].stride + 1);
  const std::string page = text_of(file("out.html"));
  std::size_t bytes = 0, frames = 0;
  double last = 0.0;
  for (const auto& [opening, text] : elements(page, "<script type=\"text/plain\"")) {
    bytes += text.size();
    const std::string block = unpacked(text);
    BlockColumns columns(block);
    frames += columns.header[2];
    last = columns.next<double>(columns.header[2]).back();
  }
  EXPECT_LE(bytes, options.max_bytes);
  EXPECT_GT(bytes, options.max_bytes / 2);  // what is allowed is used
  EXPECT_EQ(frames, static_cast<std::size_t>(result.runs[0].kept));
  EXPECT_NEAR(last, 1e-3 * static_cast<double>((result.runs[0].kept - 1) * result.runs[0].stride),
              1e-12);
  const auto runs = elements(page, "<script type=\"application/json\" id=\"vinci-runs\"");
  EXPECT_EQ(json::parse(runs[0].second)[0]["stride"], result.runs[0].stride);
}

TEST_F(Page, leaves_to_a_long_run_what_a_short_one_does_not_need) {
  const std::vector<std::filesystem::path> paths = {record("long.h5", 2.0),
                                                    record("short.h5", 0.02)};
  PageOptions options;
  options.max_bytes = 100'000;
  const auto result = write_page(file("out.html"), paths, options);
  EXPECT_GT(result.runs[0].stride, 1);
  EXPECT_EQ(result.runs[1].stride, 1);
}

TEST_F(Page, keeps_the_frames_asked_for_whatever_their_size) {
  const auto path = record();
  PageOptions options;
  options.max_bytes = 10;
  options.stride = 10;
  EXPECT_EQ(write_page(file("out.html"), {&path, 1}, options).runs[0].kept, 11);
}

TEST_F(Page, that_cannot_be_small_enough_is_refused) {
  const auto path = record();
  PageOptions options;
  options.max_bytes = 10;
  EXPECT_THROW(write_page(file("out.html"), {&path, 1}, options), vinci::Error);
  EXPECT_FALSE(std::filesystem::exists(file("out.html")));
  EXPECT_FALSE(left_something());
}

TEST_F(Page, is_not_written_over_another_file_unless_told) {
  const auto path = record();
  std::ofstream(file("out.html")) << "mine";
  EXPECT_THROW(write_page(file("out.html"), {&path, 1}, {}), vinci::Error);
  EXPECT_EQ(text_of(file("out.html")), "mine");
  PageOptions options;
  options.overwrite = true;
  EXPECT_GT(write_page(file("out.html"), {&path, 1}, options).bytes, 10'000u);
  EXPECT_FALSE(left_something());
}

TEST_F(Page, that_is_stopped_or_has_a_bad_recording_leaves_nothing) {
  const auto path = record();
  PageOptions options;
  options.go_on = [] { return false; };
  EXPECT_THROW(write_page(file("out.html"), {&path, 1}, options), vinci::Error);
  const auto bad = file("bad.h5");
  std::ofstream(bad) << "no recording";
  EXPECT_THROW(write_page(file("out.html"), {&bad, 1}, {}), vinci::Error);
  EXPECT_THROW(write_page(file("nowhere/out.html"), {&path, 1}, {}), vinci::Error);
  EXPECT_FALSE(std::filesystem::exists(file("out.html")));
  EXPECT_FALSE(left_something());
}

TEST_F(Page, a_title_cannot_end_the_script_it_stands_in) {
  const auto path = record("run.h5", 0.01, "\"</script><script>alert(1)</script><!--\"");
  write_page(file("out.html"), {&path, 1}, {});
  const std::string page = text_of(file("out.html"));
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  const auto runs = elements(page, "<script type=\"application/json\" id=\"vinci-runs\"");
  EXPECT_EQ(json::parse(runs[0].second)[0]["title"], "</script><script>alert(1)</script><!--");
}

}  // namespace
