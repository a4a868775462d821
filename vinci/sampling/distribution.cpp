// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/distribution.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/sampling/special_functions.h"

namespace vinci {

namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

void expect_finite(double number, const char* what) {
  if (!std::isfinite(number)) throw Error(fmt::format("{} is {}; {}: finite", what, number, what));
}

void expect_positive(double number, const char* what) {
  if (!(number > 0.0 && number < infinity))
    throw Error(fmt::format("{} is {}; {}: greater than 0", what, number, what));
}

void expect_probability(double number) {
  if (!(number >= 0.0 && number <= 1.0))
    throw Error(fmt::format("a probability of {}; probability: 0 to 1", number));
}

// ∫ f by Gauss and Legendre with five points in each of 400 equal parts.
template <class Function>
double integral(double from, double to, const Function& f) {
  constexpr int parts = 400;
  constexpr std::array<double, 5> at = {-0.90617984593866399280, -0.53846931010568309104, 0.0,
                                        0.53846931010568309104, 0.90617984593866399280};
  constexpr std::array<double, 5> weight = {0.23692688505618908751, 0.47862867049936646804,
                                            0.56888888888888888889, 0.47862867049936646804,
                                            0.23692688505618908751};
  const double half = 0.5 * (to - from) / parts;
  double sum = 0.0;
  for (int part = 0; part < parts; ++part)
    for (std::size_t i = 0; i < at.size(); ++i)
      sum += weight[i] * f(from + half * (2 * part + 1 + at[i]));
  return half * sum;
}

double power_of(double x, int power) {
  return power == 1 ? x : x * x;
}

}  // namespace

Distribution Distribution::uniform(double from, double to) {
  expect_finite(from, "from");
  expect_finite(to, "to");
  if (!(from < to)) throw Error(fmt::format("uniform from {} to {}; from: less than to", from, to));
  return Distribution(Uniform{from, to});
}

Distribution Distribution::normal(double mean, double deviation, Truncation range) {
  expect_finite(mean, "mean");
  expect_positive(deviation, "deviation");
  Distribution distribution(Normal{mean, deviation});
  distribution.truncate(range);
  return distribution;
}

Distribution Distribution::lognormal(double mean_of_log, double deviation_of_log,
                                     Truncation range) {
  expect_finite(mean_of_log, "mean of the logarithm");
  expect_positive(deviation_of_log, "deviation of the logarithm");
  Distribution distribution(Lognormal{mean_of_log, deviation_of_log});
  distribution.truncate(range);
  return distribution;
}

Distribution Distribution::triangular(double from, double mode, double to, Truncation range) {
  expect_finite(from, "from");
  expect_finite(mode, "mode");
  expect_finite(to, "to");
  if (!(from < to && from <= mode && mode <= to))
    throw Error(
        fmt::format("triangular from {} to {} with its mode at {}; from: less than to, mode: "
                    "between them",
                    from, to, mode));
  Distribution distribution(Triangular{from, mode, to});
  distribution.truncate(range);
  return distribution;
}

Distribution Distribution::exponential(double mean, Truncation range) {
  expect_positive(mean, "mean");
  Distribution distribution(Exponential{mean});
  distribution.truncate(range);
  return distribution;
}

