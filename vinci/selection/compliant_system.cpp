// SPDX-License-Identifier: Apache-2.0
// Two forms of one linear system, dense.
#include "vinci/selection/compliant_system.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

constexpr int most_entries = 64;  // of a row of J that is gathered without memory of its own
// What the compliance alone determines has a stiffness of its size: of the inverse matrix in units
// of 1/ε, and in a pivot, which may be far from the least stiffness.
constexpr double open_inverse = 0.01, open_pivot = 1e5;

}  // namespace

bool CompliantSystem::load(const ComplementarityProblem& problem, const MassFactor& mass,
                           std::span<const ContactUnit> units) {
  problem_ = &problem;
  mass_ = &mass;
  place_.assign(static_cast<std::size_t>(mass.component_count()), -1);
  components_.clear();
  starts_.assign(1, 0);
  columns_.clear();
  values_.clear();
  size_ = 0;
  for (const ContactUnit& unit : units)
    if (!add_unit(unit)) return false;
  push_.resize(static_cast<std::size_t>(size_));
  momentum_.resize(push_.size());
  motion_.resize(push_.size());
  for (const int component : components_) {
    const auto members = mass.members(component);
    for (std::size_t i = 0; i < members.size(); ++i)
      push_[static_cast<std::size_t>(place_[component]) + i] = problem.p[members[i]];
  }
  return true;
}

bool CompliantSystem::add_unit(const ContactUnit& unit) {
  const SparseRows& J = problem_->J;
  int columns[most_entries], count = 0;
  const int first_end = J.starts[unit.first + 1];
  for (int k = J.starts[unit.first]; k < J.starts[unit.first + unit.count]; ++k) {
    const int unknown = J.indices[k], component = mass_->component_of(unknown);
    int& place = place_[static_cast<std::size_t>(component)];
    if (place < 0) {
      place = size_;
      size_ += static_cast<int>(mass_->members(component).size());
      components_.push_back(component);
    }
    const int column = place + mass_->position_of(unknown);
    if (k >= first_end && std::find(columns, columns + count, column) != columns + count) continue;
    if (count == most_entries) return false;
    columns[count++] = column;
  }
  const int begin = J.starts[unit.first], width = J.starts[unit.first + 1] - begin;
  for (int row = unit.first; row < unit.first + unit.count; ++row) {
    const int from = J.starts[row], end = J.starts[row + 1];
    columns_.insert(columns_.end(), columns, columns + count);
    if (end - from == count && width == count &&
        std::equal(J.indices.data() + from, J.indices.data() + end, J.indices.data() + begin)) {
      values_.insert(values_.end(), J.values.data() + from, J.values.data() + end);
    } else {
      const auto first = static_cast<int>(values_.size());
      values_.resize(values_.size() + static_cast<std::size_t>(count), 0.0);
      for (int k = from; k < end; ++k) {
        const int unknown = J.indices[k];
        const int column = place_[mass_->component_of(unknown)] + mass_->position_of(unknown);
        const auto at = std::find(columns, columns + count, column) - columns;
        values_[static_cast<std::size_t>(first + at)] = J.values[k];
      }
    }
    starts_.push_back(static_cast<int>(values_.size()));
  }
  return true;
}

void CompliantSystem::apply_inverse(const double* x, double* y) const {
  for (const int component : components_) {
    const int first = place_[component];
    const auto count = static_cast<int>(mass_->members(component).size());
    const double* inverse = mass_->inverse(component);
    for (int i = 0; i < count; ++i, inverse += count) {
      double sum = 0.0;
      for (int j = 0; j < count; ++j) sum += inverse[j] * x[first + j];
      y[first + i] = sum;
    }
  }
}

void CompliantSystem::measure(const VectorX& lambda, VectorX& w) {
  std::copy(push_.begin(), push_.end(), momentum_.begin());
  const int* const columns = columns_.data();
  const double* const values = values_.data();
  double* const momentum = momentum_.data();
  const int count = rows();
  for (int row = 0; row < count; ++row) {
    const double load = lambda[row];
    if (load == 0.0) continue;
    for (int k = row_begin(row), end = row_end(row); k < end; ++k)
      momentum[columns[k]] += values[k] * load;
  }
  apply_inverse(momentum, motion_.data());
  const double* const motion = motion_.data();
  w.resize(count);
  for (int row = 0; row < count; ++row) {
    double sum = problem_->b[row];
    for (int k = row_begin(row), end = row_end(row); k < end; ++k)
      sum += values[k] * motion[columns[k]];
    w[row] = sum;
  }
  if (!problem_->C.empty()) problem_->C.multiply_add(lambda.data(), w.data());
}

// The row of J along a direction, in the order of the columns of its first row; `values` is room
// for it.
const double* CompliantSystem::gather(const Direction& direction, double* values) const {
  const int begin = row_begin(direction.first), width = row_end(direction.first) - begin;
  if (direction.part[0] == 1.0 && (direction.count < 2 || direction.part[1] == 0.0) &&
      (direction.count < 3 || direction.part[2] == 0.0))
    return values_.data() + begin;
  for (int k = 0; k < width; ++k) values[k] = direction.part[0] * values_[begin + k];
  for (int a = 1; a < direction.count; ++a) {
    const double part = direction.part[a];
    if (part == 0.0) continue;
    const double* const own = values_.data() + row_begin(direction.first + a);
    for (int k = 0; k < width; ++k) values[k] += part * own[k];
  }
  return values;
}

// ε GᵀE of an unknown's equation and the force before it, of the same unit.
double CompliantSystem::joint(int j, double compliance) const {
  const Direction& line = unknowns_[j].equation;
  const Direction& force = unknowns_[j - 1].force;
  double sum = 0.0;
  for (int a = 0; a < line.count; ++a) {
    const int place = line.first + a - force.first;
    if (place >= 0 && place < force.count) sum += line.part[a] * force.part[place];
  }
  return compliance * sum;
}

