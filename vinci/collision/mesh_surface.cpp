// SPDX-License-Identifier: Apache-2.0
#include "vinci/collision/mesh_surface.h"

#include "vinci/base/error.h"
#include "vinci/collision/spatial_feature.h"
#include "vinci/geometry/build.h"

namespace vinci {

namespace {

const TriangleMesh& cube_triangles() {
  static const std::shared_ptr<const TriangleMesh> cube =
      make_triangle_mesh(box_polyhedron(Vector3::Ones()));
  return *cube;
}

}  // namespace

PlacedSurface place_surface(const Shape& shape, const Pose& pose) {
  PlacedSurface placed;
  placed.rotation = pose.rotation.toRotationMatrix();
  placed.position = pose.position;
  if (const auto* box = std::get_if<Box>(&shape)) {
    placed.mesh = &cube_triangles();
    placed.scale = box->half_extents;
    placed.is_box = true;
  } else if (const auto* hull = std::get_if<Polyhedron>(&shape)) {
    if (!hull->surface) throw Error("a polyhedron without a surface of triangles meets a mesh");
    placed.mesh = hull->surface.get();
  } else {
    placed.mesh = triangles_of(shape);
  }
  return placed;
}

Box3 PlacedSurface::box_of(const Box3& box) const {
  const Vector3 center = position + rotation * scale.cwiseProduct(0.5 * (box.lower + box.upper));
  const Vector3 half = rotation.cwiseAbs() * scale.cwiseProduct(0.5 * (box.upper - box.lower));
  return {center - half, center + half};
}

Box3 PlacedSurface::triangle_box(int triangle) const {
  Box3 box{Vector3::Constant(infinity), Vector3::Constant(-infinity)};
  for (const int v : mesh->triangles[static_cast<std::size_t>(triangle)]) {
    const Vector3 x = vertex(v);
    box.lower = box.lower.cwiseMin(x);
    box.upper = box.upper.cwiseMax(x);
  }
  return box;
}

double PlacedSurface::depth(const Vector3& x) const {
  const Vector3 at = local(x);
  if (is_box) return (scale - at.cwiseAbs()).minCoeff();
  if (mesh->closed &&
      ((at - mesh->box.lower).minCoeff() < 0.0 || (mesh->box.upper - at).minCoeff() < 0.0))
    return 0.0;
  const MeshFoot foot = nearest_point(*mesh, at);
  return foot.inside ? foot.distance : 0.0;
}

bool PlacedSurface::vertex_faces(int v, const Vector3& n, double slack) const {
  const Vector3 m = rotation.transpose() * n;
  // A corner of a room has its cone inside the walls.
  if (mesh->vertex_normals[static_cast<std::size_t>(v)].dot(m) < 0.0) return false;
  const Vector3& from = mesh->vertices[static_cast<std::size_t>(v)];
  for (int i = mesh->vertex_first[static_cast<std::size_t>(v)];
       i < mesh->vertex_first[static_cast<std::size_t>(v) + 1]; ++i) {
    const TriangleMesh::Edge& edge =
        mesh->edges[static_cast<std::size_t>(mesh->vertex_edges[static_cast<std::size_t>(i)])];
    const int other = edge.tail == v ? edge.head : edge.tail;
    const Vector3 along =
        scale.cwiseProduct(mesh->vertices[static_cast<std::size_t>(other)] - from);
    const double rise = along.dot(m);
    if (rise > 0.0 && rise * rise > slack * slack * along.squaredNorm()) return false;
    // The back of an open surface touches nothing.
    if (edge.right < 0 && mesh->flat(edge.left).normal.dot(m) < 0.0) return false;
  }
  return true;
}

bool PlacedSurface::vertex_may_touch(int v, const Vector3& n) const {
  const Vector3 m = rotation.transpose() * n;
  for (int i = mesh->vertex_first[static_cast<std::size_t>(v)];
       i < mesh->vertex_first[static_cast<std::size_t>(v) + 1]; ++i) {
    const TriangleMesh::Edge& edge =
        mesh->edges[static_cast<std::size_t>(mesh->vertex_edges[static_cast<std::size_t>(i)])];
    if (mesh->flat(edge.left).normal.dot(m) > facing_cosine) return true;
    if (edge.right >= 0 && mesh->flat(edge.right).normal.dot(m) > facing_cosine) return true;
  }
  return vertex_faces(v, n, cone_slack);
}

bool PlacedSurface::edge_faces(int e, const Vector3& n, double slack) const {
  const TriangleMesh::Edge& edge = mesh->edges[static_cast<std::size_t>(e)];
  const Vector3 m = rotation.transpose() * n;
  if (edge.kind == TriangleMesh::Edge::Kind::border)
    return edge.inward_left.dot(m) <= slack && mesh->flat(edge.left).normal.dot(m) > 0.0;
  return edge.kind == TriangleMesh::Edge::Kind::convex && edge.inward_left.dot(m) <= slack &&
         edge.inward_right.dot(m) <= slack;
}

bool PlacedSurface::is_over(int triangle, const Vector3& x, double tolerance,
                            double concave) const {
  const Vector3 at = local(x);
  const auto t = static_cast<std::size_t>(triangle);
  const Vector3& normal = mesh->flat(triangle).normal;
  for (std::size_t k = 0; k < 3; ++k) {
    const TriangleMesh::Edge& edge =
        mesh->edges[static_cast<std::size_t>(mesh->triangle_edges[t][k])];
    const Vector3 tail =
        scale.cwiseProduct(mesh->vertices[static_cast<std::size_t>(mesh->triangles[t][k])]);
    const Vector3 along =
        scale.cwiseProduct(
            mesh->vertices[static_cast<std::size_t>(mesh->triangles[t][(k + 1) % 3])]) -
        tail;
    const Vector3 inward = normal.cross(along);
    const double beyond = -inward.dot(at - tail);
    if (!(beyond > 0.0) || beyond * beyond <= tolerance * tolerance * inward.squaredNorm())
      continue;
    if (edge.kind != TriangleMesh::Edge::Kind::concave ||
        beyond * beyond > concave * concave * inward.squaredNorm())
      return false;
    const TriangleMesh::Flat& next = mesh->flat(edge.left == triangle ? edge.right : edge.left);
    if (next.normal.dot(at) > next.offset) return false;
  }
  return true;
}

}  // namespace vinci
