// SPDX-License-Identifier: Apache-2.0
// Two forms of one linear system, dense.
#include "vinci/selection/compliant_system.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/linear/short_rows.h"
#include "vinci/selection/velocity_matrix.h"

namespace vinci {
namespace {

constexpr int most_dense = 144;   // velocities of many bodies up to which the matrix is dense
constexpr int most_entries = 64;  // of a row of J that is gathered without memory of its own
// What the compliance alone determines has a stiffness of its size: of the inverse matrix in units
// of 1/ε, and in a pivot, which may be far from the least stiffness.
constexpr double open_inverse = 0.01, open_pivot = 1e5;

// Whether the rows of a unit have their entries in the same columns.
bool have_equal_columns(const SparseRows& J, const ContactUnit& unit) {
  const int begin = J.starts[unit.first], width = J.starts[unit.first + 1] - begin;
  for (int row = unit.first + 1; row < unit.first + unit.count; ++row) {
    const int from = J.starts[row];
    if (J.starts[row + 1] - from != width) return false;
    for (int k = 0; k < width; ++k)
      if (J.indices[from + k] != J.indices[begin + k]) return false;
  }
  return true;
}

// The column of the first of these entries, if the others follow it one by one; otherwise −1.
int first_of_run(const int* columns, int count) {
  for (int k = 1; k < count; ++k)
    if (columns[k] != columns[0] + k) return -1;
  return count > 0 ? columns[0] : 0;
}

// y += factor · a row, in its columns; mostly those of one body, which follow each other.
void add_row(int run, const int* columns, const double* values, int count, double factor,
             double* y) {
  if (run >= 0)
    add_entries(count, values, factor, y + run);
  else
    for (int k = 0; k < count; ++k) y[columns[k]] += values[k] * factor;
}

// sum + a row · x
double add_product(int run, const int* columns, const double* values, int count, const double* x,
                   double sum) {
  if (run >= 0) return sum_entries(count, values, x + run, sum);
  for (int k = 0; k < count; ++k) sum += values[k] * x[columns[k]];
  return sum;
}

}  // namespace

bool CompliantSystem::load(const ComplementarityProblem& problem, const MassFactor& mass,
                           std::span<const ContactUnit> units) {
  problem_ = &problem;
  mass_ = &mass;
  place_.assign(static_cast<std::size_t>(mass.component_count()), -1);
  components_.clear();
  starts_.assign(1, 0);
  runs_.clear();
  size_ = 0;
  for (const ContactUnit& unit : units)
    if (!add_unit(unit)) return false;
  columns_.resize(static_cast<std::size_t>(starts_.back()));
  values_.resize(columns_.size());
  push_.resize(static_cast<std::size_t>(size_));
  momentum_.resize(push_.size());
  motion_.resize(push_.size());
  for (const int component : components_) {
    const auto members = mass.members(component);
    for (std::size_t i = 0; i < members.size(); ++i)
      push_[static_cast<std::size_t>(place_[component]) + i] = problem.p[members[i]];
  }
  sparse_ = many_ && size_ > most_dense && problem.C.empty();
  if (sparse_) find_pattern(units);
  return true;
}

void CompliantSystem::find_pattern(std::span<const ContactUnit> units) {
  if (!velocities_) velocities_ = std::make_shared<VelocityMatrix>();
  std::vector<int> sizes, body_of;
  std::vector<double> diagonal(static_cast<std::size_t>(size_), 1.0);
  for (const int component : components_) {
    const auto members = mass_->members(component);
    body_of.insert(body_of.end(), members.size(), static_cast<int>(sizes.size()));
    sizes.push_back(static_cast<int>(members.size()));
    for (const int row : members)
      for (int k = problem_->M.starts[row]; k < problem_->M.starts[row + 1]; ++k)
        if (problem_->M.indices[k] == row)
          diagonal[static_cast<std::size_t>(place_[component] + mass_->position_of(row))] =
              problem_->M.values[k];
  }
  velocities_->begin(sizes);
  for (const ContactUnit& unit : units)
    for (int a = row_begin(unit.first); a < row_end(unit.first); ++a)
      for (int b = a + 1; b < row_end(unit.first); ++b)
        if (body_of[columns_[a]] < body_of[columns_[b]])
          velocities_->join(body_of[columns_[a]], body_of[columns_[b]]);
        else if (body_of[columns_[b]] < body_of[columns_[a]])
          velocities_->join(body_of[columns_[b]], body_of[columns_[a]]);
  velocities_->analyse(diagonal);
}

bool CompliantSystem::add_unit(const ContactUnit& unit) {
  const SparseRows& J = problem_->J;
  int columns[most_entries], count = 0;
  const int first_end = J.starts[unit.first + 1];
  const bool uniform = have_equal_columns(J, unit);
  const int all = uniform ? first_end : J.starts[unit.first + unit.count];
  for (int k = J.starts[unit.first]; k < all; ++k) {
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
  const int run = first_of_run(columns, count);
  auto at = static_cast<std::size_t>(starts_.back());
  const std::size_t end = at + static_cast<std::size_t>(unit.count * count);
  if (columns_.size() < end) {
    columns_.resize(end);
    values_.resize(end);
  }
  for (int row = unit.first; row < unit.first + unit.count; ++row) {
    const int from = J.starts[row];
    int* const own_columns = columns_.data() + at;
    double* const own = values_.data() + at;
    for (int k = 0; k < count; ++k) own_columns[k] = columns[k];
    for (int k = 0; k < count; ++k) own[k] = uniform ? J.values[from + k] : 0.0;
    for (int k = from; !uniform && k < J.starts[row + 1]; ++k) {
      const int unknown = J.indices[k];
      const int column = place_[mass_->component_of(unknown)] + mass_->position_of(unknown);
      own[std::find(columns, columns + count, column) - columns] = J.values[k];
    }
    at += static_cast<std::size_t>(count);
    runs_.push_back(run);
    starts_.push_back(static_cast<int>(at));
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
  const int count = rows();
  for (int row = 0; row < count; ++row) {
    const int begin = row_begin(row);
    if (lambda[row] != 0.0)
      add_row(run_of(row), columns_.data() + begin, values_.data() + begin, row_end(row) - begin,
              lambda[row], momentum_.data());
  }
  apply_inverse(momentum_.data(), motion_.data());
  w.resize(count);
  for (int row = 0; row < count; ++row) {
    const int begin = row_begin(row);
    w[row] = add_product(run_of(row), columns_.data() + begin, values_.data() + begin,
                         row_end(row) - begin, motion_.data(), problem_->b[row]);
  }
  if (!problem_->C.empty()) problem_->C.multiply_add(lambda.data(), w.data());
}

// The row of J along a direction, in the order of the columns of its first row.
void CompliantSystem::gather(const Direction& direction, double* values) const {
  const int begin = row_begin(direction.first), width = row_end(direction.first) - begin;
  scale_entries(width, values_.data() + begin, direction.part[0], values);
  for (int a = 1; a < direction.count; ++a) {
    const double part = direction.part[a];
    if (part == 0.0) continue;
    add_entries(width, values_.data() + row_begin(direction.first + a), part, values);
  }
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
  factored_ = unknowns_;
  const auto count = static_cast<int>(unknowns_.size());
  diagonal_.resize(unknowns_.size());
  coupling_.assign(unknowns_.size(), 0.0);
  for (int j = 0; j < count; ++j) {
    diagonal_[j] = compliance + unknowns_[j].slip;
    if (unknowns_[j].joined) coupling_[j] = joint(j, compliance);
  }
  by_velocities_ = sparse_ || (count > size_ && problem_->C.empty());
  by_velocities_ ? factor_velocities() : factor_loads(compliance);
}

// An old matrix leaves this share of a step to the next one.
bool CompliantSystem::serves() const {
  constexpr double turned = 1e-6;
  const auto is_near = [](const Direction& a, const Direction& b) {
    if (a.first != b.first || a.count != b.count) return false;
    for (int k = 0; k < a.count; ++k)
      if (!(std::abs(a.part[k] - b.part[k]) <= turned)) return false;
    return true;
  };
  return unknowns_.size() == factored_.size() &&
         std::equal(unknowns_.begin(), unknowns_.end(), factored_.begin(),
                    [&](const Unknown& now, const Unknown& then) {
                      return now.joined == then.joined && is_near(now.force, then.force) &&
                             is_near(now.equation, then.equation) &&
                             std::abs(now.slip - then.slip) <= turned * (compliance_ + then.slip);
                    });
}

bool CompliantSystem::leaves_open() const {
  return by_velocities_ || (may_leave_open_ && lu_.inverse_norm() * compliance_ > open_inverse);
}

void CompliantSystem::factor_loads(double compliance) {
  const auto count = static_cast<int>(unknowns_.size());
  const std::size_t width = static_cast<std::size_t>(size_);
  columns_of_loads_.resize(width * unknowns_.size());
  double values[most_entries];
  for (int j = 0; j < count; ++j) {
    const Direction& force = unknowns_[j].force;
    std::fill(momentum_.begin(), momentum_.end(), 0.0);
    gather(force, values);
    const int begin = row_begin(force.first), end = row_end(force.first);
    for (int k = begin; k < end; ++k) momentum_[columns_[k]] += values[k - begin];
    apply_inverse(momentum_.data(), columns_of_loads_.data() + width * static_cast<std::size_t>(j));
  }
  lu_.reset(count);
  const SparseRows& C = problem_->C;
  for (int i = 0; i < count; ++i) {
    const Direction& line = unknowns_[i].equation;
    gather(line, values);
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

void CompliantSystem::factor_velocities() {
  may_leave_open_ = true;
  if (sparse_) {
    velocities_->clear();
    fill_velocities();
    velocities_->factor();
    return;
  }
  lu_.reset(size_);
  fill_velocities();
  lu_.factor();
}

// The matrix += force · lineᵀ, both with entries in the columns of a row of J.
void CompliantSystem::add_to_matrix(int row, const double* force, const double* line) {
  const int begin = row_begin(row), width = row_end(row) - begin, run = run_of(row);
  const int* const columns = columns_.data() + begin;
  for (int i = 0; i < width; ++i) {
    const double factor = force[i];
    if (factor == 0.0) continue;
    if (sparse_)
      for (int k = 0; k < width; ++k) velocities_->add(columns[i], columns[k], factor * line[k]);
    else
      add_row(run, columns, line, width, factor, &lu_.entry(columns[i], 0));
  }
}

// M + JᵀE R⁻¹GᵀJ
void CompliantSystem::fill_velocities() {
  for (const int component : components_)
    for (const int row : mass_->members(component))
      for (int k = problem_->M.starts[row]; k < problem_->M.starts[row + 1]; ++k) {
        const int first = place_[component];
        const int at = first + mass_->position_of(row);
        const int column = first + mass_->position_of(problem_->M.indices[k]);
        if (sparse_)
          velocities_->add(at, column, problem_->M.values[k]);
        else
          lu_.entry(at, column) += problem_->M.values[k];
      }
  double line[most_entries], before[most_entries];
  std::size_t entries = 0;
  for (const Unknown& unknown : unknowns_)
    entries +=
        static_cast<std::size_t>(row_end(unknown.force.first) - row_begin(unknown.force.first));
  forces_.resize(entries);
  lines_.resize(entries);
  double *force = forces_.data(), *equation = lines_.data();
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const Unknown& unknown = unknowns_[j];
    const int begin = row_begin(unknown.force.first);
    const int width = row_end(unknown.force.first) - begin;
    gather(unknown.equation, equation);
    gather(unknown.force, force);
    const double stiffness = 1.0 / diagonal_[j];
    const double link = unknown.joined ? coupling_[j] : 0.0;
    for (int k = 0; k < width; ++k)
      line[k] = (link == 0.0 ? equation[k] : equation[k] - link * before[k]) * stiffness;
    add_to_matrix(unknown.force.first, force, line);
    std::copy_n(line, width, before);
    force += width;
    equation += width;
  }
}

void CompliantSystem::relax(std::vector<double>& x) const {
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (factored_[j].joined) x[j] -= coupling_[j] * x[j - 1];
    x[j] /= diagonal_[j];
  }
}

void CompliantSystem::solve(std::vector<double>& x) {
  if (!by_velocities_) {
    lu_.solve(x.data());
    return;
  }
  motion_.assign(motion_.size(), 0.0);
  std::vector<double>& right = columns_of_loads_;
  right = x;
  relax(right);
  const double* force = forces_.data();
  for (std::size_t j = 0; j < factored_.size(); ++j) {
    const int row = factored_[j].force.first, begin = row_begin(row), width = row_end(row) - begin;
    add_row(run_of(row), columns_.data() + begin, force, width, right[j], motion_.data());
    force += width;
  }
  sparse_ ? velocities_->solve(motion_.data()) : lu_.solve(motion_.data());
  const double* line = lines_.data();
  for (std::size_t j = 0; j < factored_.size(); ++j) {
    const int row = factored_[j].equation.first, begin = row_begin(row);
    const int width = row_end(row) - begin;
    const int* const columns = columns_.data() + begin;
    double sum = x[j];
    for (int k = 0; k < width; ++k) sum -= line[k] * motion_[columns[k]];
    line += width;
    x[j] = sum;
  }
  relax(x);
}

}  // namespace vinci
