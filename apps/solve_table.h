// SPDX-License-Identifier: Apache-2.0
// The table that `vinci solve` prints: one line per answer, and below it what was tried for it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/command.h"

namespace vinci {

class SolveTable {
 public:
  SolveTable(const std::vector<std::string>& files, bool verbose);
  void print_header() const;
  void print(const Json& answer);  // an object of --json
  void print_total() const;        // where there is more than one answer

 private:
  std::string row(const std::string& file, const std::string& kind, const std::string& rows,
                  const std::string& solver, const Json& result, const char* seconds) const;

  std::size_t width_;
  bool verbose_;
  std::string last_file_;
  int answers_ = 0;
  std::map<std::string, int> statuses_;
  double seconds_ = 0.0;
};

}  // namespace vinci
