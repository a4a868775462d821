// SPDX-License-Identifier: Apache-2.0
// Layers in the shared step, and the substeps of a step.
#include "vinci/stepping/song_pang_kumar.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/base/clock.h"
#include "vinci/formulation/contact_motion.h"
#include "vinci/model/run_options.h"
#include "vinci/stepping/contact_patch.h"
#include "vinci/stepping/step_forces.h"
#include "vinci/stepping/substeps.h"

namespace vinci {
namespace {

// A rest of the step below this share of a substep is not worth one of its own.
constexpr double sliver = 0.01;
// Deformations below it have recovered, m.
constexpr double recovered = 1e-15;

PatchForm patch_form_of(const OptionValues& options) {
  PatchForm form;
  form.points = static_cast<int>(options.integer("points"));
  form.width = options.real("width");
  form.coupling = options.real("coupling");
  if (form.points > 1 && !(form.width > 0.0))
    throw Error("a patch of several points needs a width in m; give the stepper's option `width`");
  return form;
}

bool is_soft(const Model& model, const EntityKey& key) {
  return key.kind == EntityKind::contact && !layers_of(model, key).rigid();
}

}  // namespace

SongPangKumar::SongPangKumar(const OptionValues& options)
    : ContactStepper(options, std::numeric_limits<double>::infinity()),
      points_(patch_form_of(options)),
      rule_({options.real("resolution"), options.real("rest")}, points_),
      most_substeps_(static_cast<int>(options.integer("most-substeps"))) {
  probe_.block.setIdentity();
}

StepperRegistry::Entry SongPangKumar::entry() {
  const OptionTable& run = run_option_table();
  return {
      "song-pang-kumar",
      "Time stepping of bodies that are visco-elastic near their contacts: materials with a "
      "`stiffness` have a layer of springs and dampers there, out of which restitution and "
      "micro-slip come. A step takes short substeps while a layer is loaded. Planar scenes, "
      "dynamic motion.",
      "Song, Pang and Kumar, Int. J. Numer. Meth. Engng. 60 (2004) 2231-2261",
      {*run.find("motion"),
       *run.find("cone"),
       *run.find("directions"),
       overlap_option(),
       {"points",
        "Points that a contact patch is discretised into; they share the stiffness of the "
        "layer.",
        1L, "", 1, max_patch_points},
       {"width", "Width of a contact patch along the surface, for several points.", 0.0, "m", 0.0,
        1e3},
       {"coupling",
        "Length over which neighbouring points of a patch carry each other; 0: each for "
        "itself.",
        0.0, "m", 0.0, 1e3},
       // 2 % of the velocity at the end of an impact with little damping.
       {"resolution",
        "Substep while a layer is loaded, in units of 1/ω, ω² = stiffness/mass of the contact.",
        0.02, "", 1e-6, 10.0},
       {"rest",
        "A layer that oscillates by less than this share of its deformation is at rest and asks "
        "for no substeps; 0: it always does.",
        0.01, "", 0.0, 1.0},
       {"most-substeps",
        "Substeps that a step may take; a stiffer layer than they resolve is treated with "
        "longer ones, and the run says so.",
        100000L, "", 1, 1e9}},
      [](const OptionValues& values) { return std::make_unique<SongPangKumar>(values); }};
}

std::string SongPangKumar::why_not(const Model& model) const {
  if (model.world == World::spatial)
    return "the contact patch of song-pang-kumar is a line of points in the plane; accepted: "
           "planar scenes";
  if (motion() != MotionModel::dynamic)
    return "the layers of song-pang-kumar answer to impacts and oscillate, which needs inertia; "
           "accepted: motion dynamic";
  const bool any = std::any_of(model.materials.begin(), model.materials.end(),
                               [](const Material& material) { return material.layer.has_value(); });
  if (!any)
    return "no material of the scene has a layer that could yield; give one or more of `materials` "
           "a `stiffness` in N/m (and `damping` in N s/m), or take stewart-trinkle for rigid "
           "bodies";
  return ContactStepper::why_not(model);
}

bool SongPangKumar::yields(const Model& model, const Contact& contact) const {
  return !layers_of(model, contact.key).rigid();
}

// --- substeps ---------------------------------------------------------------------------------

StepReport SongPangKumar::step(StepContext& context, State& state, double h) {
  before_ = context.out.contacts;
  hold_forces(context, state, h, held_);
  try {
    work_ = state;
    StepReport report = substeps(context, work_, h);
    std::swap(state, work_);
    return report;
  } catch (...) {
    context.out.contacts = before_;
    throw;
  }
}

StepReport SongPangKumar::substeps(StepContext& context, State& state, double h) {
  const double end = state.time + h;
  // Below the resolution of the time a substep would not end.
  shortest_ = std::max(h / most_substeps_, 4.0 * std::numeric_limits<double>::epsilon() * end);
  coarse_ = false;
  SubstepSum sum(solved_);
  Stopwatch watch;
  for (double remaining = h;; remaining = end - state.time) {
    watch.lap();
    double size = substep_size(context, state, remaining);
    sum.add(Stage::detect, watch.lap());
    const bool last = !(remaining - size > sliver * size);
    if (last) size = remaining;
    sum.add(advance(context, state, size, {.held_forces = &held_}), context.out.contacts);
    if (last || sum.ended()) break;
  }
  StepReport report = sum.finish(context.out.contacts);
  report.coarse = coarse_;
  return report;
}

double SongPangKumar::substep_size(StepContext& context, const State& state, double remaining) {
  const Model& model = *context.in.model;
  begin(context, {model, state, remaining, {.held_forces = &held_}});
  seen_.clear();
  seen_reach_.clear();
  if (!foreseen().allFinite()) return remaining;  // the step says whose fault it is
  seen_reach_ = reach();
  context.in.detector->detect(model, state.poses, seen_reach_, seen_);
  const double size = rule_.size(model, state, foreseen(), seen_, remaining);
  if (size >= shortest_) return size;
  coarse_ = true;
  return shortest_;
}

// --- contacts and their layers ----------------------------------------------------------------

// Those of substep_size() where they suffice, as points of patches.
void SongPangKumar::find_contacts(StepContext& context, const State& state) {
  const Model& model = *context.in.model;
  const std::vector<double>& distances = reach();
  const bool known = std::equal(distances.begin(), distances.end(), seen_reach_.begin(),
                                seen_reach_.end(), std::less_equal<>());
  if (!known) {
    seen_.clear();
    seen_reach_ = distances;
    context.in.detector->detect(model, state.poses, distances, seen_);
  }
  for (const Contact& contact : seen_) {
    const double within = distances[contact.body_a] + distances[contact.body_b];
    if (contact.gap > within) continue;
    if (points_.count() == 1 || !yields(model, contact))
      context.work.contacts.push_back(contact);
    else
      append_patch(model, state.poses, contact, points_, within, context.work.contacts);
  }
}

std::span<SongPangKumar::PatchPoint> SongPangKumar::points_of(std::size_t patch) {
  const auto n = static_cast<std::size_t>(points_.count());
  return std::span(patch_points_).subspan(patch * n, n);
}

// The patches in reach and those that still recover, by key, with their deformations.
void SongPangKumar::gather(const StepPart& part, const ContactSet& contacts) {
  const Model& model = part.model;
  patches_.clear();
  patch_points_.clear();
  const auto soft = [&](const EntityKey& key) { return is_soft(model, key); };
  const std::vector<ImpulseMemory>& known =
      part.state.memory.impulses;  // every point of every patch
  std::size_t i = 0, m = 0;
  for (;;) {
    while (i < contacts.size() && !soft(contacts[i].key)) ++i;
    while (m < known.size() && !soft(known[m].key)) ++m;
    const bool more = i < contacts.size(), remembered = m < known.size();
    if (!more && !remembered) return;
    const bool in_reach = more && !(remembered && known[m].key < contacts[i].key);
    Patch patch{in_reach ? contacts[i].key : known[m].key, static_cast<int>(i), 0};
    while (i < contacts.size() && contacts[i].key == patch.key) ++i, ++patch.count;
    add_patch(part, contacts, patch);
    while (m < known.size() && known[m].key == patch.key) ++m;
  }
}

// A patch that is not known yet is pressed in as far as its bodies overlap, at rest: they began so,
// or the features of a contact that was there before have changed.
void SongPangKumar::add_patch(const StepPart& part, const ContactSet& contacts,
                              const Patch& patch) {
  const Memory& memory = part.state.memory;
  patches_.push_back(patch);
  patch_points_.resize(patches_.size() * static_cast<std::size_t>(points_.count()));
  const std::span<PatchPoint> points = points_of(patches_.size() - 1);
  for (PatchPoint& point : points) point = {};
  for (const LayerMemory& known : records_of(memory.layers, patch.key)) {
    if (known.point < 0 || known.point >= points_.count()) continue;
    PatchPoint& point = points[static_cast<std::size_t>(known.point)];
    point.a = known.deformation_a.head<2>();
    point.b = known.deformation_b.head<2>();
  }
  if (!records_of(memory.impulses, patch.key).empty()) return;
  const LayerPair layers = layers_of(part.model, patch.key);
  const double share_a = in_series(*layers.a, *layers.b).share_a;
  for (int i = patch.first; i < patch.first + patch.count; ++i) {
    const Contact& contact = contacts[static_cast<std::size_t>(i)];
    PatchPoint& point = points[static_cast<std::size_t>(contact.patch_point)];
    const double pressed = std::max(0.0, -contact.gap);
    point.a[0] = share_a * pressed;
    point.b[0] = (1.0 - share_a) * pressed;
  }
}

// Where a layer and a body part, the free closing speed passes through zero, and its sign is chance
// once it has lost six digits: such a contact counts as open.
void SongPangKumar::open_by_rounding(const StepPart& part, const Contact& contact,
                                     ContactTerms& term) const {
  constexpr double lost = 1e-6;
  const double velocity =
      contact.normal.dot(relative_velocity(part.model, part.state.poses, foreseen(), contact));
  const double size = std::abs(velocity) + std::abs(term.normal_bias);
  if (std::abs(velocity + term.normal_bias) <= lost * size) term.normal_bias += 2.0 * lost * size;
}

void SongPangKumar::soften(const StepPart& part, const ContactSet& contacts,
                           std::span<ContactTerms> terms) {
  const Model& model = part.model;
  const double h = part.h;
  gather(part, contacts);
  std::size_t total = 0;
  for (const Patch& patch : patches_)
    total += points_.coupled() ? static_cast<std::size_t>(patch.count) * patch.count : patch.count;
  compliance_.resize(total);  // before any span into it is taken
  std::size_t used = 0;
  for (std::size_t k = 0; k < patches_.size(); ++k) {
    const Patch& patch = patches_[k];
    if (patch.count == 0) continue;
    const LayerPair layers = layers_of(model, patch.key);
    const LayerStep a = layer_step(*layers.a, h), b = layer_step(*layers.b, h);
    Matrix3 block = Matrix3::Zero();
    block.topLeftCorner<2, 2>() = (a.yield + b.yield) / h;
    const std::span<const PatchPoint> points = points_of(k);
    for (int i = patch.first; i < patch.first + patch.count; ++i) {
      const Contact& contact = contacts[static_cast<std::size_t>(i)];
      const int own = contact.patch_point;
      const PatchPoint& point = points[static_cast<std::size_t>(own)];
      ContactTerms& term = terms[static_cast<std::size_t>(i)];
      // δ_free/h = δ/h − recover δ: ψ + δ cancels first, so that b is as small as velocities are.
      const Vector2 recovery = a.recover * point.a + b.recover * point.b;
      term.normal_bias += (point.a[0] + point.b[0]) / h - recovery[0];
      term.prescribed[0] -= recovery[1];
      open_by_rounding(part, contact, term);
      const std::size_t first = used;
      for (int j = patch.first; j < patch.first + patch.count; ++j) {
        if (j != i && !points_.coupled()) continue;
        const int other = contacts[static_cast<std::size_t>(j)].patch_point;
        compliance_[used++] = {j, points_.share(own, other) * block};
      }
      term.compliance = {compliance_.data() + first, used - first};
    }
  }
}

// Deformations of a patch at the end of the step; whether it is still loaded or pressed in.
bool SongPangKumar::deform(const StepContext& context, std::size_t k, double h) {
  const Patch& patch = patches_[k];
  const LayerPair layers = layers_of(*context.in.model, patch.key);
  const LayerStep a = layer_step(*layers.a, h), b = layer_step(*layers.b, h);
  const std::span<PatchPoint> points = points_of(k);
  bool lives = false;
  for (PatchPoint& point : points) {
    point.a = a.relax * point.a;
    point.b = b.relax * point.b;
  }
  for (int j = patch.first; j < patch.first + patch.count; ++j) {
    const SolvedContact& solved = context.out.contacts[static_cast<std::size_t>(j)];
    const int own = solved.contact.patch_point;
    points[static_cast<std::size_t>(own)].impulse = solved.impulse;
    lives |= !solved.impulse.isZero(0.0);
    for (int i = 0; i < points_.count(); ++i) {
      if (i != own && !points_.coupled()) continue;
      const Vector2 shared = points_.share(i, own) * solved.impulse.head<2>();
      points[static_cast<std::size_t>(i)].a += a.yield * shared;
      points[static_cast<std::size_t>(i)].b += b.yield * shared;
    }
  }
  for (const PatchPoint& point : points)
    lives |=
        std::max(point.a.lpNorm<Eigen::Infinity>(), point.b.lpNorm<Eigen::Infinity>()) > recovered;
  return lives;
}

void SongPangKumar::remember(const StepContext& context, State& state, double h) {
  const Model& model = *context.in.model;
  Memory& memory = state.memory;
  const auto soft = [&](const auto& record) { return is_soft(model, record.key); };
  std::erase_if(memory.impulses, soft);
  for (std::size_t k = 0; k < patches_.size(); ++k) {
    if (!deform(context, k, h)) continue;
    std::int64_t i = 0;
    for (const PatchPoint& point : points_of(k)) {
      const LayerMemory layer{patches_[k].key, i, Vector3(point.a[0], point.a[1], 0.0),
                              Vector3(point.b[0], point.b[1], 0.0)};
      memory.impulses.push_back({patches_[k].key, i, point.impulse});
      if (i > 0 || !is_at_rest(layer)) memory.layers.push_back(layer);
      ++i;
    }
  }
  memory.sort();
}

}  // namespace vinci
