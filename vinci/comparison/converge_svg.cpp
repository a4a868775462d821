// SPDX-License-Identifier: Apache-2.0
// The plot of a convergence study: two logarithmic panels beside each other, legend below.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "vinci/comparison/converge.h"

namespace vinci {
namespace {

constexpr double panel_width = 360.0, panel_height = 280.0, left = 70.0, top = 44.0, gap = 90.0;
constexpr double width = left + 2.0 * panel_width + gap + 20.0;
constexpr double legend_top = top + panel_height + 66.0, legend_line = 20.0;
constexpr int colours = 6;

// Colours that colour-blind people can tell apart; dark where the reader's page is.
constexpr const char* style = R"(<style>
svg { background: #ffffff; font: 13px system-ui, sans-serif; }
text { fill: #22272e; } .muted { fill: #5d6773; }
.grid { stroke: #d8dde3; } .axis { stroke: #5d6773; fill: none; }
.c0 { --c: #1f6fb2; } .c1 { --c: #c8561b; } .c2 { --c: #14806a; }
.c3 { --c: #a03a73; } .c4 { --c: #7a6aa7; } .c5 { --c: #796354; }
.mark { fill: var(--c); } .open { fill: none; stroke: var(--c); }
.line { stroke: var(--c); stroke-width: 1.6; fill: none; }
@media (prefers-color-scheme: dark) {
svg { background: #14181d; } text { fill: #e4e8ec; } .muted { fill: #98a2ad; }
.grid { stroke: #2c333b; } .axis { stroke: #98a2ad; }
.c0 { --c: #6fb1ea; } .c1 { --c: #f0956a; } .c2 { --c: #5cc3ac; }
.c3 { --c: #dd85b5; } .c4 { --c: #ab9bc6; } .c5 { --c: #b49c86; } }
</style>
)";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return result;
}

// Decades of one axis.
struct Scale {
  double low = 0.0, high = 1.0, from = 0.0, to = 1.0;  // log10 of values; places

  double place(double value) const {
    return from + (std::log10(value) - low) / (high - low) * (to - from);
  }
};

using Reading = std::function<double(const ConvergencePoint&)>;

bool drawable(const ConvergencePoint& point) {
  return std::isfinite(point.error) && point.error > 0.0;
}

Scale scale_of(const Convergence& all, const Reading& value, double from, double to) {
  double low = INFINITY, high = -INFINITY;
  for (const ConvergenceCurve& curve : all.curves)
    for (const ConvergencePoint& point : curve.points)
      if (drawable(point) && value(point) > 0.0) {
        low = std::min(low, std::log10(value(point)));
        high = std::max(high, std::log10(value(point)));
      }
  if (!(low <= high)) low = -1.0, high = 0.0;
  const double margin = 0.08 * std::max(high - low, 0.5);
  return {low - margin, high + margin, from, to};
}

// Values with a line across the panel: decades, and their parts where there are few.
std::vector<double> ticks(const Scale& scale) {
  std::vector<double> list;
  const bool fine = scale.high - scale.low < 2.0;
  const double stride = std::max(1.0, std::ceil((scale.high - scale.low) / 8.0));
  for (double decade = std::floor(scale.low); decade <= scale.high; decade += stride)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double logarithm = decade + std::log10(factor);
      if ((factor == 1.0 || fine) && logarithm >= scale.low && logarithm <= scale.high)
        list.push_back(std::pow(10.0, logarithm));
    }
  return list;
}

class Panel {
 public:
  Panel(const Convergence& all, double x, const char* title, Reading across)
      : all_(all),
        title_(title),
        across_(std::move(across)),
        x_(scale_of(all, across_, x, x + panel_width)),
        y_(scale_of(
            all, [](const ConvergencePoint& p) { return p.error; }, top + panel_height, top)) {}

  std::string svg(bool with_fit) const {
    std::string text = axes();
    for (std::size_t i = 0; i < all_.curves.size(); ++i) {
      text += fmt::format("<g class=\"c{}\">", i % colours);
      text += with_fit ? fitted(all_.curves[i]) : joined(all_.curves[i]);
      for (const ConvergencePoint& point : all_.curves[i].points)
        if (drawable(point) && across_(point) > 0.0)
          text += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>",
                              point.fitted ? "mark" : "open", x_.place(across_(point)),
                              y_.place(point.error));
      text += "</g>\n";
    }
    return text;
  }

 private:
  std::string axes() const {
    std::string text;
    for (const double value : ticks(x_)) {
      const double at = x_.place(value);
      text += fmt::format(
          "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text class=\"muted\" x=\"{0:.1f}\" "
          "y=\"{3}\" "
          "text-anchor=\"middle\">{4:.3g}</text>\n",
          at, top, top + panel_height, top + panel_height + 18.0, value);
    }
    for (const double value : ticks(y_)) {
      const double at = y_.place(value);
      text += fmt::format(
          "<path class=\"grid\" d=\"M{1} {0:.1f}H{2}\"/><text class=\"muted\" x=\"{3}\" "
          "y=\"{4:.1f}\" "
          "text-anchor=\"end\">{5:.3g}</text>\n",
          at, x_.from, x_.to, x_.from - 6.0, at + 4.0, value);
    }
    text += fmt::format("<path class=\"axis\" d=\"M{} {}V{}H{}\"/>", x_.from, top,
                        top + panel_height, x_.to);
    text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                        0.5 * (x_.from + x_.to), top + panel_height + 40.0, title_);
    return text + fmt::format("<text x=\"{}\" y=\"{}\">error</text>\n", x_.from, top - 10.0);
  }

  // What the fit expects between the steps that took part.
  std::string fitted(const ConvergenceCurve& curve) const {
    if (!curve.fit) return "";
    double low = INFINITY, high = 0.0;
    for (const ConvergencePoint& point : curve.points)
      if (point.fitted) low = std::min(low, point.step), high = std::max(high, point.step);
    if (!(low < high)) return "";
    const OrderFit& fit = *curve.fit;
    std::string path;
    constexpr int parts = 40;
    for (int i = 0; i <= parts; ++i) {
      const double step = low * std::pow(high / low, static_cast<double>(i) / parts);
      const double error =
          fit.constant * (std::pow(step, fit.order) -
                          (curve.finest > 0.0 ? std::pow(curve.finest, fit.order) : 0.0));
      if (error > 0.0)
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_.place(step),
                            y_.place(error));
    }
    return fmt::format("<path class=\"line\" d=\"{}\"/>", path);
  }

  std::string joined(const ConvergenceCurve& curve) const {
    std::string path;
    for (const ConvergencePoint& point : curve.points)
      if (drawable(point) && across_(point) > 0.0)
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_.place(across_(point)),
                            y_.place(point.error));
    return path.empty() ? "" : fmt::format("<path class=\"line\" d=\"{}\"/>", path);
  }

  const Convergence& all_;
  const char* title_;
  Reading across_;
  Scale x_, y_;
};

std::string when(const Convergence& all) {
  if (all.over == Over::end) return fmt::format("at t = {:.6g} s", all.time);
  return fmt::format("{} over {:.6g} s", to_string(all.over), all.time);
}

}  // namespace

std::string convergence_svg(const Convergence& all) {
  const double height = legend_top + legend_line * static_cast<double>(all.curves.size()) + 12.0;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" "
      "role=\"img\" aria-label=\"Error against step size\">\n",
      width, height);
  text += style;
  text += fmt::format("<text x=\"{}\" y=\"18\" font-weight=\"600\">{}</text>\n", left,
                      escaped((all.title.empty() ? "convergence" : all.title) + ", " + when(all)));
  text += Panel(all, left, "step (s)", [](const ConvergencePoint& p) { return p.step; }).svg(true);
  text += Panel(all, left + panel_width + gap, "CPU time (s)", [](const ConvergencePoint& p) {
            return p.cpu_seconds;
          }).svg(false);
  for (std::size_t i = 0; i < all.curves.size(); ++i) {
    const double y = legend_top + legend_line * static_cast<double>(i);
    text += fmt::format(
        "<g class=\"c{}\"><circle class=\"mark\" cx=\"{}\" cy=\"{}\" r=\"4\"/></g><text x=\"{}\" "
        "y=\"{}\">{}</text>\n",
        i % colours, left + 4.0, y - 4.0, left + 16.0, y, escaped(all.curves[i].answer));
  }
  return text + "</svg>\n";
}

}  // namespace vinci
