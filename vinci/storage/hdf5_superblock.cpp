// SPDX-License-Identifier: Apache-2.0
// Superblock version 3, little endian: signature 8, version 1, size of offsets 1, size of lengths
// 1, consistency flags 1, base address 8, extension address 8, end-of-file address 8, root object
// 8, checksum 4.
#include "vinci/storage/hdf5_superblock.h"

#include <array>
#include <bit>
#include <cstring>

#include <unistd.h>

#include "vinci/storage/write_all.h"

namespace vinci {
namespace {

constexpr std::size_t version_at = 8, offset_size_at = 9, flags_at = 11, end_at = 28,
                      checksum_at = 44;
constexpr unsigned char write_flags = 0x01 | 0x04;  // write access, SWMR write access
using Bytes = std::array<unsigned char, superblock_size>;

std::uint32_t word(const unsigned char* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 |
         static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

// lookup3 (Bob Jenkins, public domain) of the bytes before the checksum: four rounds of twelve
// bytes would be 48, so three full rounds and a last one of eight.
std::uint32_t checksum(const Bytes& bytes) {
  std::uint32_t a = 0xdeadbeefU + static_cast<std::uint32_t>(checksum_at), b = a, c = a;
  std::size_t at = 0;
  for (; checksum_at - at > 12; at += 12) {
    a += word(&bytes[at]), b += word(&bytes[at + 4]), c += word(&bytes[at + 8]);
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  a += word(&bytes[at]), b += word(&bytes[at + 4]);
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

std::optional<Bytes> read_bytes(int descriptor) {
  constexpr std::array<unsigned char, 8> signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  Bytes bytes;
  if (pread(descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()) ||
      std::memcmp(bytes.data(), signature.data(), signature.size()) != 0 ||
      bytes[version_at] != 3 || bytes[offset_size_at] != 8 ||
      word(&bytes[checksum_at]) != checksum(bytes))
    return std::nullopt;
  return bytes;
}

void seal(Bytes& bytes, std::uint64_t end) {
  auto put = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      bytes[at + i] = static_cast<unsigned char>(value >> (8 * i));
  };
  put(flags_at, bytes[flags_at] & static_cast<unsigned>(~write_flags & 0xff), 1);
  put(end_at, end, 8);
  put(checksum_at, checksum(bytes), 4);
}

}  // namespace

std::optional<Hdf5Superblock> read_superblock(int descriptor) {
  const auto bytes = read_bytes(descriptor);
  if (!bytes) return std::nullopt;
  return Hdf5Superblock{
      ((*bytes)[flags_at] & write_flags) != 0,
      word(&(*bytes)[end_at]) | static_cast<std::uint64_t>(word(&(*bytes)[end_at + 4])) << 32};
}

bool rewrite_superblock(int descriptor, std::uint64_t end) {
  auto bytes = read_bytes(descriptor);
  if (!bytes) return false;
  seal(*bytes, end);
  const std::span now(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return write_all(descriptor, 0, now) == now.size();
}

void seal_superblock(std::span<char> file, std::uint64_t end) {
  Bytes bytes;
  std::memcpy(bytes.data(), file.data(), bytes.size());
  seal(bytes, end);
  std::memcpy(file.data(), bytes.data(), bytes.size());
}

}  // namespace vinci
