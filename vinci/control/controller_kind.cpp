// SPDX-License-Identifier: Apache-2.0
// The list of controller kinds: every law of joints is one.
#include "vinci/control/controller_kind.h"

#include <algorithm>

#include "vinci/control/controllers.h"

namespace vinci {
namespace {

class JointControllerDescription : public ControllerDescription {
 public:
  JointControllerDescription(ControllerSetup setup, const JointLaw& law)
      : ControllerDescription(setup.name, law.name), setup_(std::move(setup)), law_(law) {}

  std::shared_ptr<Controller> make(const Model& model) const override {
    const auto numbers = [&](const char* key) {
      const auto found = setup_.numbers.find(key);
      return found == setup_.numbers.end() ? VectorX() : found->second;
    };
    auto controller = std::make_shared<JointController>(
        model, law_,
        JointGains{numbers("proportional"), numbers("derivative"), numbers("integral"),
                   setup_.limits, setup_.sample},
        setup_.reference, setup_.rates);
    controller->set_others(setup_.others);
    return controller;
  }

  std::string why_not(const std::string& motion) const override {
    if (!law_.needs_inertia || motion == "dynamic") return "";
    return "a " + law_.name +
           " controller asks for accelerations, which this motion does not have; accepted: "
           "'motion: dynamic', or a controller of another kind";
  }

 private:
  ControllerSetup setup_;
  const JointLaw& law_;
};

template <const JointLaw& (*law)()>
ControllerKind kind() {
  return {law().name, law().text, law().keys,
          [](ControllerSetup setup) -> std::shared_ptr<const ControllerDescription> {
            return std::make_shared<JointControllerDescription>(std::move(setup), law());
          }};
}

}  // namespace

const std::vector<const JointLaw*>& joint_laws() {
  static const std::vector<const JointLaw*> laws{&pd_law(), &pid_law(), &gravity_compensation_law(),
                                                 &computed_torque_law()};
  return laws;
}

const std::vector<ControllerKind>& controller_kinds() {
  static const std::vector<ControllerKind> kinds{kind<pd_law>(), kind<pid_law>(),
                                                 kind<gravity_compensation_law>(),
                                                 kind<computed_torque_law>()};
  return kinds;
}

}  // namespace vinci
