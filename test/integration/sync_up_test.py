"""What is written in a zone arrives on the global and, of some types, in the other zones."""

from support import FleetTest, documents, main


class SyncUp(FleetTest):
    ZONES = ("east", "west")

    def at(self, plane, type_name, name, mesh=""):
        return self.until(lambda: plane.read(type_name, name, mesh), f"{type_name} {name} at {plane.name}")

    def marker_crosses(self, mesh):
        """What is not at west when a later service of east is there was not sent: one stream keeps the order of a type only, so
        the tests that use this also wait for the resource on the global."""
        self.east.put(documents.service(mesh, "marker"))
        self.at(self.west, "MeshService", documents.copy_name(mesh, "marker", "east"), mesh)

    def test_a_dataplane_arrives_under_its_hashed_name(self):
        mesh = self.fresh_mesh()
        self.east.put(documents.dataplane(mesh, "web-1"))
        local = self.east.read("Dataplane", "web-1", mesh)
        labels = {
            "kuma.io/env": "universal",
            "kuma.io/mesh": mesh,
            "kuma.io/origin": "zone",
            "kuma.io/proxy-type": "sidecar",
            "kuma.io/zone": "east",
        }
        self.assertEqual(local["labels"], labels)
        self.assertEqual(local["networking"]["inbound"][0]["tags"]["kuma.io/zone"], "east")
        copy = self.at(self.central, "Dataplane", documents.copy_name(mesh, "web-1", "east"), mesh)
        self.assertEqual(copy["labels"], {**labels, "kuma.io/display-name": "web-1"})
        self.assertEqual(copy["networking"], local["networking"])
        self.assertEqual(copy["kri"], f"kri_dp_{mesh}_east__web-1_")

    def test_a_policy_carries_zone_origin_and_environment(self):
        mesh = self.fresh_mesh()
        self.east.put(documents.timeout(mesh, "slow", "5s", {**documents.OF_ZONE, "team": "a"}))
        labels = {
            "kuma.io/env": "universal",
            "kuma.io/mesh": mesh,
            "kuma.io/origin": "zone",
            "kuma.io/zone": "east",
            "team": "a",
        }
        self.assertEqual(self.east.read("MeshTimeout", "slow", mesh)["labels"], labels)
        copy = self.at(self.central, "MeshTimeout", documents.copy_name(mesh, "slow", "east"), mesh)
        self.assertEqual(copy["labels"], {**labels, "kuma.io/display-name": "slow"})
        self.assertEqual(copy["kri"], f"kri_mt_{mesh}_east__slow_")
        self.assertEqual(copy["spec"], documents.timeout(mesh, "slow", "5s")["spec"])

    def test_equal_names_of_two_zones_stay_apart(self):
        mesh = self.fresh_mesh()
        for zone in self.zones:
            zone.put(documents.timeout(mesh, "same", labels=documents.OF_ZONE))
            zone.put(documents.dataplane(mesh, "same"))
        expected = sorted(documents.copy_name(mesh, "same", zone) for zone in self.ZONES)
        for type_name in ("MeshTimeout", "Dataplane"):
            self.until_equal(expected, lambda: self.central.names(type_name, mesh), type_name)
            for zone in self.zones:
                self.assertEqual(zone.names(type_name, mesh), ["same"])

    def test_updates_and_deletes_follow(self):
        mesh = self.fresh_mesh()
        a, b = (documents.copy_name(mesh, name, "east") for name in ("a", "b"))
        for name in ("a", "b"):
            self.east.put(documents.timeout(mesh, name, "5s", documents.OF_ZONE))
        self.until_equal(sorted([a, b]), lambda: self.central.names("MeshTimeout", mesh))
        created = self.central.read("MeshTimeout", a, mesh)["creationTime"]
        self.east.put(documents.timeout(mesh, "a", "6s", documents.OF_ZONE))
        self.until(lambda: documents.timeout_value(self.central.read("MeshTimeout", a, mesh)) == "6s", "the update")
        self.assertEqual(self.central.read("MeshTimeout", a, mesh)["creationTime"], created, "updated in place")
        self.east.delete("MeshTimeout", "b", mesh)
        self.until_equal([a], lambda: self.central.names("MeshTimeout", mesh))

    def test_a_service_is_on_the_global_and_in_the_other_zone_under_one_name(self):
        mesh = self.fresh_mesh()
        name = documents.copy_name(mesh, "catalog", "east")
        self.east.put(documents.service(mesh, "catalog"))
        for plane, origin in ((self.central, "zone"), (self.west, "global")):
            copy = self.at(plane, "MeshService", name, mesh)
            labels = {key: copy["labels"][f"kuma.io/{key}"] for key in ("origin", "zone", "display-name")}
            self.assertEqual(labels, {"origin": origin, "zone": "east", "display-name": "catalog"})
            self.assertEqual(copy["spec"]["ports"], documents.service(mesh, "catalog")["spec"]["ports"])
            self.assertEqual(copy["kri"], f"kri_msvc_{mesh}_east__catalog_")
        self.assertEqual(self.east.names("MeshService", mesh), ["catalog"], "it does not come back")
        self.east.delete("MeshService", "catalog", mesh)
        for plane in (self.central, self.west):
            self.until(lambda: not plane.read("MeshService", name, mesh), f"catalog leaves {plane.name}")

    def test_what_is_for_one_zone_stays_out_of_the_other(self):
        mesh = self.fresh_mesh()
        self.east.put(documents.timeout(mesh, "mine", labels=documents.OF_ZONE))
        self.east.put(documents.dataplane(mesh, "web-1"))
        self.east.put(documents.secret(mesh, "of-east"))
        self.east.put(
            {
                "type": "MeshGateway",
                "mesh": mesh,
                "name": "edge",
                "labels": documents.OF_ZONE,
                "selectors": [{"match": {"kuma.io/service": "edge"}}],
                "conf": {"listeners": [{"port": 80, "protocol": "HTTP"}]},
            }
        )
        for type_name, name in (("MeshTimeout", "mine"), ("Dataplane", "web-1"), ("MeshGateway", "edge")):
            self.at(self.central, type_name, documents.copy_name(mesh, name, "east"), mesh)
        self.central.put(documents.timeout(mesh, "marker"))
        self.until_equal(
            [documents.copy_name(mesh, "marker")], lambda: self.west.names("MeshTimeout", mesh), "policies of west"
        )
        self.marker_crosses(mesh)
        self.assertEqual(self.west.names("Dataplane", mesh), [])
        self.assertEqual(self.west.names("MeshGateway", mesh), [])
        for plane in (self.central, self.west):
            self.assertNotIn("of-east", plane.names("Secret", mesh))

    def test_a_secret_of_a_zone_survives_what_the_global_sends(self):
        mesh = self.fresh_mesh()
        self.east.put(documents.secret(mesh, "local", "bG9jYWw="))
        self.central.put(documents.secret(mesh, "shared"))
        self.at(self.east, "Secret", "shared", mesh)
        self.assertEqual(self.east.read("Secret", "local", mesh)["data"], "bG9jYWw=")

    def test_a_policy_whose_name_was_taken_arrives_when_the_name_is_free(self):
        mesh = self.fresh_mesh()
        name, marker = (documents.copy_name(mesh, own, "east") for own in ("slow", "marker"))
        self.central.put(documents.timeout(mesh, name))
        for own in ("slow", "marker"):
            self.east.put(documents.timeout(mesh, own, labels=documents.OF_ZONE))
        self.at(self.central, "MeshTimeout", marker, mesh)
        self.assertNotIn("kuma.io/zone", self.central.read("MeshTimeout", name, mesh)["labels"])
        self.central.delete("MeshTimeout", name, mesh)

        def arrived():
            found = self.central.read("MeshTimeout", name, mesh)
            return found and found["labels"]["kuma.io/zone"] == "east"

        self.until(arrived, "the policy of east, asked for again")

    def test_the_sync_label_keeps_a_zone_resource_at_home(self):
        mesh = self.fresh_mesh()
        off = {**documents.OF_ZONE, "kuma.io/kds-sync": "disabled"}
        self.east.put(documents.timeout(mesh, "private", labels=off))
        self.east.put(documents.timeout(mesh, "public", labels=documents.OF_ZONE))
        public = documents.copy_name(mesh, "public", "east")
        self.until_equal([public], lambda: self.central.names("MeshTimeout", mesh))

    def test_a_zone_ingress_is_shared_with_the_other_zones(self):
        name = documents.copy_name("", "ingress", "east")
        self.east.put(
            {
                "type": "ZoneIngress",
                "name": "ingress",
                "networking": {
                    "address": "192.0.2.20",
                    "advertisedAddress": "198.51.100.20",
                    "port": 10001,
                    "advertisedPort": 10001,
                },
            }
        )
        for plane in (self.central, self.west):
            copy = self.at(plane, "ZoneIngress", name)
            self.assertEqual((copy["zone"], copy["networking"]["advertisedAddress"]), ("east", "198.51.100.20"))
        self.east.delete("ZoneIngress", "ingress")
        for plane in (self.central, self.west):
            self.until(lambda: not plane.read("ZoneIngress", name), f"the ingress leaves {plane.name}")

    def test_the_global_counts_dataplanes_of_all_zones(self):
        mesh = self.fresh_mesh()
        for zone in self.zones:
            zone.put(documents.dataplane(mesh, "web-1"))

        def total():
            return ((self.central.read("MeshInsight", mesh) or {}).get("dataplanes") or {}).get("total")

        self.until_equal(2, total)
        overview = self.central.rest.get(f"/meshes/{mesh}/dataplanes/_overview").json["items"]
        self.assertEqual([item["type"] for item in overview], ["DataplaneOverview"] * 2)
        tagged = self.central.rest.get(f"/meshes/{mesh}/dataplanes?tag=kuma.io/zone:west").json["items"]
        self.assertEqual([item["name"] for item in tagged], [documents.copy_name(mesh, "web-1", "west")])


if __name__ == "__main__":
    main()
