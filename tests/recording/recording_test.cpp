// SPDX-License-Identifier: Apache-2.0
// Recordings round trip: what is written is what is read, bit for bit, and a run continues from it.
#include "vinci/recording/recording.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "vinci/base/error.h"
#include "vinci/recording/recorder.h"
#include "vinci/recording/recording_layout.h"
#include "vinci/storage/hdf5_superblock.h"

namespace {

using vinci::Recorder;
using vinci::Recording;
using vinci::Simulation;

// Two boxes thrown onto the floor and a third one that is pushed: contacts come, slide and go.
vinci::Scene tumble() {
  return vinci::Scene::parse(R"(
    title: tumbling boxes
    world: spatial
    parameters: {mu: 0.4}
    materials: {wood: {friction: mu}}
    bodies:
      floor: {freedom: fixed, shapes: [{half-space: {}, material: wood}]}
      one:
        shapes: [{box: [0.2, 0.1, 0.1], material: wood, density: 300}]
        position: [0, 0, 0.06]
        velocity: [1, 0.2, 0]
        spin: [0, 0, 2]
      two:
        shapes: [{sphere: 0.1, material: wood, density: 300}]
        position: [0.5, 0, 0.12]
    changes: [{at: 0.06, set: {mu: 0.2}}]
    run: {step: 1 ms, duration: 0.1 s}
  )");
}

class RecordingTest : public testing::Test {
 protected:
  RecordingTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "recording-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~RecordingTest() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file(const std::string& name = "run.h5") const { return folder_ / name; }

  static void run(Simulation& simulation, Recorder& recorder, std::int64_t until) {
    while (!simulation.finished() && simulation.state().step < until) {
      simulation.step();
      recorder.after_step(simulation);
    }
  }

 private:
  std::filesystem::path folder_;
};

void expect_same(const vinci::State& a, const vinci::State& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.time, b.time);
  ASSERT_EQ(a.poses.size(), b.poses.size());
  for (std::size_t i = 0; i < a.poses.size(); ++i) {
    EXPECT_EQ(a.poses[i].position, b.poses[i].position);
    EXPECT_EQ(a.poses[i].rotation.coeffs(), b.poses[i].rotation.coeffs());
  }
  EXPECT_EQ(a.velocities, b.velocities);
  EXPECT_TRUE(a.memory == b.memory);
  EXPECT_EQ(hash(a), hash(b));
}

TEST_F(RecordingTest, every_state_contact_and_report_reads_back_bit_for_bit) {
  std::vector<vinci::State> states;
  std::vector<std::vector<vinci::SolvedContact>> contacts;
  std::vector<vinci::StepReport> reports;
  Simulation simulation(tumble());
  {
    Recorder recorder(file(), simulation);
    states.push_back(simulation.state());
    while (!simulation.finished()) {
      reports.push_back(simulation.step());
      recorder.after_step(simulation);
      states.push_back(simulation.state());
      contacts.push_back(simulation.contacts());
    }
    recorder.finish(simulation);
  }
  const Recording recording(file());
  EXPECT_TRUE(recording.finished());
  EXPECT_FALSE(recording.has_writer());
  EXPECT_EQ(recording.title(), "tumbling boxes");
  EXPECT_EQ(recording.scene_text(), simulation.scene().source());
  EXPECT_EQ(recording.body_names(), (std::vector<std::string>{"floor", "one", "two"}));
  ASSERT_EQ(recording.frames(), 101);
  std::size_t rows = 0;
  for (std::int64_t frame = 0; frame <= 100; ++frame) {
    const auto i = static_cast<std::size_t>(frame);
    expect_same(recording.state(frame), states[i]);
    if (frame == 0) continue;
    const vinci::FrameInfo info = recording.info(frame);
    for (const vinci::StepField& field : vinci::step_fields()) {
      if (field.column == nullptr) continue;
      EXPECT_EQ(field.value(info.report), field.value(reports[i - 1])) << field.name;
    }
    const auto read = recording.contacts(frame);
    ASSERT_EQ(read.size(), contacts[i - 1].size());
    for (std::size_t k = 0; k < read.size(); ++k) {
      EXPECT_EQ(read[k].key, contacts[i - 1][k].contact.key);
      EXPECT_EQ(read[k].point_b, contacts[i - 1][k].contact.point_b);
      EXPECT_EQ(read[k].normal, contacts[i - 1][k].contact.normal);
      EXPECT_EQ(read[k].impulse, contacts[i - 1][k].impulse);
      EXPECT_EQ(read[k].velocity, contacts[i - 1][k].velocity);
      EXPECT_EQ(read[k].gap, contacts[i - 1][k].contact.gap);
      EXPECT_EQ(read[k].friction, contacts[i - 1][k].friction);
    }
    rows += read.size();
  }
  EXPECT_GT(rows, 100u);
  EXPECT_THROW(static_cast<void>(recording.state(101)), vinci::Error);
  EXPECT_THROW(static_cast<void>(recording.info(-1)), vinci::Error);
}

