// MeshAccessLog, MeshTrace and MeshMetric: where proxies send what they see.
#include <boost/json/parse.hpp>

#include "policy/conf_checks.h"
#include "policy/pattern.h"
#include "policy/text_forms.h"
#include "policy/web_address.h"

namespace kdsd::policy {
namespace {

// Kuma writes key and value into an object without escaping them.
bool makes_an_object(std::string_view key, std::string_view value) {
  boost::system::error_code error;
  boost::json::parse("{\"" + std::string(key) + "\": \"" + std::string(value) + "\"}", error);
  return !error;
}

void check_format(const ConfValue& format) {
  if (!format.is_set()) return;
  if (format.at("type").text() == "Plain") {
    const auto plain = format.at("plain");
    if (check_defined(plain) && plain.text().empty()) plain.refuse("must not be empty");
    return;
  }
  const auto fields = format.at("json");
  if (!check_defined(fields)) return;
  if (fields.size() == 0) fields.refuse("must not be empty");
  for_each(fields, [](const ConfValue& field) {
    const auto key = field.at("key");
    const auto value = field.at("value");
    if (key.text().empty()) key.refuse("key cannot be empty");
    if (value.text().empty()) value.refuse("value cannot be empty");
    if (!makes_an_object(key.text(), value.text())) field.refuse("is not a valid JSON object");
  });
}

void check_log_backend(const ConfValue& backend) {
  const auto type = backend.at("type").text();
  if (type == "OpenTelemetry") {
    check_defined(backend.at("openTelemetry"));
  } else if (type == "File") {
    const auto file = backend.at("file");
    if (!check_defined(file)) return;
    check_format(file.at("format"));
    if (const auto path = file.at("path"); !is_file_path(path.text()))
      path.refuse("file backend requires a valid path");
  } else {
    const auto tcp = backend.at("tcp");
    if (!check_defined(tcp)) return;
    check_format(tcp.at("format"));
    const auto address = tcp.at("address");
    if (!is_web_address(address.text())) address.refuse("tcp backend requires valid address");
  }
}

void check_datadog(const ConfValue& url) {
  const auto parsed = parse_request_uri(url.text());
  if (!parsed) return url.refuse("must be a valid url");
  if (parsed->scheme != "http") url.refuse("scheme must be http");
  if (parsed->port.empty()) {
    url.refuse("port must be defined");
  } else if (!is_port(parsed->port)) {
    url.refuse("port must be a valid (1-65535)");
  }
  if (!parsed->opaque.empty()) url.refuse("opaque must not be defined");
  if (parsed->has_user) url.refuse("user must not be defined");
  if (!parsed->path.empty()) url.refuse("path must not be defined");
  if (!parsed->query.empty()) url.refuse("query must not be defined");
}

void check_trace_backend(const ConfValue& backend) {
  const auto type = backend.at("type").text();
  if (type == "OpenTelemetry") {
    check_defined(backend.at("openTelemetry"));
  } else if (type == "Datadog") {
    if (const auto datadog = backend.at("datadog"); check_defined(datadog)) check_datadog(datadog.at("url"));
  } else {
    const auto zipkin = backend.at("zipkin");
    if (!check_defined(zipkin)) return;
    const auto url = zipkin.at("url");
    if (url.text().empty()) {
      url.refuse("must not be empty");
    } else if (!is_web_address(url.text())) {
      url.refuse("must be a valid url");
    }
  }
}

void check_sampling(const ConfValue& sampling) {
  check_percentage(sampling, "string is not a number", "must be between 0 and 100");
}

void check_selector(const ConfValue& selector) {
  if (selector.at("type").text() != "Regex") return;
  if (const auto match = selector.at("match"); !pattern_problem(match.text()).empty()) match.refuse("invalid regex");
}

void check_metric_backend(const ConfValue& backend) {
  if (backend.at("type").text() == "Prometheus") {
    const auto prometheus = backend.at("prometheus");
    if (!check_defined(prometheus)) return;
    check_port(prometheus.at("port").reported_at(member(backend.path(), "port")));
    return;
  }
  const auto telemetry = backend.at("openTelemetry");
  if (!check_defined(telemetry)) return;
  const auto endpoint = telemetry.at("endpoint");
  if (!is_web_address(endpoint.text())) endpoint.refuse("must be a valid url");
  if (endpoint.text().starts_with("http://") || endpoint.text().starts_with("https://")) {
    endpoint.refuse("must not use schema");
  }
}

}  // namespace

void check_access_log_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  const auto backends = item.at("default").at("backends");
  if (check_defined(backends)) for_each(backends, check_log_backend);
}

void check_trace_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  const auto conf = item.at("default");
  check_defined(conf.at("backends"));
  for_each(conf.at("backends"), check_trace_backend);
  for_each(conf.at("tags"), [](const ConfValue& tag) {
    if (const auto name = tag.at("name"); name.text().empty()) name.refuse("must not be empty");
    if (tag.has("header") == tag.has("literal")) tag.refuse("tag must have only one type defined: header, literal");
  });
  for (std::string_view kind : {"client", "random", "overall"}) check_sampling(conf.at("sampling").at(kind));
}

// Kuma leaves the plural out of some paths, and the list out of others.
void check_metric_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  const auto conf = item.at("default");
  const auto profiles = conf.at("sidecar").at("profiles");
  for_each(profiles.at("exclude"), check_selector);
  for_each(profiles.at("include"), check_selector);
  const auto applications = conf.at("applications");
  for (std::size_t i = 0; i < applications.size(); ++i) {
    const auto path = element(member(applications.path(), "application"), i);
    check_port(applications.at(i).at("port").reported_at(path));
  }
  const auto backends = conf.at("backends");
  for_each(backends.reported_at(member(backends.path(), "backend")), check_metric_backend);
}

}  // namespace kdsd::policy
