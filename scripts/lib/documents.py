"""Resource documents, where they live in the REST API, and the names of their copies."""

MESH_PATHS = {
    "CircuitBreaker": "circuit-breakers",
    "Dataplane": "dataplanes",
    "ExternalService": "external-services",
    "FaultInjection": "fault-injections",
    "HealthCheck": "health-checks",
    "MeshAccessLog": "meshaccesslogs",
    "MeshCircuitBreaker": "meshcircuitbreakers",
    "MeshExternalService": "meshexternalservices",
    "MeshFaultInjection": "meshfaultinjections",
    "MeshGateway": "meshgateways",
    "MeshHTTPRoute": "meshhttproutes",
    "MeshHealthCheck": "meshhealthchecks",
    "MeshLoadBalancingStrategy": "meshloadbalancingstrategies",
    "MeshMetric": "meshmetrics",
    "MeshMultiZoneService": "meshmultizoneservices",
    "MeshPassthrough": "meshpassthroughs",
    "MeshProxyPatch": "meshproxypatches",
    "MeshRateLimit": "meshratelimits",
    "MeshRetry": "meshretries",
    "MeshService": "meshservices",
    "MeshTCPRoute": "meshtcproutes",
    "MeshTLS": "meshtlses",
    "MeshTimeout": "meshtimeouts",
    "MeshTrace": "meshtraces",
    "MeshTrafficPermission": "meshtrafficpermissions",
    "ProxyTemplate": "proxytemplates",
    "RateLimit": "rate-limits",
    "Retry": "retries",
    "Secret": "secrets",
    "ServiceInsight": "service-insights",
    "Timeout": "timeouts",
    "TrafficLog": "traffic-logs",
    "TrafficPermission": "traffic-permissions",
    "TrafficRoute": "traffic-routes",
    "TrafficTrace": "traffic-traces",
}
GLOBAL_PATHS = {
    "GlobalSecret": "globalsecrets",
    "HostnameGenerator": "hostnamegenerators",
    "Mesh": "meshes",
    "MeshInsight": "mesh-insights",
    "Zone": "zones",
    "ZoneEgress": "zoneegresses",
    "ZoneIngress": "zoneingresses",
}

OF_ZONE = {"kuma.io/origin": "zone"}  # what a federated zone demands on policies and services that users write there


def path(type_name, name="", mesh=""):
    """Of one resource, or without a name of the list; without a mesh the list of all meshes."""
    segment = MESH_PATHS.get(type_name) or GLOBAL_PATHS[type_name]
    where = f"/meshes/{mesh}/{segment}" if mesh else f"/{segment}"
    return f"{where}/{name}" if name else where


def path_of(document):
    return path(document["type"], document["name"], document.get("mesh", ""))


def mesh(name, **fields):
    """A mesh without the policies that a control plane adds by itself."""
    return {"type": "Mesh", "name": name, "skipCreatingInitialPolicies": ["*"], **fields}


def timeout(mesh_name, name, value="5s", labels=None):
    """A MeshTimeout for all traffic of the mesh."""
    spec = {
        "targetRef": {"kind": "Mesh"},
        "to": [{"targetRef": {"kind": "Mesh"}, "default": {"http": {"requestTimeout": value}}}],
    }
    document = {"type": "MeshTimeout", "mesh": mesh_name, "name": name, "spec": spec}
    return {**document, "labels": labels} if labels else document


def timeout_value(document):
    return document["spec"]["to"][0]["default"]["http"]["requestTimeout"]


def retry(mesh_name, name, labels=None):
    spec = {
        "targetRef": {"kind": "Mesh"},
        "to": [{"targetRef": {"kind": "Mesh"}, "default": {"tcp": {"maxConnectAttempt": 3}}}],
    }
    document = {"type": "MeshRetry", "mesh": mesh_name, "name": name, "spec": spec}
    return {**document, "labels": labels} if labels else document


def service(mesh_name, name, port=8080):
    return {
        "type": "MeshService",
        "mesh": mesh_name,
        "name": name,
        "labels": dict(OF_ZONE),
        "spec": {
            "selector": {"dataplaneTags": {"app": name}},
            "ports": [{"port": port, "targetPort": port, "name": "main", "appProtocol": "http"}],
        },
    }


def dataplane(mesh_name, name, labels=None):
    document = {
        "type": "Dataplane",
        "mesh": mesh_name,
        "name": name,
        "networking": {
            "address": "192.0.2.10",
            "inbound": [{"port": 8080, "tags": {"kuma.io/service": name, "kuma.io/protocol": "http"}}],
        },
    }
    return {**document, "labels": labels} if labels else document


def secret(mesh_name, name, data="c2FtcGxl"):
    return {"type": "Secret", "mesh": mesh_name, "name": name, "data": data}


def global_secret(name, data="c2FtcGxl"):
    return {"type": "GlobalSecret", "name": name, "data": data}


def copy_name(mesh_name, name, *values):
    """The name of a copy. The values are the zone and the namespace of the original, as far as it has them.

    FNV-1a of 64 bits over all texts in a row, as 16 hexadecimal digits, each written with a letter of Kubernetes' alphabet.
    """
    digest = 0xCBF29CE484222325
    for byte in "".join((mesh_name, name, *values)).encode():
        digest = (digest ^ byte) * 0x100000001B3 & (1 << 64) - 1
    alphabet = "bcdfghjklmnpqrstvwxz2456789"
    return f"{name[:236]}-" + "".join(alphabet[ord(digit) % len(alphabet)] for digit in f"{digest:016x}")
