// SPDX-License-Identifier: Apache-2.0
// Exact signs by expansions: sums of doubles that do not overlap, grown one double at a time.
#include "vinci/geometry/predicates.h"

#include <algorithm>
#include <array>
#include <limits>

namespace vinci {

namespace {

// A sum of doubles in increasing magnitude, none of them overlapping: its sign is the last one's.
class Expansion {
 public:
  void add(double value) {
    int kept = 0;
    for (int i = 0; i < size_; ++i) {
      const double sum = value + terms_[i];
      const double back = sum - value;
      const double error = (value - (sum - back)) + (terms_[i] - back);
      if (error != 0.0) terms_[kept++] = error;
      value = sum;
    }
    if (value != 0.0) terms_[kept++] = value;
    size_ = kept;
  }
  void add_product(double x, double y) {
    const double product = x * y;
    add(std::fma(x, y, -product));
    add(product);
  }
  int sign() const { return size_ == 0 ? 0 : (terms_[size_ - 1] > 0.0 ? 1 : -1); }

 private:
  std::array<double, 16> terms_{};
  int size_ = 0;
};

int exact_orientation(const Vector2& a, const Vector2& b, const Vector2& c) {
  Expansion sum;
  sum.add_product(a.x(), b.y());
  sum.add_product(-a.y(), b.x());
  sum.add_product(b.x(), c.y());
  sum.add_product(-b.y(), c.x());
  sum.add_product(c.x(), a.y());
  sum.add_product(-c.y(), a.x());
  return sum.sign();
}

// Whether c, known to be collinear with a and b, lies between them.
bool between(const Vector2& a, const Vector2& b, const Vector2& c) {
  return std::min(a.x(), b.x()) <= c.x() && c.x() <= std::max(a.x(), b.x()) &&
         std::min(a.y(), b.y()) <= c.y() && c.y() <= std::max(a.y(), b.y());
}

}  // namespace

int orientation(const Vector2& a, const Vector2& b, const Vector2& c) {
  const double left = (a.x() - c.x()) * (b.y() - c.y());
  const double right = (a.y() - c.y()) * (b.x() - c.x());
  const double determinant = left - right;
  // Error bound of the rounded determinant: (3 + 16 u) u (|left| + |right|), u the unit roundoff.
  constexpr double u = 0.5 * std::numeric_limits<double>::epsilon();
  const double bound = (3.0 + 16.0 * u) * u * (std::abs(left) + std::abs(right));
  if (determinant > bound) return 1;
  if (-determinant > bound) return -1;
  return exact_orientation(a, b, c);
}

bool segments_touch(const Vector2& a, const Vector2& b, const Vector2& c, const Vector2& d) {
  const int abc = orientation(a, b, c), abd = orientation(a, b, d);
  const int cda = orientation(c, d, a), cdb = orientation(c, d, b);
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (abc == 0 && between(a, b, c)) || (abd == 0 && between(a, b, d)) ||
         (cda == 0 && between(c, d, a)) || (cdb == 0 && between(c, d, b));
}

}  // namespace vinci
