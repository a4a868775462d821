// SPDX-License-Identifier: Apache-2.0
// Which contacts make a patch, and how its points share the stiffness.
#include "vinci/stepping/layer_patch.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "vinci/formulation/contact_frame.h"
#include "vinci/stepping/contact_patch.h"

namespace vinci {
namespace {

// A contact belongs to the patch of a deeper one up to the first of these, less and less up to the
// second. Slope: how far it is open, over the distance between the two. Turn: between the normals,
// rad.
constexpr double slopes[2] = {0.01, max_patch_slope};
constexpr double turns[2] = {0.05, 0.2};
// Of the size of a patch, and of normals: what is in one plane.
constexpr double plane_rounding = 1e-12;
// What belongs to a patch by less is a patch of its own.
constexpr double least_near = 1e-3;

double fading(double value, const double (&from_to)[2]) {
  return std::clamp((from_to[1] - value) / (from_to[1] - from_to[0]), 0.0, 1.0);
}

Vector3 middle_of(const Contact& contact) {
  return 0.5 * (contact.point_a + contact.point_b);
}

// From the leader to another contact, along tangents 1 and 2.
Vector2 along(const ContactFrame& frame, const Contact& leader, const Contact& other) {
  const Vector3 way = middle_of(other) - middle_of(leader);
  return {frame.tangent_1.dot(way), frame.tangent_2.dot(way)};
}

// By how much a contact is in the patch of a deeper one by the slope between them: 1, or less.
double by_slope(const ContactFrame& frame, const Contact& deeper, const Contact& other) {
  const double open = std::max(0.0, other.gap) - std::max(0.0, deeper.gap);
  if (!(open > 0.0)) return 1.0;
  const Vector2 way = along(frame, deeper, other);
  const double distance = std::hypot(way.x(), way.y());
  return distance > 0.0 ? fading(open / distance, slopes) : 0.0;
}

// The mean of what a layer is at the sites, by their shares.
class LayerMean {
 public:
  void add(const std::optional<Layer>& layer, double share) {
    if (!layer) return;
    sum_.stiffness += share * layer->stiffness;
    sum_.damping += share * layer->damping;
    sum_.tangential_stiffness += share * layer->tangential_stiffness;
    sum_.tangential_damping += share * layer->tangential_damping;
    sum_.coupling += share * layer->coupling;
    shares_ += share;
    same_ = !last_ || (last_ == &*layer && same_);
    last_ = &*layer;
  }
  std::optional<Layer> mean() const {
    if (!(shares_ > 0.0)) return {};
    if (same_) return *last_;
    Layer result = sum_;
    for (double* value : {&result.stiffness, &result.damping, &result.tangential_stiffness,
                          &result.tangential_damping, &result.coupling})
      *value /= shares_;
    return result;
  }

 private:
  Layer sum_;
  double shares_ = 0.0;
  const Layer* last_ = nullptr;
  bool same_ = true;
};

}  // namespace

LayerPair layers_of(const Model& model, const EntityKey& key) {
  return {&model.materials[model.shapes[key.shape_a()].material].layer,
          &model.materials[model.shapes[key.shape_b()].material].layer};
}

bool is_soft(const Model& model, const EntityKey& key) {
  return key.kind == EntityKind::contact && !layers_of(model, key).rigid();
}

double layer_depth(const Model& model, const EntityKey& key) {
  const LayerPair layers = layers_of(model, key);
  return (*layers.a ? model.shapes[key.shape_a()].layer_depth : 0.0) +
         (*layers.b ? model.shapes[key.shape_b()].layer_depth : 0.0);
}

void LayerPatches::arrange(const Model& model, std::span<const Pose> poses,
                           const ContactSet& contacts) {
  sites_.clear();
  patches_.clear();
  members_.clear();
  nodes_.clear();
  left_.clear();
  order_.clear();
  world_ = model.world;
  add_sites(model, poses, contacts);
  taken_.assign(contacts.size(), 0);
  const auto before = [&](int i, int j) {
    const Contact &a = contacts[i], &b = contacts[j];
    return std::tie(a.body_a, a.body_b, a.gap, i) < std::tie(b.body_a, b.body_b, b.gap, j);
  };
  std::sort(order_.begin(), order_.end(), before);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (taken_[order_[i]]) continue;
    const Contact& leader = contacts[order_[i]];
    const ContactFrame frame = contact_frame(world_, leader.normal);
    group_.assign(1, order_[i]);
    near_.assign(1, 1.0);
    for (std::size_t j = i + 1; j < order_.size(); ++j) {
      const Contact& other = contacts[order_[j]];
      if (other.body_a != leader.body_a || other.body_b != leader.body_b) break;
      if (taken_[order_[j]]) continue;
      const double near = nearness(frame, contacts, other);
      if (near < least_near) continue;
      group_.push_back(order_[j]);
      near_.push_back(near);
      taken_[order_[j]] = 1;
    }
    if (points_.count() == 1)
      add_plate(model, contacts);
    else
      add_points(model, contacts);
  }
}

