// SPDX-License-Identifier: Apache-2.0
// Layout first, so that rows may refer to the rows of others; then the rows.
#include "vinci/formulation/problem_builder.h"

#include "vinci/base/regular_polygon.h"

namespace vinci {
namespace {

bool is_joint(const EntityKey& key) {
  return key.kind == EntityKind::joint || key.kind == EntityKind::coupling;
}

}  // namespace

void ProblemBuilder::begin(const Model& model, std::span<const Pose> poses, const ConeForm& form,
                           const Tree* tree) {
  tree_ = tree;
  model_ = &model;
  poses_ = poses;
  world_ = model.world;
  form_ = form;
  contacts_ = nullptr;
  terms_ = {};
  supports_ = {};
  elements_ = {};
  joints_ = nullptr;
  map_.clear();
  contact_count_ = support_count_ = element_count_ = joint_count_ = rows_ = 0;
}

void ProblemBuilder::declare(const EntityKey& key, std::int64_t point, int count) {
  map_.push_back({key, point, rows_, count});
  rows_ += count;
}

void ProblemBuilder::add(const ContactSet& contacts, std::span<const ContactTerms> terms) {
  contacts_ = &contacts;
  terms_ = terms;
  contact_count_ = static_cast<int>(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactTerms& t = terms[i];
    const MomentLayout moments = moment_layout(world_, form_, t.friction, t.scale, t.moments);
    declare(contacts[i].key, contacts[i].patch_point,
            moments.any() ? moments.count(form_)
                          : contact_row_count(world_, form_, t.friction, t.scale));
    map_.back().scale = t.scale;
    map_.back().moments = moments;
  }
}

void ProblemBuilder::add(std::span<const SupportPoint> supports) {
  supports_ = supports;
  support_count_ = static_cast<int>(supports.size());
  for (const SupportPoint& support : supports)
    declare(support_key(support.body, support.index), 0, support_row_count(form_));
}

void ProblemBuilder::add(std::span<const ElementTerms> elements) {
  elements_ = elements;
  element_count_ = static_cast<int>(elements.size());
  for (const ElementTerms& element : elements) declare(element.key, element.point, 1);
}

void ProblemBuilder::add(const JointBlocks& joints) {
  joints_ = &joints;
  joint_count_ = static_cast<int>(joints.terms().size());
  for (const JointTerms& terms : joints.terms()) declare(terms.key, 0, terms.count);
}

void ProblemBuilder::finish(ComplementarityProblem& problem) {
  problem.J.reset(model_->free_count);
  problem.C.reset(rows_);
  problem.b.resize(rows_);
  problem.blocks.clear();
  if (contacts_)
    write_contacts({*model_, poses_, form_, tree_}, *contacts_, terms_, contacts(), problem);
  write_supports({*model_, poses_, form_, tree_}, supports_, problem);
  write_elements({*model_, poses_, form_, tree_}, elements_, problem);
  if (joints_) joints_->write(problem);
}

Vector3 ProblemBuilder::impulse(const EntityRows& rows, const VectorX& lambda) const {
  switch (rows.key.kind) {
    case EntityKind::contact:
      if (rows.moments.any()) return wrench(rows, lambda).impulse;
      return contact_impulse(world_, form_, lambda.segment(rows.first, rows.count), rows.scale);
    case EntityKind::support:
      return support_impulse(form_, lambda.segment(rows.first, rows.count));
    case EntityKind::joint:
    case EntityKind::coupling:
      return wrench(rows, lambda).impulse;
    case EntityKind::constraint:
    case EntityKind::machine:
    case EntityKind::body:
    case EntityKind::element:
      break;
  }
  return {lambda[rows.first], 0.0, 0.0};
}

ContactWrench ProblemBuilder::wrench(const EntityRows& rows, const VectorX& lambda) const {
  if (is_joint(rows.key)) {
    ContactWrench own;
    for (int i = 0; i < rows.count; ++i)
      (i < 3 ? own.impulse[i] : own.moment[i - 3]) = lambda[rows.first + i];
    return own;
  }
  if (!rows.moments.any()) return {impulse(rows, lambda)};
  return moment_wrench(world_, form_, rows.moments, rows.scale,
                       lambda.segment(rows.first, rows.count));
}

void ProblemBuilder::guess(const EntityRows& rows, const ContactWrench& wrench,
                           VectorX& lambda) const {
  if (is_joint(rows.key)) {
    for (int i = 0; i < rows.count; ++i)
      lambda[rows.first + i] = i < 3 ? wrench.impulse[i] : wrench.moment[i - 3];
    return;
  }
  if (!rows.moments.any()) return guess(rows, wrench.impulse, lambda);
  guess_moments(world_, form_, rows.moments, rows.scale, wrench,
                lambda.segment(rows.first, rows.count));
}

void ProblemBuilder::guess(const EntityRows& rows, const Vector3& impulse, VectorX& lambda) const {
  auto own = lambda.segment(rows.first, rows.count);
  own.setZero();
  const bool support = rows.key.kind == EntityKind::support;
  if (!support) own[0] = impulse[0];
  if (!support && rows.count == 1) return;
  Vector2 friction(impulse[1] / rows.scale[0], 0.0);
  if (rows.scale[1] > 0.0) friction[1] = impulse[2] / rows.scale[1];
  if (!has_directions(form_)) {
    const int tangents = support ? 2 : rows.count - 1;
    own.tail(tangents) = friction.head(tangents);
    return;
  }
  // The corners of a box are those of a square in other axes.
  const bool square = support || (world_ == World::spatial && rows.scale[1] > 0.0);
  if (form_.cone == Cone::box && square)
    friction = 0.5 * Vector2(friction.x() + friction.y(), friction.y() - friction.x());
  const int first = support ? 0 : 1;
  split_over_corners(friction,
                     {own.data() + first, static_cast<std::size_t>(rows.count - 1 - first)});
}

}  // namespace vinci
