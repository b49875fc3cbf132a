// Timeout.
#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

// A protocol's section, and those of its timeouts that count.
void check_section(const ConfValue& section, std::initializer_list<std::string_view> names, const char* zero) {
  if (!section.is_set()) return;
  if (!section.has_any(names)) return section.refuse("at least one timeout in section has to be defined");
  for (auto name : names) {
    if (is_zero_duration(section.at(name))) section.at(name).refuse(zero);
  }
}

void check_conf(const ConfValue& conf) {
  if (!conf.is_set()) return conf.refuse("has to be defined");
  constexpr const char* zero_when_defined = "has to be greater than 0 when defined";
  check_section(conf.at("tcp"), {"idleTimeout"}, "has to be greater than 0");
  check_section(conf.at("http"), {"requestTimeout", "idleTimeout"}, zero_when_defined);
  check_section(conf.at("grpc"), {"streamIdleTimeout", "maxStreamDuration"}, zero_when_defined);
}

}  // namespace

void check_timeout(const ConfValue& spec) {
  check_selectors(spec.at("sources"), tag_and_service);
  check_service_selectors(spec.at("destinations"));
  check_conf(spec.at("conf"));
}

}  // namespace kdsd::policy