// 1: in the patch of those in group_, the first of which leads; 0: not. In space several points may
// lead together, as the two corners of an edge: by slope it belongs to each as far as this is in
// the patch.
double LayerPatches::nearness(const ContactFrame& frame, const ContactSet& contacts,
                              const Contact& other) const {
  const Contact& leader = contacts[group_.front()];
  if (!(leader.normal.dot(other.normal) > 0.0)) return 0.0;
  const double turn = fading(leader.normal.cross(other.normal).norm(), turns);
  double slope = by_slope(frame, leader, other);
  for (std::size_t i = 1; world_ == World::spatial && i < group_.size() && slope > 0.0; ++i)
    slope = std::min(slope, 1.0 - near_[i] * (1.0 - by_slope(frame, contacts[group_[i]], other)));
  return turn * slope;
}

// By key and point, as the contacts are.
void LayerPatches::add_sites(const Model& model, std::span<const Pose> poses,
                             const ContactSet& contacts) {
  sites_of_.assign(contacts.size(), {});
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!is_soft(model, contacts[i].key)) continue;
    order_.push_back(static_cast<int>(i));
    sites_of_[i].first = static_cast<int>(sites_.size());
    expanded_.clear();
    if (points_.count() == 1)
      expanded_.push_back(contacts[i]);
    else
      append_patch(model, poses, contacts[i], points_, infinity, expanded_);
    for (const Contact& contact : expanded_) sites_.push_back({.contact = contact});
    sites_of_[i].count = static_cast<int>(expanded_.size());
  }
}

LayerPatch& LayerPatches::new_patch(const Model& model, const Contact& leader) {
  LayerPatch& patch = patches_.emplace_back();
  patch.body_a = leader.body_a;
  patch.body_b = leader.body_b;
  patch.payer = model.bodies[leader.body_a].velocity_size > 0 ? leader.body_a : leader.body_b;
  patch.key = leader.key;
  patch.frame = contact_frame(world_, leader.normal);
  patch.middle = middle_of(leader);
  patch.first = static_cast<int>(members_.size());
  patch.node = static_cast<int>(nodes_.size());
  return patch;
}

// The ends of the patch carry it. Points between them have no share, into however many shapes a
// body is cut.
void LayerPatches::add_plate(const Model& model, const ContactSet& contacts) {
  const Contact& leader = contacts[group_.front()];
  LayerPatch& patch = new_patch(model, leader);
  nodes_.emplace_back();
  const int number = static_cast<int>(patches_.size()) - 1;
  for (std::size_t i = 0; i < group_.size(); ++i) {
    PatchSite& site = sites_[sites_of_[group_[i]].first];
    site.patch = number;
    site.place =
        i == 0 ? Vector2(Vector2::Zero()) : along(patch.frame, leader, contacts[group_[i]]);
    site.share = near_[i];  // nearness, until it is shared out
    members_.push_back(sites_of_[group_[i]].first);
  }
  patch.count = static_cast<int>(group_.size());
  if (world_ == World::planar) {
    share_row(model, patch);
  } else {
    share_hull(model, patch);
    level(patch, leader);
  }

  Vector2 center = Vector2::Zero();
  LayerMean a, b;
  const std::span<int> all = std::span(members_).subspan(static_cast<std::size_t>(patch.first));
  for (const int m : all) {
    const PatchSite& site = sites_[m];
    center += site.share * site.place;
    const LayerPair layers = layers_of(model, site.contact.key);
    if (site.share > 0.0) a.add(*layers.a, site.share);
    if (site.share > 0.0) b.add(*layers.b, site.share);
  }
  patch.a = a.mean();
  patch.b = b.mean();
  for (const int m : all) sites_[m].place -= center;
  patch.middle += center[0] * patch.frame.tangent_1 + center[1] * patch.frame.tangent_2;
  if (world_ == World::spatial) turn_to_principal_axes(patch);
  for (const int m : all) {
    const PatchSite& site = sites_[m];
    patch.spread += (site.share * site.place).cwiseProduct(site.place);
  }
  if (world_ == World::spatial) {
    constexpr double row = 1e-16;  // of squares: so narrow a patch is a row
    if (patch.spread[1] <= row * patch.spread[0]) patch.spread[1] = 0.0;
    patch.polar = patch.spread.sum();
  }
  std::sort(all.begin(), all.end());
}

