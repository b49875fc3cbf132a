#include "policy/proto/mesh_change.h"

#include <algorithm>
#include <string>

#include "model/json.h"
#include "policy/names.h"
#include "policy/outcome.h"
#include "policy/proto/typed_conf.h"
#include "policy/proto/values.h"
#include "policy/text_forms.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr std::size_t secret_name_bytes = 255;

void check_source(const ConfValue& source) {
  if (!source.is_set()) return source.refuse("has to be defined");
  if (!source.has_any({"secret", "file", "inline", "inlineString"})) {
    return source.refuse("data source has to be chosen. Available sources: secret, file, inline");
  }
  for (const auto* kind : {"secret", "file", "inline"}) {
    const auto text = source.at(kind);
    if (text.is_set() && text.text().empty()) text.refuse("cannot be empty");
  }
}

// Whether it decodes.
bool check_converts_to(std::string_view message, const ConfValue& conf) {
  const auto problem = decode_problem(message, conf);
  if (!problem.empty()) conf.refuse("could not convert backend config: " + problem);
  return problem.empty();
}

// Its certificate is kept in a secret, whose name the backend's becomes a part of.
void check_builtin(const ConfValue& backend, std::string_view mesh) {
  const auto conf = backend.at("conf");
  check_converts_to("kuma.plugins.ca.BuiltinCertificateAuthorityConfig", conf);
  const std::string name(backend.at("name").text());
  const auto secret = std::string(mesh) + ".ca-builtin-cert-" + name;
  const auto place = conf.reported_at(member(conf.path(), "mtls.backends.name"));
  if (secret.size() > secret_name_bytes) {
    place.refuse("Backend name is too long. Max length: " + std::to_string(secret_name_bytes));
  }
  if (!is_dns_name(secret) || lower_case(secret) != secret)
    place.refuse(go_quoted(name) + " name must be valid dns name");
}

void check_provided(const ConfValue& backend) {
  const auto conf = backend.at("conf");
  if (!check_converts_to("kuma.plugins.ca.ProvidedCertificateAuthorityConfig", conf)) return;
  check_source(conf.at("cert"));
  check_source(conf.at("key"));
}

void check_authorities(std::string_view mesh, const ConfValue& mtls) {
  const auto backends = mtls.at("backends");
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const auto backend = backends.at(i);
    const auto type = backend.at("type");
    const bool builtin = type.text() == "builtin";
    if (!builtin && type.text() != "provided") {
      return type.refuse("could not find installed plugin for this type");
    }
    if (mtls.at("skipValidation").is_true()) continue;
    if (builtin) {
      check_builtin(backend, mesh);
    } else {
      check_provided(backend);
    }
  }
}

void check_authority_stays(const json::value& before, const ConfValue& enabled) {
  const auto former = find_text(before, {"mtls", "enabledBackend"});
  if (former.empty() || enabled.text().empty() || former == enabled.text()) return;
  enabled.refuse("Changing CA when mTLS is enabled is forbidden. Disable mTLS first and then change the CA");
}

}  // namespace

Violations mesh_change_violations(std::string_view name, const json::value* before, const json::value& after) {
  Outcome outcome;
  const ConfValue mtls = ConfValue(&after, "", outcome).at("mtls");
  if (before != nullptr) {
    check_authority_stays(*before, mtls.at("enabledBackend"));
  } else if (auto problem = new_mesh_name_problem(name)) {
    outcome.refuse("name", std::move(*problem));
  }
  check_authorities(name, mtls);
  return std::move(outcome.violations);
}

}  // namespace kdsd::policy
