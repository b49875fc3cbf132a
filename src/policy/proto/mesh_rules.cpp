// Mesh, without what depends on its former state: mesh_change.h.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "policy/proto/host_port.h"
#include "policy/proto/prometheus_conf.h"
#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/typed_conf.h"
#include "policy/proto/values.h"
#include "policy/web_address.h"

namespace kdsd::policy {
namespace {

using Names = std::set<std::string_view>;

constexpr double whole = 100.0;
constexpr const char* out_of_mesh = "has to be set to one of the backends in the mesh";

void check_name_is_new(const ConfValue& name, Names& names) {
  if (!names.insert(name.text()).second) {
    name.refuse(go_quoted(name.text()) + " name is already used for another backend");
  }
}

void check_name_is_known(const ConfValue& chosen, const Names& names, const char* otherwise) {
  if (!chosen.text().empty() && !names.contains(chosen.text())) chosen.refuse(otherwise);
}

// A number and one unit, or 0.
bool is_expiration(std::string_view text) {
  if (text == "0") return true;
  const auto unit = text.find_first_not_of("0123456789");
  if (unit == 0 || unit == text.npos) return false;
  constexpr std::array<std::string_view, 7> units = {"y", "w", "d", "h", "m", "s", "ms"};
  return std::find(units.begin(), units.end(), text.substr(unit)) != units.end();
}

void check_mtls(const ConfValue& mtls) {
  const auto backends = mtls.at("backends");
  if (backends.size() > 1) backends.refuse("cannot have more than 1 backends");
  Names names;
  for_each(backends, [&](const ConfValue& backend) {
    check_name_is_new(backend.at("name"), names);
    const auto certificate = backend.at("dpCert");
    if (certificate.is_set() && !is_expiration(certificate.at("rotation").at("expiration").text())) {
      mtls.reported_at("mtls.dpcert.rotation.expiration").refuse("has to be a valid format");
    }
  });
  check_name_is_known(mtls.at("enabledBackend"), names, out_of_mesh);
}

// Of type tcp.
void check_log_address(const ConfValue& address) {
  if (address.text().empty()) return address.refuse("cannot be empty");
  const auto parts = split_host_port(address.text());
  if (!parts || parts->host.empty() || parts->port.empty()) address.refuse("has to be in format of HOST:PORT");
}

// Whether it decodes.
bool check_decodes_as(std::string_view message, const ConfValue& conf) {
  const auto problem = decode_problem(message, conf);
  if (!problem.empty()) conf.refuse("could not parse config: " + problem);
  return problem.empty();
}

void check_log_backend(const ConfValue& backend) {
  check_not_empty(backend.at("name"));
  const auto type = backend.at("type");
  const auto conf = backend.at("conf").reported_at(member(backend.path(), "config"));
  if (type.text() == "file") {
    if (check_decodes_as("kuma.mesh.v1alpha1.FileLoggingBackendConfig", conf)) check_not_empty(conf.at("path"));
  } else if (type.text() == "tcp") {
    if (check_decodes_as("kuma.mesh.v1alpha1.TcpLoggingBackendConfig", conf)) check_log_address(conf.at("address"));
  } else {
    type.refuse("unknown backend type. Available backends: \"tcp\", \"file\"");
  }
}

void check_zipkin(const ConfValue& conf) {
  if (!check_decodes_as("kuma.mesh.v1alpha1.ZipkinTracingBackendConfig", conf)) return;
  constexpr std::array<std::string_view, 4> versions = {"", "httpJsonV1", "httpJson", "httpProto"};
  const auto version = conf.at("apiVersion");
  if (std::find(versions.begin(), versions.end(), version.text()) == versions.end()) {
    version.refuse("has invalid value. Allowed values: httpJsonV1, httpJson, httpProto");
  }
  const auto url = conf.at("url");
  if (url.text().empty()) return url.refuse("cannot be empty");
  const auto uri = parse_request_uri(url.text());
  if (!uri) {
    url.refuse("invalid URL");
  } else if (uri->port.empty()) {
    url.refuse("port has to be explicitly specified");
  }
}

void check_datadog(const ConfValue& conf) {
  if (!check_decodes_as("kuma.mesh.v1alpha1.DatadogTracingBackendConfig", conf)) return;
  check_not_empty(conf.at("address"));
  check_port_in_range(conf.at("port"));
}

void check_trace_backend(const ConfValue& backend) {
  check_not_empty(backend.at("name"));
  const auto sampling = real(backend.at("sampling"));
  if (sampling < 0 || sampling > whole) backend.at("sampling").refuse("has to be in [0.0 - 100.0] range");
  const auto type = backend.at("type");
  const auto conf = backend.at("conf").reported_at(member(backend.path(), "config"));
  if (type.text() == "zipkin") {
    check_zipkin(conf);
  } else if (type.text() == "datadog") {
    check_datadog(conf);
  } else {
    type.refuse("unknown backend type. Available backends: \"zipkin\", \"datadog\"");
  }
}

void check_logging(const ConfValue& logging) {
  Names names;
  for_each(logging.at("backends"), [&](const ConfValue& backend) {
    check_log_backend(backend);
    check_name_is_new(backend.at("name"), names);
  });
  check_name_is_known(logging.at("defaultBackend"), names, "has to be set to one of the logging backend in mesh");
}

void check_tracing(const ConfValue& tracing) {
  Names names;
  for_each(tracing.at("backends"), [&](const ConfValue& backend) {
    check_trace_backend(backend);
    check_name_is_new(backend.at("name"), names);
  });
  check_name_is_known(tracing.at("defaultBackend"), names, "has to be set to one of the tracing backend in mesh");
}

void check_metrics(const ConfValue& metrics) {
  Names names;
  for_each(metrics.at("backends"), [&](const ConfValue& backend) {
    check_name_is_new(backend.at("name"), names);
    check_metrics_backend(backend);
  });
  check_name_is_known(metrics.at("enabledBackend"), names, out_of_mesh);
}

void check_constraints(const ConfValue& constraints) {
  const auto proxies = constraints.at("dataplaneProxy");
  const auto check = [](const ConfValue& rule) { check_selector(rule.at("tags"), any_tag); };
  for_each(proxies.at("requirements"), check);
  for_each(proxies.at("restrictions"), check);
}

}  // namespace

void check_mesh(const ConfValue& spec) {
  const auto mtls = spec.at("mtls");
  check_mtls(mtls);
  check_logging(spec.at("logging"));
  check_tracing(spec.at("tracing"));
  check_metrics(spec.at("metrics"));
  check_constraints(spec.at("constraints"));
  if (spec.at("routing").at("zoneEgress").is_true() && mtls.at("enabledBackend").text().empty()) {
    mtls.refuse("has to be set when zoneEgress enabled");
  }
}

}  // namespace kdsd::policy
