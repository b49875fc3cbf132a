// FaultInjection.
#include <string>

#include "policy/http_status.h"
#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

void check_status(const ConfValue& status) {
  if (!status.is_set()) return status.refuse("cannot be empty");
  if (!is_named_status(natural(status))) status.refuse("http status code is incorrect");
}

void check_limit(const ConfValue& limit) {
  if (!limit.is_set()) return limit.refuse("cannot be empty");
  for (const auto* unit : {"gbps", "mbps", "kbps"}) {
    if (limit.text().find(unit) != std::string_view::npos) return;
  }
  limit.refuse("has to be in kbps/mbps/gbps units");
}

void check_protocol(const ConfValue& tags) {
  if (!has_tag(tags, tag_protocol)) return tags.refuse("protocol must be specified");
  const auto protocol = under_key(tags, tag_protocol);
  const auto name = lower_case(protocol.text());
  if (name != "http" && name != "http2" && name != "grpc") protocol.refuse("must be one of the [http, http2, grpc]");
}

void check_conf(const ConfValue& conf) {
  const auto delay = conf.at("delay");
  const auto abort = conf.at("abort");
  const auto bandwidth = conf.at("responseBandwidth");
  const bool delays = delay.has_any({"percentage", "value"});
  const bool aborts = abort.has_any({"percentage", "httpStatus"});
  const bool slows = bandwidth.has_any({"percentage", "limit"});
  if (!delays && !aborts && !slows) conf.refuse("must have at least one of the faults configured");
  if (delays) {
    check_percentage_of(delay);
    if (!delay.has("value")) delay.at("value").refuse("cannot be empty");
  }
  if (aborts) {
    check_percentage_of(abort);
    check_status(abort.at("httpStatus"));
  }
  if (slows) {
    check_percentage_of(bandwidth);
    check_limit(bandwidth.at("limit"));
  }
}

}  // namespace

void check_fault_injection(const ConfValue& spec) {
  check_selectors(spec.at("sources"), any_tag);
  check_selectors(spec.at("destinations"), {.at_least_one = true, .of_map = check_protocol});
  check_conf(spec.at("conf"));
}

}  // namespace kdsd::policy
