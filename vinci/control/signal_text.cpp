// SPDX-License-Identifier: Apache-2.0
// Names with points and hyphens become variables of the same length.
#include "vinci/control/signal_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/base/expression.h"
#include "vinci/base/options.h"
#include "vinci/base/words.h"

namespace vinci {
namespace {

constexpr std::size_t longest_name = 256;
constexpr std::size_t most_listed = 24;

bool is_figure(char c) {
  return c >= '0' && c <= '9';
}
bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_of_word(char c) {
  return begins_word(c) || is_figure(c);
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_unit(const std::string& word) {
  const auto all = units();
  return std::any_of(all.begin(), all.end(), [&](const Unit& unit) { return unit.name == word; });
}

class TextReader {
 public:
  TextReader(const std::string& text, const std::function<bool(const std::string&)>& is_known,
             const std::vector<std::string>& near)
      : text_(text), is_known_(is_known), near_(near) {}

  SignalText read() {
    while (at_ < text_.size()) {
      if (is_figure(text_[at_]) || text_[at_] == '.') {
        take_number();
      } else if (begins_word(text_[at_])) {
        take_name();
      } else {
        result_.text += text_[at_++];
      }
    }
    return std::move(result_);
  }

 private:
  void take(std::size_t end) {
    result_.text += text_.substr(at_, end - at_);
    at_ = end;
  }
  template <class Is>
  std::size_t end_of(std::size_t from, Is is) const {
    while (from < text_.size() && is(text_[from])) ++from;
    return from;
  }

  // With its exponent and the unit behind it.
  void take_number() {
    std::size_t end = end_of(at_, [](char c) { return is_figure(c) || c == '.'; });
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      std::size_t next = end + 1;
      if (next < text_.size() && (text_[next] == '+' || text_[next] == '-')) ++next;
      if (next < text_.size() && is_figure(text_[next])) end = end_of(next, is_figure);
    }
    take(end);
    const std::size_t first = end_of(at_, is_space), last = end_of(first, is_of_word);
    if (is_unit(text_.substr(first, last - first))) take(last);
  }

  void take_name() {
    const std::size_t most =
        std::min(end_of(at_, [](char c) { return is_of_word(c) || c == '.' || c == '-'; }),
                 at_ + longest_name);
    for (std::size_t end = most; end > at_; --end) {
      if (!is_of_word(text_[end - 1]) || (end < text_.size() && is_of_word(text_[end]))) continue;
      const std::string name = text_.substr(at_, end - at_);
      if (!is_known_(name)) continue;
      result_.text += variable(name);
      at_ = end;
      return;
    }
    const std::size_t end = end_of(at_, is_of_word);
    const std::size_t next = end_of(end, is_space);
    const bool is_call = next < text_.size() && text_[next] == '(';
    if (text_.substr(at_, end - at_) == "pi" || is_call) return take(end);
    fail_at_unknown();
  }

  const std::string& variable(const std::string& name) {
    for (const SignalText::Name& known : result_.names)
      if (known.name == name) return known.variable;
    std::string variable = name;
    for (char& c : variable)
      if (!is_of_word(c) || static_cast<unsigned char>(c) >= 0x80) c = '_';
    const auto is_taken = [&] {
      return !is_variable_name(variable) ||
             std::any_of(result_.names.begin(), result_.names.end(),
                         [&](const SignalText::Name& other) { return other.variable == variable; });
    };
    while (is_taken()) variable += '_';
    return result_.names.emplace_back(SignalText::Name{name, variable}).variable;
  }

  [[noreturn]] void fail_at_unknown() const {
    const std::size_t end = end_of(at_, [](char c) { return is_of_word(c) || c == '.'; });
    throw Error(
        unknown_name("signal, coordinate or parameter", text_.substr(at_, end - at_), near_));
  }

  const std::string& text_;
  const std::function<bool(const std::string&)>& is_known_;
  const std::vector<std::string>& near_;
  std::size_t at_ = 0;
  SignalText result_;
};

}  // namespace

std::string unknown_name(const std::string& what, const std::string& name,
                         const std::vector<std::string>& known) {
  std::string list;
  for (std::size_t i = 0; i < std::min(known.size(), most_listed); ++i)
    list += (i == 0 ? "" : ", ") + known[i];
  if (known.size() > most_listed) list += ", ...";
  const std::string guess = nearest(name, known);
  return fmt::format("there is no {} '{}'{}; accepted: {}", what, escaped(name),
                     guess.empty() ? "" : " (did you mean '" + guess + "'?)",
                     known.empty() ? "none" : list);
}

SignalText read_signal_text(const std::string& text,
                            const std::function<bool(const std::string&)>& is_known,
                            const std::vector<std::string>& near) {
  if (text.size() > Expression::longest_text)
    throw Error(fmt::format("an expression of {} characters; accepted: at most {}", text.size(),
                            Expression::longest_text));
  return TextReader(text, is_known, near).read();
}

}  // namespace vinci
