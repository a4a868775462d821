// SPDX-License-Identifier: Apache-2.0
// Text for people: what is printed, wrapped paragraphs, short numbers, the width of the terminal,
// help pages.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "vinci/base/words.h"

namespace vinci {

// Prints: the one door to the terminal. Control characters, which names of others may have, are
// escaped but for newlines. Throws Failure if standard output takes no more.
void say(std::FILE* stream, std::string_view text);
template <class... Values>
void say(std::FILE* stream, fmt::format_string<Values...> form, Values&&... values) {
  say(stream, std::string_view(fmt::format(form, std::forward<Values>(values)...)));
}
// Throws Failure if not all that was said has reached standard output.
void finish_saying();

inline constexpr std::size_t page_width = 80;              // of a report in a terminal
inline constexpr std::size_t text_width = page_width - 2;  // of its indented lines

// Columns of the terminal behind the stream; 80 where there is none.
int terminal_width(std::FILE* stream);
bool is_terminal(std::FILE* stream);
bool speaks_utf8();  // by the locale's environment variables

// Columns a UTF-8 text takes, one per character.
std::size_t columns(const std::string& text);
// Padded with spaces on the right to a width.
std::string padded(const std::string& text, std::size_t width);
// Cut to a width, with an ellipsis where something is missing.
std::string shortened(const std::string& text, std::size_t width);
// Words filled into lines of at most `width` columns, every line but the first indented.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

std::string byte_count(std::uint64_t bytes);  // "1.2 MB"
std::string duration_text(double seconds);    // "0:07", "1:02:03"
std::string rate_text(double per_second);     // "12.3k"

std::shared_ptr<CLI::Formatter> help_formatter();

}  // namespace vinci
