#include "policy/validate.h"

#include <algorithm>
#include <map>

#include "policy/schema.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

const ResourceType& type_of(std::string_view name) { return *Catalogue::builtin().find(name); }

Outcome validate(std::string_view type, std::string_view spec, const Labels& labels = {}) {
  return validate_spec(type_of(type), json_of(spec), labels, "a");
}

std::string reason_of(const Violations& violations, std::string_view field) {
  for (const auto& violation : violations) {
    if (violation.field == field) return violation.reason;
  }
  return "accepted";
}

// A reference of each kind with just what the kind demands.
const std::map<std::string, std::string>& references() {
  static const std::map<std::string, std::string> all = {
      {"Mesh", R"({"kind":"Mesh"})"},
      {"MeshSubset", R"({"kind":"MeshSubset","tags":{"team":"a"}})"},
      {"Dataplane", R"({"kind":"Dataplane","labels":{"app":"web"}})"},
      {"MeshGateway", R"({"kind":"MeshGateway","name":"edge"})"},
      {"MeshService", R"({"kind":"MeshService","name":"web"})"},
      {"MeshServiceSubset", R"({"kind":"MeshServiceSubset","name":"web","tags":{"team":"a"}})"},
      {"MeshExternalService", R"({"kind":"MeshExternalService","name":"cards"})"},
      {"MeshMultiZoneService", R"({"kind":"MeshMultiZoneService","name":"orders"})"},
      {"MeshHTTPRoute", R"({"kind":"MeshHTTPRoute","name":"route"})"},
  };
  return all;
}

// Kinds at a place of items when the kind on top is Mesh; nothing when the type has no such place.
const boost::json::value* allowed_in(const boost::json::value& rules, std::string_view section) {
  const auto* kinds = find(rules, {section, "kinds"});
  if (kinds == nullptr) return nullptr;
  for (const auto& entry : kinds->get_array()) {
    if (find(entry, {"otherwise"}) != nullptr) return find(entry, {"allowed"});
  }
  return nullptr;
}

std::string spec_with(std::string_view place, const std::string& reference) {
  const auto item = R"([{"targetRef":)" + reference + R"(,"default":{},"rules":[]}])";
  if (place == "spec.targetRef") return R"({"targetRef":)" + reference + "}";
  if (place == "spec.to[0].targetRef") return R"({"targetRef":{"kind":"Mesh"},"to":)" + item + "}";
  return R"({"targetRef":{"kind":"Mesh","proxyTypes":["Sidecar"]},"from":)" + item + "}";
}

void check_place(std::string_view type, std::string_view place, const boost::json::value& allowed,
                 const Labels& labels) {
  for (const auto& [kind, reference] : references()) {
    const auto& list = allowed.get_array();
    const bool listed =
        std::any_of(list.begin(), list.end(), [&](const auto& item) { return item.get_string() == kind; });
    const auto reason =
        reason_of(validate(type, spec_with(place, reference), labels).violations, std::string(place) + ".kind");
    EXPECT_EQ(reason, listed ? "accepted" : "value '" + kind + "' is not supported")
        << type << " " << place << " " << kind;
  }
}

TEST(ValidateTest, EveryPolicyTypeAcceptsExactlyItsTargetKinds) {
  const auto data = read_data("policy-target-refs.json");
  const auto& policies = find(data, {"policies"})->get_object();
  ASSERT_EQ(policies.size(), 16U);
  for (const auto& entry : policies) {
    const std::string_view type(entry.key().data(), entry.key().size());
    for (std::string role : {"system", "producer", "consumer", "workload-owner"}) {
      const auto* kinds = find(entry.value(), {"topLevel", "kindsByRole", role});
      check_place(type, "spec.targetRef", *kinds, {{"kuma.io/policy-role", role}});
    }
    if (const auto* kinds = allowed_in(entry.value(), "to")) check_place(type, "spec.to[0].targetRef", *kinds, {});
    if (const auto* kinds = allowed_in(entry.value(), "from")) check_place(type, "spec.from[0].targetRef", *kinds, {});
  }
}