TEST_F(RecordingTest, the_summary_covers_every_step_though_few_are_recorded) {
  vinci::RunOverrides few;
  few.options["output-interval"] = "0.033";
  Simulation simulation(tumble(), few);
  double worst = 0.0;
  std::int64_t contacts = 0, most = 0;
  Recorder recorder(file(), simulation);
  while (!simulation.finished()) {
    const vinci::StepReport& report = simulation.step();
    recorder.after_step(simulation);
    worst = std::max(worst, report.solve.residual.relative);
    contacts += report.contact_count;
    most = std::max<std::int64_t>(most, report.contact_count);
  }
  recorder.finish(simulation);
  const Recording recording(file());
  EXPECT_EQ(recording.frames(), 5);  // steps 0, 33, 66, 99, 100
  const vinci::RunSummary summary = recording.summary();
  EXPECT_EQ(summary.steps, 100);
  EXPECT_EQ(summary.worst_residual, worst);
  EXPECT_EQ(summary.contacts_max, most);
  EXPECT_DOUBLE_EQ(summary.contacts_mean(), static_cast<double>(contacts) / 100.0);
  EXPECT_EQ(summary.energy_last, energy(simulation.model(), simulation.state()).total());
  EXPECT_FALSE(summary.diverged());
}

TEST_F(RecordingTest, a_resumed_run_ends_at_the_same_state_and_summary) {
  Simulation whole(tumble());
  Recorder undisturbed(file("whole.h5"), whole);
  run(whole, undisturbed, 100);
  undisturbed.finish(whole);
  for (const std::int64_t stop : {0, 1, 37, 60, 61, 100}) {
    {
      Simulation part(tumble());
      Recorder recorder(file(), part, true);
      run(part, recorder, stop);
    }  // not finished: as if its owner had given up
    Simulation simulation(tumble());
    Recorder recorder = Recorder::resume(file(), simulation);
    EXPECT_EQ(simulation.state().step, stop);
    run(simulation, recorder, 100);
    recorder.finish(simulation);
    expect_same(simulation.state(), whole.state());
    const Recording a(file()), b(file("whole.h5"));
    EXPECT_EQ(a.frames(), b.frames());
    EXPECT_EQ(a.summary().contacts_mean(), b.summary().contacts_mean());
    EXPECT_EQ(a.summary().worst_residual, b.summary().worst_residual);
    EXPECT_EQ(a.summary().state_hash, b.summary().state_hash);
    EXPECT_EQ(a.model_json(a.info(100).model), b.model_json(b.info(100).model));
  }
}

TEST_F(RecordingTest, each_compiled_model_is_stored_once) {
  Simulation simulation(tumble());
  Recorder recorder(file(), simulation);
  run(simulation, recorder, 100);
  recorder.finish(simulation);
  const Recording recording(file());
  EXPECT_EQ(recording.info(0).model, 0);
  EXPECT_EQ(recording.info(60).model, 0);
  EXPECT_EQ(recording.info(61).model, 1);  // the change at 0.06 s acts in the step that begins then
  EXPECT_NE(recording.model_json(0).find("\"friction\":0.4"), std::string::npos);
  EXPECT_NE(recording.model_json(1).find("\"friction\":0.2"), std::string::npos);
  EXPECT_THROW(static_cast<void>(recording.model_json(2)), vinci::Error);
}

