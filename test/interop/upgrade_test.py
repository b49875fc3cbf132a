"""A kuma-cp global with content makes room for a kdsd: `kumactl export`, `kdsd import`, the same address for its zones."""

import re
import subprocess

from peers import Kumactl, PeerTest, main, needs_kumactl
from support import binary, documents

MESHES = ("shop", "bank")
POLICIES = 20
OWN = 5  # of each kind and zone
RELAYED = ("MeshService", "MeshTimeout")
ALL = ("Dataplane", "MeshRetry", "MeshService", "MeshTimeout", "Secret")


@needs_kumactl
class Upgrade(PeerTest):
    def setUp(self):
        super().setUp()
        self.old = self.fleet.add_kuma_global()
        self.new = self.fleet.add_global("kdsd-global")
        self.zones = [self.fleet.add_kuma_zone("east", self.old), self.fleet.add_kuma_zone("west", self.old)]
        self.fleet.start([self.old, *self.zones])

    def fill(self):
        for mesh in MESHES:
            self.old.put(documents.mesh(mesh))
            for number in range(POLICIES):
                self.old.put(documents.timeout(mesh, f"t-{number}"))
            self.old.put(documents.secret(mesh, "key"))
        self.old.put(documents.global_secret("marker"))
        for zone in self.zones:
            for mesh in MESHES:
                self.until(lambda: zone.read("Mesh", mesh), f"mesh {mesh} in {zone.name}")
                for number in range(OWN):
                    zone.put(documents.dataplane(mesh, f"dp-{zone.name}-{number}"))
                    zone.put(documents.service(mesh, f"svc-{zone.name}-{number}"))
                    zone.put(documents.retry(mesh, f"own-{zone.name}-{number}", labels=documents.OF_ZONE))
        for zone, other in (self.zones, reversed(self.zones)):
            for mesh in MESHES:
                names = {documents.copy_name(mesh, f"svc-{other.name}-{number}", other.name) for number in range(OWN)}
                names.add(documents.copy_name(mesh, f"t-{POLICIES - 1}"))
                self.until(
                    lambda: names <= {name for kind in RELAYED for name in zone.names(kind, mesh)},
                    f"what {zone.name} gets in {mesh}",
                )
                self.until(lambda: zone.read("Secret", "key", mesh), f"a secret in {zone.name}")
        for zone in self.zones:
            names = {documents.copy_name("bank", f"own-{zone.name}-{OWN - 1}", zone.name)}
            self.until(lambda: names <= set(self.old.names("MeshRetry", "bank")), f"policies of {zone.name}")

    def contents(self, plane):
        """What a place has: when each was made, and what it is."""
        return {
            (kind, mesh, item["name"]): (item["creationTime"], item.get("spec") or item.get("data"))
            for kind in ALL for mesh in MESHES for item in plane.items(kind, mesh)
        }

    def operations(self, zone, name):
        """How often the zone's store did that since it started, by type."""
        text = zone.diagnostics.get("/metrics").text
        found = re.findall(rf'^store_count\{{operation="{name}",resource_type="(\w+)".*\}} (\d+)$', text, re.M)
        return {kind: int(count) for kind, count in found}

    def test_zones_keep_what_they_have(self):
        self.fill()
        before = {zone: self.contents(zone) for zone in self.zones}
        deletes = {zone: self.operations(zone, "delete") for zone in self.zones}
        self.assertGreater(self.operations(self.zones[0], "create")["MeshTimeout"], POLICIES, "it is counted")
        on_old = {key for key in self.contents(self.old)}

        exported = Kumactl(self.old).run("export", "--profile", "all", "--include-admin")
        self.assertEqual(exported.returncode, 0, exported.stderr)
        self.old.stop()
        # Away from the address of the zones until everything is in.
        self.new.start()
        command = [binary(), "import", "--address", self.new.address, "-f", "-"]
        imported = subprocess.run(
            command, input=exported.stdout, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(imported.returncode, 0, imported.stdout + imported.stderr)
        self.new.stop()
        self.new.kds_port = self.old.kds_port
        self.new.start()

        def online():
            overview = self.new.rest.get("/zones/_overview").json["items"]
            return {
                item["name"] for item in overview
                if any("disconnectTime" not in each for each in item.get("zoneInsight", {}).get("subscriptions", []))
            }

        self.until_equal({zone.name for zone in self.zones}, online, "all zones online", seconds=60)
        self.until(lambda: on_old <= set(self.contents(self.new)), "all that the old global had")
        # What is changed now gets there, so everything before it was looked at.
        self.new.put(documents.timeout("shop", "after"))
        for zone in self.zones:
            after = ("MeshTimeout", "shop", documents.copy_name("shop", "after"))
            self.until(lambda: after in self.contents(zone), f"a new policy in {zone.name}")
            now = self.contents(zone)
            now.pop(after)
            self.assertEqual(now, before[zone], zone.name)
            self.assertEqual(self.operations(zone, "delete"), deletes[zone], f"deletes seen by {zone.name}")
            # Its own things still arrive.
            zone.delete("MeshRetry", f"own-{zone.name}-0", "shop")
            gone = documents.copy_name("shop", f"own-{zone.name}-0", zone.name)
            self.until(lambda: gone not in self.new.names("MeshRetry", "shop"), f"a removal in {zone.name}")


if __name__ == "__main__":
    main()
