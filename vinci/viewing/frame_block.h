// SPDX-License-Identifier: Apache-2.0
// Frames of a recording as one binary block, column by column, as the viewer's page reads them. The
// layout is in docs/viewer.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vinci/recording/recording.h"

namespace vinci {

// Which frames, and what of them.
struct FrameQuery {
  static constexpr int all = -1, none = -2;  // for poses and velocities; else the index of a body
  std::int64_t first = 0, count = 1, stride = 1;
  int poses = all, velocities = all;  // if both name a body, it is the same one
  bool contacts = true;
  std::optional<EntityKey> contact;  // this one alone
  bool joints = true;
  std::vector<int> joint_columns;  // these alone, ascending; all if empty
  bool signals = true;             // (signals.h)
  std::vector<int> signal_columns;
};

// Reads "first=0&count=10&stride=2&poses=all&velocities=3&contacts=none&joints=all
// &signals=none"; what is not given has its default. Throws Error naming the key and what it
// accepts.
FrameQuery parse_frame_query(std::string_view text);
// Throws Error if the recording has not what is asked for.
void check_query(const Recording& recording, const FrameQuery& query);

// Where a block ends before all of its frames are in it; one frame is there in any case.
struct BlockLimits {
  std::size_t bytes = 32u << 20;
  double seconds = 1.0;  // of work
};

// Throws Error: what check_query says, or what is wrong with the recording.
std::string frame_block(const Recording& recording, const FrameQuery& query,
                        const BlockLimits& limits = {});

// The header of a block: sixteen numbers, little-endian.
struct BlockHeader {
  static constexpr std::uint32_t right_magic = 0x31434e56;  // "VNC1"
  static constexpr std::uint32_t with_poses = 1, with_velocities = 2, with_contacts = 4,
                                 with_moments = 8,  // of a contact of the block
      with_joints = 16, with_signals = 32;
  std::uint32_t magic = right_magic, version = 4;
  std::uint32_t frames = 0;
  std::uint32_t bodies = 0;      // poses per frame
  std::uint32_t velocities = 0;  // entries per frame
  std::uint32_t rows = 0;        // contacts of all frames
  std::uint32_t first = 0, stride = 1;
  std::uint32_t flags = 0;
  std::uint32_t body = 0xffffffffu;  // the one asked for; all of them
  std::uint32_t joints = 0;          // numbers of joints per frame
  std::uint32_t signals = 0;         // likewise
  std::uint32_t reserved[4] = {};
};
BlockHeader read_header(std::string_view block);
void set_header(std::string& block, const BlockHeader& header);

}  // namespace vinci
