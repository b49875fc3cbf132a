#include "store/sqlite_connection.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace kdsd::store {
namespace {

Code code_of(int result, int system_error) {
  if (system_error == ENOSPC || system_error == EDQUOT) return Code::exhausted;
  switch (result & 0xFF) {  // extended codes keep the primary one in the low byte
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
      return Code::exhausted;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return Code::unavailable;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Code::malformed;
    default:
      return Code::internal;
  }
}

// SQLite takes a null pointer for NULL; an empty view may have one.
const char* data_of(std::string_view view) { return view.data() ? view.data() : ""; }

}  // namespace

void Statement::bind(int index, std::int64_t value) {
  if (int result = sqlite3_bind_int64(handle_.get(), index, value); result != SQLITE_OK) bind_failure_ = result;
}

void Statement::bind(int index, std::string_view text) {
  int result = sqlite3_bind_text64(handle_.get(), index, data_of(text), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (result != SQLITE_OK) bind_failure_ = result;
}

void Statement::bind_blob(int index, std::string_view bytes) {
  int result = sqlite3_bind_blob64(handle_.get(), index, data_of(bytes), bytes.size(), SQLITE_STATIC);
  if (result != SQLITE_OK) bind_failure_ = result;
}

Result<bool> Statement::step() {
  if (int result = std::exchange(bind_failure_, SQLITE_OK); result != SQLITE_OK) {
    reset();
    return connection_->failure(result, operation_);
  }
  int result = sqlite3_step(handle_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  Status status = connection_->failure(result, operation_);
  reset();
  return status;
}

Status Statement::execute() {
  auto row = step();
  reset();
  return row.status();
}

void Statement::reset() {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return data ? std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size)) : std::string_view();
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& name, int flags, std::string path) {
  sqlite3* handle = nullptr;
  int result = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (!handle) return Status(Code::unavailable, path + ": open: out of memory");
  std::unique_ptr<Connection> connection(new Connection(handle, std::move(path)));
  if (result != SQLITE_OK) return connection->failure(result, "open");
  sqlite3_extended_result_codes(handle, 1);
  return connection;
}

Status Connection::run(const std::string& sql, std::string_view operation) {
  int result = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr);
  return result == SQLITE_OK ? ok_status() : failure(result, operation);
}

Result<Statement> Connection::prepare(std::string_view sql, std::string operation) {
  sqlite3_stmt* handle = nullptr;
  int result = sqlite3_prepare_v3(this->handle(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                  &handle, nullptr);
  if (result != SQLITE_OK) return failure(result, operation);
  Statement statement;
  statement.handle_.reset(handle);
  statement.connection_ = this;
  statement.operation_ = std::move(operation);
  return statement;
}

Result<std::string> Connection::text_of(std::string_view sql, std::string operation) {
  auto statement = prepare(sql, operation);
  if (!statement.ok()) return statement.status();
  auto row = statement->step();
  if (!row.ok()) return row.status();
  if (!*row) return Status(Code::malformed, path_ + ": " + operation + ": no row");
  return statement->text(0);
}

Result<std::int64_t> Connection::integer_of(std::string_view sql, std::string operation) {
  auto statement = prepare(sql, operation);
  if (!statement.ok()) return statement.status();
  auto row = statement->step();
  if (!row.ok()) return row.status();
  if (!*row) return Status(Code::malformed, path_ + ": " + operation + ": no row");
  return statement->integer(0);
}

void Connection::roll_back() {
  // Some errors have ended the transaction already; asking again would only be an error of its own.
  if (in_transaction()) sqlite3_exec(handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Status Connection::failure(int result, std::string_view operation) const {
  // The system's number is of use only where SQLite's own code is about the system; else it is an old one.
  const int primary = result & 0xFF;
  const bool of_system = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_FULL;
  const int system_error = of_system ? sqlite3_system_errno(handle()) : 0;
  std::string text = path_ + ": " + std::string(operation) + ": " + sqlite3_errmsg(handle());
  if (system_error != 0) text += std::string(" (") + std::strerror(system_error) + ")";
  return Status(code_of(result, system_error), std::move(text));
}

}  // namespace kdsd::store
