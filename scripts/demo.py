"""The demo behind scripts/demo: a global and zones east and west as processes, and resources on their way between them.

Everything lives in a temporary directory and on free ports of the loopback address. Each step states what it expects; the
first expectation that does not come true within its time ends the demo with exit code 1 and the end of the logs.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from lib.fleet import Failure, eventually, run_with_fleet

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "config" / "demo"
MESH = "shop"
# Resources live in namespaces at all three places, and each place keeps what belongs to nobody's namespace in another one.
SYSTEM_NAMESPACES = {"global": "kuma-system", "east": "kuma-system", "west": "mesh-system"}
SHOWN = ("MeshTimeout", "MeshRetry", "MeshTrafficPermission", "MeshService", "Dataplane", "Secret")


def find(plane, type_name, display_name):
    """The resource of that name or, where it was renamed on its way, of that display name."""
    for item in plane.items(type_name, MESH):
        if label(item, "kuma.io/display-name") == display_name or item["name"] == display_name:
            return item
    return None


def settings_of(name):
    return {"KUMA_ENVIRONMENT": "kubernetes", "KUMA_STORE_KUBERNETES_SYSTEM_NAMESPACE": SYSTEM_NAMESPACES[name]}


def command(plane, *arguments, code=0):
    """Runs kdsd as a client of this control plane and shows what it says. It has to end with that code."""
    shown = " ".join(str(a.relative_to(ROOT)) if isinstance(a, Path) else a for a in arguments)
    print(f"$ kdsd {shown}   # at {plane.name}", flush=True)
    done = subprocess.run(
        [plane.program, *map(str, arguments), "--address", plane.address], stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode != code:
        raise Failure(f"kdsd {shown} ended with exit code {done.returncode}")


def label(document, key):
    return document.get("labels", {}).get(key, "")


def step(text):
    print(f"\n== {text}", flush=True)


def show(planes):
    """What each place holds in the mesh."""
    rows = [("PLACE", "TYPE", "NAME", "DISPLAY NAME", "ZONE", "ORIGIN")]
    for plane in planes:
        for type_name in SHOWN:
            for item in plane.items(type_name, MESH):
                labels = [label(item, f"kuma.io/{key}") or "-" for key in ("display-name", "zone", "origin")]
                rows.append((plane.name, type_name, item["name"], *labels))
    print_table(rows)


def print_table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def arrive(plane, type_name, name):
    return eventually(f"{type_name} {name} reaches {plane.name}", lambda: find(plane, type_name, name))


def stay_away(plane, type_name, name):
    if find(plane, type_name, name):
        raise Failure(f"{type_name} {name} must not be at {plane.name}")


def write_examples(central, east, west):
    step("The global gets a mesh with policies and a secret; the zones get them from there")
    command(central, "apply", "-f", EXAMPLES / "global.yaml")
    for zone in (east, west):
        for type_name, name in (
            ("MeshTimeout", "patience"),
            ("MeshRetry", "three-tries"),
            ("MeshTrafficPermission", "inside-only"),
            ("Secret", "payment-key"),
        ):
            arrive(zone, type_name, name)
    step("Each zone gets a service and a proxy of its own")
    command(east, "apply", "-f", EXAMPLES / "east.yaml")
    command(west, "apply", "-f", EXAMPLES / "west.yaml")
    for plane, name in ((central, "inventory"), (central, "orders"), (west, "inventory"), (east, "orders")):
        arrive(plane, "MeshService", name)
    for name in ("inventory-1", "orders-1"):
        arrive(central, "Dataplane", name)
    arrive(central, "MeshTimeout", "slow-inventory")


def side_by_side(planes, type_name, name):
    """One policy as each place shows it: what it is called, whose it is, and what its first reference names there."""
    rows = [("", *(f"{plane.name} ({SYSTEM_NAMESPACES[plane.name]})" for plane in planes))]
    columns = []
    for plane in planes:
        item = find(plane, type_name, name)
        own_name, _, namespace = item["name"].rpartition(".")
        ref = item["spec"]["to"][0]["targetRef"]
        column = {"name": own_name, "namespace": namespace, "to: name": ref["name"], "to: namespace": ref.get("namespace", "-")}
        for key in ("kuma.io/display-name", "k8s.kuma.io/namespace", "kuma.io/zone", "kuma.io/origin", "kuma.io/policy-role"):
            column[f"label {key}"] = label(item, key) or "-"
        columns.append(column)
    for key in columns[0]:
        rows.append((key, *(column[key] for column in columns)))
    print_table(rows)


def namespaces(central, east, west):
    step("Owners of namespaces in zone east write policies")
    command(east, "plan", "-f", EXAMPLES / "east-shop.yaml")
    command(east, "apply", "-f", EXAMPLES / "east-shop.yaml")
    arrive(west, "MeshTimeout", "catalog-timeouts")
    for type_name, name in (
        ("MeshTimeout", "patient-with-catalog"),
        ("MeshTimeout", "zone-wide"),
        ("MeshTrafficPermission", "web-may-call"),
    ):
        arrive(central, type_name, name)
        stay_away(west, type_name, name)
    step("The producer policy in three places: each place has its own names for the same things")
    side_by_side((east, central, west), "MeshTimeout", "catalog-timeouts")
    step("The global explains it")
    stored = find(central, "MeshTimeout", "catalog-timeouts")["name"]
    command(central, "explain", "MeshTimeout", stored, "-m", MESH)
    step("A document that is refused, with all that is wrong with it")
    command(east, "apply", "-f", EXAMPLES / "refused.yaml", code=1)


def show_what_is_where(central, east, west):
    step("What each place holds")
    show((central, east, west))
    stay_away(west, "Dataplane", "inventory-1")
    stay_away(east, "Dataplane", "orders-1")
    stay_away(west, "MeshTimeout", "slow-inventory")
    print("\nServices are in every zone; a zone's proxies and its own policies are on the global and nowhere else.")


def change(central, zones):
    step("A policy changes on the global")
    document = central.read("MeshTimeout", "patience", MESH)
    names = {zone.name: find(zone, "MeshTimeout", "patience")["name"] for zone in zones}
    document["spec"]["to"][0]["default"]["http"]["requestTimeout"] = "7s"
    document = {key: document[key] for key in ("type", "mesh", "name", "spec")}
    begin = time.monotonic()
    status, _ = central.call("PUT", f"/meshes/{MESH}/meshtimeouts/patience", document)
    if status != 200:
        raise Failure(f"changing the policy was answered {status}")
    stored = time.monotonic()

    def is_new(zone):
        item = zone.read("MeshTimeout", names[zone.name], MESH)
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
    command(central, "delete", "MeshRetry", "three-tries", "-m", MESH)
    for plane in (central, *zones):
        eventually(f"MeshRetry three-tries leaves {plane.name}", lambda p=plane: not find(p, "MeshRetry", "three-tries"))
    print("gone on the global, in east and in west")


def stop_zone(central, west):
    step("Zone west stops; the global tells")
    west.stop()

    def is_offline():
        _, overview = central.call("GET", "/zones/west/_overview")
        subscriptions = ((overview or {}).get("zoneInsight") or {}).get("subscriptions", [])
        return subscriptions and all("disconnectTime" in each for each in subscriptions)

    eventually("the global notices that west is gone", is_offline)
    command(central, "zones")
    arrive(central, "MeshService", "orders")
    print("What west sent stays on the global until west itself withdraws it.")


def keep(fleet):
    fleet.is_kept = True
    print("\nLeft running:")
    for plane in fleet.planes:
        print(f"  {plane.name:7} {plane.address}   process {plane.pid}, log {plane.log}")
    print(f"\nTry:  build/release/kdsd get MeshTimeout -m {MESH} --address {fleet.planes[0].address}")
    print(f"Stop: kill {' '.join(str(plane.pid) for plane in fleet.planes)}; rm -r {fleet.directory}")


def run(fleet, is_kept):
    central = fleet.add_global(**settings_of("global"))
    east, west = (fleet.add_zone(name, central, **settings_of(name)) for name in ("east", "west"))
    step("A global and zones east and west start")
    for plane in fleet.planes:
        plane.launch(outlives_us=is_kept)
    for plane in fleet.planes:
        plane.wait_ready()
        print(f"{plane.name:7} {plane.address}")
    for zone in (east, west):
        eventually(f"zone {zone.name} appears on the global", lambda z=zone: central.call("GET", f"/zones/{z.name}")[0] == 200)
    write_examples(central, east, west)
    show_what_is_where(central, east, west)
    namespaces(central, east, west)
    change(central, (east, west))
    delete(central, (east, west))
    if is_kept:
        keep(fleet)
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
    return run_with_fleet(arguments.kdsd, "demo", lambda fleet: run(fleet, arguments.keep))


if __name__ == "__main__":
    sys.exit(main())
