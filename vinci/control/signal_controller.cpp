// SPDX-License-Identifier: Apache-2.0
// What a network reads, what it gives, and its steps.
#include "vinci/control/signal_controller.h"

#include <utility>

#include "vinci/base/error.h"
#include "vinci/kinematics/joint_efforts.h"

namespace vinci {

void read_coordinates(const Model& model, const State& state, const SignalNetwork& network,
                      VectorX& reads) {
  reads.resize(static_cast<Eigen::Index>(network.reads().size()));
  for (Eigen::Index i = 0; i < reads.size(); ++i)
    reads[i] = read_coordinate(model, state, network.reads()[static_cast<std::size_t>(i)]);
}

void add_pushes(const Model& model, const State& state, const SignalNetwork& network,
                const VectorX& pushes, Eigen::Ref<VectorX> forces) {
  VectorX efforts = VectorX::Zero(model.joint_rate_count);
  for (std::size_t i = 0; i < network.drives().size(); ++i) {
    const ForceInput& drive = network.drives()[i];
    const auto index = static_cast<std::size_t>(drive.index);
    const double push = pushes[static_cast<Eigen::Index>(i)];
    if (drive.kind == ForceInput::Kind::joint) {
      efforts[model.joints[index].first_rate + drive.coordinate] += push;
      continue;
    }
    const Body& body = model.bodies[index];
    for (int k = body.velocity_offset; k < body.velocity_offset + body.velocity_size; ++k)
      if (model.coordinate[static_cast<std::size_t>(k)] == drive.coordinate) forces[k] += push;
  }
  add_joint_efforts(model, state.poses, efforts, forces);
}

SignalController::SignalController(std::shared_ptr<const SignalNetwork> network)
    : network_(std::move(network)) {
  if (!network_) throw Error("no network; accepted: one", "signals");
}

int SignalController::memory_size() const {
  return network_->memory_size() + static_cast<int>(network_->signal_names().size());
}

std::vector<std::string> SignalController::memory_columns() const {
  std::vector<std::string> columns = network_->memory_columns();
  const std::vector<std::string> signals = network_->signal_columns();
  columns.insert(columns.end(), signals.begin(), signals.end());
  return columns;
}

void SignalController::begin(const Model& model, const State& state, Eigen::Ref<VectorX> memory) {
  const int own = network_->memory_size();
  read_coordinates(model, state, *network_, reads_);
  network_->begin(state.time, reads_, memory.head(own));
  network_->signals(state.time, reads_, memory.head(own), memory.tail(memory.size() - own));
}

void SignalController::act(const Model& model, const State& state, double h,
                           Eigen::Ref<VectorX> forces, Eigen::Ref<VectorX> memory) {
  const int size = network_->memory_size(), states = network_->state_count();
  read_coordinates(model, state, *network_, reads_);
  own_ = memory.head(size);
  network_->sample(state.time, reads_, own_);
  network_->signals(state.time, reads_, own_, memory.tail(memory.size() - size));
  network_->flow<double>(state.time, reads_, own_.head(states), own_.tail(size - states), pushes_,
                         rates_);
  add_pushes(model, state, *network_, pushes_, forces);
  network_->advance(state.time, h, reads_, own_, steps_);
  memory.head(size) = own_;
}

}  // namespace vinci