// Half of it belongs to each end of a row: the right end is where, seen from the right, nearness
// first becomes 1, or in parts where it rises.
void LayerPatches::share_row(const Model& model, const LayerPatch& patch) {
  const auto first = members_.begin() + patch.first, last = members_.end();
  const int middle = members_[patch.first];
  std::sort(first, last, [&](int i, int j) {
    return std::tie(sites_[i].place.x(), i) < std::tie(sites_[j].place.x(), j);
  });
  const auto at_middle = std::find(first, last, middle);
  const auto share_out = [&](auto begin, auto end) {  // from an end of the patch to the leader
    double reached = 0.0;
    for (auto i = begin; i != end; ++i) {
      const double near = sites_[*i].share;
      sites_[*i].share = 0.5 * std::max(0.0, near - reached);
      reached = std::max(reached, near);
    }
    return 0.5 * (1.0 - reached);
  };
  imply(model, {first, last});
  const double from_left = share_out(first, at_middle);
  const double from_right =
      share_out(std::make_reverse_iterator(last), std::make_reverse_iterator(at_middle + 1));
  sites_[middle].share = from_left + from_right;
}

// Forces act somewhere between the two surfaces: in the plane through the leader's point on one of
// them that the others come nearest to, which is a face of that body.
void LayerPatches::level(const LayerPatch& patch, const Contact& leader) {
  if (patch.count == 1) return;
  const Vector3& normal = patch.frame.normal;
  // From the middle of a contact, as a share of the way between its points, to the plane.
  const auto share_to = [&](const Vector3& plane, const Contact& contact) {
    const double way = normal.dot(contact.point_b - contact.point_a);
    const double height = normal.dot(plane - middle_of(contact));
    return way != 0.0 ? std::clamp(height / way, -0.5, 0.5) : 0.0;
  };
  const auto missed = [&](const Vector3& plane) {
    double sum = 0.0;
    for (const int m : members(patch)) {
      const Contact& contact = sites_[m].contact;
      const double share = share_to(plane, contact);
      sum += std::abs(
          normal.dot(plane - middle_of(contact) - share * (contact.point_b - contact.point_a)));
    }
    return sum;
  };
  const Vector3 on_a = leader.point_a, on_b = leader.point_b;
  const Vector3& plane = missed(on_a) <= missed(on_b) ? on_a : on_b;
  for (const int m : members(patch)) {
    PatchSite& site = sites_[m];
    Contact& contact = site.contact;
    site.lift = share_to(plane, contact) * (contact.point_b - contact.point_a);
    contact.point_a += site.lift;
    contact.point_b += site.lift;
  }
}

void LayerPatches::share_hull(const Model& model, const LayerPatch& patch) {
  places_.clear();
  near_.clear();
  for (const int m : members(patch)) {
    places_.push_back(sites_[m].place);
    near_.push_back(sites_[m].share);
  }
  shares_.resize(places_.size());
  ends_.share_out(places_, near_, shares_);
  auto share = shares_.begin();
  for (const int m : members(patch)) sites_[m].share = *share++;
  imply_within(model, members(patch), ends_.corners());
}

// In space, points within the hull that are no deeper than the triangle of its corners over which
// they lie: gap, velocity and deformation of them lie between those of its corners.
void LayerPatches::imply_within(const Model& model, std::span<const int> all,
                                std::span<const int> corners) {
  if (corners.size() < 2 || all.size() == corners.size()) return;
  const auto cross = [](const Vector2& u, const Vector2& v) {
    return u.x() * v.y() - u.y() * v.x();
  };
  const auto place = [&](int corner) -> const Vector2& { return places_[corner]; };
  double size = 0.0;
  for (const int corner : corners)
    size = std::max(size, (place(corner) - place(corners[0])).norm());
  const double small = plane_rounding * size;
  for (std::size_t i = 0; i < all.size(); ++i) {
    PatchSite& site = sites_[all[i]];
    if (std::find(corners.begin(), corners.end(), static_cast<int>(i)) != corners.end()) continue;
    if (!std::all_of(corners.begin(), corners.end(),
                     [&](int c) { return alike(model, all[i], all[c]); }))
      continue;
    const auto gap = [&](int corner) { return sites_[all[corner]].contact.gap; };
    if (corners.size() == 2) {
      const Vector2 way = place(corners[1]) - place(corners[0]);
      const double share = way.dot(places_[i] - place(corners[0])) / way.squaredNorm();
      site.implied =
          site.contact.gap >= (1.0 - share) * gap(corners[0]) + share * gap(corners[1]) - small;
      continue;
    }
    for (std::size_t k = 1; k + 1 < corners.size() && !site.implied; ++k) {
      const Vector2 a = place(corners[0]) - places_[i], b = place(corners[k]) - places_[i],
                    c = place(corners[k + 1]) - places_[i];
      const Vector3 parts(cross(b, c), cross(c, a), cross(a, b));
      if (parts.minCoeff() < -small * size) continue;
      const double between =
          parts.dot(Vector3(gap(corners[0]), gap(corners[k]), gap(corners[k + 1])));
      site.implied = site.contact.gap >= between / parts.sum() - small;
    }
  }
}

