"""The work behind scripts/stalled-zone.

A global and zones east and west. First a phase in which all is well, then one of the same length and load in which west is
stopped with SIGSTOP. In both, policies change on the global at a steady rate, and the time from a write to its being visible in
east is measured.

How that time is measured: one sampler takes the write that is just being sent, and asks the API of east for its copy again and
again until it shows this value or a later one. The time runs from before the request to the global is sent until the answer of
east that shows it is read, so it has in it the commit on the global, the way, the commit in east, and up to one poll (about a
millisecond). The modification time of the copy would be without that poll, but it is set before the copy is durable and visible.
"""

import argparse
import sys
import threading
import time

from lib import documents
from lib.fleet import Failure, eventually, run_with_fleet
from lib.rest import SLOWNESS

MESH = "shop"
POLICIES = 1_000  # that change in turn
WRITERS = 4
POLL_SECONDS = 0.0005
CATCH_UP_SECONDS = 60.0

# What the global may need more during the stall. West can hold one response for each type (2 MiB at most) and what gRPC and the
# kernel buffer for one connection; everybody else costs the same as before. The rest is what an allocator keeps: sanitizers keep
# nearly everything that is freed.
GROWTH_BYTES_MAX = int((32 << 20) * SLOWNESS)


class Load:
    """Changes policies at a steady rate from several threads, and samples how long a change takes to be visible in east."""

    def __init__(self, central, east, first_value):
        self.central = central
        self.east = east
        self.value = first_value
        self.failure = None
        self._lock = threading.Lock()

    def run(self, changes, seconds):
        """How long it took; more than `seconds` when the global did not keep up."""
        # All new in each phase: the call that ends a phase may find the sampler at work, and would then still be set in the next.
        self.delays, self._sampled, self._wanted, self._is_over = [], None, threading.Event(), False
        begin = time.monotonic()
        writers = [threading.Thread(target=self._write, args=(n, changes, seconds, begin)) for n in range(WRITERS)]
        sampler = threading.Thread(target=self._sample)
        for thread in (*writers, sampler):
            thread.start()
        for thread in writers:
            thread.join()
        took = time.monotonic() - begin
        self._is_over = True
        self._wanted.set()
        sampler.join()
        if self.failure:
            raise Failure(self.failure)
        if not self.delays:
            raise Failure("no write was sampled")
        return took

    def _write(self, writer, changes, seconds, begin):
        connection = self.central.rest.connect()
        for number in range(writer, changes, WRITERS):
            time.sleep(max(0.0, begin + number * seconds / changes - time.monotonic()))
            with self._lock:
                self.value += 1
                name, value = f"p-{self.value % POLICIES}", self.value
                sent = time.monotonic()
                if self._sampled is None:
                    self._sampled = (name, value, sent)
                    self._wanted.set()
            document = documents.timeout(MESH, name, f"{value}ms")
            answer = self.central.rest.call("PUT", documents.path_of(document), document, connection=connection)
            if answer.status not in (200, 201):
                self.failure = f"a write was answered {answer.status} {answer.text}"
                break
        connection.close()

    def _sample(self):
        connection = self.east.rest.connect()
        while True:
            self._wanted.wait()
            with self._lock:
                sample = self._sampled
                self._wanted.clear()
            if sample is None:
                break
            name, value, sent = sample
            path = documents.path("MeshTimeout", documents.copy_name(MESH, name), MESH)
            while True:
                answer = self.east.rest.call("GET", path, connection=connection)
                if answer.status == 200 and int(documents.timeout_value(answer.json)[:-2]) >= value:
                    self.delays.append(time.monotonic() - sent)
                    break
                if time.monotonic() - sent > CATCH_UP_SECONDS:
                    self.failure = f"{name} is not visible in east after {CATCH_UP_SECONDS:.0f} s"
                    break
                time.sleep(POLL_SECONDS)
            with self._lock:
                self._sampled = None
            if self._is_over or self.failure:
                break
        connection.close()


