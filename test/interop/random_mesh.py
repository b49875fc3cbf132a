"""Meshes made of a number: proxies, services, routes and policies that refer to each other in every way that a targetRef can.

The same number always gives the same documents. Few values, so that many of them meet; and now and then a reference or a conf
that nobody should accept.
"""

import random

from support import documents

LABELS = {"app": ("web", "api", "store"), "team": ("red", "blue")}
TAGS = {"version": ("v1", "v2"), "region": ("north", "south")}
SERVICES = ("web", "api", "store")  # values of kuma.io/service, and names of MeshServices
NAMES = {
    "Dataplane": ("proxy-0", "proxy-1", "delegated"),
    "MeshService": SERVICES,
    "MeshExternalService": ("ledger", "mail"),
    "MeshMultiZoneService": ("everywhere",),
    "MeshHTTPRoute": ("by-path", "by-header", "plain"),
}
GATEWAY = "edge"
PORTS = (8080, 9090)
SECTIONS = ("http", "admin", "8080", "9090")  # names of inbounds and ports, and numbers of those without

# Shares of all that could be so.
ODD = 0.03  # of references that take any kind
SHADOW = 0.05  # of policies
FROM_GLOBAL = 0.3
RENAMED = 0.15

TYPES_PER_MESH = 5
POLICIES_PER_TYPE = (2, 6)

# Confs. A dict stands for some of its members, and always for those with `!`; a tuple for one of its elements; a list for one or
# two made from its first element, or for at most as many as a number behind it says.

DURATION = ("1s", "500ms", "15s", "60s", "1m30s", "2h", "0s")
POSITIVE = ("1s", "500ms", "15s", "60s", "1m30s", "2h")
COUNT = (1, 3, 10, 500)
PERCENT = (0, 10, "12.5", 100)
HEADER = {"name!": ("x-team", "x-user"), "value!": ("red", "blue")}
HEADER_CHANGES = {"set": [HEADER], "add": [HEADER]}

