// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/cone_rows.h"

namespace vinci {

ConeProgram ConeRows::program() const {
  const int contacts = static_cast<int>(map_.contacts.size()), d = map_.dimension;
  int variables = d + (shared_ == SharedHeight::yes ? 1 : contacts);
  const int bounds = variables;
  for (const ContactCone& contact : map_.contacts)
    if (contact.groups.size() > 1) variables += static_cast<int>(contact.groups.size());
  ConeProgram program(variables);
  int bound = bounds;
  for (int i = 0; i < contacts; ++i) {
    const ContactCone& contact = map_.contacts[static_cast<std::size_t>(i)];
    VectorX top = VectorX::Zero(variables);  // height − n·y
    top[height(i)] = 1.0;
    top.head(d) = -contact.normal;
    const auto add = [&](const ContactCone::Group& group, const VectorX& above) {
      const int size = static_cast<int>(group.columns.cols());
      MatrixX factor = MatrixX::Zero(size + 1, variables);
      factor.row(0) = above;
      factor.block(1, 0, size, d) = group.columns.transpose();
      program.add_cone(factor, VectorX::Zero(size + 1));
    };
    if (contact.groups.size() == 1) {
      add(contact.groups[0], top);
      continue;
    }
    for (const ContactCone::Group& group : contact.groups) {
      top[bound] = -1.0;
      add(group, VectorX::Unit(variables, bound++));
    }
    program.add_at_least(top, 0.0);
  }
  return program;
}

}  // namespace vinci
