// Issuing tokens (rest-api.md 11, tokens.md 5).
#include <optional>

#include "api/answers.h"
#include "api/await.h"
#include "api/caller.h"
#include "api/endpoints.h"
#include "api/errors.h"
#include "kds/tokens.h"
#include "model/json.h"
#include "policy/duration.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

constexpr std::int64_t ten_years_nanos = 10LL * 365 * 24 * 3600 * 1'000'000'000;
constexpr const char* could_not_issue = "Could not issue a token";

// The members of a body. A member of another kind makes the whole body unreadable; null is as good as missing.
class Fields {
 public:
  explicit Fields(const std::string& body) {
    auto value = parse_json(body);
    readable_ = value.ok() && value->is_object();
    if (readable_) object_ = std::move(value->get_object());
  }

  bool readable() const { return readable_; }
  std::string text(std::string_view name) {
    const auto* value = member(name);
    if (value == nullptr) return {};
    readable_ = readable_ && value->is_string();
    return value->is_string() ? std::string(value->get_string()) : std::string();
  }
  std::optional<std::vector<std::string>> texts(std::string_view name) {
    const auto* value = member(name);
    if (value == nullptr) return std::nullopt;
    return texts_of(*value);
  }
  // key → list of texts
  json::object text_lists(std::string_view name) {
    const auto* value = member(name);
    if (value == nullptr) return {};
    if (!value->is_object()) {
      readable_ = false;
      return {};
    }
    for (const auto& [key, list] : value->get_object()) {
      if (!list.is_null()) static_cast<void>(texts_of(list));
    }
    return value->get_object();
  }

 private:
  const json::value* member(std::string_view name) const {
    const auto* value = object_.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  std::vector<std::string> texts_of(const json::value& value) {
    std::vector<std::string> out;
    if (!value.is_array()) {
      readable_ = false;
      return out;
    }
    for (const auto& item : value.get_array()) {
      readable_ = readable_ && item.is_string();
      if (item.is_string()) out.emplace_back(item.get_string());
    }
    return out;
  }

  json::object object_;
  bool readable_ = false;
};

struct Order {
  kds::TokenKind kind = kds::TokenKind::user;
  std::string mesh;
  bool is_enabled = true;
  json::object claims;
  std::int64_t valid_nanos = 0;
};

Response unreadable() { return {400, {}, {}}; }

Response refused_values(Violations violations) {
  return error_response({400, "Invalid request", "Resource is not valid", std::move(violations)});
}

std::int64_t read_validity(const std::string& text, std::int64_t otherwise, Violations& violations) {
  if (text.empty()) return otherwise;
  const auto nanos = policy::parse_go_duration(text);
  if (!nanos) violations.push_back({"validFor", "is invalid: time: invalid duration \"" + text + "\""});
  return nanos.value_or(otherwise);
}

Answer issue(Backend& backend, Order order) {
  if (!order.is_enabled) {
    co_return error_response({400, could_not_issue, "issuing tokens using the control plane is disabled.", {}});
  }
  auto look = [&facts = backend.facts(), kind = order.kind, mesh = order.mesh](const kds::Core& core) {
    return kds::collect_token_keys(core.index(), facts.control_plane, kind, mesh);
  };
  const auto keys = co_await read_core(backend, std::move(look));
  const auto* key = keys.newest();
  if (key == nullptr) {
    co_return error_response(
        {404,
         "Signing Key not found",
         "there is no signing key: " + kds::first_key_name(order.kind, order.mesh) + " is not found",
         {}});
  }
  const kds::TokenLife life{backend.now(), order.valid_nanos, backend.new_token_id()};
  auto token = kds::issue_token(std::move(order.claims), life, std::to_string(key->serial), key->key);
  if (!token.ok()) co_return error_response(Status(Code::internal, token.status().message()), Operation::create);
  co_return text_response(200, "text/plain", std::move(*token));
}

}  // namespace

Answer issue_user_token(Backend& backend, const Call& call) {
  const auto& facts = backend.facts();
  if (!is_listed(call.caller, facts.user_token_issuing))
    co_return error_response(Status(Code::denied, "action not allowed"), Operation::create);
  Fields fields(call.request.body);
  const kds::UserClaims user{fields.text("name"), fields.texts("groups").value_or(std::vector<std::string>())};
  const auto validity = fields.text("validFor");
  if (!fields.readable()) co_return unreadable();
  Violations violations;
  if (user.name.empty()) violations.push_back({"name", "cannot be empty"});
  const auto nanos = read_validity(validity, 0, violations);
  if (validity.empty()) {
    violations.push_back({"validFor", "cannot be empty"});
  } else if (nanos == 0) {
    violations.push_back({"validFor", "cannot be empty or nil"});
  }
  if (!violations.empty()) co_return refused_values(std::move(violations));
  Order order{kds::TokenKind::user, "", facts.issues_user_tokens, kds::claims_of(user), nanos};
  co_return co_await issue(backend, std::move(order));
}

Answer issue_zone_token(Backend& backend, const Call& call) {
  const auto& facts = backend.facts();
  Fields fields(call.request.body);
  kds::ZoneClaims zone{fields.text("zone"), {}};
  auto scope = fields.texts("scope");
  const auto validity = fields.text("validFor");
  if (!fields.readable()) co_return unreadable();
  if (!is_listed(call.caller, facts.zone_token_issuing)) {
    co_return error_response(denied(call.caller, "generate zone token for zone '" + zone.zone + "'"),
                             Operation::create);
  }
  Violations violations;
  if (!scope) violations.push_back({"scope", "cannot be empty"});
  const auto nanos = read_validity(validity, ten_years_nanos, violations);
  if (!violations.empty()) co_return refused_values(std::move(violations));
  zone.scope = std::move(*scope);
  Order order{kds::TokenKind::zone, "", facts.issues_zone_tokens, kds::claims_of(zone), nanos};
  co_return co_await issue(backend, std::move(order));
}

Answer issue_dataplane_token(Backend& backend, const Call& call) {
  const auto& facts = backend.facts();
  Fields fields(call.request.body);
  const auto mesh = fields.text("mesh");
  const auto type = fields.text("type");
  const auto validity = fields.text("validFor");
  json::object claims{{"Name", fields.text("name")},
                      {"Mesh", mesh},
                      {"Tags", fields.text_lists("tags")},
                      {"Type", type},
                      {"Workload", fields.text("workload")}};
  if (!fields.readable()) co_return unreadable();
  Violations violations;
  if (mesh.empty()) violations.push_back({"mesh", "cannot be empty"});
  const auto nanos = read_validity(validity, ten_years_nanos, violations);
  if (!type.empty() && type != "dataplane" && type != "ingress" && type != "egress")
    violations.push_back({"type", type + " is not a valid proxy type"});
  if (!violations.empty()) co_return refused_values(std::move(violations));
  if (!is_listed(call.caller, facts.dataplane_token_issuing)) {
    co_return error_response(denied(call.caller, "generate dataplane token"), Operation::create);
  }
  Order order{kds::TokenKind::dataplane, mesh, facts.issues_dataplane_tokens, std::move(claims), nanos};
  co_return co_await issue(backend, std::move(order));
}

}  // namespace kdsd::api
