// SPDX-License-Identifier: Apache-2.0
// Layers in the shared step, and the substeps of a step.
#include "vinci/stepping/song_pang_kumar.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "vinci/base/clock.h"
#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/model/run_options.h"
#include "vinci/stepping/step_forces.h"
#include "vinci/stepping/substeps.h"

namespace vinci {
namespace {

// A rest of the step below this share of a substep is not worth one of its own.
constexpr double sliver = 0.01;

PatchForm patch_form_of(const OptionValues& options) {
  PatchForm form;
  form.points = static_cast<int>(options.integer("points"));
  form.width = options.real("width");
  form.coupling = options.real("coupling");
  if (form.points > 1 && !(form.width > 0.0))
    throw Error("a patch of several points needs a width in m; give the stepper's option `width`");
  return form;
}

// A pyramid reaches Coulomb's cone along its directions alone.
double least_friction(const ConeForm& form) {
  return form.cone == Cone::pyramid ? std::cos(M_PI / form.directions) : 1.0;
}

// What the rounding of coordinates may make of a gap, m.
double gap_noise(const Contact& contact) {
  constexpr double size = 64.0 * std::numeric_limits<double>::epsilon();
  return size * (contact.point_a.norm() + std::abs(contact.gap));
}

// How far a body looks for points of its patches at least, over its radius.
constexpr double least_view = 2.0 * max_patch_slope;

}  // namespace

SongPangKumar::SongPangKumar(const OptionValues& options)
    : ContactStepper(options, std::numeric_limits<double>::infinity()),
      points_(patch_form_of(options)),
      patches_(points_),
      rule_({options.real("resolution"), options.real("rest"), least_friction(form())}),
      most_substeps_(static_cast<int>(options.integer("most-substeps"))) {
  probe_.block.setIdentity();
}

StepperRegistry::Entry SongPangKumar::entry() {
  const OptionTable& run = run_option_table();
  return {
      "song-pang-kumar",
      "Time stepping of bodies that are visco-elastic near their contacts: materials with a "
      "`stiffness` have a layer of springs and dampers there, out of which restitution and "
      "micro-slip come. A step takes short substeps while a layer is loaded. Dynamic motion.",
      "Song, Pang and Kumar, Int. J. Numer. Meth. Engng. 60 (2004) 2231-2261",
      {*run.find("motion"),
       *run.find("cone"),
       *run.find("directions"),
       overlap_option(),
       *run.find("contact-frames"),
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
  if (motion() != MotionModel::dynamic)
    return "the layers of song-pang-kumar answer to impacts and oscillate, which needs inertia; "
           "accepted: motion dynamic";
  if (model.world == World::spatial && points_.count() > 1)
    return "the points of a contact lie in a row along its tangent, which a contact in space does "
           "not have; accepted: `points` 1, or a planar scene";
  for (const Material& material : model.materials)
    if (model.world == World::spatial && material.layer && material.layer->coupling != 0.0)
      return fmt::format(
          "the coupling-stiffness of material '{}' pushes along the one tangent of a planar "
          "contact; accepted: none in space, or a planar scene",
          material.name);
  const bool any = std::any_of(model.materials.begin(), model.materials.end(),
                               [](const Material& material) { return material.layer.has_value(); });
  if (!any)
    return "no material of the scene has a layer that could yield; give one or more of `materials` "
           "a `stiffness` in N/m (and `damping` in N s/m), or take stewart-trinkle for rigid "
           "bodies";
  const bool moments = std::any_of(model.surfaces.begin(), model.surfaces.end(),
                                   [](const Surface& surface) { return surface.moments.any(); });
  if (moments)
    return "the layers of song-pang-kumar have no moments at a contact: `rolling-friction`, "
           "`torsional-friction` and `patch` are for rigid ones; accepted: scenes without them, or "
           "stewart-trinkle";
  if (frame_rule() != FrameRule::start)
    return "the layers of song-pang-kumar are pressed in along the frames at the start of a "
           "substep; accepted: 'contact-frames: start', or stewart-trinkle or anitescu-potra";
  return ContactStepper::why_not(model);
}

bool SongPangKumar::yields(const Model& model, const Contact& contact) const {
  return contact.patch_point < points_.count() && is_soft(model, contact.key);
}

double SongPangKumar::give(const Model& model, const Contact& contact) const {
  return yields(model, contact) ? layer_depth(model, contact.key) : 0.0;
}

bool SongPangKumar::rooms(const Model& model, const State& state, const ContactSet& contacts,
                          std::vector<double>& rooms) {
  seen_reach_.clear();
  patches_.arrange(model, state.poses, contacts);
  patches_.recall(model, state.memory);
  lost_.assign(model.bodies.size(), 0.0);
  patches_.settle(lost_);
  rooms.clear();
  auto site = patches_.sites().begin();
  for (const Contact& contact : contacts) {
    rooms.push_back(contact.gap);
    if (!is_soft(model, contact.key)) continue;
    double& room = rooms.back();
    room += layer_depth(model, contact.key);
    for (; site != patches_.sites().end() && site->contact.key == contact.key; ++site)
      room = std::min(room, site->contact.gap + std::max(0.0, patches_.pressed(*site)));
  }
  return true;
}

// --- substeps ---------------------------------------------------------------------------------

// Bodies that overlap at the start of a run have pressed their layers in, unless they are deeper
// than these (sudden_overlap.h).
void SongPangKumar::prepare(StepContext& context, State& state) {
  if (state.step > 0 || !state.memory.layers.empty() || !state.memory.impulses.empty()) return;
  if (!is_finite(state)) return;
  const Model& model = *context.in.model;
  wide_.assign(model.bodies.size(), 0.0);
  widen(model, wide_);
  see(context, state, wide_);
  patches_.recall(model, state.memory);
  patches_.press_in(model);
  patches_.store(model, 0.0, state.memory);
}

StepReport SongPangKumar::step(StepContext& context, State& state, double h) {
  before_ = context.out.contacts;
  hold_forces(context, state, h, held_);
  try {
    work_ = state;
    seen_reach_.clear();
    prepare(context, work_);
    StepReport report = substeps(context, work_, h);
    std::swap(state, work_);
    return report;
  } catch (...) {
    context.out.contacts = before_;
    throw;
  }
}

StepReport SongPangKumar::substeps(StepContext& context, State& state, double h) {
  const Model& model = *context.in.model;
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
    velocities_ = state.velocities;
    poses_ = state.poses;
    time_ = state.time;
    StepReport report = advance(context, state, size, {.held_forces = &held_});
    watch.lap();
    for (const PatchSite& site : patches_.sites()) {  // points on the surfaces again
      if (site.row < 0) continue;
      Contact& contact = context.out.contacts[static_cast<std::size_t>(site.row)].contact;
      contact.point_a -= site.lift;
      contact.point_b -= site.lift;
    }
    for (const SolvedContact& solved : context.out.contacts)
      report.used_up += solved.contact.patch_point == points_.count() && solved.impulse[0] > 0.0 &&
                        is_soft(model, solved.contact.key);
    sum.add(report, context.out.contacts);
    sum.add_joints(context.out.joints);
    if (report.diverged_body < 0) settle(context, state);
    sum.add(Stage::detect, watch.lap());
    if (last || sum.ended()) break;
  }
  sum.finish_joints(context.out.joints);
  StepReport report = sum.finish(context.out.contacts);
  report.coarse = coarse_;
  for (const LayerMemory& layer : state.memory.layers) report.layer_energy += layer.energy;
  return report;
}

double SongPangKumar::substep_size(StepContext& context, const State& state, double remaining) {
  const Model& model = *context.in.model;
  begin(context, {model, state, remaining, {.held_forces = &held_}});
  if (!foreseen().allFinite()) {  // the step says whose fault it is
    seen_.clear();
    seen_reach_.clear();
    return remaining;
  }
  widen(model, reach());
  see(context, state, wide_);
  recollect(model, state.memory);
  const bool joined = !model.joints.empty();
  if (joined) response_.begin(tree(), context.work.problem, joint_blocks());
  rule_.join(joined ? &response_ : nullptr);
  const double size = rule_.size(model, state, foreseen(), seen_, patches_, remaining);
  if (size >= shortest_) return size;
  coarse_ = true;
  return shortest_;
}

// The layers at the start of a substep. In space another reach may show the same place by another
// point of it: patches take over what the state knows under other names.
void SongPangKumar::recollect(const Model& model, const Memory& memory) {
  patches_.recall(model, memory);
  if (model.world == World::planar) {
    patches_.hold();
    return;
  }
  lost_.assign(model.bodies.size(), 0.0);
  patches_.settle(lost_);
}

// --- what is seen -------------------------------------------------------------------------------

// A reach that shows every point of a patch, and of few sizes: curves have points that depend on
// it, and they should not move from substep to substep.
void SongPangKumar::widen(const Model& model, std::span<const double> reach) {
  wide_.resize(model.bodies.size());
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const double least = least_view * body.bounding_radius;
    wide_[b] = reach[b];
    if (body.velocity_size == 0 || !(least > 0.0 && std::isfinite(least))) continue;
    double size = least;
    while (size < reach[b]) size *= 2.0;
    wide_[b] = size;
  }
}

void SongPangKumar::see(StepContext& context, const State& state, std::span<const double> reach) {
  if (std::equal(reach.begin(), reach.end(), seen_reach_.begin(), seen_reach_.end())) return;
  const Model& model = *context.in.model;
  seen_.clear();
  seen_reach_.assign(reach.begin(), reach.end());
  context.in.detector->detect(model, state.poses, seen_reach_, seen_);
  seen_poses_ = state.poses;
  patches_.arrange(model, state.poses, seen_);
}

const ContactSet* SongPangKumar::view(StepContext& context, const State& state,
                                      std::vector<double>& reach) {
  const Model& model = *context.in.model;
  wide_.assign(model.bodies.size(), 0.0);
  widen(model, wide_);
  if (!equal_poses(seen_poses_, state.poses)) seen_reach_.clear();
  see(context, state, wide_);
  reach = wide_;
  return &seen_;
}

void SongPangKumar::follow(StepContext& context, State& state) {
  const Model& model = *context.in.model;
  view(context, state, wide_);
  patches_.recall(model, state.memory);
  lost_.assign(model.bodies.size(), 0.0);
  patches_.settle(lost_);
  patches_.store(model, 0.0, state.memory);
}

// Those that were seen where they suffice, with the points and the cores of the soft ones.
void SongPangKumar::find_contacts(StepContext& context, const State& state) {
  const Model& model = *context.in.model;
  const std::vector<double>& distances = reach();
  const bool known = std::equal(distances.begin(), distances.end(), seen_reach_.begin(),
                                seen_reach_.end(), std::less_equal<>());
  if (!known) {
    widen(model, distances);
    see(context, state, wide_);
  }
  ContactSet& contacts = context.work.contacts;
  auto site = patches_.sites().begin();
  for (const Contact& contact : seen_) {
    const double within = distances[contact.body_a] + distances[contact.body_b];
    if (!is_soft(model, contact.key)) {
      if (contact.gap <= within) contacts.push_back(contact);
      continue;
    }
    for (; site != patches_.sites().end() && site->contact.key == contact.key; ++site)
      if (site->contact.gap <= within && !site->implied) contacts.push_back(site->contact);
    const double over_core = contact.gap + layer_depth(model, contact.key);
    if (over_core > within) continue;
    Contact core = contact;
    core.patch_point = points_.count();
    core.gap = std::max(0.0, over_core);
    contacts.push_back(core);
  }
}

// --- contacts and their layers ----------------------------------------------------------------

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

namespace {

// To the tangents of a contact's terms, which follow an axis of friction, from those of its layers.
Matrix2 turned(const Model& model, const Contact& contact, const ContactTerms& term) {
  const ContactFrame own = contact_frame(model.world, contact.normal);
  Matrix2 axes;
  axes << term.frame.tangent_1.dot(own.tangent_1), term.frame.tangent_1.dot(own.tangent_2),
      term.frame.tangent_2.dot(own.tangent_1), term.frame.tangent_2.dot(own.tangent_2);
  return axes;
}

}  // namespace

void SongPangKumar::soften(const StepPart& part, const ContactSet& contacts,
                           std::span<ContactTerms> terms) {
  const double h = part.h;
  recollect(part.model, part.state.memory);
  const std::span<PatchSite> sites = patches_.sites();
  for (PatchSite& site : sites) site.row = -1;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!yields(part.model, contacts[i])) continue;
    if (const int site = patches_.find(contacts[i]); site >= 0)
      sites[site].row = static_cast<int>(i);
  }
  std::size_t total = 0;
  for (const LayerPatch& patch : patches_.patches()) {
    const std::span<const int> members = patches_.members(patch);
    const auto count = static_cast<std::size_t>(
        std::count_if(members.begin(), members.end(), [&](int m) { return sites[m].row >= 0; }));
    total += patches_.couples(patch) ? count * count : count;
  }
  compliance_.resize(total);  // before any span into it is taken
  std::size_t used = 0;
  for (const LayerPatch& patch : patches_.patches()) {
    rows_.clear();
    for (const int m : patches_.members(patch))
      if (sites[m].row >= 0) rows_.push_back(m);
    if (rows_.empty()) continue;
    const PatchYield yield = patches_.yield(patch, h);
    for (const int i : rows_) {
      const PatchSite& site = sites[i];
      const Contact& contact = contacts[static_cast<std::size_t>(site.row)];
      ContactTerms& term = terms[static_cast<std::size_t>(site.row)];
      // From the gap to the layer, which is closed where the body is deeper than the layer says.
      double open = std::max(0.0, contact.gap + patches_.pressed(site));
      // More points bear a patch in space than its plate has freedoms: noise of gaps would be a
      // contradiction between them.
      if (part.model.world == World::spatial && open <= gap_noise(contact)) open = 0.0;
      Vector3 recovery = patches_.recovery(yield, site);
      if (part.model.friction_laws)
        recovery.tail<2>() = (turned(part.model, contact, term) * recovery.tail<2>()).eval();
      term.normal_bias += (open - contact.gap) / h - recovery[0];
      term.prescribed -= recovery.tail<2>();
      open_by_rounding(part, contact, term);
      const std::size_t first = used;
      for (const int j : rows_) {
        if (j != i && !patches_.couples(patch)) continue;
        Matrix3 block = patches_.compliance(patch, yield, i, j);
        if (part.model.friction_laws) {
          const auto at = static_cast<std::size_t>(sites[j].row);
          block.bottomRows<2>() =
              (turned(part.model, contact, term) * block.bottomRows<2>()).eval();
          block.rightCols<2>() =
              (block.rightCols<2>() * turned(part.model, contacts[at], terms[at]).transpose())
                  .eval();
        }
        compliance_[used++] = {sites[j].row, block};
      }
      term.compliance = {compliance_.data() + first, used - first};
    }
  }
}

