"""A zone's life on the global: appearing, being online, disabled, doubled, deleted."""

import json

from support import FleetTest, OwnPlanesTest, documents, main


def subscriptions(central, zone):
    overview = central.rest.get(f"/zones/{zone}/_overview")
    return overview.json["zoneInsight"].get("subscriptions", []) if overview.status == 200 else []


def open_subscriptions(central, zone):
    return [each for each in subscriptions(central, zone) if "connectTime" in each and "disconnectTime" not in each]


class Online(FleetTest):
    ZONES = ("east", "west")

    def test_a_zone_is_online_and_tells_about_itself(self):
        for zone in self.zones:
            self.assertEqual(self.central.read("Zone", zone.name)["enabled"], True)
            self.assertNotIn("labels", self.central.read("Zone", zone.name))

            def told():
                found = open_subscriptions(self.central, zone.name)
                total = found[0].get("status", {}).get("total", {}) if len(found) == 1 else {}
                sent = int(total.get("responsesSent", 0))
                return sent >= 40 and sent == int(total.get("responsesAcknowledged", 0)) and found[0]

            subscription = self.until(told, f"the subscription of {zone.name}: a response a type, all acknowledged")
            index = zone.rest.get("/").json
            self.assertEqual(subscription["globalInstanceId"], self.central.rest.get("/").json["instanceId"])
            self.assertEqual(subscription["zoneInstanceId"], index["instanceId"])
            self.assertEqual(subscription["version"]["kumaCp"]["version"], index["version"])
            config = json.loads(subscription["config"])
            self.assertEqual((config["mode"], config["multizone"]["zone"]["name"]), ("zone", zone.name))

    def test_overviews_have_two_spellings_and_the_global_counts(self):
        for path in ("/zones/_overview", "/zones+insights"):
            items = {item["name"]: item for item in self.central.rest.get(path).json["items"]}
            for zone in self.ZONES:
                self.assertEqual((items[zone]["type"], items[zone]["zone"]), ("ZoneOverview", {"enabled": True}))
                self.assertIn("subscriptions", items[zone]["zoneInsight"])
        self.until_equal(
            {"online": 2, "total": 2}, lambda: self.central.rest.get("/global-insight").json["zones"]["controlPlanes"]
        )

    def test_a_connected_zone_cannot_be_deleted(self):
        self.until(lambda: open_subscriptions(self.central, "east"), "east online")
        answer = self.central.rest.call("DELETE", documents.path("Zone", "east"))
        self.assert_refused(answer, 400, "Could not delete a resource")
        self.assertEqual(list(answer.violations()), ["zone"])

    def test_a_disabled_zone_is_hidden_from_the_others_and_still_served(self):
        mesh = self.fresh_mesh()
        catalog, orders = (documents.copy_name(mesh, name, "east") for name in ("catalog", "orders"))
        self.east.put(documents.service(mesh, "catalog"))
        self.until(lambda: self.west.read("MeshService", catalog, mesh), "catalog in west")
        self.central.put({"type": "Zone", "name": "east", "enabled": False})
        try:
            self.until(lambda: not self.west.read("MeshService", catalog, mesh), "catalog leaves west")
            self.assertIsNotNone(self.central.read("MeshService", catalog, mesh), "the global keeps it")
            self.assertIsNotNone(self.east.read("MeshService", "catalog", mesh), "and so does its zone")
            self.central.put(documents.timeout(mesh, "meanwhile"))
            for zone in self.zones:
                copy = documents.copy_name(mesh, "meanwhile")
                self.until(lambda: zone.read("MeshTimeout", copy, mesh), f"a policy in {zone.name}")
            self.east.put(documents.service(mesh, "orders"))
            self.until(lambda: self.central.read("MeshService", orders, mesh), "orders on the global")
            self.west.put(documents.service(mesh, "marker"))
            marker = documents.copy_name(mesh, "marker", "west")
            self.until(lambda: self.east.read("MeshService", marker, mesh), "a service of west in east")
            self.assertIsNone(self.west.read("MeshService", orders, mesh))
        finally:
            self.central.put({"type": "Zone", "name": "east", "enabled": True})
        for name in (catalog, orders):
            self.until(lambda: self.west.read("MeshService", name, mesh), f"{name} in west again")


