// SPDX-License-Identifier: Apache-2.0
// Which steps' problems to save, and saving them.
#include "apps/problem_dump.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "vinci/complementarity/problem_file.h"

namespace vinci {
namespace {

constexpr const char* flag = "--dump-problems";

std::int64_t positive(const std::string& text) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value < 1)
    throw Error("'" + text + "' is not a positive number of steps", flag);
  return value;
}

}  // namespace

ProblemDump::ProblemDump(const std::string& rule, std::filesystem::path folder, std::string name)
    : folder_(std::move(folder)), name_(std::move(name)) {
  std::istringstream words(rule);
  std::string verb, rest, part;
  words >> verb;
  while (words >> part) rest += part;
  if (verb.empty()) return;
  if (verb == "worst" && rest.empty()) {
    worst_ = true;
  } else if (verb == "every" && !rest.empty()) {
    every_ = positive(rest);
  } else if (verb == "step" && !rest.empty()) {
    std::istringstream numbers(rest);
    while (std::getline(numbers, part, ',')) steps_.push_back(positive(part));
    std::sort(steps_.begin(), steps_.end());
  } else {
    throw Error("'" + rule + "' is no rule; accepted: 'every 100', 'worst' or 'step 12,40'", flag);
  }
}

void ProblemDump::after_step(const Simulation& simulation) {
  const std::int64_t step = simulation.state().step;
  if ((every_ > 0 && step % every_ == 0) || std::binary_search(steps_.begin(), steps_.end(), step))
    save(step, simulation.problem(), simulation.solution());
  const double residual = simulation.report().solve.residual.relative;
  if (!worst_ || residual <= worst_residual_) return;
  worst_residual_ = residual;
  worst_step_ = step;
  worst_problem_ = simulation.problem();
  worst_solution_ = simulation.solution();
}

void ProblemDump::finish() {
  if (worst_step_ >= 0) save(worst_step_, worst_problem_, worst_solution_);
  worst_step_ = -1;
}

void ProblemDump::save(std::int64_t step, const ComplementarityProblem& problem,
                       const Solution& solution) {
  std::error_code code;
  std::filesystem::create_directories(folder_, code);
  if (code) throw Error("cannot be created: " + code.message(), folder_.string());
  const std::string path = (folder_ / fmt::format("{}-step-{:06}.h5", name_, step)).string();
  ProblemFile file;
  file.problem = problem;
  file.solution = solution;
  file.title = fmt::format("{}, step {}", name_, step);
  save_problem_file(path, file);
  files_.push_back(path);
}

}  // namespace vinci
