// SPDX-License-Identifier: Apache-2.0
// Numbers and texts as bytes, and back: what goes through sockets and into files of a study.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "vinci/base/error.h"

namespace vinci {

class ByteWriter {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  // Seven bits a byte, the lowest ones first: small numbers are short.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  // Eight bytes, the lowest one first.
  void word(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) byte(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void real(double value) { word(std::bit_cast<std::uint64_t>(value)); }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Throws Error where there are fewer bytes than a value needs.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}
  std::uint8_t byte() {
    need(1);
    const auto value = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t part = byte();
      value |= static_cast<std::uint64_t>(part & 0x7f) << shift;
      if (part < 0x80) return value;
    }
    throw Error("a number is damaged");
  }
  // How many values of at least `least` bytes each follow.
  std::size_t count(std::size_t least) {
    const std::uint64_t value = number();
    if (value > left_.size() / least) throw Error("bytes are missing");
    return static_cast<std::size_t>(value);
  }
  std::uint64_t word() {
    need(8);
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
      value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(left_[i])) << (8 * i);
    left_.remove_prefix(8);
    return value;
  }
  double real() { return std::bit_cast<double>(word()); }
  std::string text() {
    const std::size_t size = count(1);
    std::string value(left_.substr(0, size));
    left_.remove_prefix(size);
    return value;
  }
  bool at_end() const { return left_.empty(); }

 private:
  void need(std::size_t count) const {
    if (left_.size() < count) throw Error("bytes are missing");
  }
  std::string_view left_;
};

}  // namespace vinci
