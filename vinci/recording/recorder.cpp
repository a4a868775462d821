// SPDX-License-Identifier: Apache-2.0
// Frames are gathered in memory and written at a flush: first their rows, then, in place and last,
// the number of complete frames. Whatever instant a writer is killed at, that number counts rows
// that are in the file.
#include "vinci/recording/recorder.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <optional>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "vinci/base/clock.h"
#include "vinci/model/controller.h"
#include "vinci/model/element.h"
#include "vinci/model/joint_columns.h"
#include "vinci/recording/provenance.h"
#include "vinci/recording/recording.h"
#include "vinci/recording/recording_guard.h"
#include "vinci/recording/recording_layout.h"
#include "vinci/recording/run_loop.h"
#include "vinci/recording/summary.h"
#include "vinci/storage/publish.h"

namespace vinci {
namespace {

constexpr std::size_t most_bytes = 4u << 20;  // kept in memory between flushes

void put(double (&to)[3], const Vector3& from) {
  for (int i = 0; i < 3; ++i) to[i] = from[i];
}

void put(std::uint32_t (&to)[4], const EntityKey& key) {
  const std::array<std::uint32_t, 4> words = key_words(key);
  std::copy(words.begin(), words.end(), to);
}

ContactRecord contact_record(const SolvedContact& solved) {
  ContactRecord row;
  put(row.key, solved.contact.key);
  row.bodies[0] = solved.contact.body_a;
  row.bodies[1] = solved.contact.body_b;
  put(row.point_a, solved.contact.point_a);
  put(row.point_b, solved.contact.point_b);
  put(row.normal, solved.contact.normal);
  put(row.tangent_1, solved.tangent_1);
  put(row.tangent_2, solved.tangent_2);
  put(row.impulse, solved.impulse);
  put(row.velocity, solved.velocity);
  row.gap = solved.contact.gap;
  row.friction = solved.friction;
  row.friction_2 = solved.friction_2;
  put(row.moment, solved.moment);
  put(row.turning, solved.turning);
  row.patch_point = solved.contact.patch_point;
  return row;
}

// The rows not yet handed to HDF5.
struct Pending {
  std::vector<FrameRow> frames;
  std::vector<RunStatistics> summary;
  std::vector<double> poses, velocities, controls, elements, joints;
  std::vector<ContactRecord> contacts;
  std::vector<MemoryRecord> memory;
  std::vector<ModelRecord> models;
  std::vector<SolutionRecord> solutions;
  std::vector<SolutionContactRecord> solution_contacts;
  std::vector<EventRecord> events;
  std::vector<ModeRecord> modes;
  std::vector<ModeMemoryRecord> mode_memory;
  std::string model_text;

  std::size_t bytes() const {
    return frames.size() * (sizeof(FrameRow) + sizeof(RunStatistics)) +
           (poses.size() + velocities.size() + controls.size() + elements.size() + joints.size()) *
               sizeof(double) +
           contacts.size() * sizeof(ContactRecord) + memory.size() * sizeof(MemoryRecord) +
           models.size() * sizeof(ModelRecord) + model_text.size() +
           solutions.size() * sizeof(SolutionRecord) +
           solution_contacts.size() * sizeof(SolutionContactRecord) +
           events.size() * sizeof(EventRecord) + modes.size() * sizeof(ModeRecord) +
           mode_memory.size() * sizeof(ModeMemoryRecord);
  }
  void clear() {
    frames.clear(), summary.clear(), poses.clear(), velocities.clear(), controls.clear();
    elements.clear(), joints.clear(), solutions.clear(), solution_contacts.clear();
    contacts.clear(), memory.clear(), models.clear(), model_text.clear();
    events.clear(), modes.clear(), mode_memory.clear();
  }
};

FrameWidths widths_of(const Simulation& simulation) {
  return {simulation.model().bodies.size(),
          static_cast<std::size_t>(simulation.model().velocity_count),
          static_cast<std::size_t>(simulation.state().controls.size()),
          static_cast<std::size_t>(element_width(simulation.model())),
          joint_columns(simulation.model()).size(),
          simulation.options().text("diagnose") == "all",
          simulation.is_event_driven()};
}

// Rows already handed to HDF5.
struct Written {
  std::uint64_t frames = 0, contacts = 0, memory = 0, models = 0, model_bytes = 0, solutions = 0,
                solution_contacts = 0, events = 0, modes = 0, mode_memory = 0;
};

}  // namespace

struct Recorder::Impl {
  std::filesystem::path path;
  std::optional<RecordingGuard> guard;
  std::optional<Hdf5File> file;
  RecordingTables tables;
  Hdf5Scalar progress;

