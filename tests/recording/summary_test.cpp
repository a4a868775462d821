// SPDX-License-Identifier: Apache-2.0
// The table of a run's summary: what steps come to, and that every form of it has every number.
#include "vinci/recording/summary.h"

#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "vinci/recording/frame_fields.h"
#include "vinci/recording/recording_layout.h"

namespace {

using vinci::FrameField;
using vinci::RunStatistics;
using vinci::RunSummary;
using vinci::StepReport;
using vinci::SummaryField;

TEST(RunStatistics, gather_steps) {
  RunStatistics all;
  StepReport report;
  report.solve.residual.relative = 1e-12;
  report.solve.iterations = 3;
  report.contact_count = 2;
  report.penetration = 1e-6;
  report.substeps = 4;
  all.add({report, 1, 1e-10});
  report.solve.residual.relative = 1e-9;
  report.contact_count = 5;
  report.penetration = 0.0;
  report.fell_back = true;
  report.free_motions = 2;
  report.free_body = 7;
  all.add({report, 2, 1e-10});
  report.solve.residual.relative = 0.0;
  report.free_motions = 0;
  report.free_body = -1;
  all.add({report, 3, 1e-10});
  EXPECT_EQ(all.steps, 3);
  EXPECT_EQ(all.substeps, 12);
  EXPECT_EQ(all.inexact_steps, 1);
  EXPECT_EQ(all.worst_residual, 1e-9);
  EXPECT_EQ(all.worst_residual_step, 2);
  EXPECT_EQ(all.worst_penetration, 1e-6);
  EXPECT_EQ(all.contacts_max, 5);
  EXPECT_DOUBLE_EQ(all.contacts_mean(), 4.0);
  EXPECT_DOUBLE_EQ(all.iterations_mean(), 3.0);
  EXPECT_EQ(all.fallback_steps, 2);
  EXPECT_EQ(all.free_steps, 1);
  EXPECT_EQ(all.free_body, 7) << "of the last step whose motion is not unique";
}

TEST(RunStatistics, a_residual_that_is_no_number_stays_the_worst) {
  RunStatistics all;
  StepReport report;
  report.solve.residual.relative = std::nan("");
  all.add({report, 1, 1e-10});
  report.solve.residual.relative = 1.0;
  all.add({report, 2, 1e-10});
  EXPECT_TRUE(std::isnan(all.worst_residual));
  EXPECT_EQ(all.worst_residual_step, 1);
  EXPECT_EQ(all.inexact_steps, 2);
}

TEST(SummaryFields, every_number_is_stored_once_and_in_the_json) {
  RunSummary summary;
  summary.worst_residual = std::numeric_limits<double>::infinity();
  const std::string json = summary_json(summary);
  std::set<std::string> names, columns;
  for (const SummaryField& field : vinci::summary_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    for (const vinci::Hdf5Column& column : field.stored)
      EXPECT_TRUE(columns.insert(column.name).second) << column.name;
    EXPECT_NE(json.find(std::string("\"") + field.name + "\":"), std::string::npos) << field.name;
  }
  EXPECT_NE(json.find("\"worst_residual\":null"), std::string::npos);
}

TEST(SummaryFields, only_what_happened_is_told) {
  RunSummary summary;
  summary.steps = summary.substeps = 10;
  const vinci::RunFacts facts{.step = 10, .total_steps = 20, .time = 0.1, .step_size = 0.01};
  const auto has = [&](const std::string& label) {
    for (const auto& [name, words] : summary_lines(summary, facts))
      if (name == label) return true;
    return false;
  };
  EXPECT_EQ(summary_lines(summary, facts).front().second, "10 of 20, 0.01 s each: 0.1 s simulated");
  for (const char* label : {"substeps", "coarse", "fallback", "not unique", "impacts"})
    EXPECT_FALSE(has(label)) << label;
  summary.substeps = 25;
  summary.impacts = 1;
  EXPECT_TRUE(has("substeps"));
  EXPECT_TRUE(has("impacts"));
}

TEST(FrameFields, a_report_comes_back_from_a_row) {
  StepReport report;
  report.solve.status = vinci::SolveStatus::limit;
  report.solve.residual = {1e-3, 2e-3, 3e-3, 0.0};
  report.solve.iterations = 99;
  report.fell_back = true;
  report.substeps = 532;
  report.seconds = {1.0, 2.0, 3.0, 4.0};
  vinci::FrameRow row;
  set_report(row, report);
  const StepReport back = report_of(row);
  std::size_t recorded = 0;
  for (const FrameField& field : vinci::frame_fields()) {
    if (field.step == nullptr) continue;
    EXPECT_EQ(field.step->value(back), field.step->value(report)) << field.name;
    ++recorded;
  }
  EXPECT_GT(recorded, 10u);
  // A file without the column of a field gives what a new report has.
  EXPECT_EQ(report_of(vinci::empty_frame()).substeps, 1);
}

TEST(FrameFields, stand_in_the_order_of_steps_csv) {
  const char* expected[] = {"step",       "time",   "status",   "contacts",         "active",
                            "iterations", "passes", "residual", "velocity_residual"};
  for (std::size_t i = 0; i < std::size(expected); ++i)
    EXPECT_STREQ(vinci::frame_fields()[i].name, expected[i]);
}

}  // namespace
