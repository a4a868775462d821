// SPDX-License-Identifier: Apache-2.0
#include "vinci/base/words.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace vinci {
namespace {

// Bytes of the character that the text begins with, and the character; 0 bytes if it is no UTF-8.
struct Character {
  std::size_t bytes = 0;
  char32_t code = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char head = byte(0);
  if (head < 0x80) return {1, head};
  const std::size_t bytes = head >= 0xf0 ? 4 : head >= 0xe0 ? 3 : 2;
  if (head < 0xc2 || head > 0xf4 || text.size() < bytes) return {};
  char32_t code = head & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const char32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least || code > 0x10ffff || surrogate ? Character{} : Character{bytes, code};
}

bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

}  // namespace

std::string escaped(std::string_view text, bool lines) {
  std::string result;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
    const char c = text.front();
    if (lines && (c == '\n' || c == '\t'))
      result += c;
    else if (character.bytes == 0)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else if (is_control(character.code))
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(character.code));
    else
      result += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return result;
}

std::string short_number(double value) {
  if (value == 0.0) return "0";
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double size = std::abs(value);
  if (size >= 1e-3 && size < 1e5) return fmt::format("{:.4g}", value);
  return fmt::format("{:.2g}", value);
}

std::string plural(std::int64_t count, const std::string& noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  const bool ies = noun.ends_with('y');
  return fmt::format("{} {}", count, ies ? noun.substr(0, noun.size() - 1) + "ies" : noun + "s");
}

}  // namespace vinci
