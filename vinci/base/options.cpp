// SPDX-License-Identifier: Apache-2.0
// Checking, reading and writing of options, and the suggestion of near names.
#include "vinci/base/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/base/expression.h"

namespace vinci {

namespace {

// Enumerators in the order of OptionValue's alternatives.
enum class Kind : std::size_t { real, integer, flag, text };

Kind kind_of(const OptionValue& value) {
  return static_cast<Kind>(value.index());
}

[[noreturn]] void refuse(const OptionSpec& spec, const std::string& wrong) {
  throw Error(wrong + "; accepted: " + accepted(spec), spec.name);
}

// A number given as the other kind of number where nothing is lost by it.
OptionValue converted(const OptionSpec& spec, const OptionValue& value) {
  const Kind wanted = kind_of(spec.fallback), given = kind_of(value);
  if (wanted == given) return value;
  if (wanted == Kind::real && given == Kind::integer)
    return static_cast<double>(std::get<long>(value));
  if (wanted == Kind::integer && given == Kind::real) {
    const double number = std::get<double>(value);
    constexpr double exact = 9007199254740992.0;  // 2⁵³: integers are exact up to here
    if (std::abs(number) <= exact && std::trunc(number) == number) return static_cast<long>(number);
  }
  refuse(spec, "'" + to_string(value) + "' is of the wrong kind");
}

void check_range(const OptionSpec& spec, const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    if (!std::isfinite(*number)) refuse(spec, to_string(value) + " is not finite");
    if (*number < spec.lower || *number > spec.upper)
      refuse(spec, to_string(value) + " is out of range");
  } else if (const auto* integer = std::get_if<long>(&value)) {
    const auto size = static_cast<double>(*integer);
    if (size < spec.lower || size > spec.upper) refuse(spec, to_string(value) + " is out of range");
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    if (spec.choices.empty() ||
        std::find(spec.choices.begin(), spec.choices.end(), *text) != spec.choices.end())
      return;
    const std::string guess = nearest(*text, spec.choices);
    refuse(spec, "unknown value '" + *text + "'" +
                     (guess.empty() ? "" : " (did you mean '" + guess + "'?)"));
  }
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

double read_real(const OptionSpec& spec, std::string_view text) {
  try {
    return Expression::parse(text, {}).value({});
  } catch (const Error& error) {
    // The expression's own "accepted" part speaks of syntax; the option's replaces it.
    refuse(spec, error.message().substr(0, error.message().find("; accepted: ")));
  }
}

long read_integer(const OptionSpec& spec, std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const std::string_view digits = text.substr(plus ? 1 : 0);
  long value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec == std::errc::result_out_of_range)
    refuse(spec, "'" + std::string(text) + "' is out of range");
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size())
    refuse(spec, "'" + std::string(text) + "' is not an integer");
  return value;
}

bool read_flag(const OptionSpec& spec, std::string_view text) {
  for (const std::string_view yes : {"true", "yes", "on"})
    if (text == yes) return true;
  for (const std::string_view no : {"false", "no", "off"})
    if (text == no) return false;
  refuse(spec, "'" + std::string(text) + "' is neither true nor false");
}

template <class T>
const T& typed(const OptionValue& value, const std::string& name, const char* kind) {
  if (const T* held = std::get_if<T>(&value)) return *held;
  throw Error(std::string("the option is not ") + kind, name);
}

// Bytes of the UTF-8 character that starts at `i`, 0 if it is malformed [RFC 3629].
std::size_t character_size(const std::string& text, std::size_t i) {
  auto byte = [&](std::size_t k) {
    return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u;
  };
  const unsigned lead = byte(0), next = byte(1);
  const std::size_t size = lead < 0x80                   ? 1
                           : lead >= 0xc2 && lead < 0xe0 ? 2
                           : lead >= 0xe0 && lead < 0xf0 ? 3
                           : lead >= 0xf0 && lead < 0xf5 ? 4
                                                         : 0;
  for (std::size_t k = 1; k < size; ++k)
    if (byte(k) < 0x80 || byte(k) > 0xbf) return 0;
  const bool overlong = (lead == 0xe0 && next < 0xa0) || (lead == 0xf0 && next < 0x90);
  const bool surrogate = lead == 0xed && next > 0x9f;
  const bool too_large = lead == 0xf4 && next > 0x8f;
  return overlong || surrogate || too_large ? 0 : size;
}

// A JSON string; bytes that are not UTF-8 become U+FFFD.
std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = character_size(text, i);
    const char c = text[i];
    if (size == 0)
      result += "\\ufffd";
    else if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (size == 1 && static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += text.substr(i, size);
    i += std::max<std::size_t>(size, 1);
  }
  return result + "\"";
}

std::string json(const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.17g}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return json_string(*text);
  return to_string(value);
}

