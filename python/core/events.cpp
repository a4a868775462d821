// SPDX-License-Identifier: Apache-2.0
// Names are made once for each subject: there are few, and many rows.
#include "python/core/events.h"

#include <map>
#include <utility>

namespace vinci::python {
namespace {

class Words {
 public:
  explicit Words(const EventNames& names) : names_(names) {}
  py::str subject(const EntityKey& key, int point) {
    return made(subjects_, std::pair(key, point), [&] { return names_.subject(key, point); });
  }
  py::str state(const EntityKey& key, int state) {
    const bool own = key.kind == EntityKind::machine || key.kind == EntityKind::constraint;
    const EntityKey of = own ? key : EntityKey{};
    return made(states_, std::pair(of, state), [&] { return names_.state(key, state); });
  }

 private:
  using Known = std::map<std::pair<EntityKey, int>, py::str>;
  template <class Make>
  static py::str made(Known& known, const std::pair<EntityKey, int>& place, Make make) {
    auto found = known.find(place);
    if (found == known.end()) found = known.emplace(place, readable(make())).first;
    return found->second;
  }
  const EventNames& names_;
  Known subjects_, states_;
};

// The fields that events and modes share.
RowType& add_mode(RowType& row, std::ptrdiff_t start) {
  const ConstraintMode mode;
  const auto at = [&](const auto& member) { return start + offset_in(mode, member); };
  return row.field("state", "i4", at(mode.state))
      .field("kind_of_key", "u4", at(mode.key.kind))
      .field("key", "(4,)u4", at(mode.key.ids))
      .field("point", "i4", at(mode.point))
      .field("gap", "f8", at(mode.gap))
      .field("gap_rate", "f8", at(mode.gap_rate))
      .field("force", "(3,)f8", at(mode.force));
}

// The types live as long as the process: their arrays may outlive the module.
const py::dtype& event_type() {
  static const py::dtype* const type = [] {
    const RecordedEvent event;
    RowType row(sizeof event);
    row.field("time", "f8", offset_in(event, event.time))
        .field("step", "i8", offset_in(event, event.step))
        .field("state_before", "i4", offset_in(event, event.from));
    return new py::dtype(add_mode(row, offset_in(event, event.after)).dtype());
  }();
  return *type;
}

const py::dtype& mode_type() {
  static const py::dtype* const type = [] {
    RowType row(sizeof(ConstraintMode));
    return new py::dtype(add_mode(row, 0).dtype());
  }();
  return *type;
}

}  // namespace

py::tuple event_table(std::vector<RecordedEvent> events, const EventNames& names) {
  Words words(names);
  py::list subjects, kinds, before, after;
  for (const RecordedEvent& event : events) {
    subjects.append(words.subject(event.after.key, event.after.point));
    kinds.append(to_string(names.kind(event)));
    before.append(words.state(event.after.key, event.from));
    after.append(words.state(event.after.key, event.after.state));
  }
  const auto size = static_cast<py::ssize_t>(events.size());
  return py::make_tuple(owning(event_type(), {size}, std::move(events)), subjects, kinds, before,
                        after);
}

py::tuple mode_table(std::vector<ConstraintMode> modes, const EventNames& names) {
  Words words(names);
  py::list subjects, states;
  for (const ConstraintMode& mode : modes) {
    subjects.append(words.subject(mode.key, mode.point));
    states.append(words.state(mode.key, mode.state));
  }
  const auto size = static_cast<py::ssize_t>(modes.size());
  return py::make_tuple(owning(mode_type(), {size}, std::move(modes)), subjects, states);
}

}  // namespace vinci::python
