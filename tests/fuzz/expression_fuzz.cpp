// SPDX-License-Identifier: Apache-2.0
// Fuzz target of expressions: any text is an expression or an Error. Its value and that of its jet
// have the same bits, as have those of the same expression with a variable replaced.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "vinci/base/error.h"
#include "vinci/base/expression.h"

namespace {

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> names{"t", "q", "v"};
  const std::vector<double> values{0.25, -1.5, 3.0};
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto expression = vinci::Expression::parse(text, names);
    const double value = expression.value(values);
    const std::vector<vinci::Jet> jets{{0.25, 1.0, 0.0}, {-1.5, 0.0, 0.0}, {3.0, -2.0, 0.5}};
    if (!same(value, expression.jet(jets).value)) std::abort();
    const auto bound = expression.bind(std::vector<double>{std::nan(""), -1.5, std::nan("")});
    if (!same(value, bound.value(values))) std::abort();
  } catch (const vinci::Error& error) {
    if (error.message().empty()) std::abort();
  }
  return 0;
}