class Gone(OwnPlanesTest):
    def fleet_of(self, *zones):
        self.central = self.fleet.add_global()
        planes = [self.fleet.add_zone(name, self.central) for name in zones]
        self.fleet.start()
        self.central.put(documents.mesh("shop"))
        for plane in planes:
            self.until(lambda: plane.read("Mesh", "shop"), f"the mesh in {plane.name}")
        return planes

    def offline(self, zone):
        def check():
            return subscriptions(self.central, zone) and not open_subscriptions(self.central, zone)

        self.until(check, f"{zone} offline")

    def test_a_zone_that_is_away_keeps_its_resources_until_it_is_deleted(self):
        east, west = self.fleet_of("east", "west")
        service, proxy = (documents.copy_name("shop", name, "east") for name in ("catalog", "web-1"))
        east.put(documents.service("shop", "catalog"))
        east.put(documents.dataplane("shop", "web-1"))
        self.until(lambda: west.read("MeshService", service, "shop"), "catalog in west")
        self.until(lambda: self.central.read("Dataplane", proxy, "shop"), "web-1 on the global")
        east.stop()
        self.offline("east")
        self.assertIsNotNone(self.central.read("MeshService", service, "shop"))
        self.assertIsNotNone(west.read("MeshService", service, "shop"))
        self.central.delete("Zone", "east")
        self.assertIsNone(self.central.read("Dataplane", proxy, "shop"))
        self.assertIsNone(self.central.read("MeshService", service, "shop"))
        self.until(lambda: not west.read("MeshService", service, "shop"), "catalog leaves west")
        self.assertEqual(self.central.rest.get("/zone-insights/east").status, 404)
        east.start()
        self.until(lambda: self.central.read("Zone", "east"), "the zone is there again")
        self.until(lambda: self.central.read("Dataplane", proxy, "shop"), "web-1 is there again")
        self.until(lambda: west.read("MeshService", service, "shop"), "catalog is there again")

    def test_each_connection_is_a_subscription(self):
        (east,) = self.fleet_of("east")
        for connections in (1, 2, 3):
            self.until(lambda: len(open_subscriptions(self.central, "east")) == 1, "east online")
            self.assertEqual(len(subscriptions(self.central, "east")), connections)
            east.stop()
            self.offline("east")
            east.start()

    def test_the_newest_of_two_connections_wins_and_the_older_is_held_off(self):
        (east,) = self.fleet_of("east")
        self.until(lambda: len(open_subscriptions(self.central, "east")) == 1, "east online")
        twin = self.fleet.add_zone("twin", self.central)
        twin.zone_name = "east"
        twin.start()
        self.until(lambda: twin.read("Mesh", "shop"), "the mesh in the twin")

        def instance():
            found = open_subscriptions(self.central, "east")
            return found[0]["zoneInstanceId"] if len(found) == 1 else None

        self.until_equal(twin.rest.get("/").json["instanceId"], instance, "the newer instance is the zone")
        self.until(lambda: self.central.metric("kdsd_zone_conflicts_total"), "the conflict is counted")
        self.assertIn("two control planes use the zone name", self.central.log_text())
        for path in ("/zones/east/_overview", "/zones/_overview"):
            shown = self.central.rest.get(path).json
            conflict = shown["items"][0]["conflict"] if "items" in shown else shown["conflict"]
            for plane in (east, twin):
                self.assertIn(plane.rest.get("/").json["instanceId"], conflict)
            self.assertEqual(conflict.count("ipv4:127.0.0.1:"), 2, conflict)
        for number in range(3):
            self.central.put(documents.timeout("shop", f"p-{number}"))
            name = documents.copy_name("shop", f"p-{number}")
            self.until(lambda: twin.read("MeshTimeout", name, "shop"), f"{name} in the newer instance")
        self.assertEqual(instance(), twin.rest.get("/").json["instanceId"], "they do not take turns")


if __name__ == "__main__":
    main()
