// SPDX-License-Identifier: Apache-2.0
// Events and modes in recordings: none is lost, all read back bit for bit, and runs continue from
// what event-driven motion remembers.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/event_stepper.h"
#include "vinci/base/error.h"
#include "vinci/recording/event_names.h"
#include "vinci/recording/recorder.h"
#include "vinci/recording/recording.h"
#include "vinci/recording/recording_layout.h"
#include "vinci/storage/hdf5_file.h"

namespace vinci::test {
namespace {

class Events : public testing::Test {
 protected:
  Events() {
    std::string pattern = (std::filesystem::temp_directory_path() / "events-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Events() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file(const std::string& name = "run.h5") const { return folder_ / name; }

  // Every event that a step left, while it is recorded.
  std::vector<RecordedEvent> record(Simulation& simulation, const std::string& name = "run.h5") {
    std::vector<RecordedEvent> events;
    Recorder recorder(file(name), simulation);
    while (!simulation.finished()) {
      simulation.step();
      for (const StepEvent& event : simulation.events())
        events.push_back({event, simulation.state().step});
      recorder.after_step(simulation);
    }
    recorder.finish(simulation);
    return events;
  }

 private:
  std::filesystem::path folder_;
};

void expect_same(const ConstraintMode& a, const ConstraintMode& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.point, b.point);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.gap, b.gap);
  EXPECT_EQ(a.gap_rate, b.gap_rate);
  EXPECT_EQ(a.force, b.force);
}

TEST_F(Events, none_is_lost_between_recorded_frames) {
  Simulation simulation = bouncing_ball();
  const std::vector<RecordedEvent> events = record(simulation);
  const Recording recording(file());
  ASSERT_TRUE(recording.is_event_driven());
  ASSERT_EQ(recording.frames(), 41);  // of 200 steps
  const std::vector<RecordedEvent> read = recording.events();
  ASSERT_EQ(read.size(), events.size());
  ASSERT_EQ(read.size(), 9u) << "five touches and four partings";
  EXPECT_EQ(recording.event_count(), 9);
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].time, events[i].time);
    EXPECT_NEAR(read[i].time, Bouncer::touch(static_cast<int>(i / 2)), 1e-12);
    EXPECT_EQ(read[i].step, events[i].step);
    EXPECT_EQ(read[i].from, static_cast<int>(i % 2));
    expect_same(read[i].after, events[i].after);
  }
  // Those of a frame happened since the frame before.
  std::size_t found = recording.events(0, 0).size();
  for (std::int64_t frame = 1; frame < recording.frames(); ++frame)
    for (const RecordedEvent& event : recording.events(frame, frame)) {
      ++found;
      EXPECT_GT(event.time, recording.info(frame - 1).time);
      EXPECT_LE(event.time, recording.info(frame).time);
    }
  EXPECT_EQ(found, 9u);
  EXPECT_EQ(recording.events(3, 2).size(), 0u);
  EXPECT_THROW(static_cast<void>(recording.events(0, 41)), Error);
}

TEST_F(Events, modes_are_those_at_the_ends_of_the_frames_steps) {
  Simulation simulation = bouncing_ball();
  std::vector<ConstraintMode> modes = {simulation.modes().at(0)};
  Recorder recorder(file(), simulation);
  while (!simulation.finished()) {
    simulation.step();
    recorder.after_step(simulation);
    if (simulation.state().step % 5 == 0) modes.push_back(simulation.modes().at(0));
  }
  recorder.finish(simulation);
  const Recording recording(file());
  const ModeRows all = recording.modes({0, 41, 1});
  ASSERT_EQ(all.rows.size(), 41u);
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    EXPECT_EQ(all.starts[i], static_cast<std::int64_t>(i));
    expect_same(all.rows[i], modes[i]);
  }
  const ModeRows some = recording.modes({2, 10, 4});
  ASSERT_EQ(some.rows.size(), 10u);
  for (std::size_t i = 0; i < some.rows.size(); ++i) expect_same(some.rows[i], modes[2 + 4 * i]);
  EXPECT_EQ(all.rows.back().force.x(), 2.0 * 9.81) << "it lies still";
}

