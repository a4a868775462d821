// SPDX-License-Identifier: Apache-2.0
// A spring and damper between a point of one body and a point of another. With ℓ the distance of
// the points, the force that draws them together is
//
//   k (ℓ − ℓ₀) + c dℓ/dt.
//
// It is taken at the end of the step, so a stiff spring is stable at every step size. Its direction
// is that of the line between the points at the start of the step; without a length of its own it
// is k (b − a), also at the end of the step.
#pragma once

#include "vinci/model/element.h"

namespace vinci {

class Spring : public Element {
 public:
  struct Numbers {
    double stiffness = 0.0;     // k, N/m
    double damping = 0.0;       // c, N s/m
    double length = 0.0;        // ℓ₀, m
    bool begins_slack = false;  // ℓ₀ is the distance of the points when the run begins
  };
  Spring(ElementPlace place, const Numbers& numbers);

  const char* kind() const override { return "spring"; }
  void rows(const Model& model, const State& state, std::vector<ElementRow>& out) const override;
  double potential(std::span<const Pose> poses) const override;
  std::span<const ElementColumn> columns() const override;
  void read(const Model& model, const State& state, double* out) const override;
  std::shared_ptr<const Element> begun_at(double distance) const override;
  std::vector<std::pair<std::string, double>> numbers() const override;

 private:
  // The line from a to b.
  struct Line {
    Vector3 from, to, axis;
    double length = 0.0;  // ℓ, m
  };
  Line line(std::span<const Pose> poses) const;

  Numbers numbers_;
};

ElementKind spring_kind();

}  // namespace vinci
