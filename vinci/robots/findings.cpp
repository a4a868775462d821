// SPDX-License-Identifier: Apache-2.0
#include "vinci/robots/findings.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

#include "vinci/base/words.h"

namespace vinci {

namespace {
constexpr std::size_t most_robot_mistakes = 100;
constexpr std::size_t most_remarks = 1000;
constexpr std::string_view spaces = " \t\r\n\v\f";
}  // namespace

void Findings::mistake(const RobotPlace& place, std::string message) {
  if (mistakes_.size() >= most_robot_mistakes) {
    mistakes_.emplace_back(place, "more mistakes follow");
    throw TooManyRobotMistakes{};
  }
  mistakes_.emplace_back(place, std::move(message));
}

void Findings::warning(const RobotPlace& place, std::string message) {
  if (robot_.warnings.size() < most_remarks) robot_.warnings.push_back({place, std::move(message)});
}

void Findings::leave_out(const RobotPlace& place, const std::string& what) {
  for (RobotDescription::Remark& remark : robot_.left_out) {
    if (remark.text != what) continue;
    ++remark.count;
    return;
  }
  if (robot_.left_out.size() < most_remarks) robot_.left_out.push_back({place, what});
}

std::vector<RobotMistake> Findings::take() {
  std::stable_sort(mistakes_.begin(), mistakes_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.file, a.first.line) < std::tie(b.first.file, b.first.line);
  });
  std::vector<RobotMistake> result;
  for (auto& [place, message] : mistakes_) {
    const std::string file =
        robot_.files.empty() ? "robot" : robot_.files[static_cast<std::size_t>(place.file)];
    result.push_back({file, place.line, std::move(message)});
  }
  mistakes_.clear();
  return result;
}

std::string quote(std::string_view text) {
  constexpr std::size_t most = 60;
  if (text.size() <= most) return "'" + escaped(text) + "'";
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return "'" + escaped(text.substr(0, end)) + "...'";
}

std::string listed_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + quote(names[i]);
  if (names.empty()) return "none";
  return names.size() > most ? text + ", ..." : text;
}

