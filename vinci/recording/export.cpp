// SPDX-License-Identifier: Apache-2.0
// Tables of a recording as CSV (RFC 4180): numbers with 17 significant digits, so that reading them
// back gives the same bits.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "vinci/base/error.h"
#include "vinci/recording/event_names.h"
#include "vinci/recording/frame_fields.h"

namespace vinci {
namespace {

// A file that gets its name when it is complete.
class Table {
 public:
  Table(const std::filesystem::path& folder, const char* name)
      : path_(folder / name),
        partial_(fmt::format("{}.partial-{}", path_.string(), static_cast<long>(getpid()))),
        file_(std::fopen(partial_.c_str(), "wb")) {
    if (!file_) fail();
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() {
    if (!file_) return;
    std::fclose(file_);
    std::remove(partial_.c_str());
  }

  template <class... Arguments>
  void text(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(line_), format, std::forward<Arguments>(arguments)...);
  }
  void number(double value) { text(",{:.17g}", value); }
  // Values of a line, with the commas between them.
  void cell(double value) { text("{}{:.17g}", comma(), value); }
  void cell(std::int64_t value) { text("{}{}", comma(), value); }
  void cell(bool value) { text("{}{}", comma(), value ? 1 : 0); }
  void cell(const std::string& value) { text("{}{}", comma(), value); }
  void cell(const StageSeconds& values) {
    for (const double value : values) cell(value);
  }
  void numbers(const Vector3& v) {
    for (int i = 0; i < 3; ++i) number(v[i]);
  }
  void end_line() {
    line_.push_back('\n');
    if (std::fwrite(line_.data(), 1, line_.size(), file_) != line_.size()) fail();
    line_.clear();
  }
  void publish() {
    const bool written = std::fflush(file_) == 0;
    std::FILE* file = std::exchange(file_, nullptr);
    if ((std::fclose(file) != 0 || !written) || std::rename(partial_.c_str(), path_.c_str()) != 0) {
      const int reason = errno;
      std::remove(partial_.c_str());
      errno = reason;
      fail();
    }
  }

 private:
  const char* comma() const { return line_.size() == 0 ? "" : ","; }
  [[noreturn]] void fail() const {
    throw Failure(std::string("cannot be written: ") + std::strerror(errno), path_.string());
  }

