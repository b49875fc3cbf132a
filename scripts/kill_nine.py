"""The work behind scripts/kill-nine.

A global and two zones run for all rounds. In each round writers put and delete policies on the global, and policies and services
in zone east, as fast as they are answered; one or more of the processes are killed at a random moment and started again. Then,
before anybody writes there again, and once more at the end of the round, each writer's resources have to be as they were last
acknowledged, or as a later request without an answer would have left them; and all three have to hold what the sync rules say
of each other's contents.
"""

import argparse
import http.client
import json
import random
import sys
import threading
import time
from pathlib import Path

from lib import documents
from lib.fleet import Failure, eventually, run_with_fleet

MESH = "shop"
WRITERS_AT_EACH = 3
NAMES_OF_WRITER = 6
CONVERGE_SECONDS = 30.0
GONE = None  # what a delete leaves


class Writer:
    """Writes resources that nobody else touches, one request at a time, and keeps account of the answers."""

    def __init__(self, plane, number):
        self.plane = plane
        self.type_name = "MeshService" if number == 0 and not plane.is_global else "MeshTimeout"
        self.names = [f"{plane.name}-{number}-{n}" for n in range(NAMES_OF_WRITER)]
        self.acknowledged = {name: GONE for name in self.names}
        self.unanswered = {name: [] for name in self.names}  # values sent after the last acknowledged one
        self.value = 0
        self.count = {"acknowledged": 0, "unanswered": 0}
        self.refusal = ""
        self.has_lost_its_server = threading.Event()
        self.may_go_on = threading.Event()

    def document(self, name, value):
        if self.type_name == "MeshService":
            return documents.service(MESH, name, port=value)
        labels = None if self.plane.is_global else documents.OF_ZONE
        return documents.timeout(MESH, name, f"{value}ms", labels)

    def write_until(self, stop, rng):
        connection = self.plane.rest.connect()
        while not stop.is_set() and not self.refusal:
            name = rng.choice(self.names)
            deletes = rng.random() < 0.2
            self.value = self.value % 60_000 + 1
            value = GONE if deletes else self.value
            try:
                self.write(connection, name, value)
            except (OSError, http.client.HTTPException):
                self.unanswered[name].append(value)
                self.count["unanswered"] += 1
                connection.close()
                # What it writes now would hide what was lost.
                self.has_lost_its_server.set()
                self.may_go_on.wait()
                self.may_go_on.clear()
        connection.close()

    def write(self, connection, name, value):
        path = documents.path(self.type_name, name, MESH)
        if value is GONE:
            answer = self.plane.rest.call("DELETE", path, connection=connection)
            is_done = answer.status in (200, 404)
        else:
            answer = self.plane.rest.call("PUT", path, self.document(name, value), connection=connection)
            is_done = answer.status in (200, 201)
        if is_done:
            self.acknowledged[name] = value
            self.unanswered[name] = []
            self.count["acknowledged"] += 1
        elif answer.status >= 500:  # nobody promised anything
            self.unanswered[name].append(value)
            self.count["unanswered"] += 1
        else:
            self.refusal = f"{path}: answered {answer.status} {answer.text}"

    def losses(self):
        """What is not as it should be; what is, becomes the acknowledged state of the next round."""
        held = contents(self.plane, self.type_name)
        found = []
        for name in self.names:
            stored = held.get(name, GONE)
            if stored != self.acknowledged[name] and stored not in self.unanswered[name]:
                found.append(
                    f"{self.type_name} {name} at {self.plane.name}: acknowledged {self.acknowledged[name]}, "
                    f"sent later {self.unanswered[name]}, stored {stored}"
                )
            self.acknowledged[name], self.unanswered[name] = stored, []
        return found


def contents(plane, type_name):
    """{name: value} of all that the plane holds in the mesh."""
    if type_name == "MeshService":
        return {item["name"]: item["spec"]["ports"][0]["port"] for item in plane.items(type_name, MESH)}
    return {item["name"]: int(documents.timeout_value(item)[:-2]) for item in plane.items(type_name, MESH)}


def own(plane, type_name):
    """What was written there and not received."""
    return {name: value for name, value in contents(plane, type_name).items() if name.startswith(plane.name + "-")}


def check_converged(central, zones):
    for type_name in ("MeshTimeout", "MeshService"):
        written = {plane.name: own(plane, type_name) for plane in (central, *zones)}
        of_global = written["global"]
        of_zones = {
            zone.name: {documents.copy_name(MESH, name, zone.name): value for name, value in written[zone.name].items()}
            for zone in zones
        }
        expected = {"global": dict(of_global)}
        for zone in zones:
            expected["global"] |= of_zones[zone.name]
            expected[zone.name] = written[zone.name] | {documents.copy_name(MESH, n): v for n, v in of_global.items()}
            if type_name == "MeshService":
                for other in zones:
                    expected[zone.name] |= of_zones[other.name] if other is not zone else {}
        for plane in (central, *zones):
            held = contents(plane, type_name)
            if held != expected[plane.name]:
                difference = sorted(set(held.items()) ^ set(expected[plane.name].items()))
                raise AssertionError(f"{type_name} at {plane.name}: {difference[:5]}")
    return True


