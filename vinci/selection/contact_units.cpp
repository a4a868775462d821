// SPDX-License-Identifier: Apache-2.0
// Units read off the blocks of a problem.
#include "vinci/selection/contact_units.h"

#include <algorithm>
#include <cmath>

#include "vinci/base/regular_polygon.h"

namespace vinci {
namespace {

// Of the speed that the friction of a contact could take away: rounding.
constexpr double stuck = 1e-13;

}  // namespace

bool ContactUnits::read(const ComplementarityProblem& problem) {
  given_ = form_ = &problem;
  units_.clear();
  pyramid_of_.clear();
  pyramids_ = false;
  for (const Block& block : problem.blocks) pyramids_ = pyramids_ || is_slip_row(problem, block);
  if (!pyramids_) {
    for (const Block& block : problem.blocks)
      if (!add_block(block)) return false;
    return true;
  }
  find_friction_sets(problem, sets_);
  sources_.clear();
  std::size_t set = 0;
  for (std::size_t i = 0; i < problem.blocks.size(); ++set) {
    const FrictionSet& next = sets_[set];
    if (next.follows) return false;  // moments
    if (next.directions) {
      if (next.normal >= 0 && problem.b[next.sigma] != 0.0) return false;  // a limit of two parts
      add_pyramid(next);
      i += static_cast<std::size_t>(next.count + 1 + (next.normal >= 0 ? 1 : 0));
      continue;
    }
    Block block = problem.blocks[i++];
    if (block.law == Law::equality) set += static_cast<std::size_t>(block.size - 1);
    const int from = block.offset;
    block.offset = static_cast<int>(sources_.size());
    for (int k = 0; k < block.size; ++k) sources_.push_back({1, {from + k, 0}, {1.0, 0.0}});
    if (!add_block(block)) return false;
  }
  write_form();
  return true;
}

bool ContactUnits::add_block(const Block& block) {
  using Kind = ContactUnit::Kind;
  ContactUnit unit;
  unit.first = block.offset;
  unit.count = block.size;
  switch (block.law) {
    case Law::equality:
      unit.kind = Kind::fixed;
      break;
    case Law::nonnegative:
      break;
    case Law::box:
      unit.lower = block.lower;
      unit.upper = block.upper;
      break;
    case Law::coulomb:
      unit.kind = Kind::cone;
      unit.limit = block.friction;
      break;
    case Law::ball:
      unit.kind = Kind::disk;
      unit.limit = block.upper;
      break;
    case Law::second_order:
    case Law::moments:
      return false;
  }
  units_.push_back(unit);
  pyramid_of_.push_back(-1);
  return true;
}

void ContactUnits::add_pyramid(const FrictionSet& set) {
  ContactUnit unit;
  unit.first = static_cast<int>(sources_.size());
  unit.kind = set.normal >= 0 ? ContactUnit::Kind::cone : ContactUnit::Kind::disk;
  const double corner = length(set);
  unit.limit = corner * set.limit;
  if (set.normal >= 0) sources_.push_back({1, {set.normal, 0}, {1.0, 0.0}});
  sources_.push_back({1, {set.first, 0}, {1.0 / corner, 0.0}});
  if (set.count > 2) {  // the second axis from the first two corners
    const Vector2 next = corner * polygon_corner(set.count, 1);
    sources_.push_back(
        {2, {set.first, set.first + 1}, {-next.x() / (corner * next.y()), 1.0 / next.y()}});
    unit.sides = set.count;
  }
  unit.count = static_cast<int>(sources_.size()) - unit.first;
  units_.push_back(unit);
  pyramid_of_.push_back(static_cast<int>(&set - sets_.data()));
}

void ContactUnits::write_form() {
  const ComplementarityProblem& given = *given_;
  own_.M = given.M;
  own_.p = given.p;
  own_.b.resize(static_cast<int>(sources_.size()));
  own_.blocks.clear();
  for (const ContactUnit& unit : units_)  // their laws are nobody's concern
    own_.blocks.push_back({.law = Law::equality, .offset = unit.first, .size = unit.count});
  own_.J.reset(given.unknowns());
  shares_.assign(static_cast<std::size_t>(given.rows()), {});
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Source& source = sources_[i];
    double b = 0.0;
    for (int k = 0; k < source.count; ++k) {
      Share& share = shares_[static_cast<std::size_t>(source.row[k])];
      share.row[share.count] = static_cast<int>(i);
      share.factor[share.count++] = source.factor[k];
      b += source.factor[k] * given.b[source.row[k]];
    }
    own_.b[static_cast<int>(i)] = b;
    write_row(source);
    own_.J.end_row();
  }
  own_.C.reset(static_cast<int>(sources_.size()));
  sums_.assign(sources_.size(), 0.0);
  for (const Source& source : sources_) write_compliance(source);
  form_ = &own_;
}

