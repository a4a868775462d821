// SPDX-License-Identifier: Apache-2.0
// Scenes and points for tests of linear systems.
#pragma once

#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"
#include "vinci/simulation/linearize.h"
#include "vinci/systems/modes.h"
#include "vinci/systems/transfer_function.h"

namespace vinci::test {

// The start of a scene, with constraints of its own where the text has none.
struct Point {
  std::shared_ptr<Model> model;
  LinearPoint point;

  explicit Point(const std::string& yaml) {
    const Simulation simulation = simulate(yaml);
    model = std::make_shared<Model>(simulation.model());
    point.model = model.get();
    point.state = simulation.state();
  }
  void constrain(const std::string& name, UserConstraint::Kind kind, const std::string& text,
                 const std::vector<std::string>& reads, const Stabilisation& law, int with = -1) {
    UserConstraint constraint;
    constraint.name = name;
    constraint.kind = kind;
    std::vector<std::string> variables;
    for (const std::string& read : reads) {
      constraint.function.reads.push_back(*find_coordinate(*model, read));
      variables.push_back("v" + std::to_string(variables.size()));
    }
    variables.push_back("t");
    constraint.function.expression = Expression::parse(text, variables);
    constraint.stabilisation = law;
    constraint.with = with;
    model->constraints.push_back(constraint);
  }
};

inline MatrixX matrix_of(const nlohmann::json& rows) {
  MatrixX matrix(static_cast<int>(rows.size()), static_cast<int>(rows[0].size()));
  for (int i = 0; i < matrix.rows(); ++i)
    for (int j = 0; j < matrix.cols(); ++j) matrix(i, j) = rows[i][j];
  return matrix;
}

inline VectorX vector_of(const nlohmann::json& numbers) {
  VectorX vector(static_cast<int>(numbers.size()));
  for (int i = 0; i < vector.size(); ++i) vector[i] = numbers[i];
  return vector;
}

inline double value_of(const std::vector<NamedNumber>& list, const std::string& name) {
  for (const NamedNumber& one : list)
    if (one.name == name) return one.value;
  ADD_FAILURE() << "there is no " << name;
  return std::nan("");
}

inline const LinearConstraint& constraint_of(const LinearScene& scene, const std::string& name) {
  for (const LinearConstraint& one : scene.constraints)
    if (one.name == name) return one;
  ADD_FAILURE() << "there is no " << name;
  static const LinearConstraint none;
  return none;
}

// The distance of the value that is nearest.
inline double distance(const ComplexVector& values, Complex value) {
  double nearest = infinity;
  for (const Complex& one : values) nearest = std::min(nearest, std::abs(one - value));
  return nearest;
}

// What a function throws, as text.
template <class Function>
std::string message(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing is wrong";
}

}  // namespace vinci::test
