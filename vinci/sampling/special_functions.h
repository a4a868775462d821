// SPDX-License-Identifier: Apache-2.0
// The functions that statistics needs, accurate in their tails: a probability of 1e-300 has as many
// right digits as one of 0.3. The same bits on every processor.
#pragma once

namespace vinci {

// Of the normal distribution with mean 0 and deviation 1.
double normal_density(double x);
double normal_cdf(double x);                 // P(X <= x); P(X > x) is normal_cdf(-x)
double normal_quantile(double probability);  // −∞ at 0, ∞ at 1, NaN outside of [0, 1]

// P(X <= x) and P(X > x) of the beta distribution with a, b > 0: the regularised incomplete beta
// function I_x(a, b) and 1 − I_x(a, b).
struct Tails {
  double below = 0.0, above = 0.0;
};
Tails beta_tails(double x, double a, double b);
// x with P(X <= x) = probability, and with P(X > x) = probability.
double beta_quantile(double probability, double a, double b);
double beta_upper_quantile(double probability, double a, double b);

// t with P(T <= t) = probability of Student's distribution, freedom > 0.
double student_quantile(double probability, double freedom);

// P(successes = k), of whole 0 <= k <= n, and P(successes <= k) of n trials that succeed with
// `probability` each.
double binomial_density(double k, double n, double probability);
double binomial_cdf(double k, double n, double probability);

}  // namespace vinci
