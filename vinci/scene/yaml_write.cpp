// SPDX-License-Identifier: Apache-2.0
// The tree as YAML text; see yaml_tree.h. Block style, so that lines stay short.
#include <algorithm>

#include <fmt/format.h>

#include "vinci/scene/yaml_tree.h"

namespace vinci {

namespace {

bool is_plain_word(std::string_view text) {
  if (text.empty() || text == "null" || text == "Null" || text == "NULL") return false;
  const auto is_alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  // A leading minus only before a digit: "-" and "---" have meanings of their own.
  const std::size_t start = text[0] == '-' ? 1 : 0;
  if (start == text.size() || !is_alnum(text[start])) return false;
  return std::all_of(text.begin() + static_cast<long>(start), text.end(), [&](char c) {
    return is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '+';
  });
}

void write_scalar(std::string_view text, std::string& out) {
  if (is_plain_word(text)) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  out += '"';
}

// Children that are scalars or short lists of scalars stay on their line.
bool is_inline(const Node& node) {
  if (node.kind == Node::Kind::null || node.is_scalar() || node.children.empty()) return true;
  return node.is_list() && node.children.size() <= 16 &&
         std::all_of(node.children.begin(), node.children.end(),
                     [](const Node& child) { return child.is_scalar(); });
}

void write_inline(const Node& node, std::string& out) {
  if (node.kind == Node::Kind::null) {
    out += "null";
  } else if (node.is_scalar()) {
    write_scalar(node.text, out);
  } else if (node.is_map()) {
    out += "{}";
  } else {
    out += '[';
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) out += ", ";
      write_scalar(node.children[i].text, out);
    }
    out += ']';
  }
}

void write_block(const Node& node, int indent, std::string& out) {
  for (const Node& child : node.children) {
    out.append(static_cast<std::size_t>(indent), ' ');
    if (node.is_map()) {
      write_scalar(child.key, out);
      out += ':';
    } else {
      out += '-';
    }
    if (is_inline(child)) {
      out += ' ';
      write_inline(child, out);
      out += '\n';
    } else {
      out += '\n';
      write_block(child, indent + 2, out);
    }
  }
}

}  // namespace

std::string write_yaml(const Node& root) {
  std::string out;
  write_block(root, 0, out);
  return out;
}

}  // namespace vinci
