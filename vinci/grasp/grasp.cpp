// SPDX-License-Identifier: Apache-2.0
// In the plane both answers rest on motions d = (v_x, v_y, ω) of the body that no finger prevents,
// w·d >= 0 for the wrench w of every edge of every cone: a grasp is closed if there is none but 0.
#include "vinci/grasp/grasp.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "vinci/grasp/closure.h"
#include "vinci/grasp/grasp_map.h"

namespace vinci {
namespace {

constexpr double tolerance = 1e-12;  // of unit wrenches

// Wrenches of the unit normal and of the unit tangent of a contact, torques divided by the size of
// the grasp, so that all entries are of order 1.
struct ContactWrenches {
  Vector3 normal, tangent;
};

std::vector<ContactWrenches> unit_wrenches(const Grasp& grasp) {
  Grasp centred = grasp;
  centred.length = 0.0;
  centred.center.setZero();
  for (const GraspContact& contact : grasp.contacts)
    centred.center += contact.position / static_cast<double>(grasp.contacts.size());
  if (!centred.center.allFinite()) centred.center = grasp.center;  // told below
  for (GraspContact& contact : centred.contacts) {
    if (contact.friction >= 0.0 && std::isfinite(contact.friction)) contact.friction = 1.0;
    contact.moments = {};
  }
  std::vector<ContactWrenches> wrenches;
  for (const ContactCone& contact : grasp_map(centred).contacts)
    wrenches.push_back({contact.normal, contact.groups[0].columns.col(0)});
  return wrenches;
}

void add_edges(const ContactWrenches& contact, double along, double across,
               std::vector<Vector3>& edges) {
  edges.push_back((along * contact.normal + across * contact.tangent).normalized());
  if (across > 0.0)
    edges.push_back((along * contact.normal - across * contact.tangent).normalized());
}

// The motions that no edge prevents are a cone. Where the edges span the space it has no line in
// it, so that unless it is 0 it has an extreme ray: the direction across two of the edges. Where
// they do not span it, the direction across two of them is across all.
bool span_with_positive_weights(const std::vector<Vector3>& edges) {
  bool some = false;
  for (std::size_t i = 0; i < edges.size(); ++i)
    for (std::size_t j = i + 1; j < edges.size(); ++j) {
      Vector3 motion = edges[i].cross(edges[j]);
      const double length = motion.norm();
      if (length < 1e-13) continue;  // one edge, written twice
      motion /= length;
      double least = 0.0, most = 0.0;
      for (const Vector3& edge : edges) {
        least = std::min(least, edge.dot(motion));
        most = std::max(most, edge.dot(motion));
      }
      const double rounding = tolerance + 1e-15 / length;
      if (least >= -rounding || most <= rounding) return false;
      some = true;
    }
  return some;
}

// Zeros in [0, 1] of a cubic given by its Bernstein coefficients.
using Bernstein = std::array<double, 4>;

double value(const Bernstein& b, double q) {
  const double p = 1.0 - q;
  return p * p * (p * b[0] + 3.0 * q * b[1]) + q * q * (3.0 * p * b[2] + q * b[3]);
}

double zero_between(const Bernstein& b, double low, double high) {
  const bool rising = value(b, low) < 0.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    ((value(b, middle) < 0.0) == rising ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

void add_zeros(const Bernstein& b, std::vector<double>& zeros) {
  const double scale = std::max({std::abs(b[0]), std::abs(b[1]), std::abs(b[2]), std::abs(b[3])});
  if (scale < 1e-14) return;  // dependent for every friction
  // Between the zeros of the slope α q² + β q + γ the cubic has at most one zero.
  const double s0 = b[1] - b[0], s1 = b[2] - b[1], s2 = b[3] - b[2];
  const double alpha = s0 - 2.0 * s1 + s2, beta = 2.0 * (s1 - s0), gamma = s0;
  std::array<double, 4> ends = {0.0, 0.0, 0.0, 1.0};
  const double discriminant = beta * beta - 4.0 * alpha * gamma;
  if (discriminant > 0.0) {
    const double half = -0.5 * (beta + std::copysign(std::sqrt(discriminant), beta));
    ends[1] = alpha != 0.0 ? std::clamp(half / alpha, 0.0, 1.0) : 0.0;
    ends[2] = half != 0.0 ? std::clamp(gamma / half, 0.0, 1.0) : 0.0;
    std::sort(ends.begin(), ends.end());
  }
  for (int i = 0; i < 3; ++i) {
    const double left = value(b, ends[i]), right = value(b, ends[i + 1]);
    // A zero that only touches the axis, and one at an end, are met to rounding.
    for (const int end : {i, i + 1})
      if (std::abs(value(b, ends[end])) <= 1e-15 * scale) zeros.push_back(ends[end]);
    if ((left < 0.0) != (right < 0.0)) zeros.push_back(zero_between(b, ends[i], ends[i + 1]));
  }
}

// With q = μ/(1 + μ) the edges are (1 − q) n ± q t, and the determinant of three of them is a cubic
// in q. What the fingers prevent changes only where one of them is zero.
std::vector<double> frictions_of_change(const std::vector<ContactWrenches>& contacts) {
  std::vector<std::array<Vector3, 2>> edges;
  for (const ContactWrenches& contact : contacts)
    for (const double side : {1.0, -1.0}) edges.push_back({contact.normal, side * contact.tangent});
  std::vector<double> zeros = {0.0, 1.0};
  const std::size_t count = edges.size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j) {
      std::array<Vector3, 3> across = {
          edges[i][0].cross(edges[j][0]),
          edges[i][0].cross(edges[j][1]) + edges[i][1].cross(edges[j][0]),
          edges[i][1].cross(edges[j][1])};
      for (std::size_t k = j + 1; k < count; ++k) {
        const Vector3 &n = edges[k][0], &t = edges[k][1];
        add_zeros({across[0].dot(n), (across[0].dot(t) + across[1].dot(n)) / 3.0,
                   (across[1].dot(t) + across[2].dot(n)) / 3.0, across[2].dot(t)},
                  zeros);
      }
    }
  std::sort(zeros.begin(), zeros.end());
  const auto same = [](double a, double b) { return b - a < tolerance; };
  zeros.erase(std::unique(zeros.begin(), zeros.end(), same), zeros.end());
  return zeros;
}

// Whether edges of cones are all there is, and the exact way by their pairs serves.
bool has_edges(const Grasp& grasp) {
  return grasp.world == World::planar &&
         std::none_of(grasp.contacts.begin(), grasp.contacts.end(),
                      [](const GraspContact& contact) { return contact.moments.rolling > 0.0; });
}

double planar_friction_required(const Grasp& grasp) {
  const std::vector<ContactWrenches> wrenches = unit_wrenches(grasp);
  const std::vector<double> ends = frictions_of_change(wrenches);
  std::vector<Vector3> edges;
  const auto closed_behind = [&](std::size_t end) {
    const double q = 0.5 * (ends[end] + ends[end + 1]);
    edges.clear();
    for (const ContactWrenches& contact : wrenches) add_edges(contact, 1.0 - q, q, edges);
    return span_with_positive_weights(edges);
  };
  // More friction never opens a grasp: bisection over the intervals.
  std::size_t low = 0, high = ends.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (closed_behind(middle))
      high = middle;
    else
      low = middle + 1;
  }
  if (low + 1 == ends.size()) return infinity;
  return ends[low] / (1.0 - ends[low]);
}

}  // namespace

GraspContact planar_contact(const Vector2& position, const Vector2& normal, double friction) {
  GraspContact contact;
  contact.position << position, 0.0;
  contact.normal << normal, 0.0;
  contact.friction = friction;
  return contact;
}

bool force_closure(const Grasp& grasp) {
  if (!has_edges(grasp)) return prove_closure(grasp).closed;
  grasp_map(grasp);  // checks the numbers
  const std::vector<ContactWrenches> wrenches = unit_wrenches(grasp);
  std::vector<Vector3> edges;
  for (std::size_t i = 0; i < wrenches.size(); ++i)
    add_edges(wrenches[i], 1.0, grasp.contacts[i].friction, edges);
  return span_with_positive_weights(edges);
}

double friction_required(const Grasp& grasp) {
  if (has_edges(grasp)) return planar_friction_required(grasp);
  grasp_map(grasp);
  Grasp trial = grasp;
  const auto closed_at = [&](double friction) {
    for (GraspContact& contact : trial.contacts) {
      contact.friction = friction;
      contact.friction_2.reset();
    }
    return prove_closure(trial).closed;
  };
  if (closed_at(0.0)) return 0.0;
  // Over q = μ/(1 + μ), as margins of very large and small frictions are not told from zero.
  double low = 0.0, high = 1.0 - 1e-6;
  if (!closed_at(high / (1.0 - high))) return infinity;
  while (high - low > 1e-11) {
    const double middle = 0.5 * (low + high);
    (closed_at(middle / (1.0 - middle)) ? high : low) = middle;
  }
  if (high < 1e-7) return 0.0;
  return high / (1.0 - high);
}

std::vector<LoadedContact> loaded_contacts(std::span<const SolvedContact> contacts, int body,
                                           const std::vector<char>& others) {
  std::vector<LoadedContact> found;
  for (const SolvedContact& solved : contacts) {
    const Contact& contact = solved.contact;
    const bool first = contact.body_a == body;
    if (contact.key.kind != EntityKind::contact || contact.body_a == contact.body_b ||
        !(solved.impulse[0] > 0.0) || (!first && contact.body_b != body))
      continue;
    const int other = first ? contact.body_b : contact.body_a;
    if (others.empty() || others[static_cast<std::size_t>(other)])
      found.push_back({&solved, other, first});
  }
  return found;
}

Grasp grasp_of(const Model& model, const State& state, std::span<const SolvedContact> contacts,
               int body, const std::vector<char>& others) {
  Grasp grasp;
  grasp.world = model.world;
  const std::size_t own = static_cast<std::size_t>(body);
  grasp.center = state.poses[own] * model.bodies[own].mass.center;
  for (const LoadedContact& loaded : loaded_contacts(contacts, body, others)) {
    const Contact& contact = loaded.solved->contact;
    GraspContact finger;
    finger.position = loaded.is_first ? contact.point_a : contact.point_b;
    finger.normal = loaded.is_first ? Vector3(-contact.normal) : contact.normal;
    finger.friction = loaded.solved->friction;
    finger.friction_2 = loaded.solved->friction_2;
    finger.tangent = loaded.solved->tangent_1;
    if (contact.key.shape_a() < model.shapes.size() && contact.key.shape_b() < model.shapes.size())
      finger.moments = model.surface_between(contact.key.shape_a(), contact.key.shape_b()).moments;
    grasp.contacts.push_back(finger);
  }
  return grasp;
}

}  // namespace vinci
