// SPDX-License-Identifier: Apache-2.0
// Reads a recording piece by piece, so that memory and time stay bounded whatever is asked for.
#include "vinci/viewing/frame_block.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "vinci/base/clock.h"
#include "vinci/base/error.h"
#include "vinci/viewing/signals.h"

namespace vinci {
namespace {

static_assert(std::endian::native == std::endian::little, "a block is copied as it lies in memory");
static_assert(sizeof(BlockHeader) == 64);

constexpr std::size_t most_piece_bytes = 4u << 20;  // read at once
constexpr std::size_t most_bytes = 256u << 20;      // of a single frame; more is taken for damage
constexpr std::size_t contact_row_bytes = 120;      // in the block
constexpr std::size_t moment_row_bytes = 24;
constexpr std::size_t frame_row_bytes = 6 * 8 + 5 * 4 + 4;
constexpr std::int64_t most_frames = 0x7fffffff;

std::int64_t whole_number(std::string_view text, std::string_view key, std::int64_t least,
                          std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw Error(fmt::format("'{}' is not accepted; accepted: a whole number from {} to {}",
                            text.substr(0, 40), least, most),
                std::string(key));
  return value;
}

int selection(std::string_view text, std::string_view key) {
  if (text == "all") return FrameQuery::all;
  if (text == "none") return FrameQuery::none;
  if (text.empty() || text[0] < '0' || text[0] > '9')
    throw Error(fmt::format("'{}' is not accepted; accepted: all, none, the index of a body",
                            text.substr(0, 40)),
                std::string(key));
  return static_cast<int>(whole_number(text, key, 0, most_frames));
}

EntityKey parsed_contact(std::string_view text) {
  const std::string_view given = text.substr(0, 80);
  std::array<std::uint32_t, 4> parts = {};
  for (int i = 0; i < 4; ++i) {
    const auto dot = text.find('.');
    if ((dot == std::string_view::npos) != (i == 3))
      throw Error(fmt::format("'{}' is not accepted; accepted: all, none, the four numbers of a "
                              "contact's key joined by dots",
                              given),
                  "contacts");
    parts[static_cast<std::size_t>(i)] =
        static_cast<std::uint32_t>(whole_number(text.substr(0, dot), "contacts", 0, 0xffffffffLL));
    if (i < 3) text.remove_prefix(dot + 1);
  }
  return key_of_words(parts);
}

// "3.17.40": columns of joints or signals.
std::vector<int> parsed_columns(std::string_view text, std::string_view key) {
  constexpr std::size_t most = 256;
  std::vector<int> columns;
  for (bool more = true; more;) {
    const auto dot = text.find('.');
    more = dot != std::string_view::npos;
    columns.push_back(static_cast<int>(whole_number(text.substr(0, dot), key, 0, most_frames)));
    if (columns.size() > most || (columns.size() > 1 && columns.end()[-2] >= columns.back()))
      throw Error(
          fmt::format("accepted: all, none, up to {} ascending columns joined by dots", most),
          std::string(key));
    if (more) text.remove_prefix(dot + 1);
  }
  return columns;
}

void set_key(FrameQuery& query, std::string_view key, std::string_view value) {
  if (key == "first")
    query.first = whole_number(value, key, 0, most_frames);
  else if (key == "count")
    query.count = whole_number(value, key, 1, most_frames);
  else if (key == "stride")
    query.stride = whole_number(value, key, 1, most_frames);
  else if (key == "poses")
    query.poses = selection(value, key);
  else if (key == "velocities")
    query.velocities = selection(value, key);
  else if (key == "joints" && (value == "all" || value == "none"))
    query.joints = value == "all";
  else if (key == "joints")
    query.joint_columns = parsed_columns(value, key);
  else if (key == "signals" && (value == "all" || value == "none"))
    query.signals = value == "all";
  else if (key == "signals")
    query.signal_columns = parsed_columns(value, key);
  else if (key != "contacts")
    throw Error(
        fmt::format("'{}' is not known; accepted: first, count, stride, poses, velocities, "
                    "contacts, joints, signals",
                    key.substr(0, 40)));
  else if (value == "all" || value == "none")
    query.contacts = value == "all";
  else
    query.contact = parsed_contact(value);
}

float narrow(double value) {
  return static_cast<float>(value);
}

// The columns of a block while they grow.
struct Columns {
  std::vector<double> time, step, kinetic, potential, residual, penetration;
  std::vector<std::int32_t> status, iterations, active, model, uniqueness;
  std::vector<std::uint32_t> contact_start{0};
  std::vector<float> poses, velocities;
  std::vector<std::uint32_t> key;
  std::vector<std::int32_t> bodies;
  std::vector<float> point_a, point_b, normal, tangent_1, tangent_2, impulse, velocity;
  std::vector<float> gap, friction, friction_2, moment, turning, joints, signals;
  bool moments = false;  // one is not 0

