"""Processes and links that go away and come back: everybody ends with what the rules say, and nothing is written twice."""

import threading

from support import FleetTest, documents, main

from lib.link import Link


def shown(plane, mesh):
    """{type: {name: document}} with all times, so that a rewrite is seen."""
    types = ("MeshTimeout", "MeshService", "Dataplane", "Secret")
    return {type_name: {i["name"]: i for i in plane.items(type_name, mesh)} for type_name in types}


def values(plane, mesh):
    return {i["name"]: documents.timeout_value(i) for i in plane.items("MeshTimeout", mesh)}


class Restart(FleetTest):
    ZONES = ("east", "west")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.links = {}
        for zone in cls.zones:
            link = Link(cls.central.kds_port)
            cls.addClassCleanup(link.close)
            cls.links[zone.name] = link
            zone.stop()
            zone.global_address = link.address
        cls.fleet.start(cls.zones)

    def filled_mesh(self):
        """A mesh in which each plane has something of its own that everybody who may has received."""
        mesh = self.fresh_mesh()
        for name in ("keep", "drop", "change"):
            self.central.put(documents.timeout(mesh, name, "1s"))
        self.central.put(documents.secret(mesh, "key"))
        for zone in self.zones:
            zone.put(documents.service(mesh, "catalog"))
            zone.put(documents.dataplane(mesh, "web-1"))
            zone.put(documents.timeout(mesh, f"of-{zone.name}", "1s", documents.OF_ZONE))
        self.settles(mesh)
        return mesh

    def expected(self, mesh):
        """{plane: {type: names}}, from what each plane has of its own."""
        own = {plane.name: {} for plane in self.fleet.planes}
        for plane in self.fleet.planes:
            home = "global" if plane is self.central else "zone"
            for type_name, held in shown(plane, mesh).items():
                own[plane.name][type_name] = [
                    name for name, document in held.items() if document.get("labels", {}).get("kuma.io/origin", home) == home
                    and document.get("labels", {}).get("kuma.io/zone", plane.name) == plane.name
                ]
        result = {}
        for plane in self.fleet.planes:
            result[plane.name] = {}
            for type_name in own["global"]:
                names = set(own[plane.name][type_name])
                if plane is not self.central:
                    is_hashed = type_name != "Secret"
                    names |= {documents.copy_name(mesh, n) if is_hashed else n for n in own["global"][type_name]}
                for zone in self.zones:
                    goes_on = plane is self.central and type_name != "Secret"
                    goes_on = goes_on or (plane is not zone and type_name == "MeshService")
                    if goes_on:
                        names |= {documents.copy_name(mesh, n, zone.name) for n in own[zone.name][type_name]}
                result[plane.name][type_name] = sorted(names)
        return result

    def settles(self, mesh):
        def check():
            expected = self.expected(mesh)
            for plane in self.fleet.planes:
                held = {type_name: sorted(held) for type_name, held in shown(plane, mesh).items()}
                self.assertEqual(held, expected[plane.name], f"at {plane.name}")
            return True

        self.until(check, "everybody holds what the rules say")

    def crosses(self, mesh, name):
        """A write on each side has arrived on the other side of every link, so the links work again."""
        self.central.put(documents.timeout(mesh, name))
        for zone in self.zones:
            zone.put(documents.service(mesh, name))
        for zone in self.zones:
            copy = documents.copy_name(mesh, name)
            self.until(lambda: zone.read("MeshTimeout", copy, mesh), f"{name} in {zone.name}")
            copy = documents.copy_name(mesh, name, zone.name)
            self.until(lambda: self.central.read("MeshService", copy, mesh), f"{name} of {zone.name} on the global")

    def nothing_is_rewritten(self, mesh, disturb, marker="marker"):
        before = {plane.name: shown(plane, mesh) for plane in self.fleet.planes}
        disturb()
        self.crosses(mesh, marker)
        for plane in self.fleet.planes:
            after = shown(plane, mesh)
            for type_name, held in before[plane.name].items():
                for name, document in held.items():
                    self.assertEqual(after[type_name].get(name), document, f"{type_name} {name} at {plane.name}")

    def test_a_plane_that_is_started_again_makes_nobody_rewrite_anything(self):
        mesh = self.filled_mesh()
        for plane in (self.east, self.central):
            with self.subTest(plane.name):
                self.nothing_is_rewritten(mesh, lambda: (plane.stop(), plane.start()), f"after-{plane.name}")

    def test_a_dropped_link_rewrites_nothing(self):
        mesh = self.filled_mesh()
        self.nothing_is_rewritten(mesh, lambda: [link.drop() for link in self.links.values()])

    def test_killing_everybody_rewrites_nothing(self):
        mesh = self.filled_mesh()

        def disturb():
            for plane in self.fleet.planes:
                plane.kill()
            self.fleet.start([self.west, self.central, self.east])

        self.nothing_is_rewritten(mesh, disturb)
        self.settles(mesh)

    def changes_on_both_sides(self, mesh):
        self.central.delete("MeshTimeout", "drop", mesh)
        self.central.put(documents.timeout(mesh, "change", "2s"))
        self.central.put(documents.timeout(mesh, "new", "3s"))
        self.central.put(documents.timeout(mesh, "short-lived", "4s"))
        self.central.delete("MeshTimeout", "short-lived", mesh)

    def changes_arrived(self, mesh):
        expected = {documents.copy_name(mesh, n): v for n, v in (("keep", "1s"), ("change", "2s"), ("new", "3s"))}
        self.until_equal({**expected, "of-east": "1s"}, lambda: values(self.east, mesh), "policies in east")

    def test_what_happens_on_both_sides_of_a_cut_link_is_exchanged_when_it_heals(self):
        mesh = self.filled_mesh()
        keep = documents.copy_name(mesh, "keep")
        before = self.east.read("MeshTimeout", keep, mesh)
        held = values(self.east, mesh)
        self.links["east"].cut()
        self.changes_on_both_sides(mesh)
        self.east.delete("MeshService", "catalog", mesh)
        self.east.put(documents.service(mesh, "orders"))
        self.until(lambda: len(values(self.west, mesh)) == 4 and documents.copy_name(mesh, "new") in values(self.west, mesh))
        self.assertEqual(values(self.east, mesh), held, "east behind the cut")
        self.links["east"].heal()
        self.changes_arrived(mesh)
        self.settles(mesh)
        self.assertEqual(self.east.read("MeshTimeout", keep, mesh), before, "what did not change is not rewritten")

    def test_a_zone_that_was_away_catches_up(self):
        mesh = self.filled_mesh()
        self.east.kill()
        self.changes_on_both_sides(mesh)
        service = documents.copy_name(mesh, "catalog", "east")
        self.assertIsNotNone(self.central.read("MeshService", service, mesh))
        self.assertIsNotNone(self.west.read("MeshService", service, mesh))
        self.east.start()
        self.changes_arrived(mesh)
        self.settles(mesh)

    def test_a_zone_serves_and_takes_writes_while_its_global_is_away(self):
        mesh = self.filled_mesh()
        self.central.kill()
        held = shown(self.west, mesh)
        self.east.put(documents.dataplane(mesh, "web-2"))
        self.east.delete("Dataplane", "web-1", mesh)
        self.assertEqual(self.east.diagnostics.get("/ready").status, 200)
        self.assertEqual(shown(self.west, mesh), held)
        self.central.start()
        self.until(lambda: self.central.read("Dataplane", documents.copy_name(mesh, "web-2", "east"), mesh), "web-2")
        self.settles(mesh)

    def test_a_frozen_zone_slows_nobody_and_catches_up(self):
        mesh = self.filled_mesh()
        self.west.freeze()
        try:
            for number in range(20):
                self.central.put(documents.timeout(mesh, f"p-{number}"))
            self.until(lambda: len(values(self.east, mesh)) == 24, "policies in east")
        finally:
            self.west.thaw()
        self.until(lambda: len(values(self.west, mesh)) == 24, "policies in west")
        self.settles(mesh)

    def test_a_stalled_link_loses_nothing(self):
        mesh = self.filled_mesh()
        self.links["east"].freeze()
        for number in range(10):
            self.central.put(documents.timeout(mesh, f"p-{number}"))
            self.east.put(documents.timeout(mesh, f"e-{number}", labels=documents.OF_ZONE))
        self.until(lambda: len(values(self.west, mesh)) == 14, "policies in west meanwhile")
        self.links["east"].heal()
        self.until(lambda: len(values(self.east, mesh)) == 24, "policies in east")
        self.settles(mesh)

    def test_a_bouncing_zone_never_blinks_out_of_its_neighbours(self):
        mesh = self.filled_mesh()
        service = documents.copy_name(mesh, "catalog", "east")
        before = {plane.name: shown(plane, mesh) for plane in (self.central, self.west)}
        gaps, done = [], threading.Event()

        def watch():
            while not done.wait(0.01):
                for plane in (self.central, self.west):
                    if service not in plane.names("MeshService", mesh):
                        gaps.append(plane.name)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            for number in range(4):
                self.east.kill() if number % 2 else self.links["east"].drop()
                if number % 2:
                    self.east.start()
                self.crosses(mesh, f"marker-{number}")
        finally:
            done.set()
            watcher.join()
        self.assertEqual(gaps, [], "moments in which the service of east was missing")
        for plane in (self.central, self.west):
            after = shown(plane, mesh)
            for type_name, held in before[plane.name].items():
                self.assertEqual({n: after[type_name].get(n) for n in held}, held, f"{type_name} at {plane.name}")


if __name__ == "__main__":
    main()
