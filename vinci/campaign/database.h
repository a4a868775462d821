// SPDX-License-Identifier: Apache-2.0
// SQLite: a file of tables, and what is asked of it. No other file includes <sqlite3.h>.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace vinci {

// Everything here throws Failure with the reason of SQLite and the name of the file.
class Database {
 public:
  enum class Mode { read, write };  // `write` makes the file where there is none
  Database(const std::filesystem::path& path, Mode mode);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  void execute(const char* command);
  // The same, where a failure costs nothing.
  void attempt(const char* command) noexcept;

 private:
  friend class Statement;
  [[noreturn]] void fail(int code) const;

  sqlite3* handle_ = nullptr;
  std::string name_;
};

// A prepared command; its parameters and columns are counted from 1 and from 0, as SQLite does.
class Statement {
 public:
  Statement(const Database& database, const char* command);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Statement& set(int parameter, std::uint64_t value);
  Statement& set(int parameter, std::string_view text);
  // The bytes stay the caller's and must live until run() or the last row().
  Statement& set_bytes(int parameter, std::string_view bytes);
  // The next row; false where there is none, or no more: then it can be asked anew.
  bool row();
  void run() { row(); }  // of what gives no rows
  std::uint64_t number(int column) const;
  std::string text(int column) const;
  std::string_view bytes(int column) const;  // until the next row

 private:
  const Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

// What is done within its lifetime is kept as a whole by commit(), or not at all.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace vinci
