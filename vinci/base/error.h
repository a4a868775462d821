// SPDX-License-Identifier: Apache-2.0
// The one exception type: bad input, thrown only while something is built, loaded or opened.
#pragma once

#include <stdexcept>
#include <string>

namespace vinci {

class Error : public std::runtime_error {
 public:
  // `where` names the place the user can go to: a file and line, a key path, an option.
  Error(std::string message, std::string where = {})
      : std::runtime_error(where.empty() ? message : where + ": " + message),
        message_(std::move(message)),
        where_(std::move(where)) {}
  const std::string& message() const { return message_; }
  const std::string& where() const { return where_; }

 private:
  std::string message_, where_;
};

}  // namespace vinci
