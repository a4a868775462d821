// SPDX-License-Identifier: Apache-2.0
// Cases and their answers as bytes.
#pragma once

#include "vinci/campaign/bytes.h"
#include "vinci/study/case.h"

namespace vinci {

void write(ByteWriter& to, const StudyCase& value);
void write(ByteWriter& to, const CaseResult& value);
// Seconds that each level took.
void write(ByteWriter& to, const std::vector<double>& seconds);

// Throw Error if the bytes are damaged.
StudyCase read_case(ByteReader& from);
CaseResult read_result(ByteReader& from);
std::vector<double> read_seconds(ByteReader& from);

}  // namespace vinci
