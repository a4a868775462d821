// SPDX-License-Identifier: Apache-2.0
// Contact rows of the quadratic cone and of the pyramid.
#include "vinci/formulation/contact_rows.h"

#include <cmath>

#include <Eigen/Cholesky>

#include "vinci/formulation/contact_axes.h"

namespace vinci {
namespace {

// MᵀI⁻¹M of a body that turns freely, for an angular impulse M; angles are free together.
double turn_for(const Body& body, const Pose& pose, const Vector3& moment) {
  if (body.freedom != Freedom::spatial) return moment.z() * moment.z() / body.mass.inertia(2, 2);
  const Vector3 own = pose.rotation.conjugate() * moment;
  return own.dot(body.mass.inertia.llt().solve(own));
}

}  // namespace

namespace {

// Whether no coordinate of its place is prescribed; bodies that hang on joints have other unknowns.
bool is_free_to_move(const Model& model, int b) {
  const Body& body = model.bodies[b];
  if (body.velocity_size == 0 || !model.tree_order.empty()) return false;
  const bool planar = body.freedom == Freedom::planar;
  if (planar && model.world != World::planar) return false;
  for (int i = 0; i < (planar ? 2 : 3); ++i)
    if (model.free_index[body.velocity_offset + i] < 0) return false;
  return true;
}

}  // namespace

bool can_respond(const Model& model, std::span<const Pose> poses, const Contact& contact,
                 const Tree* tree) {
  // Of a body that is free to move some entry is as large as that of the normal, if nothing else
  // moves alike.
  if (contact.body_a != contact.body_b &&
      (is_free_to_move(model, contact.body_a) || is_free_to_move(model, contact.body_b)))
    return true;
  const auto hangs_somewhere = [&](int b) {
    return !model.tree_joint.empty() && model.tree_joint[b] >= 0;
  };
  // Without the tree nothing is known of what it moves.
  if (!tree && (hangs_somewhere(contact.body_a) || hangs_somewhere(contact.body_b))) return true;
  double largest = 0.0;
  ContactAxes(model, poses, contact, nullptr, tree).visit(contact.normal, [&](int, double value) {
    largest = std::max(largest, std::abs(value));
  });
  return largest > 1e-12;  // directions are unit vectors: below this it is rounding
}

double mobility(const Model& model, std::span<const Pose> poses, const Contact& contact,
                const Vector3& axis) {
  double sum = 0.0;
  for (const int b : {contact.body_a, contact.body_b}) {
    const Body& body = model.bodies[b];
    const Vector3 arm = 0.5 * (contact.point_a + contact.point_b) - poses[b] * body.mass.center;
    const Vector3 moment = arm.cross(axis);
    for (int i = 0; i < body.velocity_size; ++i) {
      if (model.free_index[body.velocity_offset + i] < 0) continue;
      const int coordinate = model.coordinate[body.velocity_offset + i];
      if (coordinate < 3) sum += axis[coordinate] * axis[coordinate] / body.mass.mass;
      if (coordinate == 5) sum += turn_for(body, poses[b], moment);
    }
  }
  return sum;
}

double turning_mobility(const Model& model, std::span<const Pose> poses, const Contact& contact,
                        const Vector3& axis) {
  double sum = 0.0;
  for (const int b : {contact.body_a, contact.body_b}) {
    const Body& body = model.bodies[b];
    const int last = body.velocity_offset + body.velocity_size - 1;
    if (body.velocity_size > 0 && model.free_index[last] >= 0)
      sum += turn_for(body, poses[b], axis);
  }
  return sum;
}

namespace {

// What has friction along one tangent alone is as in the plane.
World tangent_world(World world, const Vector2& scale) {
  return scale[1] == 0.0 ? World::planar : world;
}

}  // namespace

int contact_row_count(World world, const ConeForm& form, double friction, const Vector2& scale) {
  if (friction == 0.0) return 1;
  const World tangents = tangent_world(world, scale);
  if (!has_directions(form)) return tangents == World::planar ? 2 : 3;
  return direction_count(tangents, form) + 2;
}

namespace {

// Writes the rows of one contact after the other.
class ContactWriter {
 public:
  ContactWriter(const RowSpace& space, std::span<const ContactTerms> terms,
                std::span<const EntityRows> rows, ComplementarityProblem& problem)
      : space_(space), terms_(terms), rows_(rows), problem_(problem) {}

