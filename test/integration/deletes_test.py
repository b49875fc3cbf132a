"""Deleting a resource, and a mesh with all that was made in it, here and where the copies are."""

from support import FleetTest, documents, main


class Deletes(FleetTest):
    ZONES = ("east", "west")

    def test_a_delete_removes_the_copies_and_nothing_else(self):
        mesh = self.fresh_mesh()
        for name in ("a", "b"):
            self.central.put(documents.timeout(mesh, name))
        for zone in self.zones:
            self.until(lambda: len(zone.names("MeshTimeout", mesh)) == 2, f"both in {zone.name}")
        self.central.delete("MeshTimeout", "a", mesh)
        for zone in self.zones:
            self.until_equal([documents.copy_name(mesh, "b")], lambda: zone.names("MeshTimeout", mesh))
        self.assertEqual(self.central.names("MeshTimeout", mesh), ["b"])

    def test_what_is_deleted_and_made_again_is_new(self):
        mesh = self.fresh_mesh()
        name = documents.copy_name(mesh, "again")
        self.central.put(documents.timeout(mesh, "again", "1s"))
        first = self.until(lambda: self.east.read("MeshTimeout", name, mesh), "the first")
        self.central.delete("MeshTimeout", "again", mesh)
        self.central.put(documents.timeout(mesh, "again", "2s"))
        second = self.until(
            lambda: (c := self.east.read("MeshTimeout", name, mesh)) and documents.timeout_value(c) == "2s" and c,
            "the second",
        )
        self.assertGreaterEqual(second["modificationTime"], first["modificationTime"])
        self.assertNotEqual(
            self.central.read("MeshTimeout", "again", mesh)["creationTime"], first["creationTime"], "made anew"
        )

    def test_a_global_secret_leaves_the_zones(self):
        self.central.put(documents.global_secret("passing"))
        for zone in self.zones:
            self.until(lambda: zone.read("GlobalSecret", "passing"), f"the secret in {zone.name}")
        self.central.delete("GlobalSecret", "passing")
        for zone in self.zones:
            self.until(lambda: not zone.read("GlobalSecret", "passing"), f"the secret leaves {zone.name}")

    def test_a_deleted_mesh_is_gone_everywhere_with_what_was_made_in_it(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow"))
        self.central.put(documents.secret(mesh, "key"))
        self.east.put(documents.timeout(mesh, "mine", labels=documents.OF_ZONE))
        self.east.put(documents.service(mesh, "catalog"))
        service = documents.copy_name(mesh, "catalog", "east")
        self.until(lambda: self.west.read("MeshService", service, mesh), "catalog in west")
        for zone in self.zones:
            self.until(lambda: zone.read("MeshTimeout", documents.copy_name(mesh, "slow"), mesh), "the policy")
            self.until(lambda: zone.read("Secret", "key", mesh), "the secret")
        self.central.delete("Mesh", mesh)
        for plane in self.fleet.planes:
            self.until(lambda: not plane.read("Mesh", mesh), f"the mesh leaves {plane.name}")

            def held():
                types = ("MeshTimeout", "MeshService", "Secret")
                return [(t, i["name"]) for t in types for i in plane.items(t) if i.get("mesh") == mesh]

            self.until_equal([], held, f"what {plane.name} holds of the mesh")

    def test_a_mesh_with_dataplanes_is_not_deleted(self):
        mesh = self.fresh_mesh()
        self.east.put(documents.dataplane(mesh, "web-1"))
        self.until(lambda: self.central.names("Dataplane", mesh), "the dataplane on the global")
        answer = self.central.rest.call("DELETE", documents.path("Mesh", mesh))
        reason = "unable to delete mesh, there are still some dataplanes attached"
        self.assert_refused(answer, 400, violations={"mesh": reason})
        self.east.delete("Dataplane", "web-1", mesh)
        self.until(lambda: not self.central.names("Dataplane", mesh), "the dataplane leaves the global")
        self.central.delete("Mesh", mesh)

    def test_a_mesh_of_the_same_name_starts_empty(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow"))
        self.central.delete("Mesh", mesh)
        self.central.put(documents.mesh(mesh))
        self.central.put(documents.timeout(mesh, "marker"))
        for zone in self.zones:
            marker = documents.copy_name(mesh, "marker")
            self.until_equal([marker], lambda: zone.names("MeshTimeout", mesh), f"policies in {zone.name}")


if __name__ == "__main__":
    main()