void SongPangKumar::remember(const StepContext& context, State& state, double h) {
  const Model& model = *context.in.model;
  for (PatchSite& site : patches_.sites()) {
    site.impulse.setZero();
    site.sliding = 0.0;
    if (site.row < 0) continue;
    const SolvedContact& solved = context.out.contacts[static_cast<std::size_t>(site.row)];
    site.impulse = solved.impulse;
    if (!model.friction_laws) continue;
    const ContactFrame own = contact_frame(model.world, solved.contact.normal);
    const Vector3 friction =
        solved.impulse[1] * solved.tangent_1 + solved.impulse[2] * solved.tangent_2;
    site.impulse.tail<2>() = Vector2(own.tangent_1.dot(friction), own.tangent_2.dot(friction));
    for (const ImpulseMemory& record : records_of(state.memory.impulses, solved.contact.key))
      if (record.point == solved.contact.patch_point) site.sliding = record.sliding;
  }
  lost_.assign(model.bodies.size(), 0.0);
  patches_.deform(h, lost_);
  patches_.store(model, h, state.memory);
}

// Layers as the bodies have them where they are now.
void SongPangKumar::settle(StepContext& context, State& state) {
  const Model& model = *context.in.model;
  find_losses(context, state);
  wide_.assign(model.bodies.size(), 0.0);
  widen(model, wide_);
  seen_reach_.clear();
  see(context, state, wide_);
  turned_.clear();
  for (std::size_t b = 0; model.world == World::spatial && b < model.bodies.size(); ++b)
    turned_.push_back(rotation_vector(state.poses[b].rotation * poses_[b].rotation.conjugate()));
  patches_.recall(model, state.memory, turned_);
  patches_.settle(lost_);
  patches_.store(model, 0.0, state.memory);
}