Distribution Distribution::discrete(std::span<const double> values,
                                    std::span<const double> weights) {
  if (values.empty()) throw Error("no values; values: at least one");
  if (values.size() != weights.size())
    throw Error(fmt::format("{} values and {} weights; weights: one per value", values.size(),
                            weights.size()));
  std::vector<std::pair<double, double>> pairs;
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    expect_finite(values[i], "value");
    if (!(weights[i] >= 0.0 && weights[i] < infinity))
      throw Error(fmt::format("weight {} of value {}; weight: 0 or more", weights[i], values[i]));
    if (weights[i] > 0.0) pairs.emplace_back(values[i], weights[i]);
    sum += weights[i];
  }
  if (!(sum > 0.0 && sum < infinity))
    throw Error(fmt::format("weights with the sum {}; sum: greater than 0", sum));
  std::sort(pairs.begin(), pairs.end());
  Discrete kind;
  double below = 0.0;
  for (const auto& [value, weight] : pairs) {
    below += weight;
    if (!kind.values.empty() && kind.values.back() == value) {
      kind.below.back() = below / sum;
      continue;
    }
    kind.values.push_back(value);
    kind.below.push_back(below / sum);
  }
  kind.below.back() = 1.0;
  kind.above.resize(kind.values.size());
  double above = 0.0;
  for (std::size_t i = kind.values.size(), j = pairs.size(); i-- > 0;) {
    kind.above[i] = above / sum;
    for (; j > 0 && pairs[j - 1].first == kind.values[i]; --j) above += pairs[j - 1].second;
  }
  return Distribution(std::move(kind));
}

Distribution Distribution::measured(std::span<const double> samples, bool smooth) {
  if (!smooth) return discrete(samples, std::vector<double>(samples.size(), 1.0));
  for (const double sample : samples) expect_finite(sample, "sample");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() < 2 || sorted.front() == sorted.back())
    throw Error("smooth samples that are all equal; samples: at least two different ones");
  return Distribution(Smooth{std::move(sorted)});
}

void Distribution::truncate(Truncation range) {
  if (!(range.from < range.to))
    throw Error(fmt::format("truncated to [{}, {}]; from: less than to", range.from, range.to));
  mass_below_ = range.from > least_of_whole() ? whole_below(range.from) : 0.0;
  mass_above_ = range.to < greatest_of_whole() ? whole_above(range.to) : 0.0;
  // From the sides that are small, where nothing cancels.
  const double from_above = whole_above(range.from);
  if (mass_below_ <= 0.5 && mass_above_ <= 0.5)
    mass_ = 1.0 - mass_below_ - mass_above_;
  else
    mass_ = mass_below_ > 0.5 ? from_above - mass_above_ : whole_below(range.to) - mass_below_;
  range_ = range;
  // Less could not be told from rounding.
  const double scale = mass_below_ > 0.5 ? from_above : whole_below(range.to);
  if (!(mass_ > 1e-300 && mass_ > 1e-10 * scale))
    throw Error(
        fmt::format("truncated to [{}, {}], where it has no probability", range.from, range.to));
}

double Distribution::least_of_whole() const {
  return std::visit(
      Overloaded{[](const Uniform& k) { return k.from; }, [](const Normal&) { return -infinity; },
                 [](const Lognormal&) { return 0.0; }, [](const Triangular& k) { return k.from; },
                 [](const Exponential&) { return 0.0; },
                 [](const Discrete& k) { return k.values.front(); },
                 [](const Smooth& k) { return k.samples.front(); }},
      kind_);
}

double Distribution::greatest_of_whole() const {
  return std::visit(
      Overloaded{[](const Uniform& k) { return k.to; }, [](const Normal&) { return infinity; },
                 [](const Lognormal&) { return infinity; },
                 [](const Triangular& k) { return k.to; },
                 [](const Exponential&) { return infinity; },
                 [](const Discrete& k) { return k.values.back(); },
                 [](const Smooth& k) { return k.samples.back(); }},
      kind_);
}

double Distribution::least() const {
  return std::max(range_.from, least_of_whole());
}

double Distribution::greatest() const {
  return std::min(range_.to, greatest_of_whole());
}

bool Distribution::is_discrete() const {
  return std::holds_alternative<Discrete>(kind_);
}

namespace {

// Where x lies among samples in order, as a probability: between two of them by interpolation.
double smooth_cdf(const std::vector<double>& samples, double x) {
  if (x < samples.front()) return 0.0;
  if (x >= samples.back()) return 1.0;
  const auto next = std::upper_bound(samples.begin(), samples.end(), x);
  const auto before = next - 1;
  const double place =
      static_cast<double>(before - samples.begin()) + (x - *before) / (*next - *before);
  return place / static_cast<double>(samples.size() - 1);
}

}  // namespace