  std::filesystem::path path_, partial_;
  std::FILE* file_;
  fmt::memory_buffer line_;
};

// A name as a CSV field.
std::string field(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

void write_steps(const Recording& recording, const std::filesystem::path& folder) {
  Table table(folder, "steps.csv");
  for (const FrameField& column : frame_fields()) {
    const std::string unit = *column.unit == 0 ? "" : fmt::format(" [{}]", column.unit);
    if (!std::holds_alternative<StageSeconds>(column.value({})))
      table.cell(column.heading + unit);
    else
      for (int i = 0; i < stage_count; ++i) table.cell(to_string(static_cast<Stage>(i)) + unit);
  }
  table.end_line();
  for (std::int64_t frame = 0; frame < recording.frames(); ++frame) {
    const FrameInfo info = recording.info(frame);
    for (const FrameField& column : frame_fields())
      std::visit([&](const auto& value) { table.cell(value); }, column.value(info));
    table.end_line();
  }
  table.publish();
}

// Velocity columns: 0, 3 or 6 packed entries per body, told apart by the recorded freedoms.
void write_states(const Recording& recording, const std::filesystem::path& folder) {
  Table table(folder, "states.csv");
  const auto& names = recording.body_names();
  const auto& freedoms = recording.freedoms();
  table.text(
      "step,time [s],body,x [m],y [m],z [m],qw,qx,qy,qz,vx [m/s],vy [m/s],vz [m/s],wx [rad/s],wy "
      "[rad/s],wz [rad/s]");
  table.end_line();
  for (std::int64_t frame = 0; frame < recording.frames(); ++frame) {
    const State state = recording.state(frame);
    Eigen::Index at = 0;
    for (std::size_t body = 0; body < names.size(); ++body) {
      Vector6 velocity = Vector6::Zero();
      if (freedoms[body] == Freedom::planar) {
        velocity << state.velocities[at], state.velocities[at + 1], 0, 0, 0,
            state.velocities[at + 2];
        at += 3;
      } else if (freedoms[body] == Freedom::spatial) {
        velocity = state.velocities.segment<6>(at);
        at += 6;
      }
      const Pose& pose = state.poses[body];
      table.text("{}", state.step);
      table.number(state.time);
      table.text(",{}", field(names[body]));
      table.numbers(pose.position);
      for (const double q :
           {pose.rotation.w(), pose.rotation.x(), pose.rotation.y(), pose.rotation.z()})
        table.number(q);
      for (int i = 0; i < 6; ++i) table.number(velocity[i]);
      table.end_line();
    }
  }
  table.publish();
}

void write_contacts(const Recording& recording, const std::filesystem::path& folder) {
  Table table(folder, "contacts.csv");
  table.text("step,time [s],shape a,shape b,feature a,feature b,body a,body b");
  for (const char* name : {"point a", "point b"})
    for (const char axis : {'x', 'y', 'z'}) table.text(",{} {} [m]", name, axis);
  for (const char* name : {"normal", "tangent 1", "tangent 2"})
    for (const char axis : {'x', 'y', 'z'}) table.text(",{} {}", name, axis);
  for (const char* along : {"normal", "tangent 1", "tangent 2"})
    table.text(",impulse {} [N s]", along);
  for (const char* along : {"normal", "tangent 1", "tangent 2"})
    table.text(",velocity {} [m/s]", along);
  table.text(",gap [m],friction,friction 2");
  for (const char* about : {"normal", "tangent 1", "tangent 2"})
    table.text(",moment {} [N m s]", about);
  for (const char* about : {"normal", "tangent 1", "tangent 2"})
    table.text(",turning {} [rad/s]", about);
  table.end_line();
  const auto& names = recording.body_names();
  for (std::int64_t frame = 0; frame < recording.frames(); ++frame) {
    const FrameInfo info = recording.info(frame);
    for (const ContactRow& row : recording.contacts(frame)) {
      table.text("{}", info.step);
      table.number(info.time);
      const std::array<std::uint32_t, 4> key = key_words(row.key);
      table.text(",{},{},{},{},{},{}", key[0], key[1], key[2], key[3],
                 field(names[static_cast<std::size_t>(row.body_a)]),
                 field(names[static_cast<std::size_t>(row.body_b)]));
      for (const Vector3& v : {row.point_a, row.point_b, row.normal, row.tangent_1, row.tangent_2,
                               row.impulse, row.velocity})
        table.numbers(v);
      table.number(row.gap);
      table.number(row.friction);
      table.number(row.friction_2);
      table.numbers(row.moment);
      table.numbers(row.turning);
      table.end_line();
    }
  }
  table.publish();
}

// Numbers of every frame under the names of their columns.
void write_columns(const Recording& recording, const std::filesystem::path& folder,
                   const char* name, const std::vector<std::string>& columns,
                   std::vector<double> (Recording::*read)(const FrameRange&) const) {
  Table table(folder, name);
  table.text("step,time [s]");
  for (const std::string& column : columns) table.text(",{}", field(column));
  table.end_line();
  for (std::int64_t frame = 0; frame < recording.frames(); ++frame) {
    const FrameInfo info = recording.info(frame);
    table.text("{}", info.step);
    table.number(info.time);
    for (const double value : (recording.*read)({frame, 1, 1})) table.number(value);
    table.end_line();
  }
  table.publish();
}

// The columns of an event or a mode after those that say when.
void head_mode(Table& table) {
  for (const char* part : {"a", "b", "c", "d"}) table.text(",key {}", part);
  table.text(",point,gap [m],gap rate [m/s]");
  for (const char* along : {"normal", "tangent 1", "tangent 2"}) table.text(",force {} [N]", along);
  table.end_line();
}

void write_mode(Table& table, const ConstraintMode& mode) {
  for (const std::uint32_t word : key_words(mode.key)) table.text(",{}", word);
  table.text(",{}", mode.point);
  table.number(mode.gap);
  table.number(mode.gap_rate);
  table.numbers(mode.force);
  table.end_line();
}

void write_events(const Recording& recording, const std::filesystem::path& folder) {
  Table table(folder, "events.csv");
  const EventNames names(recording.model_json(0));
  table.text("step,time [s],subject,kind,from,to");
  head_mode(table);
  constexpr std::int64_t at_once = 1000;  // frames
  for (std::int64_t frame = 0; frame < recording.frames(); frame += at_once)
    for (const RecordedEvent& event :
         recording.events(frame, std::min(frame + at_once, recording.frames()) - 1)) {
      const ConstraintMode& after = event.after;
      table.text("{},{:.17g},{},{},{},{}", event.step, event.time,
                 field(names.subject(after.key, after.point)), to_string(names.kind(event)),
                 field(names.state(after.key, event.from)),
                 field(names.state(after.key, after.state)));
      write_mode(table, after);
    }
  table.publish();
}

void write_modes(const Recording& recording, const std::filesystem::path& folder) {
  Table table(folder, "modes.csv");
  const EventNames names(recording.model_json(0));
  table.text("step,time [s],subject,state");
  head_mode(table);
  for (std::int64_t frame = 0; frame < recording.frames(); ++frame) {
    const FrameInfo info = recording.info(frame);
    for (const ConstraintMode& mode : recording.modes({frame, 1, 1}).rows) {
      table.text("{},{:.17g},{},{}", info.step, info.time,
                 field(names.subject(mode.key, mode.point)),
                 field(names.state(mode.key, mode.state)));
      write_mode(table, mode);
    }
  }
  table.publish();
}

}  // namespace

std::vector<std::string> export_csv(const Recording& recording,
                                    const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) throw Failure("cannot be created: " + code.message(), folder.string());
  write_steps(recording, folder);
  write_states(recording, folder);
  write_contacts(recording, folder);
  std::vector<std::string> files = {"steps.csv", "states.csv", "contacts.csv"};
  const auto columns = [&](const char* name, const std::vector<std::string>& heads,
                           std::vector<double> (Recording::*read)(const FrameRange&) const) {
    if (heads.empty()) return;
    write_columns(recording, folder, name, heads, read);
    files.emplace_back(name);
  };
  columns("elements.csv", recording.element_columns(), &Recording::elements);
  columns("joints.csv", recording.joint_columns(), &Recording::joints);
  columns("controls.csv", recording.control_columns(), &Recording::controls);
  if (recording.is_event_driven()) {
    write_events(recording, folder);
    write_modes(recording, folder);
    files.insert(files.end(), {"events.csv", "modes.csv"});
  }
  return files;
}

}  // namespace vinci