TEST_F(Events, a_resumed_run_ends_at_the_same_state_with_the_same_events) {
  Simulation whole = bouncing_ball();
  const std::vector<RecordedEvent> events = record(whole, "whole.h5");
  for (const std::int64_t stop : {0, 1, 31, 32, 77, 128, 199, 200}) {
    {
      Simulation part = bouncing_ball();
      Recorder recorder(file(), part, true);
      while (part.state().step < stop) {
        part.step();
        recorder.after_step(part);
      }
      if (stop % 2 == 0) recorder.finish(part);  // the others as if their owner had given up
    }
    Simulation simulation = bouncing_ball();
    Recorder recorder = Recorder::resume(file(), simulation);
    EXPECT_LE(simulation.state().step, stop);
    while (!simulation.finished()) {
      simulation.step();
      recorder.after_step(simulation);
    }
    recorder.finish(simulation);
    EXPECT_TRUE(simulation.state().memory == whole.state().memory);
    EXPECT_EQ(hash(simulation.state()), hash(whole.state()));
    const Recording a(file()), b(file("whole.h5"));
    const std::vector<RecordedEvent> read = a.events();
    ASSERT_EQ(read.size(), events.size()) << "stopped after step " << stop;
    for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i].time, events[i].time);
    EXPECT_EQ(a.summary().events, b.summary().events);
    EXPECT_EQ(a.summary().touches, b.summary().touches);
    EXPECT_EQ(a.summary().state_hash, b.summary().state_hash);
  }
}

TEST_F(Events, every_recorded_state_has_the_hash_and_the_memory_of_the_run) {
  Simulation simulation = bouncing_ball();
  std::vector<State> states = {simulation.state()};
  Recorder recorder(file(), simulation);
  while (!simulation.finished()) {
    simulation.step();
    recorder.after_step(simulation);
    if (simulation.state().step % 5 == 0) states.push_back(simulation.state());
  }
  recorder.finish(simulation);
  const Recording recording(file());
  for (std::size_t i = 0; i < states.size(); ++i) {
    const State state = recording.state(static_cast<std::int64_t>(i));
    EXPECT_TRUE(state == states[i]);
    ASSERT_EQ(state.memory.modes.size(), 2u);
    EXPECT_TRUE(std::signbit(state.memory.modes[1].held.y())) << "-0 stays -0";
  }
}

TEST_F(Events, the_summary_counts_and_names_them) {
  Simulation simulation = bouncing_ball();
  record(simulation);
  const Recording recording(file());
  const RunSummary summary = recording.summary();
  EXPECT_EQ(summary.events, 9);
  EXPECT_EQ(summary.touches, 5);
  EXPECT_EQ(summary.partings, 4);
  EXPECT_EQ(summary.releases + summary.slides + summary.sticks + summary.transitions, 0);
  EXPECT_EQ(summary.accumulations, 1);
  EXPECT_EQ(summary.piled_name, "ball on floor");
  EXPECT_EQ(summary.integrator_steps, 3 * 200 + 9);
  EXPECT_EQ(summary.deepest_sinking, 1e-3);
  EXPECT_EQ(summary.impact_energy, 5 * 0.25);
  std::map<std::string, std::string> lines;
  for (const auto& [label, words] : summary_lines(summary, recording.facts())) lines[label] = words;
  EXPECT_EQ(lines["events"], "9: 5 touches, 4 partings");
  EXPECT_EQ(lines["piled up"],
            "events piled up 1 time (last: ball on floor) and were passed: what piles up acts from "
            "then on");
  EXPECT_EQ(lines["integrator"], "609 steps, 2000 evaluations, 3.0 per step of the run");
}

