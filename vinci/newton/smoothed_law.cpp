// SPDX-License-Identifier: Apache-2.0
// The central path, law by law.
#include "vinci/newton/smoothed_law.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/law_ball.h"

namespace vinci {
namespace {

// ρ of the proximal term that stands for an equality, which has no inside: the root of ε, so that
// its error and the digits that it costs the factor are the same.
constexpr double equality_proximity = 1e-8;

struct Bounds {
  double lower, upper;
  bool has_lower, has_upper;
};

Bounds bounds(const Block& block) {
  const bool box = block.law == Law::box;
  const double lower = box ? block.lower : 0.0;
  const double upper = box ? block.upper : std::numeric_limits<double>::infinity();
  return {lower, upper, std::isfinite(lower), std::isfinite(upper)};
}

// What a block is made of: a law for its normal row and, below a radius, its tangential rows.
struct Parts {
  bool equality = false, box = false, normal = false;
  int first = 0, tangents = 0;  // the rows below the radius
};

Parts parts(const Block& block) {
  Parts result;
  switch (block.law) {
    case Law::equality:
      result.equality = true;
      break;
    case Law::nonnegative:
      result.box = true;
      break;
    case Law::box: {
      const Bounds b = bounds(block);
      result.equality = !b.has_lower && !b.has_upper;
      result.box = !result.equality;
      break;
    }
    case Law::ball:
      result.tangents = block.upper > 0.0 ? block.size : 0;
      break;
    case Law::coulomb:
    case Law::second_order:
      result.normal = true;
      result.first = 1;
      result.tangents = block.friction > 0.0 ? block.size - 1 : 0;
      break;
    case Law::moments:
      break;
  }
  return result;
}

double radius(const Block& block, const double* lambda) {
  return block.law == Law::ball ? block.upper : block.friction * lambda[0];
}

double room(double radius, double tangential) {  // f
  return (radius - tangential) * (radius + tangential) / (2.0 * radius);
}

// x y = ε²/s nearest to s x − y = t.
void split(double t, double scale, double epsilon, double& x, double& y) {
  const double root = std::hypot(t, 2.0 * epsilon);
  if (t >= 0.0) {
    x = (t + root) / (2.0 * scale);
    y = epsilon * epsilon / (scale * x);
  } else {
    y = (root - t) / 2.0;
    x = epsilon * epsilon / (scale * y);
  }
}

void start_box(const SmoothedState& state, double scale, double epsilon) {
  const Bounds b = bounds(*state.block);
  double& lambda = *state.lambda;
  double& w = *state.w;
  const double tau = epsilon * epsilon / scale;
  *state.slip = 0.0;
  if (b.has_lower && b.has_upper) {
    const double width = b.upper - b.lower;
    const double inset = std::min(0.25 * width, epsilon / scale);
    lambda = std::clamp(lambda, b.lower + inset, b.upper - inset);
    *state.slip = tau / (b.upper - lambda);
    w = tau / (lambda - b.lower) - *state.slip;
  } else if (b.has_lower) {
    double x = 0.0;
    split(scale * (lambda - b.lower) - w, scale, epsilon, x, w);
    lambda = b.lower + x;
  } else {
    double x = 0.0, y = 0.0;
    split(scale * (b.upper - lambda) + w, scale, epsilon, x, y);
    lambda = b.upper - x;
    w = -y;
  }
}

struct Derivatives {
  double tangential, radius, f, f_normal;  // |λ_t|, μ λ_n, f, ∂f/∂λ_n
};

Derivatives derivatives(const SmoothedState& state, const Parts& p) {
  Derivatives d;
  d.tangential = law::norm(p.tangents, state.lambda + p.first);
  d.radius = radius(*state.block, state.lambda);
  d.f = room(d.radius, d.tangential);
  const double ratio = d.tangential / d.radius;
  d.f_normal = p.normal ? 0.5 * state.block->friction * (1.0 + ratio * ratio) : 0.0;
  return d;
}

// ∇f·x.
double along(const SmoothedState& state, const Parts& p, const Derivatives& d, const double* x) {
  double sum = p.normal ? d.f_normal * x[0] : 0.0;
  for (int i = 0; i < p.tangents; ++i) sum -= state.lambda[p.first + i] / d.radius * x[p.first + i];
  return sum;
}

// f(λ) − h, with the curvature of f along the step before.
double room_gap(const SmoothedState& state, const Parts& p, const Derivatives& d,
                const SmoothedStep& before) {
  double gap = d.f - state.slip[1];
  if (!before.lambda) return gap;
  const Block& block = *state.block;
  double moved[3] = {};
  for (int i = 0; i < block.size; ++i) moved[i] = state.lambda[i] + before.lambda[i];
  if (!(moved[0] > 0.0) && p.normal) return gap;
  return gap + room(radius(block, moved), law::norm(p.tangents, moved + p.first)) - d.f -
         along(state, p, d, before.lambda);
}

// h dσ + σ ∇f·dλ = this.
double slip_right(const SmoothedState& state, const Parts& p, const Derivatives& d, double tau,
                  const SmoothedStep& before) {
  const double slip = state.slip[0], space = state.slip[1];
  double right = tau - slip * space - slip * room_gap(state, p, d, before);
  if (before.lambda) right -= before.slip[0] * before.slip[1];
  return right;
}

// A dλ + B dw = right of one row.
struct Line {
  double A, B, right;
};

Line box_line(const SmoothedState& state, double tau, const SmoothedStep& before) {
  const Bounds b = bounds(*state.block);
  const double lambda = *state.lambda, w = *state.w, slip = *state.slip;
  if (!b.has_lower) {
    const double space = b.upper - lambda;
    double right = -(tau + w * space);
    if (before.lambda) right += *before.lambda * *before.w;
    return {-w, space, right};
  }
  const double space = lambda - b.lower;
  double A = w + slip, right = tau - A * space;
  if (before.lambda) right -= *before.lambda * (*before.w + *before.slip);
  if (b.has_upper) {
    const double above = b.upper - lambda;
    double other = tau - slip * above;
    if (before.lambda) other += *before.slip * *before.lambda;
    A += space * slip / above;
    right -= space * other / above;
  }
  return {A, space, right};
}

Line normal_line(const SmoothedState& state, double tau, const SmoothedStep& before) {
  double right = tau - state.lambda[0] * state.w[0];
  if (before.lambda) right -= before.lambda[0] * before.w[0];
  return {state.w[0], state.lambda[0], right};
}

// The tangential rows in the frame of λ_t: along it (r), across it (t). Near the edge D differs by
// many orders between the two and must not mix them by rounding.
struct Frame {
  double r[2] = {1.0, 0.0}, t[2] = {0.0, 1.0};
  Frame(const double* lambda, int count) {
    const double length = law::norm(count, lambda);
    if (!(length > 0.0)) return;
    for (int i = 0; i < count; ++i) r[i] = lambda[i] / length;
    t[0] = -r[1], t[1] = r[0];
  }
  static double dot(const double* axis, const double* x, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += axis[i] * x[i];
    return sum;
  }
};

// The tangential rows linearised: along each axis of the frame
// column dλ_n + A (axis·dλ_t) + radius (axis·dw_t) = right.
struct TangentialLines {
  Frame frame;
  double radius;
  double column_r = 0.0, column_t = 0.0;
  double A_r = 0.0, A_t = 0.0, right_r = 0.0, right_t = 0.0;
};

TangentialLines tangential_lines(const SmoothedState& state, const Parts& p, double tau,
                                 const SmoothedStep& before) {
  const int k = p.tangents;
  const Derivatives d = derivatives(state, p);
  TangentialLines lines{Frame(state.lambda + p.first, k), d.radius};
  const double slip = state.slip[0], space = state.slip[1], mu = state.block->friction;
  const auto along_r = [&](const double* x) { return Frame::dot(lines.frame.r, x + p.first, k); };
  const auto along_t = [&](const double* x) { return Frame::dot(lines.frame.t, x + p.first, k); };
  const double w_r = along_r(state.w), w_t = along_t(state.w);
  lines.right_r = -(d.radius * w_r + slip * d.tangential) -
                  d.tangential * slip_right(state, p, d, tau, before) / space;
  lines.right_t = -d.radius * w_t;
  if (before.lambda) {
    lines.right_r -= before.slip[0] * along_r(before.lambda);
    lines.right_t -= before.slip[0] * along_t(before.lambda);
    if (p.normal) {
      lines.right_r -= mu * before.lambda[0] * along_r(before.w);
      lines.right_t -= mu * before.lambda[0] * along_t(before.w);
    }
  }
  lines.A_r = slip * (1.0 + d.tangential * d.tangential / (space * d.radius));
  lines.A_t = slip;
  if (p.normal) {
    lines.column_r = mu * w_r - d.tangential * slip * d.f_normal / space;
    lines.column_t = mu * w_t;
  }
  return lines;
}

// A is lower triangular in the frame: D and g of the tangential rows from those of the normal one.
void invert_tangential(const TangentialLines& lines, const Parts& p, int size, double* D,
                       double* g) {
  const Frame& frame = lines.frame;
  double D_r = 0.0, D_t = 0.0, right_r = lines.right_r, right_t = lines.right_t;
  if (p.normal) {
    right_r -= lines.column_r * g[0];
    right_t -= lines.column_t * g[0];
    D_r = -lines.column_r / lines.A_r * D[0];
    D_t = -lines.column_t / lines.A_t * D[0];
  }
  for (int i = 0; i < p.tangents; ++i) {
    const int row = p.first + i;
    g[row] = frame.r[i] * right_r / lines.A_r + frame.t[i] * right_t / lines.A_t;
    if (p.normal) D[row * size] = frame.r[i] * D_r + frame.t[i] * D_t;
    for (int j = 0; j < p.tangents; ++j)
      D[row * size + p.first + j] = lines.radius * (frame.r[i] * frame.r[j] / lines.A_r +
                                                    frame.t[i] * frame.t[j] / lines.A_t);
  }
}

double to_zero(double x, double dx, double length) {
  return dx < 0.0 ? std::min(length, -x / dx) : length;
}

}  // namespace

void start_inside(const SmoothedState& state, double scale, double epsilon) {
  const Parts p = parts(*state.block);
  state.slip[0] = state.slip[1] = 0.0;
  if (p.box) return start_box(state, scale, epsilon);
  if (p.equality) return;
  const double speed = law::norm(p.tangents, state.w + p.first);
  if (p.normal) {
    const double t = scale * state.lambda[0] - state.w[0];
    split(t, scale, epsilon, state.lambda[0], state.w[0]);
  }
  if (p.tangents == 0) {
    for (int i = p.first; i < state.block->size; ++i) state.lambda[i] = 0.0;
    return;
  }
  const double R = radius(*state.block, state.lambda);
  double* const lambda = state.lambda + p.first;
  double length = law::norm(p.tangents, lambda), f = 0.0;
  split(scale * (length < R ? room(R, length) : 0.0) - speed, scale, epsilon, f, *state.slip);
  const double target = f < 0.5 * R ? std::sqrt(R * (R - 2.0 * f)) : 0.0;
  for (int i = 0; i < p.tangents; ++i) lambda[i] *= length > 0.0 ? target / length : 0.0;
  length = law::norm(p.tangents, lambda);
  state.slip[1] = room(R, length);
  *state.slip = epsilon * epsilon / (scale * state.slip[1]);
  for (int i = 0; i < p.tangents; ++i) state.w[p.first + i] = -*state.slip * lambda[i] / R;
}

void linearise(const SmoothedState& state, double scale, double tau, const SmoothedStep& before,
               double* D, double* g) {
  const Parts p = parts(*state.block);
  const int size = state.block->size;
  std::fill(D, D + size * size, 0.0);
  if (p.equality) {
    const double stiffness = 1.0 / (equality_proximity * scale);
    for (int i = 0; i < size; ++i) {
      D[i * size + i] = stiffness;
      g[i] = -stiffness * state.w[i];
    }
    return;
  }
  std::fill(g, g + size, 0.0);
  if (p.box || p.normal) {
    const Line line = p.box ? box_line(state, tau, before) : normal_line(state, tau, before);
    D[0] = line.B / line.A;
    g[0] = line.right / line.A;
  }
  if (p.tangents > 0) invert_tangential(tangential_lines(state, p, tau, before), p, size, D, g);
}

void linearise_rows(const SmoothedState& state, double scale, double tau,
                    const SmoothedStep& before, double* A, double* B, double* right) {
  const Parts p = parts(*state.block);
  const int size = state.block->size;
  std::fill(A, A + size * size, 0.0);
  std::fill(B, B + size * size, 0.0);
  std::fill(right, right + size, 0.0);
  for (int i = 0; i < size; ++i) A[i * size + i] = 1.0;  // rows without another equation: λ = 0
  if (p.equality) {
    for (int i = 0; i < size; ++i) {
      A[i * size + i] = equality_proximity * scale;
      B[i * size + i] = 1.0;
      right[i] = -state.w[i];
    }
    return;
  }
  if (p.box || p.normal) {
    const Line line = p.box ? box_line(state, tau, before) : normal_line(state, tau, before);
    A[0] = line.A, B[0] = line.B, right[0] = line.right;
  }
  if (p.tangents == 0) return;
  const TangentialLines lines = tangential_lines(state, p, tau, before);
  for (int i = 0; i < p.tangents; ++i) {
    const int row = p.first + i;
    const double* const axis = i == 0 ? lines.frame.r : lines.frame.t;
    if (p.normal) A[row * size] = i == 0 ? lines.column_r : lines.column_t;
    for (int j = 0; j < p.tangents; ++j) {
      A[row * size + p.first + j] = (i == 0 ? lines.A_r : lines.A_t) * axis[j];
      B[row * size + p.first + j] = lines.radius * axis[j];
    }
    right[row] = i == 0 ? lines.right_r : lines.right_t;
  }
}

void slip_step(const SmoothedState& state, double tau, const SmoothedStep& before,
               const double* lambda, double* slip) {
  const Parts p = parts(*state.block);
  slip[0] = slip[1] = 0.0;
  if (p.box) {
    const Bounds b = bounds(*state.block);
    if (!b.has_lower || !b.has_upper) return;
    const double above = b.upper - *state.lambda;
    double right = tau - *state.slip * above + *state.slip * *lambda;
    if (before.lambda) right += *before.slip * *before.lambda;
    slip[0] = right / above;
  } else if (p.tangents > 0) {
    const Derivatives d = derivatives(state, p);
    const double change = along(state, p, d, lambda);
    slip[0] = (slip_right(state, p, d, tau, before) - *state.slip * change) / state.slip[1];
    slip[1] = room_gap(state, p, d, before) + change;
  }
}

double longest_inside(const SmoothedState& state, const SmoothedStep& step, double length) {
  const Parts p = parts(*state.block);
  if (p.box) {
    const Bounds b = bounds(*state.block);
    const double lambda = *state.lambda, w = *state.w;
    if (b.has_lower) {
      length = to_zero(lambda - b.lower, *step.lambda, length);
      length = to_zero(w + *state.slip, *step.w + *step.slip, length);
    } else {
      length = to_zero(-w, -*step.w, length);
    }
    if (b.has_upper) length = to_zero(b.upper - lambda, -*step.lambda, length);
    return b.has_lower && b.has_upper ? to_zero(*state.slip, *step.slip, length) : length;
  }
  if (p.normal) {
    length = to_zero(state.lambda[0], step.lambda[0], length);
    length = to_zero(state.w[0], step.w[0], length);
  }
  if (p.tangents == 0) return length;
  length = to_zero(state.slip[0], step.slip[0], length);
  return to_zero(state.slip[1], step.slip[1], length);
}

void add_products(const SmoothedState& state, double scale, double& sum, int& count) {
  const Parts p = parts(*state.block);
  const auto add = [&](double product) {
    sum += scale * product;
    ++count;
  };
  if (p.box) {
    const Bounds b = bounds(*state.block);
    if (b.has_lower) add((*state.w + *state.slip) * (*state.lambda - b.lower));
    if (b.has_upper) add((b.has_lower ? *state.slip : -*state.w) * (b.upper - *state.lambda));
    return;
  }
  if (p.normal) add(state.lambda[0] * state.w[0]);
  if (p.tangents > 0) add(state.slip[0] * state.slip[1]);
}

double bent(const SmoothedState& state, double scale) {
  const Parts p = parts(*state.block);
  if (p.tangents == 0) return 0.0;
  const Derivatives d = derivatives(state, p);
  const double gap = scale * (d.f - state.slip[1]);
  double sum = gap * gap;
  // The direction of an impulse below ε says nothing.
  const double epsilon = std::sqrt(scale * state.slip[0] * state.slip[1]);
  const double weight = std::min(1.0, scale * d.radius / epsilon);
  for (int i = p.first; i < p.first + p.tangents; ++i) {
    const double turn = weight * (state.w[i] + state.slip[0] * state.lambda[i] / d.radius);
    sum += turn * turn;
  }
  return sum;
}

ActiveSetPolish::Contact indicated(const SmoothedState& state, const SmoothedState& before) {
  using Contact = ActiveSetPolish::Contact;
  const Parts p = parts(*state.block);
  const auto falls = [](double x, double x_before, double y, double y_before) {
    return x * y_before < y * x_before;
  };
  if (p.equality) return Contact::natural;
  if (p.box) {
    const Bounds b = bounds(*state.block);
    const double now = *state.lambda, was = *before.lambda;
    if (b.has_lower &&
        falls(now - b.lower, was - b.lower, *state.w + *state.slip, *before.w + *before.slip))
      return Contact::open;
    const double pull = b.has_lower ? *state.slip : -*state.w;
    const double pulled = b.has_lower ? *before.slip : -*before.w;
    if (b.has_upper && falls(b.upper - now, b.upper - was, pull, pulled)) return Contact::slide;
    return Contact::stick;
  }
  if (p.normal && falls(state.lambda[0], before.lambda[0], state.w[0], before.w[0]))
    return Contact::open;
  if (p.tangents == 0) return Contact::slide;
  return falls(state.slip[1], before.slip[1], state.slip[0], before.slip[0]) ? Contact::slide
                                                                             : Contact::stick;
}

}  // namespace vinci
