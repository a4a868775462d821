// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/random.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/sampling/statistics.h"
#include "vinci/base/error.h"
#include "vinci/sampling/special_functions.h"

namespace vinci {
namespace {

// The known answers that Random123 publishes (kat_vectors).
TEST(Random, philox_gives_its_published_answers) {
  using Four = std::array<std::uint64_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Four{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
  const std::uint64_t ones = ~std::uint64_t{0};
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Four{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}));
  EXPECT_EQ(philox({0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
                   {0x452821e638d01377, 0xbe5466cf34e90c6c}),
            (Four{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}));
}

TEST(Random, uniform_numbers_are_never_0_or_1) {
  EXPECT_EQ(to_unit_interval(0), 0x1p-53);
  EXPECT_EQ(to_unit_interval(~std::uint64_t{0}), 1.0 - 0x1p-53);
}

TEST(Random, numbers_depend_on_seed_stream_case_and_index) {
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : {0, 1, 2})
    for (const char* stream : {"", "a", "b"})
      for (const std::uint64_t k : {0, 1, 2})
        for (std::uint64_t index = 0; index < 9; ++index)
          seen.insert(CounterRandom(seed, stream).bits(k, index));
  EXPECT_EQ(seen.size(), 3u * 3u * 3u * 9u);
}

TEST(Random, numbers_of_a_case_are_the_same_at_once_and_one_by_one) {
  const CounterRandom random(7, "stream");
  std::vector<double> all(11);
  random.uniforms(42, all);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], random.uniform(42, i));
}

TEST(Random, uniform_and_normal_numbers_pass_kolmogorov_smirnov) {
  const CounterRandom random(1, "test");
  std::vector<double> over_cases, over_indices, normal;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    over_cases.push_back(random.uniform(i, 3));
    over_indices.push_back(random.uniform(3, i));
    normal.push_back(random.normal(i, 1));
  }
  const auto same = [](double x) { return x; };
  EXPECT_GT(distance_probability(over_cases, same), 0.01);
  EXPECT_GT(distance_probability(over_indices, same), 0.01);
  EXPECT_GT(distance_probability(normal, normal_cdf), 0.01);
}

TEST(Random, numbers_below_a_count_are_equally_likely) {
  const CounterRandom random(1, "below");
  std::vector<double> counts(7);
  for (std::uint64_t i = 0; i < 70000; ++i) counts[random.below(7, i, 0)] += 1.0;
  EXPECT_LT(std::abs(chi_square_deviations(counts)), 3.0);
  EXPECT_LT(random.below(~std::uint64_t{0}, 1, 1), ~std::uint64_t{0});
  EXPECT_EQ(random.below(1, 5, 5), 0u);
}

TEST(KeyedPermutation, every_place_is_taken_once) {
  const CounterRandom random(3, "order");
  for (const std::uint64_t count :
       {1, 2, 3, 4, 5, 7, 16, 17, 100, 1000, 1024, 1025, 4096, 5001, 70000}) {
    const KeyedPermutation order(count, random, count);
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < count; ++i) {
      EXPECT_LT(order(i), count);
      seen.insert(order(i));
    }
    EXPECT_EQ(seen.size(), count);
  }
  EXPECT_THROW(KeyedPermutation(0, random, 0), Error);
}

TEST(KeyedPermutation, all_orders_of_a_few_are_equally_likely) {
  const CounterRandom random(3, "order");
  for (const std::uint64_t count : {3, 4, 5}) {
    std::vector<double> counts(count == 3 ? 27 : count == 4 ? 256 : 3125);
    for (std::uint64_t k = 0; k < 240000; ++k) {
      const KeyedPermutation order(count, random, k);
      std::uint64_t code = 0;
      for (std::uint64_t i = 0; i < count; ++i) code = code * count + order(i);
      counts[code] += 1.0;
    }
    std::erase(counts, 0.0);
    EXPECT_EQ(counts.size(), count == 3 ? 6u : count == 4 ? 24u : 120u);
    EXPECT_LT(std::abs(chi_square_deviations(counts)), 3.5) << count;
  }
}

}  // namespace
}  // namespace vinci