  std::size_t frames() const { return time.size(); }
  std::size_t bytes() const {
    return frames() * frame_row_bytes +
           4 * (poses.size() + velocities.size() + joints.size() + signals.size()) +
           gap.size() * (contact_row_bytes + (moments ? moment_row_bytes : 0));
  }
  void add(const FrameInfo& info);
  void add(const ContactRow& row);
};

void Columns::add(const FrameInfo& info) {
  time.push_back(info.time);
  step.push_back(static_cast<double>(info.step));
  kinetic.push_back(info.kinetic);
  potential.push_back(info.potential);
  residual.push_back(info.report.solve.residual.relative);
  penetration.push_back(info.report.penetration);
  status.push_back(static_cast<std::int32_t>(info.report.solve.status));
  iterations.push_back(info.report.solve.iterations);
  active.push_back(info.report.active_count);
  model.push_back(info.model);
  uniqueness.push_back(static_cast<std::int32_t>(info.report.uniqueness));
}

void Columns::add(const ContactRow& row) {
  const auto push = [](std::vector<float>& column, const Vector3& v) {
    for (const double value : v) column.push_back(narrow(value));
  };
  const std::array<std::uint32_t, 4> words = key_words(row.key);
  key.insert(key.end(), words.begin(), words.end());
  bodies.insert(bodies.end(), {row.body_a, row.body_b});
  push(point_a, row.point_a);
  push(point_b, row.point_b);
  push(normal, row.normal);
  push(tangent_1, row.tangent_1);
  push(tangent_2, row.tangent_2);
  push(impulse, row.impulse);
  push(velocity, row.velocity);
  gap.push_back(narrow(row.gap));
  friction.push_back(narrow(row.friction));
  friction_2.push_back(narrow(row.friction_2));
  push(moment, row.moment);
  push(turning, row.turning);
  moments = moments || !row.moment.isZero(0.0) || !row.turning.isZero(0.0);
}

// Numbers of one column, padded to a multiple of eight bytes.
template <class Number>
void append(std::string& block, const std::vector<Number>& column) {
  block.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(Number));
  block.append((8 - block.size() % 8) % 8, '\0');
}

class BlockReader {
 public:
  BlockReader(const Recording& recording, const FrameQuery& query, const BlockLimits& limits)
      : recording_(recording),
        query_(query),
        limits_(limits),
        piece_bytes_(std::min(limits.bytes, most_piece_bytes)) {
    const bool one = query.poses >= 0 || query.velocities >= 0;
    header_.first = static_cast<std::uint32_t>(query.first);
    header_.stride = static_cast<std::uint32_t>(query.stride);
    if (one) header_.body = static_cast<std::uint32_t>(std::max(query.poses, query.velocities));
    if (query.poses != FrameQuery::none) {
      header_.flags |= BlockHeader::with_poses;
      header_.bodies = query.poses >= 0 ? 1 : narrow_count(recording.body_names().size());
    }
    if (query.velocities != FrameQuery::none) {
      header_.flags |= BlockHeader::with_velocities;
      header_.velocities = narrow_count(entries());
    }
    if (query.contacts) header_.flags |= BlockHeader::with_contacts;
    if (query.joints && !recording.joint_columns().empty()) {
      header_.flags |= BlockHeader::with_joints;
      header_.joints = narrow_count(query.joint_columns.empty() ? recording.joint_columns().size()
                                                                : query.joint_columns.size());
    }
    if (query.signals) {
      signals_.emplace(recording);
      const std::size_t all = signals_->columns().size();
      if (!query.signal_columns.empty() &&
          static_cast<std::size_t>(query.signal_columns.back()) >= all)
        throw Error(fmt::format("there is no column {} of signals; the recording has {}",
                                query.signal_columns.back(), all));
      header_.signals =
          narrow_count(query.signal_columns.empty() ? all : query.signal_columns.size());
      if (header_.signals > 0) header_.flags |= BlockHeader::with_signals;
    }
  }

  std::string read();

