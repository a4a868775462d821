// SPDX-License-Identifier: Apache-2.0
#include "solvers/local_form.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/condense.h"

namespace vinci {
namespace {

bool all_of(const ComplementarityProblem& problem, Law law, int size) {
  return std::ranges::all_of(problem.blocks, [=](const Block& block) {
    return block.law == law && (size == 0 || block.size == size);
  });
}

bool bounded(const ComplementarityProblem& problem) {
  return std::ranges::all_of(problem.blocks, [](const Block& block) {
    return block.law == Law::box && std::isfinite(block.lower) && std::isfinite(block.upper);
  });
}

// How many rows the leading equalities have, if only 0 <= λ ⟂ w >= 0 follows; otherwise -1.
int leading_equalities(const ComplementarityProblem& problem) {
  int rows = 0;
  std::size_t i = 0;
  for (; i < problem.blocks.size() && problem.blocks[i].law == Law::equality; ++i)
    rows += problem.blocks[i].size;
  for (; i < problem.blocks.size(); ++i)
    if (problem.blocks[i].law != Law::nonnegative) return -1;
  return rows;
}

std::string kind_of(const ComplementarityProblem& problem) {
  if (all_of(problem, Law::nonnegative, 1)) return "lcp";
  if (leading_equalities(problem) > 0) return "mlcp";
  if (bounded(problem)) return "relay";
  if (all_of(problem, Law::coulomb, 2)) return "fc2d";
  if (all_of(problem, Law::coulomb, 3)) return "fc3d";
  return "";
}

}  // namespace

std::optional<LocalForm> local_form(const ComplementarityProblem& problem) {
  LocalForm form;
  form.kind = kind_of(problem);
  if (form.kind.empty()) return std::nullopt;
  if (problem.unknowns() == 0) {
    form.W = problem.C.view();
    form.q = problem.b;
  } else {
    Condensation condensation;
    if (!condensation.condense(problem)) return std::nullopt;
    form.W = condensation.W().sparseView();
    form.q = condensation.q();
  }
  form.W.makeCompressed();
  form.equalities = std::max(0, leading_equalities(problem));
  const auto blocks = static_cast<int>(problem.blocks.size());
  form.friction.resize(blocks);
  form.lower.resize(blocks);
  form.upper.resize(blocks);
  for (int i = 0; i < blocks; ++i) {
    const Block& block = problem.blocks[static_cast<std::size_t>(i)];
    form.friction[i] = block.friction;
    form.lower[i] = block.lower;
    form.upper[i] = block.upper;
  }
  return form;
}

}  // namespace vinci
