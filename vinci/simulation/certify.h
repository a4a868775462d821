// SPDX-License-Identifier: Apache-2.0
// Existence and uniqueness of a step, in the words and coordinates of the scene: what
// problem_certificate.h says of its problem, as motions of bodies and forces at contacts.
#pragma once

#include <string>
#include <vector>

#include "vinci/proofs/problem_certificate.h"
#include "vinci/simulation/simulation.h"

namespace vinci {

// A motion that costs nothing: twists of the centres of mass in world axes, m/s and rad/s, one per
// body. Its fastest point, of bounding spheres, has 1 m/s.
struct FreeMotion {
  std::vector<Twist> bodies;
  bool both_ways = true;  // the reverse costs nothing either
};

struct CertifiedContact {
  int body_a = 0, body_b = 0;
  Vector3 point = Vector3::Zero();  // world, m
  Vector3 normal = Vector3::Zero();
  double share = 0.0;  // in the proof that the rows of contacts contradict each other
};

// A solution of the step.
struct StepSolution {
  std::vector<Twist> bodies;    // at the end of the step, as above
  std::vector<Vector3> forces;  // N on body b, one per contact; none if a plugin's rows are its own
};

struct BodyWrench {
  int body = -1;
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero();  // N, N m about the centre of mass
};

struct StepCertificate {
  std::int64_t step = 0;  // the one that was certified, from 1
  double time = 0.0;      // s, at its start
  double step_size = 0.0;
  bool reached = true;     // false: the run ended before the time asked for, in this step
  int parts = 1;           // in which the step was made; what is certified is the last of them
  bool fell_back = false;  // the terms that part overlapping bodies had to be left out
  std::string motion, cone;
  ProblemCertificate verdict;
  std::vector<CertifiedContact> contacts;  // supports too: of a body with itself
  StepSolution solution;                   // that the run took; empty if there is none
  std::vector<FreeMotion> free;
  std::vector<std::vector<StepSolution>> families;
  std::vector<StepSolution> others;
  std::vector<BodyWrench> missing;  // of forces that cannot balance

  // A solution exists, and its motion is the only one.
  bool is_certain() const {
    return verdict.exists == Existence::proved && verdict.motion == Only::unique && !fell_back;
  }
};

// Makes the next step and certifies it.
StepCertificate certify_step(Simulation& simulation);
// Runs up to the step that begins at `time` (the nearest one; no step is undone) and certifies it.
// A run that ends before is certified in the step that ended it.
StepCertificate certify_at(Simulation& simulation, double time);

// One JSON object with the names of the scene.
std::string certificate_json(const StepCertificate& certificate, const Model& model);

}  // namespace vinci
