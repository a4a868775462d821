// SPDX-License-Identifier: Apache-2.0
// The solution that contacts of one and the same compliance ε have in the limit ε → 0:
//
//   w = W λ + q + ε λ,   each unit obeys its law.
//
// For a given set of units that are open, stick or slide this fixes the loads that rigid bodies
// leave open, as those of equal springs. It is found by Newton's method on the natural map at a
// small ε, and from there by proximal steps with the same matrix, λ ← λ − (A + ε)⁻¹ Gᵀ(W λ + q),
// which keep what the springs decided while ε leaves the answer. Where Newton's method does not
// settle from the loads of the last step, ε falls from one at which contacts hardly see each other.
#pragma once

#include <span>
#include <vector>

#include "vinci/selection/compliant_system.h"
#include "vinci/selection/contact_units.h"

namespace vinci {

class CompliantLimit {
 public:
  // ε of the springs, over the typical diagonal of W. Loads that the rigid model leaves open are
  // exact to the rounding of W over it, so it is not smaller than need be; proximal steps gain the
  // share of it in the least stiffness per step, so it is not larger. Contacts whose rows are
  // almost dependent take a smaller one.
  static constexpr double first_compliance = 1e-6;
  static double typical(const VectorX& scales);  // diagonal of W

  // All are referred to; `scales` has the mean diagonal of W of every unit. False where a row acts
  // on too many velocities.
  bool load(const ComplementarityProblem& problem, const MassFactor& mass,
            std::span<const ContactUnit> units, const VectorX& scales);

  void take_many(bool many) { system_.take_many(many); }  // as CompliantSystem does

  // At springs of a small compliance; false where no answer is found:
  // the one that goes on from these loads, those of the last step,
  bool go_on(const VectorX& start);
  // or from others that are near an answer,
  bool settle(const VectorX& start);
  // the one next to that of circles in the place of polygons, which goes on from these loads: their
  // directions turn by Newton's steps, those of many corners from corner to corner,
  bool go_on_round(const VectorX& start);
  // the one to which contacts lead that grow stiff together,
  bool stiffen();
  // the one to which contacts lead that stick wherever bodies approach: where sliding ones have
  // none, as in Painlevé's paradox,
  bool jam();
  // and the one to which contacts lead that come together from apart, whatever they pass on the
  // way.
  bool come_together();
  bool come_together_round();  // the one next to that of circles
  // From any of them to stiffer springs; false where there is none, or nothing stiffer.
  bool harden();
  // The limit of the springs at hand.
  bool reach(VectorX& lambda);

  void measure(const VectorX& lambda);                 // w of these loads
  const VectorX& w() const { return w_; }              // W λ + q of the last answer
  const VectorX& begun_w() const { return begun_w_; }  // of the loads that go_on() began with
  int steps() const { return steps_; }                 // linear systems since load()
  // Whether springs decided loads that rigid bodies leave open.
  bool left_open() const { return system_.leaves_open(); }

 private:
  enum class Mode : char { open, stick, slide };
  struct State {
    Mode mode = Mode::open;
    int corner = -1;  // of a polygon: slides there; with `edge` between it and the next one
    bool edge = false;
    Vector2 along = Vector2::Zero();  // of friction that slides on a circle
    bool operator==(const State& other) const {
      return mode == other.mode && corner == other.corner && edge == other.edge &&
             along.dot(other.along) >= 0.0;
    }
  };

  static constexpr int most_newton_steps = 20;

  bool newton(double compliance, int most, VectorX& lambda, bool stuck = false);
  template <class Find>
  bool from_circles(Find find);
  double speed(const VectorX& lambda) const;
  double distance(const VectorX& lambda) const;
  void hold_all();
  bool circles() const;
  bool refine(VectorX& lambda);
  // The states of the natural map at (λ, w_ + ε λ), or those held, with their directions anew.
  void classify(const VectorX& lambda, bool hold);
  State classify_friction(const ContactUnit& unit, const VectorX& lambda, double radius,
                          const State* held) const;
  void set_up(VectorX& lambda);  // λ onto the states; the unknowns
  void add_unit(const ContactUnit& unit, const State& state, VectorX& lambda);
  void add_friction(const ContactUnit& unit, const State& state, double normal, int load,
                    VectorX& lambda);
  CompliantSystem::Unknown& add(int first, int count, double slip);
  void factor();
  void solve_for(const VectorX& w, double b, const VectorX& lambda, std::vector<double>& z);
  bool add_loads(const std::vector<double>& z, VectorX& lambda);
  bool solve_step(double own, VectorX& lambda);
  bool solve_limit(bool first, VectorX& lambda);
  void keep_limits(VectorX& lambda) const;

  // Of contacts that come together (compliant_path.cpp).
  bool begin_apart(VectorX& apart);
  bool follow(double compliance);
  bool solve_piece(const VectorX& apart);
  void conditions(const ContactUnit& unit, const State& state, const VectorX& lambda,
                  const VectorX& s, double one, std::vector<double>& values) const;
  State beyond(const ContactUnit& unit, const State& state, int condition, const VectorX& s) const;

  CompliantSystem system_;
  std::span<const ContactUnit> units_;
  double compliance_ = 0.0;  // ε
  double typical_ = 1.0;     // diagonal of W
  double tie_ = 0.0;         // a speed that rounding may make: what is that near counts as open
  int steps_ = 0;
  VectorX w_, scale_;  // scale_ per unit
  VectorX from_;       // λ before a step
  VectorX springs_, kept_, hidden_, begun_w_;
  std::vector<State> states_, before_;
  std::vector<double> right_, unseen_;
  std::vector<ContactUnit> polygons_, circles_;
  VectorX apart_, rise_, speeds_, speeding_;
  std::vector<double> values_, slopes_;
  double change_ = 0.0;  // of the last step, over the largest λ
};

}  // namespace vinci
