// SPDX-License-Identifier: Apache-2.0
#include "vinci/newton/cone_path.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

using Kind = ScaledContacts::Kind;
constexpr int most_rows = ScaledContacts::largest;

constexpr double to_the_boundary = 0.995;  // of the longest step
// Of the unit: how far inside loads of before are pushed.
constexpr double pushed = 0.1;
// Of the diagonal of W: the proximal term of an equality, the root of ε; a step gains so much.
constexpr double proximity = 1e-8;
// Steps shorter than this, so many in a row, lead off the path: back onto it, further inside.
constexpr double short_step = 0.1;
constexpr int most_short = 2, most_returns = 3;
constexpr double further = 3.0;

// Of numbers near 1: no hypot.
double length_of(int count, const double* x) {
  if (count == 1) return std::abs(x[0]);
  return count == 0 ? 0.0 : std::sqrt(x[0] * x[0] + x[1] * x[1]);
}

// x₀² − |x₁|².
double determinant(int rows, const double* x) {
  const double length = length_of(rows - 1, x + 1);
  return (x[0] - length) * (x[0] + length);
}

double dot(int rows, const double* x, const double* y) {
  double sum = 0.0;
  for (int i = 0; i < rows; ++i) sum += x[i] * y[i];
  return sum;
}

// y = W x (sign 1) or W⁻¹ x (sign −1).
void turn(int rows, double eta, const double* axis, double sign, const double* x, double* y) {
  const double across = dot(rows - 1, axis + 1, x + 1);
  const double factor = sign > 0.0 ? eta : 1.0 / eta;
  const double along = sign * x[0] + across / (1.0 + axis[0]);
  y[0] = factor * (axis[0] * x[0] + sign * across);
  for (int i = 1; i < rows; ++i) y[i] = factor * (x[i] + along * axis[i]);
}

// The largest length up to which x + length d is in the cone.
double to_boundary(int rows, const double* x, const double* d, double length) {
  if (rows == 1) return d[0] < 0.0 ? std::min(length, -x[0] / d[0]) : length;
  const double c = determinant(rows, x);
  const double a = determinant(rows, d);
  const double b = x[0] * d[0] - dot(rows - 1, x + 1, d + 1);
  const double root = b * b - a * c;
  if (root < 0.0) return length;
  const double below = std::sqrt(root) - b;
  return below > 0.0 ? std::min(length, c / below) : length;
}

// The symmetric rows × rows matrix a inverted in place.
void invert_symmetric(int rows, double* a) {
  if (rows == 1) {
    a[0] = 1.0 / a[0];
  } else if (rows == 2) {
    const double inverse = 1.0 / (a[0] * a[3] - a[1] * a[1]);
    const double first = a[0] * inverse;
    a[0] = a[3] * inverse;
    a[3] = first;
    a[1] = a[2] = -a[1] * inverse;
  } else {
    const double c00 = a[4] * a[8] - a[5] * a[5], c01 = a[2] * a[5] - a[1] * a[8];
    const double c02 = a[1] * a[5] - a[2] * a[4], c11 = a[0] * a[8] - a[2] * a[2];
    const double c12 = a[1] * a[2] - a[0] * a[5], c22 = a[0] * a[4] - a[1] * a[1];
    const double inverse = 1.0 / (a[0] * c00 + a[1] * c01 + a[2] * c02);
    a[0] = c00 * inverse, a[4] = c11 * inverse, a[8] = c22 * inverse;
    a[1] = a[3] = c01 * inverse, a[2] = a[6] = c02 * inverse, a[5] = a[7] = c12 * inverse;
  }
}

// E = (W⁻² + C)⁻¹ = W (1 + W C W)⁻¹ W, C diagonal: W² without C, and no digits are lost where W and
// its inverse differ by many orders.
void respond(int rows, double eta, const double* axis, const double* C, double* E) {
  double W[most_rows * most_rows], inner[most_rows * most_rows], right[most_rows * most_rows];
  const double most = *std::max_element(C, C + rows);
  if (!(most > 0.0)) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j)
        E[i * rows + j] =
            eta * eta * (2.0 * axis[i] * axis[j] + (i == j ? (i == 0 ? -1.0 : 1.0) : 0.0));
    return;
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j)
      W[i * rows + j] =
          eta * (i == 0 || j == 0 ? axis[i + j]
                                  : axis[i] * axis[j] / (1.0 + axis[0]) + (i == j ? 1.0 : 0.0));
  const auto multiply = [&](const double* a, const double* b, double* to) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j) {
        to[i * rows + j] = 0.0;
        for (int k = 0; k < rows; ++k) to[i * rows + j] += a[i * rows + k] * b[k * rows + j];
      }
  };
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) right[i * rows + j] = C[i] * W[i * rows + j];
  multiply(W, right, inner);
  for (int i = 0; i < rows; ++i) inner[i * rows + i] += 1.0;
  invert_symmetric(rows, inner);
  multiply(inner, W, right);
  multiply(W, right, E);
}

}  // namespace

