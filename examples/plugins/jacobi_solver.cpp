// SPDX-License-Identifier: Apache-2.0
// A complete solver in a shared library: projected Jacobi with under-relaxation for frictional
// contact. Every sweep turns all blocks at once towards their law,
//
//   λᵢ ← proj( λᵢ − ω/γᵢ · wᵢ(λ) ),     γᵢ = largest diagonal entry of J M⁻¹ Jᵀ + C in block i,
//
// where the projection puts λ_N on [0, ∞) and λ_T into the disk of radius μ λ_N. It is short, not
// fast: `vinci list solvers` has better ones.
//
//   vinci run scene.yaml --plugin libvinci-jacobi.so --solver jacobi --option solver.relaxation=0.3
#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>

#include "vinci/complementarity/residual.h"
#include "vinci/simulation/plugins.h"

namespace {

class JacobiSolver : public vinci::Solver {
 public:
  explicit JacobiSolver(const vinci::OptionValues& options)
      : tolerance_(options.real("tolerance")),
        relaxation_(options.real("relaxation")),
        sweeps_(options.integer("max-iterations")) {}

  std::string why_not(const vinci::ComplementarityProblem& problem) const override {
    for (const vinci::Block& block : problem.blocks)
      if (block.law != vinci::Law::coulomb && block.law != vinci::Law::nonnegative)
        return "jacobi takes contacts only, not the law '" + to_string(block.law) + "'";
    return {};
  }

  vinci::SolveReport solve(const vinci::ComplementarityProblem& problem,
                           vinci::Solution& solution) override {
    vinci::SolveReport report;
    report.solver = "jacobi";
    prepare(problem);
    for (report.iterations = 0; report.iterations < sweeps_; ++report.iterations) {
      if (report.iterations % 20 == 0 && judged(problem, solution, report) <= tolerance_) break;
      sweep(problem, solution);
    }
    velocities(problem, solution);
    report.status = judged(problem, solution, report) <= tolerance_ ? vinci::SolveStatus::solved
                                                                    : vinci::SolveStatus::limit;
    return report;
  }

 private:
  double judged(const vinci::ComplementarityProblem& problem, const vinci::Solution& solution,
                vinci::SolveReport& report) {
    report.residual = judge_(problem, solution);
    return report.residual.relative;
  }

  // The factor of M (rigid bodies: block diagonal) and the diagonal of the Delassus matrix.
  void prepare(const vinci::ComplementarityProblem& problem) {
    const auto M = problem.M.view();
    factor_.compute(Eigen::SparseMatrix<double>(M));
    const vinci::MatrixX J = vinci::MatrixX(problem.J.view());
    const vinci::MatrixX effect = factor_.solve(J.transpose());  // M⁻¹ Jᵀ
    diagonal_ = (J.transpose().cwiseProduct(effect)).colwise().sum();
    if (!problem.C.empty())
      diagonal_ += vinci::VectorX(vinci::MatrixX(problem.C.view()).diagonal());
  }

  void velocities(const vinci::ComplementarityProblem& problem, vinci::Solution& solution) {
    impulse_ = problem.p;
    problem.J.multiply_transposed_add(solution.lambda.data(), impulse_.data());
    solution.u = factor_.solve(impulse_);
  }

  void sweep(const vinci::ComplementarityProblem& problem, vinci::Solution& solution) {
    velocities(problem, solution);
    w_ = problem.b;
    problem.J.multiply_add(solution.u.data(), w_.data());
    problem.C.multiply_add(solution.lambda.data(), w_.data());
    for (const vinci::Block& block : problem.blocks) {
      auto lambda = solution.lambda.segment(block.offset, block.size);
      const double scale = diagonal_.segment(block.offset, block.size).maxCoeff();
      lambda -= relaxation_ / std::max(scale, 1e-300) * w_.segment(block.offset, block.size);
      lambda[0] = std::max(lambda[0], 0.0);
      if (block.size == 1) continue;
      auto tangent = lambda.tail(block.size - 1);
      const double size = tangent.norm(), radius = block.friction * lambda[0];
      if (size > radius) tangent *= radius / size;
    }
  }

  double tolerance_, relaxation_;
  long sweeps_;
  vinci::Judge judge_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor_;
  vinci::VectorX diagonal_, impulse_, w_;
};

}  // namespace

VINCI_PLUGIN(plugins) {
  plugins.solvers.add(
      {"jacobi",
       "Projected Jacobi with under-relaxation: an example of a solver in a library of its own.",
       "",
       {{"tolerance", "Relative residual asked of the judge.", 1e-10, "", 0.0, 1.0},
        {"relaxation", "Step ω of a sweep; small ones converge more surely.", 0.3, "", 1e-3, 1.0},
        {"max-iterations", "Sweeps before giving up.", 20000L, "", 1, 1e9}},
       [](const vinci::OptionValues& options) { return std::make_unique<JacobiSolver>(options); }});
}