  Pending pending;
  VectorX element_numbers, joint_numbers;  // of a frame
  Written written;
  RunStatistics statistics;
  std::string last_model;  // as JSON
  int last_model_version = -1;
  std::int64_t last_step = -1, total_steps = 0;
  // Rows that a frame names.
  std::uint64_t told_solutions = 0, told_solution_contacts = 0, told_events = 0;
  double accept = 0.0, earlier_seconds = 0.0, flush_interval = default_flush_interval;
  Stopwatch since_start, since_flush;
  bool closed = false;
  std::optional<Failure> failure;  // of a write: there are no others after it

  explicit Impl(const std::filesystem::path& file_path) : path(file_path) {}
  ~Impl();

  void adopt(const Simulation& simulation);
  void make_contents(const Simulation& simulation);
  void open_live(const Simulation& simulation);
  void restore(const ProgressRow& mark);
  void append(const Simulation& simulation, bool is_step = true);
  void append_model(const Simulation& simulation);
  void append_motions(const Simulation& simulation);
  void append_events(const Simulation& simulation);
  void append_modes(const Simulation& simulation, FrameRow& row);
  void write_pending();
  void flush();
  void mark(bool is_closed);
  void close();
};

Recorder::Impl::~Impl() {
  if (closed || !file) return;
  try {
    if (!failure && guard) flush();
    close();
  } catch (const std::exception&) {
    // Nobody is left to tell; the file holds what was flushed before.
  }
}

void Recorder::Impl::adopt(const Simulation& simulation) {
  accept = simulation.options().real("accept");
  total_steps = simulation.total_steps();
}

void Recorder::Impl::make_contents(const Simulation& simulation) {
  const Model& model = simulation.model();
  file->write_attribute("/", "format", recording_format);
  file->write_attribute("/", "format_version", std::to_string(recording_version));
  file->write_text("provenance/version", VINCI_VERSION);
  file->write_text("provenance/title", simulation.scene().title());
  file->write_text("provenance/scene", simulation.scene().source());
  file->write_text("provenance/options", options_json(simulation));
  file->write_text("provenance/created",
                   fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))));
  std::vector<std::string> names, freedoms;
  for (const Body& body : model.bodies) {
    names.push_back(body.name);
    freedoms.emplace_back(to_string(body.freedom));
  }
  file->write_texts("bodies/name", names);
  file->write_texts("bodies/freedom", freedoms);
  if (!model.elements.empty()) file->write_texts("element_columns", element_columns(model));
  if (!model.joints.empty()) file->write_texts("joint_columns", joint_columns(model));
  if (simulation.state().controls.size() > 0)
    file->write_texts("control_columns", control_columns(simulation.controllers()));
  tables = RecordingTables::create(*file, widths_of(simulation));
  progress = Hdf5Scalar::create(*file, "progress", progress_row());
  write_units(*file);
}

