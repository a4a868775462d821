// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/database.h"

#include <cstring>

#include <sqlite3.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

constexpr int patience = 60'000;  // ms: for others who read

}  // namespace

Database::Database(const std::filesystem::path& path, Mode mode) : name_(path.string()) {
  // Who reads may have to put back what a writer that was killed left half done; where the file
  // cannot be written SQLite opens it for reading.
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mode == Mode::write ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(name_.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    const std::string reason = sqlite3_errstr(code);
    sqlite3_close(handle_);
    throw Failure("cannot be opened: " + reason, name_);
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, patience);
  if (mode == Mode::read) attempt("PRAGMA query_only = ON");
}

Database::~Database() {
  sqlite3_close_v2(handle_);
}

void Database::fail(int code) const {
  std::string reason = sqlite3_errmsg(handle_);
  const int number = sqlite3_system_errno(handle_);
  if ((code & 0xff) == SQLITE_FULL)
    reason = "there is no space left";
  else if ((code & 0xff) == SQLITE_IOERR && number != 0)
    reason += std::string(" (") + std::strerror(number) + ")";
  throw Failure(reason, name_);
}

void Database::execute(const char* command) {
  const int code = sqlite3_exec(handle_, command, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Database::attempt(const char* command) noexcept {
  sqlite3_exec(handle_, command, nullptr, nullptr, nullptr);
}

Statement::Statement(const Database& database, const char* command) : database_(database) {
  const int code = sqlite3_prepare_v3(database.handle_, command, -1, SQLITE_PREPARE_PERSISTENT,
                                      &handle_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

Statement& Statement::set(int parameter, std::uint64_t value) {
  sqlite3_bind_int64(handle_, parameter, static_cast<sqlite3_int64>(value));
  return *this;
}

Statement& Statement::set(int parameter, std::string_view text) {
  sqlite3_bind_text(handle_, parameter, text.data(), static_cast<int>(text.size()),
                    SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::set_bytes(int parameter, std::string_view bytes) {
  sqlite3_bind_blob64(handle_, parameter, bytes.data(), bytes.size(), SQLITE_STATIC);
  return *this;
}

bool Statement::row() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  // What follows names the code and the system's number, which a reset does not change.
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

std::uint64_t Statement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(handle_, column));
}

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(handle_, column);
  return text == nullptr ? std::string() : reinterpret_cast<const char*>(text);
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(handle_, column);
  return {static_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (open_) database_.attempt("ROLLBACK");
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace vinci
