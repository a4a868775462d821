// SPDX-License-Identifier: Apache-2.0
// Contact rows of the quadratic cone and of the pyramid.
#include "vinci/formulation/contact_rows.h"

#include <cmath>

namespace vinci {
namespace {

// Rows of J of one contact: the velocity of b minus that of a along an axis, gathered over the free
// entries.
class ContactAxes {
 public:
  ContactAxes(const Model& model, std::span<const Pose> poses, const Contact& contact)
      : model_(model) {
    const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
    add_side(contact.body_a, -1.0, poses, point);
    add_side(contact.body_b, 1.0, poses, point);
    // Columns ascend.
    const bool swapped =
        model.bodies[contact.body_a].velocity_offset > model.bodies[contact.body_b].velocity_offset;
    for (const int side : {swapped ? 1 : 0, swapped ? 0 : 1}) add_entries(side);
  }

  // The row's entries: column and value.
  template <class Take>
  void visit(const Vector3& axis, Take take) const {
    const Vector3 moments[2] = {sides_[0].arm.cross(axis), sides_[1].arm.cross(axis)};
    for (int k = 0; k < count_; ++k) {
      const Entry& entry = entries_[k];
      const double value =
          entry.coordinate < 3 ? axis[entry.coordinate] : moments[entry.side][entry.coordinate - 3];
      take(entry.column, sides_[entry.side].sign * value);
    }
  }

 private:
  struct Side {
    int body = -1;
    Vector3 arm = Vector3::Zero();
    double sign = 0.0;
  };
  struct Entry {  // a free velocity
    int column, coordinate, side;
  };
  void add_side(int body, double sign, std::span<const Pose> poses, const Vector3& point) {
    sides_[sign < 0.0 ? 0 : 1] = {body, point - poses[body] * model_.bodies[body].mass.center,
                                  sign};
  }
  void add_entries(int side) {
    const Body& body = model_.bodies[sides_[side].body];
    for (int i = 0; i < body.velocity_size; ++i) {
      const int entry = body.velocity_offset + i, column = model_.free_index[entry];
      if (column >= 0) entries_[count_++] = {column, model_.coordinate[entry], side};
    }
  }
  const Model& model_;
  Side sides_[2];
  Entry entries_[12];
  int count_ = 0;
};

}  // namespace

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

int contact_row_count(World world, const ConeForm& form, double friction) {
  if (friction == 0.0) return 1;
  if (!has_directions(form)) return world == World::planar ? 2 : 3;
  return direction_count(world, form) + 2;
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
    const ContactAxes axes(space_.model, space_.poses, contact);
    at_ = own.first;
    push(axes, i, t.frame.normal, t.normal_bias, Vector3::UnitX());
    if (own.count == 1) {
      problem_.blocks.push_back({.law = Law::nonnegative, .offset = own.first, .size = 1});
    } else if (!has_directions(space_.form)) {
      push(axes, i, t.frame.tangent_1, t.prescribed[0], Vector3::UnitY());
      if (own.count == 3) push(axes, i, t.frame.tangent_2, t.prescribed[1], Vector3::UnitZ());
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
      const Vector2 d = cone_direction(space_.model.world, space_.form, j);
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
      if (sigma >= 0 && other.first > sigma) put_sigma(sigma);
      const Vector3 yields = item.block.transpose() * axis;
      put(other.first, yields[0]);
      if (!has_directions(space_.form)) {
        for (int k = 1; k < other.count; ++k) put(other.first + k, yields[k]);
      } else {
        for (int k = 0; k < other.count - 2; ++k)
          put(other.first + 1 + k,
              cone_direction(space_.model.world, space_.form, k).dot(yields.tail<2>()));
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

Vector3 contact_impulse(World world, const ConeForm& form, Eigen::Ref<const VectorX> lambda) {
  Vector3 impulse(lambda[0], 0.0, 0.0);
  const int count = static_cast<int>(lambda.size());
  if (count == 1) return impulse;
  if (!has_directions(form)) {
    for (int i = 1; i < count; ++i) impulse[i] = lambda[i];
    return impulse;
  }
  for (int j = 0; j < count - 2; ++j)
    impulse.tail<2>() += lambda[1 + j] * cone_direction(world, form, j);
  return impulse;
}

}  // namespace vinci
