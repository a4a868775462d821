// SPDX-License-Identifier: Apache-2.0
// An impact law in a library of its own: contacts are hit one after the other, the fastest first,
// each by Newton's law with friction, until none closes. A row of balls hands the impact on, as a
// cradle does; the built-in laws share it in one instant.
//
//   vinci run scenes/row_of_balls.yaml --plugin libvinci-sequential.so --impact-law sequential
#include <algorithm>

#include "vinci/simulation/plugins.h"

namespace {

using vinci::ImpactContact;
using vinci::ImpactProblem;
using vinci::SparseRows;

class SequentialLaw : public vinci::ImpactLaw {
 public:
  explicit SequentialLaw(const vinci::OptionValues& options)
      : slowest_(options.real("slowest")), most_(options.integer("most")) {}

  std::string why_not(const ImpactProblem& probe, const vinci::Solver&) const override {
    return probe.pyramid ? "takes the quadratic cone only; accepted: 'cone: quadratic'" : "";
  }

  vinci::ImpactReport apply(const ImpactProblem& impact, vinci::Solver& solver,
                            vinci::Solution& answer) override {
    vinci::ImpactReport report;
    report.solve.status = vinci::SolveStatus::solved;
    answer.u = impact.before;
    double fastest = 0.0;  // of the approaches before
    for (const ImpactContact& contact : impact.contacts)
      fastest = std::max(fastest, -contact.before[0]);
    for (long hit = 0; hit < most_; ++hit) {
      const ImpactContact* next = nullptr;
      double least = -slowest_ * fastest;
      for (const ImpactContact& contact : impact.contacts)
        if (const double speed = normal_velocity(impact, contact, answer.u); speed < least)
          least = speed, next = &contact;
      if (next == nullptr) return finish(impact, solver, answer, report);
      strike(impact, *next, least, solver, answer, report);
    }
    return finish(impact, solver, answer, report);
  }

 private:
  static double normal_velocity(const ImpactProblem& impact, const ImpactContact& contact,
                                const vinci::VectorX& u) {
    const SparseRows& J = impact.inelastic.J;
    double velocity = impact.inelastic.b[contact.row];
    for (int k = J.starts[contact.row]; k < J.starts[contact.row + 1]; ++k)
      velocity += J.values[k] * u[J.indices[k]];
    return velocity;
  }

  // The problem of one contact: its rows alone, from the velocities now.
  void strike(const ImpactProblem& impact, const ImpactContact& contact, double speed,
              vinci::Solver& solver, vinci::Solution& answer, vinci::ImpactReport& report) {
    const vinci::ComplementarityProblem& all = impact.inelastic;
    one_.M = all.M;
    one_.p.setZero(all.unknowns());
    all.M.multiply_add(answer.u.data(), one_.p.data());
    one_.J.reset(all.unknowns());
    one_.C.reset(contact.size);
    one_.b = all.b.segment(contact.row, contact.size);
    one_.b[0] += contact.restitution * speed;
    for (int row = contact.row; row < contact.row + contact.size; ++row) {
      for (int k = all.J.starts[row]; k < all.J.starts[row + 1]; ++k)
        one_.J.push(all.J.indices[k], all.J.values[k]);
      one_.J.end_row();
      one_.C.end_row();
    }
    const vinci::Law law = contact.size == 1 ? vinci::Law::nonnegative : vinci::Law::coulomb;
    one_.blocks = {{.law = law, .offset = 0, .size = contact.size, .friction = contact.friction}};
    hit_.u = answer.u;
    hit_.lambda.setZero(contact.size);
    take(solver.solve(one_, hit_), report);
    answer.u = hit_.u;
    answer.lambda.segment(contact.row, contact.size) += hit_.lambda;
  }

  // What still closes, by less than counts, is stopped at once.
  vinci::ImpactReport finish(const ImpactProblem& impact, vinci::Solver& solver,
                             vinci::Solution& answer, vinci::ImpactReport& report) {
    one_ = impact.inelastic;
    one_.p.setZero();
    impact.inelastic.M.multiply_add(answer.u.data(), one_.p.data());
    hit_.u = answer.u;
    hit_.lambda.setZero(one_.rows());
    take(solver.solve(one_, hit_), report);
    answer.u = hit_.u;
    answer.lambda += hit_.lambda;
    return report;
  }

  static void take(const vinci::SolveReport& solve, vinci::ImpactReport& report) {
    const int iterations = report.solve.iterations + solve.iterations;
    if (!(solve.residual.relative < report.solve.residual.relative)) report.solve = solve;
    report.solve.iterations = iterations;
  }

  double slowest_;
  long most_;
  vinci::ComplementarityProblem one_;
  vinci::Solution hit_;
};

}  // namespace

VINCI_PLUGIN(plugins) {
  plugins.impact_laws.add(
      {"sequential",
       "Contacts are hit one after the other, the fastest first, each by Newton's law: an example "
       "of an impact law in a library of its own.",
       "",
       {{"slowest", "Speed, of the fastest approach, below which contacts are stopped at once.",
         1e-6, "", 0.0, 1.0},
        {"most", "Hits before what is left is stopped at once.", 10000L, "", 1, 1e9}},
       [](const vinci::OptionValues& options) {
         return std::make_unique<SequentialLaw>(options);
       }});
}
