// SPDX-License-Identifier: Apache-2.0
// Random numbers by their place: number `index` of case k of a stream is a function of the seed,
// the name of the stream, k and index. Nothing has to be drawn before it, in any process.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace vinci {

// Philox4x64 of ten rounds [Salmon 2011]: the one door to Random123.
std::array<std::uint64_t, 4> philox(const std::array<std::uint64_t, 4>& counter,
                                    const std::array<std::uint64_t, 2>& key);

// 53 bits of `bits` in (0, 1): odd multiples of 2⁻⁵³, so neither 0 nor 1.
double to_unit_interval(std::uint64_t bits);

class CounterRandom {
 public:
  CounterRandom(std::uint64_t seed, std::string_view stream);

  std::uint64_t bits(std::uint64_t k, std::uint64_t index) const;
  double uniform(std::uint64_t k, std::uint64_t index) const;  // in (0, 1)
  double normal(std::uint64_t k, std::uint64_t index) const;   // mean 0, deviation 1
  // Among 0 … count − 1, each as likely to 2⁻⁶⁴.
  std::uint64_t below(std::uint64_t count, std::uint64_t k, std::uint64_t index) const;
  // Numbers 0, 1, … of case k: the same as one by one, in a fourth of the time.
  void uniforms(std::uint64_t k, std::span<double> out) const;

 private:
  std::array<std::uint64_t, 2> key_;
};

// A random order of 0 … count − 1 of which one place can be asked for at a time: shuffled where
// there are few, otherwise a Feistel network on the next power of four, walked until it is below
// count [Black 2002].
class KeyedPermutation {
 public:
  KeyedPermutation(std::uint64_t count, const CounterRandom& random, std::uint64_t k);
  std::uint64_t operator()(std::uint64_t place) const;

 private:
  static constexpr std::uint64_t few = 1024;
  std::uint64_t count_;
  std::vector<std::uint16_t> shuffled_;  // of a few
  int half_bits_ = 0;
  std::array<std::uint64_t, 8> keys_{};  // of the rounds
};

// A 64-bit number in which every bit depends on all bits of x (the end of SplitMix64).
std::uint64_t mixed(std::uint64_t x);

}  // namespace vinci