double Distribution::whole_below(double x) const {
  return std::visit(
      Overloaded{
          [x](const Uniform& k) { return std::clamp((x - k.from) / (k.to - k.from), 0.0, 1.0); },
          [x](const Normal& k) { return normal_cdf((x - k.mean) / k.deviation); },
          [x](const Lognormal& k) {
            return x > 0.0 ? normal_cdf((std::log(x) - k.mean) / k.deviation) : 0.0;
          },
          [x](const Triangular& k) {
            const double width = k.to - k.from, left = x - k.from, right = k.to - x;
            if (left <= 0.0) return 0.0;
            if (right <= 0.0) return 1.0;
            return x <= k.mode ? left / width * (left / (k.mode - k.from))
                               : 1.0 - right / width * (right / (k.to - k.mode));
          },
          [x](const Exponential& k) { return x > 0.0 ? -std::expm1(-x / k.mean) : 0.0; },
          [x](const Discrete& k) {
            const auto next = std::upper_bound(k.values.begin(), k.values.end(), x);
            return next == k.values.begin() ? 0.0 : k.below[next - k.values.begin() - 1];
          },
          [x](const Smooth& k) { return smooth_cdf(k.samples, x); }},
      kind_);
}

double Distribution::whole_above(double x) const {
  return std::visit(
      Overloaded{
          [x](const Uniform& k) { return std::clamp((k.to - x) / (k.to - k.from), 0.0, 1.0); },
          [x](const Normal& k) { return normal_cdf((k.mean - x) / k.deviation); },
          [x](const Lognormal& k) {
            return x > 0.0 ? normal_cdf((k.mean - std::log(x)) / k.deviation) : 1.0;
          },
          [x](const Triangular& k) {
            const double width = k.to - k.from, left = x - k.from, right = k.to - x;
            if (left <= 0.0) return 1.0;
            if (right <= 0.0) return 0.0;
            return x < k.mode ? 1.0 - left / width * (left / (k.mode - k.from))
                              : right / width * (right / (k.to - k.mode));
          },
          [x](const Exponential& k) { return x > 0.0 ? std::exp(-x / k.mean) : 1.0; },
          [x](const Discrete& k) {
            const auto next = std::upper_bound(k.values.begin(), k.values.end(), x);
            return next == k.values.begin() ? 1.0 : k.above[next - k.values.begin() - 1];
          },
          [x](const Smooth& k) { return 1.0 - smooth_cdf(k.samples, x); }},
      kind_);
}

double Distribution::whole_quantile(double below, double above) const {
  const bool low = below <= above;
  return std::visit(
      Overloaded{
          [&](const Uniform& k) {
            return low ? k.from + below * (k.to - k.from) : k.to - above * (k.to - k.from);
          },
          [&](const Normal& k) {
            return k.mean + k.deviation * (low ? normal_quantile(below) : -normal_quantile(above));
          },
          [&](const Lognormal& k) {
            return std::exp(k.mean +
                            k.deviation * (low ? normal_quantile(below) : -normal_quantile(above)));
          },
          [&](const Triangular& k) {
            const double width = k.to - k.from, left = k.mode - k.from, right = k.to - k.mode;
            return below * width <= left && (low || above * width >= right)
                       ? k.from + std::sqrt(below * width * left)
                       : k.to - std::sqrt(above * width * right);
          },
          [&](const Exponential& k) {
            return low ? -k.mean * std::log1p(-below) : -k.mean * std::log(above);
          },
          [&](const Discrete& k) {
            std::size_t i = 0;
            if (low)
              i = std::lower_bound(k.below.begin(), k.below.end(), below) - k.below.begin();
            else  // above falls: the first that is no greater
              i = std::partition_point(k.above.begin(), k.above.end(),
                                       [&](double a) { return a > above; }) -
                  k.above.begin();
            return k.values[std::min(i, k.values.size() - 1)];
          },
          [&](const Smooth& k) {
            const auto last = static_cast<double>(k.samples.size() - 1);
            const double place = low ? below * last : last - above * last;
            const auto i = std::min(static_cast<std::size_t>(place), k.samples.size() - 2);
            const double part = place - static_cast<double>(i);
            return k.samples[i] + part * (k.samples[i + 1] - k.samples[i]);
          }},
      kind_);
}