  void write(std::size_t i, const Contact& contact) {
    const ContactTerms& t = terms_[i];
    const EntityRows& own = rows_[i];
    const ContactAxes axes(space_.model, space_.poses, contact, t.arms, space_.tree);
    at_ = own.first;
    push(axes, i, t.frame.normal, t.normal_bias, Vector3::UnitX());
    if (own.moments.any()) {
      push_moments(axes, i);
    } else if (own.count == 1) {
      problem_.blocks.push_back({.law = Law::nonnegative, .offset = own.first, .size = 1});
    } else if (!has_directions(space_.form)) {
      const Vector2& s = t.scale;
      push(axes, i, s[0] * t.frame.tangent_1, s[0] * t.prescribed[0], Vector3(0.0, s[0], 0.0));
      if (own.count == 3)
        push(axes, i, s[1] * t.frame.tangent_2, s[1] * t.prescribed[1], Vector3(0.0, 0.0, s[1]));
      problem_.blocks.push_back(
          {.law = Law::coulomb, .offset = own.first, .size = own.count, .friction = t.friction});
    } else {
      push_pyramid(axes, i);
    }
  }

 private:
  void push_pyramid(const ContactAxes& axes, std::size_t i) {
    const ContactTerms& t = terms_[i];
    const int first = rows_[i].first, sides = rows_[i].count - 2, sigma = first + sides + 1;
    for (int j = 0; j < sides; ++j) {
      const Vector2 d = direction(t, j);
      push(axes, i, d[0] * t.frame.tangent_1 + d[1] * t.frame.tangent_2,
           d[0] * t.prescribed[0] + d[1] * t.prescribed[1], Vector3(0.0, d[0], d[1]), sigma);
    }
    problem_.J.end_row();  // σ does not see u
    problem_.b[sigma] = 0.0;
    problem_.C.push(first, t.friction);
    for (int j = 0; j < sides; ++j) problem_.C.push(first + 1 + j, -1.0);
    problem_.C.end_row();
    for (int row = first; row <= sigma; ++row)
      problem_.blocks.push_back({.law = Law::nonnegative, .offset = row, .size = 1});
  }

  // Friction, rolling and torsion (moment_rows.h). What has moments is rigid.
  void push_moments(const ContactAxes& axes, std::size_t i) {
    const ContactTerms& t = terms_[i];
    const EntityRows& own = rows_[i];
    const MomentLayout& layout = own.moments;
    const bool directions = has_directions(space_.form);
    const auto part = [&](MomentPart which, int count, double limit) {
      if (count == 0) return;
      const int first = at_, sigma = first + count;
      for (int j = 0; j < count; ++j) {
        push_turning(axes, t,
                     moment_axis(space_.model.world, space_.form, layout, t.scale, which, j));
        if (directions) problem_.C.push(sigma, 1.0);
        problem_.C.end_row();
      }
      if (!directions) return;
      problem_.J.end_row();  // σ does not see u
      problem_.b[at_++] = 0.0;
      problem_.C.push(own.first, limit);
      for (int j = 0; j < count; ++j) problem_.C.push(first + j, -1.0);
      problem_.C.end_row();
    };
    part(MomentPart::friction, layout.friction, t.friction);
    part(MomentPart::rolling, layout.rolling, t.moments.rolling);
    part(MomentPart::torsion, layout.torsion, t.moments.torsion);
    if (directions) {
      for (int row = own.first; row < at_; ++row)
        problem_.blocks.push_back({.law = Law::nonnegative, .offset = row, .size = 1});
      return;
    }
    Block block{.law = Law::moments, .offset = own.first, .size = own.count};
    block.friction = t.friction;
    block.rolling = layout.rolling > 0 ? t.moments.rolling : 0.0;
    block.torsion = layout.torsion > 0 ? t.moments.torsion : 0.0;
    block.tangents = static_cast<std::uint8_t>(layout.friction);
    block.spins = static_cast<std::uint8_t>(layout.torsion);
    problem_.blocks.push_back(block);
  }

