// SPDX-License-Identifier: Apache-2.0
// Bullet's GImpact meshes, which may move and be non-convex, without a margin; defaults otherwise.
#include <map>

#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletDynamicsCommon.h>

#include "mesh/engine.h"

namespace vinci {
namespace {

btVector3 in_bullet(const Vector3& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}

class BulletMeshes : public MeshEngine {
 public:
  explicit BulletMeshes(const MeshLayout& layout)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_),
        step_(static_cast<btScalar>(layout.step)) {
    btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher_);
    world_.setGravity(btVector3(0, 0, btScalar(-9.81)));
    for (const MeshLayout::Plane& plane : layout.planes) {
      planes_.push_back(std::make_unique<btStaticPlaneShape>(
          in_bullet(plane.normal), static_cast<btScalar>(plane.normal.dot(plane.point))));
      add(*planes_.back(), 0.0, btTransform::getIdentity(), layout.friction);
    }
    first_ = bodies_.size();
    for (const MeshLayout::Part& part : layout.parts) {
      Kind& kind = kind_of_mesh(part.mesh, layout.density);
      shapes_.push_back(std::make_unique<btGImpactMeshShape>(kind.triangles.get()));
      shapes_.back()->setMargin(0);
      shapes_.back()->updateBound();
      centers_.push_back(kind.mass.center);
      btTransform start(btQuaternion(static_cast<btScalar>(part.pose.rotation.x()),
                                     static_cast<btScalar>(part.pose.rotation.y()),
                                     static_cast<btScalar>(part.pose.rotation.z()),
                                     static_cast<btScalar>(part.pose.rotation.w())),
                        in_bullet(part.pose * kind.mass.center));
      btRigidBody& body =
          add(*shapes_.back(), part.fixed ? 0.0 : kind.mass.mass, start, layout.friction);
      if (!part.fixed)
        body.setMassProps(static_cast<btScalar>(kind.mass.mass),
                          in_bullet(kind.mass.inertia.diagonal()));
    }
  }
  ~BulletMeshes() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  std::string name() const override { return "Bullet"; }
  void step() override { world_.stepSimulation(step_, 0); }
  void poses(std::vector<Pose>& poses) const override {
    poses.clear();
    for (std::size_t i = first_; i < bodies_.size(); ++i) {
      const btTransform& at = bodies_[i]->getWorldTransform();
      const btQuaternion q = at.getRotation();
      const Quaternion rotation = Quaternion(q.w(), q.x(), q.y(), q.z()).normalized();
      const btVector3& p = at.getOrigin();
      poses.push_back({Vector3(p.x(), p.y(), p.z()) - rotation * centers_[i - first_], rotation});
    }
  }
  int contacts() const override {
    int count = 0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i)
      count += dispatcher_.getManifoldByIndexInternal(i)->getNumContacts();
    return count;
  }

 private:
  struct Kind {  // vertices about the centre of mass, as Bullet wants them
    std::vector<btScalar> vertices;
    std::vector<int> indices;
    std::unique_ptr<btTriangleIndexVertexArray> triangles;
    MassProperties mass;
  };

  Kind& kind_of_mesh(const Mesh& mesh, double density) {
    Kind& kind = kinds_[mesh.surface.get()];
    if (kind.triangles) return kind;
    kind.mass = mass_properties(mesh, density, Extent::spatial);
    for (const Vector3& v : mesh.surface->vertices)
      for (int k = 0; k < 3; ++k)
        kind.vertices.push_back(static_cast<btScalar>(v[k] - kind.mass.center[k]));
    for (const auto& t : mesh.surface->triangles)
      kind.indices.insert(kind.indices.end(), t.begin(), t.end());
    kind.triangles = std::make_unique<btTriangleIndexVertexArray>(
        static_cast<int>(kind.indices.size() / 3), kind.indices.data(),
        static_cast<int>(3 * sizeof(int)), static_cast<int>(kind.vertices.size() / 3),
        kind.vertices.data(), static_cast<int>(3 * sizeof(btScalar)));
    return kind;
  }

  btRigidBody& add(btCollisionShape& shape, double mass, const btTransform& start,
                   double friction) {
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(mass), nullptr, &shape,
                                                  btVector3(1, 1, 1));
    info.m_startWorldTransform = start;
    info.m_friction = static_cast<btScalar>(std::sqrt(friction));  // a pair gets the product
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
    return *bodies_.back();
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  btScalar step_;
  std::map<const TriangleMesh*, Kind> kinds_;
  std::vector<std::unique_ptr<btStaticPlaneShape>> planes_;
  std::vector<std::unique_ptr<btGImpactMeshShape>> shapes_;
  std::vector<Vector3> centers_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::size_t first_ = 0;
};

}  // namespace

std::unique_ptr<MeshEngine> make_mesh_bullet(const MeshLayout& layout) {
  return std::make_unique<BulletMeshes>(layout);
}

}  // namespace vinci
