// SPDX-License-Identifier: Apache-2.0
// Sums over substeps.
#include "vinci/stepping/substeps.h"

#include <algorithm>
#include <tuple>

namespace vinci {
namespace {

bool before(const SolvedContact& a, const SolvedContact& b) {
  return std::tie(a.contact.key, a.contact.patch_point) <
         std::tie(b.contact.key, b.contact.patch_point);
}

}  // namespace

void SubstepSum::add(const StepReport& report, const std::vector<SolvedContact>& solved) {
  merge(report, solved);
  ++parts_;
  count_ += report.substeps;
  impacts_ += report.impacts;
}

void SubstepSum::add_impact(const StepReport& report, const std::vector<SolvedContact>& solved) {
  merge(report, solved);
  ++parts_;
  ++impacts_;
}

void SubstepSum::add_work(const StepReport& report) {
  passes_ += report.passes;
  for (int i = 0; i < stage_count; ++i) further_[i] += report.seconds[i];
}

void SubstepSum::merge(const StepReport& report, const std::vector<SolvedContact>& solved) {
  if (parts_ > 0)
    add_part(report_, report);
  else
    report_ = report;
  const std::size_t known = solved_.size();
  for (const SolvedContact& contact : solved) {
    const auto end = solved_.begin() + static_cast<std::ptrdiff_t>(known);
    const auto found = std::lower_bound(solved_.begin(), end, contact, before);
    if (found == end || before(contact, *found)) {
      solved_.push_back(contact);
      continue;
    }
    const Vector3 impulse = found->impulse + contact.impulse;
    const Vector3 moment = found->moment + contact.moment;
    *found = contact;
    found->impulse = impulse;
    found->moment = moment;
  }
  if (solved_.size() > known) std::sort(solved_.begin(), solved_.end(), before);
}

void SubstepSum::add_joints(const std::vector<SolvedJoint>& joints) {
  joints_.resize(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints_[j].impulse += joints[j].impulse;
    joints_[j].moment += joints[j].moment;
    joints_[j].motor += joints[j].motor;
    joints_[j].friction += joints[j].friction;
    joints_[j].limit += joints[j].limit;
  }
}

StepReport SubstepSum::finish(std::vector<SolvedContact>& solved) {
  solved.swap(solved_);
  report_.substeps = count_;
  report_.impacts = impacts_;
  report_.passes += passes_;
  for (int i = 0; i < stage_count; ++i) report_.seconds[i] += further_[i];
  report_.contact_count = static_cast<int>(solved.size());
  report_.active_count = 0;
  for (const SolvedContact& contact : solved) {
    // A support bears its load at all times; it acts where it rubs.
    const bool support = contact.contact.key.kind == EntityKind::support;
    const bool acts =
        support ? !contact.impulse.tail<2>().isZero(0.0) : !contact.impulse.isZero(0.0);
    report_.active_count += acts ? 1 : 0;
  }
  return report_;
}

}  // namespace vinci
