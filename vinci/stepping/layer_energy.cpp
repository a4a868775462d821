// SPDX-License-Identifier: Apache-2.0
// Deformations of patches from step to step, and the energy that they may hold.
#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

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

const Plate& side_of(const LayerNode& node, int side) {
  return side == 0 ? node.a : node.b;
}
Plate& side_of(LayerNode& node, int side) {
  return side == 0 ? node.a : node.b;
}

double size_of(const Plate& plate) {
  return std::max(plate.shift.lpNorm<Eigen::Infinity>(), plate.turn.lpNorm<Eigen::Infinity>());
}
double size_of(const LayerNode& node) {
  return std::max(size_of(node.a), size_of(node.b));
}

// What a record says in its own axes, at its own place.
Plate own_plate(World world, const LayerMemory& record, int side) {
  const Vector3& value = side == 0 ? record.deformation_a : record.deformation_b;
  if (world == World::planar)
    return {Vector3(value[0], value[1], 0.0), Vector3(0.0, value[2], 0.0)};
  return {value, side == 0 ? record.turn_a : record.turn_b};
}
void set_own_plate(World world, const Plate& plate, int side, LayerMemory& record) {
  Vector3& value = side == 0 ? record.deformation_a : record.deformation_b;
  value = plate.shift;
  if (world == World::planar)
    value[2] = plate.turn[1];
  else
    (side == 0 ? record.turn_a : record.turn_b) = plate.turn;
}

// One layer that nothing presses: what is left of it after h seconds.
void relax(const Layer& layer, const LayerStep& step, Plate& plate) {
  plate.shift.head<2>() = (step.relax * plate.shift.head<2>()).eval();
  plate.shift[2] *= step.relax(1, 1);
  plate.turn[0] *= step.relax(1, 1);
  plate.turn.tail<2>() *= layer.damping * step.tilt;
}

// By how much the tangents of two bodies turn about their normal: with the one that does not turn
// freely, on which the other may spin; else by the mean.
double spin_of(const Model& model, std::span<const Vector3> turned, const EntityKey& key,
               const Vector3& normal) {
  const int a = model.shapes[key.shape_a()].body, b = model.shapes[key.shape_b()].body;
  const auto is_free = [&](int body) {
    return model.bodies[body].velocity_size > 0 && !model.bodies[body].drives[5].prescribed;
  };
  if (is_free(a) == is_free(b)) return 0.5 * normal.dot(turned[a] + turned[b]);
  return normal.dot(turned[is_free(a) ? b : a]);
}

void turn_by(double angle, Vector3& vector) {
  const double c = std::cos(angle), s = std::sin(angle), x = vector[1], y = vector[2];
  vector[1] = c * x - s * y;
  vector[2] = s * x + c * y;
}

}  // namespace

// --- the memory --------------------------------------------------------------------------------

void LayerPatches::recall(const Model& model, const Memory& memory,
                          std::span<const Vector3> turned) {
  records_ = memory.layers;
  for (LayerMemory& record : records_) {
    if (turned.empty() || !is_soft(model, record.key)) continue;
    const double angle = spin_of(model, turned, record.key, record.normal);
    if (angle == 0.0) continue;
    for (Vector3* vector :
         {&record.deformation_a, &record.deformation_b, &record.turn_a, &record.turn_b})
      turn_by(angle, *vector);
  }
  left_.clear();
  taken_.assign(records_.size(), 0);
  // A state that does not say what its layers hold means all that they can.
  const bool said = std::any_of(records_.begin(), records_.end(),
                                [](const LayerMemory& record) { return record.energy != 0.0; });
  for (LayerPatch& patch : patches_) {
    recall_patch(memory, patch);
    if (!said) patch.energy = energy(patch);
  }
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const LayerMemory& record = records_[i];
    if (taken_[i] || !is_soft(model, record.key)) continue;
    bool loaded = false;
    for (const ImpulseMemory& impulse : records_of(memory.impulses, record.key))
      loaded |= impulse.point == record.point && impulse.impulse[0] > 0.0;
    left_.push_back({record, model.shapes[record.key.shape_a()].body,
                     model.shapes[record.key.shape_b()].body, loaded});
  }
}

