"""The work behind scripts/mixed-fleet.

Policies are written on the global, policies and services in each zone, at random and one at a time; meanwhile links are cut, frozen
or dropped, processes stopped or killed, and a zone is disabled for a while. A zone of kuma-cp keeps its store in memory: after a
restart what was its own is written there again, as its users would. At the end all faults are over, and each place has to hold
what is its own and what the rules send it; nobody reconnects or refuses any more.
"""

import argparse
import http.client
import random
import re
import sys
import time

from lib import documents, kuma
from lib.fleet import Failure, eventually, run_with_fleet
from lib.link import Link

MESH = "shop"
CONVERGE_SECONDS = 120.0
CALM_SECONDS = 20.0  # afterwards, in which nobody may reconnect or refuse
FAULT_EVERY_SECONDS = (2.0, 8.0)
ABSENT_SECONDS = (0.5, 5.0)
TYPES = ("MeshTimeout", "MeshService")


def milliseconds(text):
    """Of a duration. A kuma-cp shows 16710ms as 16.71s."""
    units = {"h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
    return round(sum(float(value) * units[unit] for value, unit in re.findall(r"([\d.]+)(ms|h|m|s)", text)))


class Place:
    """A control plane, its link, and what was written there."""

    def __init__(self, plane, link=None, is_kuma=False):
        self.plane = plane
        self.link = link
        self.is_kuma = is_kuma
        self.own = {type_name: {} for type_name in TYPES}  # {type: {name: value}}
        self.is_paused = False
        self.doubtful = set()  # (type, name) of writes without an answer, or that met another writer

    @property
    def name(self):
        return self.plane.name

    def document(self, type_name, name, value):
        if type_name == "MeshService":
            return documents.service(MESH, name, port=value)
        labels = None if self.plane.is_global else documents.OF_ZONE
        return documents.timeout(MESH, name, f"{value}ms", labels)

    def pause(self):
        self.is_paused = True
        self.plane.freeze()

    def go_on(self):
        self.plane.thaw()
        self.is_paused = False

    def write(self, type_name, name, value):
        """Puts it, or deletes it without a value. Whether it was done. A kuma-cp answers 409 to a write that meets one of its own
        updaters of status."""
        path = documents.path(type_name, name, MESH)
        try:
            if value is None:
                answer = self.plane.rest.call("DELETE", path)
            else:
                answer = self.plane.rest.call("PUT", path, self.document(type_name, name, value))
        except (OSError, http.client.HTTPException):
            answer = None
        if answer is None or answer.status >= 500 or (answer.status == 409 and self.is_kuma):
            self.doubtful.add((type_name, name))
            return False
        if answer.status not in (200, 201, 404):
            raise Failure(f"{path} at {self.name}: answered {answer.status} {answer.text}")
        self.doubtful.discard((type_name, name))
        if value is None:
            self.own[type_name].pop(name, None)
        else:
            self.own[type_name][name] = value
        return True

    def write_again(self):
        """What a store in memory lost."""
        for type_name in TYPES:
            for name, value in list(self.own[type_name].items()):
                eventually(f"{type_name} {name} again", lambda t=type_name, n=name, v=value: self.write(t, n, v))

    def resolve_doubts(self):
        """Writes that had no answer are made once more, so that it is known what is there."""
        for type_name, name in list(self.doubtful):
            value = self.own[type_name].get(name)
            eventually(f"{type_name} {name} at {self.name}", lambda t=type_name, n=name, v=value: self.write(t, n, v))

    def contents(self, type_name):
        items = self.plane.items(type_name, MESH)
        if type_name == "MeshService":
            return {item["name"]: item["spec"]["ports"][0]["port"] for item in items}
        return {item["name"]: milliseconds(documents.timeout_value(item)) for item in items}


class Trial:
    def __init__(self, fleet, arguments):
        self.rng = random.Random(arguments.seed)
        self.count = {}
        self.resources = arguments.resources
        self.seconds = arguments.minutes * 60
        central = fleet.add_global()
        self.central = Place(central)
        self.zones = []
        for name, is_kuma in (("east", True), ("west", True), ("north", False), ("south", False)):
            link = Link(central.kds_port)
            plane = fleet.add_kuma_zone(name, central) if is_kuma else fleet.add_zone(name, central)
            plane.global_address = link.address
            self.zones.append(Place(plane, link, is_kuma))
        self.places = [self.central, *self.zones]
        fleet.start()
        self.pending = []  # (time, what ends a fault)

    def note(self, what):
        self.count[what] = self.count.get(what, 0) + 1

    def types_of(self, place):
        return TYPES if place is not self.central else TYPES[:1]

    def fill(self):
        self.central.plane.put(documents.mesh(MESH))
        for zone in self.zones:
            eventually(f"the mesh in {zone.name}", lambda z=zone: z.plane.read("Mesh", MESH))
        for number in range(self.resources):
            place = self.places[number % len(self.places)]
            type_name = self.rng.choice(self.types_of(place))
            place.write(type_name, f"{place.name}-{number}", self.rng.randrange(1, 60_000))

    def write_somewhere(self, number):
        # A stopped process carries a request out when it goes on, long after somebody gave up waiting for the answer.
        place = self.rng.choice([place for place in self.places if not place.is_paused])
        type_name = self.rng.choice(self.types_of(place))
        names = sorted(place.own[type_name])
        kind = self.rng.random()
        if kind < 0.15 and len(names) > self.resources // 20:
            done = place.write(type_name, self.rng.choice(names), None)
            self.note("deletes" if done else "without answer")
            return
        name = self.rng.choice(names) if names and kind < 0.8 else f"{place.name}-more-{number}"
        done = place.write(type_name, name, self.rng.randrange(1, 60_000))
        self.note("writes" if done else "without answer")

    def later(self, action):
        self.pending.append((time.monotonic() + self.rng.uniform(*ABSENT_SECONDS), action))

    def fault(self):
        zone = self.rng.choice(self.zones)
        kind = self.rng.choice(("drop", "cut", "freeze", "pause", "kill", "restart", "global", "disable"))
        self.note(f"fault: {kind}")
        if kind == "drop":
            zone.link.drop()
        elif kind in ("cut", "freeze"):
            (zone.link.cut if kind == "cut" else zone.link.freeze)()
            self.later(zone.link.heal)
        elif kind == "pause":
            zone.pause()
            self.later(zone.go_on)
        elif kind == "global":
            self.central.plane.kill()
            self.central.plane.start()
        elif kind == "disable":
            self.enable(zone, False)
            self.later(lambda: self.enable(zone, True))
        else:
            self.restart(zone, kind)

    def restart(self, zone, kind):
        if any(True for _ in self.pending):  # a stopped process neither ends nor answers
            self.end_faults()
        if kind == "kill" or zone.is_kuma:
            zone.plane.kill()
        else:
            zone.plane.stop()
        zone.plane.start()
        if zone.is_kuma:
            eventually(f"the mesh in {zone.name}", lambda: zone.plane.read("Mesh", MESH), 60)
            zone.write_again()

    def enable(self, zone, value):
        document = {"type": "Zone", "name": zone.name, "enabled": value}
        eventually(f"zone {zone.name} is written", lambda: self.central.plane.rest.call(
            "PUT", documents.path_of(document), document).status in (200, 201))

    def end_faults(self, before=float("inf")):
        due = [action for moment, action in self.pending if moment <= before]
        self.pending = [each for each in self.pending if each[0] > before]
        for action in due:
            action()

    def run(self):
        end = time.monotonic() + self.seconds
        next_fault = time.monotonic() + self.rng.uniform(*FAULT_EVERY_SECONDS)
        number = 0
        while time.monotonic() < end:
            number += 1
            self.end_faults(time.monotonic())
            if time.monotonic() > next_fault:
                self.fault()
                next_fault = time.monotonic() + self.rng.uniform(*FAULT_EVERY_SECONDS)
            if not self.pending or self.rng.random() < 0.9:
                self.write_somewhere(number)
            time.sleep(0.01)
        self.end_faults()
        for place in self.places:
            place.resolve_doubts()

    def expected(self, place, type_name):
        held = dict(place.own[type_name])
        if place is not self.central:
            of_global = self.central.own[type_name].items()
            held |= {documents.copy_name(MESH, name): value for name, value in of_global}
        for zone in self.zones:
            is_for = place is self.central or type_name == "MeshService"
            if zone is not place and is_for:
                held |= {documents.copy_name(MESH, n, zone.name): v for n, v in zone.own[type_name].items()}
        return held

    def check_converged(self):
        for place in self.places:
            for type_name in TYPES:
                held, expected = place.contents(type_name), self.expected(place, type_name)
                if held != expected:
                    difference = sorted(set(held.items()) ^ set(expected.items()))
                    raise AssertionError(f"{type_name} at {place.name}: {len(difference)} differ: {difference[:5]}")
        return True

    def unrest(self):
        """How often anybody connected or refused so far."""
        refused = self.central.plane.metric("kds_delta_responses_nacked_total") or 0
        text = self.central.plane.log_text()
        return text.count(" offline reason="), text.count("result=nack"), refused

    def check_calm(self):
        before = self.unrest()
        time.sleep(CALM_SECONDS)  # what is watched for is that nothing happens
        after = self.unrest()
        if before != after:
            raise Failure(f"(lost connections, refusals) rose from {before} to {after} after all faults were over")


def play(fleet, arguments):
    trial = Trial(fleet, arguments)
    try:
        trial.fill()
        eventually("the first state is everywhere", trial.check_converged, CONVERGE_SECONDS)
        print(f"{arguments.resources} resources everywhere; {arguments.minutes} minutes begin", flush=True)
        trial.run()
        begin = time.monotonic()
        eventually("everybody holds what the rules say", trial.check_converged, CONVERGE_SECONDS)
        print(f"the same everywhere {time.monotonic() - begin:.1f} s after the last fault")
        trial.check_calm()
        total = sum(len(place.contents(t)) for place in trial.places for t in TYPES)
        print(f"{total} resources and copies compared; nobody reconnected or refused for {CALM_SECONDS:.0f} s")
        print(", ".join(f"{what} {count}" for what, count in sorted(trial.count.items())))
        print("connections lost {}, responses refused {}".format(*trial.unrest()))
    finally:
        for zone in trial.zones:
            zone.link.close()


def main():
    parser = argparse.ArgumentParser(prog="scripts/mixed-fleet", description="kdsd and kuma-cp together, under faults.")
    parser.add_argument("--kdsd", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, default=10.0, help="of writes and faults (default %(default)s)")
    parser.add_argument("--resources", type=int, default=2000, help="written at the beginning (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="decides writes and faults (default %(default)s)")
    arguments = parser.parse_args()
    if not kuma.peer():
        print(f"SKIPPED mixed fleet: {kuma.CONTROL_PLANE} names no kuma-cp")
        return 77
    return run_with_fleet(arguments.kdsd, "mixed fleet", lambda fleet: play(fleet, arguments), kuma.MixedFleet)


if __name__ == "__main__":
    sys.exit(main())