// The step takes ½ |vˡ⁺¹ − vˡ|²_M out of every body besides the work of its contacts, vˡ turned by
// the velocity product, which keeps the energy; where a rigid one throws bodies off, that is not
// lost.
void SongPangKumar::find_losses(const StepContext& context, const State& state) {
  const Model& model = *context.in.model;
  if (!model.joints.empty()) mechanisms_.find(model);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    if (!model.joints.empty() && mechanisms_.has(static_cast<int>(b))) {
      lost_[b] += joined_loss(model, static_cast<int>(b));
      continue;
    }
    const Body& body = model.bodies[b];
    const int first = body.velocity_offset, last = first + body.velocity_size - 1;
    const bool spatial = body.freedom == Freedom::spatial;
    for (int i = first; i <= last; ++i) {
      if (model.free_index[i] < 0 || (spatial && model.coordinate[i] >= 3)) continue;
      const double change = state.velocities[i] - velocities_[i];
      lost_[b] += 0.5 * change * change *
                  (model.coordinate[i] < 3 ? body.mass.mass : body.mass.inertia(2, 2));
    }
    if (!spatial || body.velocity_size == 0 || model.free_index[last] < 0) continue;
    // In body axes, of the start of the substep; the spin keeps its components as the body turns.
    const Quaternion to_body = poses_[b].rotation.conjugate();
    const Vector3 change =
        to_body * state.velocities.segment<3>(first + 3) -
        gyroscopic_update(body.mass.inertia, to_body * velocities_.segment<3>(first + 3),
                          state.time - time_);
    lost_[b] += 0.5 * change.dot(body.mass.inertia * change);
  }
  for (const SolvedContact& solved : context.out.contacts) {
    if (yields(model, solved.contact)) continue;
    const double given = std::max(0.0, solved.impulse.dot(solved.velocity));
    for (const int b : {solved.contact.body_a, solved.contact.body_b})
      lost_[b] = std::max(0.0, lost_[b] - given);
  }
  take_joint_work(context, lost_);
}

// What joints hold moves on arcs, which changes velocities and takes nothing: only what contacts
// changed counts, and no more than velocities changed.
double SongPangKumar::joined_loss(const Model& model, int b) const {
  const Body& body = model.bodies[b];
  const Matrix3 inertia = world_inertia(body, poses_[b].rotation);
  const auto energy_of = [&](const VectorX& before) {
    const Twist now = body_twist(model, solved_velocities(), b);
    const Twist was = body_twist(model, before, b);
    const Vector3 turn = now.angular - was.angular;
    const double turning = body.freedom == Freedom::planar
                               ? body.mass.inertia(2, 2) * turn.z() * turn.z()
                               : turn.dot(inertia * turn);
    return 0.5 * (body.mass.mass * (now.linear - was.linear).squaredNorm() + turning);
  };
  return std::min(energy_of(velocities_), energy_of(foreseen()));
}

}  // namespace vinci
