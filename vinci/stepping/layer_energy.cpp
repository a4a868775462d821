// SPDX-License-Identifier: Apache-2.0
// Deformations of patches from step to step, and the energy that they may hold.
#include <algorithm>
#include <cmath>

#include "vinci/stepping/layer_patch.h"

namespace vinci {
namespace {

// Deformations below it have recovered, m and rad.
constexpr double recovered = 1e-15;
// Relative, of sums.
constexpr double rounding = 1e-13;

Matrix2 stiffness_of(const Layer& layer) {
  Matrix2 k;
  k << layer.stiffness, layer.coupling, layer.coupling, layer.tangential_stiffness;
  return k;
}

const Vector3& side_of(const LayerNode& node, int side) {
  return side == 0 ? node.a : node.b;
}
Vector3& side_of(LayerNode& node, int side) {
  return side == 0 ? node.a : node.b;
}

double size_of(const Vector3& a, const Vector3& b) {
  return std::max(a.lpNorm<Eigen::Infinity>(), b.lpNorm<Eigen::Infinity>());
}

// One layer that nothing presses: what is left of it after h seconds.
Vector3 relaxed(const std::optional<Layer>& layer, const Vector3& deformation, double h) {
  if (!layer) return Vector3::Zero();
  const LayerStep step = layer_step(layer, h);
  Vector3 result;
  result.head<2>() = step.relax * deformation.head<2>();
  result[2] = layer->damping * step.tilt * deformation[2];
  return result;
}

}  // namespace

// --- the memory --------------------------------------------------------------------------------

void LayerPatches::recall(const Model& model, const Memory& memory) {
  left_.clear();
  taken_.assign(memory.layers.size(), 0);
  // A state that does not say what its layers hold means all that they can.
  const bool said = std::any_of(memory.layers.begin(), memory.layers.end(),
                                [](const LayerMemory& record) { return record.energy != 0.0; });
  for (LayerPatch& patch : patches_) {
    recall_patch(memory, patch);
    if (!said) patch.energy = energy(patch);
  }
  for (std::size_t i = 0; i < memory.layers.size(); ++i) {
    const LayerMemory& record = memory.layers[i];
    if (taken_[i] || !is_soft(model, record.key)) continue;
    bool loaded = false;
    for (const ImpulseMemory& impulse : records_of(memory.impulses, record.key))
      loaded |= impulse.point == record.point && impulse.impulse[0] > 0.0;
    left_.push_back({record, model.shapes[record.key.shape_a()].body,
                     model.shapes[record.key.shape_b()].body, loaded});
  }
}

// Every record of a plate says all of it.
void LayerPatches::recall_patch(const Memory& memory, LayerPatch& patch) {
  const auto nodes = std::span(nodes_).subspan(static_cast<std::size_t>(patch.node),
                                               static_cast<std::size_t>(patch.nodes));
  std::fill(nodes.begin(), nodes.end(), LayerNode());
  patch.known = false;
  patch.energy = 0.0;
  const bool plate = patch.nodes == 1;
  int known = 0;
  const auto take = [&](const EntityKey& key, double place) {
    for (const LayerMemory& record : records_of(memory.layers, key)) {
      if (record.point < 0 || record.point >= patch.nodes) continue;
      taken_[static_cast<std::size_t>(&record - memory.layers.data())] = 1;
      LayerNode& node = nodes[static_cast<std::size_t>(record.point)];
      patch.energy += record.energy;
      for (int side = 0; side < 2; ++side) {
        const Vector3& value = side == 0 ? record.deformation_a : record.deformation_b;
        side_of(node, side) += plate ? Vector3(value[0] - value[2] * place, value[1], value[2])
                                     : Vector3(value[0], value[1], 0.0);
      }
      ++known;
    }
  };
  for (const int m : members(patch)) {
    PatchSite& site = sites_[m];
    site.impulse.setZero();
    const auto impulses = records_of(memory.impulses, site.contact.key);
    for (const ImpulseMemory& from : impulses)
      if (from.point == site.contact.patch_point) site.impulse = from.impulse;
    patch.known |= !impulses.empty();
    if (plate) take(site.contact.key, site.place);
  }
  if (!plate) take(patch.key, 0.0);
  patch.known |= known > 0;
  if (plate && known > 1) {
    nodes[0].a /= known;
    nodes[0].b /= known;
  }
  if (plate && patch.spread == 0.0) nodes[0].a[2] = nodes[0].b[2] = 0.0;
}

void LayerPatches::hold() {
  for (LayerPatch& patch : patches_) admit(patch, patch.energy);
}

void LayerPatches::store(const Model& model, double h, Memory& memory) {
  std::erase_if(memory.impulses,
                [&](const ImpulseMemory& record) { return is_soft(model, record.key); });
  memory.layers.clear();
  for (const LayerPatch& patch : patches_)
    if (lives(patch)) store_patch(patch, memory);
  for (const Left& left : left_) {
    LayerMemory record = left.record;
    if (h > 0.0) {
      const LayerPair layers = layers_of(model, record.key);
      const double before = size_of(record.deformation_a, record.deformation_b);
      record.deformation_a = relaxed(*layers.a, record.deformation_a, h);
      record.deformation_b = relaxed(*layers.b, record.deformation_b, h);
      const double kept =
          before > 0.0 ? size_of(record.deformation_a, record.deformation_b) / before : 0.0;
      record.energy *= std::min(1.0, kept * kept);
    }
    if (size_of(record.deformation_a, record.deformation_b) <= recovered) continue;
    memory.layers.push_back(record);
    memory.impulses.push_back({record.key, record.point, Vector3::Zero()});
  }
  memory.sort();
}

bool LayerPatches::lives(const LayerPatch& patch) const {
  for (const int m : members(patch))
    if (!sites_[m].impulse.isZero(0.0)) return true;
  for (int i = 0; i < patch.nodes; ++i)
    if (size_of(nodes_[patch.node + i].a, nodes_[patch.node + i].b) > recovered) return true;
  return false;
}

void LayerPatches::store_patch(const LayerPatch& patch, Memory& memory) const {
  const auto put = [&](LayerMemory record, const Vector3& impulse) {
    memory.impulses.push_back({record.key, record.point, impulse});
    if (record.point > 0 || !is_at_rest(record)) memory.layers.push_back(std::move(record));
  };
  // Those that bear it have its energy, so that it goes with them.
  const auto bears = [&](int m) { return sites_[m].impulse[0] > 0.0; };
  const std::span<const int> all = members(patch);
  const auto bearing = std::count_if(all.begin(), all.end(), bears);
  const double part = energy(patch) / static_cast<double>(bearing > 0 ? bearing : patch.count);
  if (patch.nodes == 1) {
    const LayerNode& node = nodes_[patch.node];
    for (const int m : all) {
      const PatchSite& site = sites_[m];
      const Vector2 a = at(site, 0), b = at(site, 1);
      put({site.contact.key, 0, Vector3(a[0], a[1], node.a[2]), Vector3(b[0], b[1], node.b[2]),
           bearing == 0 || bears(m) ? part : 0.0},
          site.impulse);
    }
    return;
  }
  for (int i = 0; i < patch.nodes; ++i) {
    LayerMemory record{patch.key, i, nodes_[patch.node + i].a, nodes_[patch.node + i].b};
    Vector3 impulse = Vector3::Zero();
    for (const int m : all) {
      if (sites_[m].contact.patch_point != i) continue;
      impulse = sites_[m].impulse;
      record.energy = bearing == 0 || bears(m) ? part : 0.0;
    }
    put(record, impulse);
  }
}

// --- energy ------------------------------------------------------------------------------------

// ½ xᵀ K y.
double LayerPatches::bilinear(const LayerPatch& patch, const Nodes& x, const Nodes& y) const {
  double sum = 0.0;
  for (int side = 0; side < 2; ++side) {
    const std::optional<Layer>& layer = patch.layer(side);
    if (!layer) continue;
    const Matrix2 k = stiffness_of(*layer);
    const auto pair = [&](int i, int j) {
      return side_of(x[patch.node + i], side)
          .head<2>()
          .dot(k * side_of(y[patch.node + j], side).head<2>());
    };
    if (patch.nodes == 1) {
      sum += pair(0, 0) + layer->stiffness * patch.spread * side_of(x[patch.node], side)[2] *
                              side_of(y[patch.node], side)[2];
      continue;
    }
    for (int i = 0; i < patch.nodes; ++i)
      for (int j = 0; j < patch.nodes; ++j)
        if (i == j || points_.coupled())
          sum += patch.share * points_.stiffness_share()(i, j) * pair(i, j);
  }
  return 0.5 * sum;
}

double LayerPatches::energy(const LayerPatch& patch) const {
  return bilinear(patch, nodes_, nodes_);
}

// Takes back what is more than it may hold.
void LayerPatches::admit(LayerPatch& patch, double most) {
  const double now = energy(patch);
  if (now <= most * (1.0 + rounding)) return;
  const double scale = most > 0.0 ? std::sqrt(most / now) : 0.0;
  for (int i = 0; i < patch.nodes; ++i) {
    nodes_[patch.node + i].a *= scale;
    nodes_[patch.node + i].b *= scale;
  }
}

Vector2 LayerPatches::at(const PatchSite& site, int side) const {
  const LayerPatch& patch = patches_[site.patch];
  if (patch.nodes > 1)
    return side_of(nodes_[patch.node + site.contact.patch_point], side).head<2>();
  const Vector3& value = side_of(nodes_[patch.node], side);
  return {value[0] + value[2] * site.place, value[1]};
}

double LayerPatches::pressed(const PatchSite& site) const {
  return at(site, 0)[0] + at(site, 1)[0];
}

PatchForce LayerPatches::spring_force(const LayerPatch& patch, int side) const {
  PatchForce result;
  const std::optional<Layer>& layer = patch.layer(side);
  if (!layer) return result;
  const Matrix2 k = stiffness_of(*layer);
  if (patch.nodes == 1) {
    const Vector3& value = side_of(nodes_[patch.node], side);
    return {k * value.head<2>(), layer->stiffness * patch.spread * value[2]};
  }
  for (int i = 0; i < patch.nodes; ++i)
    for (int j = 0; j < patch.nodes; ++j) {
      const Vector2 force = patch.share * points_.stiffness_share()(i, j) *
                            (k * side_of(nodes_[patch.node + j], side).head<2>());
      result.force += force;
      result.moment += force[0] * points_.offset(i);
    }
  return result;
}

// --- a step ------------------------------------------------------------------------------------

PatchYield LayerPatches::yield(const LayerPatch& patch, double h) const {
  PatchYield result{layer_step(patch.a, h), layer_step(patch.b, h)};
  result.block = (result.a.yield + result.b.yield) / h;
  for (const auto& layer : {patch.a, patch.b})
    if (layer && patch.spread > 0.0) result.tilt += layer_step(layer, h).tilt / (h * patch.spread);
  return result;
}

Matrix3 LayerPatches::compliance(const LayerPatch& patch, const PatchYield& yield, int i,
                                 int j) const {
  Matrix3 block = Matrix3::Zero();
  if (patch.nodes > 1) {
    block.topLeftCorner<2, 2>() =
        points_.share(sites_[i].contact.patch_point, sites_[j].contact.patch_point) / patch.share *
        yield.block;
    return block;
  }
  block.topLeftCorner<2, 2>() = yield.block;
  block(0, 0) += yield.tilt * sites_[i].place * sites_[j].place;
  return block;
}

Vector2 LayerPatches::recovery(const PatchYield& yield, const PatchSite& site) const {
  const LayerPatch& patch = patches_[site.patch];
  if (patch.nodes > 1) return yield.a.recover * at(site, 0) + yield.b.recover * at(site, 1);
  Vector2 sum = Vector2::Zero();
  for (int side = 0; side < 2; ++side) {
    const std::optional<Layer>& layer = patch.layer(side);
    if (!layer) continue;
    const LayerStep& step = side == 0 ? yield.a : yield.b;
    const Vector3& value = side_of(nodes_[patch.node], side);
    sum += step.recover * value.head<2>();
    sum[0] += layer->stiffness * step.tilt * value[2] * site.place;
  }
  return sum;
}

void LayerPatches::deform(double h, std::span<double> lost) {
  change_.assign(nodes_.begin(), nodes_.end());
  for (const LayerPatch& patch : patches_)
    for (int side = 0; side < 2; ++side) {
      const std::optional<Layer>& layer = patch.layer(side);
      if (!layer) continue;
      const LayerStep step = layer_step(layer, h);
      for (int i = 0; i < patch.nodes; ++i) {
        Vector3& value = side_of(nodes_[patch.node + i], side);
        value.head<2>() = (step.relax * value.head<2>()).eval();
        value[2] *= layer->damping * step.tilt;
      }
      for (const int m : members(patch)) {
        const PatchSite& site = sites_[m];
        const Vector2 impulse = site.impulse.head<2>();
        if (patch.nodes == 1) {
          Vector3& value = side_of(nodes_[patch.node], side);
          value.head<2>() += step.yield * impulse;
          if (patch.spread > 0.0) value[2] += step.tilt * impulse[0] * site.place / patch.spread;
          continue;
        }
        for (int i = 0; i < patch.nodes; ++i) {
          const int own = site.contact.patch_point;
          if (i != own && !points_.coupled()) continue;
          side_of(nodes_[patch.node + i], side).head<2>() +=
              points_.share(i, own) / patch.share * (step.yield * impulse);
        }
      }
    }
  // What implicit Euler loses: ½ ΔᵀKΔ.
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    change_[i].a = nodes_[i].a - change_[i].a;
    change_[i].b = nodes_[i].b - change_[i].b;
  }
  for (const LayerPatch& patch : patches_) lost[patch.payer] += bilinear(patch, change_, change_);
}

