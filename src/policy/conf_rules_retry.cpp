// MeshRetry.
#include <algorithm>
#include <array>
#include <charconv>

#include "policy/conf_checks.h"
#include "policy/http_status.h"

namespace kdsd::policy {
namespace {

constexpr std::array<std::string_view, 17> http_conditions = {"5xx",
                                                              "GatewayError",
                                                              "Reset",
                                                              "Retriable4xx",
                                                              "ConnectFailure",
                                                              "EnvoyRatelimited",
                                                              "RefusedStream",
                                                              "Http3PostConnectFailure",
                                                              "HttpMethodConnect",
                                                              "HttpMethodDelete",
                                                              "HttpMethodGet",
                                                              "HttpMethodHead",
                                                              "HttpMethodOptions",
                                                              "HttpMethodPatch",
                                                              "HttpMethodPost",
                                                              "HttpMethodPut",
                                                              "HttpMethodTrace"};

bool is_known_status(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int status = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), status);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  return is_named_status(status);
}

void check_http_condition(const ConfValue& condition) {
  const auto text = condition.text();
  if (std::find(http_conditions.begin(), http_conditions.end(), text) != http_conditions.end()) return;
  if (!is_known_status(text)) condition.refuse("unknown item '" + std::string(text) + "'");
}

void check_tcp(const ConfValue& tcp) {
  if (!tcp.is_set()) return;
  const auto attempts = tcp.at("maxConnectAttempt");
  if (!attempts.is_set()) return tcp.refuse("must not be empty");
  check_above_zero(attempts);
}

void check_back_off(const ConfValue& back_off) {
  if (back_off.is_set() && !back_off.has_any({"baseInterval", "maxInterval"})) back_off.refuse("must not be empty");
}

void check_rate_limited_back_off(const ConfValue& back_off) {
  if (!back_off.is_set()) return;
  const auto longest = back_off.at("maxInterval");
  if (const auto time = longest.nanoseconds(); time && *time <= 0) {
    longest.refuse("must be defined and greater than zero");
  }
  check_defined(back_off.at("resetHeaders"));
}

void check_host_selection(const ConfValue& predicates) {
  bool priorities = false;
  for_each(predicates, [&](const ConfValue& predicate) {
    const auto kind = predicate.at("predicate");
    if (kind.text() == "OmitHostsWithTags") check_defined(predicate.at("tags"));
    if (kind.text() != "OmitPreviousPriorities") return;
    if (priorities) kind.refuse("OmitPreviousPriorities must only be specified once");
    const auto frequency = predicate.at("updateFrequency");
    if (frequency.number().value_or(0) <= 0) frequency.refuse("must be defined and greater than zero");
    priorities = true;
  });
}

void check_http(const ConfValue& http) {
  if (!http.is_set()) return;
  if (!http.has_any({"numRetries", "perTryTimeout", "backOff", "retryOn", "retriableRequestHeaders",
                     "retriableResponseHeaders", "rateLimitedBackOff", "hostSelection"})) {
    http.refuse("must not be empty");
  }
  check_back_off(http.at("backOff"));
  check_rate_limited_back_off(http.at("rateLimitedBackOff"));
  for_each(http.at("retryOn"), check_http_condition);
  check_host_selection(http.at("hostSelection"));
}

void check_grpc(const ConfValue& grpc) {
  if (!grpc.is_set()) return;
  if (!grpc.has_any({"numRetries", "perTryTimeout", "backOff", "retryOn", "rateLimitedBackOff"})) {
    grpc.refuse("must not be empty");
  }
  check_back_off(grpc.at("backOff"));
  check_rate_limited_back_off(grpc.at("rateLimitedBackOff"));
}

}  // namespace

void check_retry_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  const auto written = item.at("default");
  const auto conf = written.reported_at(member(written.path(), "conf"));
  if (!conf.has_any({"tcp", "http", "grpc"})) {
    conf.refuse("at least one of the 'tcp', 'http', 'grpc' must be specified");
  }
  check_tcp(conf.at("tcp"));
  check_http(conf.at("http"));
  check_grpc(conf.at("grpc"));
}

}  // namespace kdsd::policy