 private:
  static std::uint32_t narrow_count(std::size_t count) { return static_cast<std::uint32_t>(count); }
  std::size_t entries() const;
  FrameRange piece(std::int64_t first, std::int64_t left);
  void add_piece(const FrameRange& range);
  void add_contacts(const FrameRange& range);
  void add_columns(const std::vector<double>& numbers, std::size_t width,
                   const std::vector<int>& chosen, std::vector<float>& to) const;
  std::string joined() const;

  const Recording& recording_;
  const FrameQuery& query_;
  const BlockLimits& limits_;
  std::size_t piece_bytes_;
  std::optional<Signals> signals_;
  BlockHeader header_;
  Columns columns_;
  std::vector<FrameInfo> infos_;  // of the piece
};

std::size_t BlockReader::entries() const {
  const int bodies = static_cast<int>(recording_.body_names().size());
  if (query_.velocities < 0 && bodies == 0) return 0;
  const int last = query_.velocities < 0 ? bodies - 1 : query_.velocities;
  const auto [first, size] = recording_.velocity_entries(last);
  return static_cast<std::size_t>(query_.velocities < 0 ? first + size : size);
}

// The next frames, as many as may be read at once: by their size in the file, filters or not.
FrameRange BlockReader::piece(std::int64_t first, std::int64_t left) {
  const std::size_t frame_bytes =
      frame_row_bytes + 200 +
      (query_.poses != FrameQuery::none ? recording_.body_names().size() * 7 * sizeof(double) : 0) +
      header_.velocities * sizeof(double) +
      (header_.joints > 0 ? recording_.joint_columns().size() * sizeof(double) : 0) +
      (header_.signals > 0 ? signals_->columns().size() * sizeof(double) : 0);
  FrameRange range{first, 0, query_.stride};
  range.count = std::clamp<std::int64_t>(static_cast<std::int64_t>(piece_bytes_ / frame_bytes), 1,
                                         std::min<std::int64_t>(left, 4096));
  infos_ = recording_.infos(range);
  if (!query_.contacts) return range;
  std::size_t bytes = 0;
  std::size_t kept = 0;
  while (kept < infos_.size() && (kept == 0 || bytes < piece_bytes_))
    bytes += sizeof(ContactRow) *
             static_cast<std::size_t>(std::max(infos_[kept++].report.contact_count, 0));
  infos_.resize(kept);
  range.count = static_cast<std::int64_t>(kept);
  return range;
}

void BlockReader::add_piece(const FrameRange& range) {
  for (const FrameInfo& info : infos_) columns_.add(info);
  if (query_.poses != FrameQuery::none) {
    const auto poses = recording_.poses(range, query_.poses);
    std::transform(poses.begin(), poses.end(), std::back_inserter(columns_.poses), narrow);
  }
  if (query_.velocities != FrameQuery::none && header_.velocities > 0) {
    const auto velocities = recording_.velocities(range, query_.velocities);
    std::transform(velocities.begin(), velocities.end(), std::back_inserter(columns_.velocities),
                   narrow);
  }
  add_contacts(range);
  if (header_.joints > 0)
    add_columns(recording_.joints(range), recording_.joint_columns().size(), query_.joint_columns,
                columns_.joints);
  if (header_.signals > 0)
    add_columns(signals_->read(range), signals_->columns().size(), query_.signal_columns,
                columns_.signals);
}

// Of rows of so many numbers the chosen ones, or all.
void BlockReader::add_columns(const std::vector<double>& numbers, std::size_t width,
                              const std::vector<int>& chosen, std::vector<float>& to) const {
  if (chosen.empty()) {
    std::transform(numbers.begin(), numbers.end(), std::back_inserter(to), narrow);
    return;
  }
  for (std::size_t row = 0; row + width <= numbers.size(); row += width)
    for (const int column : chosen)
      to.push_back(narrow(numbers[row + static_cast<std::size_t>(column)]));
}

void BlockReader::add_contacts(const FrameRange& range) {
  if (!query_.contacts) {
    columns_.contact_start.resize(columns_.frames() + 1, 0);
    return;
  }
  const ContactRows contacts = recording_.contacts(range);
  for (std::size_t i = 0; i + 1 < contacts.starts.size(); ++i) {
    for (std::int64_t row = contacts.starts[i]; row < contacts.starts[i + 1]; ++row) {
      const ContactRow& contact = contacts.rows[static_cast<std::size_t>(row)];
      if (!query_.contact || contact.key == *query_.contact) columns_.add(contact);
    }
    columns_.contact_start.push_back(narrow_count(columns_.gap.size()));
  }
}

std::string BlockReader::read() {
  const Stopwatch clock;
  const std::int64_t there = (recording_.frames() - 1 - query_.first) / query_.stride + 1;
  const std::int64_t wanted = std::min(query_.count, there);
  for (std::int64_t done = 0; done < wanted;) {
    const FrameRange range = piece(query_.first + done * query_.stride, wanted - done);
    const std::size_t before = columns_.bytes();
    add_piece(range);
    done += range.count;
    const std::size_t bytes = columns_.bytes();
    if (bytes > most_bytes)
      throw Error(fmt::format("frame {} is too large to be shown ({} MB)", range.first,
                              (bytes - before) >> 20),
                  recording_.path().string());
    // A piece as large as the last one would still fit.
    if (bytes + (bytes - before) > limits_.bytes || clock.seconds() > limits_.seconds) break;
  }
  return joined();
}

std::string BlockReader::joined() const {
  std::string block;
  block.reserve(columns_.bytes() + 512);
  BlockHeader header = header_;
  header.frames = narrow_count(columns_.frames());
  header.rows = narrow_count(columns_.gap.size());
  if (columns_.moments) header.flags |= BlockHeader::with_moments;
  block.assign(reinterpret_cast<const char*>(&header), sizeof header);
  for (const auto* column : {&columns_.time, &columns_.step, &columns_.kinetic, &columns_.potential,
                             &columns_.residual, &columns_.penetration})
    append(block, *column);
  for (const auto* column : {&columns_.status, &columns_.iterations, &columns_.active,
                             &columns_.model, &columns_.uniqueness})
    append(block, *column);
  append(block, columns_.contact_start);
  append(block, columns_.poses);
  append(block, columns_.velocities);
  append(block, columns_.key);
  append(block, columns_.bodies);
  for (const auto* column :
       {&columns_.point_a, &columns_.point_b, &columns_.normal, &columns_.tangent_1,
        &columns_.tangent_2, &columns_.impulse, &columns_.velocity, &columns_.gap,
        &columns_.friction, &columns_.friction_2})
    append(block, *column);
  if (columns_.moments)
    for (const auto* column : {&columns_.moment, &columns_.turning}) append(block, *column);
  append(block, columns_.joints);
  append(block, columns_.signals);
  return block;
}

}  // namespace

