// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/grasp_map.h"

#include <algorithm>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

void check(const Grasp& grasp) {
  if (grasp.contacts.size() > most_grasp_contacts)
    throw Error(
        fmt::format("{} contacts; accepted: up to {}", grasp.contacts.size(), most_grasp_contacts),
        "contacts");
  if (!grasp.center.allFinite()) throw Error("accepted: finite numbers", "center");
  if (!(grasp.length >= 0.0 && std::isfinite(grasp.length)))
    throw Error("accepted: more than 0 m, or 0 for one that fits the contacts", "length");
  for (std::size_t i = 0; i < grasp.contacts.size(); ++i) {
    const GraspContact& contact = grasp.contacts[i];
    const auto fail = [&](const char* text, const char* what) {
      throw Error(text, fmt::format("contacts[{}].{}", i, what));
    };
    const bool planar = grasp.world == World::planar;
    const double normal =
        planar ? contact.normal.head<2>().stableNorm() : contact.normal.stableNorm();
    const auto fine = [](double x) { return x >= 0.0 && std::isfinite(x); };
    if (!contact.position.allFinite() || contact.position.cwiseAbs().maxCoeff() > 1e12)
      fail("accepted: finite numbers up to 1e12 m", "position");
    if (!contact.normal.allFinite() || !(normal > 0.0))
      fail("accepted: finite numbers, not all 0", "normal");
    if (!fine(contact.friction) || !fine(contact.friction_2.value_or(0.0)))
      fail("accepted: 0 or more", "friction");
    if (!fine(contact.moments.rolling)) fail("accepted: 0 m or more", "rolling");
    if (!fine(contact.moments.torsion)) fail("accepted: 0 m or more", "torsion");
    if (!fine(contact.moments.radius)) fail("accepted: 0 m or more", "radius");
    if (contact.moments.radius > 0.0 && contact.moments.torsion > 0.0)
      fail("a patch has no torsion of its own; accepted: one of radius and torsion", "radius");
    if (!contact.tangent.allFinite()) fail("accepted: finite numbers", "tangent");
    const Vector3 n = contact.normal.stableNormalized();
    if (!planar && !contact.tangent.isZero(0.0) &&
        contact.tangent.stableNormalized().cross(n).norm() < 1e-6)
      fail("lies along the normal; accepted: a direction across it", "tangent");
  }
}

VectorX wrench_about(const GraspMap& map, const Vector3& arm, const Vector3& force) {
  const Vector3 torque = arm.cross(force) / map.length;
  VectorX wrench(map.dimension);
  if (map.world == World::planar)
    wrench << force.head<2>(), torque.z();
  else
    wrench << force, torque;
  return wrench;
}

VectorX moment_about(const GraspMap& map, const Vector3& axis) {
  VectorX wrench = VectorX::Zero(map.dimension);
  if (map.world == World::planar)
    wrench[2] = axis.z() / map.length;
  else
    wrench.tail<3>() = axis / map.length;
  return wrench;
}

class GroupMaker {
 public:
  GroupMaker(const GraspMap& map, ContactCone& cone) : map_(map), cone_(cone) {}
  void add(const VectorX& column, double coefficient, int entry) {
    if (!(coefficient > 0.0)) return;
    const int n = static_cast<int>(group_.coefficients.size());
    group_.columns.conservativeResize(map_.dimension, n + 1);
    group_.coefficients.conservativeResize(n + 1);
    group_.columns.col(n) = coefficient * column;
    group_.coefficients[n] = coefficient;
    group_.entry[static_cast<std::size_t>(n)] = entry;
  }
  void finish() {
    if (group_.coefficients.size() > 0) {
      group_.margin = 0.0;
      const bool rubs = group_.entry[0] < 3;
      for (int k = 0; k < group_.coefficients.size(); ++k)
        if (rubs == (group_.entry[static_cast<std::size_t>(k)] < 3))
          group_.margin =
              std::max(group_.margin, group_.coefficients[k] / (rubs ? 1.0 : map_.length));
      cone_.groups.push_back(group_);
    }
    group_ = {};
  }

 private:
  const GraspMap& map_;
  ContactCone& cone_;
  ContactCone::Group group_;
};

ContactCone cone_of(const GraspMap& map, const GraspContact& contact) {
  const ContactAxesOfGrasp axes = axes_of(map.world, contact);
  const Vector3 arm = contact.position - map.center;
  const bool planar = map.world == World::planar;
  ContactCone cone;
  cone.normal = wrench_about(map, arm, axes.normal);
  GroupMaker maker(map, cone);
  maker.add(wrench_about(map, arm, axes.tangent_1), contact.friction, 1);
  if (planar) {
    maker.finish();
    maker.add(moment_about(map, axes.tangent_2), contact.moments.rolling, 5);
    maker.finish();
    return cone;
  }
  const double across = contact.friction_2.value_or(contact.friction);
  maker.add(wrench_about(map, arm, axes.tangent_2), across, 2);
  // A patch: (f/μ)² + (τ/(μ r_t))² <= f_n².
  const double mean = contact.friction == across ? across : std::sqrt(contact.friction * across);
  if (contact.moments.radius > 0.0)
    maker.add(moment_about(map, axes.normal), mean * contact.moments.radius, 3);
  maker.finish();
  maker.add(moment_about(map, axes.tangent_1), contact.moments.rolling, 4);
  maker.add(moment_about(map, axes.tangent_2), contact.moments.rolling, 5);
  maker.finish();
  maker.add(moment_about(map, axes.normal), contact.moments.torsion, 3);
  maker.finish();
  return cone;
}

