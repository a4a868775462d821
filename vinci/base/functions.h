// SPDX-License-Identifier: Apache-2.0
// The transcendental functions, the same bits on every processor. The C library has several
// versions of each and chooses by what the processor can do (fused multiply-add), and their last
// bits differ. Every library and program of ours is linked so that sin() and the others are these
// (cmake/functions.cmake): no source need name them.
//
// Errors: at most 0.7 ulp (measured: sine, cosine and tangent 0.6, powers 0.6, the others 0.55),
// and 1 ulp where a result is below the normal numbers. Zeros, infinities and NaN are as in C
// (Annex F); errno and the floating-point flags are not set.
#pragma once

namespace vinci::portable {

double sin(double x);
double cos(double x);
void sincos(double x, double* sine, double* cosine);  // the bits of sin and cos
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);
double exp(double x);
double log(double x);
double pow(double x, double y);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double expm1(double x);
double log1p(double x);
double log10(double x);
double gamma(double x);  // of 1 <= x <= 170

}  // namespace vinci::portable
