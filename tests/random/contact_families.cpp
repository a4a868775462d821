// SPDX-License-Identifier: Apache-2.0
// Random contact problems: bodies, contacts between them and with the ground, in the plane and in
// space, as (M, J, p, b) or condensed to (W, q). Without gaps (b = 0) w = 0 can be reached, and
// with gaps (b_N >= 0) the cones of w are feasible: then Coulomb's law has a solution [Acary,
// Cadoux, Lemarechal, Malick 2011], and Lemke's method finds one of the pyramids [Stewart 1996].
#include <algorithm>

#include <Eigen/LU>

#include "tests/random/families.h"

namespace vinci::test {
namespace {

struct Wishes {
  int dimension = 2;
  double mass_ratio = 10.0;
  int repeated = 1;          // times that each contact stands there
  double gap = 0.0;          // largest b_N, in units of the speed
  double penetration = 0.0;  // largest −b_N
  double friction_below = 1.0;
  double huge_friction = 0.0;  // share of contacts with 1e3 to 1e6
  bool rolling = false;
};

// Bodies and their contacts, dense.
struct System {
  int dimension, contacts;
  int rows = 0;  // of a contact
  MatrixX M = {}, J = {};
  VectorX v = {}, b = {};  // free velocities; b of the rows
  VectorX friction = {}, rolling = {};
  double mass_unit = 1.0, length_unit = 1.0, speed_unit = 1.0;

