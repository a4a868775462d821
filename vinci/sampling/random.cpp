// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/random.h"

#include <bit>
#include <numeric>
#include <utility>

#include <Random123/philox.h>

#include "vinci/base/error.h"
#include "vinci/base/hash.h"
#include "vinci/sampling/special_functions.h"

namespace vinci {

std::array<std::uint64_t, 4> philox(const std::array<std::uint64_t, 4>& counter,
                                    const std::array<std::uint64_t, 2>& key) {
  const r123::Philox4x64::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x64::key_type k = {{key[0], key[1]}};
  const r123::Philox4x64::ctr_type answer = r123::Philox4x64()(c, k);
  return {answer[0], answer[1], answer[2], answer[3]};
}

double to_unit_interval(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

CounterRandom::CounterRandom(std::uint64_t seed, std::string_view stream) {
  Hash hash;
  hash.bytes(stream.data(), stream.size());
  key_ = {seed, hash.value()};
}

std::uint64_t CounterRandom::bits(std::uint64_t k, std::uint64_t index) const {
  return philox({index / 4, k, 0, 0}, key_)[index % 4];
}

double CounterRandom::uniform(std::uint64_t k, std::uint64_t index) const {
  return to_unit_interval(bits(k, index));
}

double CounterRandom::normal(std::uint64_t k, std::uint64_t index) const {
  return normal_quantile(uniform(k, index));
}

std::uint64_t CounterRandom::below(std::uint64_t count, std::uint64_t k,
                                   std::uint64_t index) const {
  // The upper half of a product of 128 bits, from halves of 32.
  const std::uint64_t x = bits(k, index), low = 0xffffffffULL;
  const std::uint64_t a = x >> 32, b = x & low, c = count >> 32, d = count & low;
  const std::uint64_t middle = ((b * d) >> 32) + ((a * d) & low) + ((b * c) & low);
  return a * c + ((a * d) >> 32) + ((b * c) >> 32) + (middle >> 32);
}

void CounterRandom::uniforms(std::uint64_t k, std::span<double> out) const {
  for (std::size_t first = 0; first < out.size(); first += 4) {
    const std::array<std::uint64_t, 4> four = philox({first / 4, k, 0, 0}, key_);
    for (std::size_t i = first; i < out.size() && i < first + 4; ++i)
      out[i] = to_unit_interval(four[i - first]);
  }
}

KeyedPermutation::KeyedPermutation(std::uint64_t count, const CounterRandom& random,
                                   std::uint64_t k)
    : count_(count) {
  if (count == 0) throw Error("an order of nothing; count: at least 1");
  if (count <= few) {
    shuffled_.resize(count);
    std::iota(shuffled_.begin(), shuffled_.end(), std::uint16_t{0});
    for (std::uint64_t i = count - 1; i > 0; --i)
      std::swap(shuffled_[i], shuffled_[random.below(i + 1, k, i)]);
    return;
  }
  half_bits_ = (static_cast<int>(std::bit_width(count - 1)) + 1) / 2;
  for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = random.bits(k, i);
}

std::uint64_t KeyedPermutation::operator()(std::uint64_t place) const {
  if (!shuffled_.empty()) return shuffled_[place];
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = place >> half_bits_, right = place & mask;
    for (const std::uint64_t key : keys_) {
      const std::uint64_t next = left ^ (mixed(right ^ key) & mask);
      left = right;
      right = next;
    }
    place = (left << half_bits_) | right;
  } while (place >= count_);
  return place;
}

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace vinci