// Schema first, then the type's own rules: what a writer is told.
Violations refused(std::string_view type, std::string_view spec) {
  auto schema = check_schema(type_of(type), json_of(spec));
  return schema.ok() ? validate_spec(type_of(type), schema.spec, {}, "a").violations : schema.violations;
}

struct Refusal {
  std::string type;
  std::string spec;
  std::string field;
  std::string reason;
};

// TO and CONF stand for a good `to` section and a good conf.
std::string written_out(std::string spec) {
  const auto replace = [&](const std::string& word, const std::string& text) {
    for (auto at = spec.find(word); at != std::string::npos; at = spec.find(word, at + text.size())) {
      spec.replace(at, word.size(), text);
    }
  };
  replace("TO", R"([{"targetRef":{"kind":"Mesh"},"default":CONF}])");
  replace("CONF", R"({"http":{"requestTimeout":"5s"}})");
  return spec;
}

TEST(ValidateTest, BadTimeoutsAreRefusedWithFieldAndReason) {
  const std::vector<Refusal> all = {
      {"MeshTimeout", "{}", "spec", "at least one of 'from', 'to' or 'rules' has to be defined"},
      {"MeshTimeout", R"({"to":TO,"rules":[{"default":CONF}]})", "spec",
       "fields 'to' and 'from' must be empty when 'rules' is defined"},
      {"MeshTimeout", R"({"targetRef":{},"to":TO})", "spec.targetRef.kind", "in body is required"},
      {"MeshTimeout", R"({"targetRef":{"kind":"Mesh","name":"x"},"to":TO})", "spec.targetRef.name",
       "using name with kind Mesh is not yet supported"},
      {"MeshTimeout", R"({"targetRef":{"kind":"Mesh","namespace":"x"},"to":TO})", "spec.targetRef.namespace",
       "must not be set with kind Mesh"},
      {"MeshTimeout", R"({"targetRef":{"kind":"Mesh","labels":{"a":"b"}},"to":TO})", "spec.targetRef.labels",
       "must not be set with kind Mesh"},
      {"MeshTimeout", R"({"targetRef":{"kind":"Mesh","tags":{"a":"b"}},"to":TO})", "spec.targetRef.tags",
       "must not be set with kind Mesh"},
      {"MeshTimeout", R"({"targetRef":{"kind":"Mesh","proxyTypes":[]},"to":TO})", "spec.targetRef.proxyTypes",
       "must be undefined or have at least one element"},
      {"MeshTimeout", R"({"targetRef":{"kind":"MeshSubset","name":"x"},"to":TO})", "spec.targetRef.name",
       "must not be set with kind MeshSubset"},
      {"MeshTimeout", R"({"targetRef":{"kind":"MeshService"},"to":TO})", "spec.targetRef.name",
       "must be set with kind MeshService"},
      {"MeshTimeout", R"({"targetRef":{"kind":"MeshService","name":"Web"},"to":TO})", "spec.targetRef.name",
       "invalid characters: must consist of lower case alphanumeric characters, '-', '.' and '_'."},
      {"MeshTimeout", R"({"targetRef":{"kind":"MeshService","name":"web","tags":{"a":"b"}},"to":TO})",
       "spec.targetRef.tags", "must not be set with kind MeshService"},
      {"MeshTimeout", R"({"targetRef":{"kind":"MeshSubset","tags":{"":"b"}},"to":TO})", "spec.targetRef.tags",
       "tag name must be non-empty"},
      {"MeshTimeout", R"({"targetRef":{"kind":"MeshSubset","tags":{"a":""}},"to":TO})", R"(spec.targetRef.tags["a"])",
       "tag value must be non-empty"},
      {"MeshTimeout", R"({"targetRef":{"kind":"Dataplane","name":"x","labels":{"a":"b"}},"to":TO})",
       "spec.targetRef.labels", "either labels or name and namespace must be specified"},
      {"MeshTimeout", R"({"targetRef":{"kind":"Dataplane","name":"x","sectionName":"http"},"to":TO})",
       "spec.targetRef.sectionName", "can only be used with inbound policies"},
      {"MeshTimeout", R"({"targetRef":{"kind":"MeshGateway","name":"edge"},"from":TO})", "spec.from",
       "must not be defined"},
      {"MeshTimeout", R"({"to":[{"default":CONF}]})", "spec.to[0].targetRef", "in body is required"},
      {"MeshTimeout",
       R"({"to":[{"targetRef":{"kind":"Mesh"},"default":CONF},{"targetRef":{"kind":"MeshService"},"default":CONF}]})",
       "spec.to[1].targetRef.name", "must be set with kind MeshService"},
      {"MeshTimeout",
       R"({"to":[{"targetRef":{"kind":"MeshExternalService","name":"x","labels":{"a":"b"}},"default":CONF}]})",
       "spec.to[0].targetRef.labels", "either labels or name must be specified"},
      {"MeshTimeout", R"({"from":[{"targetRef":{"kind":"MeshService","name":"web"},"default":CONF}]})",
       "spec.from[0].targetRef.kind", "value 'MeshService' is not supported"},
      {"MeshTimeout", R"({"to":"all"})", "spec.to", R"(in body must be of type array: "string")"},
      {"MeshTimeout", R"({"to":[{"targetRef":{"kind":"Mesh"},"default":{"connectionTimeout":5}}]})",
       "spec.to[0].default.connectionTimeout", R"(in body must be of type string: "number")"},
      {"MeshTimeout", R"({"to":[{"targetRef":{"kind":"Mesh"}}]})", "spec.to[0].default",
       "at least one timeout should be configured"},
      {"MeshTimeout",
       R"({"targetRef":{"kind":"MeshHTTPRoute","name":"r"},"to":[{"targetRef":{"kind":"Mesh"},"default":{"http":{"maxStreamDuration":"1s"}}}]})",
       "spec.to[0].default.http.maxStreamDuration",
       "can't be specified when top-level TargetRef is referencing MeshHTTPRoute"},
      {"MeshTimeout", R"({"targetRef":{"kind":"Banana"},"to":TO})", "spec.targetRef.kind",
       "in body should be one of [Mesh MeshSubset MeshGateway MeshService MeshExternalService MeshMultiZoneService "
       "MeshServiceSubset MeshHTTPRoute Dataplane]"},
  };
  for (const auto& [type, spec, field, reason] : all) {
    EXPECT_EQ(reason_of(refused(type, written_out(spec)), field), reason) << spec;
  }
}