std::optional<double> number_in(std::string_view text) {
  while (!text.empty() && spaces.find(text.front()) != std::string_view::npos)
    text.remove_prefix(1);
  while (!text.empty() && spaces.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return {};
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return {};
  // What is too small for a number is 0; what is too large is none.
  if (error == std::errc::result_out_of_range) {
    const std::size_t exponent = text.find_first_of("eE");
    if (exponent != std::string_view::npos && exponent + 1 < text.size() &&
        text[exponent + 1] == '-')
      return 0.0;
    return {};
  }
  if (error != std::errc() || !std::isfinite(value)) return {};
  return value;
}

std::string tag(const XmlElement& element) {
  return "<" + escaped(std::string_view(element.name).substr(0, 60)) + ">";
}

RobotPlace place_of(const XmlElement& element, const XmlAttribute& attribute) {
  return {element.place.file, attribute.line};
}

void ElementReader::expect(const XmlElement& element,
                           std::initializer_list<std::string_view> attributes,
                           std::initializer_list<std::string_view> children) const {
  const auto is_in = [](std::initializer_list<std::string_view> list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  for (const XmlAttribute& attribute : element.attributes) {
    if (is_in(attributes, attribute.name) || attribute.name.rfind("xmlns", 0) == 0) continue;
    findings_.leave_out(place_of(element, attribute),
                        fmt::format("attribute {} of {}", quote(attribute.name), tag(element)));
  }
  for (const XmlElement& child : element.children)
    if (!is_in(children, child.name))
      findings_.leave_out(child.place, fmt::format("{} in {}", tag(child), tag(element)));
}

namespace {
std::string what_is(std::string_view attribute, const XmlElement& element) {
  return fmt::format("{} of {}", attribute, tag(element));
}
}  // namespace

std::string ElementReader::name(const XmlElement& element, std::string_view attribute) const {
  if (!element.value(attribute)) {
    mistake(element.place,
            fmt::format("{} has no {}; accepted: {}=\"...\"", tag(element), attribute, attribute));
    return "";
  }
  return optional_name(element, attribute);
}

std::string ElementReader::optional_name(const XmlElement& element,
                                         std::string_view attribute) const {
  const XmlAttribute* found = element.attribute(attribute);
  if (!found) return "";
  const std::string& text = found->value;
  std::string problem;
  if (text.empty())
    problem = "is empty";
  else if (text.size() > max_robot_name)
    problem = fmt::format("has {} characters", text.size());
  else if (escaped(text) != text)
    problem = "has control characters or is no UTF-8";
  if (problem.empty()) return text;
  mistake(place_of(element, *found),
          fmt::format("{} {}; accepted: 1 to {} printable characters", what_is(attribute, element),
                      problem, max_robot_name));
  return "";
}

double ElementReader::checked(const RobotPlace& place, const std::string& what,
                              std::string_view text, double otherwise, const Bounds& bounds) const {
  const std::optional<double> value = number_in(text);
  if (value && (bounds.above ? *value > bounds.least : *value >= bounds.least)) return *value;
  mistake(place, fmt::format("{} is {}; accepted: {}", what, quote(text), bounds.text));
  return otherwise;
}

double ElementReader::number(const XmlElement& element, std::string_view attribute,
                             double otherwise, const Bounds& bounds) const {
  const XmlAttribute* found = element.attribute(attribute);
  if (!found) return otherwise;
  return checked(place_of(element, *found), what_is(attribute, element), found->value, otherwise,
                 bounds);
}

double ElementReader::required(const XmlElement& element, std::string_view attribute,
                               const Bounds& bounds) const {
  // 1 keeps what follows quiet.
  if (element.attribute(attribute)) return number(element, attribute, 1.0, bounds);
  mistake(element.place,
          fmt::format("{} has no {}; accepted: {}", tag(element), attribute, bounds.text));
  return 1.0;
}

std::optional<std::vector<double>> ElementReader::list_of(const RobotPlace& place,
                                                          const std::string& what,
                                                          std::string_view text, std::size_t least,
                                                          std::size_t most) const {
  std::vector<double> numbers;
  const std::string count =
      least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  std::size_t at = 0;
  while ((at = text.find_first_not_of(spaces, at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(spaces, at), text.size());
    const std::optional<double> value = number_in(text.substr(at, end - at));
    if (!value) {
      mistake(place, fmt::format("{} has {} in it; accepted: {} finite numbers", what,
                                 quote(text.substr(at, end - at)), count));
      return {};
    }
    numbers.push_back(*value);
    at = end;
  }
  if (numbers.size() >= least && numbers.size() <= most) return numbers;
  mistake(place, fmt::format("{} has {}; accepted: {} finite numbers", what,
                             plural(static_cast<std::int64_t>(numbers.size()), "number"), count));
  return {};
}

std::optional<std::vector<double>> ElementReader::list(const XmlElement& element,
                                                       std::string_view attribute,
                                                       std::size_t least, std::size_t most) const {
  const XmlAttribute* found = element.attribute(attribute);
  if (!found) return {};
  return list_of(place_of(element, *found), what_is(attribute, element), found->value, least, most);
}

Vector3 ElementReader::vector(const XmlElement& element, std::string_view attribute,
                              const Vector3& otherwise) const {
  const auto numbers = list(element, attribute, 3, 3);
  return numbers ? Vector3((*numbers)[0], (*numbers)[1], (*numbers)[2]) : otherwise;
}

Vector3 ElementReader::required_vector(const XmlElement& element, std::string_view attribute,
                                       const Bounds& bounds) const {
  if (!element.attribute(attribute)) {
    mistake(element.place,
            fmt::format("{} has no {}; accepted: 3 finite numbers", tag(element), attribute));
    return Vector3::Ones();
  }
  const Vector3 value = vector(element, attribute, Vector3::Ones());
  for (int i = 0; i < 3; ++i) {
    if (bounds.above ? value[i] > bounds.least : value[i] >= bounds.least) continue;
    mistake(place_of(element, *element.attribute(attribute)),
            fmt::format("{} has {:.6g} in it; accepted: each {}", what_is(attribute, element),
                        value[i], bounds.text));
    return Vector3::Ones();
  }
  return value;
}

bool ElementReader::flag(const XmlElement& element, std::string_view attribute,
                         bool otherwise) const {
  const XmlAttribute* found = element.attribute(attribute);
  if (!found) return otherwise;
  if (found->value == "true" || found->value == "1") return true;
  if (found->value == "false" || found->value == "0") return false;
  mistake(place_of(element, *found), fmt::format("{} is {}; accepted: true or false",
                                                 what_is(attribute, element), quote(found->value)));
  return otherwise;
}

std::size_t ElementReader::choice(const XmlElement& element, std::string_view attribute,
                                  std::initializer_list<std::string_view> words,
                                  std::size_t otherwise) const {
  const XmlAttribute* found = element.attribute(attribute);
  if (!found) return otherwise;
  const auto word = std::find(words.begin(), words.end(), found->value);
  if (word != words.end()) return static_cast<std::size_t>(word - words.begin());
  mistake(place_of(element, *found),
          fmt::format("{} is {}; accepted: {}", what_is(attribute, element), quote(found->value),
                      fmt::join(words, ", ")));
  return otherwise;
}

double ElementReader::text_number(const XmlElement& element, const Bounds& bounds) const {
  return checked(element.place, tag(element), element.text, 1.0, bounds);
}

double ElementReader::child_number(const XmlElement& parent, std::string_view child,
                                   double otherwise, const Bounds& bounds) const {
  const XmlElement* found = parent.child(child);
  return found ? checked(found->place, tag(*found), found->text, otherwise, bounds) : otherwise;
}

double ElementReader::required_child(const XmlElement& parent, std::string_view child,
                                     const Bounds& bounds) const {
  if (parent.child(child)) return child_number(parent, child, 1.0, bounds);
  mistake(parent.place,
          fmt::format("{} has no <{}>; accepted: {}", tag(parent), child, bounds.text));
  return 1.0;
}

std::optional<Vector3> ElementReader::child_vector(const XmlElement& parent, std::string_view child,
                                                   const Bounds& bounds) const {
  const XmlElement* found = parent.child(child);
  if (!found) return {};
  const auto numbers = list_of(found->place, tag(*found), found->text, 3, 3);
  if (!numbers) return {};
  for (const double value : *numbers) {
    if (bounds.above ? value > bounds.least : value >= bounds.least) continue;
    mistake(found->place,
            fmt::format("{} has {:.6g} in it; accepted: each {}", tag(*found), value, bounds.text));
    return {};
  }
  return Vector3((*numbers)[0], (*numbers)[1], (*numbers)[2]);
}

bool ElementReader::child_flag(const XmlElement& parent, std::string_view child,
                               bool otherwise) const {
  const XmlElement* found = parent.child(child);
  if (!found) return otherwise;
  if (found->text == "true" || found->text == "1") return true;
  if (found->text == "false" || found->text == "0") return false;
  mistake(found->place,
          fmt::format("{} is {}; accepted: true or false", tag(*found), quote(found->text)));
  return otherwise;
}

}  // namespace vinci
