// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/condition.h"

#include <cctype>
#include <optional>

#include "vinci/base/error.h"
#include "vinci/base/words.h"

namespace vinci {

class ConditionParser {
 public:
  using Op = Condition::Op;

  explicit ConditionParser(std::string_view text) : text_(text) { out_.text_ = text; }

  Condition parse() {
    if (text_.size() > Condition::longest_text) throw Error("the condition is too long");
    any();
    skip();
    if (at_ < text_.size()) refuse("')' without '('");
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw Error(message +
                "; accepted: comparisons (< <= > >= == !=) joined by 'and', 'or' and 'not'");
  }

  static bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  bool word_stands(std::size_t at, std::string_view word) const {
    return text_.substr(at, word.size()) == word && (at == 0 || !is_letter(text_[at - 1])) &&
           (at + word.size() >= text_.size() || !is_letter(text_[at + word.size()]));
  }

  bool take(std::string_view word) {
    skip();
    if (!word_stands(at_, word)) return false;
    at_ += word.size();
    return true;
  }

  void any() {
    if (++depth_ > Condition::deepest_nesting) throw Error("the condition nests too deep");
    all();
    while (take("or")) {
      all();
      out_.steps_.push_back({Op::either});
    }
    --depth_;
  }

  void all() {
    single();
    while (take("and")) {
      single();
      out_.steps_.push_back({Op::both});
    }
  }

  void single() {
    bool negated = false;
    while (take("not")) negated = !negated;
    if (opens_group()) {
      ++at_;
      any();
      skip();
      if (at_ >= text_.size() || text_[at_] != ')') refuse("'(' without ')'");
      ++at_;
    } else {
      comparison();
    }
    if (negated) out_.steps_.push_back({Op::negate});
  }

  // A parenthesis around a condition, not around a part of what is compared: nothing but the end of
  // a condition follows it.
  bool opens_group() {
    skip();
    if (at_ >= text_.size() || text_[at_] != '(') return false;
    std::size_t end = at_;
    for (int open = 0; end < text_.size(); ++end) {
      if (text_[end] == '(') ++open;
      if (text_[end] == ')' && --open == 0) break;
    }
    if (end == text_.size()) refuse("'(' without ')'");
    do ++end;
    while (end < text_.size() && std::isspace(static_cast<unsigned char>(text_[end])));
    return end == text_.size() || text_[end] == ')' || word_stands(end, "and") ||
           word_stands(end, "or");
  }

  std::optional<Op> comparison_at(std::size_t at, std::size_t& length) const {
    const char c = text_[at];
    const bool wide = at + 1 < text_.size() && text_[at + 1] == '=';
    length = wide ? 2 : 1;
    if (c == '<') return wide ? Op::at_most : Op::less;
    if (c == '>') return wide ? Op::at_least : Op::more;
    if (c == '=' && wide) return Op::same;
    if (c == '!' && wide) return Op::other;
    return std::nullopt;
  }

  unsigned side() {
    skip();
    const std::size_t begin = at_;
    int open = 0;
    std::size_t length = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '(') ++open;
      if (c == ')' && --open < 0) break;
      if (open == 0 && (comparison_at(at_, length) || word_stands(at_, "and") ||
                        word_stands(at_, "or") || word_stands(at_, "not")))
        break;
    }
    std::size_t end = at_;
    while (end > begin && std::isspace(static_cast<unsigned char>(text_[end - 1]))) --end;
    if (end == begin) refuse("a comparison lacks a side");
    out_.sides_.emplace_back(text_.substr(begin, end - begin));
    return static_cast<unsigned>(out_.sides_.size() - 1);
  }

  void comparison() {
    unsigned left = side();
    int count = 0;
    std::size_t length = 0;
    while (at_ < text_.size()) {
      const std::optional<Op> op = comparison_at(at_, length);
      if (!op) break;
      at_ += length;
      const unsigned right = side();
      out_.steps_.push_back({*op, left, right});
      if (++count > 1) out_.steps_.push_back({Op::both});
      left = right;
    }
    if (count == 0) refuse("'" + escaped(out_.sides_.back()) + "' is no comparison");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Condition out_;
};

Condition Condition::parse(std::string_view text) {
  return ConditionParser(text).parse();
}

bool Condition::holds(std::span<const double> sides) const {
  std::vector<bool> stack;
  for (const Step& step : steps_) {
    if (step.op >= Op::both) {
      const bool last = stack.back();
      stack.pop_back();
      if (step.op == Op::negate)
        stack.push_back(!last);
      else
        stack.back() = step.op == Op::both ? stack.back() && last : stack.back() || last;
      continue;
    }
    const double a = sides[step.a], b = sides[step.b];
    const bool ordered = a == a && b == b;
    const bool holds = step.op == Op::less       ? a < b
                       : step.op == Op::at_most  ? a <= b
                       : step.op == Op::more     ? a > b
                       : step.op == Op::at_least ? a >= b
                       : step.op == Op::same     ? a == b
                                                 : a != b;
    stack.push_back(ordered && holds);
  }
  return stack.back();
}

}  // namespace vinci
