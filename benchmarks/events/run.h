// SPDX-License-Identifier: Apache-2.0
// The ball of benchmark-events (ball.yaml), what a run of it gives, and its runs in Siconos.
// Headers of Siconos are not ready for C++20: this one is C++17.
#pragma once

namespace vinci {

constexpr double ball_gravity = 9.81, ball_height = 1.0;  // m/s², m
constexpr double ball_restitution = 0.8, ball_until = 3.0;
// Of both event-driven methods, s: where they stop although nothing happens.
constexpr double ball_stop = 0.1;

struct BallRun {
  double seconds = 0.0;  // of CPU time, of the steps alone
  double height = 0.0;   // at the end, m
  bool good = true;
};

// By LSODAR with root finding (EventDriven, LsodarOSI), and by Moreau and Jean's time-stepping.
bool has_siconos();
BallRun siconos_events(double tolerance);
BallRun siconos_steps(double step);

}  // namespace vinci