// What a record says of the plate of a patch, from the place of its contact in it.
Plate LayerPatches::plate_of(const LayerMemory& record, int side, const LayerPatch& patch,
                             const Vector2& place) const {
  Plate plate = own_plate(world_, record, side);
  if (patch.nodes > 1) return {plate.shift, Vector3::Zero()};
  if (world_ == World::planar) {
    plate.shift[0] -= plate.turn[1] * place.x();
    return plate;
  }
  if (!record.normal.isZero(0.0)) {
    const Matrix2 axes = carried(contact_frame(world_, record.normal), patch.frame);
    plate.shift.tail<2>() = (axes * plate.shift.tail<2>()).eval();
    plate.turn.tail<2>() = (axes * plate.turn.tail<2>()).eval();
  }
  plate.shift[0] -= plate.turn.tail<2>().dot(place);
  plate.shift.tail<2>() -= plate.turn[0] * quarter_turn(place);
  return plate;
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
  const auto take = [&](const EntityKey& key, const Vector2& place) {
    for (const LayerMemory& record : records_of(records_, key)) {
      if (record.point < 0 || record.point >= patch.nodes) continue;
      taken_[static_cast<std::size_t>(&record - records_.data())] = 1;
      LayerNode& node = nodes[static_cast<std::size_t>(record.point)];
      patch.energy += record.energy;
      for (int side = 0; side < 2; ++side)
        side_of(node, side) += plate_of(record, side, patch, place);
      ++known;
    }
  };
  for (const int m : members(patch)) {
    PatchSite& site = sites_[m];
    site.impulse.setZero();
    site.sliding = 0.0;
    const auto impulses = records_of(memory.impulses, site.contact.key);
    for (const ImpulseMemory& from : impulses)
      if (from.point == site.contact.patch_point)
        site.impulse = from.impulse, site.sliding = from.sliding;
    patch.known |= !impulses.empty();
    if (plate) take(site.contact.key, site.place);
  }
  if (!plate) take(patch.key, Vector2::Zero());
  patch.known |= known > 0;
  if (!plate) return;
  for (int side = 0; side < 2; ++side) {
    Plate& mean = side_of(nodes[0], side);
    if (known > 1) {
      mean.shift /= known;
      mean.turn /= known;
    }
    if (patch.polar == 0.0) mean.turn[0] = 0.0;
    for (int axis = 0; axis < 2; ++axis)
      if (patch.spread[axis] == 0.0) mean.turn[1 + axis] = 0.0;
  }
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
    LayerNode node{own_plate(world_, record, 0), own_plate(world_, record, 1)};
    if (h > 0.0) {
      const LayerPair layers = layers_of(model, record.key);
      const double before = size_of(node);
      for (int side = 0; side < 2; ++side) {
        const std::optional<Layer>& layer = side == 0 ? *layers.a : *layers.b;
        Plate& plate = side_of(node, side);
        if (layer)
          relax(*layer, layer_step(layer, h), plate);
        else
          plate = {};
        set_own_plate(world_, plate, side, record);
      }
      const double kept = before > 0.0 ? size_of(node) / before : 0.0;
      record.energy *= std::min(1.0, kept * kept);
    }
    if (size_of(node) <= recovered) continue;
    memory.layers.push_back(record);
    memory.impulses.push_back({record.key, record.point, Vector3::Zero()});
  }
  memory.sort();
}

bool LayerPatches::lives(const LayerPatch& patch) const {
  for (const int m : members(patch))
    if (!sites_[m].impulse.isZero(0.0)) return true;
  for (int i = 0; i < patch.nodes; ++i)
    if (size_of(nodes_[patch.node + i]) > recovered) return true;
  return false;
}

LayerMemory LayerPatches::record_of(const LayerPatch& patch, const PatchSite& site) const {
  LayerMemory record{site.contact.key};
  const LayerNode& node = nodes_[patch.node];
  for (int side = 0; side < 2; ++side) {
    Plate plate{at(site, side), side_of(node, side).turn};
    if (world_ == World::spatial)
      plate.turn.tail<2>() = (site.tangents * plate.turn.tail<2>()).eval();
    set_own_plate(world_, plate, side, record);
  }
  return record;
}