// Near the loads of before if there are any, with the velocities that follow.
void ConePath::start(const ScaledContacts& contacts, const Terms& terms, const VectorX& x) {
  const bool warm = x.size() == contacts.rows();
  x_ = warm ? x : VectorX::Zero(contacts.rows());
  soft_ = contacts.compliance();
  for (const Contact& contact : contacts.contacts()) {
    for (int i = 0; i < contact.rows; ++i)
      soft_[contact.first + i] += terms.compliance * contacts.compliance_unit(contact, i);
  }
  go_inside(contacts, (warm ? pushed : 1.0) * terms.unit);
}

// So far inside, in the unit of w, from where the loads are.
void ConePath::go_inside(const ScaledContacts& contacts, double inset) {
  for (const Contact& contact : contacts.contacts()) {
    double* const own = x_.data() + contact.first;
    if (contact.kind != Kind::free)
      own[0] = std::max(own[0], length_of(contact.rows - 1, own + 1)) + inset / contact.root;
  }
  v_ = contacts.free_velocity();
  contacts.add_impulses(x_, v_);
  contacts.velocities(v_, w_);
  w_ += contacts.bias() + soft_.cwiseProduct(x_);
  z_.setZero(contacts.rows());
  for (const Contact& contact : contacts.contacts()) {
    if (contact.kind == Kind::free) continue;
    const double* const w = w_.data() + contact.first;
    double* const z = z_.data() + contact.first;
    const double slip = length_of(contact.rows - 1, w + 1);
    for (int i = 1; i < contact.rows; ++i) z[i] = w[i];
    z[0] = std::max(w[0] + slip, slip) + inset / contact.root;
  }
}

// W of every contact, E = (W⁻² + C)⁻¹ and what z lacks.
bool ConePath::scale(const ScaledContacts& contacts) {
  scaling_.resize(contacts.contacts().size());
  gap_.resize(contacts.rows());
  double* E = E_.data();
  for (std::size_t n = 0; n < scaling_.size(); ++n) {
    const Contact& contact = contacts.contacts()[n];
    const int rows = contact.rows;
    const double *const x = x_.data() + contact.first, *const z = z_.data() + contact.first;
    const double *const w = w_.data() + contact.first, *const c = soft_.data() + contact.first;
    double* const gap = gap_.data() + contact.first;
    Scaling& own = scaling_[n];
    if (contact.kind == Kind::free) {
      E[0] = 1.0 / (c[0] + proximity);
      gap[0] = -w[0];
    } else if (rows == 1) {
      own.eta = std::sqrt(x[0] / z[0]);
      E[0] = 1.0 / (z[0] / x[0] + c[0]);
      gap[0] = z[0] - w[0];
    } else {
      const double dx = determinant(rows, x), dz = determinant(rows, z);
      if (!(dx > 0.0) || !(dz > 0.0)) return false;
      const double nx = 1.0 / std::sqrt(dx), nz = 1.0 / std::sqrt(dz);
      const double gamma = 1.0 / std::sqrt(2.0 * (1.0 + nx * nz * dot(rows, x, z)));  // 1/(2γ)
      own.eta = std::sqrt(std::sqrt(dx / dz));
      own.axis[0] = gamma * (nx * x[0] + nz * z[0]);
      for (int i = 1; i < rows; ++i) own.axis[i] = gamma * (nx * x[i] - nz * z[i]);
      respond(rows, own.eta, own.axis, c, E);
      for (int i = 0; i < rows; ++i) gap[i] = z[i] - w[i];
      gap[0] -= length_of(rows - 1, w + 1);
    }
    E += rows * rows;
  }
  return true;
}