// Points of the unit ball of a group: an interval's ends, corners of a polygon, or a globe's.
std::vector<VectorX> ball_points(int size, int directions, bool outside) {
  std::vector<VectorX> corners;
  if (size == 1) return {VectorX::Constant(1, 1.0), VectorX::Constant(1, -1.0)};
  const double half = M_PI / directions;
  const double reach = outside ? 1.0 / std::cos(half) : 1.0;
  if (size == 2) {
    for (int k = 0; k < directions; ++k)
      corners.push_back(reach * Vector2(std::cos(2.0 * half * k), std::sin(2.0 * half * k)));
    return corners;
  }
  // Rings at the same angle as the corners along the equator. The ball lies within corners that are
  // 1/(cos α cos β) out: a face is seen under at most these half angles in both directions.
  const int rings = std::max(1, directions / 4);
  const double out = outside ? reach / std::cos(0.25 * M_PI / rings) : 1.0;
  for (int ring = -rings + 1; ring < rings; ++ring) {
    const double latitude = 0.5 * M_PI * ring / rings;
    for (int k = 0; k < directions; ++k)
      corners.push_back(out * Vector3(std::cos(latitude) * std::cos(2.0 * half * k),
                                      std::cos(latitude) * std::sin(2.0 * half * k),
                                      std::sin(latitude)));
  }
  for (const double pole : {1.0, -1.0}) corners.push_back(Vector3(0.0, 0.0, out * pole));
  return corners;
}

}  // namespace

ContactAxesOfGrasp axes_of(World world, const GraspContact& contact) {
  ContactAxesOfGrasp axes;
  if (world == World::planar) {
    const Vector2 n = contact.normal.head<2>().stableNormalized();
    axes.normal = {n.x(), n.y(), 0.0};
    axes.tangent_1 = {-n.y(), n.x(), 0.0};
    axes.tangent_2 = Vector3::UnitZ();
    return axes;
  }
  axes.normal = contact.normal.stableNormalized();
  Vector3 along = contact.tangent;
  if (along.isZero(0.0)) {
    int least = 0;
    axes.normal.cwiseAbs().minCoeff(&least);
    along = Vector3::Unit(least);
  }
  along = along.stableNormalized();
  axes.tangent_1 = (along - axes.normal.dot(along) * axes.normal).normalized();
  axes.tangent_2 = axes.normal.cross(axes.tangent_1);
  return axes;
}

std::size_t ball_corners(int columns, int directions) {
  const auto k = static_cast<std::size_t>(directions);
  if (columns == 1) return 2;
  return columns == 2 ? k : 2 + k * (2 * std::max<std::size_t>(1, k / 4) - 1);
}

double ContactCone::support(const VectorX& y) const {
  double value = normal.dot(y);
  for (const Group& group : groups) value += (group.columns.transpose() * y).norm();
  return value;
}

VectorX ContactCone::support_point(const VectorX& y) const {
  VectorX point = normal;
  for (const Group& group : groups) {
    const VectorX along = group.columns.transpose() * y;
    const double length = along.norm();
    if (length > 0.0) point += group.columns * (along / length);
  }
  return point;
}

std::vector<VectorX> ContactCone::corners(int directions, bool outside) const {
  std::vector<VectorX> points = {normal};
  for (const Group& group : groups) {
    std::vector<VectorX> next;
    const auto balls =
        ball_points(static_cast<int>(group.coefficients.size()), directions, outside);
    for (const VectorX& point : points)
      for (const VectorX& v : balls) next.push_back(point + group.columns * v);
    points = std::move(next);
  }
  return points;
}

double GraspMap::support(const VectorX& y) const {
  double largest = -infinity;
  for (const ContactCone& contact : contacts) largest = std::max(largest, contact.support(y));
  return largest;
}

VectorX GraspMap::scaled(const Vector6& wrench) const {
  VectorX result(dimension);
  if (world == World::planar)
    result << wrench[0], wrench[1], wrench[5] / length;
  else
    result << wrench.head<3>(), wrench.tail<3>() / length;
  return result;
}

Vector6 GraspMap::unscaled(const VectorX& scaled) const {
  Vector6 result = Vector6::Zero();
  if (world == World::planar)
    result << scaled[0], scaled[1], 0.0, 0.0, 0.0, scaled[2] * length;
  else
    result << scaled.head<3>(), scaled.tail<3>() * length;
  return result;
}

