// SPDX-License-Identifier: Apache-2.0
// The switch over the laws.
#include "vinci/complementarity/laws.h"

#include "vinci/complementarity/law_ball.h"
#include "vinci/complementarity/law_box.h"
#include "vinci/complementarity/law_coulomb.h"
#include "vinci/complementarity/law_equality.h"
#include "vinci/complementarity/law_moments.h"
#include "vinci/complementarity/law_nonnegative.h"
#include "vinci/complementarity/law_second_order.h"

namespace vinci {

void project(const Block& block, double scale, double* x) {
  switch (block.law) {
    case Law::equality:
      break;
    case Law::nonnegative:
      x[0] = law::project_nonnegative(x[0]);
      break;
    case Law::box:
      x[0] = law::project_box(x[0], scale * block.lower, scale * block.upper);
      break;
    case Law::ball:
      law::project_ball(block.size, x, scale * block.upper);
      break;
    case Law::coulomb:
    case Law::second_order:
      law::project_cone(block.size, x, block.friction);
      break;
    case Law::moments:
      law::project_moments(law::balls_of(block), x);
      break;
  }
}

namespace {

void moments_map(const Block& block, double scale, const double* lambda, const double* w, double* r,
                 double length) {
  const int size = block.size, first = law::moment_start(block);
  const law::Balls balls = law::balls_of(block);
  double x[largest_contact], target[largest_contact];
  for (int i = 0; i < size; ++i) {
    x[i] = scale * lambda[i] / (i < first ? 1.0 : length);
    target[i] = x[i] - w[i] * (i < first ? 1.0 : length);
  }
  target[0] = x[0] - law::moments_shift(balls, w);
  law::project_moments(law::scaled(balls, length), target);
  for (int i = 0; i < size; ++i) r[i] = x[i] - target[i];
}

}  // namespace

void natural_map(const Block& block, double scale, const double* lambda, const double* w, double* r,
                 double length) {
  switch (block.law) {
    case Law::equality:
      law::equality_map(block.size, w, r);
      return;
    case Law::nonnegative:
      r[0] = law::nonnegative_map(scale * lambda[0], w[0]);
      return;
    case Law::box:
      r[0] =
          law::box_map(scale * (lambda[0] - block.upper), w[0], scale * (lambda[0] - block.lower));
      return;
    case Law::moments:
      moments_map(block, scale, lambda, w, r, length);
      return;
    case Law::ball:
    case Law::coulomb:
    case Law::second_order:
      break;
  }
  double projected[3];
  for (int i = 0; i < block.size; ++i) projected[i] = scale * lambda[i] - w[i];
  if (block.law == Law::coulomb)
    projected[0] = scale * lambda[0] - law::coulomb_shift(block.size, w, block.friction);
  project(block, scale, projected);
  for (int i = 0; i < block.size; ++i) r[i] = scale * lambda[i] - projected[i];
}

}  // namespace vinci
