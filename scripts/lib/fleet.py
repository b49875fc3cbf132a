"""Control planes as processes of this machine: a global and its zones, each in a directory of its own and on free ports of the
loopback address. The demo, the long runs and the integration tests all drive kdsd through this module.
"""

import atexit
import http.client
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import documents
from .rest import SLOWNESS, Server

READY_SECONDS = 30.0 * SLOWNESS  # from the start of a process until its API answers
ARRIVE_SECONDS = 20.0 * SLOWNESS  # from a write until its effect is everywhere
STOP_SECONDS = 15.0 * SLOWNESS  # from SIGTERM until the process is gone
LOG_TAIL_LINES = 15
PORTS_CLAIMED = 200
PAGE_SIZE = 1000  # the largest that Kuma allows

# Pauses turned down so that nobody has to wait for them. They are waiting times only; no expectation depends on their values.
SHORT_PAUSES = {
    "KUMA_GENERAL_RESILIENT_COMPONENT_BASE_BACKOFF": "50ms",
    "KUMA_GENERAL_RESILIENT_COMPONENT_MAX_BACKOFF": "500ms",
    "KUMA_MULTIZONE_GLOBAL_KDS_ZONE_INSIGHT_FLUSH_INTERVAL": "200ms",
    "KUMA_METRICS_MESH_MIN_RESYNC_INTERVAL": "200ms",
    "KUMA_METRICS_MESH_FULL_RESYNC_INTERVAL": "1s",
}


class Failure(AssertionError):
    """An expectation that did not come true."""


def _claimed_ports(claims):
    """Port after port, none twice, from ranges that belong to this process until it ends: whoever was given a port may take
    a while to listen on it. They are below those that the system hands to outgoing connections: there a connection of anybody
    could take the port of a process that is just being started again."""
    lowest_outgoing = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    firsts = list(range(10_000, max(lowest_outgoing, 12_000) - PORTS_CLAIMED, PORTS_CLAIMED))
    random.SystemRandom().shuffle(firsts)
    for first in firsts:
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0kdsd-test-ports-{first}")  # a name without a file, gone with the process
        except OSError:
            claim.close()
            continue
        claims.append(claim)
        yield from range(first, first + PORTS_CLAIMED)


_claims = []  # kept open
_ports = _claimed_ports(_claims)


def free_ports(count):
    """Ports that nobody uses and nobody else is given."""
    ports = []
    for port in _ports:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        ports.append(port)
        if len(ports) == count:
            return ports
    raise Failure("no free ports")


def eventually(what, check, seconds=ARRIVE_SECONDS, pause=0.03):
    """The first true answer of `check`. A check that fails by an AssertionError counts as one that is not true yet."""
    end = time.monotonic() + seconds
    while True:
        reason = ""
        try:
            answer = check()
            if answer:
                return answer
        except Failure:
            raise
        except AssertionError as error:
            reason = f": {error}"
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds:.0f} s{reason}")
        time.sleep(pause)