// HDF5's handle for a file that readers may follow, with the guard beside it.
void Recorder::Impl::open_live(const Simulation& simulation) {
  file.emplace(path, Hdf5File::Mode::write_live);
  guard->reserve(file->end(), 1u << 20);  // for what cutting a table writes
  const FrameWidths widths = widths_of(simulation);
  tables = RecordingTables::open(*file, widths);
  if (widths.solutions && !tables.has_solutions)
    throw Error("cannot keep motions: the run began without 'diagnose: all'", path.string());
  if (widths.events && !tables.has_events)
    throw Error("has no tables for the events of its stepper", path.string());
  progress = Hdf5Scalar::open(*file, "progress", progress_row());
}

// Takes up the counters of the last complete frame and cuts what lies behind it.
void Recorder::Impl::restore(const ProgressRow& mark) {
  FrameRow frame = empty_frame();
  tables.frames.read(mark.frames - 1, 1, &frame);
  tables.summary.read(mark.frames - 1, 1, &statistics);
  written = {mark.frames,
             frame.contact_offset + frame.contact_rows,
             frame.memory_offset + frame.memory_rows,
             static_cast<std::uint64_t>(frame.model) + 1,
             0,
             frame.solution_offset + frame.solution_rows,
             frame.solution_contact_offset + frame.solution_contact_rows,
             frame.event_offset + frame.event_rows,
             frame.mode_offset + frame.mode_rows,
             frame.mode_memory_offset + frame.mode_memory_rows};
  told_solutions = written.solutions;
  told_solution_contacts = written.solution_contacts;
  told_events = written.events;
  ModelRecord model;
  tables.models.read(written.models - 1, 1, &model);
  written.model_bytes = model.offset + model.length;
  last_step = frame.step;
  earlier_seconds = statistics.wall_seconds;
  tables.frames.shrink(written.frames);
  tables.summary.shrink(written.frames);
  tables.poses.shrink(written.frames);
  tables.velocities.shrink(written.frames);
  tables.controls.shrink(written.frames);
  tables.elements.shrink(written.frames);
  if (tables.has_joints) tables.joints.shrink(written.frames);
  tables.contacts.shrink(written.contacts);
  tables.memory.shrink(written.memory);
  tables.models.shrink(written.models);
  tables.model_text.shrink(written.model_bytes);
  if (tables.has_solutions) {
    tables.solutions.shrink(written.solutions);
    tables.solution_contacts.shrink(written.solution_contacts);
  }
  if (tables.has_events) {
    tables.events.shrink(written.events);
    tables.modes.shrink(written.modes);
    tables.mode_memory.shrink(written.mode_memory);
  }
}

// Call after every step: models that no frame shows are stored, too.
void Recorder::Impl::append_model(const Simulation& simulation) {
  if (simulation.model_version() == last_model_version) return;
  last_model_version = simulation.model_version();
  std::string text = model_json(simulation);
  if (text == last_model) return;
  pending.models.push_back({written.model_bytes + pending.model_text.size(), text.size(),
                            std::max<std::int64_t>(simulation.state().step - 1, 0)});
  pending.model_text += text;
  last_model = std::move(text);
}

// Call after every step, too.
void Recorder::Impl::append_motions(const Simulation& simulation) {
  if (!tables.has_solutions) return;
  const std::int64_t step = simulation.state().step;
  for (const FoundMotion& motion : simulation.report().motions) {
    for (const FoundMotion::Moved& moved : motion.bodies) {
      SolutionRecord& row = pending.solutions.emplace_back();
      row = {step, motion.part, motion.island, motion.number, moved.body, {}};
      for (int i = 0; i < 3; ++i) {
        row.velocity[i] = moved.twist.linear[i];
        row.velocity[3 + i] = moved.twist.angular[i];
      }
    }
    for (const FoundMotion::Touched& touched : motion.contacts) {
      SolutionContactRecord& row = pending.solution_contacts.emplace_back();
      row = {step, motion.part,   motion.island, motion.number, static_cast<int>(touched.state),
             {},   touched.point, touched.normal};
      put(row.key, touched.key);
    }
  }
}

