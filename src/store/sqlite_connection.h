// SQLite's handles as values with owners, and its error codes as Status.
//
// One thread at a time. Every message is "<path>: <operation>: <SQLite's text>".
#pragma once

#include <cstdint>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <string_view>

#include "model/status.h"

namespace kdsd::store {

class Connection;

// A prepared statement. Texts that were bound must live until the step; columns are valid until the next step or reset.
// Must not outlive its connection.
class Statement {
 public:
  Statement() = default;

  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view text);
  void bind_blob(int index, std::string_view bytes);

  // True: there is a row. False: the end was reached.
  Result<bool> step();
  // Runs a statement that gives no rows, and makes it ready for the next time.
  Status execute();
  void reset();

  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  bool is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
  bool is_number(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_INTEGER; }
  // Bytes of a text or a blob.
  std::string_view bytes(int column) const;
  std::string text(int column) const { return std::string(bytes(column)); }

 private:
  friend class Connection;
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  const Connection* connection_ = nullptr;
  std::string operation_;
  int bind_failure_ = SQLITE_OK;
};

class Connection {
 public:
  // `name` is a path or a file: URI as `flags` (SQLITE_OPEN_…) say; `path` is what messages show.
  static Result<std::unique_ptr<Connection>> open(const std::string& name, int flags, std::string path);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return path_; }

  // Several statements without parameters; rows are dropped.
  Status run(const std::string& sql, std::string_view operation);
  Result<Statement> prepare(std::string_view sql, std::string operation);
  // First column of the first row.
  Result<std::string> text_of(std::string_view sql, std::string operation);
  Result<std::int64_t> integer_of(std::string_view sql, std::string operation);

  bool in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }
  // Ends a transaction without effect, if one is open.
  void roll_back();

  Status failure(int result, std::string_view operation) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  Connection(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  std::unique_ptr<sqlite3, Close> handle_;
  std::string path_;
};

}  // namespace kdsd::store
