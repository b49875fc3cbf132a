#include "policy/conf_checks.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "model/json.h"
#include "policy/decimal.h"
#include "policy/duration.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr std::int64_t least_status = 100;
constexpr std::int64_t most_status = 599;
constexpr std::int64_t most_port = 65535;
constexpr std::int64_t whole = 100;  // percent

std::string joined_by_comma(std::initializer_list<std::string_view> names, std::string_view quote) {
  std::string out;
  for (auto name : names) {
    if (!out.empty()) out += ", ";
    out.append(quote).append(name).append(quote);
  }
  return out;
}

}  // namespace

ConfValue::ConfValue(const json::value* value, std::string path, Outcome& outcome)
    : value_(value != nullptr && !value->is_null() ? value : nullptr), path_(std::move(path)), outcome_(&outcome) {}

ConfValue ConfValue::at(std::string_view name) const {
  return {value_ != nullptr ? find(*value_, {name}) : nullptr, member(path_, name), *outcome_};
}

ConfValue ConfValue::at(std::size_t index) const {
  const auto* list = value_ != nullptr ? value_->if_array() : nullptr;
  return {list != nullptr && index < list->size() ? &(*list)[index] : nullptr, element(path_, index), *outcome_};
}

ConfValue ConfValue::reported_at(std::string path) const { return {value_, std::move(path), *outcome_}; }

bool ConfValue::has_any(std::initializer_list<std::string_view> names) const {
  for (auto name : names) {
    if (has(name)) return true;
  }
  return false;
}

std::size_t ConfValue::size() const {
  if (value_ == nullptr) return 0;
  if (const auto* list = value_->if_array()) return list->size();
  const auto* object = value_->if_object();
  return object != nullptr ? object->size() : 0;
}

bool ConfValue::is_true() const { return value_ != nullptr && value_->is_bool() && value_->get_bool(); }

std::string_view ConfValue::text() const {
  const auto* text = value_ != nullptr ? value_->if_string() : nullptr;
  return text != nullptr ? std::string_view(text->data(), text->size()) : std::string_view();
}

std::optional<std::int64_t> ConfValue::number() const {
  return value_ != nullptr ? whole_number(*value_) : std::nullopt;
}

std::optional<std::int64_t> ConfValue::nanoseconds() const {
  return value_ != nullptr && value_->is_string() ? parse_go_duration(text()) : std::nullopt;
}

bool check_defined(const ConfValue& value) {
  if (!value.is_set()) value.refuse("must be defined");
  return value.is_set();
}

void check_positive_duration(const ConfValue& value) {
  if (const auto time = value.nanoseconds(); time && *time <= 0) value.refuse("must be greater than zero when defined");
}

void check_duration_not_negative(const ConfValue& value) {
  if (const auto time = value.nanoseconds(); time && *time < 0) value.refuse("must not be negative when defined");
}

void check_above_zero(const ConfValue& value) {
  if (const auto number = value.number(); number && *number <= 0) value.refuse("must be greater than 0");
}

void check_positive_when_defined(const ConfValue& value) {
  if (const auto number = value.number(); number && *number <= 0)
    value.refuse("must be greater than zero when defined");
}

void check_tls_versions(const ConfValue& version) {
  const auto least = version.at("min");
  const auto most = version.at("max").text();
  if (!least.text().starts_with("TLS1") || !most.starts_with("TLS1")) return;  // TLSAuto is no bound
  if (least.text() > most) least.refuse("min version must be lower than max");
}

void check_status_code(const ConfValue& value) {
  const auto number = value.number();
  if (number && (*number < least_status || *number > most_status)) {
    value.refuse("must be in inclusive range [100, 599]");
  }
}

void check_port(const ConfValue& value) {
  const auto number = value.number();
  if (number && (*number <= 0 || *number > most_port)) value.refuse("port must be a valid (1-65535)");
}

void check_whole_percentage(const ConfValue& value) {
  const auto number = value.number();
  if (number && (*number < 0 || *number > whole)) value.refuse("must be in inclusive range [0, 100]");
}

void check_percentage(const ConfValue& value, const char* no_number, const char* out_of_range) {
  if (!value.is_set()) return;
  const auto number = decimal_of(*value.json());
  if (!number) {
    value.refuse(no_number);
  } else if (!number->is_percentage()) {
    value.refuse(out_of_range);
  }
}

std::string one_of_text(std::string_view field, std::string_view what, std::string_view other,
                        std::initializer_list<std::string_view> values) {
  return "\"" + std::string(field) + "\" " + std::string(what) + " when \"" + std::string(other) + "\" is one of [" +
         joined_by_comma(values, "\"") + "]";
}

std::string at_least_one_text(std::initializer_list<std::string_view> names) {
  return "must have at least one defined: " + joined_by_comma(names, "");
}

}  // namespace kdsd::policy