double Distribution::whole_density(double x) const {
  return std::visit(
      Overloaded{
          [x](const Uniform& k) { return x >= k.from && x <= k.to ? 1.0 / (k.to - k.from) : 0.0; },
          [x](const Normal& k) { return normal_density((x - k.mean) / k.deviation) / k.deviation; },
          [x](const Lognormal& k) {
            return x > 0.0
                       ? normal_density((std::log(x) - k.mean) / k.deviation) / (k.deviation * x)
                       : 0.0;
          },
          [x](const Triangular& k) {
            if (x < k.from || x > k.to) return 0.0;
            const double top = 2.0 / (k.to - k.from);
            if (x == k.mode) return top;
            return x < k.mode ? top * (x - k.from) / (k.mode - k.from)
                              : top * (k.to - x) / (k.to - k.mode);
          },
          [x](const Exponential& k) { return x >= 0.0 ? std::exp(-x / k.mean) / k.mean : 0.0; },
          [x](const Discrete& k) {
            const auto at = std::lower_bound(k.values.begin(), k.values.end(), x);
            if (at == k.values.end() || *at != x) return 0.0;
            const auto i = at - k.values.begin();
            return k.below[i] - (i > 0 ? k.below[i - 1] : 0.0);
          },
          [x](const Smooth& k) {
            if (x < k.samples.front() || x > k.samples.back()) return 0.0;
            auto next = std::upper_bound(k.samples.begin(), k.samples.end(), x);
            if (next == k.samples.end()) --next;
            const double gap = *next - *(next - 1);  // 0 where equal samples are the greatest
            return 1.0 / (gap * static_cast<double>(k.samples.size() - 1));
          }},
      kind_);
}

double Distribution::cdf(double x) const {
  if (!is_truncated()) return whole_below(x);
  if (x < range_.from) return 0.0;
  if (x >= range_.to) return 1.0;
  const double part =
      mass_below_ > 0.5 ? whole_above(range_.from) - whole_above(x) : whole_below(x) - mass_below_;
  return std::clamp(part / mass_, 0.0, 1.0);
}

double Distribution::above(double x) const {
  if (!is_truncated()) return whole_above(x);
  if (x < range_.from) return 1.0;
  if (x >= range_.to) return 0.0;
  const double part =
      mass_above_ > 0.5 ? whole_below(range_.to) - whole_below(x) : whole_above(x) - mass_above_;
  return std::clamp(part / mass_, 0.0, 1.0);
}

double Distribution::quantile(double probability) const {
  expect_probability(probability);
  if (!is_truncated()) return whole_quantile(probability, 1.0 - probability);
  if (probability == 0.0) return least();
  if (probability == 1.0) return greatest();
  const double x =
      whole_quantile(mass_below_ + probability * mass_, mass_above_ + (1.0 - probability) * mass_);
  return std::clamp(x, range_.from, range_.to);
}

double Distribution::upper_quantile(double probability) const {
  expect_probability(probability);
  if (!is_truncated()) return whole_quantile(1.0 - probability, probability);
  if (probability == 0.0) return greatest();
  if (probability == 1.0) return least();
  const double x =
      whole_quantile(mass_below_ + (1.0 - probability) * mass_, mass_above_ + probability * mass_);
  return std::clamp(x, range_.from, range_.to);
}

double Distribution::density(double x) const {
  if (!(x >= range_.from && x <= range_.to)) return 0.0;
  return whole_density(x) / mass_;
}