// The right-hand side g of dx = E (g − J dv): towards products of this size, with the second-order
// terms of the step at hand; or, where it is negative, to none without them.
void ConePath::aim(const ScaledContacts& contacts, double product) {
  g_.resize(contacts.rows());
  for (std::size_t n = 0; n < scaling_.size(); ++n) {
    const Contact& contact = contacts.contacts()[n];
    const int rows = contact.rows, first = contact.first;
    const double *const x = x_.data() + first, *const z = z_.data() + first;
    double* const g = g_.data() + first;
    const double free = contact.kind == Kind::free ? 0.0 : 1.0;
    for (int i = 0; i < rows; ++i) g[i] = gap_[first + i] - free * z[i];
    if (product < 0.0 || contact.kind == Kind::free) continue;
    if (rows == 1) {
      g[0] += (product - dx_[first] * dz_[first]) / x[0];
      continue;
    }
    const Scaling& own = scaling_[n];
    double l[most_rows], a[most_rows], b[most_rows], r[most_rows], y[most_rows];
    turn(rows, own.eta, own.axis, 1.0, z, l);
    turn(rows, own.eta, own.axis, -1.0, dx_.data() + first, a);
    turn(rows, own.eta, own.axis, 1.0, dz_.data() + first, b);
    r[0] = product - dot(rows, a, b);
    for (int i = 1; i < rows; ++i) r[i] = -(a[0] * b[i] + b[0] * a[i]);
    y[0] = (l[0] * r[0] - dot(rows - 1, l + 1, r + 1)) / determinant(rows, l);
    for (int i = 1; i < rows; ++i) y[i] = (r[i] - y[0] * l[i]) / l[0];
    turn(rows, own.eta, own.axis, -1.0, y, r);
    for (int i = 0; i < rows; ++i) g[i] += r[i];
  }
}

// dv, dx and dz of the right-hand side g.
bool ConePath::step(ScaledContacts& contacts) {
  const auto apply = [&](const VectorX& from, VectorX& to) {
    to.resize(from.size());
    const double* E = E_.data();
    for (const Contact& contact : contacts.contacts())
      for (int i = 0; i < contact.rows; ++i, E += contact.rows)
        to[contact.first + i] = dot(contact.rows, E, from.data() + contact.first);
  };
  apply(g_, dx_);
  dv_.setZero(contacts.unknowns());
  contacts.add_impulses(dx_, dv_);
  contacts.solve(dv_);
  contacts.velocities(dv_, moved_);
  g_ -= moved_;
  apply(g_, dx_);
  moved_ += soft_.cwiseProduct(dx_);  // dw
  dz_ = moved_ - gap_;
  return dv_.allFinite();
}

double ConePath::longest(const ScaledContacts& contacts, double most) const {
  double length = most;
  for (const Contact& contact : contacts.contacts()) {
    if (contact.kind == Kind::free) continue;
    const int first = contact.first;
    length = to_boundary(contact.rows, x_.data() + first, dx_.data() + first, length);
    length = to_boundary(contact.rows, z_.data() + first, dz_.data() + first, length);
  }
  return length;
}

double ConePath::product(const ScaledContacts& contacts) const {
  double sum = 0.0;
  for (const Contact& contact : contacts.contacts())
    if (contact.kind != Kind::free)
      sum += dot(contact.rows, x_.data() + contact.first, z_.data() + contact.first);
  return sum / std::max(1, contacts.cones());
}

ConePath::Outcome ConePath::run(ScaledContacts& contacts, const Terms& terms, VectorX& x) {
  std::size_t entries = 0;
  for (const Contact& contact : contacts.contacts())
    entries += static_cast<std::size_t>(contact.rows * contact.rows);
  E_.resize(entries);
  start(contacts, terms, x);
  Outcome best{std::numeric_limits<double>::infinity(), 0};
  int steps = 0, short_ones = 0, returns = 0;
  while (true) {
    dz_ = w_ + (contacts.compliance() - soft_).cwiseProduct(x_);  // without what was added
    const double distance = contacts.distance(x_, dz_);
    if (distance < best.distance) {
      best.distance = distance;
      x = x_;
    }
    best.steps = steps;
    if (!(distance > terms.target) || steps >= terms.steps) break;
    if (terms.until && terms.until->passed()) break;
    if (!scale(contacts) || !contacts.factor(E_)) break;
    ++steps;
    aim(contacts, -1.0);
    if (!step(contacts)) break;
    const double left = 1.0 - longest(contacts, 1.0);
    aim(contacts, left * left * left * product(contacts));
    if (!step(contacts)) break;
    const double length = std::min(1.0, to_the_boundary * longest(contacts, 1.0 / to_the_boundary));
    x_ += length * dx_;
    z_ += length * dz_;
    w_ += length * moved_;
    short_ones = length < short_step ? short_ones + 1 : 0;
    if (short_ones < most_short) continue;
    if (++returns > most_returns) break;
    short_ones = 0;
    go_inside(contacts, further * distance / std::sqrt(static_cast<double>(scaling_.size())));
  }
  return best;
}

}  // namespace vinci
