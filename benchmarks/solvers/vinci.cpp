// SPDX-License-Identifier: Apache-2.0
// Our own solvers as contenders: a new solver object for every solve.
#include "solvers/contender.h"
#include "vinci/complementarity/solver.h"
#include "vinci/solvers/builtin.h"

namespace vinci {
namespace {

class VinciContender : public Contender {
 public:
  VinciContender(const ComplementarityProblem& problem, const SolverRegistry::Entry& entry)
      : problem_(problem), entry_(entry) {}

  std::string name() const override { return entry_.name; }
  std::vector<double> ladder(double asked) const override { return {asked}; }
  void prepare(double tolerance) override {
    OptionValues options(entry_.options);
    if (entry_.options.find("tolerance")) options.set("tolerance", tolerance);
    solver_ = entry_.make(options);
    solution_.u.setZero(problem_.unknowns());
    solution_.lambda.setZero(problem_.rows());
  }
  void solve() override { report_ = solver_->solve(problem_, solution_); }
  const Solution& solution() const override { return solution_; }
  std::string status() const override { return to_string(report_.status); }

 private:
  const ComplementarityProblem& problem_;
  const SolverRegistry::Entry& entry_;
  std::unique_ptr<Solver> solver_;
  Solution solution_;
  SolveReport report_;
};

const SolverRegistry& registry() {
  static const SolverRegistry solvers = [] {
    SolverRegistry made("solver");
    add_builtin_solvers(made);
    return made;
  }();
  return solvers;
}

}  // namespace

Contenders vinci_contenders(const ComplementarityProblem& problem) {
  Contenders contenders;
  for (const auto& entry : registry().entries()) {
    if (!entry.make(OptionValues(entry.options))->why_not(problem).empty()) continue;
    auto contender = std::make_unique<VinciContender>(problem, entry);
    contenders.insert(entry.name == "auto" ? contenders.begin() : contenders.end(),
                      std::move(contender));
  }
  return contenders;
}

}  // namespace vinci
