"""`kdsd export` and `kdsd import`: the whole content of a control plane, and a global that takes another's place."""

import subprocess

from support import OwnPlanesTest, documents, main


class Content(OwnPlanesTest):
    def kdsd(self, plane, *arguments, text=None):
        done = subprocess.run(
            [plane.program, *map(str, arguments), "--address", plane.address],
            input=text, capture_output=True, text=True, timeout=120, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def fill(self, central):
        central.put(documents.mesh("bare"))
        central.put({"type": "Mesh", "name": "full"})
        central.delete("MeshTimeout", "mesh-timeout-all-full", "full")
        for number in range(5):
            central.put(documents.timeout("full", f"t-{number}", labels={"team": "a"}))
        central.put(documents.secret("bare", "own"))
        central.put(documents.global_secret("marker"))

    def state(self, plane):
        """Everything that people wrote, without what belongs to one control plane."""
        out = {}
        for segment in ("meshes", "secrets", "global-secrets", "meshtimeouts", "meshretries", "meshcircuitbreakers"):
            for item in plane.rest.get(f"/{segment}?size=0").json["items"]:
                kept = {key: value for key, value in item.items() if key not in ("creationTime", "modificationTime")}
                # A control plane puts this label on what people write, not on what it makes by itself.
                kept["labels"] = {key: value for key, value in item.get("labels", {}).items() if key != "kuma.io/mesh"}
                out[(item["type"], item.get("mesh", ""), item["name"])] = kept
        return out

    def test_what_was_exported_can_be_imported_elsewhere(self):
        first = self.fleet.add_global("first")
        first.start()
        self.fill(first)
        for form in ("universal", "kubernetes"):
            with self.subTest(form):
                second = self.fleet.add_global(f"second-{form}")
                second.start()
                text = self.kdsd(first, "export", "--format", form)
                self.kdsd(second, "import", "-f", "-", text=text)
                self.assertEqual(self.state(second), self.state(first))
                again = self.kdsd(second, "import", "-f", "-", text=text)
                self.assertIn("imported 0, ", again)
                second.stop()

    def test_an_export_to_a_directory_has_a_file_a_type(self):
        central = self.fleet.add_global()
        central.start()
        self.fill(central)
        directory = self.fleet.directory / "content"
        directory.mkdir()
        self.kdsd(central, "export", "-o", directory)
        files = sorted(file.name for file in directory.iterdir())
        self.assertTrue(files[0].endswith("-meshes.yaml"), files)
        self.assertEqual(directory.joinpath(files[0]).stat().st_mode & 0o077, 0)
        before = self.state(central)
        central.delete("MeshTimeout", "t-1", "full")
        self.kdsd(central, "import", "-f", directory)
        self.assertEqual(self.state(central), before)

    def test_a_global_takes_the_place_of_another_and_its_zones_lose_nothing(self):
        first = self.fleet.add_global("first")
        zone = self.fleet.add_zone("east", first)
        self.fleet.start([first, zone])
        self.fill(first)
        self.until(lambda: zone.read("MeshTimeout", documents.copy_name("full", "t-4"), "full"), "the zone has it")
        zone.put(documents.dataplane("full", "dp"))
        self.until(lambda: len(first.items("Dataplane", "full")) == 1, "the global has the proxy")
        held = self.times(zone)
        text = self.kdsd(first, "export")
        self.assertNotIn("type: Dataplane\n", text)
        first.stop()
        # Nobody connects before the content is there: the zones' port opens with the second start.
        second = self.fleet.add_global("second")
        second.start()
        self.kdsd(second, "import", "-f", "-", text=text)
        second.stop()
        second.settings["KUMA_MULTIZONE_GLOBAL_KDS_GRPC_PORT"] = str(first.kds_port)
        second.start()
        second.put(documents.timeout("full", "after"))
        after = documents.copy_name("full", "after")
        self.until(lambda: zone.read("MeshTimeout", after, "full"), "the zone is served")
        self.until(lambda: len(second.items("Dataplane", "full")) == 1, "and serves")
        self.assertEqual({name: time for name, time in self.times(zone).items() if name != after}, held)

    def times(self, zone):
        """When each policy came into the zone: a removal in between would show."""
        return {item["name"]: item["creationTime"] for item in zone.items("MeshTimeout", "full")}


if __name__ == "__main__":
    main()