class ControlPlane:
    """One kdsd process, which can be started again with what it stored."""

    def __init__(self, program, name, directory, kds_port=None, global_address="", settings=None):
        """A global when it has a `kds_port`, else a zone. The settings are variables that win over the usual ones."""
        self.program = str(program)
        self.name = name
        self.is_global = kds_port is not None
        self.work = directory / name
        self.work.mkdir()
        self.log = directory / f"{name}.log"
        self.store = self.work / "kdsd.db"
        self.kds_port = kds_port
        self.global_address = global_address
        rest_port, diagnostics_port = free_ports(2)
        self.rest = Server(rest_port)
        self.diagnostics = Server(diagnostics_port)
        self.zone_name = name
        self.settings = dict(settings or {})
        self.process = None

    @property
    def address(self):
        return self.rest.address

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def variables(self):
        settings = {
            **SHORT_PAUSES,
            "KUMA_MODE": "global" if self.is_global else "zone",
            "KUMA_GENERAL_WORK_DIR": str(self.work),
            "KUMA_API_SERVER_HTTP_INTERFACE": "127.0.0.1",
            "KUMA_API_SERVER_HTTP_PORT": str(self.rest.port),
            "KUMA_API_SERVER_HTTPS_ENABLED": "false",
            "KUMA_DIAGNOSTICS_SERVER_PORT": str(self.diagnostics.port),
            "KDSD_DIAGNOSTICS_BIND_ADDRESS": "127.0.0.1",
        }
        if self.is_global:
            # Inside one machine there is nobody to hide from; between machines leave TLS on.
            settings["KUMA_MULTIZONE_GLOBAL_KDS_TLS_ENABLED"] = "false"
            settings["KUMA_MULTIZONE_GLOBAL_KDS_GRPC_PORT"] = str(self.kds_port)
            settings["KDSD_KDS_BIND_ADDRESS"] = "127.0.0.1"
        else:
            settings["KUMA_MULTIZONE_ZONE_NAME"] = self.zone_name
            settings["KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS"] = self.global_address
        return {**settings, **self.settings}

    def environment(self):
        """That of this process without what it says to another kdsd."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("KUMA_", "KDSD_"))}
        return {**inherited, **self.variables()}

    def launch(self, outlives_us=False):
        """Starts the process and does not wait for it. It dies with this script, whatever ends that, unless it shall live on."""
        watched = [] if outlives_us else ["setpriv", "--pdeathsig", "KILL", "--"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*watched, self.program, "run"],
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # an interrupt of the terminal is for this script, which stops them in order
            )

    def wait_ready(self):
        def answers():
            if not self.is_running:
                raise Failure(f"{self.name} ended by itself with exit code {self.process.returncode}")
            try:
                return self.rest.get("/").status == 200
            except (OSError, http.client.HTTPException):
                return False

        eventually(f"the API of {self.name} answers", answers, READY_SECONDS, 0.01)

    def start(self):
        self.launch()
        self.wait_ready()

    def wait_end(self, seconds=STOP_SECONDS):
        """The exit code."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failure(f"{self.name} did not end within {seconds:.0f} s") from None

    def stop(self):
        """Ends it in order. The exit code has to be 0."""
        if not self.is_running:
            return
        self.process.send_signal(signal.SIGTERM)
        code = self.wait_end()
        if code != 0:
            raise Failure(f"{self.name} stopped with exit code {code}")

    def kill(self):
        if self.is_running:
            self.process.kill()
            self.process.wait()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def call(self, method, path, document=None):
        """Status and JSON body of one REST call; the body of a refusal is left out."""
        answer = self.rest.call(method, path, document)
        return answer.status, answer.json if answer.status < 400 else None

    def put(self, document):
        """Writes what has to be accepted; whether it is new."""
        answer = self.rest.call("PUT", documents.path_of(document), document)
        if answer.status not in (200, 201):
            raise Failure(f"{document['type']} {document['name']} at {self.name}: answered {answer.status} {answer.text}")
        return answer.status == 201

    def delete(self, type_name, name, mesh=""):
        """Deletes what has to be there."""
        answer = self.rest.call("DELETE", documents.path(type_name, name, mesh))
        if answer.status != 200:
            raise Failure(f"deleting {type_name} {name} at {self.name}: answered {answer.status} {answer.text}")

    def read(self, type_name, name, mesh=""):
        """The document, or None."""
        answer = self.rest.get(documents.path(type_name, name, mesh))
        return answer.json if answer.status == 200 else None

    def items(self, type_name, mesh=""):
        """All of that type; none when the mesh is not there."""
        found = []
        while True:
            answer = self.rest.get(documents.path(type_name, mesh=mesh) + f"?size={PAGE_SIZE}&offset={len(found)}")
            page = answer.json["items"] if answer.status == 200 else []
            found += page
            if len(page) < PAGE_SIZE:
                return found

    def names(self, type_name, mesh=""):
        return [item["name"] for item in self.items(type_name, mesh)]

    def count(self, type_name, mesh=""):
        """How many there are, asked for at the least cost; 0 when the mesh is not there."""
        answer = self.rest.get(documents.path(type_name, mesh=mesh) + "?size=1")
        return answer.json["total"] if answer.status == 200 else 0

    def metric(self, name, label=""):
        """The sum of its series, or of those that have that text in their labels; None when there is none."""
        samples = []
        for line in self.diagnostics.get("/metrics").text.splitlines():
            series, _, value = line.rpartition(" ")
            if series.partition("{")[0] == name and label in series:
                samples.append(float(value))
        return sum(samples) if samples else None

    def memory_bytes(self, field="VmRSS"):
        """Resident memory now, or at most (`VmHWM`)."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
        raise Failure(f"no {field} of {self.name}")

    def log_text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def print_log_tail(self):
        print(f"--- end of the log of {self.name}", file=sys.stderr)
        print("\n".join(self.log_text().splitlines()[-LOG_TAIL_LINES:]), file=sys.stderr)


class Fleet:
    """A temporary directory with control planes in it. Leaving the `with` block ends what runs and removes everything."""

    def __init__(self, program, settings=None, stores=None):
        """In the directory `stores` may be files `global.db` and `<name of a zone>.db`. Planes begin with a copy of theirs."""
        self.program = Path(program).resolve()
        self.settings = dict(settings or {})
        self.stores = stores
        self.directory = Path(tempfile.mkdtemp(prefix="kdsd-fleet."))
        self.planes = []
        self.is_kept = False
        atexit.register(self.close)  # also when an interrupt leaves the usual way

    def add_global(self, name="global", **settings):
        return self._add(name, {"kds_port": free_ports(1)[0]}, settings)

    def add_zone(self, name, of=None, **settings):
        """A zone of that global; without one it is on its own."""
        address = f"grpc://127.0.0.1:{of.kds_port}" if of else ""
        return self._add(name, {"global_address": address}, settings)

    def _add(self, name, role, settings):
        plane = ControlPlane(self.program, name, self.directory, settings={**self.settings, **settings}, **role)
        self.planes.append(plane)
        prepared = self.stores and self.stores / ("global.db" if plane.is_global else f"{name}.db")
        if prepared and prepared.exists():
            shutil.copyfile(prepared, plane.store)
        return plane

    def start(self, planes=None):
        """All at once, then waits for each."""
        for plane in planes or self.planes:
            plane.launch()
        for plane in planes or self.planes:
            plane.wait_ready()

    def print_logs(self):
        sys.stdout.flush()
        for plane in self.planes:
            plane.print_log_tail()

    def close(self):
        atexit.unregister(self.close)
        if self.is_kept:
            return
        for plane in self.planes:
            plane.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def end_by_signals():
    """A signal that ends this script has to end what it started: it becomes an interrupt, which nobody swallows."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def run_with_fleet(program, title, play, kind=Fleet):
    """The exit code of a script: `play` gets an empty fleet, and a Failure in it is shown with the ends of all logs."""
    end_by_signals()
    with kind(program) as fleet:
        try:
            play(fleet)
        except Failure as failure:
            fleet.print_logs()
            print(f"\n{title} failed: {failure}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            return 130
    return 0
