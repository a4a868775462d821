// SPDX-License-Identifier: Apache-2.0
// The laws on the central path of the interior-point method. A parameter τ > 0 (impulse times
// velocity) keeps every block strictly inside its set:
//
//   coulomb   λ_n w_n = τ,  μ λ_n w_t + σ λ_t = 0,  σ h = τ,  h = f = (μ²λ_n² − |λ_t|²)/(2μ λ_n)
//   ball      r w + σ λ = 0,  σ h = τ,  h = f = (r² − |λ|²)/(2r)
//   box       (w + σ)(λ − lower) = τ,  σ (upper − λ) = τ
//
// At τ = 0 these are the laws themselves: σ is the slip speed (box: the multiplier of the upper
// bound). h is a number of its own, for f(λ) loses its digits near the edge. Linearised, a block
// reads A dλ + B dw = r, hence dλ = g − D dw with D = A⁻¹B.
#pragma once

#include "vinci/complementarity/problem.h"
#include "vinci/newton/active_set_polish.h"

namespace vinci {

// Where one block is: size numbers each of λ and w, then σ and h.
struct SmoothedState {
  const Block* block;
  double* lambda;
  double* w;
  double* slip;
};

// Puts the block onto the central path of τ = ε²/s, near the given λ and w.
void start_inside(const SmoothedState& state, double scale, double epsilon);

// A step of the state; null pointers stand for none.
struct SmoothedStep {
  const double *lambda = nullptr, *w = nullptr, *slip = nullptr;
};

// D, row-major, and g for the target τ with the second-order terms of `before` (Mehrotra).
void linearise(const SmoothedState& state, double scale, double tau, const SmoothedStep& before,
               double* D, double* g);
// The same as A dλ + B dw = right, row-major, not solved for dλ: its rows lie along and across λ_t,
// so that the two, which may differ by many orders, are not mixed by rounding.
void linearise_rows(const SmoothedState& state, double scale, double tau,
                    const SmoothedStep& before, double* A, double* B, double* right);
// dσ and dh that go with dλ in the same linearisation.
void slip_step(const SmoothedState& state, double tau, const SmoothedStep& before,
               const double* lambda, double* slip);

// The longest step, at most `length`, that stays inside.
double longest_inside(const SmoothedState& state, const SmoothedStep& step, double length);

// The products that are τ on the path: adds to sum and count.
void add_products(const SmoothedState& state, double scale, double& sum, int& count);

// How far the equations that bend (h = f, and that of w_t) are from holding, in the unit of w:
// the sum of squares.
double bent(const SmoothedState& state, double scale);

// Which side of each product goes to zero: the one that fell by more over the last step [Tapia
// indicators, El-Bakry et al. 1994]. Scale-free: a slip of 1e-8 is told from none.
ActiveSetPolish::Contact indicated(const SmoothedState& state, const SmoothedState& before);

}  // namespace vinci
