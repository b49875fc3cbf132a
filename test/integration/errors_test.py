"""One control plane: refusals, their status, titles and shape, and who may see what."""

from support import FleetTest, documents, main

STRANGER = {"X-Forwarded-For": "203.0.113.7"}  # a caller that comes through a relay is not the administrator of this machine


class Errors(FleetTest):
    def put(self, document, path="", **headers):
        return self.central.rest.call("PUT", path or documents.path_of(document), document, headers=headers)

    def test_a_missing_resource_has_the_whole_shape(self):
        answer = self.central.rest.get(documents.path("MeshTimeout", "none", self.fresh_mesh()))
        self.assertEqual(answer.status, 404)
        self.assertEqual(
            answer.json,
            {
                "type": "/std-errors",
                "status": 404,
                "title": "Could not retrieve a resource",
                "detail": "Not found",
                "details": "Not found",
            },
        )

    def test_violations_are_listed_for_old_and_new_clients(self):
        mesh = self.fresh_mesh()
        bad = {**documents.timeout(mesh, "bad"), "spec": {"to": [{"targetRef": {"kind": "Mesh"}}]}}
        answer = self.put(bad)
        self.assert_refused(answer, 400, "Could not process a resource")
        body = answer.json
        self.assertEqual(body["detail"], "Resource is not valid")
        self.assertTrue(body["invalid_parameters"])
        causes = [{"field": v["field"], "message": v["reason"]} for v in body["invalid_parameters"]]
        self.assertEqual(body["causes"], causes)
        self.assertIsNone(self.central.read("MeshTimeout", "bad", mesh))

    def test_name_mesh_and_type_have_to_match_the_path(self):
        mesh = self.fresh_mesh()
        path = documents.path("MeshTimeout", "a", mesh)
        good = documents.timeout(mesh, "a")
        for field, value in (("name", "b"), ("mesh", "default")):
            answer = self.put({**good, field: value}, path)
            self.assert_refused(answer, 400, violations={field: f"{field} from the URL has to be the same as in body"})
        self.assert_refused(self.put({**good, "type": "MeshRetry"}, path), 400)
        self.assertIsNone(self.central.read("MeshTimeout", "a", mesh))

    def test_all_mismatches_are_told_together(self):
        document = {**documents.timeout("default", "b"), "labels": {"kuma.io/origin": "moon"}}
        answer = self.put(document, documents.path("MeshTimeout", "a", self.fresh_mesh()))
        fields = [v["field"] for v in answer.json["invalid_parameters"]]
        self.assertEqual(fields[:3], ["name", "mesh", 'labels["kuma.io/origin"]'])

    def test_an_unknown_mesh_path_or_method(self):
        answer = self.put(documents.timeout("no-such-mesh", "a"))
        self.assert_refused(answer, 404, "Failed to retrieve Mesh")
        self.assertEqual(self.central.rest.get("/no-such-thing").status, 404)
        wrong = self.central.rest.call("POST", "/meshes", documents.mesh("x"))
        self.assertEqual(wrong.status, 405)
        self.assertIn("GET", wrong.headers["Allow"])

    def test_content_types(self):
        mesh = self.fresh_mesh()
        document = documents.timeout(mesh, "a")
        self.assertEqual(self.put(document, **{"Content-Type": "application/yaml"}).status, 415)
        self.assertIsNone(self.central.read("MeshTimeout", "a", mesh))
        self.assertEqual(self.put(document, **{"Content-Type": "application/json; charset=utf-8"}).status, 201)
        html = self.central.rest.call("GET", documents.path_of(document), headers={"Accept": "text/html"})
        self.assertEqual(html.status, 406)

    def test_what_belongs_to_zones_cannot_be_written_on_the_global(self):
        mesh = self.fresh_mesh()
        for document in (
            documents.dataplane(mesh, "dp"),
            documents.service(mesh, "svc"),
            {"type": "ZoneIngress", "name": "zi", "networking": {"port": 10001}},
            {"type": "ZoneEgress", "name": "ze", "networking": {"port": 10002}},
        ):
            with self.subTest(document["type"]):
                path = documents.path_of(document)
                self.assert_refused(self.put(document), 405, "Method not allowed")
                self.assert_refused(self.central.rest.call("DELETE", path), 405, "Method not allowed")

    def test_insights_cannot_be_written(self):
        for path in ("/mesh-insights/default", "/zone-insights/east", "/meshes/default/dataplane-insights/a"):
            with self.subTest(path):
                self.assertEqual(self.put({"type": "x", "name": "a"}, path).status, 405)
                self.assertEqual(self.central.rest.call("DELETE", path).status, 405)

    def test_secrets_are_for_administrators(self):
        mesh = self.fresh_mesh()
        for path in (f"/meshes/{mesh}/secrets", "/global-secrets", f"/meshes/{mesh}/secrets/a"):
            with self.subTest(path):
                self.assert_refused(self.central.rest.call("GET", path, headers=STRANGER), 403, "Access Denied")
        self.assertEqual(self.put(documents.secret(mesh, "a"), **STRANGER).status, 403)
        self.assertIsNone(self.central.read("Secret", "a", mesh))

    def test_who_is_calling(self):
        mine = self.central.rest.get("/who-am-i").json
        self.assertEqual(mine, {"name": "mesh-system:admin", "groups": ["mesh-system:admin", "mesh-system:authenticated"]})
        theirs = self.central.rest.call("GET", "/who-am-i", headers=STRANGER).json
        self.assertEqual(theirs, {"name": "mesh-system:anonymous", "groups": ["mesh-system:unauthenticated"]})

    def test_a_name_that_is_none_is_refused(self):
        mesh = self.fresh_mesh()
        for name in ("Upper", "under_score", "-dash", "n" * 254):
            with self.subTest(name[:12]):
                self.assert_refused(self.put(documents.timeout(mesh, name)), 400)
        self.assertEqual(self.central.names("MeshTimeout", mesh), [])


