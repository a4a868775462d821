// SPDX-License-Identifier: Apache-2.0
// Rows of a mode, their solution for v' and λ, and exact derivatives. With the rows
//   M v' − Gᵀ λ = f,   K v' + L λ = c
// of what acts, S λ = c − K M⁻¹ f with S = K M⁻¹ Gᵀ + L, scaled to g M⁻¹ gᵀ = 1 per constraint.
// With E the directions of friction that sticks along what cannot move and P = I − E Eᵀ, their rows
// are Eᵀ λ = 0 instead: (P S P + E Eᵀ) λ = P (c − K M⁻¹ f).
#include "vinci/hybrid/equations.h"

#include <algorithm>

namespace vinci {

namespace {

// Rows that differ from a combination of the others by less are the same.
constexpr double same_rows = 1e-9;
// Share of a force that has to be free to change for it to count as open.
constexpr double open_force = 1e-6;

}  // namespace

HybridMode HybridMode::of(std::vector<ContactState> states) {
  const auto m = static_cast<Eigen::Index>(states.size());
  return {std::move(states), VectorX::Zero(m), VectorX::Zero(m), VectorX::Zero(m)};
}

HybridState HybridState::at(double time, const VectorX& positions, const VectorX& velocities,
                            std::vector<ContactState> states) {
  const std::size_t m = states.size();
  return {time,
          positions,
          velocities,
          {},
          VectorX::Zero(static_cast<Eigen::Index>(m)),
          HybridMode::of(std::move(states)),
          std::vector<bool>(m, false),
          {},
          VectorX::Zero(static_cast<Eigen::Index>(m))};
}

ModeEquations::ModeEquations(const ConstrainedSystem& system)
    : system_(system),
      n_(system.coordinate_count()),
      m_(static_cast<int>(system.constraints().size())),
      k_(system.extra_count()),
      plain_(make_frame<double>(system)),
      dual_(make_frame<Dual<double>>(system)),
      slips_(VectorX::Zero(m_)),
      rows_(n_ + m_) {
  dual_slips_.setConstant(m_, Dual<double>(0.0));
  dual_rows_.setConstant(n_ + m_, Dual<double>(0.0));
}

void ModeEquations::set(const HybridState& state, const VectorX& inputs) {
  plain_.time = state.time;
  plain_.positions = state.positions;
  plain_.velocities = state.velocities;
  plain_.extras = state.extras;
  plain_.inputs = inputs;
  slips_ = state.slips;
}

template <class T>
void ModeEquations::write_rows(const SystemFrame<T>& frame, const VectorOf<T>& slips,
                               const HybridMode& mode, VectorOf<T>& rows) const {
  rows.head(n_) = frame.balance;
  for (int i = 0; i < m_; ++i) {
    const Constraint& constraint = system_.constraints()[i];
    T& row = rows[n_ + i];
    const Series<T>& gap = frame.gaps[i];
    switch (mode.states[i]) {
      case ContactState::contact:
        row = constraint.stabilisation.error(
            Series<T>(gap.value - mode.anchors[i], gap.first, gap.second));
        break;
      case ContactState::sticking:
        row = constraint.stabilisation.error(Series<T>(slips[i], gap.first, gap.second));
        break;
      case ContactState::sliding: {
        T bound(constraint.bound);
        if (constraint.with >= 0)
          bound += constraint.coefficient * frame.multipliers[constraint.with];
        const bool paired =
            constraint.second || (i + 1 < m_ && system_.constraints()[i + 1].second);
        if (!paired) {
          row = frame.multipliers[i] + bound * mode.directions[i];
          break;
        }
        const int first = constraint.second ? i - 1 : i;
        using std::sqrt;
        T along[2];
        for (int k = 0; k < 2; ++k)
          along[k] = frame.gaps[first + k].first + blended_speed * mode.directions[first + k];
        const T speed = sqrt(along[0] * along[0] + along[1] * along[1]);
        row = frame.multipliers[i] + bound * along[i - first] / speed;
        break;
      }
      case ContactState::free:
      case ContactState::ballistic:
        row = frame.multipliers[i];
        break;
    }
  }
}

void ModeEquations::residual(const HybridMode& mode, Eigen::Ref<VectorX> rows) {
  system_.evaluate(plain_);
  write_rows<double>(plain_, slips_, mode, rows_);
  rows = rows_;
}

void ModeEquations::copy_values() {
  const auto copy = [](const VectorX& values, VectorOf<Dual<double>>& result) {
    for (Eigen::Index i = 0; i < values.size(); ++i) result[i] = Dual<double>(values[i]);
  };
  dual_.time = plain_.time;
  copy(plain_.positions, dual_.positions);
  copy(plain_.velocities, dual_.velocities);
  copy(plain_.accelerations, dual_.accelerations);
  copy(plain_.multipliers, dual_.multipliers);
  copy(plain_.inputs, dual_.inputs);
  copy(plain_.extras, dual_.extras);
  copy(slips_, dual_slips_);
}

void ModeEquations::slope(const HybridMode& mode, Argument argument, int place,
                          Eigen::Ref<VectorX> rows) {
  copy_values();
  VectorOf<Dual<double>>* const lists[] = {
      &dual_.positions, &dual_.velocities, &dual_.accelerations, &dual_.multipliers,
      &dual_.inputs,    &dual_.extras,     &dual_slips_};
  (*lists[static_cast<int>(argument)])[place].slope = 1.0;
  system_.evaluate(dual_);
  write_rows<Dual<double>>(dual_, dual_slips_, mode, dual_rows_);
  for (int i = 0; i < n_ + m_; ++i) rows[i] = dual_rows_[i].slope;
}

bool ModeEquations::solve(const HybridMode& mode) {
  active_.clear();
  idle_ = misfit_constraint_ = -1;
  misfit_ = 0.0;
  for (int i = 0; i < m_; ++i)
    if (acts(mode.states[i])) active_.push_back(i);
  const auto count = static_cast<int>(active_.size());
  plain_.accelerations.setZero();
  plain_.multipliers.setZero();
  VectorX start(rows());
  residual(mode, start);
  MatrixX mass(n_, n_), across(count, n_), pushes(n_, count), direct(count, count);
  VectorX column(rows());
  for (int j = 0; j < n_; ++j) {
    slope(mode, Argument::accelerations, j, column);
    mass.col(j) = column.head(n_);
    for (int i = 0; i < count; ++i) across(i, j) = column[n_ + active_[i]];
  }
  for (int j = 0; j < count; ++j) {
    slope(mode, Argument::multipliers, active_[j], column);
    pushes.col(j) = -column.head(n_);
    for (int i = 0; i < count; ++i) direct(i, j) = column[n_ + active_[i]];
  }
  mass_.compute(0.5 * (mass + mass.transpose()));
  if (n_ > 0 && (mass_.info() != Eigen::Success || !(mass_.vectorD().minCoeff() > 0.0)))
    return false;
  columns_ = n_ > 0 ? MatrixX(mass_.solve(pushes)) : MatrixX(n_, count);
  across_ = across;
  scales_.resize(count);
  for (int i = 0; i < count; ++i) {
    const double own = pushes.col(i).dot(columns_.col(i));
    scales_[i] = own > 0.0 ? std::sqrt(own) : 1.0;
    if (!(own > 0.0) && mode.states[active_[i]] == ContactState::contact) idle_ = active_[i];
  }
  find_still(mode, pushes);
  MatrixX coupling = across_ * columns_ + direct;
  for (int i = 0; i < count; ++i) {
    const bool slides = mode.states[active_[i]] == ContactState::sliding;
    // A row of sliding says a force, the others accelerations.
    coupling.row(i) *= slides ? scales_[i] : 1.0 / scales_[i];
  }
  for (int j = 0; j < count; ++j) coupling.col(j) /= scales_[j];
  if (still_.cols() > 0) {
    coupling -= still_ * (still_.transpose() * coupling);
    coupling -= (coupling * still_) * still_.transpose();
    coupling += still_ * still_.transpose();
  }
  rank_ = 0;
  if (count > 0) {
    coupling_.setThreshold(same_rows);
    coupling_.compute(coupling);
    scaled_ = std::move(coupling);
    rank_ = static_cast<int>(coupling_.rank());
  }
  slides_.assign(static_cast<std::size_t>(count), false);
  for (int i = 0; i < count; ++i) slides_[i] = mode.states[active_[i]] == ContactState::sliding;
  // The preferred forces are taken out first, so that the nearest ones to them are found.
  VectorX preferred(count);
  for (int i = 0; i < count; ++i) preferred[i] = is_redundant() ? mode.preferred[active_[i]] : 0.0;
  preferred -= still_ * (still_.transpose() * preferred);
  const VectorX acting = start;
  VectorX lacking = start;
  for (int j = 0; j < count; ++j) {
    lacking.head(n_) -= pushes.col(j) * preferred[j];
    for (int i = 0; i < count; ++i) lacking[n_ + active_[i]] += direct(i, j) * preferred[j];
  }
  const VectorX solved = answer(lacking);
  plain_.accelerations = solved.head(n_);
  plain_.multipliers.setZero();
  for (int i = 0; i < count; ++i)
    plain_.multipliers[active_[i]] = solved[n_ + active_[i]] + preferred[i];
  if (!solved.allFinite()) return false;
  residual(mode, start);
  // Beside all that acts: beside what the preferred forces leave of it rounding would be a misfit.
  double asked = 0.0;
  const VectorX free = n_ > 0 ? VectorX(mass_.solve(acting.head(n_))) : VectorX(0);
  for (int i = 0; i < count; ++i)
    asked = std::max(asked, (std::abs(acting[n_ + active_[i]]) +
                             across_.row(i).cwiseAbs().dot(free.cwiseAbs())) /
                                scales_[i]);
  VectorX left(count);
  for (int i = 0; i < count; ++i) left[i] = start[n_ + active_[i]] / scales_[i];
  left -= still_ * (still_.transpose() * left);
  for (int i = 0; i < count; ++i) {
    if (!slides_[i] && asked > 0.0 && std::abs(left[i]) / asked > misfit_) {
      misfit_ = std::abs(left[i]) / asked;
      misfit_constraint_ = active_[i];
    }
  }
  return true;
}

// What friction can move counts beside what the forces of its contact can, and all of them have one
// scale: a direction means the same in scaled forces, and a share that friction has in forces which
// are open ends smoothly where it comes to move nothing.
void ModeEquations::find_still(const HybridMode& mode, const MatrixX& pushes) {
  const auto& all = system_.constraints();
  const auto count = static_cast<int>(active_.size());
  std::vector<VectorX> found;
  for (int i = 0; i < count; ++i) {
    const Constraint& constraint = all[active_[i]];
    if (constraint.kind != ConstraintKind::friction || constraint.second) continue;
    const int size =
        i + 1 < count && active_[i + 1] == active_[i] + 1 && all[active_[i + 1]].second ? 2 : 1;
    const Eigen::SelfAdjointEigenSolver<MatrixX> own(pushes.middleCols(i, size).transpose() *
                                                     columns_.middleCols(i, size));
    double most = own.eigenvalues().maxCoeff();
    const auto normal = std::find(active_.begin(), active_.end(), constraint.with);
    if (normal != active_.end()) {
      const auto k = normal - active_.begin();
      most = std::max(most, pushes.col(k).dot(columns_.col(k)));
    }
    scales_.segment(i, size).setConstant(most > 0.0 ? std::sqrt(most) : 1.0);
    const bool sticks = mode.states[active_[i]] == ContactState::sticking;
    for (int k = 0; sticks && k < size; ++k) {
      if (own.eigenvalues()[k] > same_rows * most) continue;
      found.push_back(VectorX::Zero(count));
      found.back().segment(i, size) = own.eigenvectors().col(k);
    }
  }
  still_.resize(count, static_cast<Eigen::Index>(found.size()));
  for (std::size_t k = 0; k < found.size(); ++k)
    still_.col(static_cast<Eigen::Index>(k)) = found[k];
}

double ModeEquations::regularity() const {
  if (active_.empty() || is_redundant()) return 0.0;
  return scaled_.partialPivLu().determinant();
}

bool ModeEquations::is_still(int constraint) const {
  const auto found = std::find(active_.begin(), active_.end(), constraint);
  if (found == active_.end() || still_.cols() == 0) return false;
  return !still_.row(found - active_.begin()).isZero(0.0);
}

VectorX ModeEquations::push(const HybridMode& mode, int constraint) {
  VectorX column(rows());
  slope(mode, Argument::multipliers, constraint, column);
  return -column.head(n_);
}

double ModeEquations::mobility(const HybridMode& mode, int constraint) {
  const VectorX own = push(mode, constraint);
  return n_ > 0 ? own.dot(VectorX(mass_.solve(own))) : 0.0;
}

// (v', λ) with the rows changed by these: −A⁻¹ rows, a column each.
MatrixX ModeEquations::answer(const MatrixX& rows) const {
  const auto count = static_cast<int>(active_.size());
  MatrixX result = MatrixX::Zero(n_ + m_, rows.cols());
  const MatrixX free = n_ > 0 ? MatrixX(mass_.solve(-rows.topRows(n_))) : MatrixX(0, rows.cols());
  if (count == 0) {
    result.topRows(n_) = free;
    return result;
  }
  MatrixX asked(count, rows.cols());
  for (int i = 0; i < count; ++i) {
    asked.row(i) = -rows.row(n_ + active_[i]) - across_.row(i) * free;
    asked.row(i) *= slides_[i] ? scales_[i] : 1.0 / scales_[i];
  }
  asked -= still_ * (still_.transpose() * asked);
  MatrixX forces = coupling_.solve(asked);
  for (int i = 0; i < count; ++i) forces.row(i) /= scales_[i];
  result.topRows(n_) = free + columns_ * forces;
  for (int i = 0; i < count; ++i) result.row(n_ + active_[i]) = forces.row(i);
  return result;
}

// How far rounding may put the entries of answer(): residuals of its steps are as small as the
// terms in them [Oettli 1964], and |M⁻¹| and the inverse of the coupling carry them on. The
// bound scales with units of rows and columns as the entries do.
MatrixX ModeEquations::rounding_of(const MatrixX& rows, const MatrixX& answer) const {
  const auto count = static_cast<int>(active_.size());
  MatrixX bound = MatrixX::Zero(n_ + m_, rows.cols());
  if (n_ == 0) return bound;
  const MatrixX mass = mass_.reconstructedMatrix().cwiseAbs();
  const MatrixX inverse = MatrixX(mass_.solve(MatrixX::Identity(n_, n_))).cwiseAbs();
  const MatrixX free = MatrixX(mass_.solve(rows.topRows(n_))).cwiseAbs();
  MatrixX motion = inverse * (mass * free + rows.topRows(n_).cwiseAbs());
  if (count > 0) {
    MatrixX forces(count, rows.cols()), asked(count, rows.cols());
    const MatrixX across = across_.cwiseAbs(), columns = columns_.cwiseAbs();
    for (int i = 0; i < count; ++i) {
      forces.row(i) = answer.row(n_ + active_[i]).cwiseAbs() * scales_[i];
      asked.row(i) = rows.row(n_ + active_[i]).cwiseAbs() + across.row(i) * (motion + free);
      asked.row(i) *= slides_[i] ? scales_[i] : 1.0 / scales_[i];
    }
    const MatrixX back = MatrixX(coupling_.solve(MatrixX::Identity(count, count))).cwiseAbs();
    MatrixX unsure = back * (asked + scaled_.cwiseAbs() * forces);
    for (int i = 0; i < count; ++i) {
      unsure.row(i) /= scales_[i];
      forces.row(i) /= scales_[i];
      bound.row(n_ + active_[i]) = unsure.row(i);
    }
    motion += columns * (unsure + forces);
  }
  bound.topRows(n_) = motion;
  return 4.0 * machine_epsilon * bound;
}

// Combinations of rows that are zero, a column each.
MatrixX ModeEquations::dependences() const {
  if (!is_redundant()) return MatrixX(active_.size(), 0);
  Eigen::FullPivLU<MatrixX> factors(scaled_.transpose());
  factors.setThreshold(same_rows);
  return factors.dimensionOfKernel() > 0 ? MatrixX(factors.kernel()) : MatrixX(active_.size(), 0);
}

std::vector<int> ModeEquations::entangled() const {
  const MatrixX sums = dependences();
  std::vector<int> list;
  for (Eigen::Index i = 0; i < sums.rows(); ++i)
    if (sums.cols() > 0 && sums.row(i).norm() > 1e-6 * sums.norm()) list.push_back(active_[i]);
  return list;
}

bool ModeEquations::contradicts(const HybridState& state, double negligible) const {
  const MatrixX sums = dependences();
  const auto count = static_cast<int>(active_.size());
  VectorX gaps(count), rates(count);
  for (int i = 0; i < count; ++i) {
    const int at = active_[i];
    const Series<double>& gap = plain_.gaps[at];
    const ContactState now = state.mode.states[at];
    gaps[i] = now == ContactState::contact ? gap.value - state.mode.anchors[at] : state.slips[at];
    rates[i] = gap.first;
    if (now == ContactState::sliding) gaps[i] = rates[i] = 0.0;
    if (std::abs(gaps[i]) <= negligible) gaps[i] = 0.0;
    if (std::abs(rates[i]) <= negligible) rates[i] = 0.0;
    gaps[i] /= scales_[i];
    rates[i] /= scales_[i];
  }
  constexpr double share = 0.05;  // that curved constraints may make of it while they settle
  const auto differ = [&](const MatrixX& combinations, const VectorX& values) {
    for (Eigen::Index j = 0; j < combinations.cols(); ++j) {
      const VectorX sizes = combinations.col(j).cwiseAbs();
      const double sum = std::abs(combinations.col(j).dot(values));
      if (sum > share * sizes.dot(values.cwiseAbs()) &&
          sum > negligible * sizes.dot(scales_.cwiseInverse()))
        return true;
    }
    return false;
  };
  if (differ(sums, rates)) return true;
  // Friction holds a velocity alone: where it has part, h may be what it was when that came to
  // rest, as of a strut that is jammed while its contacts are still sunk in.
  MatrixX rubbing = sums;
  for (int i = 0; i < count; ++i)
    if (state.mode.states[active_[i]] != ContactState::sticking) rubbing.row(i).setZero();
  if (sums.cols() == 0 || rubbing.isZero(1e-9)) return differ(sums, gaps);
  const Eigen::FullPivLU<MatrixX> factors(rubbing);
  return factors.dimensionOfKernel() > 0 && differ(sums * factors.kernel(), gaps);
}

bool ModeEquations::is_open(int constraint) const {
  const auto found = std::find(active_.begin(), active_.end(), constraint);
  if (found == active_.end() || !is_redundant()) return false;
  VectorX change = VectorX::Zero(static_cast<Eigen::Index>(active_.size()));
  change[found - active_.begin()] = 1.0;
  change -= VectorX(coupling_.solve(scaled_ * change));
  return change.norm() > open_force;
}

void ModeEquations::project_forces(VectorX& forces) const {
  const auto count = static_cast<int>(active_.size());
  if (count == 0) return;
  VectorX change(count);
  for (int i = 0; i < count; ++i)
    change[i] = (forces[active_[i]] - plain_.multipliers[active_[i]]) * scales_[i];
  // What is left of it once the part that moves something is taken out.
  const VectorX moves = coupling_.solve(scaled_ * change);
  for (int i = 0; i < count; ++i)
    forces[active_[i]] = plain_.multipliers[active_[i]] + (change[i] - moves[i]) / scales_[i];
}

void ModeEquations::slopes(const HybridMode& mode, Slopes& out, bool cleaned) {
  const int inputs = system_.input_count();
  const int width = 2 * n_ + k_ + m_ + inputs;
  MatrixX others(rows(), width);
  out.extra_rates.resize(k_, width);
  out.gaps.resize(m_, width);
  out.gap_rates.resize(m_, width);
  int first = 0;
  const auto add = [&](Argument argument, int count) {
    for (int j = 0; j < count; ++j, ++first) {
      slope(mode, argument, j, others.col(first));
      for (int i = 0; i < k_; ++i) out.extra_rates(i, first) = dual_.extra_rates[i].slope;
      for (int i = 0; i < m_; ++i) {
        out.gaps(i, first) = dual_.gaps[i].value.slope;
        out.gap_rates(i, first) = dual_.gaps[i].first.slope;
      }
    }
  };
  add(Argument::positions, n_);
  add(Argument::velocities, n_);
  add(Argument::extras, k_);
  add(Argument::slips, m_);
  add(Argument::inputs, inputs);
  MatrixX change = answer(others);
  if (cleaned)
    change = (change.cwiseAbs().array() <= rounding_of(others, change).array()).select(0.0, change);
  out.accelerations = change.topRows(n_);
  out.multipliers = change.bottomRows(m_);
}

}  // namespace vinci
