// SPDX-License-Identifier: Apache-2.0
// All searches on functions whose greatest value is known.
#include "vinci/search/searcher.h"

#include <functional>

#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/search/cma_es.h"
#include "vinci/search/search_random.h"

namespace vinci {
namespace {

using Function = std::function<double(const VectorX&)>;

std::unique_ptr<Searcher> search(const std::string& method, const SearchOptions& options,
                                 const Function& f) {
  std::unique_ptr<Searcher> searcher = make_searcher(method, options);
  while (!searcher->done()) {
    std::vector<double> values;
    for (const auto& point : searcher->points().colwise()) {
      for (const double x : point) {
        EXPECT_GE(x, 0.0);
        EXPECT_LE(x, 1.0);
      }
      values.push_back(f(point));
    }
    searcher->tell(values);
  }
  return searcher;
}

SearchOptions with(int dimensions, std::uint64_t evaluations, std::uint64_t seed = 1) {
  SearchOptions options;
  options.dimensions = dimensions;
  options.evaluations = evaluations;
  options.seed = seed;
  return options;
}

double sphere(const VectorX& x) {
  return -(x.array() - 0.3).square().sum();
}

// Over [−2, 2]; greatest at 1 of all coordinates.
double rosenbrock(const VectorX& unit) {
  const VectorX x = 4.0 * unit.array() - 2.0;
  double sum = 0.0;
  for (Eigen::Index i = 0; i + 1 < x.size(); ++i)
    sum -= 100.0 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1.0 - x[i], 2);
  return sum;
}

// Over [−5, 5], shifted: many lower peaks.
double rastrigin(const VectorX& unit) {
  const VectorX x = 10.0 * unit.array() - 5.7;
  return -(x.array().square() - 10.0 * (2.0 * M_PI * x.array()).cos() + 10.0).sum();
}

TEST(Searcher, all_methods_find_the_top_of_a_sphere) {
  for (const std::string& method : search_methods()) {
    const auto searcher = search(method, with(3, 1500), sphere);
    EXPECT_GT(searcher->best().value, -1e-6) << method;
    EXPECT_NEAR(searcher->best().point[1], 0.3, 1e-3) << method;
    EXPECT_EQ(searcher->evaluations(), 1500u) << method;
  }
}

TEST(Searcher, local_methods_follow_the_valley_of_rosenbrock) {
  EXPECT_GT(search("cma-es", with(4, 4000), rosenbrock)->best().value, -1e-6);
  EXPECT_GT(search("bobyqa", with(4, 2000), rosenbrock)->best().value, -1e-4);
  EXPECT_GT(search("sbplx", with(2, 2000), rosenbrock)->best().value, -1e-4);
  EXPECT_GT(search("cobyla", with(2, 2000), rosenbrock)->best().value, -0.1);
}

TEST(Searcher, restarts_find_the_highest_of_many_peaks) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto searcher = search("cma-es", with(4, 40000, seed), rastrigin);
    EXPECT_GT(searcher->best().value, -1e-6) << seed;
    EXPECT_GT(searcher->searches(), 1u);
  }
}

TEST(Searcher, direct_finds_the_highest_of_many_peaks) {
  const Function peaks = [](const VectorX& unit) {
    return rastrigin((4.0 * unit.array() - 2.3 + 5.7) / 10.0);
  };
  EXPECT_GT(search("direct-l", with(2, 1000), peaks)->best().value, -1e-3);
}

TEST(Searcher, tops_in_a_corner_are_reached) {
  for (const std::string& method : search_methods()) {
    const auto searcher =
        search(method, with(2, 600), [](const VectorX& x) { return x[0] - 2.0 * x[1]; });
    EXPECT_NEAR(searcher->best().value, 1.0, method == "direct-l" ? 0.01 : 1e-4) << method;
  }
}

// Values with noise as large as a tenth of the range.
TEST(Searcher, evolution_finds_the_top_under_noise) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SearchRandom noise(seed, 99);
    SearchOptions options = with(3, 6000, seed);
    options.population = 40;
    const auto searcher = search(
        "cma-es", options, [&](const VectorX& x) { return sphere(x) + 0.1 * noise.normal(); });
    EXPECT_GT(sphere(searcher->guess()), -0.02) << seed;
  }
}