// A row of J from those of its source.
void ContactUnits::write_row(const Source& source) {
  const SparseRows& J = given_->J;
  int a = J.starts[source.row[0]];
  const int end_a = J.starts[source.row[0] + 1];
  int b = source.count > 1 ? J.starts[source.row[1]] : 0;
  const int end_b = source.count > 1 ? J.starts[source.row[1] + 1] : 0;
  while (a < end_a || b < end_b) {
    const int column_a = a < end_a ? J.indices[a] : std::numeric_limits<int>::max();
    const int column_b = b < end_b ? J.indices[b] : std::numeric_limits<int>::max();
    double value = 0.0;
    if (column_a <= column_b) value += source.factor[0] * J.values[a++];
    if (column_b <= column_a) value += source.factor[1] * J.values[b++];
    own_.J.push(std::min(column_a, column_b), value);
  }
}

// T C Tᵀ, T the factors of the sources: what layers and elements yield. The columns of σ belong to
// no unit.
void ContactUnits::write_compliance(const Source& source) {
  const SparseRows& C = given_->C;
  touched_.clear();
  for (int a = 0; a < source.count; ++a)
    for (int k = C.starts[source.row[a]]; k < C.starts[source.row[a] + 1]; ++k) {
      const Share& share = shares_[static_cast<std::size_t>(C.indices[k])];
      for (int b = 0; b < share.count; ++b) {
        touched_.push_back(share.row[b]);
        sums_[static_cast<std::size_t>(share.row[b])] +=
            source.factor[a] * C.values[k] * share.factor[b];
      }
    }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const int column : touched_) {
    double& sum = sums_[static_cast<std::size_t>(column)];
    own_.C.push(column, sum);
    sum = 0.0;
  }
  own_.C.end_row();
}

void ContactUnits::to_units(const VectorX& from, VectorX& to) const {
  if (!pyramids_) {
    to = from;
    return;
  }
  to.resize(form_->rows());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const ContactUnit& unit = units_[i];
    if (pyramid_of_[i] < 0) {
      for (int row = unit.first; row < unit.first + unit.count; ++row)
        to[row] = from[sources_[static_cast<std::size_t>(row)].row[0]];
      continue;
    }
    const FrictionSet& set = sets_[static_cast<std::size_t>(pyramid_of_[i])];
    if (set.normal >= 0) to[unit.first] = from[set.normal];
    Vector2 sum = Vector2::Zero();
    for (int j = 0; j < set.count; ++j) sum += from[set.first + j] * polygon_corner(set.count, j);
    for (int k = 0; k < unit.tangents(); ++k) to[unit.first_tangent() + k] = length(set) * sum[k];
  }
}

void ContactUnits::scales(const VectorX& rows, VectorX& units) const {
  units.resize(static_cast<int>(units_.size()));
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const ContactUnit& unit = units_[i];
    double sum = 0.0;
    if (pyramid_of_[i] < 0) {
      for (int row = unit.first; row < unit.first + unit.count; ++row) sum += rows[given_row(row)];
    } else {
      // Of all directions, so that none of them is preferred.
      const FrictionSet& set = sets_[static_cast<std::size_t>(pyramid_of_[i])];
      const double corner = length(set);
      sum = unit.tangents() * rows.segment(set.first, set.count).mean() / (corner * corner);
      if (set.normal >= 0) sum += rows[set.normal];
    }
    units[static_cast<int>(i)] = sum / unit.count;
  }
}

void ContactUnits::from_units(const VectorX& from, const VectorX& w, const VectorX& scales,
                              VectorX& to) const {
  if (!pyramids_) {
    to = from;
    return;
  }
  to.setZero(given_->rows());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const ContactUnit& unit = units_[i];
    if (pyramid_of_[i] < 0) {
      for (int row = unit.first; row < unit.first + unit.count; ++row)
        to[sources_[static_cast<std::size_t>(row)].row[0]] = from[row];
      continue;
    }
    const FrictionSet& set = sets_[static_cast<std::size_t>(pyramid_of_[i])];
    if (set.normal >= 0) to[set.normal] = from[unit.first];
    Vector2 force = Vector2::Zero(), slip = Vector2::Zero();
    for (int k = 0; k < unit.tangents(); ++k) {
      force[k] = from[unit.first_tangent() + k] / length(set);
      slip[k] = w[unit.first_tangent() + k] * length(set);
    }
    double speed = 0.0;
    for (int j = 0; j < set.count; ++j)
      speed = std::max(speed, -slip.dot(polygon_corner(set.count, j)));
    // What rounding leaves of the speed of a contact that sticks is none.
    const double load = set.normal >= 0 ? unit.limit * from[unit.first] : unit.limit;
    if (speed > stuck * scales[static_cast<int>(i)] * load) to[set.sigma] = speed;
    split_over_corners(force, {to.data() + set.first, static_cast<std::size_t>(set.count)});
  }
}

}  // namespace vinci
