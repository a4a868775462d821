// SPDX-License-Identifier: Apache-2.0
// A folder that only its user may enter, removed with all that is in it.
#pragma once

#include <filesystem>
#include <string>

namespace vinci {

class TemporaryFolder {
 public:
  TemporaryFolder();  // below TMPDIR, if that is not too deep; throws Error
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  // A page in it that leads to the address: the address itself, which holds a secret, then stands
  // on no command line, where every user of the machine could read it.
  std::filesystem::path leading_page(const std::string& address) const;

 private:
  std::filesystem::path path_;
};

}  // namespace vinci
