// SPDX-License-Identifier: Apache-2.0
// Layout of text in a terminal.
#include "apps/text.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

// Option texts wrapped to the terminal, in a hanging column.
class WrappingFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::size_t column = get_column_width();
    const std::string name =
        "  " + make_option_name(option, is_positional) + make_option_opts(option);
    const std::string text = make_option_desc(option);
    const std::size_t width = std::clamp(static_cast<std::size_t>(terminal_width(stdout)),
                                         std::size_t{60}, std::size_t{100});
    std::string head =
        name.size() + 2 > column ? name + "\n" + std::string(column, ' ') : padded(name, column);
    return head + wrapped(text, width - column, column) + "\n";
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_items_expected_max() == 0 || option->get_type_name().empty()
               ? ""
               : " " + option->get_type_name();
  }
  std::string make_subcommand(const CLI::App* subcommand) const override {
    const std::size_t column = 12;
    return padded("  " + subcommand->get_name(), column) +
           wrapped(subcommand->get_description(), 80 - column, column) + "\n";
  }
};

[[noreturn]] void fail_to_say() {
  throw Failure(std::string("cannot be written: ") + std::strerror(errno), "standard output");
}

}  // namespace

void say(std::FILE* stream, std::string_view text) {
  const std::string shown = escaped(text, true);
  if (std::fwrite(shown.data(), 1, shown.size(), stream) != shown.size() && stream == stdout)
    fail_to_say();
}

void finish_saying() {
  const bool broken = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0 || broken) fail_to_say();
}

std::shared_ptr<CLI::Formatter> help_formatter() {
  auto formatter = std::make_shared<WrappingFormatter>();
  formatter->column_width(28);
  return formatter;
}

int terminal_width(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

bool is_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1;
}

bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    std::string locale = value;
    for (char& c : locale) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return locale.find("UTF-8") != std::string::npos || locale.find("UTF8") != std::string::npos;
  }
  return false;
}

std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = columns(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

std::string shortened(const std::string& text, std::size_t width) {
  if (columns(text) <= width) return text;
  std::string result;
  std::size_t used = 0;
  for (const char c : text) {
    if (starts_character(c) && ++used + 2 > width) break;
    result += c;
  }
  return result + "..";
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  std::string result, word;
  std::size_t used = 0;
  while (words >> word) {
    if (used > 0 && used + 1 + columns(word) > width) {
      result += "\n" + std::string(indent, ' ');
      used = 0;
    }
    result += (used > 0 ? " " : "") + word;
    used += columns(word) + (used > 0 ? 1 : 0);
  }
  return result;
}

std::string byte_count(std::uint64_t bytes) {
  const char* units[] = {"B", "KB", "MB", "GB", "TB"};
  double size = static_cast<double>(bytes);
  int unit = 0;
  while (size >= 1000.0 && unit < 4) size /= 1000.0, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", size, units[unit]);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds > 1e7) return "--:--";
  const long whole = std::lround(std::ceil(std::max(seconds, 0.0)));
  const long hours = whole / 3600, minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.1f}M", per_second * 1e-6);
  if (per_second >= 1e4) return fmt::format("{:.0f}k", per_second * 1e-3);
  if (per_second >= 1e3) return fmt::format("{:.1f}k", per_second * 1e-3);
  return fmt::format("{:.0f}", per_second);
}

}  // namespace vinci
