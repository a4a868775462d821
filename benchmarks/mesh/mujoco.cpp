// SPDX-License-Identifier: Apache-2.0
// MuJoCo with its defaults (soft contacts, Newton's method). It replaces every mesh by its hull:
// parts with holes cannot reach into each other.
#include <map>

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "mesh/engine.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

std::string document(const MeshLayout& layout) {
  std::map<const TriangleMesh*, std::size_t> meshes;
  std::string assets, bodies;
  for (const MeshLayout::Part& part : layout.parts) {
    const TriangleMesh& mesh = *part.mesh.surface;
    const auto [at, added] = meshes.emplace(&mesh, meshes.size());
    if (added) {
      std::string vertices, faces;
      for (const Vector3& v : mesh.vertices)
        vertices += fmt::format("{} {} {} ", v.x(), v.y(), v.z());
      for (const auto& t : mesh.triangles) faces += fmt::format("{} {} {} ", t[0], t[1], t[2]);
      assets +=
          fmt::format("<mesh name='m{}' vertex='{}' face='{}'/>", at->second, vertices, faces);
    }
    const Vector3& p = part.pose.position;
    const Quaternion& q = part.pose.rotation;
    bodies += fmt::format(
        "<body pos='{} {} {}' quat='{} {} {} {}'>{}<geom type='mesh' mesh='m{}' density='{}' "
        "friction='{} 0 0' condim='3'/></body>",
        p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z(), part.fixed ? "" : "<freejoint/>",
        at->second, layout.density, layout.friction);
  }
  std::string planes;
  for (const MeshLayout::Plane& plane : layout.planes)
    planes += fmt::format(
        "<geom type='plane' size='0 0 1' pos='{} {} {}' zaxis='{} {} {}' friction='{} 0 0'/>",
        plane.point.x(), plane.point.y(), plane.point.z(), plane.normal.x(), plane.normal.y(),
        plane.normal.z(), layout.friction);
  // It keeps a dense matrix of all rows of contact that there may be.
  const std::size_t rows = std::min<std::size_t>(9000, 400 + 60 * layout.parts.size());
  return fmt::format(
      "<mujoco><compiler inertiafromgeom='true' exactmeshinertia='true'/><size njmax='{}' "
      "nconmax='{}' nstack='{}'/><option timestep='{}' gravity='0 0 -9.81'/><asset>{}</asset>"
      "<worldbody>{}{}</worldbody></mujoco>",
      rows, rows / 2, 4'000'000 + 12'000 * rows, layout.step, assets, planes, bodies);
}

class MujocoMeshes : public MeshEngine {
 public:
  explicit MujocoMeshes(const MeshLayout& layout) : count_(layout.parts.size()) {
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    const std::string text = document(layout);
    if (mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(text.size())) != 0)
      throw Error("MuJoCo takes no file of this size");
    const int index = mj_findFileVFS(files.get(), "scene.xml");
    std::copy(text.begin(), text.end(), static_cast<char*>(files->filedata[index]));
    char problem[1000] = "";
    model_ = mj_loadXML("scene.xml", files.get(), problem, sizeof problem);
    mj_deleteVFS(files.get());
    if (!model_) throw Error(fmt::format("MuJoCo: {}", problem));
    data_ = mj_makeData(model_);
  }
  ~MujocoMeshes() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoMeshes(const MujocoMeshes&) = delete;
  MujocoMeshes& operator=(const MujocoMeshes&) = delete;

  std::string name() const override { return "MuJoCo (hulls)"; }
  void step() override { mj_step(model_, data_); }
  void poses(std::vector<Pose>& poses) const override {
    mj_kinematics(model_, data_);
    poses.clear();
    for (std::size_t i = 1; i <= count_; ++i) {
      const mjtNum *p = data_->xpos + 3 * i, *q = data_->xquat + 4 * i;
      poses.push_back({Vector3(p[0], p[1], p[2]), Quaternion(q[0], q[1], q[2], q[3]).normalized()});
    }
  }
  int contacts() const override { return data_->ncon; }

 private:
  std::size_t count_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace

std::unique_ptr<MeshEngine> make_mesh_mujoco(const MeshLayout& layout) {
  return std::make_unique<MujocoMeshes>(layout);
}

}  // namespace vinci
