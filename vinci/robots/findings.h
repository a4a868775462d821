// SPDX-License-Identifier: Apache-2.0
// What a reader finds besides the robot: mistakes, warnings and what it leaves out; and the reading
// of attributes, with what is accepted. Private to robots/.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vinci/robots/robot_file.h"
#include "vinci/robots/xml_tree.h"

namespace vinci {

// Too many mistakes to go on; caught where reading begins.
struct TooManyRobotMistakes {};

class Findings {
 public:
  explicit Findings(RobotDescription& robot) : robot_(robot) {}

  void mistake(const RobotPlace& place, std::string message);
  void warning(const RobotPlace& place, std::string message);
  void leave_out(const RobotPlace& place, const std::string& what);
  bool none() const { return mistakes_.empty(); }
  std::size_t count() const { return mistakes_.size(); }
  std::vector<RobotMistake> take();  // in the order of files and lines

 private:
  RobotDescription& robot_;
  std::vector<std::pair<RobotPlace, std::string>> mistakes_;
};

// `text` as it may stand in a message: in quotes, shortened, without control characters.
std::string quote(std::string_view text);
// "a, b, c", cut where it grows long.
std::string listed_names(const std::vector<std::string>& names);
// A finite number, without anything after it.
std::optional<double> number_in(std::string_view text);

// Reads the attributes, or the texts, of elements. What is missing or wrong becomes a mistake, and
// the value is the default.
class ElementReader {
 public:
  explicit ElementReader(Findings& findings) : findings_(findings) {}

  // Leaves out, by name, attributes and children that are not listed.
  void expect(const XmlElement& element, std::initializer_list<std::string_view> attributes,
              std::initializer_list<std::string_view> children) const;

  // A name: not empty, not too long, without control characters. "" if it is none.
  std::string name(const XmlElement& element, std::string_view attribute = "name") const;
  // The same if it is there.
  std::string optional_name(const XmlElement& element, std::string_view attribute = "name") const;

  struct Bounds {
    double least = -infinity;
    bool above = false;  // the least itself is refused
    const char* text = "a finite number";
  };
  static constexpr Bounds any() { return {}; }
  static constexpr Bounds positive() { return {0.0, true, "a number above 0"}; }
  static constexpr Bounds not_negative() { return {0.0, false, "0 or a number above it"}; }

  double number(const XmlElement& element, std::string_view attribute, double otherwise,
                const Bounds& bounds = any()) const;
  double required(const XmlElement& element, std::string_view attribute,
                  const Bounds& bounds = any()) const;
  Vector3 vector(const XmlElement& element, std::string_view attribute,
                 const Vector3& otherwise) const;
  Vector3 required_vector(const XmlElement& element, std::string_view attribute,
                          const Bounds& bounds = any()) const;
  // Numbers of a list; nothing if one is wrong or their count is not within the bounds.
  std::optional<std::vector<double>> list(const XmlElement& element, std::string_view attribute,
                                          std::size_t least, std::size_t most) const;
  std::optional<std::vector<double>> list_of(const RobotPlace& place, const std::string& what,
                                             std::string_view text, std::size_t least,
                                             std::size_t most) const;
  bool flag(const XmlElement& element, std::string_view attribute, bool otherwise) const;
  // One of some words; the first of them otherwise.
  std::size_t choice(const XmlElement& element, std::string_view attribute,
                     std::initializer_list<std::string_view> words, std::size_t otherwise) const;

  // The same of the text of an element, as SDF has it.
  double text_number(const XmlElement& element, const Bounds& bounds = any()) const;
  double child_number(const XmlElement& parent, std::string_view child, double otherwise,
                      const Bounds& bounds = any()) const;
  double required_child(const XmlElement& parent, std::string_view child,
                        const Bounds& bounds = any()) const;
  std::optional<Vector3> child_vector(const XmlElement& parent, std::string_view child,
                                      const Bounds& bounds = any()) const;
  bool child_flag(const XmlElement& parent, std::string_view child, bool otherwise) const;

  void mistake(const RobotPlace& place, std::string message) const {
    findings_.mistake(place, std::move(message));
  }
  Findings& findings() const { return findings_; }

 private:
  double checked(const RobotPlace& place, const std::string& what, std::string_view text,
                 double otherwise, const Bounds& bounds) const;

  Findings& findings_;
};

// "<joint>" and "attribute 'xyz' of <origin>", for messages.
std::string tag(const XmlElement& element);
RobotPlace place_of(const XmlElement& element, const XmlAttribute& attribute);

}  // namespace vinci
