// SPDX-License-Identifier: Apache-2.0
// A network of signals among the controllers of a model. Time-stepping asks it once per step, as it
// asks others; event-driven motion takes the network itself and lets it flow.
#pragma once

#include <memory>

#include "vinci/control/signal_network.h"
#include "vinci/model/controller.h"

namespace vinci {

// Memory: that of the network, then its signals as they were at the start of the step (or at the
// start of the run), for recordings. Samples are taken at the start of the first step that begins
// at or after them; forces are those of the start of the step; continuous blocks advance through
// the step exactly, their inputs held.
class SignalController : public Controller {
 public:
  explicit SignalController(std::shared_ptr<const SignalNetwork> network);
  const SignalNetwork& network() const { return *network_; }

  int memory_size() const override;
  std::vector<std::string> memory_columns() const override;
  void begin(const Model& model, const State& state, Eigen::Ref<VectorX> memory) override;
  void act(const Model& model, const State& state, double h, Eigen::Ref<VectorX> forces,
           Eigen::Ref<VectorX> memory) override;

 private:
  std::shared_ptr<const SignalNetwork> network_;
  SignalNetwork::HeldSteps steps_;
  VectorX reads_, pushes_, rates_, own_;
};

class SignalDescription : public ControllerDescription {
 public:
  SignalDescription(std::string name, std::shared_ptr<const SignalNetwork> network)
      : ControllerDescription(std::move(name), "network"), network_(std::move(network)) {}
  const SignalNetwork& network() const { return *network_; }
  std::shared_ptr<Controller> make(const Model&) const override {
    return std::make_shared<SignalController>(network_);
  }
  std::string why_not(const std::string&) const override { return ""; }

 private:
  std::shared_ptr<const SignalNetwork> network_;
};

// What a network reads at a state, and the forces of its drives added to packed ones.
void read_coordinates(const Model& model, const State& state, const SignalNetwork& network,
                      VectorX& reads);
void add_pushes(const Model& model, const State& state, const SignalNetwork& network,
                const VectorX& pushes, Eigen::Ref<VectorX> forces);

}  // namespace vinci