TEST(Searcher, points_without_an_answer_are_avoided) {
  for (const std::string& method : search_methods()) {
    const auto searcher = search(method, with(2, 1500), [](const VectorX& x) {
      return x[0] + x[1] > 1.4 ? NAN : -std::pow(x[0] - 0.6, 2) - std::pow(x[1] - 0.6, 2);
    });
    EXPECT_GT(searcher->best().value, -1e-3) << method;
  }
  for (const std::string& method : search_methods()) {
    const auto searcher = search(method, with(2, 60), [](const VectorX&) { return NAN; });
    EXPECT_EQ(searcher->best().point.size(), 0) << method;
    EXPECT_EQ(searcher->evaluations(), 60u) << method;
  }
}

// What was told before is told again to a new searcher, which goes on as the first one did.
TEST(Searcher, goes_on_from_values_that_are_told_again) {
  for (const std::string& method : search_methods()) {
    const SearchOptions options = with(3, 400, 7);
    const auto whole = make_searcher(method, options), again = make_searcher(method, options);
    while (!whole->done()) {
      ASSERT_EQ(whole->points(), again->points()) << method;
      std::vector<double> values;
      for (const auto& point : whole->points().colwise()) values.push_back(rastrigin(point));
      whole->tell(values);
      again->tell(values);
    }
    EXPECT_TRUE(again->done());
    EXPECT_EQ(whole->best().value, again->best().value);
    EXPECT_EQ(whole->best().evaluation, again->best().evaluation);
  }
}

TEST(Searcher, seeds_lead_elsewhere) {
  EXPECT_NE(make_searcher("cma-es", with(2, 100, 1))->points(),
            make_searcher("cma-es", with(2, 100, 2))->points());
  // Local methods begin where they are told, and elsewhere once they have settled.
  std::vector<VectorX> last;
  for (const std::uint64_t seed : {1, 2}) {
    last.emplace_back();
    const auto searcher = search("bobyqa", with(2, 300, seed), [&](const VectorX& x) {
      last.back() = x;
      return rastrigin(x);
    });
    EXPECT_GT(searcher->searches(), 1u);
  }
  EXPECT_NE(last[0], last[1]);
}

TEST(Searcher, begins_where_it_is_told) {
  for (const std::string method : {"bobyqa", "cobyla", "sbplx"}) {
    SearchOptions options = with(2, 10);
    options.start = (VectorX(2) << 0.4, 0.6).finished();
    EXPECT_EQ(make_searcher(method, options)->points().col(0), options.start) << method;
  }
}

TEST(Searcher, faces_of_the_cube_are_mirrors) {
  const VectorX x = (VectorX(6) << 0.3, -0.2, 1.25, 2.0, -1.5, 3.1).finished();
  const VectorX expected = (VectorX(6) << 0.3, 0.2, 0.75, 0.0, 0.5, 0.9).finished();
  EXPECT_LT((folded(x) - expected).norm(), 1e-14);
}

TEST(Searcher, bad_input_is_refused) {
  EXPECT_THROW(make_searcher("annealing", with(2, 100)), Error);
  EXPECT_THROW(make_searcher("cma-es", with(0, 100)), Error);
  EXPECT_THROW(make_searcher("cma-es", with(2, 0)), Error);
  EXPECT_THROW(make_searcher("bobyqa", with(1, 100)), Error);
  SearchOptions options = with(2, 100);
  options.step = 0.0;
  EXPECT_THROW(make_searcher("sbplx", options), Error);
  options = with(2, 100);
  options.tolerance = 1.0;
  EXPECT_THROW(make_searcher("sbplx", options), Error);
  options = with(2, 100);
  options.start = VectorX::Constant(3, 0.5);
  EXPECT_THROW(make_searcher("cobyla", options), Error);
  options.start = VectorX::Constant(2, 1.5);
  EXPECT_THROW(make_searcher("cobyla", options), Error);
  options = with(2, 100);
  options.population = 3;
  EXPECT_THROW(make_searcher("cma-es", options), Error);
  const auto searcher = make_searcher("bobyqa", with(2, 100));
  EXPECT_THROW(searcher->tell(std::vector<double>{1.0, 2.0}), Error);
}

}  // namespace
}  // namespace vinci
