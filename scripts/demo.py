"""The demo behind scripts/demo: a global and zones east and west as processes, and resources on their way between them.

Everything lives in a temporary directory and on free ports of the loopback address. Each step states what it expects; the
first expectation that does not come true within its time ends the demo with exit code 1 and the end of the logs.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "config" / "demo"
MESH = "shop"

READY_SECONDS = 30.0  # from the start of a process until its API answers
ARRIVE_SECONDS = 20.0  # from a write until its effect is everywhere
STOP_SECONDS = 15.0  # from SIGTERM until the process is gone

# Segment of the REST path of each type that the tables show.
PATHS = {
    "MeshTimeout": "meshtimeouts",
    "MeshRetry": "meshretries",
    "MeshTrafficPermission": "meshtrafficpermissions",
    "MeshService": "meshservices",
    "Dataplane": "dataplanes",
    "Secret": "secrets",
}


class Failure(Exception):
    """An expectation that did not come true."""


def free_ports(count):
    """Ports that nobody uses; all are held until all are known, so that they differ."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def eventually(what, check, seconds=ARRIVE_SECONDS, pause=0.05):
    """The first true answer of `check`."""
    end = time.monotonic() + seconds
    while True:
        answer = check()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds:.0f} s")
        time.sleep(pause)


class ControlPlane:
    """One kdsd process."""

    def __init__(self, program, name, directory, global_port):
        self.program = program
        self.name = name
        self.is_global = name == "global"
        self.work = directory / name
        self.work.mkdir()
        self.log = directory / f"{name}.log"
        self.rest_port, self.diagnostics_port, own_kds_port = free_ports(3)
        self.kds_port = own_kds_port if self.is_global else global_port
        self.address = f"http://127.0.0.1:{self.rest_port}"
        self.process = None

    def variables(self):
        settings = {
            "KUMA_MODE": "global" if self.is_global else "zone",
            "KUMA_GENERAL_WORK_DIR": str(self.work),
            "KUMA_API_SERVER_HTTP_INTERFACE": "127.0.0.1",
            "KUMA_API_SERVER_HTTP_PORT": str(self.rest_port),
            "KUMA_API_SERVER_HTTPS_ENABLED": "false",
            "KUMA_DIAGNOSTICS_SERVER_PORT": str(self.diagnostics_port),
            "KDSD_DIAGNOSTICS_BIND_ADDRESS": "127.0.0.1",
        }
        if self.is_global:
            # Inside one machine there is nobody to hide from; between machines leave TLS on.
            settings["KUMA_MULTIZONE_GLOBAL_KDS_TLS_ENABLED"] = "false"
            settings["KUMA_MULTIZONE_GLOBAL_KDS_GRPC_PORT"] = str(self.kds_port)
            settings["KDSD_KDS_BIND_ADDRESS"] = "127.0.0.1"
        else:
            settings["KUMA_MULTIZONE_ZONE_NAME"] = self.name
            settings["KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS"] = f"grpc://127.0.0.1:{self.kds_port}"
        return settings

    def start(self):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("KUMA_", "KDSD_"))}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, "run"],
                env={**inherited, **self.variables()},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # an interrupt of the terminal is for this script, which stops them in order
            )

    def wait_ready(self):
        def answers():
            if self.process.poll() is not None:
                raise Failure(f"{self.name} ended by itself with exit code {self.process.returncode}")
            try:
                return self.call("GET", "/")[0] == 200
            except OSError:
                return False

        eventually(f"the API of {self.name} answers", answers, READY_SECONDS)

    def stop(self):
        """Ends it in order. The exit code has to be 0."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure(f"{self.name} did not stop within {STOP_SECONDS:.0f} s of SIGTERM") from None
        if code != 0:
            raise Failure(f"{self.name} stopped with exit code {code}")

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def call(self, method, path, document=None):
        """Status and JSON body of one REST call."""
        body = None if document is None else json.dumps(document).encode()
        request = urllib.request.Request(self.address + path, data=body, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return response.status, json.loads(response.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, None

    def read(self, type_name, name):
        status, document = self.call("GET", f"/meshes/{MESH}/{PATHS[type_name]}/{name}")
        return document if status == 200 else None

    def items(self, type_name):
        status, page = self.call("GET", f"/meshes/{MESH}/{PATHS[type_name]}?size=1000")
        return page["items"] if status == 200 else []

    def find(self, type_name, display_name):
        """The resource of that name or, where it was renamed on its way, of that display name."""
        for item in self.items(type_name):
            if label(item, "kuma.io/display-name") == display_name or item["name"] == display_name:
                return item
        return None

    def command(self, *arguments):
        """Runs kdsd as a client of this control plane and shows what it says."""
        shown = " ".join(str(a.relative_to(ROOT)) if isinstance(a, Path) else a for a in arguments)
        print(f"$ kdsd {shown}   # at {self.name}", flush=True)
        done = subprocess.run(
            [self.program, *map(str, arguments), "--address", self.address], stdin=subprocess.DEVNULL, check=False
        )
        if done.returncode != 0:
            raise Failure(f"kdsd {shown} ended with exit code {done.returncode}")


def label(document, key):
    return document.get("labels", {}).get(key, "")


def step(text):
    print(f"\n== {text}", flush=True)


def show(planes):
    """What each place holds in the mesh."""
    rows = [("PLACE", "TYPE", "NAME", "DISPLAY NAME", "ZONE", "ORIGIN")]
    for plane in planes:
        for type_name in PATHS:
            for item in plane.items(type_name):
                labels = [label(item, f"kuma.io/{key}") or "-" for key in ("display-name", "zone", "origin")]
                rows.append((plane.name, type_name, item["name"], *labels))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def arrive(plane, type_name, name):
    return eventually(f"{type_name} {name} reaches {plane.name}", lambda: plane.find(type_name, name))


def stay_away(plane, type_name, name):
    if plane.find(type_name, name):
        raise Failure(f"{type_name} {name} must not be at {plane.name}")


def write_examples(central, east, west):
    step("The global gets a mesh with policies and a secret; the zones get them from there")
    central.command("apply", "-f", EXAMPLES / "global.yaml")
    for zone in (east, west):
        for type_name, name in (
            ("MeshTimeout", "patience"),
            ("MeshRetry", "three-tries"),
            ("MeshTrafficPermission", "inside-only"),
            ("Secret", "payment-key"),
        ):
            arrive(zone, type_name, name)
    step("Each zone gets a service and a proxy of its own")
    east.command("apply", "-f", EXAMPLES / "east.yaml")
    west.command("apply", "-f", EXAMPLES / "west.yaml")
    for plane, name in ((central, "catalog"), (central, "orders"), (west, "catalog"), (east, "orders")):
        arrive(plane, "MeshService", name)
    for name in ("catalog-1", "orders-1"):
        arrive(central, "Dataplane", name)
    arrive(central, "MeshTimeout", "slow-catalog")


def show_what_is_where(central, east, west):
    step("What each place holds")
    show((central, east, west))
    stay_away(west, "Dataplane", "catalog-1")
    stay_away(east, "Dataplane", "orders-1")
    stay_away(west, "MeshTimeout", "slow-catalog")
    print("\nServices are in every zone; a zone's proxies and its own policies are on the global and nowhere else.")


def change(central, zones):
    step("A policy changes on the global")
    document = central.read("MeshTimeout", "patience")
    names = {zone.name: zone.find("MeshTimeout", "patience")["name"] for zone in zones}
    document["spec"]["to"][0]["default"]["http"]["requestTimeout"] = "7s"
    document = {key: document[key] for key in ("type", "mesh", "name", "spec")}
    begin = time.monotonic()
    status, _ = central.call("PUT", f"/meshes/{MESH}/meshtimeouts/patience", document)
    if status != 200:
        raise Failure(f"changing the policy was answered {status}")
    stored = time.monotonic()

    def is_new(zone):
        item = zone.read("MeshTimeout", names[zone.name])
        return item and item["spec"]["to"][0]["default"]["http"]["requestTimeout"] == "7s"

    for zone in zones:
        eventually(f"the change reaches {zone.name}", lambda zone=zone: is_new(zone), pause=0.001)
    done = time.monotonic()
    print(
        f"requestTimeout 15s -> 7s: durable on the global after {1000 * (stored - begin):.1f} ms, "
        f"read in every zone after {1000 * (done - begin):.1f} ms"
    )


def delete(central, zones):
    step("A policy is deleted on the global")
    central.command("delete", "MeshRetry", "three-tries", "-m", MESH)
    for plane in (central, *zones):
        eventually(f"MeshRetry three-tries leaves {plane.name}", lambda p=plane: not p.find("MeshRetry", "three-tries"))
    print("gone on the global, in east and in west")


def stop_zone(central, west):
    step("Zone west stops; the global tells")
    west.stop()

    def is_offline():
        _, overview = central.call("GET", "/zones/west/_overview")
        subscriptions = ((overview or {}).get("zoneInsight") or {}).get("subscriptions", [])
        return subscriptions and all("disconnectTime" in each for each in subscriptions)

    eventually("the global notices that west is gone", is_offline)
    central.command("zones")
    arrive(central, "MeshService", "orders")
    print("What west sent stays on the global until west itself withdraws it.")


def keep(planes, directory):
    print("\nLeft running:")
    for plane in planes:
        print(f"  {plane.name:7} {plane.address}   process {plane.process.pid}, log {plane.log}")
    print(f"\nTry:  build/release/kdsd get MeshTimeout -m {MESH} --address {planes[0].address}")
    print(f"Stop: kill {' '.join(str(plane.process.pid) for plane in planes)}; rm -r {directory}")


def run(planes, arguments, directory):
    central, east, west = planes
    step("A global and zones east and west start")
    for plane in planes:
        plane.start()
    for plane in planes:
        plane.wait_ready()
        print(f"{plane.name:7} {plane.address}")
    for zone in (east, west):
        eventually(f"zone {zone.name} appears on the global", lambda z=zone: central.call("GET", f"/zones/{z.name}")[0] == 200)
    write_examples(central, east, west)
    show_what_is_where(central, east, west)
    change(central, (east, west))
    delete(central, (east, west))
    if arguments.keep:
        keep(planes, directory)
        return
    stop_zone(central, west)
    step("Everything stops")
    for plane in (east, central):
        plane.stop()
    print("all three ended with exit code 0")


def main():
    parser = argparse.ArgumentParser(prog="scripts/demo", description="A global and two zones on this machine.")
    parser.add_argument("--kdsd", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--keep", action="store_true", help="leave everything running")
    arguments = parser.parse_args()
    # A signal that ends this script has to end what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    program = str(Path(arguments.kdsd).resolve())
    directory = Path(tempfile.mkdtemp(prefix="kdsd-demo."))
    planes = []
    is_kept = False
    try:
        central = ControlPlane(program, "global", directory, 0)
        planes.append(central)
        planes.extend(ControlPlane(program, name, directory, central.kds_port) for name in ("east", "west"))
        run(planes, arguments, directory)
        is_kept = arguments.keep
    except Failure as failure:
        sys.stdout.flush()
        for plane in planes:
            if plane.log.exists():
                print(f"--- end of the log of {plane.name}", file=sys.stderr)
                print("\n".join(plane.log.read_text(errors="replace").splitlines()[-15:]), file=sys.stderr)
        print(f"\ndemo failed: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if not is_kept:
            for plane in planes:
                plane.kill()
            shutil.rmtree(directory, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
