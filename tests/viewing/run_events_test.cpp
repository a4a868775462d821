// SPDX-License-Identifier: Apache-2.0
// Events as the page gets them: from a server, and inside a page.
#include "vinci/viewing/run_events.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/event_stepper.h"
#include "tests/viewing/example_run.h"
#include "vinci/base/error.h"
#include "vinci/viewing/description.h"
#include "vinci/viewing/page.h"
#include "vinci/viewing/viewer_page.h"

namespace vinci::test {
namespace {

using nlohmann::json;

class RunEvents : public ViewingTest {
 protected:
  std::filesystem::path bounce() const {
    Simulation simulation = bouncing_ball();
    Recorder recorder(file("ball.h5"), simulation);
    while (!simulation.finished()) {
      simulation.step();
      recorder.after_step(simulation);
    }
    recorder.finish(simulation);
    return file("ball.h5");
  }
};

TEST_F(RunEvents, have_columns_with_names_that_stand_once) {
  const Recording recording(bounce());
  const json all = json::parse(run_events(recording));
  EXPECT_EQ(all["total"], 9);
  ASSERT_EQ(all["subjects"].size(), 1u);
  EXPECT_EQ(all["subjects"][0]["name"], "ball on floor");
  EXPECT_EQ(all["subjects"][0]["kind"], "contact");
  ASSERT_EQ(all["start"].size(), 1u);
  EXPECT_EQ(all["states"][all["start"][0][1].get<std::size_t>()], "free");
  const std::vector<RecordedEvent> events = recording.events();
  for (const char* column :
       {"time", "step", "subject", "kind", "from", "to", "gap", "gap_rate", "force"})
    ASSERT_EQ(all[column].size(), events.size()) << column;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(all["time"][i], events[i].time);
    EXPECT_EQ(all["states"][all["to"][i].get<std::size_t>()], i % 2 == 0 ? "contact" : "free");
    EXPECT_EQ(all["kinds"][all["kind"][i].get<std::size_t>()], i % 2 == 0 ? "touch" : "parting");
    EXPECT_EQ(all["force"][i][0], events[i].after.force[0]);
  }
}

TEST_F(RunEvents, come_from_a_number_on) {
  const Recording recording(bounce());
  const json rest = json::parse(run_events(recording, 7));
  EXPECT_EQ(rest["first"], 7);
  EXPECT_EQ(rest["total"], 9);
  ASSERT_EQ(rest["time"].size(), 2u);
  EXPECT_EQ(rest["time"][1], recording.events().back().time);
  EXPECT_EQ(json::parse(run_events(recording, 9))["time"].size(), 0u);
  EXPECT_THROW(run_events(recording, 10), Error);
}

TEST_F(RunEvents, are_announced_in_the_description) {
  const json ball = json::parse(run_description(Recording(bounce())));
  EXPECT_EQ(ball["event_driven"], true);
  EXPECT_EQ(ball["events"], 9);
  const json other = json::parse(run_description(Recording(record())));
  EXPECT_EQ(other["event_driven"], false);
  EXPECT_EQ(other["events"], 0);
}

TEST_F(RunEvents, are_all_in_a_page_however_thin) {
  if (viewer_page().empty()) GTEST_SKIP() << "built without the viewer's page";
  const std::filesystem::path runs[] = {bounce(), record()};
  PageOptions options;
  options.stride = 10;
  write_page(file("page.html"), runs, options);
  std::ifstream stream(file("page.html"));
  std::stringstream text;
  text << stream.rdbuf();
  const std::string page = text.str(), opening = "class=\"vinci-events\" data-run=\"0\">";
  const auto at = page.find(opening);
  ASSERT_NE(at, std::string::npos);
  const auto begin = at + opening.size();
  const json events = json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(events["time"].size(), 9u);
  EXPECT_EQ(page.find("class=\"vinci-events\" data-run=\"1\""), std::string::npos)
      << "the other run has none";
}

}  // namespace
}  // namespace vinci::test
