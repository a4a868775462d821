// SPDX-License-Identifier: Apache-2.0
// Blocks of frames, decoded again and compared with the recording they come from.
#include "vinci/viewing/frame_block.h"

#include <fmt/format.h>

#include "tests/viewing/example_run.h"
#include "vinci/base/error.h"

namespace {

using vinci::BlockHeader;
using vinci::ContactRow;
using vinci::frame_block;
using vinci::FrameQuery;
using vinci::parse_frame_query;
using vinci::Recorder;
using vinci::Recording;
using vinci::Scene;
using vinci::Simulation;
using vinci::test::BlockColumns;

using FrameBlock = vinci::test::ViewingTest;

// All columns of a block.
struct Decoded {
  std::vector<std::uint32_t> header;
  std::vector<double> time, step, kinetic, potential, residual, penetration;
  std::vector<std::int32_t> status, iterations, active, model, uniqueness;
  std::vector<std::uint32_t> contact_start;
  std::vector<float> poses, velocities;
  std::vector<std::uint32_t> key;
  std::vector<std::int32_t> bodies;
  std::vector<std::vector<float>> vectors;  // point a, point b, normal, tangents, impulse, velocity
  std::vector<float> gap, friction, friction_2, joints;

  explicit Decoded(const std::string& block) {
    BlockColumns columns(block);
    header = columns.header;
    const std::size_t frames = header[2], rows = header[5];
    for (auto* column : {&time, &step, &kinetic, &potential, &residual, &penetration})
      *column = columns.next<double>(frames);
    for (auto* column : {&status, &iterations, &active, &model, &uniqueness})
      *column = columns.next<std::int32_t>(frames);
    contact_start = columns.next<std::uint32_t>(frames + 1);
    if (header[8] & 1) poses = columns.next<float>(frames * header[3] * 7);
    if (header[8] & 2) velocities = columns.next<float>(frames * header[4]);
    if (header[8] & 4) {
      key = columns.next<std::uint32_t>(rows * 4);
      bodies = columns.next<std::int32_t>(rows * 2);
      for (int i = 0; i < 7; ++i) vectors.push_back(columns.next<float>(rows * 3));
      gap = columns.next<float>(rows);
      friction = columns.next<float>(rows);
      friction_2 = columns.next<float>(rows);
    }
    if (header[8] & 16) joints = columns.next<float>(frames * header[10]);
    EXPECT_TRUE(columns.at_end());
  }
};

void expect_row(const Decoded& block, std::size_t row, const ContactRow& contact) {
  const std::array<std::uint32_t, 4> keys = vinci::key_words(contact.key);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(block.key[4 * row + i], keys[i]);
  EXPECT_EQ(block.bodies[2 * row], contact.body_a);
  EXPECT_EQ(block.bodies[2 * row + 1], contact.body_b);
  const vinci::Vector3 vectors[] = {contact.point_a,   contact.point_b,   contact.normal,
                                    contact.tangent_1, contact.tangent_2, contact.impulse,
                                    contact.velocity};
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(block.vectors[i][3 * row + k],
                static_cast<float>(vectors[i][static_cast<Eigen::Index>(k)]));
  EXPECT_EQ(block.gap[row], static_cast<float>(contact.gap));
  EXPECT_EQ(block.friction[row], static_cast<float>(contact.friction));
  EXPECT_EQ(block.friction_2[row], static_cast<float>(contact.friction_2));
}

TEST_F(FrameBlock, holds_what_the_recording_holds) {
  const Recording recording(record());
  const Decoded block(frame_block(recording, parse_frame_query("first=3&count=20&stride=4")));
  EXPECT_EQ(block.header, (std::vector<std::uint32_t>{0x31434e56, 4, 20, 3, 12, block.header[5], 3,
                                                      4, 7, 0xffffffff, 0, 0, 0, 0, 0, 0}));
  EXPECT_GT(block.header[5], 20u);  // contacts are there
  EXPECT_EQ(block.contact_start.back(), block.header[5]);
  for (std::size_t i = 0; i < 20; ++i) {
    const auto frame = static_cast<std::int64_t>(3 + 4 * i);
    const auto info = recording.info(frame);
    const auto state = recording.state(frame);
    EXPECT_EQ(block.time[i], info.time);
    EXPECT_EQ(block.step[i], static_cast<double>(info.step));
    EXPECT_EQ(block.kinetic[i], info.kinetic);
    EXPECT_EQ(block.potential[i], info.potential);
    EXPECT_EQ(block.residual[i], info.report.solve.residual.relative);
    EXPECT_EQ(block.penetration[i], info.report.penetration);
    EXPECT_EQ(block.status[i], static_cast<std::uint8_t>(info.report.solve.status));
    EXPECT_EQ(block.iterations[i], info.report.solve.iterations);
    EXPECT_EQ(block.active[i], info.report.active_count);
    EXPECT_EQ(block.model[i], info.model);
    EXPECT_EQ(block.uniqueness[i], static_cast<std::int32_t>(info.report.uniqueness));
    for (std::size_t body = 0; body < 3; ++body) {
      const float* pose = &block.poses[(3 * i + body) * 7];
      EXPECT_EQ(pose[2], static_cast<float>(state.poses[body].position.z()));
      EXPECT_EQ(pose[3], static_cast<float>(state.poses[body].rotation.w()));
      EXPECT_EQ(pose[6], static_cast<float>(state.poses[body].rotation.z()));
    }
    for (std::size_t k = 0; k < 12; ++k)
      EXPECT_EQ(block.velocities[12 * i + k],
                static_cast<float>(state.velocities[static_cast<Eigen::Index>(k)]));
    const auto contacts = recording.contacts(frame);
    ASSERT_EQ(block.contact_start[i + 1] - block.contact_start[i], contacts.size());
    for (std::size_t k = 0; k < contacts.size(); ++k)
      expect_row(block, block.contact_start[i] + k, contacts[k]);
  }
}

TEST_F(FrameBlock, of_one_body_is_that_body_of_the_whole_block) {
  const Recording recording(record());
  const Decoded all(frame_block(recording, parse_frame_query("count=101")));
  const Decoded one(
      frame_block(recording, parse_frame_query("count=101&poses=2&velocities=2&contacts=none")));
  EXPECT_EQ(one.header[3], 1u);
  EXPECT_EQ(one.header[4], 6u);
  EXPECT_EQ(one.header[5], 0u);
  EXPECT_EQ(one.header[8], 3u);
  EXPECT_EQ(one.header[9], 2u);
  EXPECT_EQ(one.time, all.time);
  for (std::size_t i = 0; i < 101; ++i) {
    for (std::size_t k = 0; k < 7; ++k)
      EXPECT_EQ(one.poses[7 * i + k], all.poses[(3 * i + 2) * 7 + k]);
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_EQ(one.velocities[6 * i + k], all.velocities[12 * i + 6 + k]);
  }
}

TEST_F(FrameBlock, of_a_fixed_body_has_no_velocities) {
  const Recording recording(record());
  const Decoded block(frame_block(recording, parse_frame_query("count=9&poses=none&velocities=0")));
  EXPECT_EQ(block.header[4], 0u);
  EXPECT_EQ(block.header[8], 6u);
}

TEST_F(FrameBlock, of_one_contact_has_its_rows_alone) {
  const Recording recording(record());
  const Decoded all(frame_block(recording, parse_frame_query("count=101")));
  const std::vector<std::uint32_t> key(all.key.begin(), all.key.begin() + 4);
  std::size_t expected = 0;
  for (std::size_t row = 0; row < all.gap.size(); ++row)
    expected += std::equal(key.begin(), key.end(), all.key.begin() + 4 * static_cast<long>(row));
  const Decoded one(frame_block(
      recording, parse_frame_query(fmt::format("count=101&poses=none&velocities=none&contacts={}",
                                               fmt::join(key, ".")))));
  EXPECT_EQ(one.gap.size(), expected);
  EXPECT_LT(expected, all.gap.size());
  EXPECT_GT(expected, 0u);
  for (std::size_t row = 0; row < expected; ++row)
    EXPECT_TRUE(std::equal(key.begin(), key.end(), one.key.begin() + 4 * static_cast<long>(row)));
  EXPECT_EQ(one.contact_start.back(), expected);
}

TEST_F(FrameBlock, holds_the_numbers_of_joints_or_the_columns_that_are_asked_for) {
  Simulation simulation(Scene::parse(R"(
world: planar
bodies: {arm: {shapes: [{box: [1, 0.1]}]}}
joints: {hinge: {revolute: [world, arm], at: [[0, 0], [-0.5, 0]]}}
run: {step: 1 ms, duration: 0.05 s}
)"));
  Recorder recorder(file("hinge.h5"), simulation);
  while (!simulation.finished()) {
    simulation.step();
    recorder.after_step(simulation);
  }
  recorder.finish(simulation);
  const Recording recording(file("hinge.h5"));
  const std::size_t width = recording.joint_columns().size();
  const std::vector<double> numbers = recording.joints({2, 10, 3});
  const Decoded all(frame_block(recording, parse_frame_query("first=2&count=10&stride=3")));
  EXPECT_EQ(all.header[8], 7u + 16u);
  EXPECT_EQ(all.header[10], width);
  ASSERT_EQ(all.joints.size(), numbers.size());
  EXPECT_LT(numbers[width], 0.0);  // it falls
  for (std::size_t i = 0; i < numbers.size(); ++i)
    EXPECT_EQ(all.joints[i], static_cast<float>(numbers[i]));
  const Decoded some(frame_block(
      recording, parse_frame_query("first=2&count=10&stride=3&poses=none&joints=0.1.5")));
  EXPECT_EQ(some.header[10], 3u);
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(some.joints[3 * i + k], all.joints[width * i + (k == 2 ? 5 : k)]);
  EXPECT_TRUE(Decoded(frame_block(recording, parse_frame_query("joints=none"))).joints.empty());
  EXPECT_THROW(frame_block(recording, parse_frame_query("joints=0.99")), vinci::Error);
  EXPECT_THROW(parse_frame_query("joints=3.1"), vinci::Error);
  EXPECT_THROW(parse_frame_query("joints=1..2"), vinci::Error);
}

TEST_F(FrameBlock, ends_with_the_recording) {
  const Recording recording(record());
  const Decoded block(frame_block(recording, parse_frame_query("first=95&count=2147483647")));
  EXPECT_EQ(block.header[2], 6u);
}

TEST_F(FrameBlock, is_bounded_and_goes_on_where_it_ended) {
  const Recording recording(record());
  const Decoded all(frame_block(recording, parse_frame_query("count=101")));
  FrameQuery query = parse_frame_query("count=101");
  std::vector<double> times;
  std::vector<float> gaps;
  int blocks = 0;
  while (query.first < recording.frames()) {
    const std::string block = frame_block(recording, query, {20'000, 1e9});
    EXPECT_LT(block.size(), 40'000u);
    const Decoded part(block);
    times.insert(times.end(), part.time.begin(), part.time.end());
    gaps.insert(gaps.end(), part.gap.begin(), part.gap.end());
    query.first += part.header[2];
    ++blocks;
  }
  EXPECT_GT(blocks, 2);
  EXPECT_EQ(times, all.time);
  EXPECT_EQ(gaps, all.gap);
}

TEST_F(FrameBlock, without_time_still_has_a_frame) {
  const Recording recording(record());
  EXPECT_GE(Decoded(frame_block(recording, parse_frame_query("count=9"), {1, 0.0})).header[2], 1u);
}

TEST_F(FrameBlock, queries_with_a_mistake_are_told_what_is_accepted) {
  for (const char* text : {"first=-1",
                           "first=1.5",
                           "first=",
                           "first",
                           "count=0",
                           "stride=0",
                           "count=1e3",
                           "first=99999999999999999999",
                           "poses=some",
                           "poses=-3",
                           "velocities=x",
                           "contacts=1.2.3",
                           "contacts=1.2.3.4.5",
                           "contacts=1.2.3.4294967296",
                           "contacts=",
                           "poses=1&velocities=2",
                           "first=1&first=2",
                           "unknown=1",
                           "=1",
                           "&",
                           "poses=%61ll"})
    EXPECT_THROW(parse_frame_query(text), vinci::Error) << text;
  EXPECT_EQ(parse_frame_query("").count, 1);
  EXPECT_EQ(parse_frame_query("contacts=1.2.3.4294967295").contact,
            vinci::contact_key(1, 2, 3, ~0u));
}

TEST_F(FrameBlock, what_a_recording_has_not_is_refused) {
  const Recording recording(record());
  for (const char* text : {"first=101", "poses=3", "velocities=3"})
    EXPECT_THROW(frame_block(recording, parse_frame_query(text)), vinci::Error) << text;
}

}  // namespace
