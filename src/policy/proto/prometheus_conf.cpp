#include "policy/proto/prometheus_conf.h"

#include <set>
#include <string>

#include "policy/pattern.h"
#include "policy/proto/typed_conf.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

constexpr std::string_view conf_message = "kuma.mesh.v1alpha1.PrometheusMetricsBackendConfig";

// The two say the same: nothing is skipped, or everything is in the clear.
bool agree(const ConfValue& skip_mtls, const ConfValue& tls) {
  const auto mode = enum_name(tls.at("mode"), "activeMTLSBackend");
  return mode == (skip_mtls.is_true() ? "disabled" : "activeMTLSBackend");
}

void check_aggregates(const ConfValue& aggregates) {
  std::set<std::string_view> names;
  for_each(aggregates, [&](const ConfValue& aggregate) {
    const auto name = aggregate.at("name");
    if (names.insert(name.text()).second) return;
    name.refuse("duplicate entry: " + std::string(name.text()) + ", values have to be unique");
  });
}

void check_conf(const ConfValue& conf) {
  if (const auto problem = decode_problem(conf_message, conf); !problem.empty()) {
    return conf.refuse("could not parse config: " + problem);
  }
  const auto skip_mtls = conf.at("skipMTLS");
  const auto tls = conf.at("tls");
  if (skip_mtls.is_set() && tls.is_set() && !agree(skip_mtls, tls)) {
    return conf.refuse("skipMTLS and tls configuration cannot be defined together");
  }
  const auto pattern = conf.at("envoy").at("filterRegex");
  if (const auto problem = pattern_problem(pattern.text()); !problem.empty()) {
    return pattern.refuse("provided regexp isn't correct: " + problem);
  }
  check_aggregates(conf.at("aggregate"));
}

}  // namespace

void check_metrics_backend(const ConfValue& backend) {
  const auto type = backend.at("type");
  if (type.text() != "prometheus") {
    return type.refuse("unknown backend type. Available backends: \"prometheus\"");
  }
  check_conf(backend.at("conf"));
}

}  // namespace kdsd::policy