TEST_F(RecordingTest, a_parameter_set_from_code_is_restored_on_resume) {
  const vinci::Scene scene = vinci::Scene::parse(R"(
    world: planar
    parameters: {mu: 0.4}
    materials: {wood: {friction: mu}}
    bodies:
      floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
      block:
        shapes: [{box: [0.2, 0.1], material: wood, density: 10}]
        position: [0, 0.05]
        velocity: [1, 0]
    run: {step: 1 ms, duration: 0.1 s}
  )");
  Simulation whole(scene);
  for (int i = 0; i < 100; ++i) {
    if (i == 30) whole.set_parameter("mu", 0.1);
    whole.step();
  }
  {
    Simulation part(scene);
    Recorder recorder(file(), part);
    run(part, recorder, 30);
    part.set_parameter("mu", 0.1);
    run(part, recorder, 50);
    recorder.finish(part);
  }
  Simulation simulation(scene);
  Recorder recorder = Recorder::resume(file(), simulation);
  EXPECT_EQ(simulation.parameters().at("mu"), 0.1);
  run(simulation, recorder, 100);
  recorder.finish(simulation);
  expect_same(simulation.state(), whole.state());
}

// A ball that bounces, and changes of a parameter that no frame shows when only each 25th step is
// recorded: at the begin of step 30, within step 30, at 40.
vinci::Scene bounce() {
  return vinci::Scene::parse(R"(
    world: planar
    parameters: {e: 0.5, mu: 0.4}
    materials: {rubber: {friction: mu, restitution: e}}
    bodies:
      floor: {freedom: fixed, shapes: [{half-plane: {}, material: rubber}]}
      ball: {shapes: [{circle: 0.1, material: rubber}], position: [0, 0.101], velocity: [0.5, -0.1]}
    changes:
      - {at: 0.03, set: {mu: 0.3}}
      - {at: 0.0303, set: {mu: 0.2}}
      - {at: 0.04, set: {e: 0.6}}
    run: {step: 1 ms, duration: 0.1 s}
  )");
}

TEST_F(RecordingTest, models_between_frames_are_stored_with_their_first_step) {
  vinci::RunOverrides few;
  few.options["output-interval"] = "0.025";
  Simulation simulation(bounce(), few);
  Recorder recorder(file(), simulation);
  run(simulation, recorder, 100);
  recorder.finish(simulation);
  const Recording recording(file());
  ASSERT_EQ(recording.frames(), 5);  // steps 0, 25, 50, 75, 100
  EXPECT_EQ(recording.info(1).model, 0);
  EXPECT_EQ(recording.info(2).model, 3);
  EXPECT_NE(recording.model_json(1).find("\"mu\":0.3"), std::string::npos);
  EXPECT_NE(recording.model_json(2).find("\"mu\":0.2"), std::string::npos);
  const vinci::Hdf5File raw(file(), vinci::Hdf5File::Mode::read_still);
  const auto tables = vinci::RecordingTables::open(raw, {2, 3, 0});
  std::vector<vinci::ModelRecord> models(4);
  ASSERT_EQ(tables.models.rows(), 4u);
  tables.models.read(0, 4, models.data());
  const std::int64_t expected[] = {0, 30, 31, 40};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(models[i].first_step, expected[i]);
}

// Stopped after every step of the first bounce, with few frames: the one where it stopped is there.
TEST_F(RecordingTest, a_run_with_a_rebound_due_and_few_frames_resumes_to_the_same_state) {
  vinci::RunOverrides few;
  few.options["output-interval"] = "0.025";
  Simulation whole(bounce(), few);
  Recorder undisturbed(file("whole.h5"), whole);
  std::vector<std::int64_t> stops{30, 31, 32, 41};
  while (!whole.finished()) {
    whole.step();
    undisturbed.after_step(whole);
    for (std::size_t i = 0; i < whole.state().memory.rebounds.size(); ++i)
      stops.push_back(whole.state().step);
  }
  undisturbed.finish(whole);
  ASSERT_GT(stops.size(), 4u) << "no rebound was ever due between two steps";
  for (const std::int64_t stop : stops) {
    {
      Simulation part(bounce(), few);
      Recorder recorder(file(), part, true);
      run(part, recorder, stop);
      recorder.finish(part);
    }
    Simulation simulation(bounce(), few);
    Recorder recorder = Recorder::resume(file(), simulation);
    EXPECT_EQ(simulation.state().step, stop);
    run(simulation, recorder, 100);
    recorder.finish(simulation);
    expect_same(simulation.state(), whole.state());
    const Recording a(file()), b(file("whole.h5"));
    for (int model = 0; model < 4; ++model) EXPECT_EQ(a.model_json(model), b.model_json(model));
  }
}

