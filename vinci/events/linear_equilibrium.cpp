// SPDX-License-Identifier: Apache-2.0
// Equilibria with contact forces. What acts there is searched for from what the state has: contacts
// that would pull let go, bodies that would overlap touch, until nothing changes.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/events/linear_mode.h"
#include "vinci/hybrid/bearable_forces.h"

namespace vinci {
namespace {

// Forces down to this share of the largest one do not pull.
constexpr double force_share = 1e-9;
constexpr int most_rounds = 40;  // that a search for an equilibrium tries
// Shorter ways, beside the lengths at hand, are rounding: none changes what touches.
constexpr double no_way = 1e-11;

std::string row_name(const ModelSystem& system, int row) {
  const int n = system.coordinate_count(), m = static_cast<int>(system.constraints().size());
  if (row < n) return "the balance of " + system.coordinate_names()[static_cast<std::size_t>(row)];
  if (row < n + m) return "'" + system.constraints()[static_cast<std::size_t>(row - n)].name + "'";
  return "the rate of " + system.extra_names()[static_cast<std::size_t>(row - n - m)];
}

// Whether contacts that do not act are closed now, those aside about which it is known.
template <class Known>
bool touches_more(Linearised& at, const Known& is_known) {
  const auto& constraints = at.system().constraints();
  for (int i = 0; i < static_cast<int>(constraints.size()); ++i)
    if (constraints[static_cast<std::size_t>(i)].kind == ConstraintKind::contact && at.is_on(i) &&
        !at.is_named(i) && !is_known(i) &&
        !acts(at.hybrid().mode.states[static_cast<std::size_t>(i)]) &&
        at.frame().gaps[i].value <= at.tolerance(i))
      return true;
  return false;
}

[[noreturn]] void no_equilibrium(Linearised& at, const Equilibrium& found) {
  const ModelSystem& system = at.system();
  const int constraint = found.worst_row - system.coordinate_count();
  const bool open = constraint >= 0 && constraint < static_cast<int>(system.constraints().size());
  std::string text = fmt::format(
      "no equilibrium near the state at {} s: after {} of Newton's method {} {}; give another time "
      "with --at, the forces that hold it with --inputs NAME=VALUE, or contacts with --mode",
      short_number(at.hybrid().time), plural(found.iterations, "step"),
      row_name(system, found.worst_row),
      open ? fmt::format("misses what it is to be by {}", short_number(found.worst_left))
           : "lacks " + short_number(found.worst_left));
  if (open && at.is_named(constraint))
    text += "; what is named contradicts itself: name fewer contacts, each with its number";
  throw Failure(text, "equilibrium");
}

}  // namespace

Change worst_change(Linearised& at, const VectorX& forces) {
  const auto& constraints = at.system().constraints();
  const double largest = forces.size() > 0 ? forces.lpNorm<Eigen::Infinity>() : 0.0;
  Change worst;
  for (int i = 0; i < static_cast<int>(constraints.size()); ++i) {
    if (constraints[static_cast<std::size_t>(i)].kind != ConstraintKind::contact) continue;
    if (!at.is_on(i) && !at.is_named(i)) continue;
    const bool on = acts(at.hybrid().mode.states[static_cast<std::size_t>(i)]);
    if (on && forces[i] < -force_share * largest) {
      // Forces count before gaps: what pulls made the gaps.
      if (worst.constraint < 0 || worst.to == ContactState::contact || forces[i] < worst.amount)
        worst = {i, ContactState::free, forces[i]};
    } else if (!on && at.frame().gaps[i].value < -at.tolerance(i)) {
      if (worst.constraint < 0 ||
          (worst.to == ContactState::contact && at.frame().gaps[i].value < worst.amount))
        worst = {i, ContactState::contact, at.frame().gaps[i].value};
    }
  }
  return worst;
}

void tell_what_slides(Linearised& at, const VectorX& forces) {
  const auto& constraints = at.system().constraints();
  const double largest = forces.lpNorm<Eigen::Infinity>();
  std::string names;
  double held = 0.0, most = 0.0;
  int count = 0;
  bool named = false;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const Constraint& constraint = constraints[i];
    if (constraint.kind != ConstraintKind::friction || constraint.never_slides ||
        constraint.second || forces[static_cast<Eigen::Index>(i)] == 0.0)
      continue;
    const auto k = static_cast<Eigen::Index>(i);
    const bool paired = i + 1 < constraints.size() && constraints[i + 1].second;
    const double force = paired ? std::hypot(forces[k], forces[k + 1]) : std::abs(forces[k]);
    const double bound =
        constraint.bound +
        (constraint.with >= 0 ? constraint.coefficient * forces[constraint.with] : 0.0);
    if (force <= bound + force_share * largest) continue;
    names += (count == 0 ? "'" : ", '") + constraint.name + "'";
    held += force;
    most += bound;
    ++count;
    named = named || at.is_named(static_cast<int>(i));
  }
  if (count == 0) throw Error("friction that is to stick cannot hold: it slides", "mode");
  throw Error(fmt::format("{} would have to hold {} N to stick{}, and hold{} {} N at most: what is "
                          "held there slides",
                          names, short_number(held), count > 1 ? " together" : "",
                          count > 1 ? "" : "s", short_number(most)),
              named ? "mode" : "equilibrium");
}