  void push_turning(const ContactAxes& axes, const ContactTerms& t, const MomentAxis& axis) {
    const ContactFrame& f = t.frame;
    const Vector3 along = axis.tangential[0] * f.tangent_1 + axis.tangential[1] * f.tangent_2;
    const Vector3 about =
        axis.turning[0] * f.normal + axis.turning[1] * f.tangent_1 + axis.turning[2] * f.tangent_2;
    axes.visit(along, about, [&](int column, double value) { problem_.J.push(column, value); });
    problem_.J.end_row();
    problem_.b[at_++] = axis.tangential.dot(t.prescribed) + axis.turning.dot(t.turning);
  }

  // Direction j of the pyramid of a contact, along its tangents; inside the ellipse of its
  // friction.
  Vector2 direction(const ContactTerms& t, int j) const {
    const World world = tangent_world(space_.model.world, t.scale);
    return t.scale.cwiseProduct(cone_direction(world, space_.form, j));
  }

  // One row along an axis of the world, which is `own` in (normal, tangent 1, tangent 2).
  void push(const ContactAxes& axes, std::size_t i, const Vector3& axis, double b,
            const Vector3& own, int sigma = -1) {
    axes.visit(axis, [&](int column, double value) { problem_.J.push(column, value); });
    problem_.J.end_row();
    problem_.b[at_++] = b;
    push_compliance(i, own, sigma);
    problem_.C.end_row();
  }

  // Entries of C by the layers of contacts, in the rows that the cone gives them, and the 1 in the
  // column of its σ where it has one.
  void push_compliance(std::size_t i, const Vector3& axis, int sigma) {
    for (const Compliance& item : terms_[i].compliance) {
      const EntityRows& other = rows_[static_cast<std::size_t>(item.contact)];
      const ContactTerms& its = terms_[static_cast<std::size_t>(item.contact)];
      if (sigma >= 0 && other.first > sigma) put_sigma(sigma);
      const Vector3 yields = item.block.transpose() * axis;
      put(other.first, yields[0]);
      if (!has_directions(space_.form)) {
        for (int k = 1; k < other.count; ++k) put(other.first + k, its.scale[k - 1] * yields[k]);
      } else {
        for (int k = 0; k < other.count - 2; ++k)
          put(other.first + 1 + k, direction(its, k).dot(yields.tail<2>()));
      }
    }
    if (sigma >= 0) put_sigma(sigma);
  }
  void put(int column, double value) {
    if (value != 0.0) problem_.C.push(column, value);
  }
  void put_sigma(int& sigma) {
    problem_.C.push(sigma, 1.0);
    sigma = -1;
  }

  const RowSpace& space_;
  std::span<const ContactTerms> terms_;
  std::span<const EntityRows> rows_;
  ComplementarityProblem& problem_;
  int at_ = 0;  // the next row
};

}  // namespace

void write_contacts(const RowSpace& space, const ContactSet& contacts,
                    std::span<const ContactTerms> terms, std::span<const EntityRows> rows,
                    ComplementarityProblem& problem) {
  ContactWriter writer(space, terms, rows, problem);
  for (std::size_t i = 0; i < contacts.size(); ++i) writer.write(i, contacts[i]);
}

Vector3 contact_impulse(World world, const ConeForm& form, Eigen::Ref<const VectorX> lambda,
                        const Vector2& scale) {
  Vector3 impulse(lambda[0], 0.0, 0.0);
  const int count = static_cast<int>(lambda.size());
  if (count == 1) return impulse;
  if (!has_directions(form)) {
    for (int i = 1; i < count; ++i) impulse[i] = scale[i - 1] * lambda[i];
    return impulse;
  }
  const World tangents = tangent_world(world, scale);
  for (int j = 0; j < count - 2; ++j)
    impulse.tail<2>() += lambda[1 + j] * scale.cwiseProduct(cone_direction(tangents, form, j));
  return impulse;
}

}  // namespace vinci