// Call after every step: no event is lost where few frames are recorded.
void Recorder::Impl::append_events(const Simulation& simulation) {
  if (!simulation.is_event_driven()) return;
  for (const StepEvent& event : simulation.events()) {
    EventRecord& row = pending.events.emplace_back();
    const ConstraintMode& after = event.after;
    row.step = simulation.state().step;
    row.time = event.time;
    put(row.key, after.key);
    row.patch_point = after.point;
    row.from = event.from;
    row.to = after.state;
    row.gap = after.gap;
    row.gap_rate = after.gap_rate;
    put(row.force, after.force);
  }
}

void Recorder::Impl::append_modes(const Simulation& simulation, FrameRow& row) {
  if (!simulation.is_event_driven() && !simulation.state().memory.modes.empty())
    throw Error("the stepper '" + simulation.options().text("stepper") +
                "' remembers modes and does not say so (TimeStepper::is_event_driven)");
  if (!simulation.is_event_driven()) return;
  row.event_offset = told_events;
  told_events = written.events + pending.events.size();
  row.event_rows = told_events - row.event_offset;
  row.mode_offset = written.modes + pending.modes.size();
  row.mode_rows = simulation.modes().size();
  for (const ConstraintMode& mode : simulation.modes()) {
    ModeRecord& record = pending.modes.emplace_back();
    put(record.key, mode.key);
    record.patch_point = mode.point;
    record.state = mode.state;
    record.gap = mode.gap;
    record.gap_rate = mode.gap_rate;
    put(record.force, mode.force);
  }
  row.mode_memory_offset = written.mode_memory + pending.mode_memory.size();
  row.mode_memory_rows = simulation.state().memory.modes.size();
  for (const ModeMemory& mode : simulation.state().memory.modes) {
    ModeMemoryRecord& record = pending.mode_memory.emplace_back();
    put(record.key, mode.key);
    record.patch_point = mode.point;
    record.state = mode.state;
    record.sliding = mode.sliding;
    put(record.held, mode.held);
    put(record.force, mode.force);
    put(record.direction, mode.direction);
  }
}

void Recorder::Impl::append(const Simulation& simulation, bool is_step) {
  const State& state = simulation.state();
  const Energy now = energy(simulation.model(), state);
  StepReport report = simulation.report();
  if (state.step == 0 || !is_step) report.solve.status = SolveStatus::solved;
  report.layer_energy = now.layers;
  FrameRow row;
  set_report(row, report);
  row.step = state.step;
  row.time = state.time;
  row.model = static_cast<std::int32_t>(written.models + pending.models.size()) - 1;
  row.kinetic = now.kinetic;
  row.potential = now.potential;
  row.contact_offset = written.contacts + pending.contacts.size();
  row.memory_offset = written.memory + pending.memory.size();
  row.contact_rows = simulation.contacts().size();
  row.state_hash = hash(state);
  row.solution_offset = told_solutions;
  told_solutions = written.solutions + pending.solutions.size();
  row.solution_rows = told_solutions - row.solution_offset;
  row.solution_contact_offset = told_solution_contacts;
  told_solution_contacts = written.solution_contacts + pending.solution_contacts.size();
  row.solution_contact_rows = told_solution_contacts - row.solution_contact_offset;
  append_modes(simulation, row);

  for (const SolvedContact& solved : simulation.contacts())
    pending.contacts.push_back(contact_record(solved));
  visit_places(state.memory, [&](const MemoryPlace& at) {
    MemoryRecord& memory = pending.memory.emplace_back();
    put(memory.key, at.key);
    memory.patch_point = at.point;
    if (at.impulse) put(memory.impulse, at.impulse->impulse);
    if (at.impulse) memory.sliding = at.impulse->sliding;
    if (at.impulse) put(memory.moment, at.impulse->moment);
    if (at.rebound) memory.approach = at.rebound->speed;
    if (at.rebound) memory.landing_energy = at.rebound->energy;
    if (at.layer) put(memory.deformation_a, at.layer->deformation_a);
    if (at.layer) put(memory.deformation_b, at.layer->deformation_b);
    if (at.layer) memory.layer_energy = at.layer->energy;
    if (at.layer) put(memory.turn_a, at.layer->turn_a);
    if (at.layer) put(memory.turn_b, at.layer->turn_b);
    if (at.layer) put(memory.layer_normal, at.layer->normal);
    ++row.memory_rows;
  });
  for (const Pose& pose : state.poses) {
    const Vector3& x = pose.position;
    const Quaternion& q = pose.rotation;
    pending.poses.insert(pending.poses.end(), {x.x(), x.y(), x.z(), q.w(), q.x(), q.y(), q.z()});
  }
  pending.velocities.insert(pending.velocities.end(), state.velocities.begin(),
                            state.velocities.end());
  pending.controls.insert(pending.controls.end(), state.controls.begin(), state.controls.end());
  read_elements(simulation.model(), state, element_numbers);
  pending.elements.insert(pending.elements.end(), element_numbers.begin(), element_numbers.end());
  simulation.read_joints(joint_numbers);
  pending.joints.insert(pending.joints.end(), joint_numbers.begin(), joint_numbers.end());
  statistics.energy_last = now.total();
  if (last_step < 0) statistics.energy_first = now.total();
  statistics.wall_seconds = earlier_seconds + since_start.seconds();
  pending.frames.push_back(row);
  pending.summary.push_back(statistics);
  last_step = state.step;
}

