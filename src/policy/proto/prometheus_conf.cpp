#include "policy/proto/prometheus_conf.h"

#include <re2/re2.h>
#include <set>
#include <string>

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

std::string_view go_error_name(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "regexp/syntax: internal error";
  }
}

// Go reads both spellings of a named group, RE2 only the longer one.
std::string with_long_group_names(std::string_view pattern) {
  std::string out(pattern);
  constexpr std::string_view group = "(?<";
  for (auto at = out.find(group); at != std::string::npos; at = out.find(group, at + group.size())) {
    out.insert(at + 2, "P");
  }
  return out;
}

std::string pattern_problem(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  const re2::RE2 compiled(with_long_group_names(pattern), options);
  if (compiled.ok()) return {};
  return "error parsing regexp: " + std::string(go_error_name(compiled.error_code())) + ": `" + compiled.error_arg() +
         "`";
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