TEST(ValidateTest, BadPoliciesOfOtherTypesAreRefusedWithFieldAndReason) {
  const std::vector<Refusal> all = {
      {"MeshRetry", R"({"targetRef":{"kind":"Mesh"}})", "spec.to", "needs at least one item"},
      {"MeshLoadBalancingStrategy", R"({"targetRef":{"kind":"Mesh"}})", "spec.to", "needs at least one item"},
      {"MeshTrafficPermission", R"({"targetRef":{"kind":"Mesh"}})", "spec",
       "at least one of 'from' or 'rules' has to be defined"},
      {"MeshTrafficPermission", R"({"from":[{"targetRef":{"kind":"Mesh"},"default":{}}]})",
       "spec.from[0].default.action", "must be defined"},
      {"MeshTrafficPermission",
       R"({"from":[{"targetRef":{"kind":"Mesh"},"default":{"action":"Allow"}}],
           "rules":[{"default":{"allow":[{"spiffeID":{"type":"Exact","value":"spiffe://a/b"}}]}}]})",
       "spec", "field 'from' must be empty when 'rules' is defined"},
      {"MeshTrafficPermission", R"({"rules":[{"default":{}}]})", "spec.rules[0]",
       "at least one of 'allow', 'allowWithShadowDeny', 'deny' has to be defined"},
      {"MeshTrafficPermission",
       R"({"rules":[{"default":{"deny":[{"spiffeID":{"type":"Exact","value":"http://a"}}]}}]})",
       "spec.rules[0].deny[0].spiffeID", "must be a valid Spiffe ID"},
      {"MeshFaultInjection",
       R"({"rules":[{"matches":[{"spiffeID":{"type":"Exact","value":"spiffe://"}}],"default":{}}]})",
       "spec.rules[0].matches[0].spiffeID", "must be a valid Spiffe ID"},
      {"MeshFaultInjection", R"({"from":[{"targetRef":{"kind":"Mesh"},"default":{}}]})", "spec.from",
       "must not be defined when the scope includes a Gateway, select only proxyType Sidecar or select only gateways "
       "and use spec.to"},
      {"MeshFaultInjection",
       R"({"targetRef":{"kind":"Mesh","proxyTypes":["Sidecar"]},"to":[{"targetRef":{"kind":"Mesh"},"default":{}}]})",
       "spec.to", "must not be defined"},
      {"MeshRateLimit", R"({"rules":[{"default":{}}]})", "spec.rules", "must not be defined"},
      {"MeshAccessLog", "{}", "spec", "at least one of 'from', 'to' or 'rules' has to be defined"},
      {"MeshCircuitBreaker", "{}", "spec", "at least one of 'from', 'to' or 'rules' has to be defined"},
      {"MeshHTTPRoute",
       R"({"to":[{"targetRef":{"kind":"MeshService","name":"web"},"hostnames":["a.example"],"rules":[]}]})",
       "spec.to[0].hostnames", "must not be defined"},
      {"MeshHTTPRoute",
       R"({"to":[{"targetRef":{"kind":"MeshService","name":"web"},"rules":[{"matches":[{"path":{"type":"PathPrefix","value":"/"}}],
           "default":{"backendRefs":[{"kind":"MeshMultiZoneService","name":"a"}]}}]}]})",
       "spec.to[0].rules[0].default.backendRefs[0].port", "must be defined with kind MeshMultiZoneService"},
      {"MeshHTTPRoute",
       R"({"targetRef":{"kind":"MeshGateway","name":"edge"},"to":[{"targetRef":{"kind":"Mesh"},
           "rules":[{"matches":[{"path":{"type":"PathPrefix","value":"/"}}],"default":{"backendRefs":[]}}]}]})",
       "spec.to[0].rules[0].default.backendRefs", "must not be empty"},
      {"MeshTCPRoute", R"({"to":[{"targetRef":{"kind":"MeshService","name":"web"},"rules":[{"default":{}}]}]})",
       "spec.to[0].rules[0].default.backendRefs", "must be defined"},
      {"MeshTLS",
       R"({"targetRef":{"kind":"Dataplane"},"rules":[{"default":{"tlsCiphers":["ECDHE-ECDSA-AES128-GCM-SHA256"]}}]})",
       "spec.rules[0].default.tlsCiphers", "tlsCiphers can only be defined with top level targetRef kind: Mesh"},
      {"MeshLoadBalancingStrategy",
       R"({"targetRef":{"kind":"MeshGateway","name":"edge"},"to":[{"targetRef":{"kind":"MeshService","name":"web"},
           "default":{"loadBalancer":{"type":"RoundRobin"}}}]})",
       "spec.to[0].targetRef.kind",
       "value 'MeshGateway' is not supported, only Mesh is allowed if loadBalancer is set"},
      {"MeshLoadBalancingStrategy",
       R"({"to":[{"targetRef":{"kind":"MeshHTTPRoute","name":"r"},"default":{"loadBalancer":{"type":"RoundRobin"}}}]})",
       "spec.to[0].default.loadBalancer",
       "field is not allowed when targetRef.kind is MeshHTTPRoute, only hashPolicies is supported"},
      {"HostnameGenerator", "{}", "spec.template", "in body is required"},
      {"MeshMultiZoneService", "{}", "spec.selector", "in body is required"},
      {"MeshExternalService", "{}", "spec.match", "in body is required"},
  };
  for (const auto& [type, spec, field, reason] : all) {
    EXPECT_EQ(reason_of(refused(type, written_out(spec)), field), reason) << type << " " << spec;
  }
}

