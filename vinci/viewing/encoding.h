// SPDX-License-Identifier: Apache-2.0
// Binary data as text inside of a page.
#pragma once

#include <string>
#include <string_view>

namespace vinci {

std::string gzip(std::string_view bytes);
std::string base64(std::string_view bytes);
// JSON that may stand between <script> and </script>: every '<' becomes \u003c.
std::string script_json(std::string_view json);

}  // namespace vinci
