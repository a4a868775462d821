// SPDX-License-Identifier: Apache-2.0
#include "vinci/robots/xml_tree.h"

#include <algorithm>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "vinci/robots/findings.h"

namespace vinci {

const XmlAttribute* XmlElement::attribute(std::string_view wanted) const {
  for (const XmlAttribute& candidate : attributes)
    if (candidate.name == wanted) return &candidate;
  return nullptr;
}

const std::string* XmlElement::value(std::string_view wanted) const {
  const XmlAttribute* found = attribute(wanted);
  return found ? &found->value : nullptr;
}

const XmlElement* XmlElement::child(std::string_view wanted) const {
  for (const XmlElement& candidate : children)
    if (candidate.name == wanted) return &candidate;
  return nullptr;
}

namespace {

std::string trimmed(const std::string& text) {
  constexpr const char* spaces = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// What tinyxml2 has to say, in our words.
std::string syntax_problem(const tinyxml2::XMLDocument& document) {
  switch (document.ErrorID()) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "the file is empty; accepted: an XML document";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "an element is not closed, or closed by another name; accepted: <a>...</a> or <a/>";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return fmt::format("elements nest deeper than {} levels", max_robot_depth);
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "an attribute cannot be read, or is given twice; accepted: name=\"value\"";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "a comment has no end; accepted: <!-- ... -->";
    case tinyxml2::XML_ERROR_PARSING_CDATA:
      return "a section of characters has no end; accepted: <![CDATA[ ... ]]>";
    case tinyxml2::XML_ERROR_PARSING_DECLARATION:
      return "a declaration is not at the beginning, or has no end; accepted: <?xml "
             "version=\"1.0\"?> in the first line";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      return "a text has no end; accepted: an XML document";
    default:
      return "this is no XML; accepted: an XML document";
  }
}

class TreeBuilder {
 public:
  TreeBuilder(int file, Findings& findings) : file_(file), findings_(findings) {}

  bool build(const tinyxml2::XMLElement& from, int depth, XmlElement& to) {
    to.place = {file_, from.GetLineNum()};
    if (depth > max_robot_depth)
      return fail(to.place, fmt::format("elements nest deeper than {} levels", max_robot_depth));
    to.name = from.Name();
    if (to.name.size() > max_robot_name)
      return fail(to.place, "the name of an element is too long");
    for (const tinyxml2::XMLAttribute* a = from.FirstAttribute(); a; a = a->Next())
      if (!add_attribute(*a, to)) return false;
    for (const tinyxml2::XMLNode* node = from.FirstChild(); node; node = node->NextSibling()) {
      if (const tinyxml2::XMLElement* element = node->ToElement()) {
        to.children.emplace_back();
        if (!build(*element, depth + 1, to.children.back())) return false;
      } else if (const tinyxml2::XMLText* text = node->ToText()) {
        to.text += text->Value();
        if (to.text.size() > max_robot_value) return too_long(to.place);
      } else if (node->ToUnknown()) {
        return fail({file_, node->GetLineNum()}, "document types are not read; accepted: elements");
      }
    }
    to.text = trimmed(to.text);
    return true;
  }

 private:
  bool add_attribute(const tinyxml2::XMLAttribute& from, XmlElement& to) {
    const RobotPlace place{file_, from.GetLineNum()};
    if (to.attributes.size() >= 256) return fail(place, "an element of more than 256 attributes");
    XmlAttribute attribute{from.Name(), from.Value(), from.GetLineNum()};
    if (attribute.name.size() > max_robot_name || attribute.value.size() > max_robot_value)
      return too_long(place);
    if (to.attribute(attribute.name))
      findings_.mistake(place, fmt::format("the attribute {} of {} is given twice",
                                           quote(attribute.name), tag(to)));
    else
      to.attributes.push_back(std::move(attribute));
    return true;
  }
  bool too_long(const RobotPlace& place) {
    return fail(place, fmt::format("a text of more than {} characters", max_robot_value));
  }
  bool fail(const RobotPlace& place, std::string message) {
    findings_.mistake(place, std::move(message));
    return false;
  }

  int file_;
  Findings& findings_;
};

}  // namespace

XmlElement read_xml(std::string_view text, int file, Findings& findings) {
  const auto fail = [&](int line, std::string message) {
    findings.mistake({file, line}, std::move(message));
    return XmlElement{};
  };
  if (text.size() > max_robot_bytes)
    return fail(0, fmt::format("the file has {} bytes; at most {} MiB are accepted", text.size(),
                               max_robot_bytes >> 20));
  if (text.find('\0') != std::string_view::npos)
    return fail(0, "this is no text; accepted: an XML document in UTF-8");
  // Counted before anything is built: a node takes many times its text.
  const auto count = [&](char c) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
  };
  if (count('<') > 4 * max_robot_elements || count('=') > 8 * max_robot_elements)
    return fail(0, fmt::format("more than {} elements", max_robot_elements));
  // A document type may stand between the declaration and the first element only.
  if (const std::size_t at = text.find("<!DOCTYPE"); at != std::string_view::npos)
    return fail(
        1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n')),
        "document types and entities are not read; accepted: XML without <!DOCTYPE>");
  tinyxml2::XMLDocument document;
  document.Parse(text.data(), text.size());
  if (document.Error()) return fail(document.ErrorLineNum(), syntax_problem(document));
  for (const tinyxml2::XMLNode* node = document.FirstChild(); node; node = node->NextSibling())
    if (node->ToUnknown())
      return fail(node->GetLineNum(), "document types are not read; accepted: elements");
  const tinyxml2::XMLElement* root = document.RootElement();
  if (!root) return fail(0, "there is no element; accepted: an XML document");
  if (const tinyxml2::XMLElement* second = root->NextSiblingElement())
    return fail(second->GetLineNum(), "a second document begins here; accepted: one root element");
  XmlElement tree;
  if (!TreeBuilder(file, findings).build(*root, 1, tree)) return {};
  return tree;
}

}  // namespace vinci