std::vector<ContactLoad> GraspMap::loads(const VectorX& unknowns) const {
  std::vector<ContactLoad> result(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    int column = first[i];
    result[i].force[0] = unknowns[column++];
    for (const ContactCone::Group& group : contacts[i].groups)
      for (int k = 0; k < group.coefficients.size(); ++k) {
        const int entry = group.entry[static_cast<std::size_t>(k)];
        const double load = group.coefficients[k] * unknowns[column++];
        (entry < 3 ? result[i].force[entry] : result[i].moment[entry - 3]) = load;
      }
  }
  return result;
}

VectorX GraspMap::unknowns(std::span<const ContactLoad> loads) const {
  VectorX result(matrix.cols());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    int column = first[i];
    result[column++] = loads[i].force[0];
    for (const ContactCone::Group& group : contacts[i].groups)
      for (int k = 0; k < group.coefficients.size(); ++k) {
        const int entry = group.entry[static_cast<std::size_t>(k)];
        const double load = entry < 3 ? loads[i].force[entry] : loads[i].moment[entry - 3];
        result[column++] = load / group.coefficients[k];
      }
  }
  return result;
}

double length_of(const Grasp& grasp) {
  if (grasp.length > 0.0) return grasp.length;
  double length = 0.0;
  for (const GraspContact& contact : grasp.contacts) {
    Vector3 arm = contact.position - grasp.center;
    if (grasp.world == World::planar) arm.z() = 0.0;
    length = std::max(length, arm.norm());
  }
  return length > 0.0 ? length : 1.0;
}

GraspMap grasp_map(const Grasp& grasp) {
  check(grasp);
  GraspMap map;
  map.world = grasp.world;
  map.dimension = grasp.world == World::planar ? 3 : 6;
  map.length = length_of(grasp);
  map.center = grasp.center;
  int columns = 0;
  for (const GraspContact& contact : grasp.contacts) {
    map.first.push_back(columns);
    map.contacts.push_back(cone_of(map, contact));
    ++columns;
    for (const ContactCone::Group& group : map.contacts.back().groups)
      columns += static_cast<int>(group.coefficients.size());
  }
  map.matrix.resize(map.dimension, columns);
  for (std::size_t i = 0; i < map.contacts.size(); ++i) {
    int column = map.first[i];
    map.matrix.col(column++) = map.contacts[i].normal;
    for (const ContactCone::Group& group : map.contacts[i].groups) {
      map.matrix.middleCols(column, group.columns.cols()) = group.columns;
      column += static_cast<int>(group.columns.cols());
    }
  }
  return map;
}

Vector6 wrench_of(const Grasp& grasp, std::span<const ContactLoad> loads) {
  Vector6 sum = Vector6::Zero();
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const ContactAxesOfGrasp axes = axes_of(grasp.world, grasp.contacts[i]);
    const auto along = [&](const Vector3& v) {
      return Vector3(v[0] * axes.normal + v[1] * axes.tangent_1 + v[2] * axes.tangent_2);
    };
    Vector3 arm = grasp.contacts[i].position - grasp.center;
    if (grasp.world == World::planar) arm.z() = 0.0;
    const Vector3 force = along(loads[i].force);
    sum.head<3>() += force;
    sum.tail<3>() += arm.cross(force) + along(loads[i].moment);
  }
  return sum;
}

double margin_of(const Grasp& grasp, int contact, const ContactLoad& load) {
  const GraspContact& own = grasp.contacts[static_cast<std::size_t>(contact)];
  const double length = length_of(grasp), mu_1 = own.friction;
  const bool planar = grasp.world == World::planar;
  const double mu_2 = planar ? mu_1 : own.friction_2.value_or(mu_1);
  const double radius = planar ? 0.0 : own.moments.radius;
  const double rolling = own.moments.rolling, torsion = planar ? 0.0 : own.moments.torsion;
  const double n = load.force[0];
  // |f/μ| <= f_n, in units of the larger μ; what a coefficient of zero does not allow counts whole.
  const auto share = [](double value, double limit) {
    return limit > 0.0 ? value / limit : value == 0.0 ? 0.0 : infinity;
  };
  double least = n;
  const double mu = std::max(mu_1, mu_2), twist = std::sqrt(mu_1 * mu_2) * radius;
  const double used = std::hypot(share(load.force[1], mu_1), share(load.force[2], mu_2),
                                 radius > 0.0 ? share(load.moment[0], twist) : 0.0);
  const double rolled = std::hypot(load.moment[1], load.moment[2]);
  if (mu > 0.0)
    least = mu * (n - used);
  else if (used > 0.0)
    return -infinity;
  if (rolling > 0.0)
    least = std::min(least, (rolling * n - rolled) / length);
  else if (rolled > 0.0)
    return -infinity;
  if (torsion > 0.0)
    least = std::min(least, (torsion * n - std::abs(load.moment[0])) / length);
  else if (radius == 0.0 && load.moment[0] != 0.0)
    return -infinity;
  return least;
}

}  // namespace vinci
