// SPDX-License-Identifier: Apache-2.0
// The Song–Pang–Kumar method [Song 2004; Berard 2007, sec. IV a]: bodies are rigid but for a
// massless visco-elastic layer at their contacts (layer_patch.h). With p = h λ the impulses of a
// patch and δ its deformations,
//   0 <= p_n ⟂ J_n vˡ⁺¹ + g/h + ∂ψ/∂t + (δ_nˡ⁺¹ − δ_nˡ)/h >= 0,   g = max(0, ψ + δ_nˡ),
//   friction opposes J_t vˡ⁺¹ + (δ_tˡ⁺¹ − δ_tˡ)/h on the cone |p_t| <= μ p_n,
// δˡ⁺¹ = (h K + D)⁻¹ (p + D δˡ). A contact ends when its force does, with the layer still pressed
// in; it then recovers by itself. A pair of rigid materials has the rows of Stewart and Trinkle,
// and so has the rigid core under a layer: a second point of the contact, met when the layer is
// used up.
//
// A step takes substeps (substep_size()): up to the time of the next contact, found from the gap
// and its rates as in [Esposito 2001], then `resolution`/ω long while a layer is loaded, ω² = k/m
// of the contact, then as long as the step again. The choice depends on the state alone. At the end
// of each of them bodies are looked at where they are, and the layers brought in line with that as
// far as their energy allows (LayerPatches::settle()).
#pragma once

#include "vinci/stepping/body_response.h"
#include "vinci/stepping/compliance.h"
#include "vinci/stepping/contact_stepper.h"
#include "vinci/stepping/layer_patch.h"
#include "vinci/stepping/substep_rule.h"

namespace vinci {

class SongPangKumar : public ContactStepper {
 public:
  explicit SongPangKumar(const OptionValues& options);
  SongPangKumar(const SongPangKumar&) = delete;  // rule_ refers to points_
  static StepperRegistry::Entry entry();
  std::string why_not(const Model& model) const override;
  void prepare(StepContext& context, State& state) override;
  StepReport step(StepContext& context, State& state, double h) override;
  bool yields(const Model& model, const Contact& contact) const override;
  double give(const Model& model, const Contact& contact) const override;
  bool rooms(const Model& model, const State& state, const ContactSet& contacts,
             std::vector<double>& rooms) override;
  const ContactSet* view(StepContext& context, const State& state,
                         std::vector<double>& reach) override;
  void follow(StepContext& context, State& state) override;

 protected:
  ImpactTerms normal_terms(const ImpactState& contact, double h) const override {
    return newton_impact(contact, h);
  }
  void find_contacts(StepContext& context, const State& state) override;
  void soften(const StepPart& part, const ContactSet& contacts,
              std::span<ContactTerms> terms) override;
  void remember(const StepContext& context, State& state, double h) override;
  bool joins_foreseen() const override { return true; }
  std::span<const Compliance> probe_compliance() const override { return {&probe_, 1}; }

 private:
  double substep_size(StepContext& context, const State& state, double remaining);
  StepReport substeps(StepContext& context, State& state, double h);
  void see(StepContext& context, const State& state, std::span<const double> reach);
  void widen(const Model& model, std::span<const double> reach);
  void settle(StepContext& context, State& state);
  void recollect(const Model& model, const Memory& memory);
  void find_losses(const StepContext& context, const State& state);
  double joined_loss(const Model& model, int body) const;
  void open_by_rounding(const StepPart& part, const Contact& contact, ContactTerms& term) const;

  PatchPoints points_;
  LayerPatches patches_;
  SubstepRule rule_;
  int most_substeps_;
  Compliance probe_;

  // Workspace, kept between steps.
  double shortest_ = 0.0;           // s, of a substep of this step
  bool coarse_ = false;             // a substep of this step is longer than `resolution` asks for
  State work_;                      // the state in the step
  ContactSet seen_;                 // of the detector
  std::vector<double> seen_reach_;  // for which seen_ holds; empty: for none
  std::vector<Pose> seen_poses_;    // where
  std::vector<double> wide_;        // reach that a detection needs
  std::vector<double> lost_;        // J, per body: what the substep has taken out of it
  VectorX velocities_;              // at the start of the substep
  std::vector<Pose> poses_;         // there too
  double time_ = 0.0;               // s, then
  std::vector<Vector3> turned_;     // in space, by bodies since then: rotation vectors
  std::vector<int> rows_;           // sites of a patch with a contact in the set
  std::vector<Compliance> compliance_;
  std::vector<SolvedContact> solved_, before_;
  LinearForces held_;
  BodyResponse response_;  // where there are joints
  Mechanisms mechanisms_;
};

}  // namespace vinci
