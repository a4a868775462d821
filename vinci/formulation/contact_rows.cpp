// SPDX-License-Identifier: Apache-2.0
// Contact rows of the quadratic cone and of the pyramid.
#include "vinci/formulation/contact_rows.h"

#include <cmath>

namespace vinci {
namespace {

// Directions of the pyramid in the tangent plane; 2 in the plane, `directions` in space.
int direction_count(World world, int directions) {
  return world == World::planar ? 2 : directions;
}

// Rows of J of one contact: the velocity of b minus that of a along an axis, gathered over the free
// entries.
class ContactAxes {
 public:
  ContactAxes(const Model& model, std::span<const Pose> poses, const Contact& contact)
      : model_(model) {
    const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
    sides_[0] = side(contact.body_a, -1.0, poses, point);
    sides_[1] = side(contact.body_b, 1.0, poses, point);
    // Columns ascend.
    if (sides_[0].body->velocity_offset > sides_[1].body->velocity_offset)
      std::swap(sides_[0], sides_[1]);
  }

  // The row's entries: column and value.
  template <class Take>
  void visit(const Vector3& axis, Take take) const {
    for (const Side& s : sides_) {
      const Vector3 moment = s.arm.cross(axis);
      for (int i = 0; i < s.body->velocity_size; ++i) {
        const int entry = s.body->velocity_offset + i;
        const int column = model_.free_index[entry];
        if (column < 0) continue;
        const int coordinate = model_.coordinate[entry];
        take(column, s.sign * (coordinate < 3 ? axis[coordinate] : moment[coordinate - 3]));
      }
    }
  }

