// SPDX-License-Identifier: Apache-2.0
// One line, redrawn in place: title, bar, share, steps, simulated time, rate, remaining time.
#include "apps/progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "apps/text.h"
#include "vinci/base/words.h"

namespace vinci {

Progress::Progress(std::string title, std::int64_t done, std::int64_t total, bool wanted,
                   std::string noun)
    : title_(escaped(title)),
      noun_(std::move(noun)),
      first_(done),
      total_(std::max<std::int64_t>(total, 1)),
      visible_(wanted && is_terminal(stderr)),
      utf8_(speaks_utf8()) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(std::int64_t step, std::optional<double> time) {
  if (!is_due()) return;
  next_ = since_start_.seconds() + 0.1;
  draw(step, time);
}

void Progress::set_total(std::int64_t total) {
  total_ = std::max<std::int64_t>(total, 1);
}

void Progress::set_note(const std::string& note) {
  note_ = note.empty() ? "" : "; " + escaped(note);
}

void Progress::draw(std::int64_t step, std::optional<double> time) {
  const double elapsed = since_start_.seconds();
  const double rate = static_cast<double>(step - first_) / std::max(elapsed, 1e-9);
  const double share = std::min(1.0, static_cast<double>(step) / static_cast<double>(total_));
  const double left = static_cast<double>(total_ - step) / std::max(rate, 1e-9);
  const auto width = static_cast<std::size_t>(std::max(terminal_width(stderr), 40)) - 1;
  const std::string facts = fmt::format(
      " {:3.0f}% {}/{} {}, {}{}/s, {} left{}", 100.0 * share, step, total_, noun_,
      time ? fmt::format("{:.4g} s, ", *time) : "", rate_text(rate), duration_text(left), note_);
  const std::size_t room = width > facts.size() ? width - facts.size() : 0;
  const std::size_t bar = std::clamp<std::size_t>(room / 2, 4, 24);
  const std::size_t name = room > bar + 1 ? std::min(room - bar - 1, columns(title_)) : 0;
  const auto full = static_cast<std::size_t>(share * static_cast<double>(bar));
  std::string line = name > 3 ? shortened(title_, name) + " " : "";
  for (std::size_t i = 0; i < bar; ++i)
    line += i < full ? (utf8_ ? "\u2501" : "#") : (utf8_ ? "\u2500" : ".");
  line += facts;
  if (columns(line) > width) line = shortened(line, width);
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace vinci
