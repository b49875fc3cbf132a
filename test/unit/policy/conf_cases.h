// Confs that users write, and what they read about them: verdicts of a Kuma 2.13.
#pragma once

#include <string_view>

namespace kdsd::policy::testing {

struct ConfCase {
  std::string_view type;
  std::string_view spec;      // YAML
  std::string_view expected;  // "field: reason; field: reason"; empty: accepted
};

// Each refused case breaks nothing but rules for values.
inline constexpr ConfCase conf_cases[] = {
    {"MeshTimeout", "to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 0s, idleTimeout: -1s}}]",
     "spec.to[0].default.connectionTimeout: must be greater than zero when defined; "
     "spec.to[0].default.idleTimeout: must not be negative when defined"},
    {"MeshTimeout", "rules: [{default: {http: {requestHeadersTimeout: -1s}}}]",
     "spec.rules[0].default.http: at least one timeout in this section should be configured; "
     "spec.rules[0].default.http.requestHeadersTimeout: must not be negative when defined"},
    {"MeshTimeout", "from: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 1s, http: {requestTimeout: 0s}}}]",
     ""},

    {"MeshRetry", "to: [{targetRef: {kind: Mesh}, default: {tcp: {}, http: {}, grpc: {}}}]",
     "spec.to[0].default.conf.tcp: must not be empty; spec.to[0].default.conf.http: must not be empty; "
     "spec.to[0].default.conf.grpc: must not be empty"},
    {"MeshRetry", "to: [{targetRef: {kind: Mesh}, default: {http: {retryOn: [5XX, '429', '306', HttpMethodGet]}}}]",
     "spec.to[0].default.conf.http.retryOn[0]: unknown item '5XX'; "
     "spec.to[0].default.conf.http.retryOn[2]: unknown item '306'"},
    {"MeshRetry", "to: [{targetRef: {kind: Mesh}}]",
     "spec.to[0].default.conf: at least one of the 'tcp', 'http', 'grpc' must be specified"},
    {"MeshRetry", R"(to: [{targetRef: {kind: Mesh}, default: {http: {backOff: {},
      rateLimitedBackOff: {maxInterval: 0s}, hostSelection: [{predicate: OmitHostsWithTags},
      {predicate: OmitPreviousPriorities, updateFrequency: 0}, {predicate: OmitPreviousPriorities}]}}}])",
     "spec.to[0].default.conf.http.backOff: must not be empty; "
     "spec.to[0].default.conf.http.rateLimitedBackOff.maxInterval: must be defined and greater than zero; "
     "spec.to[0].default.conf.http.rateLimitedBackOff.resetHeaders: must be defined; "
     "spec.to[0].default.conf.http.hostSelection[0].tags: must be defined; "
     "spec.to[0].default.conf.http.hostSelection[1].updateFrequency: must be defined and greater than zero; "
     "spec.to[0].default.conf.http.hostSelection[2].predicate: OmitPreviousPriorities must only be specified once"},
    {"MeshRetry", "to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 3, retryOn: [5xx]}}}]", ""},

    {"MeshCircuitBreaker", "to: [{targetRef: {kind: Mesh}}]",
     "spec.to[0].default: at least one of: 'connectionLimits' or 'outlierDetection' should be configured"},
    {"MeshCircuitBreaker", "rules: [{default: {connectionLimits: {maxRetries: 0}, outlierDetection: {interval: 0s}}}]",
     "spec.from[0].default.connectionLimits.maxRetries: must be greater than 0; "
     "spec.from[0].default.outlierDetection.interval: must be greater than zero when defined; "
     "spec.from[0].default.outlierDetection.detectors: must be defined"},
    {"MeshCircuitBreaker", R"(from: [{targetRef: {kind: Mesh}, default: {outlierDetection: {maxEjectionPercent: 101,
      healthyPanicThreshold: '100.5', detectors: {successRate: {standardDeviationFactor: '0'},
      failurePercentage: {threshold: 101, minimumHosts: 0}}}}}])",
     "spec.from[0].default.outlierDetection.maxEjectionPercent: must be in inclusive range [0, 100]; "
     "spec.from[0].default.outlierDetection.healthyPanicThreshold: must be in inclusive range [0.0, 100.0]; "
     "spec.from[0].default.outlierDetection.detectors.successRate.standardDeviationFactor: must be greater than 0; "
     "spec.from[0].default.outlierDetection.detectors.failurePercentage.minimumHosts: must be greater than 0; "
     "spec.from[0].default.outlierDetection.detectors.failurePercentage.threshold: must be in inclusive range [0, "
     "100]"},
    {"MeshCircuitBreaker", "to: [{targetRef: {kind: Mesh}, default: {outlierDetection: {detectors: {}}}}]",
     "spec.to[0].default.outlierDetection.detectors: must have at least one defined: totalFailures, gatewayFailures, "
     "localOriginFailures, successRate, failurePercentage"},
    {"MeshCircuitBreaker", "to: [{targetRef: {kind: Mesh}, default: {connectionLimits: {maxConnections: 1}}}]", ""},

    {"MeshHealthCheck", R"(to: [{targetRef: {kind: Mesh}, default: {interval: 0s, unhealthyThreshold: 0,
      intervalJitterPercent: 101, healthyPanicThreshold: much, eventLogPath: log,
      http: {path: '', expectedStatuses: [200, 600]}}}])",
     "spec.to[0].default.interval: must be greater than zero when defined; "
     "spec.to[0].default.unhealthyThreshold: must be greater than zero when defined; "
     "spec.to[0].default.intervalJitterPercent: must be in inclusive range [0, 100]; "
     "spec.to[0].default.healthyPanicThreshold: string must be a valid number; "
     "spec.to[0].default.eventLogPath: must be a valid path when defined; "
     "spec.to[0].default.http.path: must be defined; "
     "spec.to[0].default.http.expectedStatuses[1]: must be in inclusive range [100, 599]"},
    {"MeshHealthCheck", "to: [{targetRef: {kind: Mesh}, default: {tcp: {}, timeout: -1s}}]",
     "spec.to[0].default.timeout: must be greater than zero when defined"},
    {"MeshHealthCheck", "to: [{targetRef: {kind: Mesh}, default: {tcp: {}, eventLogPath: /var/log/health}}]", ""},

    {"MeshRateLimit", "{targetRef: {kind: Dataplane}, rules: [{default: {}}, {default: {local: {}}}]}",
     "spec.rules[0].default.local: must be defined; "
     "spec.rules[1].default.local: must have at least one defined: tcp, http"},
    {"MeshRateLimit", R"({targetRef: {kind: Dataplane}, from: [{targetRef: {kind: Mesh}, default: {local: {tcp: {},
      http: {requestRate: {num: 0, interval: 50ms}, onRateLimit: {status: 0}}}}}]})",
     "spec.from[0].default.local.http.requestRate.num: must be greater than 0; "
     "spec.from[0].default.local.http.requestRate.interval: must be greater than: 50ms; "
     "spec.from[0].default.local.http.onRateLimit.status: must be greater than 0; "
     "spec.from[0].default.local.tcp: must have at least one defined: disabled, connectionRate"},
    {"MeshRateLimit",
     "{targetRef: {kind: Dataplane}, rules: [{default: {local: {tcp: {connectionRate: {num: 1, interval: 51ms}}}}}]}",
     ""},

    {"MeshFaultInjection", R"({targetRef: {kind: Dataplane}, rules: [{default: {http: [{},
      {responseBandwidth: {limit: 5mbps, percentage: 101}}]}}]})",
     "spec.rules[0].default.http.responseBandwidth[1].limit: must be in kbps/Mbps/Gbps units; "
     "spec.rules[0].default.http.responseBandwidth[1].percentage: must be in inclusive range [0.0, 100.0]"},
    {"MeshFaultInjection",
     R"(to: [{targetRef: {kind: Mesh}, default: {http: [{abort: {httpStatus: 99, percentage: '-1'},
      delay: {value: -1s, percentage: x}, responseBandwidth: {limit: '', percentage: 0}}]}}])",
     "spec.to[0].default.http.abort[0].httpStatus: must be in inclusive range [100, 599]; "
     "spec.to[0].default.http.abort[0].percentage: must be in inclusive range [0.0, 100.0]; "
     "spec.to[0].default.http.delay[0].value: must not be negative when defined; "
     "spec.to[0].default.http.delay[0].percentage: string must be a valid number; "
     "spec.to[0].default.http.responseBandwidth[0].limit: must be defined"},
    {"MeshFaultInjection",
     "to: [{targetRef: {kind: Mesh}, default: {http: [{responseBandwidth: {limit: 10 kbps, percentage: '12.5'}}]}}]",
     ""},

    {"MeshLoadBalancingStrategy", R"(to: [{targetRef: {kind: Mesh}, default: {hashPolicies: [{type: Header},
      {type: Cookie, cookie: {name: a, path: x}}, {type: SourceIP}],
      loadBalancer: {type: RoundRobin, maglev: {hashPolicies: []}}}}])",
     "spec.to[0].default.hashPolicies[0].header: must be defined; "
     "spec.to[0].default.hashPolicies[1].cookie.path: must be an absolute path; "
     "spec.to[0].default.hashPolicies[2].connection: must be defined; "
     "spec.to[0].default.loadBalancer.maglev.hashPolicies: hashPolicies already specified in the root level"},
    {"MeshLoadBalancingStrategy", R"(to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {
      localZone: {affinityTags: [{key: '', weight: 1}, {key: a}]},
      crossZone: {failover: [{from: {zones: ['']}, to: {type: Only}}, {from: {zones: []}, to: {type: Any, zones: [a]}}],
      failoverThreshold: {percentage: '0'}}}}}])",
     "spec.to[0].default.localityAwareness.localZone.affinityTags[0].key: must not be empty; "
     "spec.to[0].default.localityAwareness.localZone.affinityTags: all or none affinity tags should have weight; "
     "spec.to[0].default.localityAwareness.crossZone.failover[0].from.zones[0]: must not be empty; "
     "spec.to[0].default.localityAwareness.crossZone.failover[0].to.zones: must not be empty when type is Only; "
     "spec.to[0].default.localityAwareness.crossZone.failover[1].from.zones: must not be empty; "
     "spec.to[0].default.localityAwareness.crossZone.failover[1].to.zones: must be empty when type is Any; "
     "spec.to[0].default.localityAwareness.crossZone.failoverThreshold.percentage: must be greater than 0"},
    {"MeshLoadBalancingStrategy", R"(to: [{targetRef: {kind: Mesh}, default: {
      loadBalancer: {type: LeastRequest, leastRequest: {activeRequestBias: '-0.1'}}}}])",
     "spec.to[0].default.loadBalancer.leastRequest.activeRequestBias: must be greater or equal then: 0"},
    {"MeshLoadBalancingStrategy", R"(to: [{targetRef: {kind: Mesh}, default: {
      loadBalancer: {type: RingHash, ringHash: {}}, hashPolicies: [{type: Header, header: {name: a}}]}}])",
     ""},

    {"MeshTLS", "from: [{targetRef: {kind: Mesh}, default: {tlsVersion: {min: TLS13, max: TLS12}}}]",
     "spec.from[0].default.tlsVersion.min: min version must be lower than max"},
    {"MeshTLS", "rules: [{default: {mode: Strict}}, {default: {tlsVersion: {min: TLS11, max: TLS10}}}]",
     "spec.rules[1].default.tlsVersion.min: min version must be lower than max"},
    {"MeshTLS", "rules: [{default: {tlsVersion: {min: TLS13}}}, {default: {tlsVersion: {min: TLS12, max: TLS12}}}]",
     ""},

    {"MeshAccessLog", R"(to: [{targetRef: {kind: Mesh}, default: {}},
      {targetRef: {kind: Mesh}, default: {backends: [{type: Tcp}, {type: File, file: {path: a}},
      {type: Tcp, tcp: {address: word}}, {type: OpenTelemetry}]}}])",
     "spec.to[0].default.backends: must be defined; spec.to[1].default.backends[0].tcp: must be defined; "
     "spec.to[1].default.backends[1].file.path: file backend requires a valid path; "
     "spec.to[1].default.backends[2].tcp.address: tcp backend requires valid address; "
     "spec.to[1].default.backends[3].openTelemetry: must be defined"},
    {"MeshAccessLog", R"(from: [{targetRef: {kind: Mesh}, default: {backends: [
      {type: File, file: {path: /a, format: {type: Json, json: [{key: '', value: '"'}]}}},
      {type: File, file: {path: /a, format: {type: Json, json: []}}},
      {type: File, file: {path: /a, format: {type: Plain, plain: ''}}}, {type: File, file: {path: /a, format: {type: Plain}}}]}}])",
     "spec.from[0].default.backends[0].file.format.json[0].key: key cannot be empty; "
     "spec.from[0].default.backends[0].file.format.json[0]: is not a valid JSON object; "
     "spec.from[0].default.backends[1].file.format.json: must not be empty; "
     "spec.from[0].default.backends[2].file.format.plain: must not be empty; "
     "spec.from[0].default.backends[3].file.format.plain: must be defined"},
    {"MeshAccessLog", "{from: [], rules: [{default: {}}]}", "spec.rules[0].default.backends: must be defined"},
    {"MeshAccessLog", "rules: [{default: {}}]", ""},
    {"MeshAccessLog",
     "to: [{targetRef: {kind: Mesh}, default: {backends: [{type: Tcp, tcp: {address: '127.0.0.1:5000'}}]}}]", ""},

    {"MeshTrace", "{}", "spec.default.backends: must be defined"},
    {"MeshTrace", R"(default: {backends: [{type: Datadog, datadog: {url: 'https://user@dd.example/a?b'}}],
      tags: [{name: ''}, {name: a, literal: b, header: {name: c}}], sampling: {client: x, random: 101}})",
     "spec.default.backends[0].datadog.url: scheme must be http; "
     "spec.default.backends[0].datadog.url: port must be defined; "
     "spec.default.backends[0].datadog.url: user must not be defined; "
     "spec.default.backends[0].datadog.url: path must not be defined; "
     "spec.default.backends[0].datadog.url: query must not be defined; "
     "spec.default.tags[0].name: must not be empty; "
     "spec.default.tags[0]: tag must have only one type defined: header, literal; "
     "spec.default.tags[1]: tag must have only one type defined: header, literal; "
     "spec.default.sampling.client: string is not a number; spec.default.sampling.random: must be between 0 and 100"},
    {"MeshTrace", "default: {backends: [{type: Zipkin, zipkin: {url: word}}]}",
     "spec.default.backends[0].zipkin.url: must be a valid url"},
    {"MeshTrace", "default: {backends: [{type: Datadog, datadog: {url: 'http://dd.example:70000'}}]}",
     "spec.default.backends[0].datadog.url: port must be a valid (1-65535)"},
    {"MeshTrace", "default: {backends: [], tags: [{name: a, literal: ''}], sampling: {overall: '12.5'}}", ""},

    {"MeshMetric", R"(default: {sidecar: {profiles: {exclude: [{type: Regex, match: '('}], include: [
      {type: Prefix, match: '('}, {type: Regex, match: 'a**'}]}}, applications: [{port: 80}, {port: 0}]})",
     "spec.default.sidecar.profiles.exclude[0].match: invalid regex; "
     "spec.default.sidecar.profiles.include[1].match: invalid regex; "
     "spec.default.applications.application[1]: port must be a valid (1-65535)"},
    {"MeshMetric", R"(default: {backends: [{type: Prometheus}, {type: Prometheus, prometheus: {port: 65536}},
      {type: OpenTelemetry, openTelemetry: {endpoint: 'https://word'}}, {type: OpenTelemetry, openTelemetry: {endpoint: a}}]})",
     "spec.default.backends.backend[0].prometheus: must be defined; "
     "spec.default.backends.backend[1].port: port must be a valid (1-65535); "
     "spec.default.backends.backend[2].openTelemetry.endpoint: must not use schema; "
     "spec.default.backends.backend[3].openTelemetry.endpoint: must be a valid url"},
    {"MeshMetric", R"(default: {backends: [{type: Prometheus, prometheus: {}}, {type: OpenTelemetry,
      openTelemetry: {endpoint: 'otel.example:4317'}}]})",
     ""},

    {"MeshPassthrough", R"(default: {appendMatch: [{type: CIDR, value: 1.2.3.4}, {type: IP, value: a, protocol: mysql},
      {type: Domain, value: a.example, port: 0}, {type: Domain, value: '*a.example', protocol: http},
      {type: Domain, value: a b, protocol: tls}]})",
     "spec.default.appendMatch[0].value: provided CIDR has incorrect value; "
     "spec.default.appendMatch[1].port: port must be defined for Mysql protocol; "
     "spec.default.appendMatch[1].value: provided IP has incorrect value; "
     "spec.default.appendMatch[2].port: port must be a valid (1-65535); "
     "spec.default.appendMatch[2].protocol: protocol tcp is not supported for a domain; "
     "spec.default.appendMatch[3].value: provided DNS has incorrect value, partial wildcard is currently not "
     "supported; "
     "spec.default.appendMatch[3].port: wildcard domains doesn't work for all ports and layer 7 protocol; "
     "spec.default.appendMatch[4].value: provided DNS has incorrect value"},
    {"MeshPassthrough", R"(default: {appendMatch: [{type: Domain, value: a.example, protocol: http, port: 80},
      {type: Domain, value: b.example, protocol: grpc, port: 80}, {type: Domain, value: a.example, protocol: http, port: 80}]})",
     "spec.default.appendMatch[1].port: using the same port in multiple matches requires the same protocol for the "
     "following protocols: [grpc http http2]; "
     "spec.default.appendMatch[2].value: value a.example is already defiend for this port and protocol"},
    {"MeshPassthrough", R"(default: {appendMatch: [{type: Domain, value: '*.example', protocol: http, port: 80},
      {type: CIDR, value: 192.0.2.0/24, port: 80}, {type: IP, value: '::1'}]})",
     ""},

    {"MeshProxyPatch", "default: {}", "spec.default.appendModifications: must not be empty"},
    {"MeshProxyPatch", R"(default: {appendModifications: [{}, {cluster: {operation: Add, match: {}, value: '[]'}},
      {listener: {operation: Patch}}, {networkFilter: {operation: AddBefore}},
      {virtualHost: {operation: Add, match: {name: a}, value: 'name: a'}}, {httpFilter: {operation: Remove, value: a}}]})",
     "spec.default.appendModifications[0]: exactly one modification can be defined at a time. Currently, 0 "
     "modifications "
     "are defined; "
     "spec.default.appendModifications[1].cluster.match: must not be defined; "
     "spec.default.appendModifications[1].cluster.value: native Envoy resource is not valid: json: cannot unmarshal "
     "array "
     "into Go value of type map[string]json.RawMessage; "
     "spec.default.appendModifications[2].listener: listener must have exactly one defined: value, jsonPatches; "
     "spec.default.appendModifications[3].networkFilter.match.name: must be defined. You need to pick a filter before "
     "which this one will be added; "
     "spec.default.appendModifications[3].networkFilter.value: must be defined; "
     "spec.default.appendModifications[4].virtualHost.match.name: must not be defined; "
     "spec.default.appendModifications[4].virtualHost.value: native Envoy resource is not valid: invalid "
     "VirtualHost.Domains: value must contain at least 1 item(s); "
     "spec.default.appendModifications[5].httpFilter.value: must not be defined"},
    {"MeshProxyPatch", R"(default: {appendModifications: [{cluster: {operation: Patch, jsonPatches: [
      {op: move, path: /a}, {op: add, path: /a, from: /b}, {op: remove, path: /, value: 1}]}}]})",
     "spec.default.appendModifications[0].cluster.jsonPatches[0].from: \"from\" must not be empty when \"op\" is one "
     "of "
     "[\"move\", \"copy\"]; "
     "spec.default.appendModifications[0].cluster.jsonPatches[1].from: \"from\" is allowed only when \"op\" is one of "
     "[\"move\", \"copy\"]; "
     "spec.default.appendModifications[0].cluster.jsonPatches[1].value: \"value\" must not be empty when \"op\" is one "
     "of "
     "[\"add\", \"replace\"]; "
     "spec.default.appendModifications[0].cluster.jsonPatches[2].value: \"value\" is allowed only when \"op\" is one "
     "of "
     "[\"add\", \"replace\"]; "
     "spec.default.appendModifications[0].cluster.jsonPatches[2].path: root path cannot be removed"},
    {"MeshProxyPatch", R"(default: {appendModifications: [{cluster: {operation: Add, value: 'name: a'}},
      {httpFilter: {operation: Patch, match: {name: a}, jsonPatches: [{op: replace, path: /a, value: 1}]}}]})",
     ""},

    {"MeshHTTPRoute", R"(to: [{targetRef: {kind: MeshService, name: web}, rules: [{matches: [
      {path: {type: Exact, value: a}, queryParams: [{type: Exact, name: q, value: a}, {type: Exact, name: q, value: b}]},
      {path: {type: PathPrefix, value: a/}, headers: [{name: x, type: Absent, value: a}]}], default: {filters: [
      {type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /x}, hostname: 10.0.0.1,
      hostToBackendHostname: true}}]}}]}])",
     "spec.to[0].rules[0].matches[0].path.value: must be an absolute path; "
     "spec.to[0].rules[0].matches[0].queryParams[1].name: multiple entries for name q; "
     "spec.to[0].rules[0].matches[1].path.value: does not need a trailing slash because only a `/`-separated prefix or "
     "an "
     "entire path is matched; "
     "spec.to[0].rules[0].matches[1].path.value: must be an absolute path; "
     "spec.to[0].rules[0].matches[1].headers[0].value: must not be defined; "
     "spec.to[0].rules[0].default.filters[0].urlRewrite.path.replacePrefixMatch: can only appear if all matches match "
     "a "
     "path prefix; "
     "spec.to[0].rules[0].default.filters[0].urlRewrite.hostname: cannot be an IP address; "
     "spec.to[0].rules[0].default.filters[0].urlRewrite.hostToBackendHostname: can only be set with MeshGateway; "
     "spec.to[0].rules[0].default.filters[0].urlRewrite.hostToBackendHostname: cannot be set together with hostname"},
    {"MeshHTTPRoute", R"(to: [{targetRef: {kind: MeshService, name: web}, rules: [{
      matches: [{path: {type: PathPrefix, value: /}}], default: {filters: [
      {type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: a, value: b}], add: [{name: a, value: c}],
      remove: [a]}}, {type: ResponseHeaderModifier, responseHeaderModifier: {}}, {type: RequestRedirect},
      {type: RequestMirror}]}}]}])",
     "spec.to[0].rules[0].default.filters[0].requestHeaderModifier.add[0].name: duplicate header name; "
     "spec.to[0].rules[0].default.filters[0].requestHeaderModifier.remove[0].name: duplicate header name; "
     "spec.to[0].rules[0].default.filters[1].responseHeaderModifier: must have at least one defined: set, add, remove; "
     "spec.to[0].rules[0].default.filters[2].requestRedirect: must be defined; "
     "spec.to[0].rules[0].default.filters[3].requestMirror: must be defined"},
    {"MeshHTTPRoute", R"(to: [{targetRef: {kind: MeshService, name: web}, rules: [{
      matches: [{path: {type: PathPrefix, value: /}}], default: {filters: [{type: RequestRedirect, requestRedirect: {
      hostname: a.example, path: {type: ReplacePrefixMatch, replacePrefixMatch: /x}}}]}}]}])",
     ""},
};

}  // namespace kdsd::policy::testing