TEST_F(Events, recordings_of_other_steppers_have_no_tables_for_them) {
  RunOverrides other;
  other.options["stepper"] = "stewart-trinkle";
  Simulation simulation = bouncing_ball(other);
  EXPECT_TRUE(record(simulation).empty());
  const Hdf5File raw(file(), Hdf5File::Mode::read_still);
  for (const char* table : {"events", "modes", "mode_memory"})
    EXPECT_FALSE(raw.has(table)) << table;
  const Recording recording(file());
  EXPECT_FALSE(recording.is_event_driven());
  EXPECT_TRUE(recording.events().empty());
  EXPECT_TRUE(recording.modes({0, recording.frames(), 1}).rows.empty());
  for (const auto& [label, words] : summary_lines(recording.summary(), recording.facts()))
    EXPECT_NE(label, "events") << words;
}

TEST_F(Events, a_stepper_that_does_not_say_that_it_has_modes_is_named) {
  class Silent : public Bouncer {
    bool is_event_driven() const override { return false; }
  };
  Plugins plugins = builtin_plugins();
  plugins.steppers.add({.name = "bouncer",
                        .text = "",
                        .reference = "",
                        .options = {},
                        .make = [](const OptionValues&) { return std::make_unique<Silent>(); }});
  const Simulation simulation(Scene::parse(bouncing), {},
                              std::make_shared<const Plugins>(std::move(plugins)));
  try {
    const Recorder recorder(file(), simulation);
    FAIL() << "a state was recorded that cannot be read back";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("'bouncer'"), std::string::npos) << error.message();
  }
}

TEST_F(Events, a_frame_that_points_beyond_the_table_is_damage) {
  Simulation simulation = bouncing_ball();
  record(simulation);
  {
    const Hdf5File raw(file(), Hdf5File::Mode::write_live);
    RecordingTables tables = RecordingTables::open(raw, {2, 3});
    tables.events.shrink(5);
  }
  const Recording recording(file());
  EXPECT_NO_THROW(static_cast<void>(recording.events(0, 7)));
  EXPECT_THROW(static_cast<void>(recording.events()), Error);
  EXPECT_THROW(static_cast<void>(recording.state(40)), Error);
}

// Names of a model with everything that events can be about.
Model named_model() {
  Model model;
  for (const char* name : {"floor", "ball", "box", "ring"}) {
    Body& body = model.bodies.emplace_back();
    body.name = name;
    body.freedom = body.name == "floor" ? Freedom::fixed : Freedom::planar;
  }
  const Shape square = Polygon{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, {}};
  for (const auto& [shape, body] : {std::pair<Shape, int>(HalfPlane{}, 0),
                                    {Circle{0.1}, 1},
                                    {square, 2},
                                    {Circle{1.0}, 3},
                                    {Circle{2.0}, 3}}) {
    PlacedShape& placed = model.shapes.emplace_back();
    placed.shape = shape;
    placed.body = body;
  }
  model.constraints.resize(2);
  model.constraints[0].name = "gate";
  model.constraints[1].name = "rail";
  model.constraints[1].kind = UserConstraint::Kind::link;
  model.machines.resize(1);
  model.machines[0].name = "maze";
  model.machines[0].states = {"outer", "inner"};
  model.joints.emplace_back().name = "elbow";
  return model;
}

