// SPDX-License-Identifier: Apache-2.0
// First the balls around the bodies, swept along the longest axis: their pairs are counted up to a
// limit. Then the detector, of all bodies or, beyond the limit, of some.
#include "apps/overlaps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace vinci {
namespace {

// A detector takes about a microsecond for a pair, and 200 bytes: 0.2 s and 40 MB.
constexpr std::size_t most_pairs = 200'000;
// Of balls along an axis: 0.1 s. A scene with more tests and few pairs is left to the detector,
// which searches by a tree.
constexpr std::size_t most_tests = 20'000'000;
constexpr std::size_t most_looked_at = 300;  // bodies, beyond the limit
constexpr double rounding = 1e-6;            // of the smaller body

using Pair = std::pair<int, int>;

std::vector<int> sweep_order(const Model& model, const std::vector<Vector3>& centers, int& axis) {
  std::vector<int> order;
  Eigen::AlignedBox3d box;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (std::isfinite(model.bodies[b].bounding_radius)) {
      order.push_back(static_cast<int>(b));
      box.extend(centers[b]);
    }
  if (!order.empty()) box.sizes().maxCoeff(&axis);
  const auto low = [&](int b) {
    const auto i = static_cast<std::size_t>(b);
    return centers[i][axis] - model.bodies[i].bounding_radius;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return low(a) < low(b); });
  return order;
}

// Pairs whose balls overlap, at most one more than the limit.
std::vector<Pair> near_pairs(const Model& model, const std::vector<Pose>& poses) {
  std::vector<Vector3> centers;
  for (int b = 0; b < static_cast<int>(poses.size()); ++b)
    centers.push_back(center_of_mass(model, poses, b));
  int axis = 0;
  const std::vector<int> order = sweep_order(model, centers, axis);
  std::vector<Pair> pairs;
  std::size_t tests = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const auto a = static_cast<std::size_t>(order[i]), b = static_cast<std::size_t>(order[j]);
      const Vector3 apart = centers[b] - centers[a];
      const double reach = model.bodies[a].bounding_radius + model.bodies[b].bounding_radius;
      if (apart[axis] > reach) break;
      if (++tests > most_tests) return pairs;
      if (apart.squaredNorm() <= reach * reach) pairs.emplace_back(order[i], order[j]);
      if (pairs.size() > most_pairs) return pairs;
    }
  return pairs;
}

// The poses of the first bodies of the pairs; the others are nowhere, and meet nothing.
std::vector<Pose> some_of(const std::vector<Pose>& poses, const std::vector<Pair>& pairs) {
  std::vector<char> chosen(poses.size(), 0);
  std::size_t count = 0;
  for (const auto& [a, b] : pairs)
    for (const int body : {a, b}) {
      char& mark = chosen[static_cast<std::size_t>(body)];
      if (mark == 0 && count < most_looked_at) mark = 1, ++count;
    }
  std::vector<Pose> some = poses;
  for (std::size_t b = 0; b < some.size(); ++b)
    if (chosen[b] == 0) some[b].position.setConstant(std::numeric_limits<double>::quiet_NaN());
  return some;
}

class Groups {
 public:
  explicit Groups(std::size_t bodies) : parent_(bodies), depth_(bodies, 0.0) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  void join(int a, int b, double depth) {
    const int p = root(a), q = root(b);
    const auto least = static_cast<std::size_t>(std::min(p, q));
    depth_[least] = std::max({at(p), at(q), depth});
    parent_[static_cast<std::size_t>(std::max(p, q))] = std::min(p, q);
  }
  std::vector<OverlapGroup> groups() {
    std::map<int, OverlapGroup> found;
    for (int b = 0; b < static_cast<int>(parent_.size()); ++b)
      if (at(root(b)) > 0.0) {
        found[root(b)].bodies.push_back(b);
        found[root(b)].depth = at(root(b));
      }
    std::vector<OverlapGroup> list;
    for (auto& [root, group] : found) list.push_back(std::move(group));
    return list;
  }

 private:
  double at(int body) const { return depth_[static_cast<std::size_t>(body)]; }
  int root(int body) {
    while (parent_[static_cast<std::size_t>(body)] != body) {
      int& up = parent_[static_cast<std::size_t>(body)];
      up = parent_[static_cast<std::size_t>(up)];
      body = up;
    }
    return body;
  }

  std::vector<int> parent_;
  std::vector<double> depth_;  // of a root; 0: alone
};

}  // namespace

Overlaps find_overlaps(const Simulation& simulation, const Plugins& plugins) {
  const Model& model = simulation.model();
  const std::vector<Pose>& poses = simulation.state().poses;
  const std::vector<Pair> near = near_pairs(model, poses);
  Overlaps result;
  result.is_complete = near.size() <= most_pairs;
  const std::vector<double> reach(model.bodies.size(), 0.0);
  ContactSet contacts;
  plugins.detectors.make(simulation.options().text("detector"))
      ->detect(model, result.is_complete ? poses : some_of(poses, near), reach, contacts);
  Groups groups(model.bodies.size());
  for (const Contact& contact : contacts) {
    const double size = std::min(model.bodies[contact.body_a].bounding_radius,
                                 model.bodies[contact.body_b].bounding_radius);
    if (-contact.gap > rounding * size) groups.join(contact.body_a, contact.body_b, -contact.gap);
  }
  result.groups = groups.groups();
  return result;
}

}  // namespace vinci
