"""kuma-cp zones behind a kdsd global and kdsd zones behind a kuma-cp global: content in both directions, and what happens when
one side goes away."""

from peers import PeerTest, main
from support import documents


class Pairing:
    """What both pairings have in common; `build` makes one."""

    def mesh(self, name="shop"):
        self.central.put(documents.mesh(name))
        for zone in self.zones:
            self.until(lambda: zone.read("Mesh", name), f"mesh {name} in {zone.name}")
        return name

    def copy(self, name, *values):
        return documents.copy_name("shop", name, *values)

    def test_content_goes_down(self):
        """Policies and secrets to zones: new, changed, removed."""
        mesh = self.mesh()
        for number in range(3):
            self.central.put(documents.timeout(mesh, f"t-{number}"))
        self.central.put(documents.secret(mesh, "key"))
        self.central.put(documents.global_secret("marker"))
        for zone in self.zones:
            wanted = {self.copy(f"t-{number}") for number in range(3)}
            self.until(lambda: wanted <= set(zone.names("MeshTimeout", mesh)), f"policies in {zone.name}")
            self.until(lambda: zone.read("Secret", "key", mesh), f"a secret in {zone.name}")
            self.until(lambda: zone.read("GlobalSecret", "marker"), f"a global secret in {zone.name}")
            self.assertIsNone(zone.read("GlobalSecret", "zone-token-signing-key-1"))
        self.central.put(documents.timeout(mesh, "t-0", "9s"))
        self.central.delete("MeshTimeout", "t-1", mesh)
        for zone in self.zones:
            def value():
                document = zone.read("MeshTimeout", self.copy("t-0"), mesh)
                return document and documents.timeout_value(document)

            self.until_equal("9s", value, f"the change in {zone.name}")
            self.until(lambda: not zone.read("MeshTimeout", self.copy("t-1"), mesh), f"the removal in {zone.name}")

    def test_content_goes_up(self):
        """Proxies, services and policies of zones to the global: new, changed, removed."""
        mesh = self.mesh()
        for zone in self.zones:
            zone.put(documents.dataplane(mesh, f"dp-{zone.name}"))
            zone.put(documents.timeout(mesh, f"own-{zone.name}", labels=documents.OF_ZONE))
        names = {self.copy(f"dp-{zone.name}", zone.name) for zone in self.zones}
        self.until(lambda: names <= set(self.central.names("Dataplane", mesh)), "proxies on the global")
        policies = {self.copy(f"own-{zone.name}", zone.name) for zone in self.zones}
        self.until(lambda: policies <= set(self.central.names("MeshTimeout", mesh)), "policies on the global")
        for zone in self.zones:
            item = self.central.read("Dataplane", self.copy(f"dp-{zone.name}", zone.name), mesh)
            self.assertEqual(item["labels"]["kuma.io/zone"], zone.name)
            zone.delete("MeshTimeout", f"own-{zone.name}", mesh)
        self.until(lambda: not policies & set(self.central.names("MeshTimeout", mesh)), "removals on the global")

    def test_zones_are_told_of_services_everywhere(self):
        """Whether proxies of another zone take mTLS is what a zone of Kuma reads in it."""
        mesh = self.mesh()
        for zone in self.zones:
            zone.put(documents.dataplane(mesh, f"web-{zone.name}"))
        names = {f"web-{zone.name}" for zone in self.zones}
        for zone in self.zones:
            self.until_equal(names, lambda: set(zone.names("ServiceInsight", mesh)), f"services in {zone.name}")
        self.zones[0].delete("Dataplane", f"web-{self.zones[0].name}", mesh)
        names.remove(f"web-{self.zones[0].name}")
        for zone in self.zones:
            self.until_equal(names, lambda: set(zone.names("ServiceInsight", mesh)), f"services left in {zone.name}")

    def test_a_zone_that_comes_back_finds_what_changed(self):
        """Whoever comes back finds what was changed meanwhile."""
        mesh = self.mesh()
        self.central.put(documents.timeout(mesh, "kept"))
        self.central.put(documents.timeout(mesh, "gone"))
        for zone in self.zones:
            self.until(lambda: zone.read("MeshTimeout", self.copy("gone"), mesh), f"a policy in {zone.name}")
            zone.stop()
        self.central.delete("MeshTimeout", "gone", mesh)
        self.central.put(documents.timeout(mesh, "new"))
        for zone in self.zones:
            zone.start()
            wanted = {self.copy("kept"), self.copy("new")}
            self.until_equal(wanted, lambda: set(zone.names("MeshTimeout", mesh)), f"content of {zone.name}")

    def test_zones_are_online_as_long_as_they_are(self):
        def states():
            overview = self.central.rest.get("/zones/_overview").json["items"]
            return {
                item["name"]: any("disconnectTime" not in each for each in item["zoneInsight"]["subscriptions"])
                for item in overview if item.get("zoneInsight", {}).get("subscriptions")
            }

        self.until_equal({zone.name: True for zone in self.zones}, states, "all zones online")
        self.zones[0].stop()
        self.until(lambda: states()[self.zones[0].name] is False, "the first one is offline")


