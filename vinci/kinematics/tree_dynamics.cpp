// SPDX-License-Identifier: Apache-2.0
// Newton–Euler, composite bodies and articulated bodies. Accelerations are those of the field of
// velocities at a point that stands still, so that they add like twists; the centre of mass itself
// accelerates by ω × v more.
#include "vinci/kinematics/tree_dynamics.h"

#include <array>

#include <Eigen/Cholesky>

namespace vinci {
namespace {

// V × S at one point.
Twist carried(const Twist& by, const Twist& axis) {
  return {by.angular.cross(axis.linear) + by.linear.cross(axis.angular),
          by.angular.cross(axis.angular)};
}

void add(Twist& sum, double factor, const Twist& term) {
  sum.linear += factor * term.linear;
  sum.angular += factor * term.angular;
}

double power(const Twist& motion, const Twist& force) {
  return motion.linear.dot(force.linear) + motion.angular.dot(force.angular);
}

// A twist, or a force with its moment, as one vector.
Vector6 joined(const Twist& twist) {
  Vector6 vector;
  vector << twist.linear, twist.angular;
  return vector;
}
Twist parted(const Vector6& vector) {
  return {vector.head<3>(), vector.tail<3>()};
}

Matrix3 cross_matrix(const Vector3& r) {
  Matrix3 matrix;
  matrix << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return matrix;
}

// The force with its moment about a point from which the old point lies `arm` away.
Twist moved(const Twist& force, const Vector3& arm) {
  return {force.linear, force.angular + arm.cross(force.linear)};
}

}  // namespace

void TreeDynamics::begin(const Tree& tree, const TreeMotion& motion) {
  const Model& model = tree.model();
  const std::size_t bodies = model.bodies.size();
  twists_.resize(bodies);
  spatial_.resize(bodies);
  loads_.resize(bodies);
  packed_.setZero(model.velocity_count);
  for (std::size_t b = 0; b < bodies; ++b)
    twists_[b] = unpacked(model.bodies[b], motion.velocities);
  products(tree, motion);
}

void TreeDynamics::products(const Tree& tree, const TreeMotion& motion) {
  products_.resize(tree.links().size());
  for (std::size_t i = 0; i < products_.size(); ++i) {
    const Tree::Link& link = tree.links()[i];
    Twist parent, own = twists_[static_cast<std::size_t>(link.body)];
    if (link.parent >= 0) parent = twists_[static_cast<std::size_t>(link.parent)];
    parent.linear = parent.at(link.parent_arm);
    own.linear = own.at(-link.arm);
    Twist sum;
    for (int k = 0; k < link.freedoms; ++k) {
      const std::size_t place = static_cast<std::size_t>(k);
      add(sum, motion.joint_rates[link.first_rate + k],
          carried(link.own[place] ? own : parent, link.axes[place]));
    }
    sum.linear = sum.at(link.arm);
    products_[i] = sum;
  }
}

// Of free entries as given (null: zero), of prescribed ones as prescribed.
Twist TreeDynamics::root_acceleration(const Tree& tree, const TreeMotion& motion, int b,
                                      const VectorX* accelerations) const {
  const Model& model = tree.model();
  const Body& body = model.bodies[b];
  Twist root;
  for (int entry = body.velocity_offset; entry < body.velocity_offset + body.velocity_size;
       ++entry) {
    const int unknown = model.free_index[entry], coordinate = model.coordinate[entry];
    double value = 0.0;
    if (unknown >= 0 && accelerations) value = (*accelerations)[unknown];
    if (unknown < 0 && motion.prescribed) value = (*motion.prescribed)[entry];
    (coordinate < 3 ? root.linear : root.angular)[coordinate % 3] = value;
  }
  const Twist& twist = twists_[static_cast<std::size_t>(b)];
  root.linear -= twist.angular.cross(twist.linear);
  return root;
}

void TreeDynamics::pack_acceleration(const Tree& tree, int b) {
  const std::size_t place = static_cast<std::size_t>(b);
  const Twist& twist = twists_[place];
  pack(tree.model().bodies[b],
       {spatial_[place].linear + twist.angular.cross(twist.linear), spatial_[place].angular},
       packed_);
}

void TreeDynamics::inverse(const Tree& tree, const TreeMotion& motion, const VectorX& accelerations,
                           VectorX& efforts) {
  const Model& model = tree.model();
  begin(tree, motion);
  efforts.setZero(model.free_count);
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    if (tree.link_of(b) < 0)
      spatial_[static_cast<std::size_t>(b)] = root_acceleration(tree, motion, b, &accelerations);
  for (std::size_t i = 0; i < tree.links().size(); ++i) {
    const Tree::Link& link = tree.links()[i];
    Twist sum = products_[i];
    if (link.parent >= 0) {
      const Twist& parent = spatial_[static_cast<std::size_t>(link.parent)];
      add(sum, 1.0, {parent.at(link.parent_arm + link.arm), parent.angular});
    }
    for (int k = 0; k < link.freedoms; ++k) {
      const Twist& axis = link.axes[static_cast<std::size_t>(k)];
      add(sum, accelerations[link.first_unknown + k], {axis.at(link.arm), axis.angular});
    }
    spatial_[static_cast<std::size_t>(link.body)] = sum;
  }
  for (std::size_t b = 0; b < loads_.size(); ++b) {
    const Body& body = model.bodies[b];
    const Twist &twist = twists_[b], &change = spatial_[b];
    const Matrix3& inertia = tree.inertia(static_cast<int>(b));
    loads_[b].linear = body.mass.mass * (change.linear + twist.angular.cross(twist.linear));
    loads_[b].angular = inertia * change.angular + twist.angular.cross(inertia * twist.angular);
    add(loads_[b], -1.0, unpacked(body, motion.forces));
    pack_acceleration(tree, static_cast<int>(b));
  }
  wrenches_.resize(tree.links().size());
  for (std::size_t i = tree.links().size(); i-- > 0;) {
    const Tree::Link& link = tree.links()[i];
    const Twist wrench = moved(loads_[static_cast<std::size_t>(link.body)], link.arm);
    wrenches_[i] = wrench;
    for (int k = 0; k < link.freedoms; ++k) {
      const std::size_t place = static_cast<std::size_t>(k);
      efforts[link.first_unknown + k] =
          power(link.axes[place], wrench) +
          model.joints[link.joint].freedoms[place].armature * accelerations[link.first_unknown + k];
    }
    if (link.parent >= 0)
      add(loads_[static_cast<std::size_t>(link.parent)], 1.0, moved(wrench, link.parent_arm));
  }
  for (std::size_t b = 0; b < loads_.size(); ++b) {
    const Body& body = model.bodies[b];
    for (int entry = body.velocity_offset; entry < body.velocity_offset + body.velocity_size;
         ++entry)
      if (const int unknown = model.free_index[entry]; unknown >= 0)
        efforts[unknown] = joined(loads_[b])[model.coordinate[entry]];
  }
}

void TreeDynamics::bias(const Tree& tree, const TreeMotion& motion, VectorX& efforts) {
  zeros_.setZero(tree.model().free_count);
  inverse(tree, motion, zeros_, efforts);
}

Twist TreeDynamics::Composite::momentum(const Twist& motion) const {
  return {mass * motion.linear + motion.angular.cross(moment),
          inertia * motion.angular + moment.cross(motion.linear)};
}

void TreeDynamics::mass(const Tree& tree, TreeMatrix& matrix) {
  const Model& model = tree.model();
  matrix.reset(model);
  composites_.resize(model.bodies.size());
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    composites_[b] = {model.bodies[b].mass.mass, Vector3::Zero(),
                      tree.inertia(static_cast<int>(b))};
  // Entries of the unknowns before that of a motion with this momentum about the centre of mass of
  // the body `at`.
  const auto walk = [&](int unknown, int at, Twist momentum) {
    while (at >= 0 && tree.link_of(at) >= 0) {
      const Tree::Link& link = tree.links()[static_cast<std::size_t>(tree.link_of(at))];
      momentum = moved(momentum, link.arm);
      for (int k = 0; k < link.freedoms; ++k)
        if (link.first_unknown + k <= unknown)
          matrix.entry(unknown, link.first_unknown + k) =
              power(link.axes[static_cast<std::size_t>(k)], momentum);
      momentum = moved(momentum, link.parent_arm);
      at = link.parent;
    }
    if (at < 0) return;
    const Body& root = model.bodies[at];
    const Vector6 all = joined(momentum);
    for (int entry = root.velocity_offset; entry < root.velocity_offset + root.velocity_size;
         ++entry)
      if (const int j = model.free_index[entry]; j >= 0 && j <= unknown)
        matrix.entry(unknown, j) = all[model.coordinate[entry]];
  };
  for (std::size_t i = tree.links().size(); i-- > 0;) {
    const Tree::Link& link = tree.links()[i];
    const Composite& own = composites_[static_cast<std::size_t>(link.body)];
    for (int k = 0; k < link.freedoms; ++k) {
      const Twist& axis = link.axes[static_cast<std::size_t>(k)];
      const int unknown = link.first_unknown + k;
      walk(unknown, link.body, own.momentum({axis.at(link.arm), axis.angular}));
      matrix.entry(unknown, unknown) += model.joints[link.joint].freedoms[k].armature;
    }
    if (link.parent < 0) continue;
    Composite& parent = composites_[static_cast<std::size_t>(link.parent)];
    const Vector3 r = link.parent_arm + link.arm;
    // Σ m ((r + s)² 1 − (r + s)(r + s)ᵀ) over the masses at s.
    const Vector3 reach = own.moment + own.mass * r;
    parent.mass += own.mass;
    parent.moment += reach;
    parent.inertia += own.inertia - r * own.moment.transpose() - reach * r.transpose();
    parent.inertia.diagonal().array() += r.dot(own.moment) + r.dot(reach);
  }
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    if (tree.link_of(b) >= 0) continue;
    const Body& body = model.bodies[b];
    for (int entry = body.velocity_offset; entry < body.velocity_offset + body.velocity_size;
         ++entry)
      if (const int unknown = model.free_index[entry]; unknown >= 0)
        walk(unknown, b,
             composites_[static_cast<std::size_t>(b)].momentum(
                 parted(Vector6::Unit(model.coordinate[entry]))));
  }
}