TEST(ValidateTest, ViolationsComeTogetherInTheOrderOfTheSpecification) {
  const auto violations = refused("MeshTimeout", written_out(R"({"targetRef":{"kind":"MeshService"},"to":[
      {"targetRef":{"kind":"MeshService"},"default":CONF},{"targetRef":{"kind":"MeshSubset"},"default":CONF}]})"));
  EXPECT_EQ(joined(violations),
            "spec.targetRef.name: must be set with kind MeshService; spec.to[0].targetRef.name: must be set with kind "
            "MeshService; "
            "spec.to[1].targetRef.kind: value 'MeshSubset' is not supported");
}

TEST(ValidateTest, ExternalServiceUnderANarrowTargetIsRefusedTwice) {
  const auto outcome = validate("MeshCircuitBreaker", R"({"targetRef":{"kind":"Dataplane"},"to":[
      {"targetRef":{"kind":"MeshExternalService","name":"x"},"default":{"connectionLimits":{"maxRetries":1}}}]})");
  ASSERT_EQ(outcome.violations.size(), 2U);
  EXPECT_EQ(outcome.violations[0].reason, "value 'MeshExternalService' is not supported");
  EXPECT_TRUE(
      outcome.violations[1].reason.starts_with("kind MeshExternalService is only allowed with targetRef.kind: Mesh"));
  EXPECT_EQ(outcome.violations[0].field, outcome.violations[1].field);
}