TIMEOUT = {
    "connectionTimeout": DURATION, "idleTimeout": DURATION,
    "http": {
        "requestTimeout": DURATION, "streamIdleTimeout": DURATION, "maxStreamDuration": DURATION,
        "maxConnectionDuration": DURATION, "requestHeadersTimeout": DURATION,
    },
}
BACK_OFF = {"baseInterval": POSITIVE, "maxInterval": POSITIVE}
RETRY = {
    "tcp": {"maxConnectAttempt!": COUNT},
    "http": {
        "numRetries": COUNT, "perTryTimeout": POSITIVE, "backOff": BACK_OFF, "retryOn": [("5XX", "GatewayError", "Reset", "429")],
        "retriableResponseHeaders": [{"name!": ("x-again", "x-later"), "type!": "Exact", "value!": ("yes", "no")}],
        "hostSelection": [{"predicate!": "OmitPreviousHosts"}], "hostSelectionMaxAttempts": COUNT,
    },
    "grpc": {"numRetries": COUNT, "perTryTimeout": POSITIVE, "backOff": BACK_OFF, "retryOn": [("Canceled", "Internal")]},
}
CIRCUIT_BREAKER = {
    "connectionLimits": {
        "maxConnections": COUNT, "maxPendingRequests": COUNT, "maxRetries": COUNT, "maxRequests": COUNT,
        "maxConnectionPools": COUNT,
    },
    "outlierDetection": {
        "disabled": (True, False), "interval": POSITIVE, "baseEjectionTime": POSITIVE, "maxEjectionPercent": (10, 50),
        "splitExternalAndLocalErrors": (True, False), "healthyPanicThreshold": PERCENT,
        "detectors!": {
            "totalFailures": {"consecutive!": COUNT}, "gatewayFailures": {"consecutive!": COUNT},
            "successRate": {"minimumHosts!": COUNT, "requestVolume": COUNT, "standardDeviationFactor": ("1.9", 2)},
            "failurePercentage": {"minimumHosts!": COUNT, "requestVolume!": COUNT, "threshold!": (10, 85)},
        },
    },
}
LOG_FORMAT = (
    {"type!": "Plain", "plain!": ("%START_TIME%", "%PROTOCOL%")},
    {"type!": "Json", "json!": [{"key!": ("start", "who"), "value!": "%START_TIME%"}], "omitEmptyValues": (True, False)},
)
ACCESS_LOG = {
    "backends!": [(
        {"type!": "File", "file!": {"path!": ("/dev/stdout", "/var/log/access"), "format": LOG_FORMAT}},
        {"type!": "Tcp", "tcp!": {"address!": ("127.0.0.1:5000", "logs.example:514"), "format": LOG_FORMAT}},
        {"type!": "OpenTelemetry", "openTelemetry!": {
            "endpoint!": ("otel.example:4317",), "attributes": [{"key!": ("mesh", "zone"), "value!": "%KUMA_MESH%"}],
        }},
    )],
}
HEALTH_CHECK = {
    "interval": POSITIVE, "timeout": POSITIVE, "unhealthyThreshold": COUNT, "healthyThreshold": COUNT,
    "initialJitter": POSITIVE, "intervalJitterPercent": (5, 20), "healthyPanicThreshold": PERCENT,
    "failTrafficOnPanic": (True, False), "noTrafficInterval": POSITIVE, "reuseConnection": (True, False),
    "http!": {
        "disabled": (True, False), "path": ("/health", "/ready"), "expectedStatuses": [(200, 201, 204)],
        "requestHeadersToAdd": HEADER_CHANGES,
    },
    "tcp": {"disabled": (True, False), "send": "cGluZw==", "receive": ["cG9uZw=="]},
    "grpc": {"disabled": (True, False), "serviceName": ("health", "ready"), "authority": "ledger.example"},
}
RATE = {"num!": COUNT, "interval!": POSITIVE}
RATE_LIMIT = {
    "local!": {
        "http": {
            "requestRate!": RATE, "disabled": (True, False),
            "onRateLimit": {"status": (429, 503), "headers": HEADER_CHANGES},
        },
        "tcp": {"connectionRate!": RATE, "disabled": (True, False)},
    },
}
FAULT_INJECTION = {
    "http!": [{
        "abort!": {"httpStatus!": (500, 503), "percentage!": PERCENT},
        "delay": {"value!": POSITIVE, "percentage!": PERCENT},
        "responseBandwidth": {"limit!": ("10kbps", "5mbps"), "percentage!": PERCENT},
    }],
}
HASH_POLICIES = [(
    {"type!": "Header", "header!": {"name!": ("x-user", "x-team")}, "terminal": (True, False)},
    {"type!": "Cookie", "cookie!": {"name!": "session", "ttl": POSITIVE, "path": "/"}},
    {"type!": "Connection", "connection!": {"sourceIP!": (True, False)}},
)]
LOCAL_ZONE = {"disabled": (True, False), "localZone!": {"affinityTags!": [{"key!": ("version", "region")}]}}
CROSS_ZONE = {
    "failover!": [{"from": {"zones!": [("east", "west")]}, "to!": ({"type!": "Any"}, {"type!": "Only", "zones!": ["west"]})}],
    "failoverThreshold": {"percentage!": (10, "50.5", 100)},
}
LOAD_BALANCING = {
    "loadBalancer": (
        {"type!": "RoundRobin"}, {"type!": "Random"},
        {"type!": "LeastRequest", "leastRequest": {"choiceCount!": (2, 5), "activeRequestBias": ("1.5", 2)}},
        {"type!": "RingHash", "ringHash": {"hashFunction": ("XXHash", "MurmurHash2"), "minRingSize": COUNT}},
        {"type!": "Maglev", "maglev": {"tableSize!": (11, 101)}},
    ),
    "hashPolicies": HASH_POLICIES,
    "localityAwareness": (LOCAL_ZONE, LOCAL_ZONE, {**LOCAL_ZONE, "crossZone!": CROSS_ZONE}),
}
SPIFFE_IDS = [{"spiffeID!": {"type!": ("Exact", "Prefix"), "value!": ("spiffe://a/web", "spiffe://a/api", "spiffe://b")}}]
PERMISSION = {"action!": ("Allow", "Deny", "AllowWithShadowDeny")}
PERMISSION_RULE = {"allow": SPIFFE_IDS, "deny": SPIFFE_IDS, "allowWithShadowDeny": SPIFFE_IDS}
TLS = {"mode!": ("Strict", "Permissive")}
PROXY_PATCH = {
    "appendModifications!": [(
        {"cluster!": {"operation!": "Remove", "match": {"name": ("web", "api"), "origin": ("inbound", "outbound")}}},
        {"listener!": {"operation!": "Patch", "match": {"tags": {"version": "v1"}}, "value!": ("name: a\n", "name: b\n")}},
        {"cluster!": {
            "operation!": "Patch", "jsonPatches!": [{"op!": "replace", "path!": "/name", "value!": ("a", 5, {"b!": 1})}],
        }},
        {"httpFilter!": {"operation!": "Remove", "match": {"name": "envoy.filters.http.router"}}},
        {"virtualHost!": {"operation!": "Remove", "match!": {"routeConfigurationName": "outbound:web"}}},
    )],
}
TRACE = {
    "backends": [(
        {"type!": "Zipkin", "zipkin!": {"url!": "http://zipkin.example:9411/api", "traceId128bit": (True, False)}},
        {"type!": "Datadog", "datadog!": {"url!": "http://datadog.example:8126", "splitService": (True, False)}},
        {"type!": "OpenTelemetry", "openTelemetry!": {"endpoint!": ("otel.example:4317", "other.example:4317")}},
    ), 1],
    "sampling": {"overall": PERCENT, "random": PERCENT, "client": PERCENT},
    "tags": [(
        {"name!": "team", "literal!": ("red", "blue")},
        {"name!": "user", "header!": {"name!": "x-user", "default": "none"}},
    )],
}
METRIC_NAMES = [{"type!": ("Prefix", "Exact", "Contains"), "match!": ("http", "cluster")}]
METRIC = {
    "sidecar": {
        "includeUnused": (True, False),
        "profiles": {
            "appendProfiles": [{"name!": ("All", "Basic", "None")}, 1], "exclude": METRIC_NAMES, "include": METRIC_NAMES,
        },
    },
    "applications": [{"port!": (8080, 9090), "path": ("/stats", "/metrics"), "name": ("main", "side")}],
    "backends": [(
        {"type!": "Prometheus", "prometheus!": {
            "port": (5670, 5671), "path": "/all", "tls": {"mode!": ("Disabled", "ProvidedTLS")},
        }},
        {"type!": "OpenTelemetry", "openTelemetry!": {"endpoint!": "otel.example:4317", "refreshInterval": POSITIVE}},
    ), 1],
}
PASSTHROUGH = {
    "passthroughMode": ("All", "Matched", "None"),
    "appendMatch": [(
        {"type!": "Domain", "value!": ("a.example", "b.example"), "protocol!": ("tls", "http"), "port!": (443, 8443)},
        {"type!": "CIDR", "value!": "192.0.2.0/24", "protocol!": "tcp", "port!": 5432},
        {"type!": "IP", "value!": "192.0.2.1", "protocol!": "tcp"},
    )],
}
MATCH = {
    "path": {"type!": ("PathPrefix", "Exact"), "value!": ("/a", "/b", "/a/b")}, "method": ("GET", "POST"),
    "headers": [{"name!": ("x-team", "x-user"), "type": ("Exact", "Prefix"), "value!": ("red", "blue")}, 1],
    "queryParams": [{"type!": "Exact", "name!": "page", "value!": ("1", "2")}, 1],
}
FILTER = (
    {"type!": "RequestHeaderModifier", "requestHeaderModifier!": {**HEADER_CHANGES, "remove!": ["x-gone", 1]}},
    {"type!": "ResponseHeaderModifier", "responseHeaderModifier!": {"set!": [HEADER, 1]}},
    {"type!": "URLRewrite", "urlRewrite!": {"path!": {"type!": "ReplacePrefixMatch", "replacePrefixMatch!": ("/x", "/y")}}},
    {"type!": "RequestRedirect", "requestRedirect!": {"scheme!": "https", "statusCode": (301, 302), "hostname": "a.example"}},
)