void CompliantSystem::factor(double compliance) {
  compliance_ = compliance;
  const auto count = static_cast<int>(unknowns_.size());
  diagonal_.resize(unknowns_.size());
  coupling_.assign(unknowns_.size(), 0.0);
  for (int j = 0; j < count; ++j) {
    diagonal_[j] = compliance + unknowns_[j].slip;
    if (unknowns_[j].joined) coupling_[j] = joint(j, compliance);
  }
  by_velocities_ = count > size_ && problem_->C.empty();
  by_velocities_ ? factor_velocities(compliance) : factor_loads(compliance);
}

bool CompliantSystem::leaves_open() const {
  return by_velocities_ || (may_leave_open_ && lu_.inverse_norm() * compliance_ > open_inverse);
}

void CompliantSystem::factor_loads(double compliance) {
  const auto count = static_cast<int>(unknowns_.size());
  const std::size_t width = static_cast<std::size_t>(size_);
  columns_of_loads_.resize(width * unknowns_.size());
  double room[most_entries];
  for (int j = 0; j < count; ++j) {
    const Direction& force = unknowns_[j].force;
    std::fill(momentum_.begin(), momentum_.end(), 0.0);
    const double* const values = gather(force, room);
    const int begin = row_begin(force.first), end = row_end(force.first);
    for (int k = begin; k < end; ++k) momentum_[columns_[k]] += values[k - begin];
    apply_inverse(momentum_.data(), columns_of_loads_.data() + width * static_cast<std::size_t>(j));
  }
  lu_.reset(count);
  const SparseRows& C = problem_->C;
  for (int i = 0; i < count; ++i) {
    const Direction& line = unknowns_[i].equation;
    const double* const values = gather(line, room);
    const int begin = row_begin(line.first), end = row_end(line.first);
    double* const to = count > 0 ? &lu_.entry(i, 0) : nullptr;
    for (int j = 0; j < count; ++j) {
      const double* const column = columns_of_loads_.data() + width * static_cast<std::size_t>(j);
      double sum = 0.0;
      for (int k = begin; k < end; ++k) sum += values[k - begin] * column[columns_[k]];
      to[j] = sum;
    }
    for (int a = 0; a < line.count && !C.empty(); ++a)
      for (int k = C.starts[line.first + a]; k < C.starts[line.first + a + 1]; ++k)
        for (int j = 0; j < count; ++j) {
          const Direction& force = unknowns_[j].force;
          const int place = C.indices[k] - force.first;
          if (place >= 0 && place < force.count)
            to[j] += line.part[a] * C.values[k] * force.part[place];
        }
    to[i] += diagonal_[i];
    if (unknowns_[i].joined) to[i - 1] += coupling_[i];
  }
  lu_.factor();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) {
    const double pivot = std::abs(lu_.entry(i, i));
    least = std::isfinite(pivot) ? std::min(least, pivot) : 0.0;
  }
  may_leave_open_ = least < open_pivot * compliance;
}

void CompliantSystem::factor_velocities(double) {
  may_leave_open_ = true;
  lu_.reset(size_);
  for (const int component : components_)
    for (const int row : mass_->members(component))
      for (int k = problem_->M.starts[row]; k < problem_->M.starts[row + 1]; ++k) {
        const int first = place_[component];
        lu_.entry(first + mass_->position_of(row),
                  first + mass_->position_of(problem_->M.indices[k])) += problem_->M.values[k];
      }
  double room[most_entries], line[most_entries], before[most_entries];
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const Unknown& unknown = unknowns_[j];
    const int begin = row_begin(unknown.force.first);
    const int width = row_end(unknown.force.first) - begin;
    const int* const columns = columns_.data() + begin;
    const double* const equation = gather(unknown.equation, room);
    const double stiffness = 1.0 / diagonal_[j];
    const double link = unknown.joined ? coupling_[j] : 0.0;
    for (int k = 0; k < width; ++k)
      line[k] = (link == 0.0 ? equation[k] : equation[k] - link * before[k]) * stiffness;
    const double* const force = gather(unknown.force, room);
    for (int i = 0; i < width; ++i) {
      if (force[i] == 0.0) continue;
      double* const to = &lu_.entry(columns[i], 0);
      for (int k = 0; k < width; ++k) to[columns[k]] += force[i] * line[k];
    }
    std::copy_n(line, width, before);
  }
  lu_.factor();
}

void CompliantSystem::relax(std::vector<double>& x) const {
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (unknowns_[j].joined) x[j] -= coupling_[j] * x[j - 1];
    x[j] /= diagonal_[j];
  }
}

void CompliantSystem::solve(std::vector<double>& x) {
  if (!by_velocities_) {
    lu_.solve(x.data());
    return;
  }
  double room[most_entries];
  motion_.assign(motion_.size(), 0.0);
  std::vector<double>& right = columns_of_loads_;
  right = x;
  relax(right);
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const Direction& force = unknowns_[j].force;
    const double* const values = gather(force, room);
    const int begin = row_begin(force.first), end = row_end(force.first);
    for (int k = begin; k < end; ++k) motion_[columns_[k]] += values[k - begin] * right[j];
  }
  lu_.solve(motion_.data());
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const Direction& line = unknowns_[j].equation;
    const double* const values = gather(line, room);
    const int begin = row_begin(line.first), end = row_end(line.first);
    for (int k = begin; k < end; ++k) x[j] -= values[k - begin] * motion_[columns_[k]];
  }
  relax(x);
}

}  // namespace vinci