// The axes along which the ends lie apart most and least, and the tangents of the sites to them.
void LayerPatches::turn_to_principal_axes(LayerPatch& patch) {
  double xx = 0.0, xy = 0.0, yy = 0.0;
  for (const int m : members(patch)) {
    const auto& [share, place] = std::tie(sites_[m].share, sites_[m].place);
    xx += share * place.x() * place.x();
    xy += share * place.x() * place.y();
    yy += share * place.y() * place.y();
  }
  constexpr double round = 1e-12;  // what is as wide along all axes keeps those that it has
  const bool turns = std::hypot(2.0 * xy, xx - yy) > round * (xx + yy);
  const double angle = turns ? 0.5 * std::atan2(2.0 * xy, xx - yy) : 0.0;
  Matrix2 axes;
  axes << std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle);
  const Vector3 tangent_1 = patch.frame.tangent_1, tangent_2 = patch.frame.tangent_2;
  patch.frame.tangent_1 = axes(0, 0) * tangent_1 + axes(0, 1) * tangent_2;
  patch.frame.tangent_2 = axes(1, 0) * tangent_1 + axes(1, 1) * tangent_2;
  for (const int m : members(patch)) {
    PatchSite& site = sites_[m];
    site.place = (axes * site.place).eval();
    site.tangents = carried(patch.frame, contact_frame(world_, site.contact.normal));
  }
}

// Whether two sites have one normal and the same materials.
bool LayerPatches::alike(const Model& model, int i, int j) const {
  const Contact &a = sites_[i].contact, &b = sites_[j].contact;
  const auto material = [&](std::uint32_t shape) { return model.shapes[shape].material; };
  return a.normal.cross(b.normal).norm() <= plane_rounding &&
         material(a.key.shape_a()) == material(b.key.shape_a()) &&
         material(a.key.shape_b()) == material(b.key.shape_b());
}

// Of points in a row, by their places, those in the lower hull of their gaps bear the plate: gap,
// velocity and deformation of another lie between theirs.
void LayerPatches::imply(const Model& model, std::span<const int> row) {
  const double small =
      plane_rounding * (sites_[row.back()].place.x() - sites_[row.front()].place.x());
  const auto between = [&](int left, int middle, int right) {
    const Contact &l = sites_[left].contact, &m = sites_[middle].contact,
                  &r = sites_[right].contact;
    if (!alike(model, left, middle) || !alike(model, middle, right)) return false;
    const double from = sites_[left].place.x(), at = sites_[middle].place.x(),
                 to = sites_[right].place.x();
    if (at - from <= small) return m.gap >= l.gap - small;
    if (to - at <= small) return m.gap >= r.gap - small;
    const double share = (at - from) / (to - from);
    return m.gap >= (1.0 - share) * l.gap + share * r.gap - small;
  };
  hull_.clear();
  for (const int site : row) {
    while (hull_.size() > 1 && between(hull_[hull_.size() - 2], hull_.back(), site)) {
      sites_[hull_.back()].implied = true;
      hull_.pop_back();
    }
    hull_.push_back(site);
  }
}

// Every contact of the group with points of its own: all of them together have the stiffness once.
void LayerPatches::add_points(const Model& model, const ContactSet& contacts) {
  const double n = points_.count();
  double present = 0.0;
  for (std::size_t i = 0; i < group_.size(); ++i)
    present += near_[i] * sites_of_[group_[i]].count / n;
  for (const int i : group_) {
    const Range sites = sites_of_[i];
    if (sites.count == 0) continue;
    LayerPatch& patch = new_patch(model, contacts[i]);
    const LayerPair layers = layers_of(model, patch.key);
    patch.a = *layers.a;
    patch.b = *layers.b;
    patch.share = 1.0 / present;
    patch.nodes = points_.count();
    patch.count = sites.count;
    nodes_.resize(nodes_.size() + static_cast<std::size_t>(patch.nodes));
    for (int k = sites.first; k < sites.first + sites.count; ++k) {
      sites_[k].patch = static_cast<int>(patches_.size()) - 1;
      sites_[k].place = {points_.offset(sites_[k].contact.patch_point), 0.0};
      sites_[k].share = patch.share / n;
      members_.push_back(k);
    }
  }
}

int LayerPatches::find(const Contact& contact) const {
  const auto before = [](const PatchSite& site, const Contact& wanted) {
    return std::tie(site.contact.key, site.contact.patch_point) <
           std::tie(wanted.key, wanted.patch_point);
  };
  const auto found = std::lower_bound(sites_.begin(), sites_.end(), contact, before);
  if (found == sites_.end() || found->contact.key != contact.key ||
      found->contact.patch_point != contact.patch_point)
    return -1;
  return static_cast<int>(found - sites_.begin());
}

}  // namespace vinci
