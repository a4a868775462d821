// SPDX-License-Identifier: Apache-2.0
// Grows the forest and numbers its unknowns.
#include "vinci/kinematics/joint_tree.h"

#include <algorithm>

namespace vinci {
namespace {

class Grower {
 public:
  explicit Grower(Model& model) : model_(model), count_(static_cast<int>(model.bodies.size())) {}

  void grow() {
    model_.tree_joint.assign(model_.bodies.size(), -1);
    model_.tree_order.clear();
    joints_of_.assign(model_.bodies.size() + 1, {});
    for (int j = 0; j < static_cast<int>(model_.joints.size()); ++j) {
      const Joint& joint = model_.joints[j];
      if (joint.body_a == joint.body_b) continue;
      joints_of_[place(joint.body_a)].push_back(j);
      joints_of_[place(joint.body_b)].push_back(j);
    }
    reached_.assign(model_.bodies.size() + 1, false);
    reach(-1);
    for (int b = 0; b < count_; ++b)
      if (is_root(b)) reach(b);
    spread();
    for (const bool only_first : {true, false})
      for (int b = 0; b < count_; ++b)
        if (!reached_[place(b)] && !(only_first && is_second(b))) {
          reach(b);
          spread();
        }
  }

  void number() {
    model_.free_index.assign(static_cast<std::size_t>(model_.velocity_count), -1);
    model_.rate_index.assign(static_cast<std::size_t>(model_.joint_rate_count), -1);
    model_.free_count = 0;
    number_hanging(-1);
    for (int b = 0; b < count_; ++b) {
      if (model_.tree_joint[b] >= 0) continue;
      const Body& body = model_.bodies[b];
      for (int i = 0; i < body.velocity_size; ++i) {
        const int entry = body.velocity_offset + i;
        const std::size_t coordinate = static_cast<std::size_t>(model_.coordinate[entry]);
        if (!body.drives[coordinate].prescribed) model_.free_index[entry] = model_.free_count++;
      }
      number_hanging(b);
    }
  }

 private:
  static std::size_t place(int body) { return static_cast<std::size_t>(body + 1); }

  bool is_root(int b) const {
    const Body& body = model_.bodies[b];
    return body.freedom == Freedom::fixed || body.is_prescribed() ||
           (body.freedom == Freedom::planar && model_.world == World::spatial);
  }
  bool is_second(int b) const {
    return std::any_of(model_.joints.begin(), model_.joints.end(),
                       [&](const Joint& joint) { return joint.body_b == b; });
  }

  void reach(int body) {
    reached_[place(body)] = true;
    waiting_.push_back(body);
  }

  // Nearest bodies first.
  void spread() {
    for (; next_ < waiting_.size(); ++next_)
      for (const int j : joints_of_[place(waiting_[next_])]) {
        const Joint& joint = model_.joints[j];
        const int other = joint.body_a == waiting_[next_] ? joint.body_b : joint.body_a;
        if (other < 0 || reached_[place(other)]) continue;
        model_.tree_joint[other] = j;
        reach(other);
      }
  }

  // What hangs on a body, and what hangs on that: down to the end of a branch before the next one.
  void number_hanging(int root) {
    std::vector<int> stack = {root};
    while (!stack.empty()) {
      const int body = stack.back();
      stack.pop_back();
      if (body != root) {
        model_.tree_order.push_back(body);
        const Joint& joint = model_.joints[model_.tree_joint[body]];
        for (int k = 0; k < rate_count(joint.kind); ++k)
          model_.rate_index[joint.first_rate + k] = model_.free_count++;
      }
      const std::vector<int>& joints = joints_of_[place(body)];
      for (auto j = joints.rbegin(); j != joints.rend(); ++j) {
        const Joint& joint = model_.joints[*j];
        const int other = joint.body_a == body ? joint.body_b : joint.body_a;
        if (other >= 0 && model_.tree_joint[other] == *j &&
            (body < 0 || model_.tree_joint[body] != *j))
          stack.push_back(other);
      }
    }
  }

  Model& model_;
  int count_;
  std::vector<std::vector<int>> joints_of_;  // per body; the world's first
  std::vector<bool> reached_;
  std::vector<int> waiting_;
  std::size_t next_ = 0;
};

}  // namespace

void make_tree(Model& model) {
  Grower grower(model);
  grower.grow();
  grower.number();
}

void make_no_tree(Model& model) {
  model.tree_joint.assign(model.bodies.size(), -1);
  model.tree_order.clear();
  model.rate_index.assign(static_cast<std::size_t>(model.joint_rate_count), -1);
  model.free_count = 0;
  model.free_index.assign(static_cast<std::size_t>(model.velocity_count), -1);
  for (const Body& body : model.bodies)
    for (int entry = body.velocity_offset; entry < body.velocity_offset + body.velocity_size;
         ++entry) {
      const std::size_t coordinate = static_cast<std::size_t>(model.coordinate[entry]);
      if (!body.drives[coordinate].prescribed) model.free_index[entry] = model.free_count++;
    }
}

bool is_loop_joint(const Model& model, int joint) {
  const auto hangs = [&](int body) { return body >= 0 && model.tree_joint[body] == joint; };
  return model.tree_joint.empty() ||
         (!hangs(model.joints[joint].body_a) && !hangs(model.joints[joint].body_b));
}

int parent_body(const Model& model, int body) {
  const Joint& joint = model.joints[model.tree_joint[body]];
  return joint.body_a == body ? joint.body_b : joint.body_a;
}

bool hangs_as_a(const Model& model, int body) {
  return model.joints[model.tree_joint[body]].body_a == body;
}

}  // namespace vinci
