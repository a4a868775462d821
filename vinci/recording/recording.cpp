// SPDX-License-Identifier: Apache-2.0
// Reading: never trusts a count or an offset it has not compared with what the file holds.
#include "vinci/recording/recording.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <tuple>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vinci/base/error.h"
#include "vinci/base/words.h"
#include "vinci/recording/event_names.h"
#include "vinci/recording/recording_guard.h"
#include "vinci/recording/recording_layout.h"
#include "vinci/storage/hdf5_superblock.h"

namespace vinci {
namespace {

constexpr std::uint64_t max_rows_of_frame = 20'000'000;  // more is taken for damage
constexpr std::uint64_t max_model_bytes = 1u << 30;

Vector3 vector(const double (&v)[3]) {
  return {v[0], v[1], v[2]};
}

EntityKey entity_key(const std::uint32_t (&key)[4]) {
  return key_of_words({key[0], key[1], key[2], key[3]});
}

// Of a row of modes or of events.
template <class Record>
ConstraintMode mode_of(const Record& record, int state) {
  return {entity_key(record.key),
          static_cast<int>(record.patch_point),
          state,
          record.gap,
          record.gap_rate,
          vector(record.force)};
}

// A row of the memory as the records that it is made of.
void remember(const MemoryRecord& row, Memory& memory) {
  const EntityKey key = entity_key(row.key);
  const Vector3 impulse = vector(row.impulse);
  const LayerMemory layer{key,
                          row.patch_point,
                          vector(row.deformation_a),
                          vector(row.deformation_b),
                          row.layer_energy,
                          vector(row.turn_a),
                          vector(row.turn_b),
                          vector(row.layer_normal)};
  const bool rebounds = row.approach > 0.0;
  if (!rebounds || !impulse.isZero(0.0))
    memory.impulses.push_back({key, row.patch_point, impulse, row.sliding, vector(row.moment)});
  if (rebounds) memory.rebounds.push_back({key, row.approach, row.landing_energy});
  if (row.patch_point != 0 || !is_at_rest(layer)) memory.layers.push_back(layer);
}

// The state of a file as the operating system and its superblock show it.
struct Outside {
  bool has_writer = false;
  bool open_for_writing = false;  // says the superblock
};

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags) : value_(open(path.c_str(), flags)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

Outside look(const std::filesystem::path& path) {
  const Descriptor file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0)
    throw Error(std::strerror(errno), path.string());
  if (!S_ISREG(status.st_mode)) throw Error("is not a file", path.string());
  if (status.st_size == 0) throw Error("is not a recording (it is empty)", path.string());
  Outside outside;
  outside.has_writer = RecordingGuard::has_writer(file.get());
  const auto superblock = read_superblock(file.get());
  if (!superblock)
    throw Error("is not a recording (its first bytes are not those of an HDF5 file of its kind)",
                path.string());
  outside.open_for_writing = superblock->open_for_writing;
  if (!superblock->open_for_writing && superblock->end > static_cast<std::uint64_t>(status.st_size))
    throw Error(
        fmt::format("is cut short: {} of {} bytes are there", status.st_size, superblock->end),
        path.string());
  return outside;
}

bool is_being_written(const std::filesystem::path& path) {
  const Descriptor file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return file.get() >= 0 && RecordingGuard::has_writer(file.get());
}

// What a killed writer could not do itself. A file that may not be written to stays as it is: this
// reader does not need the repair, others do.
void repair(const std::filesystem::path& path) {
  const Descriptor file(path, O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (file.get() >= 0 && fstat(file.get(), &status) == 0 && !RecordingGuard::has_writer(file.get()))
    rewrite_superblock(file.get(), static_cast<std::uint64_t>(status.st_size));
}

// Numbers of joints that belong to the state.
struct JointWidths {
  Eigen::Index positions = 0, rates = 0, offsets = 0;
};

}  // namespace

struct Recording::Impl {
  std::filesystem::path path;
  std::optional<Hdf5File> file;
  RecordingTables tables;
  ProgressRow progress;
  bool has_writer = false;
  std::string title, version, scene, options, created;
  std::vector<std::string> names;
  std::vector<Freedom> freedoms;
  std::size_t velocity_count = 0, control_count = 0;
  std::vector<std::string> element_columns, joint_columns, control_columns;
  JointWidths joint_widths;