TOP = ("Mesh", "Dataplane", "Dataplane", "MeshSubset", "MeshService", "MeshServiceSubset", "MeshGateway")
SIDECARS = ("Mesh", "Dataplane", "Dataplane", "MeshSubset")
WITH_ROUTES = (*TOP, "MeshHTTPRoute")
DESTINATIONS = ("Mesh", "MeshService", "MeshService", "MeshExternalService", "MeshMultiZoneService", "MeshHTTPRoute")
INTERNAL = ("Mesh", "MeshService", "MeshService", "MeshMultiZoneService")
CLIENTS = ("Mesh", "MeshSubset", "MeshSubset", "MeshService", "MeshServiceSubset")
ALL_KINDS = tuple(dict.fromkeys((*WITH_ROUTES, *DESTINATIONS)))


class Shape:
    """What a policy type takes: the kinds of its references, and the confs of its items."""

    def __init__(self, conf, top=TOP, to=(), sources=(), rules=None, to_is_for_gateways=False):
        self.conf = conf
        self.top = top
        self.to = to
        self.sources = sources
        self.rules = rules
        self.to_is_for_gateways = to_is_for_gateways


POLICIES = {
    "MeshAccessLog": Shape(ACCESS_LOG, to=DESTINATIONS, sources=("Mesh",), rules={"default!": ACCESS_LOG}),
    "MeshCircuitBreaker": Shape(CIRCUIT_BREAKER, to=INTERNAL, sources=("Mesh",), rules={"default!": CIRCUIT_BREAKER}),
    "MeshFaultInjection": Shape(
        FAULT_INJECTION, to=("Mesh",), sources=CLIENTS, rules={"default!": FAULT_INJECTION, "matches!": SPIFFE_IDS},
        to_is_for_gateways=True,
    ),
    "MeshHealthCheck": Shape(HEALTH_CHECK, to=INTERNAL),
    "MeshLoadBalancingStrategy": Shape(LOAD_BALANCING, to=INTERNAL),
    "MeshMetric": Shape(METRIC),
    "MeshPassthrough": Shape(PASSTHROUGH, top=SIDECARS),
    "MeshProxyPatch": Shape(PROXY_PATCH),
    "MeshRateLimit": Shape(
        RATE_LIMIT, top=WITH_ROUTES, to=("Mesh",), sources=("Mesh",), rules={"default!": RATE_LIMIT}, to_is_for_gateways=True
    ),
    "MeshRetry": Shape(RETRY, top=WITH_ROUTES, to=DESTINATIONS),
    "MeshTLS": Shape(TLS, top=SIDECARS, sources=("Mesh",), rules={"default!": TLS}),
    "MeshTimeout": Shape(TIMEOUT, top=WITH_ROUTES, to=DESTINATIONS, sources=("Mesh",), rules={"default!": TIMEOUT}),
    "MeshTrace": Shape(TRACE),
    "MeshTrafficPermission": Shape(PERMISSION, top=TOP[:-1], sources=CLIENTS, rules={"default!": PERMISSION_RULE}),
}
# Under a route or a built-in gateway only some fields are taken.
OF_ROUTES = {"MeshTimeout": {"http!": {"requestTimeout": DURATION, "streamIdleTimeout": DURATION}}}