// --- where bodies are after it -----------------------------------------------------------------

// What brings the layers in line with the overlaps: of loaded sites, and of those deeper than their
// layer says. The least that does so.
bool LayerPatches::correction(const LayerPatch& patch, Nodes& change) const {
  const SeriesStiffness series = in_series(patch.a, patch.b);
  const auto set = [&](LayerNode& node, double normal, double tilt) {
    node.a = Vector3(series.share_a * normal, 0.0, series.share_a * tilt);
    node.b = Vector3((1.0 - series.share_a) * normal, 0.0, (1.0 - series.share_a) * tilt);
  };
  for (int i = 0; i < patch.nodes; ++i) change[patch.node + i] = {};
  bool any = false;
  // Of Σ (missing − x − y s/ρ)², with a little of x² + y² that takes the least where points do not
  // say all.
  constexpr double least = 1e-9;
  const double size = std::sqrt(patch.spread);
  Matrix2 sum = least * Matrix2::Identity();
  Vector2 right = Vector2::Zero();
  for (const int m : members(patch)) {
    const PatchSite& site = sites_[m];
    const double missing = -site.contact.gap - pressed(site);
    if (!(site.impulse[0] > 0.0 || missing > 0.0)) continue;
    any = true;
    if (patch.nodes > 1) {
      set(change[patch.node + site.contact.patch_point], missing, 0.0);
      continue;
    }
    const Vector2 row(1.0, size > 0.0 ? site.place / size : 0.0);
    sum += row * row.transpose();
    right += missing * row;
  }
  if (!any || patch.nodes > 1) return any;
  if (size == 0.0) {
    set(change[patch.node], right[0] / (sum(0, 0) - least), 0.0);
    return true;
  }
  const double determinant = sum(0, 0) * sum(1, 1) - sum(0, 1) * sum(0, 1);
  set(change[patch.node], (sum(1, 1) * right[0] - sum(0, 1) * right[1]) / determinant,
      (sum(0, 0) * right[1] - sum(0, 1) * right[0]) / determinant / size);
  return true;
}