void check_named(Linearised& at, const Change& change) {
  if (change.constraint < 0 || !at.is_named(change.constraint)) return;
  const std::string& name =
      at.system().constraints()[static_cast<std::size_t>(change.constraint)].name;
  if (change.to == ContactState::free)
    throw Error(fmt::format("'{}' is named as acting, but it would have to pull with {} N: no "
                            "contact does",
                            name, short_number(-change.amount)),
                "mode");
  throw Error(fmt::format("'{}' is named as free, but its gap is {} there", name,
                          short_number(change.amount)),
              "mode");
}

std::unique_ptr<Linearised> at_equilibrium(const LinearPoint& point, const LinearWishes& wishes,
                                           LinearScene& result) {
  State state = point.state;
  // What was found to be otherwise than the state has it, by key.
  std::map<std::pair<EntityKey, int>, ContactState> changed;
  for (int round = 0; round < most_rounds; ++round) {
    auto at = std::make_unique<Linearised>(point, wishes, state);
    const auto& sources = at->system().sources();
    const auto& constraints = at->system().constraints();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (constraints[i].kind != ConstraintKind::contact) continue;
      const auto known = changed.find({sources[i].key, sources[i].point});
      if (known != changed.end()) at->set(static_cast<int>(i), known->second);
    }
    for (std::size_t i = 0; i < constraints.size(); ++i)
      if (at->hybrid().mode.states[i] == ContactState::sliding) {
        if (at->is_named(static_cast<int>(i)))
          throw Error("'" + constraints[i].name + "' is named as sliding: that is no equilibrium",
                      "mode");
        at->hybrid().mode.states[i] = ContactState::sticking;
      }
    const VectorX before = at->hybrid().positions;
    const Equilibrium found = equilibrium(at->system(), at->hybrid(), at->values());
    result.iterations += found.iterations;
    if (!found.positions.allFinite() || !found.found) no_equilibrium(*at, found);
    HybridState& hybrid = at->hybrid();
    hybrid.positions = found.positions;
    hybrid.velocities.setZero();
    hybrid.extras = found.extras;
    at->evaluate();
    const BearableForces forces =
        bearable_forces(at->system(), hybrid, at->values(), found.multipliers);
    hybrid.mode.preferred = forces.multipliers;
    State next = state;
    at->system().store(hybrid, next);
    const bool moved = (found.positions - before).lpNorm<Eigen::Infinity>() >
                       no_way * (1.0 + before.lpNorm<Eigen::Infinity>());
    // What came to touch on the way bears as well, before any is said to pull.
    if (moved && forces.verdict == BearableForces::Verdict::pull && touches_more(*at, [&](int i) {
          const ConstraintSource& source = sources[static_cast<std::size_t>(i)];
          return changed.contains({source.key, source.point});
        })) {
      state = std::move(next);
      continue;
    }
    const Change change = worst_change(*at, forces.multipliers);
    check_named(*at, change);
    if (change.constraint >= 0) {
      const ConstraintSource& source = sources[static_cast<std::size_t>(change.constraint)];
      changed[{source.key, source.point}] = change.to;
      if (change.to == ContactState::free) continue;
    }
    if (change.constraint < 0 && !moved) {
      if (forces.verdict == BearableForces::Verdict::slide)
        tell_what_slides(*at, forces.multipliers);
      result.is_equilibrium = true;
      result.imbalance = found.imbalance;
      return at;
    }
    state = std::move(next);
  }
  throw Failure(fmt::format("no equilibrium: contacts keep changing after {} modes; name what acts "
                            "with --mode",
                            most_rounds),
                "equilibrium");
}

}  // namespace vinci