class RandomMesh:
    def __init__(self, number):
        self.random = random.Random(number)
        self.name = f"mesh-{number}"

    def documents(self):
        """All of them, in an order in which they can be written."""
        mode = self.random.choice(("Exclusive", "Exclusive", "Exclusive", "Everywhere", "Disabled"))
        mesh = {"type": "Mesh", "name": self.name, "skipCreatingInitialPolicies": ["*"], "meshServices": {"mode": mode}}
        return [mesh, *self.proxies(), *self.services(), *self.routes(), *self.policies()]

    # --- choosing

    def is_so(self, share):
        return self.random.random() < share

    def some(self, values, most=2):
        return self.random.sample(values, self.random.randint(1, min(most, len(values))))

    def one_value_of(self, keys, most=2):
        return {key: self.random.choice(keys[key]) for key in self.some(list(keys), most)}

    def grow(self, shape):
        if isinstance(shape, tuple):
            return self.grow(self.random.choice(shape))
        if isinstance(shape, list):
            most = shape[1] if len(shape) > 1 else 2
            grown = [self.grow(shape[0]) for _ in range(self.random.randint(1, most))]
            return [each for position, each in enumerate(grown) if each not in grown[:position]]
        if not isinstance(shape, dict):
            return shape
        optional = [key for key in shape if not key.endswith("!")]
        chosen = self.random.sample(optional, self.random.randint(0 if len(optional) < len(shape) else 1, len(optional)))
        return {key.rstrip("!"): self.grow(shape[key]) for key in shape if key.endswith("!") or key in chosen}

    # --- objects

    def document(self, type_name, name, labels, **body):
        return {"type": type_name, "mesh": self.name, "name": name, "labels": labels, **body}

    def own_labels(self):
        return self.one_value_of(LABELS)

    def named(self, name):
        """Name and labels. Some are copies from a global: they have no zone, so references by name do not find them from here.
        Some are called by another name than the one that they are stored under."""
        labels = self.own_labels()
        if self.is_so(FROM_GLOBAL):
            stored = documents.copy_name(self.name, name)
            return stored, {**labels, "kuma.io/origin": "global", "kuma.io/display-name": name}
        if self.is_so(RENAMED):
            return f"{name}-stored", {**labels, "kuma.io/display-name": name}
        return name, labels

    def proxies(self):
        out = [self.sidecar(position) for position in range(self.random.randint(3, 5))]
        if self.is_so(0.5):
            out.append(self.gateway_proxy("delegated", "DELEGATED", "outside"))
        if self.is_so(0.5):
            out.append(self.gateway_proxy("builtin", "BUILTIN", GATEWAY))
            listeners = [
                {"port": port, "protocol": "HTTP", "hostname": f"{port}.example", "tags": self.one_value_of(TAGS)}
                for port in self.some((80, 8080))
            ]
            selectors = [{"match": {"kuma.io/service": GATEWAY}}]
            out.append(self.document("MeshGateway", GATEWAY, {}, selectors=selectors, conf={"listeners": listeners}))
        return out

    def gateway_proxy(self, name, kind, service):
        gateway = {"type": kind, "tags": {"kuma.io/service": service, **self.one_value_of(TAGS)}}
        networking = {"address": "192.0.2.100", "gateway": gateway}
        return self.document("Dataplane", name, self.own_labels(), networking=networking)

    def sidecar(self, position):
        inbounds = []
        for port, section in zip(self.some((8080, 9090, 7070), 3), self.random.sample(("http", "admin", None), 3)):
            tags = {"kuma.io/service": self.random.choice(SERVICES), **self.one_value_of(TAGS)}
            if self.is_so(0.7):
                tags["kuma.io/protocol"] = self.random.choice(("http", "tcp", "grpc"))
            inbounds.append({"port": port, "tags": tags, **({"name": section} if section else {})})
        networking = {"address": f"192.0.2.{position + 1}", "inbound": inbounds}
        if self.is_so(0.2):
            networking["outbound"] = [{"port": 10_000 + each, "backendRef": self.called_service()} for each in range(2)]
        elif self.is_so(0.2):
            networking["transparentProxying"] = {
                "redirectPortInbound": 15006, "redirectPortOutbound": 15001,
                "reachableBackends": {"refs": [self.called_service() for _ in range(2)]},
            }
        return self.document("Dataplane", f"proxy-{position}", self.own_labels(), networking=networking)

    def called_service(self):
        kind = self.random.choice(("MeshService", "MeshExternalService", "MeshMultiZoneService"))
        return {"kind": kind, "name": self.random.choice(NAMES[kind]), "port": self.random.choice(PORTS)}

    def services(self):
        out = []
        for name in self.some(SERVICES, 3):
            ports = [
                {"port": port, "appProtocol": self.random.choice(("http", "tcp")), **({"name": section} if section else {})}
                for port, section in zip(self.some(PORTS), self.random.sample(("http", "admin", None), 2))
            ]
            selector = {"dataplaneTags": {"kuma.io/service": name, **(self.one_value_of(TAGS) if self.is_so(0.5) else {})}}
            out.append(self.document("MeshService", *self.named(name), spec={"selector": selector, "ports": ports}))
        for name in self.some(NAMES["MeshExternalService"]):
            match = {"type": "HostnameGenerator", "port": self.random.choice(PORTS), "protocol": "http"}
            spec = {"match": match, "endpoints": [{"address": f"{name}.example", "port": 443}]}
            out.append(self.document("MeshExternalService", *self.named(name), spec=spec))
        for name in NAMES["MeshMultiZoneService"]:
            ports = [{"port": 8080, "appProtocol": "http", **({"name": "http"} if self.is_so(0.5) else {})}]
            spec = {"selector": {"meshService": {"matchLabels": self.own_labels()}}, "ports": ports}
            # Made on a global only.
            labels = {**self.own_labels(), "kuma.io/origin": "global", "kuma.io/display-name": name}
            out.append(self.document("MeshMultiZoneService", documents.copy_name(self.name, name), labels, spec=spec))
        return out

    # --- references

    def reference(self, kinds, is_to=False):
        kind = self.random.choice(ALL_KINDS if self.is_so(ODD) else kinds)
        target = {"kind": kind}
        if kind in ("Mesh", "MeshSubset") and self.is_so(0.2):
            target["proxyTypes"] = self.some(("Sidecar", "Gateway"))
        if kind in ("MeshServiceSubset", "MeshGateway") or (kind == "MeshService" and not is_to):
            target["name"] = GATEWAY if kind == "MeshGateway" else self.random.choice(SERVICES)
        if kind in ("MeshSubset", "MeshServiceSubset") or (kind == "MeshGateway" and self.is_so(0.3)):
            target["tags"] = self.one_value_of(TAGS)
        if kind == "Dataplane" or (is_to and kind in NAMES):
            target.update(self.identity(kind))
        elif kind == "MeshHTTPRoute":
            target["name"] = self.random.choice(NAMES[kind])
        return target

    def identity(self, kind):
        out = {}
        if kind == "Dataplane" and self.is_so(0.3):
            pass  # all of them
        elif self.is_so(0.4):
            out["labels"] = self.own_labels()
        else:
            out["name"] = self.random.choice(NAMES[kind])
        if kind == "MeshService" and self.is_so(0.3):
            out["sectionName"] = self.random.choice(SECTIONS)
        return out

    def backend(self):
        kind = self.random.choice(("MeshService", "MeshServiceSubset", "MeshExternalService", "MeshMultiZoneService"))
        out = {"kind": kind, "weight": self.random.choice((1, 90))}
        if kind == "MeshServiceSubset":
            return {**out, "name": self.random.choice(SERVICES), "tags": self.one_value_of(TAGS)}
        out["name"] = self.random.choice(NAMES[kind])
        if kind == "MeshMultiZoneService" or self.is_so(0.5):
            out["port"] = self.random.choice(PORTS)
        return out

    # --- routes and policies

    def routes(self):
        out = []
        for name in self.some(NAMES["MeshHTTPRoute"], 3):
            out.append(self.route("MeshHTTPRoute", name, self.http_rules))
        for name in self.some(("stream", "bulk")):
            out.append(self.route("MeshTCPRoute", name, self.tcp_rules))
        return out

    def route(self, type_name, name, rules):
        spec, is_for_gateway = self.spec_with_target(TOP)
        kinds = ("Mesh",) if is_for_gateway else ("MeshService", "MeshService", "MeshExternalService", "MeshMultiZoneService")
        spec["to"] = [
            {"targetRef": self.reference(kinds, is_to=True), "rules": rules()} for _ in range(self.random.randint(1, 2))
        ]
        if is_for_gateway and type_name == "MeshHTTPRoute":
            spec["to"][0]["hostnames"] = self.some(("8080.example", "80.example"))
        return self.document(type_name, *self.named(name), spec=spec)

    def http_rules(self):
        rules = []
        for _ in range(self.random.randint(1, 3)):
            default = {}
            if self.is_so(0.6):
                default["filters"] = self.grow([FILTER])
            if self.is_so(0.6) or not default:
                default["backendRefs"] = [self.backend() for _ in range(self.random.randint(1, 2))]
            rules.append({"matches": self.grow([MATCH]), "default": default})
        return rules

    def tcp_rules(self):
        return [{"default": {"backendRefs": [self.backend() for _ in range(self.random.randint(1, 2))]}}]

    def spec_with_target(self, kinds):
        """And whether it is about a built-in gateway."""
        if self.is_so(0.1):
            return {}, False
        target = self.reference(kinds)
        return {"targetRef": target}, target["kind"] == "MeshGateway"

    def policies(self):
        out = []
        for type_name in self.random.sample(sorted(POLICIES), TYPES_PER_MESH):
            for position in range(self.random.randint(*POLICIES_PER_TYPE)):
                name, labels = self.named(f"{self.random.choice('abcdefgh')}-{position}")
                if self.is_so(SHADOW):
                    labels["kuma.io/effect"] = "shadow"
                out.append(self.document(type_name, name, labels, spec=self.policy(type_name, POLICIES[type_name])))
        return out

    def policy(self, type_name, shape):
        spec, _ = self.spec_with_target(shape.top)
        target = spec.get("targetRef", {"kind": "Mesh"})
        conf, kinds = shape.conf, shape.to
        is_about_gateway = target["kind"] in ("MeshGateway", "MeshHTTPRoute")
        if is_about_gateway:
            kinds = kinds and ("Mesh",)
            conf = OF_ROUTES.get(type_name, conf)
        elif shape.to_is_for_gateways and target["kind"] not in ("Mesh", "MeshSubset"):
            kinds = ()
        has_sources = shape.sources and not (is_about_gateway and kinds)
        sections = [name for name, is_taken in (("to", kinds), ("from", has_sources), ("rules", has_sources)) if is_taken]
        section = self.random.choice(sections or ["default"])
        if section in ("from", "rules"):
            self.narrow(spec, target)
        if section == "default":
            spec["default"] = self.grow(conf)
        if section == "rules":
            spec["rules"] = [self.grow(shape.rules) for _ in range(self.random.randint(1, 2))]
        if section == "to" or (section == "from" and kinds and not shape.to_is_for_gateways and self.is_so(0.3)):
            spec["to"] = self.items(kinds, conf, is_to=True)
        if section == "from":
            spec["from"] = self.items(shape.sources, conf, is_to=False)
        return spec

    def narrow(self, spec, target):
        """What is about inbounds may name one, and may have to say that it is not about gateways."""
        if target["kind"] in ("Mesh", "MeshSubset"):
            spec["targetRef"] = {**target, "proxyTypes": ["Sidecar"]}
        elif target["kind"] == "Dataplane" and self.is_so(0.4):
            spec["targetRef"] = {**target, "sectionName": self.random.choice(SECTIONS)}

    def items(self, kinds, conf, is_to):
        return [
            {"targetRef": self.reference(kinds, is_to), "default": self.grow(conf)} for _ in range(self.random.randint(1, 3))
        ]
