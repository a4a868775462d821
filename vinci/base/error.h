// SPDX-License-Identifier: Apache-2.0
// The exceptions: Error, bad input, thrown only while something is built, loaded or opened; and
// Failure, its kind where the input was good.
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

// What was asked for was good, but could not be done here: a full disk, a file that cannot be
// written, a program that is not installed or fails, an address that is taken.
class Failure : public Error {
 public:
  using Error::Error;
  explicit Failure(const Error& error) : Error(error) {}
};

}  // namespace vinci
