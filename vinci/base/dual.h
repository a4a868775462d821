// SPDX-License-Identifier: Apache-2.0
// Numbers that carry derivatives, for functions that are templates over their number: exact to
// rounding, without differences [Griewank 2008, chapters 3 and 13].
//
//   Dual<T>    a value and its derivative along one direction
//   Series<T>  a value and its first and second derivative with respect to time
//
// They nest: Series<Dual<double>> is how a second time derivative changes along a direction.
#pragma once

#include <cmath>

#include <Eigen/Core>

namespace vinci {

template <class T>
struct Dual {
  T value = T(0.0), slope = T(0.0);
  Dual() = default;
  Dual(double constant) : value(constant) {}
  Dual(T v, T s) : value(v), slope(s) {}
};

template <class T>
struct Series {
  T value = T(0.0), first = T(0.0), second = T(0.0);
  Series() = default;
  Series(double constant) : value(constant) {}
  Series(T v, T f, T s) : value(v), first(f), second(s) {}
};

inline double plain(double x) {
  return x;
}
template <class T>
double plain(const Dual<T>& x) {
  return plain(x.value);
}
template <class T>
double plain(const Series<T>& x) {
  return plain(x.value);
}

// What does not change.
template <template <class> class Number, class T>
Number<T> constant(const T& value) {
  Number<T> number;
  number.value = value;
  return number;
}

// g(x) from g, g' and g'' at the value.
template <class T>
Dual<T> chain(const Dual<T>& x, const T& g, const T& first, const T&) {
  return {g, first * x.slope};
}
template <class T>
Series<T> chain(const Series<T>& x, const T& g, const T& first, const T& second) {
  return {g, first * x.first, second * x.first * x.first + first * x.second};
}

#define VINCI_NUMBER_OPERATORS(N)                                                       \
  template <class T>                                                                    \
  N<T>& operator+=(N<T>& a, const N<T>& b) {                                            \
    return a = a + b;                                                                   \
  }                                                                                     \
  template <class T>                                                                    \
  N<T>& operator-=(N<T>& a, const N<T>& b) {                                            \
    return a = a - b;                                                                   \
  }                                                                                     \
  template <class T>                                                                    \
  N<T>& operator*=(N<T>& a, const N<T>& b) {                                            \
    return a = a * b;                                                                   \
  }                                                                                     \
  template <class T>                                                                    \
  N<T>& operator/=(N<T>& a, const N<T>& b) {                                            \
    return a = a / b;                                                                   \
  }                                                                                     \
  template <class T>                                                                    \
  N<T> operator+(const N<T>& a, double b) {                                             \
    return a + N<T>(b);                                                                 \
  }                                                                                     \
  template <class T>                                                                    \
  N<T> operator+(double a, const N<T>& b) {                                             \
    return N<T>(a) + b;                                                                 \
  }                                                                                     \
  template <class T>                                                                    \
  N<T> operator-(const N<T>& a, double b) {                                             \
    return a - N<T>(b);                                                                 \
  }                                                                                     \
  template <class T>                                                                    \
  N<T> operator-(double a, const N<T>& b) {                                             \
    return N<T>(a) - b;                                                                 \
  }                                                                                     \
  template <class T>                                                                    \
  N<T> operator*(const N<T>& a, double b) {                                             \
    return a * N<T>(b);                                                                 \
  }                                                                                     \
  template <class T>                                                                    \
  N<T> operator*(double a, const N<T>& b) {                                             \
    return N<T>(a) * b;                                                                 \
  }                                                                                     \
  template <class T>                                                                    \
  N<T> operator/(const N<T>& a, double b) {                                             \
    return a / N<T>(b);                                                                 \
  }                                                                                     \
  template <class T>                                                                    \
  N<T> operator/(double a, const N<T>& b) {                                             \
    return N<T>(a) / b;                                                                 \
  }                                                                                     \
  template <class T>                                                                    \
  bool operator<(const N<T>& a, const N<T>& b) {                                        \
    return plain(a) < plain(b);                                                         \
  }                                                                                     \
  template <class T>                                                                    \
  bool operator>(const N<T>& a, const N<T>& b) {                                        \
    return plain(a) > plain(b);                                                         \
  }                                                                                     \
  template <class T>                                                                    \
  N<T> sqrt(const N<T>& x) {                                                            \
    using std::sqrt;                                                                    \
    const T root = sqrt(x.value), half = T(0.5) / root;                                 \
    return chain(x, root, half, T(-0.5) * half / x.value);                              \
  }                                                                                     \
  template <class T>                                                                    \
  N<T> sin(const N<T>& x) {                                                             \
    using std::cos;                                                                     \
    using std::sin;                                                                     \
    const T s = sin(x.value);                                                           \
    return chain(x, s, T(cos(x.value)), T(-s));                                         \
  }                                                                                     \
  template <class T>                                                                    \
  N<T> cos(const N<T>& x) {                                                             \
    using std::cos;                                                                     \
    using std::sin;                                                                     \
    const T c = cos(x.value);                                                           \
    return chain(x, c, T(-sin(x.value)), T(-c));                                        \
  }                                                                                     \
  /* Through the quotient, so that no derivative is lost where one of both is 0. */     \
  template <class T>                                                                    \
  N<T> atan2(const N<T>& y, const N<T>& x) {                                            \
    using std::atan2;                                                                   \
    const N<T> here = constant<N>(x.value), there = constant<N>(y.value);               \
    const N<T> sine = y * here - x * there;                                             \
    const N<T> cosine = x * here + y * there;                                           \
    const N<T> t = sine / cosine; /* the tangent of the turn from the value: 0 there */ \
    return N<T>(chain(t, T(atan2(y.value, x.value)), T(1.0), T(0.0)));                  \
  }

template <class T>
Dual<T> operator+(const Dual<T>& a, const Dual<T>& b) {
  return {a.value + b.value, a.slope + b.slope};
}
template <class T>
Dual<T> operator-(const Dual<T>& a, const Dual<T>& b) {
  return {a.value - b.value, a.slope - b.slope};
}
template <class T>
Dual<T> operator-(const Dual<T>& a) {
  return {-a.value, -a.slope};
}
template <class T>
Dual<T> operator*(const Dual<T>& a, const Dual<T>& b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
template <class T>
Dual<T> operator/(const Dual<T>& a, const Dual<T>& b) {
  const T quotient = a.value / b.value;
  return {quotient, (a.slope - quotient * b.slope) / b.value};
}
template <class T>
Series<T> operator+(const Series<T>& a, const Series<T>& b) {
  return {a.value + b.value, a.first + b.first, a.second + b.second};
}
template <class T>
Series<T> operator-(const Series<T>& a, const Series<T>& b) {
  return {a.value - b.value, a.first - b.first, a.second - b.second};
}
template <class T>
Series<T> operator-(const Series<T>& a) {
  return {-a.value, -a.first, -a.second};
}
template <class T>
Series<T> operator*(const Series<T>& a, const Series<T>& b) {
  return {a.value * b.value, a.first * b.value + a.value * b.first,
          a.second * b.value + T(2.0) * (a.first * b.first) + a.value * b.second};
}
template <class T>
Series<T> operator/(const Series<T>& a, const Series<T>& b) {
  const T value = a.value / b.value;
  const T first = (a.first - value * b.first) / b.value;
  return {value, first, (a.second - T(2.0) * (first * b.first) - value * b.second) / b.value};
}
VINCI_NUMBER_OPERATORS(Dual)
VINCI_NUMBER_OPERATORS(Series)
#undef VINCI_NUMBER_OPERATORS

template <class T>
using Vector3Of = Eigen::Matrix<T, 3, 1>;
template <class T>
using Matrix3Of = Eigen::Matrix<T, 3, 3>;
template <class T>
using VectorOf = Eigen::Matrix<T, Eigen::Dynamic, 1>;

}  // namespace vinci

namespace Eigen {
template <class T>
struct NumTraits<vinci::Dual<T>> : GenericNumTraits<vinci::Dual<T>> {
  using Real = vinci::Dual<T>;
  using NonInteger = Real;
  using Nested = Real;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 2,
    MulCost = 4
  };
};
template <class T>
struct NumTraits<vinci::Series<T>> : GenericNumTraits<vinci::Series<T>> {
  using Real = vinci::Series<T>;
  using NonInteger = Real;
  using Nested = Real;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 3,
    AddCost = 3,
    MulCost = 8
  };
};
}  // namespace Eigen
