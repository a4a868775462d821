// SPDX-License-Identifier: Apache-2.0
// Reduced coordinates: which bodies hang on which joints, and the numbers of the unknowns.
//
// The joints between bodies are a graph; a forest that spans it is grown from roots, nearest bodies
// first. Roots are the world, fixed bodies, bodies with a prescribed coordinate, bodies that move
// in a plane of space, and, where none of these is in reach, a free body: the first that is b of no
// joint, or else the first. A joint is walked from a to b or from b to a: a body may hang on it as
// either, and the joint's coordinates mean the same. Joints that are left over close loops; they
// need rows (joint_rows.h).
//
// Unknowns: those of the bodies that hang on the world first, then body by body the free packed
// entries of a root and what hangs on it; a tree's unknowns follow each other, those of a joint
// after those of the joints before it.
#pragma once

#include "vinci/model/model.h"

namespace vinci {

// Fills tree_joint, tree_order, rate_index, free_index and free_count, from bodies, joints and
// coordinates (velocity_offset, velocity_size and Model::coordinate are there already).
void make_tree(Model& model);
// The same without a tree: maximal coordinates. All joints need rows.
void make_no_tree(Model& model);

// Whether the joint closes a loop: nothing hangs on it.
bool is_loop_joint(const Model& model, int joint);
// The body that the body hangs on (−1: the world); of a body that hangs on a joint.
int parent_body(const Model& model, int body);
// Whether it hangs on its joint as a.
bool hangs_as_a(const Model& model, int body);

}  // namespace vinci
