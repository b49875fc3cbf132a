// One value of a conf under validation, and the checks that many types share.
//
// Pure; for conf_rules.cpp and its neighbours. A check says nothing about a value that is not there, unless its comment
// says otherwise.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/outcome.h"
#include "policy/type_rules.h"

namespace kdsd::policy {

// The spec and the outcome must outlive it.
class ConfValue {
 public:
  ConfValue(const boost::json::value* value, std::string path, Outcome& outcome);

  ConfValue at(std::string_view name) const;
  ConfValue at(std::size_t index) const;
  // The same value where Kuma reports it under a path that is not its own.
  ConfValue reported_at(std::string path) const;

  bool is_set() const { return value_ != nullptr; }
  bool has(std::string_view name) const { return at(name).is_set(); }
  bool has_any(std::initializer_list<std::string_view> names) const;
  std::size_t size() const;  // of a list or an object; 0 for all else
  bool is_true() const;
  std::string_view text() const;  // empty where there is none
  std::optional<std::int64_t> number() const;
  std::optional<std::int64_t> nanoseconds() const;  // of a duration
  const boost::json::value* json() const { return value_; }
  const std::string& path() const { return path_; }

  void refuse(std::string reason) const { outcome_->refuse(path_, std::move(reason)); }

 private:
  const boost::json::value* value_;
  std::string path_;
  Outcome* outcome_;
};

// Calls `check` for every element.
template <typename Check>
void for_each(const ConfValue& list, const Check& check) {
  for (std::size_t i = 0; i < list.size(); ++i) check(list.at(i));
}

// `must be defined` where nothing is; the answer is whether something is there.
bool check_defined(const ConfValue& value);

void check_positive_duration(const ConfValue& value);
void check_duration_not_negative(const ConfValue& value);

// The same rule with the two texts that types have for it.
void check_above_zero(const ConfValue& value);
void check_positive_when_defined(const ConfValue& value);

// `min` and `max`
void check_tls_versions(const ConfValue& version);

void check_status_code(const ConfValue& value);
void check_port(const ConfValue& value);

// 0 to 100: as a whole number, and as one that may have decimal places and so be a text.
void check_whole_percentage(const ConfValue& value);
void check_percentage(const ConfValue& value, const char* no_number = "string must be a valid number",
                      const char* out_of_range = "must be in inclusive range [0.0, 100.0]");

// `"from" is allowed only when "op" is one of ["move", "copy"]`
std::string one_of_text(std::string_view field, std::string_view what, std::string_view other,
                        std::initializer_list<std::string_view> values);
// `must have at least one defined: tcp, http`
std::string at_least_one_text(std::initializer_list<std::string_view> names);

// The rules of each type for one item of a section, or for the whole spec where the type has no sections.
void check_access_log_conf(const PolicyView& policy, const ConfValue& item);
void check_circuit_breaker_conf(const PolicyView& policy, const ConfValue& item);
void check_fault_injection_conf(const PolicyView& policy, const ConfValue& item);
void check_health_check_conf(const PolicyView& policy, const ConfValue& item);
void check_http_route_conf(const PolicyView& policy, const ConfValue& item);
void check_load_balancing_conf(const PolicyView& policy, const ConfValue& item);
void check_metric_conf(const PolicyView& policy, const ConfValue& item);
void check_passthrough_conf(const PolicyView& policy, const ConfValue& item);
void check_proxy_patch_conf(const PolicyView& policy, const ConfValue& item);
void check_rate_limit_conf(const PolicyView& policy, const ConfValue& item);
void check_retry_conf(const PolicyView& policy, const ConfValue& item);
void check_timeout_conf(const PolicyView& policy, const ConfValue& item);
void check_tls_conf(const PolicyView& policy, const ConfValue& item);
void check_trace_conf(const PolicyView& policy, const ConfValue& item);

}  // namespace kdsd::policy
