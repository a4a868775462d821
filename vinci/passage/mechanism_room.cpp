// SPDX-License-Identifier: Apache-2.0
// Tubes about configurations, and what they leave of the gaps.
#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "vinci/passage/mechanism.h"

namespace vinci {
namespace {

// Of a gap, what a certificate counts on: the rest covers the detector's rounding.
constexpr double trusted_share = 0.999;
// Beyond what is needed, of the radius: joints leave planar bodies a rounding out of the plane.
constexpr double least_reach = 1e-9;

}  // namespace

double Mechanism::tube_of(const Step& step, const VectorX& tube) const {
  const Moved& moved = moved_[static_cast<std::size_t>(step.rate)];
  if (step.is_ball) return tube.segment<3>(moved.coordinate).norm();
  return std::abs(moved.ratio) * tube[moved.coordinate];
}

// How far a point of the link goes per unit of a freedom, once it is `moved` m from where it is.
double Mechanism::lever(const Link& link, const Step& step, double moved) const {
  const Joint& joint = model_.joints[static_cast<std::size_t>(step.joint)];
  const Twist& axis = axes_[static_cast<std::size_t>(step.joint)]
                           [static_cast<std::size_t>(step.rate - joint.first_rate)];
  const bool turns = step.is_ball || axis.angular.squaredNorm() > 0.5;
  double most = 0.0;
  for (const Sphere& sphere : link.spheres) {
    const Vector3 arm = poses_[static_cast<std::size_t>(link.body)] * sphere.center -
                        points_[static_cast<std::size_t>(step.joint)];
    const double distance = step.is_ball ? arm.norm() : axis.angular.cross(arm).norm();
    most = std::max(most, (step.is_ball ? 0.0 : axis.linear.norm()) +
                              (turns ? distance + sphere.radius + moved : 0.0));
  }
  return most;
}

void Mechanism::find_travels(const VectorX& tube) {
  for (Link& link : links_) {
    link.travels.resize(static_cast<Eigen::Index>(link.chain.size()) + 1);
    link.travels[0] = 0.0;
    for (std::size_t k = 0; k < link.chain.size(); ++k) {
      const Step& step = link.chain[k];
      const double before = link.travels[static_cast<Eigen::Index>(k)];
      link.travels[static_cast<Eigen::Index>(k) + 1] =
          before + tube_of(step, tube) * lever(link, step, before);
    }
  }
}

double Mechanism::travel_between(int body_a, int body_b) const {
  const int a = link_of_[static_cast<std::size_t>(body_a)];
  const int b = link_of_[static_cast<std::size_t>(body_b)];
  const auto whole = [&](int link) {
    const VectorX& travels = links_[static_cast<std::size_t>(link)].travels;
    return travels[travels.size() - 1];
  };
  if (a < 0 || b < 0) return whole(std::max(a, b));
  const auto own = [&](int link, int other) {
    return links_[static_cast<std::size_t>(link)]
        .travels[between_[static_cast<std::size_t>(link)][static_cast<std::size_t>(other)]];
  };
  return own(a, b) + own(b, a);
}

double Mechanism::gap_to_keep(const Contact& contact, double least) const {
  const bool both = link_of_[static_cast<std::size_t>(contact.body_a)] >= 0 &&
                    link_of_[static_cast<std::size_t>(contact.body_b)] >= 0;
  return both ? std::min(least, own_gap_) : least;
}

// Contacts of the placed configuration.
void Mechanism::detect(double reach) {
  for (const Link& link : links_)
    reach_[static_cast<std::size_t>(link.body)] = reach + least_reach * radius_;
  detector_.detect(model_, poses_, reach_, contacts_);
  ++queries_;
}

Room Mechanism::room(const VectorX& x, double least, double margin) {
  place(x);
  detect(least + margin);
  Room room;
  for (const Contact& contact : contacts_) {
    const double free = contact.gap - gap_to_keep(contact, least) - margin;
    if (free < 0.0 && free < room.free)
      room = {infinity, free, contact.gap, contact.body_a, contact.body_b};
  }
  return room;
}

double Mechanism::gap(const VectorX& x, double reach) {
  place(x);
  detect(reach);
  double least = reach;
  for (const Contact& contact : contacts_)
    if (link_of_[static_cast<std::size_t>(contact.body_a)] < 0 ||
        link_of_[static_cast<std::size_t>(contact.body_b)] < 0)
      least = std::min(least, contact.gap);
  return least;
}

Room Mechanism::room(const VectorX& x, const VectorX& tube, double least) {
  place(x);
  find_travels(tube);
  for (const Link& link : links_)
    reach_[static_cast<std::size_t>(link.body)] =
        least + link.travels[link.travels.size() - 1] / trusted_share + least_reach * radius_;
  detector_.detect(model_, poses_, reach_, contacts_);
  ++queries_;
  Room room;
  for (const Contact& contact : contacts_) {
    const double need = travel_between(contact.body_a, contact.body_b) / trusted_share;
    const double free = contact.gap - gap_to_keep(contact, least);
    if (free >= need) continue;
    room.share = std::min(room.share, free > 0.0 ? free / need : 0.0);
    if (free >= room.free) continue;
    room.free = free;
    room.gap = contact.gap;
    room.body_a = contact.body_a;
    room.body_b = contact.body_b;
  }
  return room;
}

// Intervals of [0, end] whose middles keep the gap for all of them; at(s, half) gives configuration
// and tube. The oldest first: the middle of the longest, so that what is in the way is found soon.
template <class At>
bool Mechanism::is_covered(double end, double least, double resolution, const At& at) {
  uncovered_.assign(1, {0.0, end});
  VectorX x, tube;
  for (std::size_t next = 0; next < uncovered_.size(); ++next) {
    const auto [first, last] = uncovered_[next];
    const double middle = 0.5 * (first + last), half = 0.5 * (last - first);
    at(middle, half, x, tube);
    const Room found = room(x, tube, least);
    if (found.share >= 1.0) continue;
    if (!(found.free > resolution)) return false;
    // A part of the interval has a tube that is smaller in proportion, or more.
    uncovered_.emplace_back(first, middle - found.share * half);
    uncovered_.emplace_back(middle + found.share * half, last);
  }
  return true;
}

bool Mechanism::is_kept(const VectorX& a, const VectorX& b, double least, double resolution) {
  const VectorX way = b - a;
  return is_covered(1.0, least, resolution, [&](double s, double half, VectorX& x, VectorX& tube) {
    x = a + s * way;
    tube = half * way.cwiseAbs();
  });
}

bool Mechanism::is_kept(const Trajectory& way, const VectorX& peaks, double least,
                        double resolution) {
  TrajectoryPoint point;
  return is_covered(way.duration(), least, resolution,
                    [&](double time, double half, VectorX& x, VectorX& tube) {
                      way.at(time, point);
                      x = point.position;
                      tube = half * point.velocity.cwiseAbs() + 0.5 * half * half * peaks;
                    });
}

// Velocity of a point of a body by a unit of one freedom.
Vector3 Mechanism::point_rate(const Step& step, int freedom, const Vector3& point) const {
  const auto joint = static_cast<std::size_t>(step.joint);
  return axes_[joint][static_cast<std::size_t>(freedom)].at(point - points_[joint]);
}

bool Mechanism::push_out(VectorX& x, double least, double margin) {
  constexpr int most_rounds = 12;
  MatrixX rows;
  VectorX lacking;
  for (int round = 0; round < most_rounds; ++round) {
    if (room(x, least, margin).body_a < 0) return true;
    rows.setZero(static_cast<Eigen::Index>(contacts_.size()), size());
    lacking.resize(rows.rows());
    Eigen::Index count = 0;
    for (const Contact& contact : contacts_) {
      const double lacks = gap_to_keep(contact, least) + margin - contact.gap;
      if (lacks <= 0.0) continue;
      for (const bool first : {true, false}) {
        const int body = first ? contact.body_a : contact.body_b;
        const int link = link_of_[static_cast<std::size_t>(body)];
        if (link < 0) continue;
        for (const Step& step : links_[static_cast<std::size_t>(link)].chain) {
          const Joint& joint = model_.joints[static_cast<std::size_t>(step.joint)];
          // The axes are those of b against a; where a hangs on b it goes the other way.
          const double turned =
              joint.body_a >= 0 &&
                      model_.tree_joint[static_cast<std::size_t>(joint.body_a)] == step.joint
                  ? -1.0
                  : 1.0;
          for (int k = 0; k < (step.is_ball ? 3 : 1); ++k) {
            const Moved& moved = moved_[static_cast<std::size_t>(step.rate + k)];
            const Vector3 rate = turned * moved.ratio *
                                 point_rate(step, step.rate + k - joint.first_rate,
                                            first ? contact.point_a : contact.point_b);
            rows(count, moved.coordinate) +=
                (first ? -1.0 : 1.0) * contact.normal.dot(rate) /
                coordinates_[static_cast<std::size_t>(moved.coordinate)].weight;
          }
        }
      }
      lacking[count++] = lacks;
    }
    const auto used = rows.topRows(count);
    MatrixX square = used * used.transpose();
    square.diagonal().array() += 1e-6;  // parallel faces ask for the same
    const VectorX change = 1.05 * used.transpose() * square.ldlt().solve(lacking.head(count));
    if (!change.allFinite() || change.norm() > 2.0 * radius_) return false;
    for (int k = 0; k < size(); ++k) {
      const MovingCoordinate& coordinate = coordinates_[static_cast<std::size_t>(k)];
      x[k] = std::clamp(x[k] + change[k] / coordinate.weight, coordinate.lower, coordinate.upper);
    }
  }
  return false;
}

double Mechanism::travel(const VectorX& a, const VectorX& b) {
  place(0.5 * (a + b));
  find_travels(0.5 * (b - a).cwiseAbs());
  double most = 0.0;
  for (const Link& link : links_) most = std::max(most, link.travels[link.travels.size() - 1]);
  return 2.0 * most;
}

}  // namespace vinci