// The value from code holds against the scene's change, also where both happened to be equal.
TEST_F(RecordingTest, a_parameter_set_by_scene_and_code_is_restored_on_resume) {
  const auto with_code = [](Simulation& simulation) {
    if (simulation.state().step == 50) simulation.set_parameter("mu", 0.2);
    simulation.step();
  };
  const vinci::Scene scene = vinci::Scene::parse(R"(
    world: planar
    parameters: {mu: 0.4}
    materials: {wood: {friction: mu}}
    bodies:
      floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
      block: {shapes: [{box: [0.2, 0.1], material: wood}], position: [0, 0.05], velocity: [1, 0]}
    changes: [{at: 0.03, set: {mu: 0.2}}, {at: 0.08, set: {mu: 0.6}}]
    run: {step: 1 ms, duration: 0.1 s}
  )");
  Simulation whole(scene);
  while (!whole.finished()) with_code(whole);
  {
    Simulation part(scene);
    Recorder recorder(file(), part);
    while (part.state().step < 60) with_code(part), recorder.after_step(part);
    recorder.finish(part);
  }
  Simulation simulation(scene);
  Recorder recorder = Recorder::resume(file(), simulation);
  run(simulation, recorder, 100);
  recorder.finish(simulation);
  EXPECT_EQ(simulation.parameters().at("mu"), 0.2);
  expect_same(simulation.state(), whole.state());
}

TEST_F(RecordingTest, an_existing_file_is_refused_and_a_writer_is_protected) {
  Simulation simulation(tumble()), other(tumble());
  Recorder recorder(file(), simulation);
  EXPECT_THROW(Recorder(file(), other), vinci::Error);
  EXPECT_THROW(Recorder(file(), other, true), vinci::Error);
  EXPECT_THROW(static_cast<void>(Recorder::resume(file(), other)), vinci::Error);
  run(simulation, recorder, 100);
  recorder.finish(simulation);
  EXPECT_NO_THROW(Recorder(file(), other, true));
  EXPECT_THROW(Recorder(file("no/such/folder/run.h5"), other), vinci::Error);
}

TEST_F(RecordingTest, a_run_can_be_read_while_it_is_written) {
  Simulation simulation(tumble());
  Recorder recorder(file(), simulation);
  EXPECT_EQ(Recording(file()).frames(), 1);
  run(simulation, recorder, 40);
  recorder.flush();
  {
    const Recording live(file());
    EXPECT_TRUE(live.has_writer());
    EXPECT_FALSE(live.finished());
    ASSERT_EQ(live.frames(), 41);
    expect_same(live.state(40), simulation.state());
  }
  run(simulation, recorder, 100);
  recorder.finish(simulation);
  EXPECT_EQ(Recording(file()).frames(), 101);
}

