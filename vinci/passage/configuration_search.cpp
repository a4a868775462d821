// SPDX-License-Identifier: Apache-2.0
// Joint coordinates as states of OMPL: times their weights, so that distances are metres.
#include "vinci/passage/configuration_search.h"

#include <memory>

#include <ompl/base/spaces/RealVectorStateSpace.h>

#include "vinci/passage/ompl_trees.h"

namespace vinci {
namespace {

using Weighted = ompl::base::RealVectorStateSpace;

class ConfigurationGuide : public TreeGuide {
 public:
  explicit ConfigurationGuide(const ConfigurationSearch& search)
      : TreeGuide(search.effort, search.seed, search.stop), search_(search) {}

  VectorX configuration(const State* state) const {
    const double* values = state->as<Weighted::StateType>()->values;
    VectorX x = Eigen::Map<const VectorX>(values, search_.start.size());
    x = x.cwiseQuotient(search_.weights);
    return x.cwiseMax(search_.lower).cwiseMin(search_.upper);
  }
  void set(State* state, const VectorX& x) const {
    double* values = state->as<Weighted::StateType>()->values;
    Eigen::Map<VectorX>(values, x.size()) = x.cwiseProduct(search_.weights);
  }

  bool is_free(const State* state) override { return search_.is_free(configuration(state)); }
  bool is_free_between(const State* a, const State* b) override {
    return search_.is_free_between(configuration(a), configuration(b));
  }
  bool make_free(State* state) override {
    VectorX x = configuration(state);
    if (!search_.make_free(x)) return false;
    set(state, x);
    return true;
  }
  void draw(State* state, ompl::RNG& random) override {
    VectorX x(search_.start.size());
    for (int k = 0; k < x.size(); ++k)
      x[k] = random.uniformReal(search_.lower[k], search_.upper[k]);
    set(state, x);
    if (samples % 2 == 0 && !guarded([&] { return make_free(state); })) set(state, x);
  }
  void draw_goal(State* state, ompl::RNG& random) override {
    VectorX x = search_.start;
    guarded([&] {
      x = search_.goal([&] { return random.uniform01(); });
      return true;
    });
    set(state, x);
  }

 private:
  const ConfigurationSearch& search_;
};

}  // namespace

ConfigurationsFound search_configurations(const ConfigurationSearch& search) {
  ConfigurationGuide guide(search);
  const auto size = static_cast<unsigned>(search.start.size());
  auto space = std::make_shared<SlidingSpace<Weighted>>(guide, size);
  ompl::base::RealVectorBounds bounds(size);
  for (unsigned k = 0; k < size; ++k) {
    bounds.setLow(k, search.lower[k] * search.weights[k]);
    bounds.setHigh(k, search.upper[k] * search.weights[k]);
  }
  space->setBounds(bounds);
  ConfigurationsFound found;
  grow_trees(
      space, guide, [&](ompl::base::State* state) { guide.set(state, search.start); }, search.range,
      [&](const ompl::base::State* state) { found.path.push_back(guide.configuration(state)); });
  found.samples = guide.samples;
  return found;
}

}  // namespace vinci
