"""Starting: when a control plane is ready, and what it refuses to start with."""

import sqlite3

from support import OwnPlanesTest, documents, main


def contents(directory):
    """What lies there, without the lock that comes with each opening."""
    return {f.name: f.read_bytes() for f in directory.iterdir() if f.is_file() and f.suffix != ".lock"}


class Ready(OwnPlanesTest):
    BEGINS_WITH_NOTHING = True

    def test_a_ready_plane_answers_on_both_servers(self):
        plane = self.fleet.add_global()
        plane.start()
        for path in ("/healthy", "/ready"):
            self.until(lambda: plane.diagnostics.get(path).status == 200, path)
        index = plane.rest.get("/").json
        self.assertEqual(index["product"], "Kuma")
        self.assertRegex(index["version"], r"^2\.13\.")
        self.assertTrue(index["instanceId"].startswith(index["hostname"] + "-"))

    def test_a_zone_is_ready_without_its_global(self):
        zone = self.fleet.add_zone("east", self.fleet.add_global())
        zone.start()
        self.until(lambda: zone.diagnostics.get("/ready").status == 200, "/ready")
        self.assertEqual(zone.rest.get("/meshes").status, 200)

    def test_a_restart_finds_what_was_stored(self):
        plane = self.fleet.add_global()
        plane.start()
        plane.put(documents.mesh("shop"))
        plane.put(documents.timeout("shop", "slow"))
        before = plane.read("MeshTimeout", "slow", "shop")
        plane.stop()
        plane.start()
        self.assertEqual(plane.read("MeshTimeout", "slow", "shop"), before)

    def test_a_second_plane_cannot_take_a_port(self):
        first, second = self.fleet.add_global("first"), self.fleet.add_global("second")
        first.start()
        second.settings["KUMA_API_SERVER_HTTP_PORT"] = str(first.rest.port)
        second.launch()
        self.assertNotEqual(second.wait_end(), 0)
        self.assertIn(str(first.rest.port), second.log_text())
        self.assertEqual(first.rest.get("/").status, 200)


class Configuration(OwnPlanesTest):
    BEGINS_WITH_NOTHING = True

    def test_one_that_makes_no_sense_stops_the_start_and_is_named(self):
        on_global = [
            ("KUMA_MODE", "sideways"),
            ("KUMA_STORE_TYPE", "clay"),
            ("KUMA_API_SERVER_READ_ONLY", "maybe"),
            ("KUMA_API_SERVER_HTTP_PORT", "70000"),
            ("KUMA_MULTIZONE_GLOBAL_KDS_ZONE_INSIGHT_FLUSH_INTERVAL", "soon"),
        ]
        on_zone = [
            ("KUMA_MULTIZONE_ZONE_NAME", ""),
            ("KUMA_MULTIZONE_ZONE_NAME", "east zone"),
            ("KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS", "http://127.0.0.1:5685"),
        ]
        wrong = [(self.fleet.add_global(f"g{n}", **{k: v}), k) for n, (k, v) in enumerate(on_global)]
        wrong += [(self.fleet.add_zone(f"z{n}", **{k: v}), k) for n, (k, v) in enumerate(on_zone)]
        for plane, _ in wrong:
            plane.launch()
        for plane, variable in wrong:
            with self.subTest(variable):
                self.assertEqual(plane.wait_end(), 1)
                self.assertIn("configuration refused", plane.log_text())
                self.assertIn(variable, plane.log_text())
                self.assertEqual(list(plane.work.iterdir()), [], "a refused start leaves nothing behind")

    def test_an_authority_that_is_no_file_stops_a_zone(self):
        zone = self.fleet.add_zone(
            "east",
            KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS="grpcs://127.0.0.1:5685",
            KUMA_MULTIZONE_ZONE_KDS_ROOT_CA_FILE="/no/such/file",
        )
        zone.launch()
        self.assertEqual(zone.wait_end(), 1)
        self.assertIn("/no/such/file", zone.log_text())


class Store(OwnPlanesTest):
    """Each refusal names the file, ends with 1, and leaves everything as it was."""

    def stored(self, plane):
        plane.start()
        plane.stop()
        return plane

    def refused(self, plane, *reasons):
        before = contents(plane.work)
        logged = len(plane.log_text())
        plane.launch()
        self.assertEqual(plane.wait_end(), 1)
        for reason in (str(plane.store), *reasons):
            self.assertIn(reason, plane.log_text()[logged:])
        self.assertEqual(contents(plane.work), before)

    def test_a_newer_schema(self):
        plane = self.stored(self.fleet.add_global())
        with sqlite3.connect(plane.store) as file:
            file.execute("PRAGMA user_version = 999")
        file.close()
        self.refused(plane, "has schema 999")

    def test_a_damaged_file(self):
        plane = self.stored(self.fleet.add_global())
        pages = bytearray(plane.store.read_bytes())
        for offset in range(4096, len(pages), 4096):
            pages[offset : offset + 512] = b"\xa5" * 512
        plane.store.write_bytes(pages)
        self.refused(plane)

    def test_a_damaged_head(self):
        plane = self.stored(self.fleet.add_global())
        plane.store.write_bytes(b"not a database at all" * 200 + plane.store.read_bytes()[4200:])
        self.refused(plane)

    def test_a_database_of_another_program(self):
        plane = self.fleet.add_global()
        plane.store.unlink()
        with sqlite3.connect(plane.store) as file:
            file.execute("CREATE TABLE precious (value TEXT)")
        file.close()
        self.refused(plane)

    def test_a_directory_in_its_place(self):
        plane = self.fleet.add_global()
        plane.store.unlink()
        plane.store.mkdir()
        plane.launch()
        self.assertEqual(plane.wait_end(), 1)
        self.assertTrue(plane.store.is_dir())

    def test_the_store_of_another_mode(self):
        plane = self.stored(self.fleet.add_global())
        plane.settings["KUMA_MODE"] = "zone"
        self.refused(plane, "is the store of a global")

    def test_the_store_of_another_zone(self):
        plane = self.stored(self.fleet.add_zone("east"))
        plane.zone_name = "west"
        self.refused(plane, "is the store of a zone east", "not of a zone west")

    def test_the_store_of_another_environment(self):
        plane = self.stored(self.fleet.add_zone("east"))
        plane.settings["KUMA_ENVIRONMENT"] = "kubernetes"
        self.refused(plane, "environment universal", "environment kubernetes")

    def test_a_store_that_is_in_use(self):
        first, second = self.fleet.add_global("first"), self.fleet.add_global("second")
        first.start()
        second.settings["KDSD_STORE_PATH"] = str(first.store)
        second.launch()
        self.assertEqual(second.wait_end(), 1)
        self.assertIn(first.store.name, second.log_text())
        first.put(documents.mesh("shop"))

    def test_a_refused_store_that_is_put_back_is_opened(self):
        plane = self.fleet.add_global()
        plane.start()
        plane.put(documents.mesh("shop"))
        plane.stop()
        whole = plane.store.read_bytes()
        plane.store.write_bytes(b"x" * len(whole))
        self.refused(plane)
        plane.store.write_bytes(whole)
        plane.start()
        self.assertIn("shop", plane.names("Mesh"))


if __name__ == "__main__":
    main()
