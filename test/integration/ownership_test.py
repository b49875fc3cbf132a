"""Who may write what in whose name: origin, zone and mesh labels, and copies that belong to somebody else."""

from support import FleetTest, documents, main

ORIGIN = 'labels["kuma.io/origin"]'


class Ownership(FleetTest):
    ZONES = ("east", "west")

    def put(self, plane, document):
        return plane.rest.call("PUT", documents.path_of(document), document)

    def test_a_zone_demands_the_origin_label_on_policies_and_services(self):
        mesh = self.fresh_mesh()
        bare = documents.service(mesh, "a")
        del bare["labels"]
        from_above = documents.timeout(mesh, "a", labels={"kuma.io/origin": "global"})
        for document in (documents.timeout(mesh, "a"), from_above, bare):
            with self.subTest(document["type"], labels=document.get("labels")):
                reason = {ORIGIN: "the origin label must be set to 'zone'"}
                self.assert_refused(self.put(self.east, document), 400, violations=reason)
        self.assertTrue(self.east.put(documents.dataplane(mesh, "a")), "a Dataplane needs no label")

    def test_a_zone_refuses_the_name_of_another_zone_or_mesh(self):
        mesh = self.fresh_mesh()
        for key, value, reason in (
            ("kuma.io/zone", "west", "kuma.io/zone label should have east value"),
            ("kuma.io/mesh", "other", "kuma.io/mesh label must not differ from mesh set on resource"),
        ):
            for document in (
                documents.timeout(mesh, "a", labels={**documents.OF_ZONE, key: value}),
                documents.dataplane(mesh, "a", labels={key: value}),
            ):
                with self.subTest(document["type"], label=key):
                    answer = self.put(self.east, document)
                    self.assert_refused(answer, 400, violations={f'labels["{key}"]': reason})
        own = {**documents.OF_ZONE, "kuma.io/zone": "east", "kuma.io/mesh": mesh}
        self.east.put(documents.timeout(mesh, "a", labels=own))

    def test_a_zone_refuses_what_belongs_to_the_global(self):
        mesh = self.fresh_mesh()
        for document in (
            documents.mesh("own"),
            {"type": "ExternalService", "mesh": mesh, "name": "a"},
        ):
            with self.subTest(document["type"]):
                self.assert_refused(self.put(self.east, document), 405, "Method not allowed")
        self.assert_refused(self.east.rest.call("DELETE", documents.path("Mesh", mesh)), 405, "Method not allowed")
        types = self.east.rest.get("/_resources").json["resources"]
        self.assertEqual({entry["readOnly"] for entry in types}, {True})

    def test_a_resource_of_a_zone_cannot_be_edited_on_the_global(self):
        mesh = self.fresh_mesh()
        self.east.put(documents.timeout(mesh, "mine", "1s", documents.OF_ZONE))
        name = documents.copy_name(mesh, "mine", "east")
        copy = self.until(lambda: self.central.read("MeshTimeout", name, mesh), "the copy")
        bare = self.put(self.central, documents.timeout(mesh, name, "9s"))
        self.assert_refused(bare, 400, "Could not update a resource")
        fields = [f'labels["kuma.io/{key}"]' for key in ("display-name", "origin", "zone")]
        self.assertEqual(sorted(bare.violations()), fields)
        whole = self.put(self.central, {**copy, "spec": documents.timeout(mesh, name, "9s")["spec"]})
        self.assert_refused(whole, 400)
        self.assertEqual(whole.violations()[ORIGIN], "the origin label must be set to 'global'")
        self.assertEqual(self.central.read("MeshTimeout", name, mesh), copy)

    def test_a_copy_cannot_be_edited_in_a_zone(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "theirs", "1s"))
        name = documents.copy_name(mesh, "theirs")
        copy = self.until(lambda: self.east.read("MeshTimeout", name, mesh), "the copy")
        whole = self.put(self.east, {**copy, "spec": documents.timeout(mesh, name, "9s")["spec"]})
        self.assert_refused(whole, 400, violations={ORIGIN: "the origin label must be set to 'zone'"})
        forged = self.put(self.east, documents.timeout(mesh, name, "9s", documents.OF_ZONE))
        self.assert_refused(forged, 400, "Could not update a resource")
        self.assertEqual(self.east.read("MeshTimeout", name, mesh), copy)

    def test_a_copy_cannot_be_deleted_where_it_was_received(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "theirs"))
        self.central.put(documents.secret(mesh, "shared"))
        self.east.put(documents.timeout(mesh, "mine", labels=documents.OF_ZONE))
        self.east.put(documents.service(mesh, "catalog"))
        for plane, type_name, name in (
            (self.east, "MeshTimeout", documents.copy_name(mesh, "theirs")),
            (self.east, "Secret", "shared"),
            (self.central, "MeshTimeout", documents.copy_name(mesh, "mine", "east")),
            (self.west, "MeshService", documents.copy_name(mesh, "catalog", "east")),
        ):
            with self.subTest(type_name, plane=plane.name):
                copy = self.until(lambda: plane.read(type_name, name, mesh), "the copy")
                answer = plane.rest.call("DELETE", documents.path(type_name, name, mesh))
                self.assert_refused(answer, 405, "Method not allowed")
                self.assertEqual(plane.read(type_name, name, mesh), copy)

    def test_the_proxy_type_is_computed_and_a_role_without_namespaces_dropped(self):
        mesh = self.fresh_mesh()
        self.east.put(documents.dataplane(mesh, "a", {"kuma.io/proxy-type": "gateway"}))
        self.assertEqual(self.east.read("Dataplane", "a", mesh)["labels"]["kuma.io/proxy-type"], "sidecar")
        self.east.put(documents.timeout(mesh, "a", labels={**documents.OF_ZONE, "kuma.io/policy-role": "producer"}))
        self.assertNotIn("kuma.io/policy-role", self.east.read("MeshTimeout", "a", mesh)["labels"])

    def test_labels_of_users_travel_unchanged_both_ways(self):
        mesh = self.fresh_mesh()
        mine = {"team": "a", "example.com/tier": "gold", "empty": ""}
        self.central.put(documents.timeout(mesh, "down", labels=mine))
        self.east.put(documents.timeout(mesh, "up", labels={**documents.OF_ZONE, **mine}))
        for plane, name in (
            (self.west, documents.copy_name(mesh, "down")),
            (self.central, documents.copy_name(mesh, "up", "east")),
        ):
            copy = self.until(lambda: plane.read("MeshTimeout", name, mesh), f"{name} at {plane.name}")
            self.assertEqual({k: v for k, v in copy["labels"].items() if not k.startswith("kuma.io/")}, mine)


if __name__ == "__main__":
    main()
