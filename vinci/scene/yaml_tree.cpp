// SPDX-License-Identifier: Apache-2.0
// yaml-cpp's events to our tree; see yaml_tree.h.
#include "vinci/scene/yaml_tree.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace vinci {

const Node* Node::find(std::string_view name) const {
  if (kind != Kind::map) return nullptr;
  for (const Node& child : children)
    if (child.key == name) return &child;
  return nullptr;
}

Node* Node::find(std::string_view name) {
  return const_cast<Node*>(static_cast<const Node*>(this)->find(name));
}

std::size_t count_values(const Node& node) {
  std::size_t count = 1;
  for (const Node& child : node.children) count += count_values(child);
  return count;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  const bool cut = text.size() > longest;
  std::size_t size = std::min(text.size(), longest);
  // Never cut inside a UTF-8 sequence.
  while (cut && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  std::string result = "'";
  for (const char c : text.substr(0, size)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7F ? ' ' : c;
  }
  return result + (cut ? "...'" : "'");
}

namespace {

// Ends the reading of a document.
struct Refusal {
  int line;
  std::string key, message;
};

int line_of(const YAML::Mark& mark) {
  return mark.is_null() ? 0 : mark.line + 1;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(int file, std::vector<Diagnostic>& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  Node root;
  bool complete = false;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (complete)
      throw Refusal{line_of(mark), "", "a second document begins here; a scene is one document"};
  }
  void OnDocumentEnd() override { complete = true; }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add_leaf(mark, Node::Kind::null, "", anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    if (value.size() > max_scalar_bytes)
      throw Refusal{line_of(mark), path(),
                    fmt::format("a text of {} characters; at most {} are accepted", value.size(),
                                max_scalar_bytes)};
    add_leaf(mark, Node::Kind::scalar, value, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end())
      throw Refusal{line_of(mark), path(), "an alias inside the value that it stands for"};
    if (expects_key())
      throw Refusal{line_of(mark), path(), "an alias as a key; keys are plain words"};
    spend(line_of(mark), target->second);
    attach(Node(target->second), 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  // A list or map that is still being read.
  struct Frame {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;   // maps: a key was read, its value is next
    bool left_out = false;  // that key was refused: its value is not kept
    std::string key;
    int key_line = 0;
    std::set<std::string> names;
  };

  bool expects_key() const {
    return !frames_.empty() && frames_.back().node.is_map() && !frames_.back().has_key;
  }

  std::string path() const {
    std::string text;
    for (const Frame& frame : frames_) {
      if (frame.node.is_list())
        text += fmt::format("[{}]", frame.node.children.size());
      else if (frame.has_key)
        text += (text.empty() ? "" : ".") + frame.key;
    }
    return text;
  }

  void report(const YAML::Mark& mark, std::string key, std::string message) {
    diagnostics_.push_back({"", line_of(mark), std::move(key), std::move(message)});
    if (diagnostics_.size() >= 100)
      throw Refusal{line_of(mark), "", "more than 100 mistakes; reading stops here"};
  }

  // yaml-cpp's own tags: "?" for plain, "!" for quoted scalars.
  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    report(mark, path(),
           fmt::format("the tag {}; scenes are written without tags", in_quotes(tag)));
  }

  void spend(int line, std::size_t values, std::size_t bytes) {
    values_ += values;
    bytes_ += bytes;
    if (values_ > max_scene_values)
      throw Refusal{line, path(),
                    fmt::format("more than {} values (aliases expanded); put large point sets into "
                                "an OBJ or STL file",
                                max_scene_values)};
    if (bytes_ > max_scene_bytes)
      throw Refusal{
          line, path(),
          fmt::format("more than {} MiB of text with aliases expanded", max_scene_bytes >> 20)};
  }
  void spend(int line, const Node& node) {
    spend(line, 1, node.text.size() + node.key.size());
    for (const Node& child : node.children) spend(line, child);
  }

  Node make(const YAML::Mark& mark, Node::Kind kind) const {
    Node node;
    node.kind = kind;
    node.file = file_;
    node.line = line_of(mark);
    if (node.line == 0 && !frames_.empty()) node.line = frames_.back().key_line;
    return node;
  }

  void add_leaf(const YAML::Mark& mark, Node::Kind kind, const std::string& value,
                YAML::anchor_t anchor) {
    spend(line_of(mark), expects_key() ? 0 : 1, value.size());
    if (expects_key()) {
      add_key(mark, kind == Node::Kind::null ? "null" : value);
      return;
    }
    Node node = make(mark, kind);
    // The scanner notices a missing value only at the next token, lines below.
    if (kind == Node::Kind::null && !frames_.empty() && frames_.back().has_key)
      node.line = frames_.back().key_line;
    node.text = value;
    attach(std::move(node), anchor);
  }

  void add_key(const YAML::Mark& mark, const std::string& name) {
    Frame& frame = frames_.back();
    const std::string parent = path();
    frame.has_key = true;
    frame.key = name;
    frame.key_line = line_of(mark);
    if (name.empty()) report(mark, parent, "an empty name");
    if (name == "<<") {
      report(mark, path(),
             "merge keys are not part of scene files; use parameters or `include`, or repeat the "
             "value by an alias");
    }
    if (name.size() > max_name_bytes)
      throw Refusal{line_of(mark), parent,
                    fmt::format("a name of {} characters; at most {} are accepted", name.size(),
                                max_name_bytes)};
    frame.left_out = name == "<<";
    const bool fresh = frame.names.insert(name).second;
    if (!fresh) {  // the first entry stays in the tree: its line is found there
      int first = 0;
      for (const Node& child : frame.node.children)
        if (child.key == name) first = child.key_line;
      frame.left_out = true;
      report(mark, path(),
             fmt::format("the name is used twice; it was first used on line {}", first));
    }
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Node::Kind kind) {
    if (expects_key())
      throw Refusal{line_of(mark), path(), "a list or map as a key; keys are plain words"};
    check_tag(mark, tag);
    spend(line_of(mark), 1, 0);
    if (frames_.size() >= static_cast<std::size_t>(max_scene_depth))
      throw Refusal{line_of(mark), "",
                    fmt::format("lists and maps nest deeper than {} levels", max_scene_depth)};
    Frame frame;
    frame.node = make(mark, kind);
    frame.anchor = anchor;
    frames_.push_back(std::move(frame));
  }

  void close() {
    Node node = std::move(frames_.back().node);
    const YAML::anchor_t anchor = frames_.back().anchor;
    frames_.pop_back();
    attach(std::move(node), anchor);
  }

  void attach(Node node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      spend(node.line, node);
      anchors_[anchor] = node;
    }
    if (frames_.empty()) {
      root = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.is_map()) {
      frame.has_key = false;
      node.key = frame.key;
      node.key_line = frame.key_line;
      if (frame.left_out) {
        frame.node.bad = true;
        return;
      }
    }
    frame.node.children.push_back(std::move(node));
  }

  int file_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t values_ = 0, bytes_ = 0;
};

// Length of the UTF-8 sequence that starts at `text`, 0 if it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  std::size_t length = 1;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF)
    length = 2;
  else if ((lead & 0xF0) == 0xE0)
    length = 3;
  else if (lead >= 0xF0 && lead <= 0xF4)
    length = 4;
  else
    return 0;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates, beyond U+10FFFF.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
      (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F))
    return 0;
  return length;
}