void LayerPatches::press_in(const Model& model) {
  change_.resize(nodes_.size());
  const auto is_beyond = [&](const LayerPatch& patch) {
    return std::any_of(sites_.begin(), sites_.end(), [&](const PatchSite& site) {
      return site.contact.body_a == patch.body_a && site.contact.body_b == patch.body_b &&
             -site.contact.gap > layer_depth(model, site.contact.key);
    });
  };
  for (LayerPatch& patch : patches_) {
    if (patch.known || !correction(patch, change_) || is_beyond(patch)) continue;
    for (int i = patch.node; i < patch.node + patch.nodes; ++i) nodes_[i] = change_[i];
    patch.energy = energy(patch);
    patch.known = true;
  }
}

// What points of the same bodies held that are loaded no more because they are no more, J; and how
// the one with most of it was drawn along the surface.
double LayerPatches::take_left(const LayerPatch& patch, LayerNode& tangential) {
  double sum = 0.0, most = 0.0;
  for (const Left& left : left_) {
    if (left.body_a != patch.body_a || left.body_b != patch.body_b || !left.loaded) continue;
    sum += std::max(0.0, left.record.energy);
    if (!(left.record.energy > most)) continue;
    most = left.record.energy;
    tangential.a = Vector3(0.0, left.record.deformation_a[1], 0.0);
    tangential.b = Vector3(0.0, left.record.deformation_b[1], 0.0);
  }
  std::erase_if(left_, [&](const Left& left) {
    return left.body_a == patch.body_a && left.body_b == patch.body_b && left.loaded;
  });
  return sum;
}

