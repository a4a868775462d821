// SPDX-License-Identifier: Apache-2.0
// Newton's method for mixed nonlinear complementarity problems: each step goes to the solution of
// the linearised complementarity problem, which complementary pivoting finds (linear_path.h), so
// that the active set may change freely within a step and convergence is quadratic at regular
// solutions [Josephy 1979; Ralph 1994; Dirkse, Ferris 1995]. What keeps it going elsewhere:
//
//   merit ½|Φ|², Φ the Fischer–Burmeister map, gradient steps where Newton's fail [Ferris, Kanzow,
//   Munson 1999]; search against the largest of the last merits, with a watchdog; proximal
//   perturbation of singular Jacobians; a crash phase of projected Newton steps; restarts.
#pragma once

#include "vinci/base/clock.h"
#include "vinci/complementarity/nonlinear_problem.h"
#include "vinci/complementarity/solver.h"

namespace vinci {

class LinearPath;

struct NonlinearReport {
  SolveStatus status = SolveStatus::refused;
  double residual = 0.0;  // the natural map, by natural_residual()
  int iterations = 0;     // steps of all kinds
  int evaluations = 0;    // of F
  int pivots = 0;
  int restarts = 0;
  const char* note = "";  // static storage
};

class PathNewton {
 public:
  struct Settings {
    double tolerance = 1e-10;  // of the natural map, in the unit of F
    int max_iterations = 500;  // steps, over all restarts
    double time_limit = std::numeric_limits<double>::infinity();  // s
    Interruption* interruption = nullptr;  // asked beside the time; null: nobody
    int crash_steps = 20;                  // at most, of projected Newton; 0: none
    int memory = 8;                        // merits that a new one is compared with
    int watchdog = 6;                      // steps without enough descent before it is searched for
    int restarts = 8;                      // other starts where one ends at no solution
  };
  PathNewton() : PathNewton(Settings{}) {}
  explicit PathNewton(const Settings& settings);
  ~PathNewton();
  Settings& settings() { return settings_; }

  // Asked at every new iterate whose natural map is finite, where set: true ends the solve as
  // solved. For callers whose judge measures otherwise.
  std::function<bool(const VectorX& z)> accept;
  // The starts of the restarts, where set: fills z (which holds the guess) for attempt 1, 2, ...;
  // otherwise points about the guess.
  std::function<void(int attempt, VectorX& z)> restart;

  // z holds the guess on entry (its nearest point within the bounds is taken) and the best point on
  // return. Never throws but what `problem` throws.
  NonlinearReport solve(const NonlinearProblem& problem, VectorX& z);
  // Natural map at every iterate of the last solve's last start, for those who watch convergence.
  const std::vector<double>& history() const { return history_; }

 private:
  struct Point {
    VectorX z, value, gradient;  // F(z), ∇½|Φ|²
    double merit = 0.0, residual = 0.0;
  };
  enum class Outcome : char { moved, solved, stuck };
  bool out_of_limits() const;
  bool measure(Point& point);
  void differentiate(Point& point);
  bool judged(const Point& point);
  void keep_best(const Point& point);
  void place_start(int attempt, const VectorX& guess);
  bool run(int attempt);
  void crash();
  bool newton_step();
  bool search(const VectorX& step, double reference);
  bool gradient_step();
  double reference() const;
  void accept_trial();
  bool back_to_checkpoint();
  Outcome advance(bool watch);

  Settings settings_;
  const NonlinearProblem* problem_ = nullptr;
  NonlinearReport report_;
  Deadline deadline_;
  std::unique_ptr<LinearPath> path_;
  SparseRows jacobian_;
  Point at_, trial_, checkpoint_;
  VectorX best_z_, step_, by_z_, by_value_;  // ∂Φ_k/∂z_k and ∂Φ_k/∂F_k
  double best_residual_ = 0.0;
  bool accepted_ = false;
  int proximity_ = 0;           // position on the ladder of perturbations
  int unwatched_ = 0;           // steps since the checkpoint
  std::vector<double> merits_;  // of the last iterates, a ring
  std::size_t merit_place_ = 0;
  std::vector<double> history_;
};

}  // namespace vinci