 private:
  struct Side {
    const Body* body = nullptr;
    Vector3 arm = Vector3::Zero();
    double sign = 0.0;
  };
  Side side(int body, double sign, std::span<const Pose> poses, const Vector3& point) const {
    const Body& b = model_.bodies[body];
    return {&b, point - poses[body] * b.mass.center, sign};
  }
  const Model& model_;
  Side sides_[2];
};

}  // namespace

Vector2 pyramid_direction(World world, int directions, int j) {
  if (world == World::planar) return {j == 0 ? 1.0 : -1.0, 0.0};
  // Exact where the angle is a multiple of 90°, so that a pyramid of 4 sides has no stray
  // components.
  const int quarter = 4 * j;
  if (quarter % directions == 0) {
    constexpr double cosines[4] = {1.0, 0.0, -1.0, 0.0};
    const int turn = quarter / directions % 4;
    return {cosines[turn], cosines[(turn + 3) % 4]};
  }
  const double angle = 2.0 * M_PI * j / directions;
  return {std::cos(angle), std::sin(angle)};
}

bool can_respond(const Model& model, std::span<const Pose> poses, const Contact& contact) {
  double largest = 0.0;
  ContactAxes(model, poses, contact).visit(contact.normal, [&](int, double value) {
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
    const double moment = arm.cross(axis).z();
    for (int i = 0; i < body.velocity_size; ++i) {
      if (model.free_index[body.velocity_offset + i] < 0) continue;
      const int coordinate = model.coordinate[body.velocity_offset + i];
      sum += coordinate < 3 ? axis[coordinate] * axis[coordinate] / body.mass.mass
                            : moment * moment / body.mass.inertia(2, 2);
    }
  }
  return sum;
}

int row_count(World world, Cone cone, int directions, double friction) {
  if (friction == 0.0) return 1;
  if (cone == Cone::quadratic) return world == World::planar ? 2 : 3;
  return direction_count(world, directions) + 2;
}

namespace {

// Entries of C by the layers of contacts, in the rows that the cone gives them.
class ComplianceRows {
 public:
  ComplianceRows(World world, Cone cone, int directions, std::span<const ContactTerms> terms,
                 SparseRows& C)
      : world_(world), cone_(cone), directions_(directions), terms_(terms), C_(C) {}

  // The row of contact i along an axis in its (normal, tangent 1, tangent 2), and the 1 in the
  // column of its σ where it has one.
  void push(std::size_t i, const Vector3& axis, int sigma = -1) {
    for (const Compliance& item : terms_[i].compliance) {
      const int first = first_row(static_cast<std::size_t>(item.contact));
      if (sigma >= 0 && first > sigma) put_sigma(sigma);
      const double friction = terms_[static_cast<std::size_t>(item.contact)].friction;
      const Vector3 yields = item.block.transpose() * axis;
      put(first, yields[0]);
      const int count = row_count(world_, cone_, directions_, friction);
      if (cone_ == Cone::quadratic) {
        for (int k = 1; k < count; ++k) put(first + k, yields[k]);
      } else if (count > 1) {
        for (int k = 0; k < direction_count(world_, directions_); ++k)
          put(first + 1 + k, pyramid_direction(world_, directions_, k).dot(yields.tail<2>()));
      }
    }
    if (sigma >= 0) put_sigma(sigma);
  }

 private:
  void put(int column, double value) {
    if (value != 0.0) C_.push(column, value);
  }
  void put_sigma(int& sigma) {
    C_.push(sigma, 1.0);
    sigma = -1;
  }
  // Contacts yield to few others, near them in the list.
  int first_row(std::size_t contact) {
    for (; at_ < contact; ++at_) row_ += rows(at_);
    for (; at_ > contact; --at_) row_ -= rows(at_ - 1);
    return row_;
  }
  int rows(std::size_t contact) const {
    return row_count(world_, cone_, directions_, terms_[contact].friction);
  }

  World world_;
  Cone cone_;
  int directions_;
  std::span<const ContactTerms> terms_;
  SparseRows& C_;
  std::size_t at_ = 0;  // a contact, and
  int row_ = 0;         // its first row
};

}  // namespace

void append_contact_rows(const Model& model, std::span<const Pose> poses,
                         const ContactSet& contacts, std::span<const ContactTerms> terms, Cone cone,
                         int directions, ComplementarityProblem& problem, int further_rows) {
  int total = further_rows;
  for (const ContactTerms& t : terms) total += row_count(model.world, cone, directions, t.friction);
  problem.J.reset(model.free_count);
  problem.C.reset(total);
  problem.b.resize(total);
  problem.blocks.clear();
  ComplianceRows compliance(model.world, cone, directions, terms, problem.C);
  int row = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactTerms& t = terms[i];
    const ContactAxes axes(model, poses, contacts[i]);
    const auto write = [&](const Vector3& axis) {
      axes.visit(axis, [&](int column, double value) { problem.J.push(column, value); });
      problem.J.end_row();
    };
    const int count = row_count(model.world, cone, directions, t.friction);
    write(t.frame.normal);
    problem.b[row] = t.normal_bias;
    compliance.push(i, Vector3::UnitX());
    problem.C.end_row();
    if (count == 1) {
      problem.blocks.push_back({.law = Law::nonnegative, .offset = row, .size = 1});
    } else if (cone == Cone::quadratic) {
      write(t.frame.tangent_1);
      problem.b[row + 1] = t.prescribed[0];
      compliance.push(i, Vector3::UnitY());
      problem.C.end_row();
      if (count == 3) {
        write(t.frame.tangent_2);
        problem.b[row + 2] = t.prescribed[1];
        compliance.push(i, Vector3::UnitZ());
        problem.C.end_row();
      }
      problem.blocks.push_back(
          {.law = Law::coulomb, .offset = row, .size = count, .friction = t.friction});
    } else {
      const int sides = direction_count(model.world, directions);
      const int sigma = row + sides + 1;
      for (int j = 0; j < sides; ++j) {
        const Vector2 d = pyramid_direction(model.world, directions, j);
        write(d[0] * t.frame.tangent_1 + d[1] * t.frame.tangent_2);
        problem.b[row + 1 + j] = d[0] * t.prescribed[0] + d[1] * t.prescribed[1];
        compliance.push(i, Vector3(0.0, d[0], d[1]), sigma);
        problem.C.end_row();
      }
      problem.J.end_row();  // σ does not see u
      problem.b[sigma] = 0.0;
      problem.C.push(row, t.friction);
      for (int j = 0; j < sides; ++j) problem.C.push(row + 1 + j, -1.0);
      problem.C.end_row();
      for (int j = row; j <= sigma; ++j)
        problem.blocks.push_back({.law = Law::nonnegative, .offset = j, .size = 1});
    }
    row += count;
  }
}

Vector3 impulse_of(World world, Cone cone, int directions, double friction, const VectorX& lambda,
                   int row) {
  Vector3 impulse(lambda[row], 0.0, 0.0);
  const int count = row_count(world, cone, directions, friction);
  if (count == 1) return impulse;
  if (cone == Cone::quadratic) {
    for (int i = 1; i < count; ++i) impulse[i] = lambda[row + i];
    return impulse;
  }
  for (int j = 0; j < direction_count(world, directions); ++j)
    impulse.tail<2>() += lambda[row + 1 + j] * pyramid_direction(world, directions, j);
  return impulse;
}

void guess_from(World world, Cone cone, int directions, double friction, const Vector3& impulse,
                VectorX& lambda, int row) {
  const int count = row_count(world, cone, directions, friction);
  for (int i = 0; i < count; ++i) lambda[row + i] = 0.0;
  lambda[row] = impulse[0];
  if (count > 1 && cone == Cone::quadratic)
    for (int i = 1; i < count; ++i) lambda[row + i] = impulse[i];
}

}  // namespace vinci
