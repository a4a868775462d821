// SPDX-License-Identifier: Apache-2.0
#include "vinci/search/searcher.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vinci/base/error.h"
#include "vinci/search/cma_es.h"
#include "vinci/search/nlopt_search.h"
#include "vinci/search/search_random.h"

namespace vinci {

Searcher::Searcher(const SearchOptions& options) : options_(options) {
  if (options.dimensions < 1)
    throw Error(fmt::format("{} dimensions; dimensions: 1 or more", options.dimensions));
  if (options.evaluations < 1) throw Error("a search of 0 evaluations; evaluations: 1 or more");
  if (!(options.step > 0.0 && options.step <= 1.0))
    throw Error(fmt::format("a step of {}; step: above 0, up to 1", options.step));
  if (!(options.tolerance > 0.0 && options.tolerance < 1.0))
    throw Error(fmt::format("a tolerance of {}; tolerance: between 0 and 1", options.tolerance));
  if (options.start.size() != 0) {
    if (options.start.size() != options.dimensions)
      throw Error(fmt::format("a start of {} coordinates; coordinates: {}", options.start.size(),
                              options.dimensions));
    for (const double x : options.start)
      if (!(x >= 0.0 && x <= 1.0))
        throw Error(fmt::format("a start with the coordinate {}; coordinates: 0 to 1", x));
  }
}

VectorX Searcher::start_of(std::uint64_t number) const {
  VectorX start = VectorX::Constant(options_.dimensions, 0.5);
  if (number == 0) return options_.start.size() != 0 ? options_.start : start;
  SearchRandom random(options_.seed, number);
  for (double& x : start) x = random.uniform();
  return start;
}

void Searcher::tell(std::span<const double> values) {
  const auto count = static_cast<std::size_t>(points_.cols());
  if (count == 0 || values.size() != count)
    throw Error(fmt::format("{} values; values: {}, one per point that was asked for",
                            values.size(), count));
  values_.resize(points_.cols());
  for (std::size_t i = 0; i < count; ++i, ++evaluations_) {
    const auto column = static_cast<Eigen::Index>(i);
    values_[column] = values[i];
    if (best_.point.size() == 0 ? !std::isnan(values[i]) : values[i] > best_.value)
      best_ = {points_.col(column), values[i], evaluations_};
  }
  proceed();
}

std::vector<std::string> search_methods() {
  return {"cma-es", "bobyqa", "cobyla", "sbplx", "direct-l"};
}

std::unique_ptr<Searcher> make_searcher(std::string_view method, const SearchOptions& options) {
  if (method == "cma-es") return std::make_unique<CmaEs>(options);
  if (method == "bobyqa") return std::make_unique<NloptSearch>(NloptMethod::bobyqa, options);
  if (method == "cobyla") return std::make_unique<NloptSearch>(NloptMethod::cobyla, options);
  if (method == "sbplx") return std::make_unique<NloptSearch>(NloptMethod::sbplx, options);
  if (method == "direct-l") return std::make_unique<NloptSearch>(NloptMethod::direct_l, options);
  throw Error(fmt::format("an unknown search '{}'; methods: {}", method,
                          fmt::join(search_methods(), ", ")));
}

}  // namespace vinci
