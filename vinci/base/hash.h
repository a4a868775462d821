// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash of bytes in a fixed order (FNV-1a): the fingerprint of states and recordings. Not
// cryptographic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace vinci {

class Hash {
 public:
  void bytes(const void* data, std::size_t size) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ byte[i]) * 0x100000001b3ULL;
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void add(T value) { bytes(&value, sizeof value); }
  std::uint64_t value() const { return value_; }
  std::string hex() const {
    static const char* digits = "0123456789abcdef";
    std::string text(16, '0');
    for (int i = 0; i < 16; ++i) text[15 - i] = digits[(value_ >> (4 * i)) & 15];
    return text;
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace vinci