TEST_F(RecordingTest, many_frames_at_once_are_the_single_ones) {
  Simulation simulation(tumble());
  {
    Recorder recorder(file(), simulation);
    run(simulation, recorder, 100);
    recorder.finish(simulation);
  }
  const Recording recording(file());
  for (const vinci::FrameRange range :
       {vinci::FrameRange{0, 101, 1}, {3, 14, 7}, {100, 1, 1}, {5, 0, 1}}) {
    const auto infos = recording.infos(range);
    const auto poses = recording.poses(range), one = recording.poses(range, 2);
    const auto velocities = recording.velocities(range), spin = recording.velocities(range, 2);
    const vinci::ContactRows contacts = recording.contacts(range);
    const auto [entry, entries] = recording.velocity_entries(2);
    ASSERT_EQ(infos.size(), static_cast<std::size_t>(range.count));
    ASSERT_EQ(contacts.starts.size(), infos.size() + 1);
    for (std::size_t i = 0; i < infos.size(); ++i) {
      const std::int64_t frame = range.first + static_cast<std::int64_t>(i) * range.stride;
      const vinci::State state = recording.state(frame);
      EXPECT_EQ(infos[i].step, state.step);
      EXPECT_EQ(infos[i].report.solve.residual.relative,
                recording.info(frame).report.solve.residual.relative);
      for (std::size_t b = 0; b < 3; ++b)
        EXPECT_EQ(poses[(i * 3 + b) * 7 + 1], state.poses[b].position.y());
      EXPECT_EQ(one[i * 7 + 1], state.poses[2].position.y());
      EXPECT_EQ(one[i * 7 + 3], state.poses[2].rotation.w());
      for (int k = 0; k < state.velocities.size(); ++k)
        EXPECT_EQ(velocities[i * static_cast<std::size_t>(state.velocities.size()) +
                             static_cast<std::size_t>(k)],
                  state.velocities[k]);
      for (int k = 0; k < entries; ++k)
        EXPECT_EQ(spin[i * static_cast<std::size_t>(entries) + static_cast<std::size_t>(k)],
                  state.velocities[entry + k]);
      const auto rows = recording.contacts(frame);
      ASSERT_EQ(contacts.starts[i + 1] - contacts.starts[i],
                static_cast<std::int64_t>(rows.size()));
      for (std::size_t k = 0; k < rows.size(); ++k)
        EXPECT_EQ(contacts.rows[static_cast<std::size_t>(contacts.starts[i]) + k].impulse,
                  rows[k].impulse);
    }
  }
  for (const vinci::FrameRange range :
       {vinci::FrameRange{0, 102, 1}, {-1, 1, 1}, {0, 2, 101}, {0, 1, 0}, {0, -1, 1}})
    EXPECT_THROW(static_cast<void>(recording.poses(range)), vinci::Error);
  EXPECT_THROW(static_cast<void>(recording.poses({0, 1, 1}, 3)), vinci::Error);
}

TEST_F(RecordingTest, a_reader_follows_a_run_until_it_ends) {
  Simulation simulation(tumble());
  Recorder recorder(file(), simulation);
  Recording live(file());
  for (const int steps : {10, 50, 100}) {
    run(simulation, recorder, steps);
    recorder.flush();
    live.refresh();
    ASSERT_EQ(live.frames(), steps + 1);
    expect_same(live.state(steps), simulation.state());
    EXPECT_EQ(live.contacts({0, steps + 1}).starts.size(), static_cast<std::size_t>(steps) + 2);
  }
  recorder.finish(simulation);
  live.refresh();
  EXPECT_TRUE(live.finished());
  EXPECT_FALSE(live.has_writer());
  live.refresh();  // nothing more to see
  EXPECT_EQ(live.frames(), 101);
}

TEST_F(RecordingTest, export_names_its_units_and_is_complete) {
  Simulation simulation(tumble());
  Recorder recorder(file(), simulation);
  run(simulation, recorder, 100);
  recorder.finish(simulation);
  const Recording recording(file());
  export_csv(recording, file("tables"));
  std::ifstream states(file("tables") / "states.csv");
  std::string line;
  std::getline(states, line);
  EXPECT_EQ(line.substr(0, 40), "step,time [s],body,x [m],y [m],z [m],qw,");
  std::string last;
  int lines = 0;
  while (std::getline(states, line)) last = line, ++lines;
  EXPECT_EQ(lines, 101 * 3);
  std::istringstream cells(last);
  std::string cell;
  for (int i = 0; i < 4; ++i) std::getline(cells, cell, ',');
  EXPECT_EQ(std::stod(cell), simulation.state().poses[2].position.x());
}

// The check value of the checksum: the superblock that HDF5 itself writes.
TEST_F(RecordingTest, the_superblock_of_hdf5_reads_and_rewrites) {
  Simulation simulation(tumble());
  Recorder(file(), simulation).finish(simulation);
  const int descriptor = open(file().c_str(), O_RDWR);
  ASSERT_GE(descriptor, 0);
  const auto before = vinci::read_superblock(descriptor);
  ASSERT_TRUE(before.has_value());
  EXPECT_FALSE(before->open_for_writing);
  EXPECT_EQ(before->end, std::filesystem::file_size(file()));
  EXPECT_TRUE(vinci::rewrite_superblock(descriptor, before->end + 4096));
  EXPECT_EQ(vinci::read_superblock(descriptor)->end, before->end + 4096);
  // An end beyond the file is a file that was cut short.
  EXPECT_THROW(Recording{file()}, vinci::Error);
  EXPECT_TRUE(vinci::rewrite_superblock(descriptor, before->end));
  EXPECT_NO_THROW(Recording{file()});
  const char wrong = 'x';
  ASSERT_EQ(pwrite(descriptor, &wrong, 1, 20), 1);
  EXPECT_FALSE(vinci::read_superblock(descriptor).has_value());
  EXPECT_THROW(Recording{file()}, vinci::Error);
  close(descriptor);
}