void Recorder::Impl::write_pending() {
  // Twice the bytes cover chunks that are rewritten elsewhere; the rest is HDF5's bookkeeping.
  if (guard) guard->reserve(file->end(), 2 * pending.bytes() + (1u << 20));
  const std::uint64_t frame = written.frames, frames = pending.frames.size();
  tables.contacts.write(written.contacts, pending.contacts.size(), pending.contacts.data());
  tables.memory.write(written.memory, pending.memory.size(), pending.memory.data());
  tables.poses.write(frame, frames, pending.poses.data());
  tables.velocities.write(frame, frames, pending.velocities.data());
  tables.controls.write(frame, frames, pending.controls.data());
  tables.elements.write(frame, frames, pending.elements.data());
  if (tables.has_joints) tables.joints.write(frame, frames, pending.joints.data());
  tables.model_text.write(written.model_bytes, pending.model_text.size(),
                          pending.model_text.data());
  tables.models.write(written.models, pending.models.size(), pending.models.data());
  if (tables.has_solutions) {
    tables.solutions.write(written.solutions, pending.solutions.size(), pending.solutions.data());
    tables.solution_contacts.write(written.solution_contacts, pending.solution_contacts.size(),
                                   pending.solution_contacts.data());
  }
  if (tables.has_events) {
    tables.events.write(written.events, pending.events.size(), pending.events.data());
    tables.modes.write(written.modes, pending.modes.size(), pending.modes.data());
    tables.mode_memory.write(written.mode_memory, pending.mode_memory.size(),
                             pending.mode_memory.data());
  }
  tables.summary.write(frame, frames, pending.summary.data());
  tables.frames.write(frame, frames, pending.frames.data());
  written.frames += frames;
  written.contacts += pending.contacts.size();
  written.memory += pending.memory.size();
  written.models += pending.models.size();
  written.model_bytes += pending.model_text.size();
  written.solutions += pending.solutions.size();
  written.solution_contacts += pending.solution_contacts.size();
  written.events += pending.events.size();
  written.modes += pending.modes.size();
  written.mode_memory += pending.mode_memory.size();
  pending.clear();
}

void Recorder::Impl::mark(bool is_closed) {
  const ProgressRow row{written.frames, is_closed ? 1u : 0u,
                        static_cast<std::uint64_t>(total_steps)};
  progress.write(&row);
}

