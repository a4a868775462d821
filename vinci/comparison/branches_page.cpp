// SPDX-License-Identifier: Apache-2.0
// A tree of branches as a drawing over time, and as a page.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/comparison/branches.h"
#include "vinci/comparison/words.h"

namespace vinci {
namespace {

constexpr double width = 860.0, left = 60.0, right = 150.0, top = 40.0, row = 26.0;
constexpr int colours = 6, ticks = 5;

// Colours that colour-blind people can tell apart; dark where the reader's page is.
constexpr const char* svg_style = R"(<style>
svg { background: #ffffff; font: 13px system-ui, sans-serif; }
text { fill: #22272e; } .muted { fill: #5d6773; }
.grid { stroke: #d8dde3; } .link { stroke: #5d6773; fill: none; stroke-dasharray: 3 3; }
.c0 { --c: #1f6fb2; } .c1 { --c: #c8561b; } .c2 { --c: #14806a; }
.c3 { --c: #a03a73; } .c4 { --c: #7a6aa7; } .c5 { --c: #796354; } .none { --c: #98a2ad; }
.mark { fill: var(--c); } .open { fill: none; stroke: var(--c); }
.line { stroke: var(--c); stroke-width: 2; fill: none; }
@media (prefers-color-scheme: dark) {
svg { background: #14181d; } text { fill: #e4e8ec; } .muted { fill: #98a2ad; }
.grid { stroke: #2c333b; } .link { stroke: #98a2ad; }
.c0 { --c: #6fb1ea; } .c1 { --c: #f0956a; } .c2 { --c: #5cc3ac; }
.c3 { --c: #dd85b5; } .c4 { --c: #ab9bc6; } .c5 { --c: #b49c86; } }
</style>
)";

constexpr const char* page_style = R"(<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 1100px; padding: 0 1em;
  color: #22272e; background: #ffffff; }
table { border-collapse: collapse; } th, td { padding: 0.2em 0.8em 0.2em 0; text-align: left;
  vertical-align: top; border-bottom: 1px solid #d8dde3; } td.n { text-align: right; }
@media (prefers-color-scheme: dark) { body { color: #e4e8ec; background: #14181d; }
a { color: #6fb1ea; } th, td { border-color: #2c333b; } }
</style>
)";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
  return result;
}

std::string colour(const Branch& branch) {
  return branch.outcome < 0 ? "none" : fmt::format("c{}", branch.outcome % colours);
}

std::string end_text(const BranchTree& tree, const Branch& branch) {
  if (branch.end == Branch::End::met)
    return fmt::format("meets {} at {}", branch.met, time_words(branch.last_time));
  if (branch.end == Branch::End::left) return "not followed";
  const std::string outcome =
      fmt::format("outcome {}", static_cast<char>('A' + std::min(branch.outcome, 25)));
  return branch.ending.empty() || tree.outcomes.empty() ? outcome : outcome + ": " + branch.ending;
}

std::string value_cells(const BranchTree& tree, const Branch& branch) {
  std::string cells;
  for (std::size_t q = 0; q < tree.quantities.size(); ++q)
    cells += branch.end == Branch::End::leaf
                 ? fmt::format("<td class=\"n\">{:.6g}</td>", branch.values[q])
                 : "<td></td>";
  return cells;
}

std::string pose_table(const BranchTree& tree) {
  std::string text = "<table><tr><th>body</th>";
  for (std::size_t i = 0; i < tree.branches.size(); ++i)
    if (tree.branches[i].end == Branch::End::leaf) text += fmt::format("<th>branch {}</th>", i);
  text += "</tr>\n";
  for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
    text += "<tr><td>" + escaped(tree.bodies[b]) + "</td>";
    for (const Branch& branch : tree.branches) {
      if (branch.end != Branch::End::leaf) continue;
      const Pose& pose = branch.state.poses[b];
      const double turn = 2.0 * std::atan2(pose.rotation.vec().norm(), pose.rotation.w());
      text += fmt::format("<td>{:.5g}, {:.5g}, {:.5g} m<br>turned by {:.4g} rad</td>",
                          pose.position.x(), pose.position.y(), pose.position.z(), turn);
    }
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

}  // namespace

std::string branches_svg(const BranchTree& tree) {
  const double end = tree.duration > 0.0 ? tree.duration : 1.0;
  const double height = top + row * static_cast<double>(tree.branches.size()) + 40.0;
  const auto x = [&](double time) { return left + (width - left - right) * time / end; };
  const auto y = [&](int branch) { return top + row * (branch + 0.5); };
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" aria-label=\"Branches over time\">\n{2}",
      width, height, svg_style);
  for (int i = 0; i <= ticks; ++i) {
    const double time = end * i / ticks;
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
        "<text class=\"muted\" x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4:.3g} "
        "s</text>\n",
        x(time), top - 6.0, height - 32.0, height - 14.0, time);
  }
  for (std::size_t i = 0; i < tree.branches.size(); ++i) {
    const Branch& branch = tree.branches[i];
    const auto number = static_cast<int>(i);
    const double begin = x(branch.time), last = x(branch.last_time), at = y(number);
    text += fmt::format("<g class=\"{}\">", colour(branch));
    if (branch.parent >= 0)
      text += fmt::format(
          "<line class=\"link\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
          begin, y(branch.parent), at);
    text += fmt::format(
        "<line class=\"line\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", begin,
        last, at, at);
    if (branch.end == Branch::End::met)
      text += fmt::format(
          "<line class=\"link\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
          last, at, y(branch.met));
    text += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>",
                        branch.end == Branch::End::leaf ? "mark" : "open", last, at);
    text += fmt::format("<text x=\"8\" y=\"{:.1f}\">{}</text>", at + 4.0, i);
    text += fmt::format(
        "<text class=\"muted\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n", last + 9.0, at + 4.0,
        branch.end == Branch::End::leaf
            ? fmt::format("outcome {}", static_cast<char>('A' + std::min(branch.outcome, 25)))
        : branch.end == Branch::End::met ? fmt::format("meets {}", branch.met)
                                         : std::string("not followed"));
  }
  return text + "</svg>\n";
}

std::string branches_page(const BranchTree& tree, const std::string& viewer) {
  const std::string title = escaped(tree.title.empty() ? "Branches" : tree.title);
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}: "
      "branches</title>"
      "\n{1}</head><body>\n<h1>{0}: {2}</h1>\n",
      title, page_style, to_string(tree.verdict));
  for (const std::string& sentence : tree.answer) text += "<p>" + escaped(sentence) + "</p>\n";
  if (!viewer.empty())
    text += fmt::format("<p><a href=\"{}\">The runs over each other, in the viewer</a></p>\n",
                        escaped(viewer));
  text += branches_svg(tree);
  text +=
      "<h2>Branches</h2>\n<table><tr><th>branch</th><th>parts from</th><th>in step</th>"
      "<th>at</th><th>solutions</th><th>contacts there</th><th>instead of</th>"
      "<th>velocities differ by</th><th>end</th>";
  for (const std::string& quantity : tree.quantities) text += "<th>" + escaped(quantity) + "</th>";
  text += "</tr>\n";
  for (std::size_t i = 0; i < tree.branches.size(); ++i) {
    const Branch& branch = tree.branches[i];
    text += fmt::format("<tr><td>{}</td>", i);
    if (branch.parent < 0) {
      text +=
          "<td>the run as the solver makes it</td><td></td><td></td><td></td><td></td><td></td>"
          "<td></td>";
    } else {
      std::string solutions;
      for (const ChoicePoint& point : branch.points)
        solutions += (solutions.empty() ? "" : ", ") + std::to_string(point.alternatives) +
                     (point.continuum ? " of a continuum" : "");
      text += fmt::format(
          "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.3g} m/s</td>",
          branch.parent, branch.step, time_words(branch.time), solutions, escaped(branch.modes),
          escaped(branch.parent_modes), branch.distance);
    }
    text +=
        "<td>" + escaped(end_text(tree, branch)) + "</td>" + value_cells(tree, branch) + "</tr>\n";
  }
  return text + "</table>\n<h2>Final poses</h2>\n" + pose_table(tree) + "</body></html>\n";
}

}  // namespace vinci