class LabelsOnTheGlobal(FleetTest):
    def test_only_the_mesh_label_is_added(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "plain"))
        self.assertEqual(self.central.read("MeshTimeout", "plain", mesh)["labels"], {"kuma.io/mesh": mesh})
        self.central.put(documents.timeout(mesh, "marked", labels={"kuma.io/origin": "global"}))
        marked = self.central.read("MeshTimeout", "marked", mesh)["labels"]
        self.assertEqual(marked, {"kuma.io/mesh": mesh, "kuma.io/origin": "global"})

    def test_another_origin_and_a_zone_are_refused(self):
        mesh = self.fresh_mesh()
        for key, value, reason in (
            ("kuma.io/origin", "zone", "the origin label must be set to 'global'"),
            ("kuma.io/zone", "east", "must not be set on a Global control plane"),
        ):
            document = documents.timeout(mesh, "a", labels={key: value})
            answer = self.central.rest.call("PUT", documents.path_of(document), document)
            self.assert_refused(answer, 400, violations={f'labels["{key}"]': reason})
        self.assertEqual(self.central.names("MeshTimeout", mesh), [])

    def test_an_immutable_label_can_be_added_but_not_changed_or_removed(self):
        mesh = self.fresh_mesh()
        key = "kuma.io/display-name"
        path = documents.path("MeshTimeout", "a", mesh)
        self.central.put(documents.timeout(mesh, "a"))
        self.central.put(documents.timeout(mesh, "a", labels={key: "shown"}))
        changed = self.central.rest.call("PUT", path, documents.timeout(mesh, "a", labels={key: "other"}))
        reason = 'is immutable, cannot be changed from "shown" to "other"'
        self.assert_refused(changed, 400, "Could not update a resource", {f'labels["{key}"]': reason})
        removed = self.central.rest.call("PUT", path, documents.timeout(mesh, "a"))
        self.assert_refused(removed, 400, violations={f'labels["{key}"]': 'is immutable, cannot be removed (was "shown")'})
        self.assertEqual(self.central.read("MeshTimeout", "a", mesh)["labels"][key], "shown")


if __name__ == "__main__":
    main()
