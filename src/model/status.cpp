#include "model/status.h"

namespace kdsd {

const std::string& Status::empty() {
  static const std::string text;
  return text;
}

const Violations& Status::violations() const {
  static const Violations none;
  return rep_ ? rep_->violations : none;
}

Status Status::prefixed(std::string_view context) const {
  if (ok()) return *this;
  return Status(rep_->code, std::string(context) + ": " + rep_->message, rep_->violations);
}

std::string Status::text() const {
  std::string out = message();
  const char* separator = out.empty() ? "" : ": ";
  for (const auto& violation : violations()) {
    out += separator;
    if (!violation.field.empty()) out += violation.field + ": ";
    out += violation.reason;
    separator = "; ";
  }
  return out;
}

}  // namespace kdsd