  VectorX p() const { return M * v; }
  MatrixX W() const { return J * M.inverse() * J.transpose(); }
  VectorX q() const { return J * v + b; }
};

Vector3 direction(Draw& draw, int dimension) {
  Vector3 x(draw.normal(), draw.normal(), dimension == 3 ? draw.normal() : 0.0);
  return x.normalized();
}

MatrixX body_mass(Draw& draw, const System& system, double mass_ratio) {
  const double mass = system.mass_unit * draw.log_uniform(1.0, mass_ratio);
  const double turn = mass * system.length_unit * system.length_unit;
  if (system.dimension == 2) {
    const Vector3 diagonal(mass, mass, turn * draw.uniform(0.1, 1.0));
    return diagonal.asDiagonal();
  }
  const Matrix3 axes = Quaternion(draw.normal(), draw.normal(), draw.normal(), draw.normal() + 2.0)
                           .normalized()
                           .toRotationMatrix();
  const Vector3 inertia(draw.uniform(0.5, 1.0), draw.uniform(0.5, 1.0), draw.uniform(0.5, 1.0));
  MatrixX block = MatrixX::Zero(6, 6);
  block.topLeftCorner(3, 3) = mass * Matrix3::Identity();
  const Matrix3 full = axes * inertia.asDiagonal() * axes.transpose();
  block.bottomRightCorner(3, 3) = 0.5 * turn * (full + full.transpose());
  return block;
}

// The row of the relative velocity along `axis` of a point of a body.
void fill_row(System& system, int row, int body, double sign, const Vector3& axis,
              const Vector3& arm) {
  const Vector3 turn = arm.cross(axis);
  if (system.dimension == 2) {
    system.J.block(row, 3 * body, 1, 3) = sign * Vector3(axis.x(), axis.y(), turn.z()).transpose();
  } else {
    system.J.block(row, 6 * body, 1, 3) = sign * axis.transpose();
    system.J.block(row, 6 * body + 3, 1, 3) = sign * turn.transpose();
  }
}

void fill_contact(Draw& draw, System& system, int contact, int bodies) {
  const int d = system.dimension;
  const Vector3 normal = direction(draw, d);
  Vector3 tangents[2];
  tangents[0] = d == 2 ? Vector3(-normal.y(), normal.x(), 0.0)
                       : Vector3(normal.cross(direction(draw, 3)).normalized());
  tangents[1] = normal.cross(tangents[0]);
  const int a = draw.integer(0, bodies - 1);
  const int other = draw.chance(0.4) || bodies == 1 ? -1 : draw.integer(0, bodies - 1);
  for (const int body : {a, other == a ? -1 : other}) {
    if (body < 0) continue;
    const Vector3 arm = system.length_unit * draw.uniform(0.0, 1.0) * direction(draw, d);
    const double sign = body == a ? 1.0 : -1.0;
    const int row = system.rows * contact;
    fill_row(system, row, body, sign, normal, arm);
    for (int t = 1; t < d; ++t) fill_row(system, row + t, body, sign, tangents[t - 1], arm);
    if (system.rows == d) continue;
    // Relative angular velocity about the tangents; in the plane about its normal.
    if (d == 2) {
      system.J(row + 2, 3 * body + 2) = sign;
    } else {
      for (int t = 0; t < 2; ++t)
        system.J.block(row + 3 + t, 6 * body + 3, 1, 3) = sign * tangents[t].transpose();
    }
  }
}

System make_system(Draw& draw, int contacts, const Wishes& wishes) {
  const int d = wishes.dimension, freedom = d == 2 ? 3 : 6;
  const int bodies = std::max(1, draw.integer(1, 1 + contacts / 2));
  System system{.dimension = d, .contacts = contacts};
  const int rows = system.rows = wishes.rolling ? 2 * d - 1 : d;
  if (draw.chance(0.5)) {
    system.mass_unit = draw.log_uniform(1e-12, 1e12);
    system.length_unit = draw.log_uniform(1e-3, 1e3);
    system.speed_unit = draw.log_uniform(1e-12, 1e12);
  }
  system.M = MatrixX::Zero(freedom * bodies, freedom * bodies);
  system.v = system.speed_unit * draw.normals(freedom * bodies);
  for (int i = 0; i < bodies; ++i) {
    system.M.block(freedom * i, freedom * i, freedom, freedom) =
        body_mass(draw, system, wishes.mass_ratio);
    system.v.segment(freedom * i + d, freedom - d) /= system.length_unit;
  }
  system.J = MatrixX::Zero(rows * contacts, freedom * bodies);
  system.b = VectorX::Zero(rows * contacts);
  system.friction.resize(contacts);
  system.rolling = VectorX::Zero(contacts);
  for (int k = 0; k < contacts; ++k) {
    system.friction[k] = draw.chance(0.1) ? 0.0 : draw.uniform(0.0, wishes.friction_below);
    if (draw.chance(wishes.huge_friction)) system.friction[k] = draw.log_uniform(1e3, 1e6);
    if (wishes.rolling && !draw.chance(0.1))
      system.rolling[k] = system.length_unit * draw.log_uniform(1e-3, 1.0);
    const double gap = draw.uniform(-wishes.penetration, wishes.gap);
    system.b[rows * k] = draw.chance(0.5) ? system.speed_unit * gap : 0.0;
    if (k % wishes.repeated == 0) {
      fill_contact(draw, system, k, bodies);
      continue;
    }
    system.J.middleRows(rows * k, rows) = system.J.middleRows(rows * (k - 1), rows);
    system.b[rows * k] = system.b[rows * (k - 1)];
    system.friction[k] = system.friction[k - 1];
    system.rolling[k] = system.rolling[k - 1];
  }
  return system;
}

ComplementarityProblem velocity_problem(const System& system, std::vector<Block> blocks) {
  ComplementarityProblem problem;
  problem.M = SparseRows::from_dense(system.M);
  problem.J = SparseRows::from_dense(system.J);
  problem.C.reset(static_cast<int>(system.b.size()));
  for (int i = 0; i < system.b.size(); ++i) problem.C.end_row();
  problem.p = system.p();
  problem.b = system.b;
  problem.blocks = std::move(blocks);
  return problem;
}

std::vector<Block> contact_blocks(const System& system, Law law) {
  std::vector<Block> blocks;
  for (int k = 0; k < system.contacts; ++k)
    blocks.push_back({.law = law,
                      .offset = system.rows * k,
                      .size = system.rows,
                      .friction = system.friction[k],
                      .rolling = system.rolling[k]});
  return blocks;
}

ComplementarityProblem problem_of(const System& system, Law law, bool velocities) {
  std::vector<Block> blocks = contact_blocks(system, law);
  return velocities ? velocity_problem(system, std::move(blocks))
                    : local_problem(system.W(), system.q(), std::move(blocks));
}

int contacts_of(int size, int dimension) {
  return std::max(1, size / dimension);
}

RandomProblem contact(Draw& draw, int size, Wishes wishes, bool velocities) {
  RandomProblem random;
  random.problem = problem_of(make_system(draw, contacts_of(size, wishes.dimension), wishes),
                              Law::coulomb, velocities);
  random.theory = wishes.penetration > 0.0 ? Theory::open : Theory::solvable;
  return random;
}

int any_dimension(Draw& draw) {
  return draw.integer(2, 3);
}

RandomProblem planar_local(Draw& draw, int size) {
  return contact(draw, size, {.dimension = 2}, false);
}
RandomProblem planar_velocity(Draw& draw, int size) {
  return contact(draw, size, {.dimension = 2}, true);
}
RandomProblem spatial_local(Draw& draw, int size) {
  return contact(draw, size, {.dimension = 3}, false);
}
RandomProblem spatial_velocity(Draw& draw, int size) {
  return contact(draw, size, {.dimension = 3}, true);
}
RandomProblem gaps(Draw& draw, int size) {
  return contact(draw, size, {.dimension = any_dimension(draw), .gap = 1.0}, draw.chance(0.5));
}
RandomProblem penetrations(Draw& draw, int size) {
  return contact(draw, size, {.dimension = any_dimension(draw), .gap = 0.5, .penetration = 0.5},
                 draw.chance(0.5));
}
RandomProblem heavy_on_light(Draw& draw, int size) {
  return contact(draw, size, {.dimension = any_dimension(draw), .mass_ratio = 1e8}, true);
}
RandomProblem repeated(Draw& draw, int size) {
  const int dimension = any_dimension(draw);
  const int times = std::min(100, static_cast<int>(draw.log_uniform(2.0, 101.0)));
  return contact(draw, std::max(size, 2 * dimension),
                 {.dimension = dimension, .repeated = times, .gap = 0.2}, draw.chance(0.5));
}
RandomProblem extreme_friction(Draw& draw, int size) {
  return contact(draw, size,
                 {.dimension = any_dimension(draw), .friction_below = 3.0, .huge_friction = 0.3},
                 draw.chance(0.5));
}

RandomProblem rolling(Draw& draw, int size) {
  const Wishes wishes{.dimension = any_dimension(draw), .gap = 0.2, .rolling = true};
  const System system = make_system(draw, std::max(1, size / (2 * wishes.dimension - 1)), wishes);
  RandomProblem random;
  random.problem = problem_of(system, Law::moments, draw.chance(0.5));
  random.theory = Theory::solvable;
  return random;
}

// W is not symmetric, its symmetric part definite: Coulomb's law has a solution for every q.
RandomProblem nonsymmetric(Draw& draw, int size) {
  const System system =
      make_system(draw, contacts_of(size, 3), {.dimension = 3, .friction_below = 0.8});
  const int m = static_cast<int>(system.b.size());
  const MatrixX W = system.W();
  const double scale = W.diagonal().mean();
  RandomProblem random;
  random.problem = local_problem(W + scale * (0.01 * MatrixX::Identity(m, m) +
                                              draw.log_uniform(1e-7, 1e-1) * random_skew(draw, m)),
                                 system.q(), contact_blocks(system, Law::coulomb));
  random.theory = Theory::solvable;
  return random;
}

// C is a positive diagonal: springs and dampers in the contacts; any b has a solution.
RandomProblem compliant(Draw& draw, int size) {
  const System system =
      make_system(draw, contacts_of(size, 3), {.dimension = 3, .gap = 0.5, .penetration = 0.5});
  RandomProblem random;
  random.problem = problem_of(system, Law::coulomb, true);
  const int m = random.problem.rows();
  const double scale = draw.log_uniform(1e-3, 1.0) / system.mass_unit;
  random.problem.C = SparseRows::from_dense(MatrixX(scale * MatrixX::Identity(m, m)));
  random.theory = Theory::solvable;
  return random;
}

// A body held between two faces that approach each other.
RandomProblem impossible(Draw& draw, int size) {
  const int dimension = any_dimension(draw);
  System system = make_system(draw, std::max(2, size / dimension), {.dimension = dimension});
  system.J.middleRows(dimension, dimension) = -system.J.middleRows(0, dimension);
  system.b[0] = system.b[dimension] = -system.speed_unit * draw.uniform(0.1, 1.0);
  RandomProblem random;
  const Law law = draw.chance(0.5) ? Law::coulomb : Law::second_order;
  random.problem = problem_of(system, law, draw.chance(0.5));
  // On the cone w_n >= μ |w_t| as well; its relaxation has no solution either.
  random.theory = Theory::impossible;
  return random;
}

// Friction pyramids: λ = (normal, directions, slip speed) of each contact, one nonnegative row
// each.
RandomProblem pyramid(Draw& draw, int size, bool velocities) {
  const int dimension = any_dimension(draw);
  const int sides = dimension == 2 ? 2 : 2 * draw.integer(2, 4), rows = sides + 2;
  System system = make_system(draw, std::max(1, size / rows), {.dimension = dimension, .gap = 0.5});
  const int m = rows * system.contacts;
  MatrixX J = MatrixX::Zero(m, system.J.cols()), C = MatrixX::Zero(m, m);
  VectorX b = VectorX::Zero(m);
  for (int k = 0; k < system.contacts; ++k) {
    const int row = rows * k, from = dimension * k, slip = row + sides + 1;
    J.row(row) = system.J.row(from);
    b[row] = system.b[from];
    for (int s = 0; s < sides; ++s) {
      const double angle = 2.0 * M_PI * s / sides;
      J.row(row + 1 + s) = std::cos(angle) * system.J.row(from + 1);
      if (dimension == 3) J.row(row + 1 + s) += std::sin(angle) * system.J.row(from + 2);
      C(row + 1 + s, slip) = 1.0;
      C(slip, row + 1 + s) = -1.0;
    }
    C(slip, row) = system.friction[k];
  }
  system.J = J;
  system.b = b;
  RandomProblem random;
  std::vector<Block> blocks = scalar_blocks(m, Law::nonnegative);
  if (velocities) {
    random.problem = velocity_problem(system, std::move(blocks));
    random.problem.C = SparseRows::from_dense(C);
  } else {
    random.problem = local_problem(system.W() + C, system.q(), std::move(blocks));
  }
  random.theory = Theory::solvable;
  return random;
}
RandomProblem pyramid_local(Draw& draw, int size) {
  return pyramid(draw, size, false);
}
RandomProblem pyramid_velocity(Draw& draw, int size) {
  return pyramid(draw, size, true);
}

RandomProblem convex_cones(Draw& draw, int size) {
  const int dimension = any_dimension(draw);
  const System system =
      make_system(draw, contacts_of(size, dimension), {.dimension = dimension, .gap = 0.5});
  RandomProblem random;
  random.problem = problem_of(system, Law::second_order, draw.chance(0.5));
  random.theory = Theory::solvable;
  return random;
}

// A definite W and no units: one solution, the same for every solver.
RandomProblem definite_blocks(Draw& draw, int size, bool balls) {
  const int block = balls ? draw.integer(1, 2) : any_dimension(draw);
  const int m = block * std::max(1, size / block);
  std::vector<Block> blocks;
  for (int row = 0; row < m; row += block) {
    Block next{.law = balls ? Law::ball : Law::second_order, .offset = row, .size = block};
    if (balls)
      next.upper = draw.chance(0.1) ? 0.0 : draw.log_uniform(1e-2, 1e2);
    else
      next.friction = draw.chance(0.1) ? 0.0 : draw.uniform(0.0, 2.0);
    if (balls && block == 1 && draw.chance(0.5)) next = {.law = Law::nonnegative, .offset = row};
    blocks.push_back(next);
  }
  RandomProblem random;
  const MatrixX W = random_semidefinite(draw, m, m) + 0.1 * MatrixX::Identity(m, m);
  random.problem = local_problem(W, draw.normals(m), std::move(blocks));
  random.theory = Theory::solvable;
  random.unique = true;
  return random;
}
RandomProblem definite_cones(Draw& draw, int size) {
  return definite_blocks(draw, size, false);
}
RandomProblem balls(Draw& draw, int size) {
  return definite_blocks(draw, size, true);
}

// Contacts and joints, the joints' rows repeated: w = 0 can be reached.
RandomProblem joints(Draw& draw, int size) {
  const int dimension = any_dimension(draw);
  System system = make_system(draw, std::max(2, size / dimension),
                              {.dimension = dimension, .repeated = draw.integer(1, 2)});
  RandomProblem random;
  random.problem = problem_of(system, Law::coulomb, draw.chance(0.5));
  for (Block& block : random.problem.blocks)
    if (draw.chance(0.4))
      block = {.law = Law::equality, .offset = block.offset, .size = block.size};
  random.theory = Theory::solvable;
  return random;
}

// Every law in one problem, with a compliance that makes W definite.
RandomProblem every_law(Draw& draw, int size) {
  const System system = make_system(draw, contacts_of(size, 3), {.dimension = 3, .gap = 0.3});
  RandomProblem random;
  random.problem = problem_of(system, Law::coulomb, true);
  const double impulse = system.mass_unit * system.speed_unit;
  std::vector<Block> blocks;
  for (const Block& contact : random.problem.blocks) {
    const int kind = draw.integer(0, 3);
    if (kind < 2) {
      blocks.push_back(contact);
      blocks.back().law = kind == 0 ? Law::coulomb : Law::second_order;
      continue;
    }
    blocks.push_back({.law = kind == 2 ? Law::nonnegative : Law::box, .offset = contact.offset});
    if (kind == 3) blocks.back().lower = -impulse * draw.uniform(0.0, 1.0);
    if (kind == 3) blocks.back().upper = impulse * draw.uniform(0.0, 1.0);
    blocks.push_back({.law = draw.chance(0.5) ? Law::ball : Law::equality,
                      .offset = contact.offset + 1,
                      .size = 2,
                      .upper = impulse * draw.log_uniform(1e-2, 1e2)});
  }
  random.problem.blocks = std::move(blocks);
  const int m = random.problem.rows();
  random.problem.C =
      SparseRows::from_dense(MatrixX(0.01 / system.mass_unit * MatrixX::Identity(m, m)));
  random.theory = Theory::solvable;
  return random;
}

// Some bodies without inertia: their forces must balance, M is singular.
RandomProblem quasi_static(Draw& draw, int size) {
  const int dimension = any_dimension(draw);
  System system =
      make_system(draw, contacts_of(size, dimension), {.dimension = dimension, .gap = 0.5});
  RandomProblem random;
  random.problem = problem_of(system, Law::coulomb, true);
  MatrixX M = system.M;
  M.topLeftCorner(dimension == 2 ? 3 : 6, dimension == 2 ? 3 : 6).setZero();
  random.problem.M = SparseRows::from_dense(M);
  return random;
}

// Masses over 1e8 and friction beyond 1e3 leave W with few digits, and methods without a path.
constexpr KnownFailure mass_ratio_failures[] = {
    {0, minimum},         {54, sweeps_stall},   {166, sweeps_stall},  {218, sweeps_stall},
    {350, minimum},       {389, sweeps_stall},  {510, sweeps_end},    {533, sweeps_stall},
    {584, sweeps_stall},  {830, sweeps_stall},  {864, minimum},       {916, sweeps_stall},
    {939, sweeps_stall},  {955, sweeps_stall},  {993, sweeps_stall},  {1026, minimum},
    {1036, minimum},      {1121, sweeps_stall}, {1158, sweeps_stall}, {1214, sweeps_stall},
    {1222, minimum},      {1257, minimum},      {1325, sweeps_stall}, {1331, newton_stalls},
    {1341, sweeps_stall}, {1379, sweeps_stall}, {1501, sweeps_stall}, {1557, minimum},
    {1652, sweeps_stall}, {1720, newton_stalls}};
constexpr KnownFailure extreme_friction_failures[] = {
    {101, newton_stalls}, {125, newton_stalls}, {158, minimum},       {165, minimum},
    {245, sweeps_stall},  {270, newton_stalls}, {406, newton_stalls}, {505, newton_stalls},
    {548, minimum},       {552, sweeps_stall},  {747, minimum},       {829, newton_stalls},
    {831, minimum},       {874, sweeps_stall},  {1039, small_ends},   {1186, sweeps_stall},
    {1214, sweeps_stall}, {1317, minimum},      {1541, minimum},      {1589, sweeps_stall},
    {1720, minimum},      {1724, minimum},      {1752, minimum},      {1755, minimum}};
constexpr KnownFailure rolling_failures[] = {{61, newton_stalls}};
constexpr KnownFailure pyramid_failures[] = {
    {41, minimum}, {488, minimum}, {818, minimum}, {1304, newton_stalls}, {3150, minimum}};
constexpr KnownFailure cone_failures[] = {
    {11, sweeps_stall}, {836, sweeps_stall}, {1327, minimum}, {3028, sweeps_stall}};

constexpr Family contact_table[] = {
    {"contact_planar_local", "Coulomb in the plane, (W, q)", planar_local},
    {"contact_planar_velocity", "Coulomb in the plane, (M, J)", planar_velocity},
    {"contact_spatial_local", "Coulomb in space, (W, q)", spatial_local},
    {"contact_spatial_velocity", "Coulomb in space, (M, J)", spatial_velocity},
    {"contact_gaps", "with gaps still to close", gaps},
    {"contact_penetrations", "b of any sign: perhaps no solution", penetrations, 0.1},
    {"contact_mass_ratio", "masses over 1e8", heavy_on_light, 0.5, mass_ratio_failures},
    {"contact_repeated", "each contact up to 100 times", repeated},
    {"contact_extreme_friction", "friction 0, or 1e3 to 1e6", extreme_friction, 0.5,
     extreme_friction_failures},
    {"contact_rolling", "with rolling resistance, in the plane and in space", rolling, 1.0,
     rolling_failures},
    {"contact_nonsymmetric", "definite W that is not symmetric", nonsymmetric},
    {"contact_compliant", "C positive, b of any sign", compliant},
    {"contact_impossible", "held between faces that approach", impossible, 0.3},
    {"pyramid_local", "friction pyramids, (W, q)", pyramid_local, 1.0, pyramid_failures},
    {"pyramid_velocity", "friction pyramids, (M, J, C)", pyramid_velocity},
    {"cone_convex", "second-order cones, singular W", convex_cones, 1.0, cone_failures},
    {"cone_definite", "second-order cones, definite W: one solution", definite_cones},
    {"ball", "balls and half-lines, definite W: one solution", balls},
    {"joints", "contacts and repeated equalities", joints, 1.0},
    {"every_law", "all laws in one problem, definite W", every_law},
    {"quasi_static", "a body without inertia: M singular", quasi_static, 0.1},
};

}  // namespace

std::span<const Family> contact_families() {
  return contact_table;
}

}  // namespace vinci::test
