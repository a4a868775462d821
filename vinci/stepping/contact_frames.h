// SPDX-License-Identifier: Apache-2.0
// Where in a step gaps, normals and points of contacts are taken: at its start, with the prescribed
// bodies at its end [Berard 2009], or at its end, gaps alone or all of it, which has to be found by
// iteration. The equations and what each form keeps: docs/theory/contact_frames.md.
#pragma once

#include "vinci/base/options.h"
#include "vinci/formulation/contact_motion.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

enum class FrameRule { start, driven, gap, end };

// Options of a stepper that offers it, beside `contact-frames` of the run.
OptionSpec frame_tolerance_option();
OptionSpec frame_limit_option();

// A contact that is not taken at the start of the step.
struct FramedContact {
  ContactArms arms;
  double start_gap = 0.0;  // m, of the same features at the start, or the least of the pair
  bool known = true;       // its gap at the guess is known
  double guessed = 0.0;    // m/s, of b against a along the normal, by what is free in the guess
  double row_gap = 0.0;    // m, that stands in the normal row for the gap at the start
};

// Poses at which contacts are taken, and the velocities that lead there from the start of the step.
struct FrameGuess {
  std::vector<Pose> poses;
  VectorX velocities;  // packed; zero where what is free stays at its start
};

// What the frames of a step are made from.
struct FrameSource {
  const Model& model;
  const State& state;  // at the start of the step
  bool keeps_spin;     // the angular momentum of two free bodies is that of the step
};

class ContactFrames {
 public:
  explicit ContactFrames(const OptionValues& options);
  FrameRule rule() const { return rule_; }
  bool iterates() const { return rule_ == FrameRule::gap || rule_ == FrameRule::end; }
  double tolerance() const { return tolerance_; }  // m
  int limit() const { return limit_; }             // iterations

  // The contacts at the start of a step, for what follows.
  void begin(const ContactSet& contacts);
  // Back to them.
  void leave(ContactSet& contacts);
  // `contacts`, found at the guess, take part; their frames are theirs.
  void take_all(const FrameSource& from, const FrameGuess& guess, const ContactSet& contacts);
  // The contacts of the start take part, and have the frames that `found` has for their features.
  void take_known(const FrameSource& from, const FrameGuess& guess, const ContactSet& found,
                  ContactSet& contacts);

  // The same with the normals and points of the start and the gaps of the guess. What is met there
  // alone has the frame of the guess.
  void take_gaps(const FrameSource& from, const FrameGuess& guess, const ContactSet& found,
                 ContactSet& contacts);

  bool is_framed() const { return framed_; }  // otherwise contacts are those of the start
  FramedContact& operator[](std::size_t i) { return list_[i]; }
  const FramedContact& operator[](std::size_t i) const { return list_[i]; }
  // Null where contacts are those of the start.
  const FramedContact* find(std::size_t i) const { return framed_ ? &list_[i] : nullptr; }
  // The poses at which contacts are taken; those of the start by default.
  const std::vector<Pose>& poses(const State& state) const {
    return framed_ ? poses_ : state.poses;
  }

 private:
  void place(const FrameSource& from, const std::vector<Pose>& poses, const VectorX& velocities,
             const Contact& contact, double start_gap);
  double gap_at_start(const Contact& contact) const;

  FrameRule rule_;
  double tolerance_;
  int limit_;
  bool framed_ = false;
  ContactSet start_;
  std::vector<Pose> poses_;
  std::vector<FramedContact> list_;  // parallel to the contacts
};

// How far apart two poses of the bodies that move freely are: of the body that is farthest, the way
// of its centre of mass and its turn times its radius, m.
double frame_distance(const Model& model, const std::vector<Pose>& a, const std::vector<Pose>& b);

// The iteration q ← F(q) for poses at the end of a step that their own frames lead to: how far it
// is from its limit, and how far the next guess follows.
class FrameSettling {
 public:
  FrameSettling(double tolerance, double way) : tolerance_(tolerance), way_(way), last_(way) {}
  // |F(q) − q| of a guess, m.
  void add(double distance);
  bool is_settled() const { return error_ <= tolerance_; }
  double error() const { return error_; }  // m: bound on what is left, at most the way of the step
  double share() const { return share_; }  // of F(q) − q that the next guess takes

 private:
  double tolerance_, way_, last_;
  double error_ = infinity, share_ = 1.0;
};

}  // namespace vinci
