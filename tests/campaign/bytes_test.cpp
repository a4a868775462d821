// SPDX-License-Identifier: Apache-2.0
// Cases, answers and messages as bytes; sets of numbers.
#include <limits>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "vinci/campaign/case_bytes.h"
#include "vinci/campaign/frame.h"
#include "vinci/campaign/number_ranges.h"

namespace vinci {
namespace {

CaseResult full_result() {
  return {.number = 1'000'000'007,
          .status = CaseStatus::inexact,
          .verdict = Verdict::failure,
          .level = 2,
          .measures = {-0.0, 1e-300, std::numeric_limits<double>::infinity()},
          .levels = {{0, CaseStatus::good, Verdict::unknown, 0},
                     {2, CaseStatus::inexact, Verdict::failure, 1ULL << 40}},
          .message = "what\nhappened, \"so\""};
}

TEST(CaseBytes, give_back_what_was_written) {
  ByteWriter to;
  const StudyCase what{123456, 7, 1ULL << 50, {0.1, -2.5}};
  write(to, what);
  write(to, full_result());
  write(to, std::vector<double>{0.25, 1e-6});
  ByteReader from(to.bytes());
  const StudyCase read = read_case(from);
  EXPECT_EQ(read.number, what.number);
  EXPECT_EQ(read.design, what.design);
  EXPECT_EQ(read.sample, what.sample);
  EXPECT_EQ(read.values, what.values);
  const CaseResult result = read_result(from);
  EXPECT_EQ(result.number, full_result().number);
  EXPECT_EQ(result.status, full_result().status);
  EXPECT_EQ(result.verdict, full_result().verdict);
  EXPECT_EQ(result.level, full_result().level);
  EXPECT_EQ(result.measures, full_result().measures);
  EXPECT_TRUE(std::signbit(result.measures[0]));
  EXPECT_EQ(result.levels, full_result().levels);
  EXPECT_EQ(result.message, full_result().message);
  EXPECT_EQ(read_seconds(from), (std::vector<double>{0.25, 1e-6}));
  EXPECT_TRUE(from.at_end());
}

TEST(CaseBytes, that_are_cut_anywhere_are_an_error) {
  ByteWriter to;
  write(to, full_result());
  for (std::size_t size = 0; size < to.bytes().size(); ++size) {
    ByteReader from(std::string_view(to.bytes()).substr(0, size));
    EXPECT_THROW(read_result(from), Error) << size;
  }
}

TEST(CaseBytes, of_chance_are_read_or_an_error) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string bytes(random() % 60, ' ');
    for (char& byte : bytes) byte = static_cast<char>(random());
    ByteReader from(bytes);
    try {
      read_result(from);
    } catch (const Error&) {
    }
  }
}

TEST(Frame, comes_whole_however_its_bytes_come) {
  const std::string bytes = frame_bytes(FrameKind::cases, "some content") +
                            frame_bytes(FrameKind::answers, "") +
                            frame_bytes(FrameKind::hello, std::string(100'000, 'x'));
  for (const std::size_t step : {1, 7, 40, 200'000}) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.push(std::string_view(bytes).substr(at, step));
      while (auto frame = reader.next()) frames.push_back(std::move(*frame));
    }
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[0].content, "some content");
    EXPECT_EQ(frames[1].kind, FrameKind::answers);
    EXPECT_EQ(frames[2].content.size(), 100'000u);
    EXPECT_EQ(reader.left(), 0u);
  }
}

TEST(Frame, that_is_damaged_anywhere_is_never_taken) {
  const std::string bytes = frame_bytes(FrameKind::cases, "some content");
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int flip : {1, 64}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      FrameReader reader;
      reader.push(damaged);
      try {
        // A length that is too large waits for what does not come.
        EXPECT_FALSE(reader.next().has_value()) << at;
      } catch (const Error&) {
      }
    }
}

TEST(NumberRanges, are_the_set_that_they_stand_for) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 300; ++trial) {
    NumberRanges ranges;
    std::set<std::uint64_t> set;
    for (int i = 0; i < 12; ++i) {
      const NumberRange range{random() % 60, random() % 8};
      bool shared = false;
      for (std::uint64_t n = range.first; n < range.end(); ++n) shared |= set.contains(n);
      EXPECT_EQ(ranges.touches(range), shared);
      if (shared) {
        EXPECT_THROW(ranges.add(range), Error);
        continue;
      }
      ranges.add(range);
      for (std::uint64_t n = range.first; n < range.end(); ++n) set.insert(n);
      EXPECT_EQ(ranges.count(), set.size());
      const NumberRange asked{random() % 50, random() % 30};
      std::set<std::uint64_t> missing;
      for (const NumberRange& gap : ranges.missing(asked)) {
        EXPECT_GT(gap.size, 0u);
        for (std::uint64_t n = gap.first; n < gap.end(); ++n) missing.insert(n);
      }
      for (std::uint64_t n = asked.first; n < asked.end(); ++n)
        EXPECT_EQ(missing.contains(n), !set.contains(n));
    }
    EXPECT_EQ(ranges.end(), set.empty() ? 0 : *set.rbegin() + 1);
    for (std::size_t i = 1; i < ranges.ranges().size(); ++i)
      EXPECT_LT(ranges.ranges()[i - 1].end(), ranges.ranges()[i].first) << "joined";
  }
}

}  // namespace
}  // namespace vinci
