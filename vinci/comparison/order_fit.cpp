// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/order_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vinci {
namespace {

constexpr double lowest = 0.01, highest = 16.0;  // orders looked for

// Student's t: 97.5 % quantiles for 1, 2, ... degrees of freedom.
double student(std::size_t freedom) {
  constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                              2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                              2.131,  2.120, 2.110, 2.101, 2.093, 2.086};
  return freedom <= std::size(table) ? table[freedom - 1] : 2.0;
}

// ln(hᵖ − gᵖ) = p ln h + ln(1 − (g/h)ᵖ), and its derivative by p.
std::pair<double, double> shape(const StepDifference& d, double p) {
  if (d.finer <= 0.0) return {p * std::log(d.step), std::log(d.step)};
  const double ratio = std::log(d.finer / d.step), power = std::exp(p * ratio);
  return {p * std::log(d.step) + std::log1p(-power),
          std::log(d.step) - power / (1.0 - power) * ratio};
}

struct Sum {
  double squares = 0.0, logarithm = 0.0;  // of the residuals; ln C
};

Sum residuals(const std::vector<StepDifference>& all, double p) {
  Sum sum;
  for (const StepDifference& d : all) sum.logarithm += std::log(d.difference) - shape(d, p).first;
  sum.logarithm /= static_cast<double>(all.size());
  for (const StepDifference& d : all) {
    const double r = std::log(d.difference) - sum.logarithm - shape(d, p).first;
    sum.squares += r * r;
  }
  return sum;
}

// The best order: of a coarse row, then by golden sections beside it.
double best_order(const std::vector<StepDifference>& all) {
  constexpr double stride = 0.05;
  double best = lowest;
  for (double p = lowest; p <= highest; p += stride)
    if (residuals(all, p).squares < residuals(all, best).squares) best = p;
  double low = std::max(lowest, best - stride), high = best + stride;
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  while (high - low > 1e-10) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    (residuals(all, a).squares < residuals(all, b).squares ? high : low) =
        residuals(all, a).squares < residuals(all, b).squares ? b : a;
  }
  return 0.5 * (low + high);
}

}  // namespace

std::optional<OrderFit> fit_order(std::vector<StepDifference> all) {
  std::erase_if(all, [](const StepDifference& d) {
    return !(std::isfinite(d.difference) && d.difference > 0.0 && d.step > d.finer);
  });
  if (all.size() < 2) return std::nullopt;
  OrderFit fit;
  fit.points = all.size();
  fit.order = best_order(all);
  const Sum sum = residuals(all, fit.order);
  fit.constant = std::exp(sum.logarithm);
  const auto count = static_cast<double>(all.size());
  fit.misfit = std::sqrt(sum.squares / count);
  if (all.size() > 2) {
    double mean = 0.0, spread = 0.0;
    for (const StepDifference& d : all) mean += shape(d, fit.order).second / count;
    for (const StepDifference& d : all) spread += std::pow(shape(d, fit.order).second - mean, 2.0);
    const double variance = sum.squares / (count - 2.0);
    fit.order_deviation = student(all.size() - 2) * std::sqrt(variance / spread);
  }
  return fit;
}

}  // namespace vinci