TEST(ValidateTest, ARoleNarrowsTheKindsOfAReceivedPolicy) {
  const auto spec = written_out(R"({"targetRef":{"kind":"MeshGateway","name":"edge"},"to":TO})");
  EXPECT_TRUE(validate("MeshTimeout", spec).ok());
  EXPECT_EQ(
      reason_of(validate("MeshTimeout", spec, {{"kuma.io/policy-role", "producer"}}).violations, "spec.targetRef.kind"),
      "value 'MeshGateway' is not supported");
}

TEST(ValidateTest, TagsOfAGatewayAreAcceptedForTheSystemRoleOnly) {
  const auto spec = R"({"targetRef":{"kind":"MeshGateway","name":"edge","tags":{"port":"http/80"}},"to":[]})";
  EXPECT_TRUE(validate("MeshHTTPRoute", spec).ok());
  EXPECT_EQ(reason_of(validate("MeshProxyPatch", spec).violations, "spec.targetRef.tags"),
            "must not be set with kind MeshGateway");
}

TEST(ValidateTest, UnresolvedBackendMayBeNamedByRoutes) {
  const auto route = [](std::string_view name) {
    return std::string(
               R"({"to":[{"targetRef":{"kind":"MeshService","name":"web"},"rules":[{"matches":[],"default":{"backendRefs":[)"
               R"({"kind":"MeshService","name":")")
        .append(name)
        .append(R"("}]}}]}]})");
  };
  EXPECT_TRUE(validate("MeshHTTPRoute", route("kuma.io/unresolved-backend")).ok());
  EXPECT_FALSE(validate("MeshHTTPRoute", route("kuma.io/other")).ok());
  EXPECT_FALSE(validate("MeshTCPRoute", route("kuma.io/unresolved-backend")).ok());
}