void Recorder::Impl::flush() {
  since_flush.lap();
  if (failure) throw *failure;
  if (pending.frames.empty()) return;
  try {
    write_pending();
    for (Hdf5Table* table : tables.all()) table->flush();
    mark(false);
    if (guard) guard->reserve(file->end(), 0);
  } catch (const Error& error) {
    throw failure.emplace(error);
  }
}

void Recorder::Impl::close() {
  closed = true;
  tables = {};
  progress = {};
  file->close();
  if (guard) guard->close();
}

namespace {

void refuse_if_in_use(const std::filesystem::path& file, bool overwrite) {
  std::error_code code;
  if (!std::filesystem::exists(file, code)) return;
  if (!overwrite) throw Error("exists already", file.string());
  if (!std::filesystem::is_regular_file(file, code))
    throw Error("is not a file that can be overwritten", file.string());
  RecordingGuard writer(file);  // throws if another run has it
  if (!can_be_replaced(file))
    throw Error("is not a recording, and nothing else is overwritten", file.string());
}

}  // namespace

bool can_be_replaced(const std::filesystem::path& file) {
  std::error_code code;
  if (std::filesystem::is_regular_file(file, code) && std::filesystem::is_empty(file, code))
    return true;
  try {
    return Hdf5File(file, Hdf5File::Mode::read_still).attribute("format") == recording_format;
  } catch (const Error&) {
    return false;
  }
}

Recorder::Recorder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

Recorder::Recorder(const std::filesystem::path& file, const Simulation& simulation, bool overwrite)
    : impl_(std::make_unique<Impl>(file)) {
  refuse_if_in_use(file, overwrite);
  impl_->adopt(simulation);
  impl_->file.emplace(file, Hdf5File::Mode::image);
  impl_->make_contents(simulation);
  impl_->append_model(simulation);
  impl_->append(simulation);
  impl_->flush();
  publish(impl_->file->image(), file, overwrite);
  impl_->close();
  impl_->guard.emplace(file);
  impl_->closed = false;
  impl_->open_live(simulation);
}

Recorder Recorder::resume(const std::filesystem::path& file, Simulation& simulation) {
  auto impl = std::make_unique<Impl>(file);
  impl->guard.emplace(file);
  impl->guard->repair();
  ProgressRow progress;
  {
    const Recording recording(file);
    check_same_run(recording, simulation);
    progress.frames = static_cast<std::uint64_t>(recording.frames());
    const std::int64_t last = recording.frames() - 1;
    impl->last_model = recording.model_json(recording.info(last).model);
    continue_from(recording, simulation, last);
  }
  impl->adopt(simulation);
  impl->open_live(simulation);
  impl->restore(progress);
  impl->mark(false);
  return Recorder(std::move(impl));
}

void Recorder::after_step(const Simulation& simulation) {
  add_step(simulation);
  if (flush_is_due()) flush();
}

void Recorder::add_step(const Simulation& simulation) {
  Impl& impl = *impl_;
  impl.statistics.add(step_note(simulation, impl.accept));
  impl.append_model(simulation);
  impl.append_motions(simulation);
  impl.append_events(simulation);
  if (simulation.state().step % simulation.output_every() == 0 || simulation.finished())
    impl.append(simulation);
}

void Recorder::add_pose(const Simulation& simulation) {
  impl_->append_model(simulation);
  impl_->append(simulation, false);
  if (flush_is_due()) flush();
}

bool Recorder::flush_is_due() const {
  return impl_->since_flush.seconds() >= impl_->flush_interval ||
         impl_->pending.bytes() > most_bytes;
}

void Recorder::set_flush_interval(double seconds) {
  impl_->flush_interval = seconds;
}

void Recorder::flush() {
  impl_->flush();
}

void Recorder::finish(const Simulation& simulation) {
  Impl& impl = *impl_;
  if (simulation.state().step != impl.last_step) impl.append(simulation);
  impl.flush();
  impl.mark(true);
  impl.close();
}

}  // namespace vinci
