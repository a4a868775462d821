// SPDX-License-Identifier: Apache-2.0
// The one builder of problems: from what takes part in a step to the rows J, C, b and their laws,
// and the map that says which rows are whose. M and p are those of the motion (free_motion.h).
//
//   builder.begin(model, poses, form);
//   builder.add(contacts, terms), builder.add(supports), builder.add(element_rows),
//   builder.add(joint_blocks);
//   builder.finish(problem);
//
// Entities are added by ascending keys: contacts, supports, elements, joints. Warm starts, impulses
// and results read λ through the map; nobody else counts rows.
#pragma once

#include <span>
#include <vector>

#include "vinci/complementarity/problem.h"
#include "vinci/formulation/contact_rows.h"
#include "vinci/formulation/element_rows.h"
#include "vinci/formulation/joint_blocks.h"
#include "vinci/formulation/row_map.h"
#include "vinci/formulation/supports.h"

namespace vinci {

class ProblemBuilder {
 public:
  // The arguments are referred to until finish().
  // `tree` is that of the poses where bodies hang on joints.
  void begin(const Model& model, std::span<const Pose> poses, const ConeForm& form,
             const Tree* tree = nullptr);
  void add(const ContactSet& contacts, std::span<const ContactTerms> terms);
  void add(std::span<const SupportPoint> supports);
  void add(std::span<const ElementTerms> elements);
  void add(const JointBlocks& joints);  // and couplings
  // Replaces J, C, b and the blocks of the problem.
  void finish(ComplementarityProblem& problem);

  // By ascending keys and points, as they were added.
  const std::vector<EntityRows>& map() const { return map_; }
  std::span<const EntityRows> contacts() const { return part(0, contact_count_); }
  std::span<const EntityRows> supports() const { return part(contact_count_, support_count_); }
  std::span<const EntityRows> elements() const {
    return part(contact_count_ + support_count_, element_count_);
  }
  // Parallel to JointBlocks::terms().
  std::span<const EntityRows> joints() const {
    return part(contact_count_ + support_count_ + element_count_, joint_count_);
  }

  // What the rows of an entity say of its impulse (or force): normal, tangent 1, tangent 2 of a
  // contact; 0 and the two axes of the plane of a support; the first number of a row of an element;
  // up to three rows of a joint, the others as moments.
  Vector3 impulse(const EntityRows& rows, const VectorX& lambda) const;
  // That and the moments of a contact.
  ContactWrench wrench(const EntityRows& rows, const VectorX& lambda) const;
  // The other way round, as a guess.
  void guess(const EntityRows& rows, const Vector3& impulse, VectorX& lambda) const;
  void guess(const EntityRows& rows, const ContactWrench& wrench, VectorX& lambda) const;

 private:
  std::span<const EntityRows> part(int first, int count) const {
    return {map_.data() + first, static_cast<std::size_t>(count)};
  }
  void declare(const EntityKey& key, std::int64_t point, int count);

  const Model* model_ = nullptr;
  const Tree* tree_ = nullptr;
  std::span<const Pose> poses_;
  World world_ = World::planar;
  ConeForm form_;
  const ContactSet* contacts_ = nullptr;
  std::span<const ContactTerms> terms_;
  std::span<const SupportPoint> supports_;
  std::span<const ElementTerms> elements_;
  const JointBlocks* joints_ = nullptr;
  std::vector<EntityRows> map_;
  int contact_count_ = 0, support_count_ = 0, element_count_ = 0, joint_count_ = 0, rows_ = 0;
};

}  // namespace vinci
