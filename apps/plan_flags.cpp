// SPDX-License-Identifier: Apache-2.0
#include "apps/plan_flags.h"

#include <fmt/format.h>

#include "vinci/base/expression.h"

namespace vinci {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// Cut at commas outside of parentheses.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

CoordinateRange range_of(const std::string& text, const PlanNumbers& numbers,
                         const std::string& flag) {
  CoordinateRange range;
  const auto dots = text.find("..");
  const std::string lower = trimmed(text.substr(0, dots));
  const std::string upper = dots == std::string::npos ? lower : trimmed(text.substr(dots + 2));
  if (!lower.empty()) range.lower = numbers(lower, flag);
  if (!upper.empty()) range.upper = numbers(upper, flag);
  return range;
}

}  // namespace

PlanNumbers::PlanNumbers(const Model& model) {
  for (const auto& [name, value] : model.parameters) {
    names_.push_back(name);
    values_.push_back(value);
  }
}

double PlanNumbers::operator()(const std::string& text, const std::string& flag) const {
  try {
    const double value = Expression::parse(text, names_).value(values_);
    if (std::isfinite(value)) return value;
  } catch (const Error& error) {
    throw Error(fmt::format("'{}': {}", text, error.message()), flag);
  }
  throw Error(fmt::format("'{}' is not finite", text), flag);
}

Assignments assignments(const std::string& text, const std::string& flag, const std::string& form) {
  Assignments pairs;
  for (const std::string& part : parts_of(text)) {
    const auto equals = part.find('=');
    const std::string name = trimmed(part.substr(0, equals));
    const std::string value = equals == std::string::npos ? "" : trimmed(part.substr(equals + 1));
    if (name.empty() || value.empty())
      throw Error(fmt::format("'{}' is not of the form {}", part, form), flag);
    pairs.emplace_back(name, value);
  }
  return pairs;
}

std::vector<std::string> names_in(const std::vector<std::string>& texts, const std::string& flag) {
  std::vector<std::string> names;
  for (const std::string& text : texts)
    for (const std::string& part : parts_of(text)) {
      if (trimmed(part).empty())
        throw Error(fmt::format("'{}' is no list of names; accepted: 'elbow, wrist'", text), flag);
      names.push_back(trimmed(part));
    }
  return names;
}

std::map<std::string, CoordinateRange> plan_ranges(const std::vector<std::string>& texts,
                                                   const PlanNumbers& numbers,
                                                   const std::string& flag) {
  std::map<std::string, CoordinateRange> ranges;
  for (const std::string& text : texts)
    for (const auto& [name, value] : assignments(text, flag, "coordinate=lower..upper"))
      if (!ranges.emplace(name, range_of(value, numbers, flag + " " + name)).second)
        throw Error(fmt::format("'{}' is given twice", name), flag);
  return ranges;
}

std::string recording_of(const PlanFlags& flags, std::size_t index) {
  if (flags.starts.size() < 2) return flags.output;
  const std::filesystem::path path(flags.output);
  const std::string name =
      fmt::format("{}-{}{}", path.stem().string(), index + 1, path.extension().string());
  return (path.parent_path() / name).string();
}

}  // namespace vinci
