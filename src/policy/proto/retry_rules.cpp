// Retry.
#include <map>
#include <set>
#include <string>

#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

constexpr const char* empty = "field cannot be empty";
constexpr const char* zero = "has to be greater than 0";
constexpr const char* zero_when_defined = "has to be greater than 0 when defined";

void check_back_off(const ConfValue& back_off) {
  if (!back_off.is_set()) return;
  const auto base = back_off.at("baseInterval");
  const auto longest = back_off.at("maxInterval");
  if (!base.is_set()) return base.refuse("has to be defined");
  if (is_zero_duration(base)) return base.refuse(zero);
  if (is_zero_duration(longest)) longest.refuse(zero_when_defined);
}

void check_attempts(const ConfValue& conf) {
  const auto retries = conf.at("numRetries");
  if (retries.is_set() && natural(retries) == 0) retries.refuse(zero_when_defined);
  const auto timeout = conf.at("perTryTimeout");
  if (is_zero_duration(timeout)) timeout.refuse(zero_when_defined);
  check_back_off(conf.at("backOff"));
}

void check_http(const ConfValue& http) {
  if (!http.is_set()) return;
  const bool has_codes = http.at("retriableStatusCodes").size() != 0;
  const auto methods = http.at("retriableMethods");
  const auto conditions = http.at("retryOn");
  if (!http.has_any({"numRetries", "perTryTimeout", "backOff"}) && !has_codes && methods.size() == 0 &&
      conditions.size() == 0) {
    http.refuse(empty);
  }
  check_attempts(http);
  for_each(methods, [](const ConfValue& method) {
    if (enum_name(method, "NONE") == "NONE") method.refuse(empty);
  });
  for_each(conditions, [&](const ConfValue& condition) {
    if (condition.text() != "retriable_status_codes" || has_codes) return;
    condition.refuse("retriableStatusCodes cannot be empty when this option is specified");
  });
}

void check_repeated_conditions(const ConfValue& conditions) {
  std::map<std::string_view, std::string> indexes;
  std::set<std::string_view> repeated;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const auto name = enum_name(conditions.at(i), "cancelled");
    auto& list = indexes[name];
    if (!list.empty()) {
      repeated.insert(name);
      list += ", ";
    }
    list += std::to_string(i);
  }
  for (auto name : repeated) {
    conditions.refuse("repeated value " + go_quoted(name) + " at indexes [" + indexes[name] + "]");
  }
}

void check_grpc(const ConfValue& grpc) {
  if (!grpc.is_set()) return;
  const auto conditions = grpc.at("retryOn");
  if (!grpc.has_any({"numRetries", "perTryTimeout", "backOff"}) && conditions.size() == 0) grpc.refuse(empty);
  check_repeated_conditions(conditions);
  check_attempts(grpc);
}

void check_conf(const ConfValue& conf) {
  if (!conf.is_set()) return conf.refuse("has to be defined");
  if (!conf.has_any({"http", "grpc", "tcp"})) return conf.refuse("missing protocol [grpc|http|tcp] configuration");
  check_http(conf.at("http"));
  check_grpc(conf.at("grpc"));
  const auto attempts = conf.at("tcp").at("maxConnectAttempts");
  if (conf.has("tcp") && natural(attempts) == 0) attempts.refuse(zero);
}

}  // namespace

void check_retry(const ConfValue& spec) {
  check_selectors(spec.at("sources"), tag_and_service);
  check_service_selectors(spec.at("destinations"));
  check_conf(spec.at("conf"));
}

}  // namespace kdsd::policy