def play_round(number, seed, fleet, writers):
    """One line about it, and what was lost."""
    rng = random.Random(f"{seed} {number}")
    central, *zones = fleet.planes
    before = {key: sum(w.count[key] for w in writers) for key in ("acknowledged", "unanswered")}
    stop = threading.Event()
    threads = [
        threading.Thread(target=writer.write_until, args=(stop, random.Random(f"{seed} {number} {writer.names[0]}")))
        for writer in writers
    ]
    for thread in threads:
        thread.start()
    moment = rng.uniform(0.1, 0.9)
    time.sleep(moment)
    victims = rng.sample(fleet.planes, rng.choice((1, 1, 1, 1, 2, 3)))
    for plane in victims:
        plane.process.kill()
    for plane in victims:
        plane.kill()
    time.sleep(rng.uniform(0.0, 0.2))
    fleet.start(victims)
    lost = []
    for writer in writers:
        if writer.plane in victims:
            if not writer.has_lost_its_server.wait(20):
                raise Failure(f"a writer at {writer.plane.name} did not notice the kill")
            lost += writer.losses()
            writer.has_lost_its_server.clear()
            writer.may_go_on.set()
    time.sleep(rng.uniform(0.1, 0.4))
    stop.set()
    for writer in writers:
        writer.may_go_on.set()
    for thread in threads:
        thread.join()
    for writer in writers:
        if writer.refusal or writer.has_lost_its_server.is_set():
            raise Failure(writer.refusal or f"{writer.plane.name} did not answer though nobody killed it")
        writer.may_go_on.clear()
    lost += [loss for writer in writers for loss in writer.losses()]
    begin = time.monotonic()
    eventually("all three hold what the rules say", lambda: check_converged(central, zones), CONVERGE_SECONDS)
    count = {key: sum(w.count[key] for w in writers) - before[key] for key in before}
    names = "+".join(sorted(plane.name for plane in victims))
    print(
        f"round {number}: killed {names} after {moment:.2f} s; {count['acknowledged']} writes acknowledged, "
        f"{count['unanswered']} without an answer, {len(lost)} lost; the same everywhere {time.monotonic() - begin:.2f} s later",
        flush=True,
    )
    return names, count["acknowledged"], lost


def load_totals(file, is_anew):
    if file.exists() and not is_anew:
        return json.loads(file.read_text())
    return {"rounds": 0, "acknowledged": 0, "lost": 0, "kills": {}}


def save_totals(file, totals):
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_suffix(".new")
    new.write_text(json.dumps(totals, indent=1) + "\n")
    new.replace(file)


def play(fleet, arguments, totals):
    central = fleet.add_global()
    east, west = (fleet.add_zone(name, central) for name in ("east", "west"))
    fleet.start()
    central.put(documents.mesh(MESH))
    for zone in (east, west):
        eventually(f"the mesh in {zone.name}", lambda z=zone: z.read("Mesh", MESH))
    west.put(documents.service(MESH, "west-still"))  # has to stay where it is, whoever is killed
    writers = [Writer(plane, number) for plane in (central, east) for number in range(WRITERS_AT_EACH)]
    while totals["rounds"] < arguments.rounds:
        names, acknowledged, lost = play_round(totals["rounds"] + 1, arguments.seed, fleet, writers)
        totals["rounds"] += 1
        totals["acknowledged"] += acknowledged
        totals["lost"] += len(lost)
        totals["kills"][names] = totals["kills"].get(names, 0) + 1
        save_totals(arguments.totals, totals)
        if lost:
            raise Failure("\n  ".join([f"lost in round {totals['rounds']}:", *lost]))
    for plane in (east, west, central):
        plane.stop()


def main():
    parser = argparse.ArgumentParser(prog="scripts/kill-nine", description="SIGKILL under load, and nothing may be lost.")
    parser.add_argument("--kdsd", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=200, help="how many the totals shall reach (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="decides moments and victims (default %(default)s)")
    parser.add_argument("--totals", type=Path, default=Path("build/kill-nine.json"), help="file (default %(default)s)")
    parser.add_argument("--anew", action="store_true", help="forget former totals")
    arguments = parser.parse_args()
    totals = load_totals(arguments.totals, arguments.anew)
    code = run_with_fleet(arguments.kdsd, "kill-nine", lambda fleet: play(fleet, arguments, totals))
    print(f"total: {totals['rounds']} rounds, {totals['acknowledged']} writes acknowledged, {totals['lost']} lost")
    print("killed: " + ", ".join(f"{names} {count}" for names, count in sorted(totals["kills"].items())))
    return code or (1 if totals["lost"] else 0)


if __name__ == "__main__":
    sys.exit(main())