FrameQuery parse_frame_query(std::string_view text) {
  FrameQuery query;
  std::map<std::string_view, bool> given;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const auto equals = item.find('=');
    const std::string_view key = item.substr(0, equals);
    if (equals == std::string_view::npos)
      throw Error(fmt::format("'{}' is not of the form key=value", key.substr(0, 40)));
    if (std::exchange(given[key], true))
      throw Error("is given twice", std::string(key.substr(0, 40)));
    set_key(query, key, item.substr(equals + 1));
  }
  if (query.poses >= 0 && query.velocities >= 0 && query.poses != query.velocities)
    throw Error("poses and velocities of two different bodies; accepted: those of one");
  return query;
}

void check_query(const Recording& recording, const FrameQuery& query) {
  if (query.first < 0 || query.first >= recording.frames())
    throw Error(fmt::format("there is no frame {}; the recording's frames are 0 to {}", query.first,
                            recording.frames() - 1),
                "first");
  if (query.count < 1 || query.stride < 1 || query.stride > most_frames ||
      recording.frames() > most_frames)
    throw Error("count and stride are at least 1; at most 2147483647 frames are shown");
  const auto bodies = static_cast<std::int64_t>(recording.body_names().size());
  for (const int body : {query.poses, query.velocities})
    if (body >= bodies)
      throw Error(fmt::format("there is no body {}; the recording has {}", body, bodies));
  if (query.poses >= 0 && query.velocities >= 0 && query.poses != query.velocities)
    throw Error("poses and velocities of two different bodies; accepted: those of one");
  const auto columns = static_cast<std::int64_t>(recording.joint_columns().size());
  if (!query.joint_columns.empty() && query.joint_columns.back() >= columns)
    throw Error(fmt::format("there is no column {} of joints; the recording has {}",
                            query.joint_columns.back(), columns));
}

std::string frame_block(const Recording& recording, const FrameQuery& query,
                        const BlockLimits& limits) {
  check_query(recording, query);
  return BlockReader(recording, query, limits).read();
}

BlockHeader read_header(std::string_view block) {
  BlockHeader header;
  if (block.size() < sizeof header) throw Error("this is not a block of frames");
  std::memcpy(&header, block.data(), sizeof header);
  return header;
}

void set_header(std::string& block, const BlockHeader& header) {
  std::memcpy(block.data(), &header, sizeof header);
}

}  // namespace vinci
