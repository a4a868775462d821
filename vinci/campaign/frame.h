// SPDX-License-Identifier: Apache-2.0
// Messages in a stream of bytes: length, kind, checksum, content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vinci {

enum class FrameKind : std::uint8_t {
  hello = 1,  // a worker is ready: the hash of its study
  complaint,  // a worker cannot begin: why
  cases,      // what a worker is to do
  answers     // what has come out
};

struct Frame {
  FrameKind kind = FrameKind::hello;
  std::string content;
};

std::string frame_bytes(FrameKind kind, std::string_view content);
// Of bytes that are stored or sent.
std::uint64_t checksum(std::string_view bytes);

// Takes bytes as they come and gives the frames that are complete.
class FrameReader {
 public:
  void push(std::string_view bytes) { bytes_.append(bytes); }
  // Nothing where the next frame is not complete. Throws Error if it is damaged.
  std::optional<Frame> next();
  // Bytes that no complete frame has taken.
  std::size_t left() const { return bytes_.size() - taken_; }

 private:
  std::string bytes_;
  std::size_t taken_ = 0;
};

}  // namespace vinci
