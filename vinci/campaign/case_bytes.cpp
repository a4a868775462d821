// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/case_bytes.h"

#include <limits>

namespace vinci {
namespace {

std::uint32_t small_number(ByteReader& from) {
  const std::uint64_t value = from.number();
  if (value > std::numeric_limits<std::uint32_t>::max()) throw Error("a number is too large");
  return static_cast<std::uint32_t>(value);
}

CaseStatus read_status(ByteReader& from) {
  const std::uint8_t value = from.byte();
  if (value > static_cast<std::uint8_t>(CaseStatus::crashed)) throw Error("a status is damaged");
  return static_cast<CaseStatus>(value);
}

Verdict read_verdict(ByteReader& from) {
  const std::uint8_t value = from.byte();
  if (value > static_cast<std::uint8_t>(Verdict::failure)) throw Error("a verdict is damaged");
  return static_cast<Verdict>(value);
}

void write_reals(ByteWriter& to, const std::vector<double>& values) {
  to.number(values.size());
  for (const double value : values) to.real(value);
}

std::vector<double> read_reals(ByteReader& from) {
  std::vector<double> values(from.count(sizeof(double)));
  for (double& value : values) value = from.real();
  return values;
}

}  // namespace

void write(ByteWriter& to, const StudyCase& value) {
  to.number(value.number);
  to.number(value.design);
  to.number(value.sample);
  write_reals(to, value.values);
}

void write(ByteWriter& to, const CaseResult& value) {
  to.number(value.number);
  to.byte(static_cast<std::uint8_t>(value.status));
  to.byte(static_cast<std::uint8_t>(value.verdict));
  to.number(value.level);
  write_reals(to, value.measures);
  to.number(value.levels.size());
  for (const LevelResult& level : value.levels) {
    to.number(level.level);
    to.byte(static_cast<std::uint8_t>(level.status));
    to.byte(static_cast<std::uint8_t>(level.verdict));
    to.number(level.steps);
  }
  to.text(value.message);
}

void write(ByteWriter& to, const std::vector<double>& seconds) {
  write_reals(to, seconds);
}

StudyCase read_case(ByteReader& from) {
  StudyCase value;
  value.number = from.number();
  value.design = small_number(from);
  value.sample = from.number();
  value.values = read_reals(from);
  return value;
}

CaseResult read_result(ByteReader& from) {
  CaseResult value;
  value.number = from.number();
  value.status = read_status(from);
  value.verdict = read_verdict(from);
  value.level = small_number(from);
  value.measures = read_reals(from);
  value.levels.resize(from.count(4));
  for (LevelResult& level : value.levels) {
    level.level = small_number(from);
    level.status = read_status(from);
    level.verdict = read_verdict(from);
    level.steps = from.number();
  }
  value.message = from.text();
  return value;
}

std::vector<double> read_seconds(ByteReader& from) {
  return read_reals(from);
}

}  // namespace vinci
