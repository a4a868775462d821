// SPDX-License-Identifier: Apache-2.0
// A mode as an explicit system behind the implicit interface of the integrator.
#include "vinci/hybrid/mode_integrator.h"

#include <algorithm>

#include "vinci/base/error.h"

namespace vinci {

HybridMotion::Integrator::Integrator(const ConstrainedSystem& system, const HybridState& state,
                                     const VectorX& inputs, std::vector<Watch> watches,
                                     double accuracy)
    : equations_(system),
      system_(system),
      mode_(state.mode),
      inputs_(inputs),
      watches_(std::move(watches)),
      still_(still_speed(accuracy)),
      n_(equations_.coordinates()),
      m_(equations_.constraints()),
      k_(equations_.extras()),
      borders_(system.border_count()) {
  equations_.frame().inputs = inputs_;
  depths_ = VectorX::Zero(m_);
}

VectorX HybridMotion::Integrator::pack(const HybridState& state) const {
  VectorX y(size());
  y << state.positions, state.velocities, state.extras, state.slips, VectorX::Zero(m_);
  return y;
}

void HybridMotion::Integrator::unpack(const VectorX& y, HybridState& state) const {
  state.positions = y.head(n_);
  state.velocities = y.segment(n_, n_);
  state.extras = y.segment(2 * n_, k_);
  for (int i = 0; i < m_; ++i) state.slips[i] = is_contact(i) ? 0.0 : y[2 * n_ + k_ + i];
}

VectorX HybridMotion::Integrator::works(const VectorX& y) const {
  VectorX works = VectorX::Zero(m_);
  for (int i = 0; i < m_; ++i)
    if (is_contact(i)) works[i] = y[2 * n_ + k_ + i];
  return works;
}

void HybridMotion::Integrator::solve(double time, const VectorX& y) {
  if (solved_y_.size() == y.size() && time == solved_time_ && y == solved_y_) return;
  SystemFrame<double>& frame = equations_.frame();
  frame.time = time;
  frame.positions = y.head(n_);
  frame.velocities = y.segment(n_, n_);
  frame.extras = y.segment(2 * n_, k_);
  equations_.slips() = y.segment(2 * n_ + k_, m_);
  if (!equations_.solve(mode_)) throw Failure("forces are not determined");
  solved_time_ = time;
  solved_y_ = y;
}

void HybridMotion::Integrator::slopes_at(double time, const VectorX& y, VectorX& slopes) {
  solve(time, y);
  const SystemFrame<double>& frame = equations_.frame();
  slopes.head(n_) = y.segment(n_, n_);
  slopes.segment(n_, n_) = frame.accelerations;
  slopes.segment(2 * n_, k_) = frame.extra_rates;
  for (int i = 0; i < m_; ++i) {
    double& slope = slopes[2 * n_ + k_ + i];
    slope = mode_.states[i] == ContactState::sticking ? frame.gaps[i].first : 0.0;
    if (is_contact(i)) slope = frame.multipliers[i] * frame.gaps[i].first;
  }
  slopes.tail(m_) = frame.multipliers;
}

void HybridMotion::Integrator::residual(double time, const VectorX& y, const VectorX& slopes,
                                        VectorX& rows) {
  slopes_at(time, y, rows);
  rows = slopes - rows;
}

void HybridMotion::Integrator::jacobian(double time, double factor, const VectorX& y,
                                        const VectorX&, MatrixX& matrix) {
  solve(time, y);
  ModeEquations::Slopes change;
  equations_.slopes(mode_, change);
  const SystemFrame<double>& frame = equations_.frame();
  const int width = 2 * n_ + k_ + m_;
  matrix.setZero(size(), size());
  matrix.block(0, n_, n_, n_).diagonal().setConstant(-1.0);
  matrix.block(n_, 0, n_, width) = -change.accelerations.leftCols(width);
  matrix.block(2 * n_, 0, k_, width) = -change.extra_rates.leftCols(width);
  for (int i = 0; i < m_; ++i)
    if (mode_.states[i] == ContactState::sticking)
      matrix.row(2 * n_ + k_ + i).head(width) = -change.gap_rates.row(i).head(width);
    else if (is_contact(i))
      matrix.row(2 * n_ + k_ + i).head(width) =
          -frame.multipliers[i] * change.gap_rates.row(i).head(width) -
          frame.gaps[i].first * change.multipliers.row(i).head(width);
  matrix.block(2 * n_ + k_ + m_, 0, m_, width) = -change.multipliers.leftCols(width);
  matrix.diagonal().array() += factor;
}

double HybridMotion::Integrator::plain_value(const Watch& watch) const {
  const SystemFrame<double>& frame = const_cast<ModeEquations&>(equations_).frame();
  const int i = watch.constraint;
  const auto& all = system_.constraints();
  const bool two = i >= 0 && i + 1 < m_ && all[i + 1].second;
  switch (watch.what) {
    case Watch::What::gap:
      return frame.gaps[i].value;
    case Watch::What::gap_rate:
      return frame.gaps[i].first;
    case Watch::What::force:
      return frame.multipliers[i];
    case Watch::What::urge:
      return all[i].stabilisation.error(frame.gaps[i]);
    case Watch::What::grip: {
      const double bound =
          all[i].bound +
          (all[i].with < 0 ? 0.0 : all[i].coefficient * frame.multipliers[all[i].with]);
      const double force = two ? std::hypot(frame.multipliers[i], frame.multipliers[i + 1])
                               : std::abs(frame.multipliers[i]);
      return bound - force;
    }
    case Watch::What::slip:
      if (!two) return frame.gaps[i].first * mode_.directions[i];
      return std::hypot(frame.gaps[i].first, frame.gaps[i + 1].first) - still_;
    case Watch::What::slip_along:
      return frame.gaps[i].first * mode_.directions[i] +
             frame.gaps[i + 1].first * mode_.directions[i + 1];
    case Watch::What::escape:
      return 2.0 * still_ - (two ? std::hypot(frame.gaps[i].first, frame.gaps[i + 1].first)
                                 : std::abs(frame.gaps[i].first));
    case Watch::What::guard:
      return frame.guards[watch.guard];
    case Watch::What::border:
      return borders_[watch.passage];
    case Watch::What::jam:
      return watch.guard * equations_.regularity();
    case Watch::What::misfit:
      return equations_.misfit() - largest_misfit;
  }
  return 0.0;
}

void HybridMotion::Integrator::watches(double time, const VectorX& y, VectorX& values) {
  solve(time, y);
  if (borders_.size() > 0) system_.borders(time, y.head(n_), borders_);
  for (std::size_t i = 0; i < watches_.size(); ++i)
    values[i] = plain_value(watches_[i]) + watches_[i].margin;
}

// Between two steps h is taken as the parabola through its value and both rates: the deepest place
// of an impact is where h' = 0.
void HybridMotion::Integrator::reached(double time, const VectorX& y) {
  solve(time, y);
  const SystemFrame<double>& frame = equations_.frame();
  VectorX gaps(m_), rates(m_);
  for (int i = 0; i < m_; ++i) {
    gaps[i] = frame.gaps[i].value;
    rates[i] = frame.gaps[i].first;
  }
  for (int i = 0; i < m_; ++i) {
    const bool comes_back = acts(mode_.states[i]) || mode_.states[i] == ContactState::ballistic;
    if (!is_contact(i) || !comes_back) continue;
    double least = gaps[i];
    if (reached_rates_.size() > 0 && reached_rates_[i] < 0.0 && rates[i] > 0.0) {
      const double way =
          (time - reached_time_) * reached_rates_[i] / (reached_rates_[i] - rates[i]);
      least = std::min(least, reached_gaps_[i] + 0.5 * reached_rates_[i] * way);
    }
    depths_[i] = std::max(depths_[i], -least);
  }
  reached_time_ = time;
  reached_gaps_ = std::move(gaps);
  reached_rates_ = std::move(rates);
}

}  // namespace vinci
