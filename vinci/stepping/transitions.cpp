// SPDX-License-Identifier: Apache-2.0
// Modes of contacts and the functions whose signs change with them.
#include "vinci/stepping/transitions.h"

#include <algorithm>
#include <cmath>

namespace vinci {

// The rows of an entity by what they are for.
struct ContactModes::Rows {
  enum class Kind : char { none, disc, polygon, box } kind = Kind::none;
  int normal = -1;           // row that bears, or −1
  int first = 0, count = 0;  // of friction, or of the box
  int sigma = -1;            // of a polygon
  double radius = 0.0;       // of friction
  double lower = 0.0, upper = 0.0;
};

namespace {

const Block& block_at(const ComplementarityProblem& problem, int row) {
  const auto after = std::upper_bound(problem.blocks.begin(), problem.blocks.end(), row,
                                      [](int r, const Block& block) { return r < block.offset; });
  return *std::prev(after);
}

double mobility_at(const AnsweredProblem& answer, int row) {
  const double scale = answer.judge.scales()[row];
  return scale > 0.0 ? scale : 1.0;
}

double shift_of(const AnsweredProblem& answer, int row) {
  return answer.lambda[row] - answer.judge.w()[row] / mobility_at(answer, row);
}

Vector3 part_of(const VectorX& vector, int first, int count) {
  Vector3 part = Vector3::Zero();
  part.head(count) = vector.segment(first, count);
  return part;
}

}  // namespace

ContactModes::Rows ContactModes::rows_of(const AnsweredProblem& answer, const EntityRows& rows) {
  Rows own;
  const Block& block = block_at(answer.problem, rows.first);
  switch (rows.key.kind) {
    case EntityKind::contact:
      own.normal = rows.first;
      if (rows.count == 1) return own;
      own.first = rows.first + 1;
      if (block.law == Law::coulomb) {
        own.kind = Rows::Kind::disc;
        own.count = rows.count - 1;
        own.radius = block.friction * std::max(0.0, answer.lambda[rows.first]);
        return own;
      }
      own.kind = Rows::Kind::polygon;
      own.count = rows.count - 2;
      own.sigma = rows.first + rows.count - 1;
      return own;
    case EntityKind::support:
      own.first = rows.first;
      own.kind = block.law == Law::ball ? Rows::Kind::disc : Rows::Kind::polygon;
      own.count = block.law == Law::ball ? rows.count : rows.count - 1;
      own.radius = block.upper;
      own.sigma = rows.first + rows.count - 1;
      return own;
    case EntityKind::joint:
    case EntityKind::coupling:
      if (block.law == Law::nonnegative) own.normal = rows.first;
      if (block.law != Law::box) return own;
      own.kind = Rows::Kind::box;
      own.first = rows.first;
      own.count = 1;
      own.lower = block.lower;
      own.upper = block.upper;
      return own;
    default:
      return own;
  }
}

bool ContactModes::bears(const AnsweredProblem& answer, int row, double acceleration) {
  return mobility_at(answer, row) * shift_of(answer, row) >= -acceleration * answer.length;
}

void ContactModes::read_item(const AnsweredProblem& answer, const Rows& rows, Item& item) {
  const VectorX& w = answer.judge.w();
  item.state = State::none;
  item.along.setZero();
  item.sides.clear();
  switch (rows.kind) {
    case Rows::Kind::none:
      return;
    case Rows::Kind::disc: {
      const double a = mobility_at(answer, rows.first);
      const Vector3 slip = part_of(w, rows.first, rows.count);
      const Vector3 load = part_of(answer.lambda, rows.first, rows.count);
      const bool sticks = (load - slip / a).norm() <= rows.radius;
      item.state = sticks ? State::sticks : State::slips;
      if (!sticks) item.along = (slip - a * load).normalized();
      return;
    }
    case Rows::Kind::polygon: {
      const double a = mobility_at(answer, rows.first);
      const double sigma = answer.lambda[rows.sigma];
      item.state = a * w[rows.sigma] >= sigma ? State::sticks : State::slips;
      if (item.state == State::sticks) return;
      for (int j = 0; j < rows.count; ++j)
        item.sides.push_back(shift_of(answer, rows.first + j) > 0.0 ? 1 : 0);
      return;
    }
    case Rows::Kind::box: {
      const double z = shift_of(answer, rows.first);
      item.state = z > rows.upper ? State::upper : z < rows.lower ? State::lower : State::sticks;
      return;
    }
  }
}

void ContactModes::read(const AnsweredProblem& answer) {
  items_.clear();
  for (const EntityRows& rows : answer.builder.map()) {
    Item item;
    item.key = rows.key;
    item.point = rows.point;
    items_.push_back(item);
    read_item(answer, rows_of(answer, rows), items_.back());
  }
  for (const Item& left : left_)
    for (Item& item : items_)
      if (item.key == left.key && item.point == left.point && item.state == State::sticks)
        item = left;
}

void ContactModes::follow(const AnsweredProblem& answer) {
  const auto& map = answer.builder.map();
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (items_[i].state == State::slips) {
      Item now = items_[i];
      read_item(answer, rows_of(answer, map[i]), now);
      if (now.state == State::slips) items_[i] = now;
    }
}

void ContactModes::add_signals(const AnsweredProblem& answer, const Rows& rows, int index,
                               const TransitionTolerances& tolerances,
                               std::vector<TransitionSignal>& signals) const {
  using Kind = TransitionSignal::Kind;
  const VectorX &w = answer.judge.w(), &lambda = answer.lambda;
  const Item& item = items_[static_cast<std::size_t>(index)];
  const double beta = answer.length;
  const auto force = [&](Kind kind, double value) {
    signals.push_back({kind, value / beta, tolerances.acceleration, index});
  };
  const auto motion = [&](double value) {
    signals.push_back({Kind::slip, value, tolerances.velocity, index});
  };
  if (rows.normal >= 0)
    force(Kind::lift, mobility_at(answer, rows.normal) * shift_of(answer, rows.normal));
  if (rows.kind == Rows::Kind::none) return;
  const double a = mobility_at(answer, rows.first);
  if (rows.kind == Rows::Kind::disc) {
    const Vector3 slip = part_of(w, rows.first, rows.count);
    const Vector3 load = part_of(lambda, rows.first, rows.count);
    if (item.state == State::sticks)
      force(Kind::stick, a * (rows.radius - (load - slip / a).norm()));
    else
      motion(item.along.dot(slip - a * load) - a * rows.radius);
  } else if (rows.kind == Rows::Kind::polygon) {
    const double margin = a * w[rows.sigma] - lambda[rows.sigma];
    if (item.state == State::sticks) return force(Kind::stick, margin);
    motion(-margin);
    for (int j = 0; j < rows.count && j < static_cast<int>(item.sides.size()); ++j) {
      const double z = a * shift_of(answer, rows.first + j);
      if (item.sides[static_cast<std::size_t>(j)])
        force(Kind::slip, z);
      else
        motion(-z);
    }
  } else {
    const double z = lambda[rows.first] - w[rows.first] / a;
    if (item.state == State::sticks)
      force(Kind::stick, a * std::min(rows.upper - z, z - rows.lower));
    else
      motion(item.state == State::upper ? a * (z - rows.upper) : a * (rows.lower - z));
  }
}

bool ContactModes::signals(const AnsweredProblem& answer, const TransitionTolerances& tolerances,
                           std::vector<TransitionSignal>& signals) const {
  const auto& map = answer.builder.map();
  if (map.size() != items_.size()) return false;
  for (std::size_t i = 0; i < map.size(); ++i)
    add_signals(answer, rows_of(answer, map[i]), static_cast<int>(i), tolerances, signals);
  return true;
}

void ContactModes::leave(const std::vector<TransitionSignal>& signals,
                         const AnsweredProblem& answer) {
  left_.clear();
  for (const TransitionSignal& signal : signals) {
    if (signal.kind != TransitionSignal::Kind::stick || !signal.fired) continue;
    Item item = items_[static_cast<std::size_t>(signal.item)];
    const Rows rows = rows_of(answer, answer.builder.map()[static_cast<std::size_t>(signal.item)]);
    if (rows.kind == Rows::Kind::disc) {
      item.state = State::slips;
      item.along = -part_of(answer.lambda, rows.first, rows.count);
      if (!(item.along.norm() > 0.0)) continue;
      item.along.normalize();
    } else if (rows.kind == Rows::Kind::box) {
      const double z = shift_of(answer, rows.first);
      item.state = rows.upper - z < z - rows.lower ? State::upper : State::lower;
    } else {
      item.state = State::slips;
      for (int j = 0; j < rows.count; ++j)
        item.sides.push_back(answer.lambda[rows.first + j] > 0.0 ? 1 : 0);
    }
    left_.push_back(item);
  }
}

void ContactModes::lifted(const std::vector<TransitionSignal>& signals,
                          std::vector<EntityKey>& keys) const {
  keys.clear();
  for (const TransitionSignal& signal : signals)
    if (signal.kind == TransitionSignal::Kind::lift && signal.fired)
      keys.push_back(items_[static_cast<std::size_t>(signal.item)].key);
  std::sort(keys.begin(), keys.end());
}

bool ContactModes::sticks_at(const AnsweredProblem& answer, const EntityRows& rows,
                             double velocity) const {
  const Rows own = rows_of(answer, rows);
  if (own.kind == Rows::Kind::none) return false;
  for (const Item& item : items_)
    if (item.key == rows.key && item.point == rows.point && item.state == State::sticks)
      return true;
  const VectorX& w = answer.judge.w();
  if (own.kind == Rows::Kind::polygon) return answer.lambda[own.sigma] <= velocity;
  return part_of(w, own.first, own.count).norm() <= velocity;
}

}  // namespace vinci