void TreeDynamics::articulate(const Tree& tree, const VectorX* resistance, const VectorX& efforts) {
  const Model& model = tree.model();
  articulations_.resize(tree.links().size());
  for (std::size_t i = tree.links().size(); i-- > 0;) {
    const Tree::Link& link = tree.links()[i];
    const std::size_t place = static_cast<std::size_t>(link.body);
    Articulation& joint = articulations_[i];
    Matrix6& inertia = articulated_[place];
    Vector6& push = pushes_[place];
    const int n = link.freedoms;
    for (int k = 0; k < n; ++k) {
      const Twist& axis = link.axes[static_cast<std::size_t>(k)];
      joint.axes.col(k) << axis.at(link.arm), axis.angular;
    }
    // Rows and columns beyond the freedoms are those of the identity.
    Matrix3 give = Matrix3::Identity();
    for (int k = 0; k < n; ++k) {
      joint.pushed.col(k).noalias() = inertia * joint.axes.col(k);
      for (int j = 0; j <= k; ++j)
        give(j, k) = give(k, j) = joint.axes.col(j).dot(joint.pushed.col(k));
    }
    for (int k = 0; k < n; ++k) {
      give(k, k) += model.joints[link.joint].freedoms[k].armature;
      if (resistance) give(k, k) += (*resistance)[link.first_unknown + k];
      joint.rest[k] = efforts[link.first_unknown + k] - joint.axes.col(k).dot(push);
    }
    if (n == 1)
      joint.inverse(0, 0) = 1.0 / give(0, 0);
    else if (n > 1)
      joint.inverse = give.llt().solve(Matrix3::Identity());
    if (link.parent < 0) continue;
    // What the parent feels: the joint gives way along its axes.
    const Vector6 product = joined(products_[i]);
    push += inertia * product;
    std::array<Vector6, most_freedoms> gains;
    for (int k = 0; k < n; ++k) {
      Vector6& gain = gains[static_cast<std::size_t>(k)];
      gain = joint.inverse(0, k) * joint.pushed.col(0);
      for (int j = 1; j < n; ++j) gain += joint.inverse(j, k) * joint.pushed.col(j);
      push += (joint.rest[k] - joint.pushed.col(k).dot(product)) * gain;
    }
    for (int k = 0; k < n; ++k)
      inertia.noalias() -= gains[static_cast<std::size_t>(k)] * joint.pushed.col(k).transpose();
    const Vector3 r = link.parent_arm + link.arm;
    const Matrix3 cross = cross_matrix(r);
    const Matrix3 mass = inertia.topLeftCorner<3, 3>();
    const Matrix3 old = inertia.topRightCorner<3, 3>();
    const Matrix3 moment = old - mass * cross;
    Matrix6& parent = articulated_[static_cast<std::size_t>(link.parent)];
    parent.topLeftCorner<3, 3>() += mass;
    parent.topRightCorner<3, 3>() += moment;
    parent.bottomLeftCorner<3, 3>() += moment.transpose();
    parent.bottomRightCorner<3, 3>() +=
        inertia.bottomRightCorner<3, 3>() + cross * moment - old.transpose() * cross;
    pushes_[static_cast<std::size_t>(link.parent)] += joined(moved(parted(push), r));
  }
}

