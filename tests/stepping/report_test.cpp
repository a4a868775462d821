// SPDX-License-Identifier: Apache-2.0
// The table of a step's fields: complete, without doubles, and what parts of a step come to.
#include "vinci/stepping/report.h"

#include <cstring>
#include <set>

#include <gtest/gtest.h>

namespace {

using vinci::OverParts;
using vinci::ReportValue;
using vinci::SolveStatus;
using vinci::StepField;
using vinci::StepReport;

const StepField& field(const std::string& name) {
  for (const StepField& it : vinci::step_fields())
    if (name == it.name) return it;
  throw std::runtime_error("no field " + name);
}

TEST(StepFields, have_names_of_their_own_and_texts) {
  std::set<std::string> names, columns;
  for (const StepField& it : vinci::step_fields()) {
    EXPECT_TRUE(names.insert(it.name).second) << it.name;
    EXPECT_GT(std::strlen(it.text), 5u) << it.name;
    if (!it.column) continue;
    EXPECT_TRUE(columns.insert(it.column).second) << it.column;
  }
  EXPECT_GT(columns.size(), 10u);
}

TEST(StepFields, show_what_the_report_holds) {
  StepReport report;
  report.solve.status = SolveStatus::no_solution;
  report.solve.iterations = 17;
  report.solve.residual.relative = 0.25;
  report.fell_back = true;
  report.seconds = {1.0, 2.0, 3.0, 4.0};
  EXPECT_EQ(field("status").value(report), ReportValue(std::string("no solution")));
  EXPECT_EQ(field("iterations").value(report), ReportValue(std::int64_t{17}));
  EXPECT_EQ(field("residual").value(report), ReportValue(0.25));
  EXPECT_EQ(field("fell_back").value(report), ReportValue(true));
  EXPECT_EQ(field("seconds").value(report), ReportValue(report.seconds));
}

TEST(StepFields, parts_of_a_step_make_the_report_of_the_step) {
  StepReport first, second;
  first.solve = {SolveStatus::solved, {1e-13, 1e-3, 1e-4, 0.0}, 5, "one", ""};
  second.solve = {SolveStatus::solved, {1e-14, 2e-3, 2e-4, 0.0}, 7, "two", ""};
  first.passes = 2;
  first.penetration = 3e-6;
  second.penetration = 1e-6;
  first.fell_back = true;
  first.contact_count = 4;
  second.contact_count = 1;
  first.seconds = {1.0, 0.0, 0.0, 2.0};
  second.seconds = {0.5, 0.0, 0.0, 0.25};
  StepReport sum = first;
  add_part(sum, second);
  EXPECT_STREQ(sum.solve.solver, "one") << "the worse solve is told";
  EXPECT_EQ(sum.solve.residual.relative, 1e-13);
  EXPECT_EQ(sum.solve.iterations, 12);
  EXPECT_EQ(sum.passes, 3);
  EXPECT_EQ(sum.penetration, 3e-6);
  EXPECT_TRUE(sum.fell_back);
  EXPECT_EQ(sum.contact_count, 1) << "the last part's own";
  EXPECT_EQ(sum.seconds, (vinci::StageSeconds{1.5, 0.0, 0.0, 2.25}));
  StepReport failed = second;
  failed.solve.status = SolveStatus::limit;
  failed.solve.residual.relative = 0.0;
  add_part(sum, failed);
  EXPECT_EQ(sum.solve.status, SolveStatus::limit) << "what failed is worse than any residual";
}

}  // namespace