class KumaZones(Pairing, PeerTest):
    """Two kuma-cp zones and a kdsd zone behind a kdsd global."""

    def setUp(self):
        super().setUp()
        self.central = self.fleet.add_global()
        self.zones = [
            self.fleet.add_kuma_zone("east", self.central),
            self.fleet.add_kuma_zone("west", self.central),
            self.fleet.add_zone("south", self.central),
        ]
        self.fleet.start()

    def test_what_was_refused_is_asked_for_again(self):
        """A Kuma zone sends again what was refused only on a new connection, which kdsd makes it open."""
        mesh = self.mesh()
        east = self.zones[0]
        taken = self.copy("slow", "east")
        self.central.put(documents.timeout(mesh, taken))
        for own in ("slow", "marker"):
            east.put(documents.timeout(mesh, own, labels=documents.OF_ZONE))
        self.until(lambda: self.central.read("MeshTimeout", self.copy("marker", "east"), mesh), "marker on the global")
        self.central.delete("MeshTimeout", taken, mesh)

        def arrived():
            found = self.central.read("MeshTimeout", taken, mesh)
            return found and found["labels"]["kuma.io/zone"] == "east"

        self.until(arrived, "the policy of east on the global", 60)

    def test_a_disabled_zone_is_not_relayed(self):
        mesh = self.mesh()
        east, west, south = self.zones
        east.put(documents.service(mesh, "ledger"))
        name = self.copy("ledger", "east")
        for zone in (west, south):
            self.until(lambda: zone.read("MeshService", name, mesh), f"the service in {zone.name}")
        self.central.put({"type": "Zone", "name": "east", "enabled": False})
        for zone in (west, south):
            self.until(lambda: not zone.read("MeshService", name, mesh), f"gone from {zone.name}")
        self.central.put({"type": "Zone", "name": "east", "enabled": True})
        for zone in (west, south):
            self.until(lambda: zone.read("MeshService", name, mesh), f"back in {zone.name}")

    def test_a_question_to_a_proxy_of_a_kuma_zone_is_answered(self):
        mesh = self.mesh()
        self.zones[0].put(documents.dataplane(mesh, "dp"))
        name = self.copy("dp", "east")
        self.until(lambda: self.central.read("Dataplane", name, mesh), "the global has the proxy")
        # There is no Envoy behind it: the zone's error is the answer.
        for view in ("xds", "stats", "clusters"):
            answer = self.central.rest.get(f"/meshes/{mesh}/dataplanes/{name}/{view}")
            self.assert_refused(answer, 400, "Could not execute admin operation")

    def test_a_restarted_global_keeps_kuma_zones_unchanged(self):
        mesh = self.mesh()
        self.central.put(documents.timeout(mesh, "kept"))
        east = self.zones[0]
        self.until(lambda: east.read("MeshTimeout", self.copy("kept"), mesh), "a policy in east")
        times = {item["name"]: item["creationTime"] for item in east.items("MeshTimeout", mesh)}
        self.central.stop()
        self.central.start()
        self.central.put(documents.timeout(mesh, "after"))
        self.until(lambda: east.read("MeshTimeout", self.copy("after"), mesh), "the zone is served again")
        after = {item["name"]: item["creationTime"] for item in east.items("MeshTimeout", mesh)}
        after.pop(self.copy("after"))
        self.assertEqual(after, times)


class KumaGlobal(Pairing, PeerTest):
    """Two kdsd zones behind a kuma-cp global."""

    def setUp(self):
        super().setUp()
        self.central = self.fleet.add_kuma_global()
        self.zones = [self.fleet.add_zone("east", self.central), self.fleet.add_zone("west", self.central)]
        self.fleet.start()

    def test_a_question_to_a_zone_without_proxies_is_answered(self):
        mesh = self.mesh()
        self.zones[0].put(documents.dataplane(mesh, "dp"))
        name = self.copy("dp", "east")
        self.until(lambda: self.central.read("Dataplane", name, mesh), "the global has the proxy")

        def text():
            return self.central.rest.get(f"/meshes/{mesh}/dataplanes/{name}/clusters").text

        # A Kuma global takes up to ten seconds to know the zone's streams.
        self.until(lambda: "runs no proxies" in text(), "the zone answers")


if __name__ == "__main__":
    main()
