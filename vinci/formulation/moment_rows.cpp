// SPDX-License-Identifier: Apache-2.0
// Axes of the rows of contacts with moments.
#include "vinci/formulation/moment_rows.h"

#include <cmath>
#include <numbers>

#include "vinci/base/regular_polygon.h"

namespace vinci {
namespace {

World tangents_of(World world, bool one_tangent) {
  return one_tangent ? World::planar : world;
}

// Rings of the polyhedron on either side of the equator: the angle between them is that between
// its corners along the equator.
int rings_beside(int sides) {
  return (sides - 1) / 4;
}

int patch_direction_count(const ConeForm& form, bool one_tangent) {
  if (one_tangent) return form.cone == Cone::box ? 4 : form.directions;
  if (form.cone == Cone::box) return 8;
  return form.directions * (2 * rings_beside(form.directions) + 1) + 2;
}

// Along tangent 1, tangent 2 and spin; corners on the unit sphere, or of the cube around it.
Vector3 patch_direction(const ConeForm& form, bool one_tangent, int j) {
  const int sides = form.directions;
  if (one_tangent) {
    const Vector2 d = cone_direction(World::spatial, form, j);
    return {d[0], 0.0, d[1]};
  }
  if (form.cone == Cone::box) {
    const Vector2 d = cone_direction(World::spatial, form, j % 4);
    return {d[0], d[1], j < 4 ? 1.0 : -1.0};
  }
  const int rings = rings_beside(sides), ring = j / sides - rings;
  if (ring > rings) return {0.0, 0.0, j % sides == 0 ? 1.0 : -1.0};
  const double latitude = 2.0 * std::numbers::pi * ring / sides;
  const Vector2 d = cone_direction(World::spatial, form, j % sides);
  const double around = ring == 0 ? 1.0 : std::cos(latitude);
  return {around * d[0], around * d[1], ring == 0 ? 0.0 : std::sin(latitude)};
}

// As forces along the directions of a pyramid or box in the tangent plane.
void split(World tangents, const ConeForm& form, Vector2 value, double* first, int count) {
  // The corners of a box are those of a square in other axes.
  if (form.cone == Cone::box && tangents == World::spatial)
    value = 0.5 * Vector2(value.x() + value.y(), value.y() - value.x());
  split_over_corners(value, {first, static_cast<std::size_t>(count)});
}

}  // namespace

MomentLayout moment_layout(World world, const ConeForm& form, double friction, const Vector2& scale,
                           const ContactMoments& moments) {
  MomentLayout layout;
  const bool planar = world == World::planar, directions = has_directions(form);
  const bool patch = !planar && moments.radius > 0.0 && friction > 0.0;
  const bool twists = !planar && moments.torsion > 0.0;
  if (!patch && !twists && !(moments.rolling > 0.0)) return layout;
  layout.one_tangent = planar || scale[1] == 0.0;
  if (patch) layout.radius = moments.radius;
  const World tangents = tangents_of(world, layout.one_tangent);
  if (directions) {
    if (friction > 0.0)
      layout.friction =
          patch ? patch_direction_count(form, layout.one_tangent) : direction_count(tangents, form);
    if (moments.rolling > 0.0) layout.rolling = direction_count(world, form);
    if (twists) layout.torsion = 2;
    return layout;
  }
  // Without friction one tangent is left, whose limit is 0.
  layout.friction = friction > 0.0 ? (layout.one_tangent ? 1 : 2) + (patch ? 1 : 0) : 1;
  if (moments.rolling > 0.0) layout.rolling = planar ? 1 : 2;
  if (twists) layout.torsion = 1;
  return layout;
}

MomentAxis moment_axis(World world, const ConeForm& form, const MomentLayout& layout,
                       const Vector2& scale, MomentPart part, int j) {
  const bool directions = has_directions(form);
  MomentAxis axis;
  if (part == MomentPart::torsion) {
    axis.turning[0] = j == 0 ? 1.0 : -1.0;
  } else if (part == MomentPart::rolling) {
    if (world == World::planar)
      axis.turning[2] = j == 0 ? 1.0 : -1.0;
    else if (directions)
      axis.turning.tail<2>() = cone_direction(world, form, j);
    else
      axis.turning[1 + j] = 1.0;
  } else if (!directions) {
    if (layout.radius > 0.0 && j + 1 == layout.friction)
      axis.turning[0] = layout.radius;
    else
      axis.tangential[j] = scale[j];
  } else if (layout.radius > 0.0) {
    const Vector3 d = patch_direction(form, layout.one_tangent, j);
    axis.tangential = scale.cwiseProduct(d.head<2>());
    axis.turning[0] = layout.radius * d[2];
  } else {
    axis.tangential =
        scale.cwiseProduct(cone_direction(tangents_of(world, layout.one_tangent), form, j));
  }
  return axis;
}

ContactWrench moment_wrench(World world, const ConeForm& form, const MomentLayout& layout,
                            const Vector2& scale, Eigen::Ref<const VectorX> lambda) {
  ContactWrench wrench;
  wrench.impulse[0] = lambda[0];
  int row = 1;
  const auto add = [&](MomentPart part, int count) {
    for (int j = 0; j < count; ++j, ++row) {
      const MomentAxis axis = moment_axis(world, form, layout, scale, part, j);
      wrench.impulse.tail<2>() += lambda[row] * axis.tangential;
      wrench.moment += lambda[row] * axis.turning;
    }
    if (count > 0 && has_directions(form)) ++row;  // σ
  };
  add(MomentPart::friction, layout.friction);
  add(MomentPart::rolling, layout.rolling);
  add(MomentPart::torsion, layout.torsion);
  return wrench;
}

void guess_moments(World world, const ConeForm& form, const MomentLayout& layout,
                   const Vector2& scale, const ContactWrench& wrench, Eigen::Ref<VectorX> lambda) {
  lambda.setZero();
  lambda[0] = wrench.impulse[0];
  Vector2 friction(wrench.impulse[1] / scale[0], 0.0);
  if (!layout.one_tangent) friction[1] = wrench.impulse[2] / scale[1];
  const Vector2 rolling = wrench.moment.tail<2>();
  if (!has_directions(form)) {
    const int spins = layout.radius > 0.0 ? 1 : 0;
    for (int j = 0; j + spins < layout.friction; ++j) lambda[1 + j] = friction[j];
    if (spins) lambda[layout.friction] = wrench.moment[0] / layout.radius;
    const int first = 1 + layout.friction;
    if (layout.rolling == 1) lambda[first] = rolling[1];
    if (layout.rolling == 2) lambda.segment<2>(first) = rolling;
    if (layout.torsion > 0) lambda[first + layout.rolling] = wrench.moment[0];
    return;
  }
  int row = 1;
  if (layout.friction > 0) {
    // The corners of a polyhedron are left to the solver.
    if (!(layout.radius > 0.0))
      split(tangents_of(world, layout.one_tangent), form, friction, lambda.data() + row,
            layout.friction);
    row += layout.friction + 1;
  }
  if (layout.rolling > 0) {
    const bool planar = world == World::planar;
    split(world, form, planar ? Vector2(rolling[1], 0.0) : rolling, lambda.data() + row,
          layout.rolling);
    row += layout.rolling + 1;
  }
  if (layout.torsion > 0)
    split(World::planar, form, {wrench.moment[0], 0.0}, lambda.data() + row, layout.torsion);
}

}  // namespace vinci