void LayerPatches::store_patch(const LayerPatch& patch, Memory& memory) const {
  const auto put = [&](LayerMemory record, const Vector3& impulse, double sliding) {
    memory.impulses.push_back({record.key, record.point, impulse, sliding});
    if (record.point > 0 || !is_at_rest(record)) memory.layers.push_back(std::move(record));
  };
  // Those that bear it have its energy, so that it goes with them.
  const auto bears = [&](int m) { return sites_[m].impulse[0] > 0.0; };
  const std::span<const int> all = members(patch);
  const auto bearing = std::count_if(all.begin(), all.end(), bears);
  const double part = energy(patch) / static_cast<double>(bearing > 0 ? bearing : patch.count);
  if (patch.nodes == 1) {
    for (const int m : all) {
      LayerMemory record = record_of(patch, sites_[m]);
      record.energy = bearing == 0 || bears(m) ? part : 0.0;
      if (world_ == World::spatial && !is_at_rest(record)) record.normal = sites_[m].contact.normal;
      put(record, sites_[m].impulse, sites_[m].sliding);
    }
    return;
  }
  for (int i = 0; i < patch.nodes; ++i) {
    LayerMemory record{patch.key, i};
    for (int side = 0; side < 2; ++side)
      set_own_plate(world_, side_of(nodes_[patch.node + i], side), side, record);
    Vector3 impulse = Vector3::Zero();
    double sliding = 0.0;
    for (const int m : all) {
      if (sites_[m].contact.patch_point != i) continue;
      impulse = sites_[m].impulse;
      sliding = sites_[m].sliding;
      record.energy = bearing == 0 || bears(m) ? part : 0.0;
    }
    put(record, impulse, sliding);
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
          .shift.head<2>()
          .dot(k * side_of(y[patch.node + j], side).shift.head<2>());
    };
    if (patch.nodes == 1) {
      const Plate &p = side_of(x[patch.node], side), &q = side_of(y[patch.node], side);
      sum += pair(0, 0) + layer->stiffness * patch.spread[0] * p.turn[1] * q.turn[1];
      sum += layer->stiffness * patch.spread[1] * p.turn[2] * q.turn[2] +
             layer->tangential_stiffness *
                 (p.shift[2] * q.shift[2] + patch.polar * p.turn[0] * q.turn[0]);
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

Vector3 LayerPatches::at(const PatchSite& site, int side) const {
  const LayerPatch& patch = patches_[site.patch];
  if (patch.nodes > 1) return side_of(nodes_[patch.node + site.contact.patch_point], side).shift;
  const Plate& plate = side_of(nodes_[patch.node], side);
  Vector3 result(plate.shift[0] + plate.turn[1] * site.place[0], plate.shift[1], 0.0);
  if (world_ == World::planar) return result;
  result[0] += plate.turn[2] * site.place[1];
  result.tail<2>() =
      site.tangents * (plate.shift.tail<2>() + plate.turn[0] * quarter_turn(site.place));
  return result;
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
    const Plate& plate = side_of(nodes_[patch.node], side);
    result.force.head<2>() = k * plate.shift.head<2>();
    result.force[2] = layer->tangential_stiffness * plate.shift[2];
    result.moment = {layer->tangential_stiffness * patch.polar * plate.turn[0],
                     layer->stiffness * patch.spread[0] * plate.turn[1],
                     layer->stiffness * patch.spread[1] * plate.turn[2]};
    return result;
  }
  for (int i = 0; i < patch.nodes; ++i)
    for (int j = 0; j < patch.nodes; ++j) {
      const Vector2 force = patch.share * points_.stiffness_share()(i, j) *
                            (k * side_of(nodes_[patch.node + j], side).shift.head<2>());
      result.force.head<2>() += force;
      result.moment[1] += force[0] * points_.offset(i);
    }
  return result;
}

// --- a step ------------------------------------------------------------------------------------

PatchYield LayerPatches::yield(const LayerPatch& patch, double h) const {
  PatchYield result{layer_step(patch.a, h), layer_step(patch.b, h)};
  result.block = (result.a.yield + result.b.yield) / h;
  for (int side = 0; side < 2; ++side) {
    if (!patch.layer(side)) continue;
    const LayerStep& step = side == 0 ? result.a : result.b;
    for (int axis = 0; axis < 2; ++axis)
      if (patch.spread[axis] > 0.0) result.tilt[axis] += step.tilt / (h * patch.spread[axis]);
    if (patch.polar > 0.0) result.twist += step.yield(1, 1) / (h * patch.polar);
  }
  return result;
}

Matrix3 LayerPatches::compliance(const LayerPatch& patch, const PatchYield& yield, int i,
                                 int j) const {
  if (i > j && world_ == World::spatial) return compliance(patch, yield, j, i).transpose();
  Matrix3 block = Matrix3::Zero();
  if (patch.nodes > 1) {
    block.topLeftCorner<2, 2>() =
        points_.share(sites_[i].contact.patch_point, sites_[j].contact.patch_point) / patch.share *
        yield.block;
    return block;
  }
  const PatchSite &on = sites_[i], &by = sites_[j];
  if (world_ == World::planar)
    block.topLeftCorner<2, 2>() = yield.block;
  else
    block(0, 0) = yield.block(0, 0);
  block(0, 0) += yield.tilt[0] * on.place[0] * by.place[0];
  if (world_ == World::planar) return block;
  block(0, 0) += yield.tilt[1] * on.place[1] * by.place[1];
  const Matrix2 along = yield.block(1, 1) * Matrix2::Identity() +
                        yield.twist * quarter_turn(on.place) * quarter_turn(by.place).transpose();
  block.bottomRightCorner<2, 2>() = on.tangents * along * by.tangents.transpose();
  return block;
}

Vector3 LayerPatches::recovery(const PatchYield& yield, const PatchSite& site) const {
  const LayerPatch& patch = patches_[site.patch];
  Vector3 sum = Vector3::Zero();
  if (patch.nodes > 1) {
    sum.head<2>() =
        yield.a.recover * at(site, 0).head<2>() + yield.b.recover * at(site, 1).head<2>();
    return sum;
  }
  for (int side = 0; side < 2; ++side) {
    const std::optional<Layer>& layer = patch.layer(side);
    if (!layer) continue;
    const LayerStep& step = side == 0 ? yield.a : yield.b;
    const Plate& plate = side_of(nodes_[patch.node], side);
    sum.head<2>() += step.recover * plate.shift.head<2>();
    sum[0] += layer->stiffness * step.tilt * plate.turn[1] * site.place[0];
    if (world_ == World::planar) continue;
    sum[0] += layer->stiffness * step.tilt * plate.turn[2] * site.place[1];
    sum[2] += step.recover(1, 1) * plate.shift[2];
    sum.tail<2>() += step.recover(1, 1) * plate.turn[0] * quarter_turn(site.place);
  }
  if (world_ == World::spatial) sum.tail<2>() = (site.tangents * sum.tail<2>()).eval();
  return sum;
}

void LayerPatches::deform(double h, std::span<double> lost) {
  change_.assign(nodes_.begin(), nodes_.end());
  for (const LayerPatch& patch : patches_)
    for (int side = 0; side < 2; ++side) {
      const std::optional<Layer>& layer = patch.layer(side);
      if (!layer) continue;
      const LayerStep step = layer_step(layer, h);
      for (int i = 0; i < patch.nodes; ++i)
        relax(*layer, step, side_of(nodes_[patch.node + i], side));
      for (const int m : members(patch)) press(patch, side, step, sites_[m]);
    }
  // What implicit Euler loses: ½ ΔᵀKΔ.
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (int side = 0; side < 2; ++side) {
      Plate& change = side_of(change_[i], side);
      change.shift = side_of(nodes_[i], side).shift - change.shift;
      change.turn = side_of(nodes_[i], side).turn - change.turn;
    }
  for (const LayerPatch& patch : patches_) lost[patch.payer] += bilinear(patch, change_, change_);
}

// Of the impulse of a site on a layer.
void LayerPatches::press(const LayerPatch& patch, int side, const LayerStep& step,
                         const PatchSite& site) {
  if (patch.nodes > 1) {
    const int own = site.contact.patch_point;
    for (int i = 0; i < patch.nodes; ++i)
      if (i == own || points_.coupled())
        side_of(nodes_[patch.node + i], side).shift.head<2>() +=
            points_.share(i, own) / patch.share * (step.yield * site.impulse.head<2>());
    return;
  }
  Plate& plate = side_of(nodes_[patch.node], side);
  Vector3 impulse = site.impulse;
  if (world_ == World::spatial)
    impulse.tail<2>() = site.tangents.transpose() * site.impulse.tail<2>();
  plate.shift.head<2>() += step.yield * impulse.head<2>();
  for (int axis = 0; axis < 2; ++axis)
    if (patch.spread[axis] > 0.0)
      plate.turn[1 + axis] += step.tilt * impulse[0] * site.place[axis] / patch.spread[axis];
  if (world_ == World::planar) return;
  plate.shift[2] += step.yield(1, 1) * impulse[2];
  if (patch.polar > 0.0)
    plate.turn[0] +=
        step.yield(1, 1) * quarter_turn(site.place).dot(impulse.tail<2>()) / patch.polar;
}

// --- where bodies are after it -----------------------------------------------------------------

// What brings the layers in line with the overlaps: of loaded sites, and of those deeper than their
// layer says. The least that does so.
bool LayerPatches::correction(const LayerPatch& patch, Nodes& change) const {
  const SeriesStiffness series = in_series(patch.a, patch.b);
  const auto set = [&](LayerNode& node, double normal, const Vector2& tilt) {
    for (int side = 0; side < 2; ++side) {
      const double share = side == 0 ? series.share_a : 1.0 - series.share_a;
      side_of(node, side) = {Vector3(share * normal, 0.0, 0.0),
                             Vector3(0.0, share * tilt[0], share * tilt[1])};
    }
  };
  for (int i = 0; i < patch.nodes; ++i) change[patch.node + i] = {};
  bool any = false;
  // Of Σ (missing − x − y s₁/ρ₁ − z s₂/ρ₂)², with a little of x² + y² + z² that takes the least
  // where points do not say all.
  constexpr double least = 1e-9;
  const Vector2 size = patch.spread.cwiseSqrt();
  Matrix3 sum = least * Matrix3::Identity();
  Vector3 right = Vector3::Zero();
  for (const int m : members(patch)) {
    const PatchSite& site = sites_[m];
    const double missing = -site.contact.gap - pressed(site);
    if (!(site.impulse[0] > 0.0 || missing > 0.0)) continue;
    any = true;
    if (patch.nodes > 1) {
      set(change[patch.node + site.contact.patch_point], missing, Vector2::Zero());
      continue;
    }
    const Vector3 row(1.0, size[0] > 0.0 ? site.place[0] / size[0] : 0.0,
                      size[1] > 0.0 ? site.place[1] / size[1] : 0.0);
    sum += row * row.transpose();
    right += missing * row;
  }
  if (!any || patch.nodes > 1) return any;
  LayerNode& node = change[patch.node];
  if (size[0] == 0.0) {
    set(node, right[0] / (sum(0, 0) - least), Vector2::Zero());
  } else if (size[1] == 0.0) {
    const double determinant = sum(0, 0) * sum(1, 1) - sum(0, 1) * sum(0, 1);
    set(node, (sum(1, 1) * right[0] - sum(0, 1) * right[1]) / determinant,
        {(sum(0, 0) * right[1] - sum(0, 1) * right[0]) / determinant / size[0], 0.0});
  } else {
    const Vector3 found = sum.ldlt().solve(right);
    set(node, found[0], {found[1] / size[0], found[2] / size[1]});
  }
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

// What points of the same bodies held that are loaded no more because they are no more, J.
double LayerPatches::take_left(const LayerPatch& patch) {
  const auto is_taken = [&](const Left& left) {
    return left.body_a == patch.body_a && left.body_b == patch.body_b && left.loaded;
  };
  gone_.clear();
  double sum = 0.0;
  for (const Left& left : left_) {
    if (!is_taken(left)) continue;
    sum += std::max(0.0, left.record.energy);
    gone_.push_back(left);
  }
  std::erase_if(left_, is_taken);
  return sum;
}

// How a new patch is drawn along the surface by those that are gone: in the plane as the one with
// most energy, in space as the mean of those that face its way, whose points lay about its middle.
LayerNode LayerPatches::inherited(const LayerPatch& patch) const {
  LayerNode result;
  if (world_ == World::planar) {
    double most = 0.0;
    for (const Left& left : gone_) {
      if (!(left.record.energy > most)) continue;
      most = left.record.energy;
      result.a.shift = Vector3(0.0, left.record.deformation_a[1], 0.0);
      result.b.shift = Vector3(0.0, left.record.deformation_b[1], 0.0);
    }
    return result;
  }
  constexpr double facing = 0.98;  // the cosine of 0.2
  int count = 0;
  for (const Left& left : gone_) {
    if (!(left.record.normal.dot(patch.frame.normal) > facing)) continue;
    ++count;
    for (int side = 0; side < 2; ++side) {
      Plate plate = plate_of(left.record, side, patch, Vector2::Zero());
      plate.shift[0] = 0.0;
      plate.turn.tail<2>().setZero();
      if (patch.polar == 0.0) plate.turn[0] = 0.0;
      side_of(result, side) += plate;
    }
  }
  for (int side = 0; side < 2 && count > 1; ++side) side_of(result, side) *= 1.0 / count;
  return result;
}

void LayerPatches::settle(std::span<double> budget) {
  change_.resize(nodes_.size());
  sum_.resize(nodes_.size());
  for (std::size_t begin = 0, end = 0; begin < patches_.size(); begin = end) {
    const LayerPatch& first = patches_[begin];
    while (end < patches_.size() && patches_[end].body_a == first.body_a &&
           patches_[end].body_b == first.body_b)
      ++end;
    double pool = take_left(first);
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
        const LayerNode drawn = inherited(patch);
        change_[patch.node].a += drawn.a;
        change_[patch.node].b += drawn.b;
        if (world_ == World::planar) gone_.clear();
      }
      for (int i = patch.node; i < patch.node + patch.nodes; ++i)
        sum_[i] = nodes_[i], sum_[i].a += change_[i].a, sum_[i].b += change_[i].b;
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
        change_[i].a *= part;
        change_[i].b *= part;
        nodes_[i].a += change_[i].a;
        nodes_[i].b += change_[i].b;
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