// The free entries of a root under what hangs on it.
bool TreeDynamics::solve_root(const Tree& tree, const TreeMotion& motion, const VectorX& efforts,
                              int b, VectorX& accelerations) {
  const Model& model = tree.model();
  const Body& body = model.bodies[b];
  const std::size_t place = static_cast<std::size_t>(b);
  Twist& root = spatial_[place];
  root = root_acceleration(tree, motion, b, nullptr);
  std::array<int, 6> unknowns, coordinates;
  int n = 0;
  for (int entry = body.velocity_offset; entry < body.velocity_offset + body.velocity_size; ++entry)
    if (model.free_index[entry] >= 0) {
      unknowns[static_cast<std::size_t>(n)] = model.free_index[entry];
      coordinates[static_cast<std::size_t>(n++)] = model.coordinate[entry];
    }
  if (n == 0) return true;
  const Vector6 push = pushes_[place] + articulated_[place] * joined(root);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6> inertia(n, n);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> rest(n);
  for (int i = 0; i < n; ++i) {
    const int row = coordinates[static_cast<std::size_t>(i)];
    rest[i] = efforts[unknowns[static_cast<std::size_t>(i)]] - push[row];
    for (int j = 0; j < n; ++j)
      inertia(i, j) = articulated_[place](row, coordinates[static_cast<std::size_t>(j)]);
  }
  rest = inertia.llt().solve(rest).eval();
  for (int i = 0; i < n; ++i) {
    const int row = coordinates[static_cast<std::size_t>(i)];
    accelerations[unknowns[static_cast<std::size_t>(i)]] = rest[i];
    (row < 3 ? root.linear : root.angular)[row % 3] += rest[i];
  }
  return rest.allFinite();
}

