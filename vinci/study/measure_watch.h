// SPDX-License-Identifier: Apache-2.0
// Measures of a study along one run; private to study/.
#pragma once

#include <span>
#include <vector>

#include "vinci/recording/run_loop.h"
#include "vinci/study/study_data.h"

namespace vinci {

class ConditionWatch {
 public:
  ConditionWatch(const WatchedCondition& what, const Simulation& simulation);
  bool holds(const Simulation& simulation);  // now

 private:
  const Condition* condition_;
  std::vector<QuantityReader> readers_;
  std::vector<double> sides_;
};

class MeasureWatch : public StepWatcher {
 public:
  MeasureWatch(std::span<const MeasureSpec> specs, const Simulation& simulation);
  void before_step(const Simulation& simulation) override;
  void after_step(const Simulation& simulation) override;
  // Not a number where there is none; measures in code are left to the caller.
  std::vector<double> values() const;
  bool is_certified() const { return certified_; }  // all steps so far

 private:
  struct Watched {
    const MeasureSpec* spec;
    std::vector<QuantityReader> readers;  // of the quantity, or the sides of the condition
    double value, last = 0.0, sum = 0.0;
    bool touching = false;
  };

  void begin(Watched& item, const Simulation& simulation);
  void follow(Watched& item, const Simulation& simulation);
  void note(Watched& item, double value, double time) const;
  bool holds(Watched& item, const Simulation& simulation);

  std::vector<Watched> items_;
  std::vector<double> sides_;
  double accept_, begin_ = 0.0, first_ = 0.0, last_ = 0.0;  // s but the first
  bool certified_ = true;
};

}  // namespace vinci
