"""`kumactl inspect` of proxies and policies, against a kuma-cp and a kdsd zone with the same documents: policies of today, made at
random, and older ones, which are used for inbounds, outbounds and services."""

import itertools
import json

from outputs import comparable
from peers import ALONE, Kumactl, PeerTest, main, needs_kumactl
from random_mesh import POLICIES, RandomMesh
from support import documents

RANDOM_MESHES = range(3)
KINDS = (*POLICIES, "MeshHTTPRoute", "MeshTCPRoute")

ANY = [{"match": {"kuma.io/service": "*"}}]
FAULT = {"abort": {"httpStatus": 500, "percentage": 100}}
LIMIT = {"http": {"requests": 5, "interval": "10s"}}
DETECTORS = {"detectors": {"totalErrors": {}}}
CHECK = {"interval": "10s", "timeout": "2s", "unhealthyThreshold": 3, "healthyThreshold": 1, "tcp": {}}


def of(service):
    return [{"match": {"kuma.io/service": service}}]


def http(service):
    return [{"match": {"kuma.io/service": service, "kuma.io/protocol": "http"}}]


def older(kind, name, sources, destinations, **fields):
    return {"type": kind, "mesh": "older", "name": name, "sources": sources, "destinations": destinations, **fields}


def proxy(name, inbounds, outbounds, **fields):
    networking = {
        "address": "192.0.2.1",
        "inbound": [{"port": port, "tags": {"kuma.io/service": service, "kuma.io/protocol": "http"}} for port, service in inbounds],
        "outbound": [{"port": port, "tags": {"kuma.io/service": service}} for port, service in outbounds],
    }
    return {"type": "Dataplane", "mesh": "older", "name": name, "networking": {**networking, **fields}}


GATEWAY = {"type": "DELEGATED", "tags": {"kuma.io/service": "edge"}}
OLDER = [
    {"type": "Mesh", "name": "older", "skipCreatingInitialPolicies": ["*"]},
    proxy("web", [(80, "web"), (90, "admin")], [(1001, "api"), (1002, "db")]),
    proxy("api", [(80, "api")], [(1001, "db"), (1002, "db")]),
    {**proxy("edge", [], [(1001, "web")]), "networking": {"address": "192.0.2.2", "gateway": GATEWAY,
                                                          "outbound": [{"port": 1001, "tags": {"kuma.io/service": "web"}}]}},
    older("TrafficPermission", "all", ANY, ANY),
    older("TrafficPermission", "web", of("edge"), of("web")),
    older("TrafficRoute", "all", ANY, ANY, conf={"destination": {"kuma.io/service": "*"}}),
    older("TrafficRoute", "split", of("web"), of("db"), conf={"split": [
        {"weight": 90, "destination": {"kuma.io/service": "db"}}, {"weight": 10, "destination": {"kuma.io/service": "db-next"}}]}),
    older("FaultInjection", "all", ANY, http("web"), conf=FAULT),
    older("FaultInjection", "one", of("edge"), http("web"), conf=FAULT),
    older("RateLimit", "limit", of("web"), of("api"), conf=LIMIT),
    older("Timeout", "all", ANY, ANY, conf={"connectTimeout": "5s"}),
    older("Timeout", "db", ANY, of("db"), conf={"connectTimeout": "7s"}),
    older("HealthCheck", "check", ANY, ANY, conf=CHECK),
    older("CircuitBreaker", "breaker", of("web"), ANY, conf=DETECTORS),
    older("Retry", "retry", ANY, of("db"), conf={"http": {"numRetries": 3}}),
    older("TrafficLog", "log", of("web"), ANY),
    {"type": "TrafficTrace", "mesh": "older", "name": "trace", "selectors": of("web")},
    {"type": "TrafficTrace", "mesh": "older", "name": "traces", "selectors": ANY},
    {"type": "ProxyTemplate", "mesh": "older", "name": "template", "selectors": ANY, "conf": {"imports": ["default-proxy"]}},
]
ARGUMENTS = {
    "CircuitBreaker": "circuit-breaker", "FaultInjection": "fault-injection", "HealthCheck": "healthcheck",
    "ProxyTemplate": "proxytemplate", "RateLimit": "rate-limit", "Retry": "retry", "Timeout": "timeout",
    "TrafficLog": "traffic-log", "TrafficPermission": "traffic-permission", "TrafficRoute": "traffic-route",
    "TrafficTrace": "traffic-trace",
}


def commands(document):
    """What there is to inspect of it."""
    kind, name, mesh = document["type"], document["name"], document.get("mesh", "")
    if kind == "Dataplane":
        yield "inspect", "dataplane", name, "-m", mesh
    elif kind in ARGUMENTS or kind in KINDS:
        yield "inspect", ARGUMENTS.get(kind, kind.lower()), name, "-m", mesh
    elif kind == "MeshGateway":
        yield "inspect", "meshgateway", name, "-m", mesh
    elif kind == "Mesh":
        yield "inspect", "dataplanes", "-m", name


@needs_kumactl
class SameInspections(PeerTest):
    def setUp(self):
        super().setUp()
        theirs = self.fleet.add_kuma_zone("theirs", **ALONE)
        theirs.zone_name = "east"
        theirs.start()
        # Otherwise kumactl warns of the difference with every command.
        version = theirs.rest.get("/").json["version"]
        ours = self.fleet.add_zone("ours", KDSD_COMPATIBLE_VERSION=version, **ALONE)
        ours.zone_name = "east"
        ours.start()
        self.planes = [ours, theirs]

    def test_outputs_are_equal(self):
        random_documents = itertools.chain(*(RandomMesh(number).documents() for number in RANDOM_MESHES))
        written = [each for each in (*OLDER, *random_documents) if self.is_taken(each)]
        self.assertTrue(set(map(json.dumps, OLDER)) <= set(map(json.dumps, written)))
        ours, theirs = map(Kumactl, self.planes)
        count = 0
        for document in written:
            for arguments in commands(document):
                count += 1
                with self.subTest(" ".join(arguments)):
                    mine, other = (comparable(arguments, each.run(*arguments)) for each in (ours, theirs))
                    self.assertEqual(json.dumps(mine, indent=1), json.dumps(other, indent=1))
        print(f"{count} commands")

    def is_taken(self, document):
        """A random document may be one that nobody accepts."""
        answers = [plane.rest.call("PUT", documents.path_of(document), document) for plane in self.planes]
        texts = [json.dumps(document), *(each.text for each in answers)]
        self.assertEqual(answers[0].status < 300, answers[1].status < 300, texts)
        return answers[0].status < 300


if __name__ == "__main__":
    main()