bool TreeDynamics::forward(const Tree& tree, const TreeMotion& motion, const VectorX& efforts,
                           VectorX& accelerations) {
  const Model& model = tree.model();
  begin(tree, motion);
  accelerations.resize(model.free_count);
  articulated_.resize(model.bodies.size());
  pushes_.resize(model.bodies.size());
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const Twist& twist = twists_[b];
    const Matrix3& inertia = tree.inertia(static_cast<int>(b));
    articulated_[b].setZero();
    articulated_[b].diagonal().head<3>().setConstant(body.mass.mass);
    articulated_[b].bottomRightCorner<3, 3>() = inertia;
    Twist push{body.mass.mass * twist.angular.cross(twist.linear),
               twist.angular.cross(inertia * twist.angular)};
    add(push, -1.0, unpacked(body, motion.forces));
    pushes_[b] = joined(push);
  }
  articulate(tree, motion.resistance, efforts);
  bool finite = true;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    if (tree.link_of(b) < 0) finite &= solve_root(tree, motion, efforts, b, accelerations);
  for (std::size_t i = 0; i < tree.links().size(); ++i) {
    const Tree::Link& link = tree.links()[i];
    const Articulation& joint = articulations_[i];
    Twist sum = products_[i];
    if (link.parent >= 0) {
      const Twist& parent = spatial_[static_cast<std::size_t>(link.parent)];
      add(sum, 1.0, {parent.at(link.parent_arm + link.arm), parent.angular});
    }
    Vector6 all = joined(sum);
    const int n = link.freedoms;
    Vector3 rest = joint.rest, change = Vector3::Zero();
    for (int k = 0; k < n; ++k) rest[k] -= joint.pushed.col(k).dot(all);
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) change[k] += joint.inverse(k, j) * rest[j];
      finite &= std::isfinite(change[k]);
      accelerations[link.first_unknown + k] = change[k];
    }
    for (int k = 0; k < n; ++k) all += change[k] * joint.axes.col(k);
    spatial_[static_cast<std::size_t>(link.body)] = parted(all);
  }
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) pack_acceleration(tree, b);
  return finite;
}

bool TreeDynamics::forward_by_mass(const Tree& tree, const TreeMotion& motion,
                                   const VectorX& efforts, VectorX& accelerations) {
  bias(tree, motion, accelerations);
  accelerations = efforts - accelerations;
  mass(tree, matrix_);
  const bool definite = matrix_.factor();
  matrix_.solve(accelerations);
  return definite && accelerations.allFinite();
}

}  // namespace vinci