  explicit Impl(const std::filesystem::path& file_path);
  FrameRow row(std::int64_t frame) const;
  std::vector<FrameRow> rows(const FrameRange& range) const;  // that point into the tables
  Hdf5Rows checked(const FrameRange& range) const;
  std::pair<std::uint64_t, std::uint64_t> entries(int body) const;
  std::vector<ContactRow> contact_rows(std::uint64_t offset, std::uint64_t count) const;
  void check_version() const;
  void read_progress();
  void read_freedoms();
  void read_joint_columns();
  void read_control_columns();
  void check_rows() const;
};

Recording::Impl::Impl(const std::filesystem::path& file_path) : path(file_path) {
  const Outside outside = look(path);
  has_writer = outside.has_writer;
  file.emplace(path, has_writer ? Hdf5File::Mode::read_live : Hdf5File::Mode::read_still);
  // A new recording has its name a moment before its writer has the lock.
  if (!has_writer && (has_writer = look(path).has_writer))
    file.emplace(path, Hdf5File::Mode::read_live);
  if (file->attribute("format") != recording_format)
    throw Error("is an HDF5 file, but not a recording", path.string());
  check_version();
  read_progress();
  title = escaped(file->text("provenance/title"));
  version = escaped(file->text("provenance/version"));
  scene = file->text("provenance/scene");
  options = file->text("provenance/options");
  created = escaped(file->text("provenance/created"));
  names = file->texts("bodies/name");
  for (std::string& name : names) name = escaped(name);
  read_freedoms();
  read_control_columns();
  if (file->has("element_columns")) element_columns = file->texts("element_columns");
  for (std::string& column : element_columns) column = escaped(column);
  if (element_columns.size() != file->row_width("elements"))
    throw Error("'element_columns' and 'elements' differ in length", path.string());
  read_joint_columns();
  tables = RecordingTables::open(*file, {names.size(), velocity_count, control_count,
                                         element_columns.size(), joint_columns.size()});
  check_rows();
  if (outside.open_for_writing && !outside.has_writer) repair(path);
}

void Recording::Impl::check_version() const {
  const std::string found = file->attribute("format_version");
  int version = 0;
  const auto [end, code] = std::from_chars(found.data(), found.data() + found.size(), version);
  if (code != std::errc() || end != found.data() + found.size() || version < 1)
    throw Error(fmt::format("has the format version '{}', which there is not", found),
                path.string());
  if (version <= recording_version) return;
  const std::string maker = file->has("provenance/version") ? file->text("provenance/version") : "";
  throw Error(
      fmt::format("has format version {}{}; this program reads versions up to {}: read it "
                  "with a newer one",
                  version, maker.empty() ? "" : ", written by vinci " + maker, recording_version),
      path.string());
}

// The number of complete frames is read before the tables are opened: they hold at least these.
void Recording::Impl::read_progress() {
  Hdf5Scalar::open(*file, "progress", progress_row()).read(&progress);
}

void Recording::Impl::read_freedoms() {
  const auto words = file->texts("bodies/freedom");
  if (words.size() != names.size())
    throw Error("'bodies/name' and 'bodies/freedom' differ in length", path.string());
  for (const std::string& word : words) {
    const std::optional<Freedom> freedom = freedom_named(word);
    if (!freedom) throw Error("a body has the unknown freedom '" + word + "'", path.string());
    freedoms.push_back(*freedom);
    velocity_count += static_cast<std::size_t>(vinci::velocity_entries(*freedom));
  }
}

// Which numbers are the state's follows from the names of the columns.
void Recording::Impl::read_joint_columns() {
  if (!file->has("joint_columns")) return;
  joint_columns = file->texts("joint_columns");
  for (std::string& column : joint_columns) {
    column = escaped(column);
    const std::size_t dot = column.rfind('.');
    const std::string what = dot == std::string::npos ? "" : column.substr(dot + 1);
    if (what.starts_with("position")) ++joint_widths.positions;
    if (what.starts_with("rate")) ++joint_widths.rates;
    if (what.starts_with("offset")) ++joint_widths.offsets;
  }
  if (joint_columns.size() != file->row_width("joints"))
    throw Error("'joint_columns' and 'joints' differ in length", path.string());
}

void Recording::Impl::read_control_columns() {
  control_count = file->row_width("controls");
  if (!file->has("control_columns")) return;
  control_columns = file->texts("control_columns");
  for (std::string& column : control_columns) column = escaped(column);
  if (control_columns.size() != control_count)
    throw Error("'control_columns' and 'controls' differ in length", path.string());
}

void Recording::Impl::check_rows() const {
  const std::uint64_t frames = progress.frames;
  if (frames == 0) throw Error("has no complete frame", path.string());
  if (tables.frames.rows() < frames || tables.summary.rows() < frames ||
      (!names.empty() && tables.poses.rows() < frames) ||
      (velocity_count > 0 && tables.velocities.rows() < frames) ||
      (control_count > 0 && tables.controls.rows() < frames) ||
      (!element_columns.empty() && tables.elements.rows() < frames) ||
      (tables.has_joints && tables.joints.rows() < frames))
    throw Error(fmt::format("is damaged: it announces {} frames and holds {}", frames,
                            tables.frames.rows()),
                path.string());
  if (progress.closed != 0 && tables.frames.rows() != frames)
    throw Error("is damaged: its number of frames is wrong", path.string());
}

Hdf5Rows Recording::Impl::checked(const FrameRange& range) const {
  const auto frames = static_cast<std::int64_t>(progress.frames);
  if (range.stride < 1 || range.count < 0)
    throw Error(fmt::format("a range of {} frames with a stride of {}; accepted: 0 or more, and 1 "
                            "or more",
                            range.count, range.stride),
                path.string());
  if (range.count > 0 && (range.first < 0 || range.first >= frames ||
                          range.count - 1 > (frames - 1 - range.first) / range.stride))
    throw Error(
        range.count == 1
            ? fmt::format("has no frame {}; its frames are 0 to {}", range.first, frames - 1)
            : fmt::format("has no {} frames from {} on with a stride of {}; its frames are "
                          "0 to {}",
                          range.count, range.first, range.stride, frames - 1),
        path.string());
  return {static_cast<std::uint64_t>(range.first), static_cast<std::uint64_t>(range.count),
          static_cast<std::uint64_t>(range.stride)};
}

std::vector<FrameRow> Recording::Impl::rows(const FrameRange& range) const {
  const Hdf5Rows chosen = checked(range);
  std::vector<FrameRow> result(chosen.count, empty_frame());
  tables.frames.read(chosen, result.data());
  const std::uint64_t contacts = tables.contacts.rows(), memory = tables.memory.rows(),
                      models = tables.models.rows();
  const std::uint64_t solutions = tables.has_solutions ? tables.solutions.rows() : 0;
  const std::uint64_t solution_contacts =
      tables.has_solutions ? tables.solution_contacts.rows() : 0;
  const auto rows_of = [&](const Hdf5Table& table) { return tables.has_events ? table.rows() : 0; };
  const std::uint64_t events = rows_of(tables.events), modes = rows_of(tables.modes),
                      mode_memory = rows_of(tables.mode_memory);
  auto bad = [](std::uint64_t offset, std::uint64_t count, std::uint64_t held) {
    return offset > held || count > held - offset || count > max_rows_of_frame;
  };
  for (std::size_t i = 0; i < result.size(); ++i) {
    const FrameRow& row = result[i];
    if (bad(row.contact_offset, row.contact_rows, contacts) ||
        bad(row.solution_offset, row.solution_rows, solutions) ||
        bad(row.solution_contact_offset, row.solution_contact_rows, solution_contacts) ||
        bad(row.event_offset, row.event_rows, events) ||
        bad(row.mode_offset, row.mode_rows, modes) ||
        bad(row.mode_memory_offset, row.mode_memory_rows, mode_memory) ||
        bad(row.memory_offset, row.memory_rows, memory) || row.model < 0 ||
        static_cast<std::uint64_t>(row.model) >= models)
      throw Error(fmt::format("is damaged: frame {} points outside of the file's tables",
                              range.first + static_cast<std::int64_t>(i) * range.stride),
                  path.string());
  }
  return result;
}

FrameRow Recording::Impl::row(std::int64_t frame) const {
  return rows({frame, 1}).front();
}

std::pair<std::uint64_t, std::uint64_t> Recording::Impl::entries(int body) const {
  if (body < 0 || static_cast<std::size_t>(body) >= freedoms.size())
    throw Error(fmt::format("has no body {}; its bodies are 0 to {}", body,
                            static_cast<std::int64_t>(freedoms.size()) - 1),
                path.string());
  const auto size = [](Freedom freedom) {
    return static_cast<std::uint64_t>(vinci::velocity_entries(freedom));
  };
  std::uint64_t first = 0;
  for (int b = 0; b < body; ++b) first += size(freedoms[static_cast<std::size_t>(b)]);
  return {first, size(freedoms[static_cast<std::size_t>(body)])};
}

std::vector<ContactRow> Recording::Impl::contact_rows(std::uint64_t offset,
                                                      std::uint64_t count) const {
  std::vector<ContactRecord> records(count);
  tables.contacts.read(offset, count, records.data());
  std::vector<ContactRow> contacts;
  contacts.reserve(records.size());
  const auto bodies = static_cast<std::int32_t>(names.size());
  for (const ContactRecord& record : records) {
    for (const std::int32_t body : record.bodies)
      if (body < 0 || body >= bodies)
        throw Error(
            fmt::format("is damaged: a contact in row {} or later names body {}", offset, body),
            path.string());
    contacts.push_back(
        {entity_key(record.key), record.bodies[0], record.bodies[1], vector(record.point_a),
         vector(record.point_b), vector(record.normal), vector(record.tangent_1),
         vector(record.tangent_2), vector(record.impulse), vector(record.velocity), record.gap,
         record.friction, record.friction_2 < 0.0 ? record.friction : record.friction_2,
         static_cast<int>(record.patch_point), vector(record.moment), vector(record.turning)});
  }
  return contacts;
}

Recording::Recording(const std::filesystem::path& file) {
  // A run may begin, go on or end while its file is opened here. What fails in that moment is tried
  // again: once for a writer that came and went, and for a tenth of a second beside one that is at
  // work.
  constexpr int most_attempts = 20;
  for (int attempt = 1; !impl_; ++attempt) {
    try {
      impl_ = std::make_unique<Impl>(file);
    } catch (const Error&) {
      if (attempt == most_attempts || (attempt > 1 && !is_being_written(file))) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}
Recording::Recording(Recording&&) noexcept = default;
Recording::~Recording() = default;

const std::filesystem::path& Recording::path() const {
  return impl_->path;
}
bool Recording::finished() const {
  return impl_->progress.closed != 0;
}
bool Recording::has_writer() const {
  return impl_->has_writer;
}
std::int64_t Recording::frames() const {
  return static_cast<std::int64_t>(impl_->progress.frames);
}
std::int64_t Recording::total_steps() const {
  return static_cast<std::int64_t>(impl_->progress.total_steps);
}
const std::string& Recording::title() const {
  return impl_->title;
}
const std::string& Recording::version() const {
  return impl_->version;
}
const std::string& Recording::created() const {
  return impl_->created;
}
const std::string& Recording::scene_text() const {
  return impl_->scene;
}
const std::string& Recording::options_json() const {
  return impl_->options;
}
const std::vector<std::string>& Recording::body_names() const {
  return impl_->names;
}
const std::vector<Freedom>& Recording::freedoms() const {
  return impl_->freedoms;
}

std::string Recording::model_json(int version) const {
  const auto held = impl_->tables.models.rows();
  if (version < 0 || static_cast<std::uint64_t>(version) >= held)
    throw Error(fmt::format("has no model {}; its models are 0 to {}", version,
                            static_cast<std::int64_t>(held) - 1),
                impl_->path.string());
  ModelRecord record;
  impl_->tables.models.read(static_cast<std::uint64_t>(version), 1, &record);
  const std::uint64_t text_bytes = impl_->tables.model_text.rows();
  if (record.length > max_model_bytes || record.length > text_bytes ||
      record.offset > text_bytes - record.length)
    throw Error("is damaged: a model is longer than its text", impl_->path.string());
  std::string text(record.length, ' ');
  impl_->tables.model_text.read(record.offset, record.length, text.data());
  return text;
}

RunSummary Recording::summary() const {
  RunSummary summary;
  impl_->tables.summary.read(impl_->progress.frames - 1, 1, static_cast<RunStatistics*>(&summary));
  const auto name = [&](std::int64_t body) {
    const auto index = static_cast<std::size_t>(body);
    return body >= 0 && index < impl_->names.size() ? impl_->names[index] : std::string();
  };
  summary.free_body_name = name(summary.free_body);
  summary.unbalanced_body_name = name(summary.unbalanced_body);
  summary.diverged_body_name = name(summary.diverged_body);
  if (summary.accumulations > 0)
    summary.piled_name = EventNames(model_json(0)).subject(key_of_words(summary.piled));
  summary.state_hash = fmt::format("{:016x}", impl_->row(frames() - 1).state_hash);
  return summary;
}

namespace {

FrameInfo info_of(const FrameRow& row) {
  return {row.step, row.time, row.model, row.kinetic, row.potential, report_of(row)};
}

}  // namespace

FrameInfo Recording::info(std::int64_t frame) const {
  return info_of(impl_->row(frame));
}

std::vector<FrameInfo> Recording::infos(const FrameRange& range) const {
  std::vector<FrameInfo> infos;
  infos.reserve(static_cast<std::size_t>(std::max<std::int64_t>(range.count, 0)));
  for (const FrameRow& row : impl_->rows(range)) infos.push_back(info_of(row));
  return infos;
}

std::vector<double> Recording::poses(const FrameRange& range, int body) const {
  const Hdf5Rows chosen = impl_->checked(range);
  const std::size_t bodies = body < 0 ? impl_->names.size() : 1;
  if (body >= 0) static_cast<void>(impl_->entries(body));
  std::vector<double> poses(chosen.count * bodies * pose_width);
  const Hdf5Part part = body < 0 ? Hdf5Part{} : Hdf5Part{static_cast<std::uint64_t>(body), 1};
  impl_->tables.poses.read(chosen, poses.data(), part);
  return poses;
}

std::vector<double> Recording::velocities(const FrameRange& range, int body) const {
  const Hdf5Rows chosen = impl_->checked(range);
  Hdf5Part part;
  std::uint64_t width = impl_->velocity_count;
  if (body >= 0) {
    std::tie(part.first, part.count) = impl_->entries(body);
    width = part.count;
  }
  std::vector<double> velocities(chosen.count * width);
  impl_->tables.velocities.read(chosen, velocities.data(), part);
  return velocities;
}

const std::vector<std::string>& Recording::element_columns() const {
  return impl_->element_columns;
}

std::vector<double> Recording::elements(const FrameRange& range) const {
  const Hdf5Rows chosen = impl_->checked(range);
  std::vector<double> numbers(chosen.count * impl_->element_columns.size());
  impl_->tables.elements.read(chosen, numbers.data());
  return numbers;
}

const std::vector<std::string>& Recording::joint_columns() const {
  return impl_->joint_columns;
}

std::vector<double> Recording::joints(const FrameRange& range) const {
  const Hdf5Rows chosen = impl_->checked(range);
  std::vector<double> numbers(chosen.count * impl_->joint_columns.size());
  if (impl_->tables.has_joints) impl_->tables.joints.read(chosen, numbers.data());
  return numbers;
}

const std::vector<std::string>& Recording::control_columns() const {
  return impl_->control_columns;
}

std::vector<double> Recording::controls(const FrameRange& range) const {
  const Hdf5Rows chosen = impl_->checked(range);
  std::vector<double> numbers(chosen.count * impl_->control_columns.size());
  if (!numbers.empty()) impl_->tables.controls.read(chosen, numbers.data());
  return numbers;
}

State Recording::state(std::int64_t frame) const {
  const FrameRow row = impl_->row(frame);
  const auto at = static_cast<std::uint64_t>(frame);
  State state;
  state.step = row.step;
  state.time = row.time;
  std::vector<double> poses(impl_->names.size() * pose_width);
  impl_->tables.poses.read(at, 1, poses.data());
  for (std::size_t i = 0; i < poses.size(); i += pose_width)
    state.poses.push_back({Vector3(poses[i], poses[i + 1], poses[i + 2]),
                           Quaternion(poses[i + 3], poses[i + 4], poses[i + 5], poses[i + 6])});
  state.velocities.setZero(static_cast<Eigen::Index>(impl_->velocity_count));
  impl_->tables.velocities.read(at, 1, state.velocities.data());
  state.controls.setZero(static_cast<Eigen::Index>(impl_->control_count));
  impl_->tables.controls.read(at, 1, state.controls.data());
  if (impl_->tables.has_joints) {
    VectorX numbers(static_cast<Eigen::Index>(impl_->joint_columns.size()));
    impl_->tables.joints.read(at, 1, numbers.data());
    const JointWidths& widths = impl_->joint_widths;
    state.joint_positions = numbers.head(widths.positions);
    state.joint_rates = numbers.segment(widths.positions, widths.rates);
    state.coupling_offsets = numbers.segment(widths.positions + widths.rates, widths.offsets);
  }
  std::vector<MemoryRecord> memory(row.memory_rows);
  impl_->tables.memory.read(row.memory_offset, row.memory_rows, memory.data());
  for (const MemoryRecord& record : memory) remember(record, state.memory);
  if (impl_->tables.has_events) {
    std::vector<ModeMemoryRecord> modes(row.mode_memory_rows);
    impl_->tables.mode_memory.read(row.mode_memory_offset, row.mode_memory_rows, modes.data());
    for (const ModeMemoryRecord& record : modes)
      state.memory.modes.push_back({entity_key(record.key), record.patch_point, record.state,
                                    record.sliding, vector(record.held), vector(record.force),
                                    vector(record.direction)});
  }
  if (hash(state) != row.state_hash)
    throw Error(
        fmt::format("is damaged: the state of frame {} has another hash than recorded", frame),
        impl_->path.string());
  return state;
}

std::vector<RecordedMotion> Recording::motions(std::int64_t frame) const {
  const FrameRow row = impl_->row(frame);
  std::vector<RecordedMotion> motions;
  if (!impl_->tables.has_solutions) return motions;
  std::vector<SolutionRecord> moved(row.solution_rows);
  impl_->tables.solutions.read(row.solution_offset, row.solution_rows, moved.data());
  std::vector<SolutionContactRecord> touched(row.solution_contact_rows);
  impl_->tables.solution_contacts.read(row.solution_contact_offset, row.solution_contact_rows,
                                       touched.data());
  std::size_t contact = 0;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const auto place = [](const auto& record) {
      return std::tie(record.step, record.part, record.island, record.number);
    };
    const SolutionRecord& record = moved[i];
    if (record.body < 0 || static_cast<std::size_t>(record.body) >= impl_->names.size())
      throw Error(fmt::format("is damaged: a motion of frame {} names body {}", frame, record.body),
                  impl_->path.string());
    if (i == 0 || place(moved[i - 1]) != place(record)) {
      RecordedMotion& motion = motions.emplace_back();
      std::tie(motion.step, motion.part, motion.island, motion.number) = place(record);
      for (; contact < touched.size() && place(touched[contact]) == place(record); ++contact) {
        const SolutionContactRecord& found = touched[contact];
        const int state = std::clamp(found.state, 0, static_cast<int>(FoundState::slides));
        motion.contacts.push_back({entity_key(found.key), found.patch_point,
                                   static_cast<FoundState>(state), found.normal});
      }
    }
    const double* v = record.velocity;
    motions.back().bodies.push_back({record.body, {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}}});
  }
  return motions;
}

std::vector<ContactRow> Recording::contacts(std::int64_t frame) const {
  const FrameRow row = impl_->row(frame);
  return impl_->contact_rows(row.contact_offset, row.contact_rows);
}

namespace {

// Where the rows of frames lie in one of the tables.
struct Place {
  std::uint64_t FrameRow::*offset;
  std::uint64_t FrameRow::*count;
};

// Calls add(offset, count) for the rows of the frames; those that follow each other at once.
template <class Add>
std::vector<std::int64_t> read_in_runs(const std::vector<FrameRow>& frames, const Place& place,
                                       Add add) {
  std::vector<std::int64_t> starts{0};
  starts.reserve(frames.size() + 1);
  for (std::size_t begin = 0; begin < frames.size();) {
    std::size_t end = begin;
    const std::uint64_t first = frames[begin].*place.offset;
    std::uint64_t next = first;
    for (; end < frames.size() && frames[end].*place.offset == next; ++end) {
      next += frames[end].*place.count;
      starts.push_back(starts.back() + static_cast<std::int64_t>(frames[end].*place.count));
    }
    add(first, next - first);
    begin = end;
  }
  return starts;
}

}  // namespace

ContactRows Recording::contacts(const FrameRange& range) const {
  ContactRows contacts;
  contacts.starts =
      read_in_runs(impl_->rows(range), {&FrameRow::contact_offset, &FrameRow::contact_rows},
                   [&](std::uint64_t first, std::uint64_t count) {
                     const auto part = impl_->contact_rows(first, count);
                     contacts.rows.insert(contacts.rows.end(), part.begin(), part.end());
                   });
  return contacts;
}

ModeRows Recording::modes(const FrameRange& range) const {
  ModeRows modes;
  modes.starts = read_in_runs(impl_->rows(range), {&FrameRow::mode_offset, &FrameRow::mode_rows},
                              [&](std::uint64_t first, std::uint64_t count) {
                                std::vector<ModeRecord> records(count);
                                if (count > 0)
                                  impl_->tables.modes.read(first, count, records.data());
                                for (const ModeRecord& record : records)
                                  modes.rows.push_back(mode_of(record, record.state));
                              });
  return modes;
}

bool Recording::is_event_driven() const {
  return impl_->tables.has_events;
}

std::int64_t Recording::event_count() const {
  const FrameRow last = impl_->row(frames() - 1);
  return static_cast<std::int64_t>(last.event_offset + last.event_rows);
}

std::vector<RecordedEvent> Recording::events(std::int64_t first, std::int64_t last) const {
  if (first > last) return {};
  const std::uint64_t begin = impl_->row(first).event_offset;
  const FrameRow end = impl_->row(last);
  std::vector<RecordedEvent> events;
  if (!impl_->tables.has_events) return events;
  if (end.event_offset + end.event_rows < begin)
    throw Error("is damaged: its events are not in the order of its frames", impl_->path.string());
  if (end.event_offset + end.event_rows - begin > max_rows_of_frame)
    throw Error("has too many events to be read at once: ask for those of fewer frames",
                impl_->path.string());
  std::vector<EventRecord> records(end.event_offset + end.event_rows - begin);
  impl_->tables.events.read(begin, records.size(), records.data());
  events.reserve(records.size());
  for (const EventRecord& record : records)
    events.push_back({{record.time, record.from, mode_of(record, record.to)}, record.step});
  return events;
}

int Recording::models() const {
  return static_cast<int>(impl_->tables.models.rows());
}

std::pair<int, int> Recording::velocity_entries(int body) const {
  const auto [first, count] = impl_->entries(body);
  return {static_cast<int>(first), static_cast<int>(count)};
}

void Recording::refresh() {
  if (!impl_->has_writer) return;
  impl_->has_writer = look(impl_->path).has_writer;
  impl_->read_progress();
  for (Hdf5Table* table : impl_->tables.all()) table->refresh();
  impl_->check_rows();
}

}  // namespace vinci