// A part that fits exactly between two walls falls or hangs, and a block rests beside it.
vinci::Scene wedged() {
  return vinci::Scene::parse(R"(
    world: planar
    materials: {m: {friction: 0.5}}
    bodies:
      floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
      left: {freedom: fixed, shapes: [{box: [1, 6], material: m}], position: [-1, 3]}
      right: {freedom: fixed, shapes: [{box: [1, 6], material: m}], position: [1, 3]}
      part: {shapes: [{box: [1, 1], material: m}], position: [0, 3]}
      block: {shapes: [{box: [1, 1], material: m}], position: [9, 0.5]}
    run: {step: 1 ms, duration: 6 ms, output-interval: 2 ms, diagnose: all}
  )");
}

TEST_F(RecordingTest, motions_of_every_step_are_kept_with_the_frame_after_it) {
  Simulation simulation(wedged());
  {
    Recorder recorder(file(), simulation);
    run(simulation, recorder, 3);  // in the middle between two frames
  }
  Simulation again(wedged());
  Recorder recorder = Recorder::resume(file(), again);
  std::vector<std::vector<vinci::FoundMotion>> found;  // per step
  while (!again.finished()) {
    again.step();
    recorder.after_step(again);
    found.push_back(again.report().motions);
  }
  recorder.finish(again);
  const Recording recording(file());
  std::size_t several = 0, rows = 0;
  for (std::int64_t frame = 0; frame < recording.frames(); ++frame) {
    several += recording.info(frame).report.uniqueness == vinci::Uniqueness::several;
    const std::int64_t before = frame > 0 ? recording.info(frame - 1).step : 0;
    for (const vinci::RecordedMotion& motion : recording.motions(frame)) {
      ++rows;
      EXPECT_GT(motion.step, before);
      EXPECT_LE(motion.step, recording.info(frame).step);
      ASSERT_EQ(motion.bodies.size(), 1u);
      EXPECT_EQ(recording.body_names()[motion.bodies[0].body], "part");
      EXPECT_EQ(motion.contacts.size(), 4u);
    }
  }
  EXPECT_EQ(recording.summary().several_steps, 6);
  EXPECT_EQ(recording.summary().first_several, 1);
  EXPECT_NEAR(recording.summary().largest_distance, 6 * 9.81e-3, 1e-8);  // falls or hangs
  EXPECT_EQ(several, 3u);
  EXPECT_GE(rows, 12u);  // it falls or hangs in every step
  const std::vector<vinci::RecordedMotion> last = recording.motions(recording.frames() - 1);
  const std::vector<vinci::FoundMotion>& told = found.back();
  ASSERT_GE(told.size(), 2u);
  ASSERT_GT(last.size(), told.size());  // those of the step before come first
  for (std::size_t k = 0; k < told.size(); ++k) {
    const vinci::RecordedMotion& read = last[last.size() - told.size() + k];
    EXPECT_EQ(read.number, told[k].number);
    EXPECT_EQ(read.island, told[k].island);
    EXPECT_EQ(read.bodies[0].twist.linear, told[k].bodies[0].twist.linear);
    EXPECT_EQ(read.contacts[0].key, told[k].contacts[0].key);
    EXPECT_EQ(read.contacts[0].state, told[k].contacts[0].state);
  }
}

TEST_F(RecordingTest, motions_are_asked_for_from_the_start_or_not_at_all) {
  vinci::RunOverrides off;
  off.options["diagnose"] = "off";
  Simulation simulation(wedged(), off);
  {
    Recorder recorder(file(), simulation);
    run(simulation, recorder, 2);
  }
  EXPECT_TRUE(Recording(file()).motions(0).empty());
  Simulation again(wedged());
  EXPECT_THROW(Recorder::resume(file(), again), vinci::Error);
}

}  // namespace