void LayerPatches::settle(std::span<double> budget) {
  change_.resize(nodes_.size());
  sum_.resize(nodes_.size());
  for (std::size_t begin = 0, end = 0; begin < patches_.size(); begin = end) {
    const LayerPatch& first = patches_[begin];
    while (end < patches_.size() && patches_[end].body_a == first.body_a &&
           patches_[end].body_b == first.body_b)
      ++end;
    LayerNode tangential;
    double pool = take_left(first, tangential);
    // Those that have enough first: what they do not need is for the others.
    std::vector<char>& short_of = taken_;
    short_of.assign(patches_.size(), 0);
    for (std::size_t p = begin; p < end; ++p) {
      LayerPatch& patch = patches_[p];
      const double more = std::clamp(energy(patch) - patch.energy, 0.0, pool);
      pool -= more;
      admit(patch, patch.energy + more);
      const double held = energy(patch);
      pool += std::max(0.0, patch.energy + more - held);
      patch.energy = held;
      const bool inherits = !patch.known && pool > 0.0;
      if (!correction(patch, change_) || (!patch.known && !inherits)) continue;
      if (inherits && patch.nodes == 1) {
        change_[patch.node].a += tangential.a;
        change_[patch.node].b += tangential.b;
        tangential = {};
      }
      for (int i = patch.node; i < patch.node + patch.nodes; ++i)
        sum_[i] = {nodes_[i].a + change_[i].a, nodes_[i].b + change_[i].b};
      const double wanted = bilinear(patch, sum_, sum_);
      if (wanted > held) {
        short_of[p] = 1;
        continue;
      }
      pool += held - wanted;
      for (int i = patch.node; i < patch.node + patch.nodes; ++i) nodes_[i] = sum_[i];
      patch.energy = wanted;
    }
    for (std::size_t p = begin; p < end; ++p) {
      if (!short_of[p]) continue;
      LayerPatch& patch = patches_[p];
      double& of_a = budget[patch.body_a];
      double& of_b = budget[patch.body_b];
      const double held = patch.energy, available = held + pool + of_a + of_b;
      // The largest part of the change with ½ (x + t c)ᵀK(x + t c) within what is there.
      const double square = bilinear(patch, change_, change_);
      const double mixed = bilinear(patch, nodes_, change_);
      const double spare = std::max(0.0, available - held);
      double part = 1.0;
      if (square + 2.0 * mixed > spare) {
        const double root = std::sqrt(mixed * mixed + square * spare);
        part = mixed > 0.0 ? spare / (mixed + root) : (root - mixed) / square;
      }
      part = std::clamp(part, 0.0, 1.0);
      for (int i = patch.node; i < patch.node + patch.nodes; ++i) {
        nodes_[i].a += part * change_[i].a;
        nodes_[i].b += part * change_[i].b;
      }
      patch.energy = energy(patch);
      double spent = std::max(0.0, patch.energy - held);
      for (double* from : {&pool, &of_a, &of_b}) {
        const double taken = std::min(*from, spent);
        *from -= taken;
        spent -= taken;
      }
    }
  }
}

}  // namespace vinci
