"""What policies mean, asked of a kuma-cp and of a kdsd that hold the same random documents.

Both are zones on their own, because proxies live in zones. Each set of documents is a mesh made of its number. The long run is
KDSD_DIFFERENTIAL_SETS=300; KDSD_DIFFERENTIAL_SET=17 is that set alone. What may differ is in differences.py.
"""

import collections
import copy
import difflib
import json
import os

from differences import EXCUSES, normal
from peers import ALONE, PeerTest, main
from random_mesh import POLICIES, RandomMesh
from support import documents

SETS = 300
SETS_OF_A_TEST = 30
SETS_OF_A_PAIR = 30  # a kuma-cp works for every mesh that it has, all the time
FAILED_SETS_MAX = 5
SHOWN_DIFFERENCES = 5
SHOWN_LINES = 60

HOSTNAME_GENERATORS = [
    {
        "type": "HostnameGenerator", "name": name,
        "spec": {"template": template, "selector": {kind: {"matchLabels": labels}}},
    }
    for name, template, kind, labels in (
        ("zonal", "{{ .DisplayName }}.svc.{{ .Zone }}.test", "meshService", {"app": "web"}),
        ("labelled", "{{ label \"team\" }}.{{ .Name }}.test", "meshService", {"team": "red"}),
        ("external", "{{ .DisplayName }}.ext.test", "meshExternalService", {"kuma.io/origin": "zone"}),
        ("everywhere", "{{ .Name }}.{{ .Mesh }}.mz.test", "meshMultiZoneService", {}),
    )
]


def sets():
    one = os.environ.get("KDSD_DIFFERENTIAL_SET")
    return [int(one)] if one else range(int(os.environ.get("KDSD_DIFFERENTIAL_SETS", SETS_OF_A_TEST)))


def questions(document):
    """What there is to ask about it."""
    views = ()
    if document["type"] == "Dataplane":
        views = ("_rules", "_policies", "_layout")
    elif document["type"] == "MeshGateway":
        views = ("_rules",)
    elif document["type"] == "MeshService":
        views = ("_resources/dataplanes", "_dataplanes", "_hostnames")
    elif document["type"] in ("MeshExternalService", "MeshMultiZoneService"):
        views = ("_hostnames",)
    elif document["type"] in (*POLICIES, "MeshHTTPRoute", "MeshTCPRoute"):
        views = ("_resources/dataplanes",)
    return [f"{documents.path_of(document)}/{view}" for view in views]


def further_questions(path, answer):
    """What an answer makes it possible to ask."""
    base, _, view = path.rpartition("/")
    if view == "_layout":
        for inbound in answer.get("inbounds", []):
            yield f"{base}/_inbounds/{inbound['kri']}/_policies"
        for outbound in answer.get("outbounds", []):
            yield f"{base}/_outbounds/{outbound['kri']}/_policies"
            yield f"{base}/_outbounds/{outbound['kri']}/_routes"
    if view == "_routes":
        found = {rule["kri"] for route in answer.get("routes", []) for rule in route["rules"]}
        for kri in sorted(found - {""}):
            yield f"{base}/_routes/{kri}/_policies"


def shown(value):
    return json.dumps(value, indent=1, sort_keys=True).splitlines()


def put(plane, document):
    return plane.rest.call("PUT", documents.path_of(document), document)


def ask(plane, path):
    answer = plane.rest.get(path)
    try:
        return {"status": answer.status, "answer": normal(answer.json)}
    except ValueError:
        return {"status": answer.status, "answer": {"text": answer.text}}


class Evaluation(PeerTest):
    def setUp(self):
        super().setUp()
        self.counts = collections.Counter()
        self.planes = []

    def start_pair(self):
        for plane in self.planes:
            plane.kill()
        number = len(self.fleet.planes)
        self.planes = [self.fleet.add_zone(f"ours-{number}", **ALONE), self.fleet.add_kuma_zone(f"theirs-{number}", **ALONE)]
        for plane in self.planes:
            plane.zone_name = "east"
        self.fleet.start(self.planes)
        for plane in self.planes:
            for generator in HOSTNAME_GENERATORS:
                plane.put(generator)

    def test_the_same_documents_mean_the_same(self):
        failed = []
        for position, number in enumerate(sets()):
            if position % SETS_OF_A_PAIR == 0:
                self.start_pair()
            differences = self.compare(number)
            failed += [differences] if differences else []
            if len(failed) == FAILED_SETS_MAX:
                break
        print("\n" + "\n".join(f"{count:7} {what}" for what, count in sorted(self.counts.items())))
        if failed:
            self.fail("\n\n".join(failed))
        if len(sets()) >= SETS:
            never = [excuse.name for excuse in EXCUSES if not self.counts[f"excused: {excuse.name}"]]
            self.assertFalse(never, "never needed, take them off the list")

    def compare(self, number):
        """What differs in that set and has no excuse; empty if nothing."""
        written = RandomMesh(number).documents()
        differences = [self.write(document) for document in written]
        by_name = {(document["type"], document["name"]): document for document in written}
        paths = [path for document in written for path in questions(document)]
        for path in paths:
            ours, theirs = (ask(plane, path) for plane in self.planes)
            self.counts["answers"] += 1
            paths += further_questions(path, ours["answer"])
            differences.append(self.difference(path, ours, theirs, by_name))
        differences = [each for each in differences if each]
        if not differences:
            return ""
        lines = [f"set {number}: {len(differences)} differences", *map(json.dumps, written), *differences[:SHOWN_DIFFERENCES]]
        return "\n".join(lines)

    def write(self, document):
        """What is refused by one has to be refused by both."""
        ours, theirs = (put(plane, document) for plane in self.planes)
        self.counts["documents"] += 1
        if (ours.status < 300) == (theirs.status < 300):
            self.counts["refused documents"] += ours.status >= 300
            return ""
        for plane in self.planes:
            plane.rest.call("DELETE", documents.path_of(document))
        return f"{json.dumps(document)}\n- ours   {ours.status} {ours.text}\n+ theirs {theirs.status} {theirs.text}"

    def difference(self, path, ours, theirs, written):
        """Empty when there is none, or none that has no excuse."""
        for excuse in EXCUSES:
            if ours == theirs:
                return ""
            before = copy.deepcopy((ours, theirs))
            excuse.take_out(ours["answer"], theirs["answer"], written)
            if (ours, theirs) != before:
                self.counts[f"excused: {excuse.name}"] += 1
        lines = list(difflib.unified_diff(shown(ours), shown(theirs), "ours", "theirs", n=4, lineterm=""))
        return "\n".join([path, *lines[:SHOWN_LINES]]) if lines else ""


if __name__ == "__main__":
    main()
