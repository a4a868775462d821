// SPDX-License-Identifier: Apache-2.0
// What is told where a motion cannot go on.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/hybrid/systems.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

std::string told(HybridMotion& motion, double end) {
  try {
    motion.advance(end);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// A mass on a link to 1/(0.7 − t).
class Pole : public ConstrainedSystemOf<Pole> {
 public:
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const double left = 0.7 - frame.time;
    const T &x = frame.positions[0], &v = frame.velocities[0], &a = frame.accelerations[0];
    frame.balance[0] = a - frame.multipliers[0];
    frame.gaps[0] = {x - 1.0 / left, v - 1.0 / (left * left), a - 2.0 / (left * left * left)};
  }

 private:
  std::vector<Constraint> constraints_ = {{"hyperbola", ConstraintKind::link, settling_in(0.01)}};
};

TEST(Failing, an_expression_that_becomes_singular_is_named) {
  const Pole pole;
  HybridMotion motion(pole, {1e-8}, VectorX::Constant(1, 1.0 / 0.7),
                      VectorX::Constant(1, 1.0 / 0.49));
  const std::string why = told(motion, 1.0);
  EXPECT_TRUE(has(why, "hyperbola becomes singular")) << why;
  EXPECT_FALSE(has(why, "IDA")) << why;
  EXPECT_NEAR(motion.time(), 0.7, 1e-2);
}

// A mass that a stiff link shakes ten million times in the time that is asked for.
class Shaken : public ConstrainedSystemOf<Shaken> {
 public:
  int coordinate_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  std::vector<std::string> coordinate_names() const override { return {"anvil.y [m]"}; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const double w = 1e7, size = 1e-6, s = std::sin(w * frame.time), c = std::cos(w * frame.time);
    const T &x = frame.positions[0], &v = frame.velocities[0], &a = frame.accelerations[0];
    frame.balance[0] = a - frame.multipliers[0] - frame.multipliers[1];
    frame.gaps[0] = {x - size * s, v - size * w * c, a + size * w * w * s};
    frame.gaps[1] = {x + 1.0, v, a};
  }

 private:
  std::vector<Constraint> constraints_ = {{"shaker", ConstraintKind::link, settling_in(1e-8)},
                                          {"floor", ConstraintKind::contact, settling_in(1e-9)}};
};

TEST(Failing, what_acts_most_stiffly_is_named) {
  const Shaken shaken;
  HybridMotion motion(shaken, {1e-9}, VectorX::Zero(1), VectorX::Constant(1, 10.0));
  const std::string why = told(motion, 6.0);
  EXPECT_TRUE(has(why, "shaker acts most stiffly, with a time scale of 1e-08 s")) << why;
  EXPECT_TRUE(has(why, "anvil.y [m]")) << why;
  EXPECT_FALSE(has(why, "singular")) << why;
  EXPECT_FALSE(has(why, "IDA")) << why;
}

}  // namespace
}  // namespace vinci
