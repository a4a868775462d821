// SPDX-License-Identifier: Apache-2.0
// What was asked for was good, but could not be done here: a file that cannot be written, a program
// that is not installed or fails, an address that is taken, a build without the page.
#pragma once

#include "vinci/base/error.h"

namespace vinci {

class ViewingFailure : public Error {
 public:
  using Error::Error;
};

}  // namespace vinci
