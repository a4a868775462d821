// SPDX-License-Identifier: Apache-2.0
// Expressions whose names are those of signals and coordinates: "maze.position - r_0".
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace vinci {

// A text whose names are such as the parser of expressions takes (base/expression.h), and what they
// stand for. Columns are those of the text.
struct SignalText {
  struct Name {
    std::string name, variable;  // as written, and in `text`
  };
  std::string text;
  std::vector<Name> names;  // each one once
};

// Where a name may stand, the longest known one is taken: `soft-body.x` is a coordinate of the body
// soft-body where there is one, and a difference where there is none. Throws Error for a name that
// is not known, with `near` as guesses; functions, units and pi are left to the parser.
SignalText read_signal_text(const std::string& text,
                            const std::function<bool(const std::string&)>& is_known,
                            const std::vector<std::string>& near);

// "there is no force 'x' (did you mean 'y'?); accepted: ...".
std::string unknown_name(const std::string& what, const std::string& name,
                         const std::vector<std::string>& known);

}  // namespace vinci