TEST(EventNames, say_what_touches_what) {
  const EventNames names(named_model());
  EXPECT_EQ(names.subject(contact_key(0, 1, 0, 0)), "ball on floor") << "what is fixed comes last";
  EXPECT_EQ(names.subject(contact_key(1, 2, 0, 3)), "ball on box (feature 0.3)");
  EXPECT_EQ(names.subject(contact_key(0, 2, 0, 3)), "box on floor (feature 3.0)");
  EXPECT_EQ(names.subject(contact_key(1, 4, 0, 0)), "ball on ring (shape 2 of ring)");
  EXPECT_EQ(names.subject(contact_key(0, 1, 0, 0), 2), "ball on floor (point 2)");
  EXPECT_EQ(names.subject(constraint_key(0)), "gate");
  EXPECT_EQ(names.subject(machine_key(0)), "maze");
  EXPECT_EQ(names.subject(joint_key(0, JointPart::upper_limit, 0)), "elbow (upper limit)");
  EXPECT_EQ(names.subject(joint_key(0, JointPart::friction, 2)), "elbow (friction 2)");
  EXPECT_EQ(names.subject(body_key(3)), "ring");
  EXPECT_EQ(names.subject(constraint_key(7)), "constraint 7");
  EXPECT_EQ(names.state(contact_key(0, 1, 0, 0), 3), "sliding");
  EXPECT_EQ(names.state(machine_key(0), 1), "inner");
  EXPECT_EQ(names.state(machine_key(0), 2), "state 2");
  EXPECT_EQ(names.state(constraint_key(0), 1), "contact");
  EXPECT_EQ(names.state(constraint_key(1), 1), "on");
  EXPECT_EQ(names.state(constraint_key(1), 0), "off");
}

TEST(EventNames, tell_what_an_event_is) {
  const EventNames names(named_model());
  const auto kind = [&](const EntityKey& key, ConstraintState from, ConstraintState to) {
    return names.kind({0.0, static_cast<int>(from), {key, 0, static_cast<int>(to)}});
  };
  using State = ConstraintState;
  const EntityKey contact = contact_key(0, 1, 0, 0), gate = constraint_key(0);
  for (const EntityKey& key : {contact, gate}) {
    EXPECT_EQ(kind(key, State::free, State::sliding), EventKind::touch);
    EXPECT_EQ(kind(key, State::ballistic, State::frictionless), EventKind::touch);
    EXPECT_EQ(kind(key, State::sticking, State::ballistic), EventKind::release);
    EXPECT_EQ(kind(key, State::ballistic, State::free), EventKind::parting);
    EXPECT_EQ(kind(key, State::sliding, State::free), EventKind::parting);
    EXPECT_EQ(kind(key, State::sticking, State::sliding), EventKind::slide);
    EXPECT_EQ(kind(key, State::sliding, State::sticking), EventKind::stick);
  }
  EXPECT_EQ(kind(constraint_key(1), State::free, State::frictionless), EventKind::transition);
  EXPECT_EQ(kind(machine_key(0), State::free, State::frictionless), EventKind::transition);
}

TEST(EventNames, of_a_recorded_model_are_those_of_the_model) {
  const Simulation simulation = bouncing_ball();
  const EventNames a(simulation.model()), b(model_json(simulation));
  EXPECT_EQ(b.subject(Bouncer::key()), a.subject(Bouncer::key()));
  const EventNames c(R"({"bodies": [{"name": "a", "freedom": "fixed"}, {"name": "b\u001b"}],
    "shapes": [{"body": 1, "kind": "circle"}, {"body": 0, "kind": "half-plane"}],
    "constraints": [{"name": "gate", "kind": "contact"}, {"name": "rail", "kind": "link"}],
    "machines": [{"name": "maze", "states": ["outer", "inner"]}]})");
  EXPECT_EQ(c.subject(contact_key(0, 1, 0, 0)), "b\\u001b on a") << "no control characters";
  EXPECT_EQ(c.subject(constraint_key(0)), "gate");
  EXPECT_TRUE(c.is_link(constraint_key(1)));
  EXPECT_EQ(c.state(machine_key(0), 1), "inner");
}

TEST(EventNames, of_damaged_models_are_numbers) {
  for (const char* text : {"", "[", "7", "[1]", R"({"bodies": 3, "shapes": [1, {"body": "x"}]})",
                           R"({"shapes": [{"body": 7}, {"body": 1e300}], "machines": [null]})"}) {
    const EventNames names{std::string(text)};
    EXPECT_EQ(names.subject(contact_key(0, 1, 0, 0)), "shape 0 on shape 1") << text;
    EXPECT_EQ(names.subject(constraint_key(0)), "constraint 0") << text;
    EXPECT_EQ(names.state(machine_key(0), 0), "state 0") << text;
  }
}

}  // namespace
}  // namespace vinci::test