// Letters without case, one separator: what a hurried writer confuses costs nothing.
std::string plain(const std::string& word) {
  std::string result = word;
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_' || c == ' ') c = '-';
  }
  return result;
}

// Insertions, deletions, substitutions and swaps of neighbours that turn a into b, no part edited
// twice (optimal string alignment) [Damerau 1964].
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

const OptionSpec* OptionTable::find(const std::string& name) const {
  for (const OptionSpec& spec : specs_)
    if (spec.name == name) return &spec;
  return nullptr;
}

OptionValues::OptionValues(OptionTable table) : table_(std::move(table)) {
  values_.reserve(table_.specs().size());
  for (const OptionSpec& spec : table_.specs()) {
    check_range(spec, spec.fallback);
    values_.push_back(spec.fallback);
  }
  given_.assign(values_.size(), false);
}

std::size_t OptionValues::index(const std::string& name) const {
  if (const OptionSpec* spec = table_.find(name))
    return static_cast<std::size_t>(spec - table_.specs().data());
  std::vector<std::string> names;
  for (const OptionSpec& spec : table_.specs()) names.push_back(spec.name);
  const std::string guess = nearest(name, names);
  const std::string known =
      names.empty() ? "no options" : fmt::format("{}", fmt::join(names, ", "));
  throw Error("unknown option" + (guess.empty() ? "" : " (did you mean '" + guess + "'?)") +
                  "; accepted: " + known,
              name);
}

void OptionValues::set(const std::string& name, const OptionValue& value) {
  const std::size_t i = index(name);
  const OptionSpec& spec = table_.specs()[i];
  OptionValue checked = converted(spec, value);
  check_range(spec, checked);
  values_[i] = std::move(checked);
  given_[i] = true;
}

bool OptionValues::is_given(const std::string& name) const {
  return given_[index(name)];
}

void OptionValues::set_text(const std::string& name, const std::string& text) {
  const OptionSpec& spec = table_.specs()[index(name)];
  const std::string_view body = trimmed(text);
  switch (kind_of(spec.fallback)) {
    case Kind::real:
      return set(name, read_real(spec, body));
    case Kind::integer:
      return set(name, read_integer(spec, body));
    case Kind::flag:
      return set(name, read_flag(spec, body));
    case Kind::text:
      return set(name, text);
  }
}

double OptionValues::real(const std::string& name) const {
  return typed<double>(value(name), name, "a number");
}

long OptionValues::integer(const std::string& name) const {
  return typed<long>(value(name), name, "an integer");
}

bool OptionValues::flag(const std::string& name) const {
  return typed<bool>(value(name), name, "a flag");
}

const std::string& OptionValues::text(const std::string& name) const {
  return typed<std::string>(value(name), name, "a text");
}

const OptionValue& OptionValues::value(const std::string& name) const {
  return values_[index(name)];
}

std::string OptionValues::to_json() const {
  std::string result = "{";
  for (std::size_t i = 0; i < values_.size(); ++i)
    result += (i == 0 ? "" : ", ") + json_string(table_.specs()[i].name) + ": " + json(values_[i]);
  return result + "}";
}

std::string accepted(const OptionSpec& spec) {
  const Kind kind = kind_of(spec.fallback);
  if (kind == Kind::flag) return "true or false";
  if (kind == Kind::text) {
    if (spec.choices.empty()) return "a text";
    std::string list;
    for (std::size_t i = 0; i < spec.choices.size(); ++i) {
      const bool last = i + 1 == spec.choices.size();
      list += (i == 0 ? "" : last ? " or " : ", ") + ("'" + spec.choices[i] + "'");
    }
    return (spec.choices.size() > 1 ? "one of " : "") + list;
  }
  const bool below = std::isfinite(spec.lower), above = std::isfinite(spec.upper);
  std::string range = kind == Kind::integer ? "an integer" : "a number";
  if (below && above) range += fmt::format(" from {} to {}", spec.lower, spec.upper);
  if (below && !above) range += fmt::format(" of at least {}", spec.lower);
  if (!below && above) range += fmt::format(" of at most {}", spec.upper);
  if (spec.unit.empty()) return range;
  return range + (below || above ? " " : " in ") + spec.unit;
}

std::string to_string(const OptionValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>)
          return held;
        else
          return fmt::format("{}", held);
      },
      value);
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest_word = 64;  // bounds the work on hostile input
  if (word.size() > longest_word) return {};
  const std::string wanted = plain(word);
  std::string best;
  std::size_t least = longest_word;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest_word) continue;
    const std::size_t length = std::max(word.size(), candidate.size());
    const std::size_t allowed = length < 5 ? 1 : std::max<std::size_t>(2, length / 3);
    const std::size_t distance = edit_distance(wanted, plain(candidate));
    // Words that share no letter are not near, however short.
    if (distance > allowed || distance >= length || distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace vinci
