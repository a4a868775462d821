// SPDX-License-Identifier: Apache-2.0
// The grasp in Box2D 2.4, built from the compiled scene: the same outline, masses, inertia,
// supports and forces, in units of 1/scale metre. Box2D is made for bodies of 0.1 to 10 units; it
// lets them overlap by 0.005 of them, so that millimetres serve it better here than centimetres.
//
// Box2D knows no table. Its friction joint to the ground holds a point with a force up to a limit;
// one at each support with the limit μ N is the friction of the scene. Fingers run on prismatic
// joints; damping takes the place of their viscous guides, v/(1 + h c/m) as in the scene's step.
// Polygons wear a skin: tips are smaller by it, so that they touch the true outline.
#include <algorithm>
#include <cmath>

#include <box2d/box2d.h>

#include "planar/cpu_watch.h"
#include "planar/grasp.h"

namespace vinci {
namespace {

// A world of one grasp. Everything that it makes belongs to the world.
class GraspWorld {
 public:
  GraspWorld(const Model& model, const Box2dSettings& settings)
      : model_(model), settings_(settings), world_(b2Vec2(0.0F, 0.0F)) {
    world_.SetAllowSleeping(false);
    b2BodyDef ground;
    ground_ = world_.CreateBody(&ground);
    part_ = add_part(body("part"));
    left_ = add_finger(body("left"), -1.0);
    right_ = add_finger(body("right"), 1.0);
  }

  void step(double h) {
    const float force = units(number("force"));
    left_->ApplyForceToCenter(b2Vec2(force, 0.0F), true);
    right_->ApplyForceToCenter(b2Vec2(-force, 0.0F), true);
    world_.Step(static_cast<float>(h), settings_.velocity_iterations,
                settings_.position_iterations);
  }
  GraspEnd end() const {
    GraspEnd result;
    result.part = Vector2(part_->GetPosition().x, part_->GetPosition().y) / settings_.scale;
    result.angle = part_->GetAngle();
    result.left = left_->GetPosition().x / settings_.scale;
    result.right = right_->GetPosition().x / settings_.scale;
    return result;
  }

 private:
  const Body& body(const char* name) const {
    return model_.bodies[static_cast<std::size_t>(model_.find_body(name))];
  }
  double number(const char* name) const { return model_.parameters.at(name); }
  float units(double metres) const { return static_cast<float>(metres * settings_.scale); }
  b2Vec2 units(const Vector2& metres) const { return {units(metres.x()), units(metres.y())}; }

  b2Body* add(const Body& source) {
    b2BodyDef definition;
    definition.type = b2_dynamicBody;
    definition.position = units(Vector2(source.initial_pose.position.head<2>()));
    return world_.CreateBody(&definition);
  }
  void add_shape(b2Body* owner, const b2Shape& shape) {
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.friction = static_cast<float>(number("mu_gripper"));  // a pair: the geometric mean
    fixture.density = 1.0F;                                       // the mass is set below
    owner->CreateFixture(&fixture);
  }
  void set_mass(b2Body* owner, const Body& source) {
    b2MassData mass;
    mass.mass = static_cast<float>(source.mass.mass);
    mass.center = b2Vec2(0.0F, 0.0F);
    mass.I = static_cast<float>(source.mass.inertia(2, 2) * settings_.scale * settings_.scale);
    owner->SetMassData(&mass);
  }

  b2Body* add_part(const Body& source) {
    b2Body* part = add(source);
    const auto& polygon =
        std::get<Polygon>(model_.shapes[static_cast<std::size_t>(source.first_shape)].shape);
    for (const std::vector<int>& piece : polygon.pieces)
      // At most eight corners each: larger pieces are cut into fans.
      for (std::size_t first = 1; first + 1 < piece.size(); first += b2_maxPolygonVertices - 2) {
        std::vector<b2Vec2> corners = {units(polygon.vertices[piece[0]])};
        const std::size_t last = std::min(first + b2_maxPolygonVertices - 1, piece.size());
        for (std::size_t i = first; i < last; ++i)
          corners.push_back(units(polygon.vertices[piece[i]]));
        b2PolygonShape shape;
        shape.Set(corners.data(), static_cast<int32>(corners.size()));
        add_shape(part, shape);
      }
    set_mass(part, source);
    if (settings_.joint_a_support) {
      for (const Support& support : source.supports)
        rub(part, support.point.head<2>(), support.friction * support.load, 0.0);
    } else {
      double force = 0.0, torque = 0.0;
      for (const Support& support : source.supports) {
        force += support.friction * support.load;
        torque += support.friction * support.load * support.point.head<2>().norm();
      }
      rub(part, Vector2::Zero(), force, torque);
    }
    return part;
  }
  // The point of the body, force N and torque N m at most.
  void rub(b2Body* owner, const Vector2& point, double force, double torque) {
    b2FrictionJointDef joint;
    joint.Initialize(ground_, owner, owner->GetWorldPoint(units(point)));
    joint.maxForce = units(force);
    joint.maxTorque = static_cast<float>(torque * settings_.scale * settings_.scale);
    world_.CreateJoint(&joint);
  }

  // A round tip and the sides of the finger behind it.
  b2Body* add_finger(const Body& source, double side) {
    b2Body* finger = add(source);
    b2CircleShape tip;
    tip.m_radius = units(number("tip_radius")) - b2_polygonRadius;
    add_shape(finger, tip);
    b2PolygonShape rod;
    const float length = units(number("finger_length"));
    rod.SetAsBox(0.5F * length, units(number("tip_radius")) - 2.0F * b2_polygonRadius,
                 b2Vec2(static_cast<float>(side) * 0.5F * length, 0.0F), 0.0F);
    add_shape(finger, rod);
    set_mass(finger, source);
    finger->SetLinearDamping(static_cast<float>(number("damping") / source.mass.mass));
    b2PrismaticJointDef guide;
    guide.Initialize(ground_, finger, finger->GetPosition(), b2Vec2(1.0F, 0.0F));
    world_.CreateJoint(&guide);
    return finger;
  }

  const Model& model_;
  const Box2dSettings& settings_;
  b2World world_;
  b2Body *ground_ = nullptr, *part_ = nullptr, *left_ = nullptr, *right_ = nullptr;
};

class Box2dGrasp : public GraspEngine {
 public:
  Box2dGrasp(const Scene& scene, const Box2dSettings& settings)
      : scene_(scene), settings_(settings) {}
  std::string name() const override { return settings_.name; }

  GraspRun run(const GraspTask& task, double step, double duration) override {
    GraspRun result;
    const std::shared_ptr<const Model> model = scene_.compile(parameters_of(task));
    CpuWatch watch;
    GraspWorld world(*model, settings_);
    result.building = watch.lap();
    result.steps = static_cast<int>(std::lround(duration / step));
    for (int i = 0; i < result.steps; ++i) world.step(step);
    result.stepping = watch.lap();
    result.end = world.end();
    return result;
  }

 private:
  Scene scene_;
  Box2dSettings settings_;
};

}  // namespace

std::unique_ptr<GraspEngine> make_box2d_grasp(const Scene& scene, const Box2dSettings& settings) {
  return std::make_unique<Box2dGrasp>(scene, settings);
}

}  // namespace vinci