// Refuses what is no text before the YAML scanner sees it.
void check_bytes(std::string_view text) {
  if (text.size() > max_scene_bytes)
    throw Refusal{0, "",
                  fmt::format("the file has {} bytes; at most {} MiB are accepted", text.size(),
                              max_scene_bytes >> 20)};
  int line = 1;
  std::size_t line_start = 0, brackets = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      ++line;
      line_start = i + 1;
    } else if (byte < 0x20 && byte != '\t' && byte != '\r') {
      throw Refusal{
          line, "",
          fmt::format("the byte 0x{:02X}: this is no text file; scenes are YAML in UTF-8", byte)};
    }
    // The scanner keeps every bracket that may still turn out to be a key.
    if ((byte == '[' || byte == '{') && ++brackets > max_scene_values)
      throw Refusal{line, "", fmt::format("more than {} brackets", max_scene_values)};
    if (i + 1 - line_start > max_line_bytes)
      throw Refusal{line, "",
                    fmt::format("the line is longer than {} characters; break it into several",
                                max_line_bytes)};
    const std::size_t length = utf8_length(text.substr(i, 4));
    if (length == 0)
      throw Refusal{line, "", "bytes that are no UTF-8 text; scenes are YAML in UTF-8"};
    i += length;
  }
}

bool indented_by_tab(std::string_view text, int line) {
  for (; line > 1 && !text.empty(); --line) {
    const std::size_t end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  const std::size_t start = text.find_first_not_of(' ');
  return start != std::string_view::npos && text[start] == '\t';
}

}  // namespace

Node read_yaml(std::string_view text, int file, std::vector<Diagnostic>& diagnostics,
               const std::string& what) {
  const auto refuse = [&](int line, std::string key, std::string message) {
    diagnostics.push_back({"", line, std::move(key), std::move(message)});
    return Node();
  };
  TreeBuilder builder(file, diagnostics);
  try {
    check_bytes(text);
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& refusal) {
    return refuse(refusal.line, refusal.key, refusal.message);
  } catch (const YAML::Exception& error) {
    const int line = line_of(error.mark);
    if (indented_by_tab(text, line))
      return refuse(line, "", "a tab in the indentation; indent with spaces");
    return refuse(line, "", "not valid YAML: " + error.msg);
  }
  if (!builder.complete || builder.root.kind == Node::Kind::null)
    return refuse(1, "",
                  "the file is empty; " + what +
                      (what == "a scene" ? " is a map with at least the key 'world'"
                                         : " is written as `key: value` lines"));
  if (!builder.root.is_map())
    return refuse(builder.root.line, "",
                  "the file is no map; " + what + " is written as `key: value` lines");
  return std::move(builder.root);
}

}  // namespace vinci