class Watch:
    """Looks at the global's memory and at west's subscription ten times a second."""

    def __init__(self, central):
        self.central = central
        self.peak = central.memory_bytes()
        self.ended_after = None
        self._begin = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self):
        while not self._stop.wait(0.1):
            self.peak = max(self.peak, self.central.memory_bytes())
            if self.ended_after is None and not is_online(self.central, "west"):
                self.ended_after = time.monotonic() - self._begin

    def end(self):
        self._stop.set()
        self._thread.join()


def is_online(central, zone):
    overview = central.rest.get(f"/zones/{zone}/_overview").json
    subscriptions = overview.get("zoneInsight", {}).get("subscriptions", [])
    return any("disconnectTime" not in each for each in subscriptions)


def values(plane):
    """{name of the copy: value}, with the names that the zones use."""
    is_global = plane.is_global
    return {
        documents.copy_name(MESH, item["name"]) if is_global else item["name"]: documents.timeout_value(item)
        for item in plane.items("MeshTimeout", MESH)
    }


def quantile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))]


def mib(size):
    return f"{size / (1 << 20):.1f} MiB"


def run_phase(name, load, arguments):
    took = load.run(arguments.changes, arguments.seconds)
    delays = sorted(load.delays)
    print(
        f"{name}: {arguments.changes} changes in {took:.1f} s; write to visible in east: "
        f"p50 {1000 * quantile(delays, 0.5):.1f} ms, p99 {1000 * quantile(delays, 0.99):.1f} ms, "
        f"most {1000 * delays[-1]:.1f} ms, {len(delays)} samples",
        flush=True,
    )


def measure(fleet, arguments):
    central = fleet.add_global()
    east, west = (fleet.add_zone(name, central) for name in ("east", "west"))
    fleet.start()
    central.put(documents.mesh(MESH))
    for number in range(POLICIES):
        central.put(documents.timeout(MESH, f"p-{number}", "1ms"))
    for zone in (east, west):
        eventually(f"all policies in {zone.name}", lambda z=zone: values(z) == values(central), CATCH_UP_SECONDS)

    load = Load(central, east, first_value=POLICIES)
    run_phase("all is well  ", load, arguments)
    before = central.memory_bytes()
    west.freeze()
    watch = Watch(central)
    try:
        run_phase("west stalled ", load, arguments)
    finally:
        watch.end()
        after = central.memory_bytes()
        west.thaw()
    begin = time.monotonic()
    eventually("west holds everything", lambda: values(west) == values(central), CATCH_UP_SECONDS)
    caught_up = time.monotonic() - begin
    print(
        f"memory of the global: before {mib(before)}, at most {mib(watch.peak)}, after {mib(after)}; "
        f"after west caught up {mib(central.memory_bytes())}"
    )
    ended = f"ended {watch.ended_after:.1f} s after the stop" if watch.ended_after else "stayed open"
    print(f"the stream of west {ended}; west held everything {caught_up:.2f} s after it went on")
    if watch.peak - before > GROWTH_BYTES_MAX:
        raise Failure(f"memory grew by {mib(watch.peak - before)}, more than {mib(GROWTH_BYTES_MAX)}")
    if values(east) != values(central):
        raise Failure("east does not hold everything")
    for plane in (east, west, central):
        plane.stop()


def main():
    parser = argparse.ArgumentParser(prog="scripts/stalled-zone", description="What a stopped zone costs the others.")
    parser.add_argument("--kdsd", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=60.0, help="length of each phase (default %(default)s)")
    parser.add_argument("--changes", type=int, default=10_000, help="policy changes in each phase (default %(default)s)")
    arguments = parser.parse_args()
    return run_with_fleet(arguments.kdsd, "stalled-zone", lambda fleet: measure(fleet, arguments))


if __name__ == "__main__":
    sys.exit(main())
