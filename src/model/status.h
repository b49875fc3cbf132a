// The one error type of the project: a value, cheap on success, with a place and a rule in it.
//
// Pure. Errors are values at module borders; exceptions of libraries end in the adapter that calls them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kdsd {

enum class Code {
  ok,
  invalid,    // the input breaks a rule; `violations` says where
  malformed,  // the input cannot be read at all
  not_found,
  conflict,      // somebody else has the name, or was faster
  denied,        // the caller may not do this
  not_writable,  // nobody may do this here
  unavailable,   // may work later
  exhausted,     // a limit was reached
  internal,      // we are wrong
};

// One broken rule: the field it concerns (`spec.to[0].targetRef.kind`) and what is wrong with it.
struct Violation {
  std::string field;
  std::string reason;
  friend bool operator==(const Violation&, const Violation&) = default;
};

using Violations = std::vector<Violation>;

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : rep_(std::make_shared<Rep>(Rep{code, std::move(message), {}})) {}
  Status(Code code, std::string message, Violations violations)
      : rep_(std::make_shared<Rep>(Rep{code, std::move(message), std::move(violations)})) {}

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::ok; }
  const std::string& message() const { return rep_ ? rep_->message : empty(); }
  const Violations& violations() const;

  // The same error with what was being done in front: "zone east: MeshTimeout/slow: …". Success stays success.
  Status prefixed(std::string_view context) const;

  // Message and violations in one line, for logs and terminals.
  std::string text() const;

 private:
  struct Rep {
    Code code;
    std::string message;
    Violations violations;
  };
  static const std::string& empty();
  std::shared_ptr<const Rep> rep_;
};

inline Status ok_status() { return {}; }

// A value or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : state_(std::move(status)) {}  // NOLINT(google-explicit-constructor)
  Result(Code code, std::string message) : state_(Status(code, std::move(message))) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  Status status() const { return ok() ? Status() : std::get<Status>(state_); }
  T& value() { return std::get<T>(state_); }
  const T& value() const { return std::get<T>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace kdsd
