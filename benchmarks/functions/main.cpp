// SPDX-License-Identifier: Apache-2.0
// benchmark-functions: nanoseconds per call of our transcendental functions and of the C library's:
// of many calls that do not depend on each other, and of calls of which each waits for the last.
#include <algorithm>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "solvers/cpu_clock.h"
#include "vinci/base/functions.h"

// The C library's, where --wrap has put ours in its place.
extern "C" {
double __real_sin(double x);
double __real_cos(double x);
void __real_sincos(double x, double* sine, double* cosine);
double __real_tan(double x);
double __real_asin(double x);
double __real_acos(double x);
double __real_atan(double x);
double __real_atan2(double y, double x);
double __real_exp(double x);
double __real_log(double x);
double __real_pow(double x, double y);
double __real_sinh(double x);
double __real_tanh(double x);
}

namespace vinci {
namespace {

constexpr int rounds = 60;

// The least of all rounds, ns per call: a disturbance only adds. Both take turns.
template <typename Ours, typename Theirs>
void compare(const char* name, double from, double to, Ours ours, Theirs theirs) {
  std::mt19937_64 generator{1};
  std::vector<double> numbers(4000);
  for (double& x : numbers) x = std::uniform_real_distribution<double>(from, to)(generator);
  double sink = 0.0;
  // 1e-300 of the last result is lost in the sum, but it must be waited for.
  const auto time = [&](auto function, bool waits) {
    const double start = cpu_seconds();
    double last = 0.0;
    if (waits)
      for (const double x : numbers) last = function(x + 1e-300 * last);
    else
      for (const double x : numbers) last += function(x);
    sink += last;
    return (cpu_seconds() - start) / static_cast<double>(numbers.size()) * 1e9;
  };
  double best[] = {1e9, 1e9, 1e9, 1e9};
  for (int round = 0; round < rounds; ++round) {
    best[0] = std::min(best[0], time(ours, false));
    best[1] = std::min(best[1], time(theirs, false));
    best[2] = std::min(best[2], time(ours, true));
    best[3] = std::min(best[3], time(theirs, true));
  }
  volatile double kept = sink;
  (void)kept;
  fmt::print("{:<7} {:>6} .. {:<4} {:>6.1f} {:>6.1f} {:>6.2f} {:>8.1f} {:>6.1f} {:>6.2f}\n", name,
             from, to, best[0], best[1], best[0] / best[1], best[2], best[3], best[2] / best[3]);
}

double sum_of_sincos(double x) {
  double sine = 0.0, cosine = 0.0;
  portable::sincos(x, &sine, &cosine);
  return sine + cosine;
}
double real_sum_of_sincos(double x) {
  double sine = 0.0, cosine = 0.0;
  __real_sincos(x, &sine, &cosine);
  return sine + cosine;
}

}  // namespace
}  // namespace vinci

int main() {
  using namespace vinci;
  fmt::print("ns per call                 alone              one after another\n");
  fmt::print("function  numbers         ours      C  ratio     ours      C  ratio\n");
  compare("sin", -10, 10, portable::sin, __real_sin);
  compare("cos", -10, 10, portable::cos, __real_cos);
  compare("sincos", -10, 10, sum_of_sincos, real_sum_of_sincos);
  compare("tan", -10, 10, portable::tan, __real_tan);
  compare("asin", -1, 1, portable::asin, __real_asin);
  compare("acos", -1, 1, portable::acos, __real_acos);
  compare("atan", -10, 10, portable::atan, __real_atan);
  compare(
      "atan2", -1, 1, [](double x) { return portable::atan2(x, 0.3); },
      [](double x) { return __real_atan2(x, 0.3); });
  compare("exp", -20, 20, portable::exp, __real_exp);
  compare("log", 0.1, 10, portable::log, __real_log);
  compare(
      "pow", 0.1, 10, [](double x) { return portable::pow(x, 1.7); },
      [](double x) { return __real_pow(x, 1.7); });
  compare("sinh", -20, 20, portable::sinh, __real_sinh);
  compare("tanh", -20, 20, portable::tanh, __real_tanh);
  return 0;
}
