// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/frame.h"

#include "vinci/base/hash.h"
#include "vinci/campaign/bytes.h"

namespace vinci {
namespace {

constexpr std::size_t head_size = 17;          // length, kind, checksum
constexpr std::uint64_t longest = 1ULL << 30;  // of a content: more is damage
constexpr std::size_t kept_before_it_is_moved = 1 << 16;

std::uint64_t checksum_of(FrameKind kind, std::string_view content) {
  Hash hash;
  hash.add(static_cast<std::uint8_t>(kind));
  hash.bytes(content.data(), content.size());
  return hash.value();
}

}  // namespace

std::uint64_t checksum(std::string_view bytes) {
  Hash hash;
  hash.bytes(bytes.data(), bytes.size());
  return hash.value();
}

std::string frame_bytes(FrameKind kind, std::string_view content) {
  ByteWriter head;
  head.word(content.size());
  head.byte(static_cast<std::uint8_t>(kind));
  head.word(checksum_of(kind, content));
  std::string bytes = head.take();
  bytes.append(content);
  return bytes;
}

std::optional<Frame> FrameReader::next() {
  const std::string_view ahead = std::string_view(bytes_).substr(taken_);
  if (ahead.size() < head_size) return std::nullopt;
  ByteReader head(ahead);
  const std::uint64_t length = head.word();
  const auto kind = static_cast<FrameKind>(head.byte());
  const std::uint64_t expected = head.word();
  if (length > longest) throw Error("a message is damaged: its length");
  if (ahead.size() - head_size < length) return std::nullopt;
  Frame frame{kind, std::string(ahead.substr(head_size, length))};
  if (checksum_of(kind, frame.content) != expected)
    throw Error("a message is damaged: its checksum");
  taken_ += head_size + length;
  if (taken_ == bytes_.size() || taken_ > kept_before_it_is_moved) {
    bytes_.erase(0, taken_);
    taken_ = 0;
  }
  return frame;
}

}  // namespace vinci
