// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/sobol_indices.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {

namespace {

// Groups of rows of which one at a time is left out, to see how the indices spread.
constexpr std::uint64_t most_groups = 32;

// What the estimates need of some rows; values are taken less the mean of all.
struct RowSums {
  double rows = 0.0, values = 0.0, squares = 0.0;  // of A and B
  VectorX first, total;                            // per input

  explicit RowSums(Eigen::Index inputs)
      : first(VectorX::Zero(inputs)), total(VectorX::Zero(inputs)) {}

  void add(std::span<const double> row, double mean) {
    const double a = row[0] - mean, b = row[1] - mean;
    rows += 1.0;
    values += a + b;
    squares += a * a + b * b;
    for (Eigen::Index i = 0; i < first.size(); ++i) {
      const double change = row[static_cast<std::size_t>(i) + 2] - mean - a;
      first[i] += b * change;
      total[i] += change * change;
    }
  }
  void add(const RowSums& other, double sign) {
    rows += sign * other.rows;
    values += sign * other.values;
    squares += sign * other.squares;
    first += sign * other.first;
    total += sign * other.total;
  }
  double variance() const {
    const double mean = values / (2.0 * rows);
    return squares / (2.0 * rows) - mean * mean;
  }
  // [Saltelli 2010, table 2]: (b) for the first order, (f), which is Jansen's, for the total.
  VectorX firsts() const { return first / (rows * variance()); }
  VectorX totals() const { return total / (2.0 * rows * variance()); }
};

}  // namespace

SobolIndices::SobolIndices(DesignPoints points, std::uint64_t rows)
    : points_(std::move(points)), rows_(rows) {
  if (points_.dimensions() < 2 || points_.dimensions() % 2 != 0)
    throw Error(
        fmt::format("Sobol indices from points of {} dimensions; dimensions: two per "
                    "uncertain number",
                    points_.dimensions()));
  if (rows < 2 || rows > points_.count())
    throw Error(fmt::format("Sobol indices from {} rows; rows: 2 to {}", rows, points_.count()));
}

std::uint64_t SobolIndices::count() const {
  return rows_ * static_cast<std::uint64_t>(dimensions() + 2);
}

void SobolIndices::point(std::uint64_t number, std::span<double> out) const {
  const auto inputs = static_cast<std::size_t>(dimensions());
  if (number >= count() || out.size() != inputs)
    throw Error(fmt::format("point {} with {} coordinates; points: 0 to {}, of {} coordinates",
                            number, out.size(), count() - 1, inputs));
  std::vector<double> both(2 * inputs);
  points_.point(number / (inputs + 2), both);
  const auto b = both.begin() + static_cast<std::ptrdiff_t>(inputs);
  const std::uint64_t kind = number % (inputs + 2);
  if (kind == 1)
    std::copy(b, both.end(), out.begin());
  else
    std::copy(both.begin(), b, out.begin());
  if (kind >= 2) out[kind - 2] = both[inputs + kind - 2];
}

SobolAnalysis SobolIndices::analyse(std::span<const double> values, double level) const {
  if (values.size() != count())
    throw Error(fmt::format("{} values of {} points; one per point", values.size(), count()));
  const auto inputs = static_cast<std::size_t>(dimensions());
  std::vector<std::span<const double>> rows;
  double sum = 0.0;
  for (std::uint64_t row = 0; row < rows_; ++row) {
    const auto one = values.subspan(row * (inputs + 2), inputs + 2);
    if (!std::all_of(one.begin(), one.end(), [](double x) { return std::isfinite(x); })) continue;
    rows.push_back(one);
    sum += one[0] + one[1];
  }
  SobolAnalysis analysis;
  analysis.rows = rows.size();
  analysis.dropped = rows_ - rows.size();
  const std::uint64_t groups = std::min<std::uint64_t>(most_groups, rows.size());
  if (groups < 2) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    analysis.mean = analysis.variance = none;
    analysis.indices.assign(inputs, {none, none, {none, none}, {none, none}});
    return analysis;
  }
  analysis.mean = sum / (2.0 * static_cast<double>(rows.size()));

  std::vector<RowSums> parts(groups, RowSums(dimensions()));
  RowSums all(dimensions());
  // Neighbours together: points of low discrepancy fill the cube in each group.
  for (std::size_t i = 0; i < rows.size(); ++i)
    parts[i * groups / rows.size()].add(rows[i], analysis.mean);
  for (const RowSums& part : parts) all.add(part, 1.0);
  analysis.variance = all.variance();
  double fourth = 0.0;
  for (const auto& row : rows)
    for (const double value : row.first(2)) fourth += std::pow(value - analysis.mean, 4);
  // Values of the kurtosis k tell the variance as well as 2 n/(k - 1) tosses tell a share that is
  // small.
  const double values_of_rows = 2.0 * static_cast<double>(rows.size());
  const double kurtosis = fourth / values_of_rows / std::pow(analysis.variance, 2);
  analysis.carriers = kurtosis > 1.0 ? values_of_rows / (kurtosis - 1.0) : values_of_rows;

  // The jackknife [Efron 1982].
  const auto g = static_cast<double>(groups);
  MatrixX without(2 * dimensions(), static_cast<Eigen::Index>(groups));
  for (std::uint64_t i = 0; i < groups; ++i) {
    RowSums rest = all;
    rest.add(parts[i], -1.0);
    without.col(static_cast<Eigen::Index>(i)) << rest.firsts(), rest.totals();
  }
  const VectorX centre = without.rowwise().mean();
  const VectorX half =
      ((without.colwise() - centre).rowwise().squaredNorm() * ((g - 1.0) / g)).cwiseSqrt() *
      student_width(level, g - 1.0);
  const VectorX first = all.firsts(), total = all.totals();
  // What a first-order index rests on are events of A that a row has in common with B: none where
  // they are rare, which speaks for no spread. Its upper end is that of a count of them [Wilson
  // 1927], each of which brings `one`; no index is greater than the total one.
  const double width = student_width(level, g - 1.0), one = 2.0 / analysis.carriers;
  for (Eigen::Index i = 0; i < dimensions(); ++i) {
    const double a = half[i], b = half[dimensions() + i];
    const double more = 0.5 * width * one;
    const double counted = first[i] + width * (more + std::hypot(a / width, more));
    const double high = std::min(counted, std::max(first[i] + a, total[i] + b));
    analysis.indices.push_back(
        {first[i], total[i], {first[i] - a, high}, {total[i] - b, total[i] + b}});
  }
  return analysis;
}

}  // namespace vinci