// Over the normal number behind a normal or lognormal one, where nothing is steep; over pieces
// without a corner otherwise. Beyond 38 deviations, or 60 means of an exponential, nothing is left.
double Distribution::moment(double centre, int power) const {
  const double from = least(), to = greatest();
  const auto over_normal = [&](double low, double high, const auto& value) {
    return integral(
               std::max(low, -38.0), std::min(high, 38.0),
               [&](double z) { return normal_density(z) * power_of(value(z) - centre, power); }) /
           mass_;
  };
  const auto over_density = [&](double low, double high) {
    return low < high ? integral(low, high,
                                 [&](double x) { return density(x) * power_of(x - centre, power); })
                      : 0.0;
  };
  return std::visit(
      Overloaded{[&](const Normal& k) {
                   return over_normal((from - k.mean) / k.deviation, (to - k.mean) / k.deviation,
                                      [&](double z) { return k.mean + k.deviation * z; });
                 },
                 [&](const Lognormal& k) {
                   return over_normal((std::log(from) - k.mean) / k.deviation,
                                      (std::log(to) - k.mean) / k.deviation,
                                      [&](double z) { return std::exp(k.mean + k.deviation * z); });
                 },
                 [&](const Triangular& k) {
                   const double corner = std::clamp(k.mode, from, to);
                   return over_density(from, corner) + over_density(corner, to);
                 },
                 [&](const Exponential& k) {
                   return over_density(from, std::min(to, from + 60.0 * k.mean));
                 },
                 [&](const auto&) { return over_density(from, to); }},
      kind_);
}

double Distribution::mean() const {
  if (is_truncated()) {
    const double middle = quantile(0.5);
    return middle + moment(middle, 1);
  }
  return std::visit(
      Overloaded{
          [](const Uniform& k) { return 0.5 * k.from + 0.5 * k.to; },
          [](const Normal& k) { return k.mean; },
          [](const Lognormal& k) { return std::exp(k.mean + 0.5 * k.deviation * k.deviation); },
          [](const Triangular& k) { return k.from / 3.0 + k.mode / 3.0 + k.to / 3.0; },
          [](const Exponential& k) { return k.mean; },
          [](const Discrete& k) {
            double sum = 0.0, before = 0.0;
            for (std::size_t i = 0; i < k.values.size(); before = k.below[i++])
              sum += (k.below[i] - before) * k.values[i];
            return sum;
          },
          [](const Smooth& k) {
            double sum = 0.0;
            for (std::size_t i = 1; i < k.samples.size(); ++i)
              sum += 0.5 * (k.samples[i] + k.samples[i - 1]);
            return sum / static_cast<double>(k.samples.size() - 1);
          }},
      kind_);
}

double Distribution::variance() const {
  const double centre = mean();
  if (is_truncated()) return moment(centre, 2);
  return std::visit(
      Overloaded{[](const Uniform& k) { return (k.to - k.from) * (k.to - k.from) / 12.0; },
                 [](const Normal& k) { return k.deviation * k.deviation; },
                 [&](const Lognormal& k) {
                   return std::expm1(k.deviation * k.deviation) * centre * centre;
                 },
                 [](const Triangular& k) {
                   const double a = k.mode - k.from, b = k.to - k.mode;
                   return (a * a + a * b + b * b) / 18.0;
                 },
                 [](const Exponential& k) { return k.mean * k.mean; },
                 [&](const Discrete& k) {
                   double sum = 0.0, before = 0.0;
                   for (std::size_t i = 0; i < k.values.size(); before = k.below[i++])
                     sum += (k.below[i] - before) * power_of(k.values[i] - centre, 2);
                   return sum;
                 },
                 [&](const Smooth& k) {
                   double sum = 0.0;
                   for (std::size_t i = 1; i < k.samples.size(); ++i) {
                     const double a = k.samples[i - 1] - centre, b = k.samples[i] - centre;
                     sum += (a * a + a * b + b * b) / 3.0;
                   }
                   return sum / static_cast<double>(k.samples.size() - 1);
                 }},
      kind_);
}

}  // namespace vinci
