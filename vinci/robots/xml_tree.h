// SPDX-License-Identifier: Apache-2.0
// An XML document as a tree whose elements and attributes know their lines; the one door to
// tinyxml2. Document types, and with them entities, are refused; size, depth and counts are capped,
// so that hostile text ends soon and in bounded memory. Private to robots/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vinci/robots/description.h"

namespace vinci {

struct XmlAttribute {
  std::string name, value;
  int line = 0;
};

struct XmlElement {
  std::string name, text;  // text without spaces at its ends
  RobotPlace place;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;

  const XmlAttribute* attribute(std::string_view wanted) const;  // nullptr if there is none
  const std::string* value(std::string_view wanted) const;       // of an attribute
  const XmlElement* child(std::string_view wanted) const;        // the first
};

class Findings;

// The root element; nothing usable (an empty name) if a mistake was found.
XmlElement read_xml(std::string_view text, int file, Findings& findings);

}  // namespace vinci
