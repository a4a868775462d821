// SPDX-License-Identifier: Apache-2.0
// How long a substep may be for contacts that yield, from the state alone:
//   a contact comes nearer   up to the time at which g = ψ + δ_n is zero, from g, its rate and its
//                            acceleration, as in [Esposito 2001];
//   a layer is loaded        resolution/ω, ω² = stiffness × mobility of the contact;
//   a layer is at rest       no bound: the oscillation about its equilibrium,
//                            |v|/ω + |a|/ω², is a small share of the deformation.
#pragma once

#include <span>
#include <vector>

#include "vinci/collision/contact.h"
#include "vinci/stepping/body_response.h"
#include "vinci/stepping/layer_patch.h"

namespace vinci {

struct SubstepSettings {
  double resolution = 0.02;  // ω times the substep
  double rest = 0.01;        // share of the deformation below which an oscillation is none
  // In space: of a friction cone, what its form allows in every direction.
  double least_friction = 1.0;
};

class SubstepRule {
 public:
  explicit SubstepRule(const SubstepSettings& settings) : settings_(settings) {}

  // Where there are joints: how bodies answer to impulses. Null: each for itself.
  void join(BodyResponse* response) { joined_ = response; }
  // `foreseen` are the packed velocities that the applied forces lead to in the time that remains
  // of the step; the contacts are those that may be met in it, and the patches theirs.
  double size(const Model& model, const State& state, const VectorX& foreseen,
              const ContactSet& contacts, const LayerPatches& patches, double remaining);

 private:
  struct Loaded {
    bool is = false;           // a point of the patch bears something
    bool sliding = true;       // every such point
    double deformation = 0.0;  // normal, largest of the patch, m
    PatchForce springs;
    double frequency[2] = {};  // rad/s, across the surface and along it
  };
  Loaded loaded(const Model& model, const State& state, const LayerPatches& patches,
                const LayerPatch& patch) const;
  void set_frequencies(const Model& model, const State& state, const LayerPatch& patch,
                       Loaded& layer) const;
  double joined_mobility(const Model& model, const State& state, const Contact& middle,
                         const Vector3& axis, bool turning) const;
  double approach(const Model& model, const State& state, const VectorX& foreseen,
                  const LayerPatches& patches, const PatchSite& site, double remaining) const;
  void push(const Model& model, const State& state, const LayerPatch& patch, const Loaded& layer);
  void push_joined(const Model& model, const State& state, const LayerPatch& patch,
                   const Loaded& layer);
  bool rests(const Model& model, const State& state, const Contact& contact,
             const Loaded& layer) const;

  SubstepSettings settings_;
  BodyResponse* joined_ = nullptr;
  VectorX acceleration_;        // packed, by applied forces and springs
  std::vector<Loaded> loaded_;  // parallel to the patches
};

}  // namespace vinci