TEST(ValidateTest, DeprecatedFormsAreWarnedAbout) {
  const auto warnings = [](std::string_view type, const std::string& spec) {
    return validate(type, written_out(spec)).warnings;
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(warnings("MeshTimeout", R"({"targetRef":{"kind":"MeshSubset","tags":{"a":"b"}},"to":TO})"),
            List{"MeshSubset value for 'targetRef.kind' is deprecated, use Dataplane with labels instead"});
  EXPECT_EQ(warnings("MeshTimeout", R"({"from":TO})"), List{"'from' field is deprecated, use 'rules' instead"});
  EXPECT_EQ(warnings("MeshTimeout", R"({"to":TO})"), List{});
  EXPECT_EQ(warnings("MeshPassthrough", R"({"targetRef":{"kind":"MeshSubset","tags":{"a":"b"}}})"), List{});
  EXPECT_EQ(warnings("MeshLoadBalancingStrategy",
                     R"({"to":[{"targetRef":{"kind":"Mesh"},"default":{"loadBalancer":{"type":"RingHash",
                         "ringHash":{"hashPolicies":[{"type":"SourceIP"}]}}}}]})"),
            (List{"configuration 'spec.to[0].default.loadBalancer.ringHash.hashPolicies' is deprecated, use "
                  "'spec.to[0].default.hashPolicies' instead",
                  "SourceIP type for 'spec.to[0].default.loadBalancer.ringHash.hashPolicies[0].type' is deprecated, "
                  "use Connection "
                  "instead"}));
  EXPECT_EQ(warnings("MeshRateLimit", R"({"to":[{"targetRef":{"kind":"Mesh"},
                         "default":{"local":{"http":{"onRateLimit":{"status":200}}}}}]})"),
            List{"'spec.to[0].default.local.http.requestRate.status' must be 400 or higher. Please update your "
                 "configuration."});
}

TEST(ValidateTest, LongDisplayNamesOfServicesAreRefused) {
  const auto& type = type_of("MeshService");
  const auto spec = json_of("{}");
  const std::string long_name(64, 'n');
  EXPECT_EQ(joined(validate_spec(type, spec, {}, long_name).violations), "name: must not be longer than 63 characters");
  EXPECT_TRUE(validate_spec(type, spec, {{"kuma.io/display-name", "short"}}, long_name).ok());
  EXPECT_FALSE(validate_spec(type, spec, {{"kuma.io/display-name", long_name}}, "short").ok());
  EXPECT_TRUE(validate_spec(type_of("Workload"), spec, {}, std::string(253, 'n')).ok());
  EXPECT_FALSE(validate_spec(type_of("Workload"), spec, {}, std::string(254, 'n')).ok());
}

TEST(ValidateTest, AnythingThatIsNoPolicyAtAllIsAnsweredWithoutFault) {
  for (const auto* type : Catalogue::builtin().types()) {
    for (std::string_view text :
         {"null", "[]", "3", R"({"to":3,"from":{},"rules":"x","targetRef":[]})",
          R"({"to":[3,null],"from":[[]],"rules":[{"matches":3,"default":[]}],"targetRef":{"kind":3}})"}) {
      (void)validate_spec(*type, json_of(text), {}, "a");
      (void)check_schema(*type, json_of(text));
      (void)check_decodes(*type, json_of(text));
    }
  }
}

TEST(ValidateTest, AHealthCheckHasToCheckSomething) {
  const auto nothing =
      validate("MeshHealthCheck", R"({"to":[{"targetRef":{"kind":"Mesh"},"default":{"interval":"10s"}}]})");
  EXPECT_EQ(joined(nothing.violations), "spec.to[0].default: must have at least one defined: http, tcp, grpc");
  for (const auto* kind : {"http", "tcp", "grpc"}) {
    const auto one = R"({"to":[{"targetRef":{"kind":"Mesh"},"default":{")" + std::string(kind) + R"(":{}}}]})";
    EXPECT_TRUE(validate("MeshHealthCheck", one).ok()) << kind;
  }
}

}  // namespace
}  // namespace kdsd::policy
