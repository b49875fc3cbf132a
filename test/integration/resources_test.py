"""One control plane: writing, reading, replacing and deleting resources."""

import re

from support import FleetTest, documents, main

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$")


class Resources(FleetTest):
    def test_a_create_is_201_and_a_replace_200_both_with_an_empty_object(self):
        document = documents.timeout(self.fresh_mesh(), "slow")
        for status in (201, 200):
            answer = self.central.rest.call("PUT", documents.path_of(document), document)
            self.assertEqual((answer.status, answer.json), (status, {}))
            self.assertTrue(answer.headers["Content-Type"].startswith("application/json"))

    def test_a_document_has_its_fields_in_the_documented_order(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow", "5s"))
        document = self.central.read("MeshTimeout", "slow", mesh)
        self.assertEqual(
            list(document), ["type", "mesh", "name", "creationTime", "modificationTime", "labels", "kri", "spec"]
        )
        self.assertEqual(document["labels"], {"kuma.io/mesh": mesh})
        self.assertEqual(document["kri"], f"kri_mt_{mesh}___slow_")
        self.assertEqual(document["spec"], documents.timeout(mesh, "slow", "5s")["spec"])
        self.assertRegex(document["creationTime"], TIME)
        self.assertEqual(document["creationTime"], document["modificationTime"])

    def test_a_mesh_has_its_fields_at_the_top(self):
        mesh = self.fresh_mesh(networking={"outbound": {"passthrough": False}})
        document = self.central.read("Mesh", mesh)
        self.assertEqual(
            list(document),
            ["type", "name", "creationTime", "modificationTime", "kri", "networking", "skipCreatingInitialPolicies"],
        )
        self.assertEqual(document["kri"], f"kri_m____{mesh}_")

    def test_a_replace_keeps_the_creation_time_and_replaces_labels_and_spec(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow", "5s", {"team": "a", "tier": "1"}))
        before = self.central.read("MeshTimeout", "slow", mesh)
        self.central.put(documents.timeout(mesh, "slow", "6s", {"team": "b"}))
        after = self.central.read("MeshTimeout", "slow", mesh)
        self.assertEqual(after["creationTime"], before["creationTime"])
        self.assertGreater(after["modificationTime"], before["modificationTime"])
        self.assertEqual(documents.timeout_value(after), "6s")
        self.assertEqual(after["labels"], {"kuma.io/mesh": mesh, "team": "b"})

    def test_what_was_read_can_be_written_back(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow", "5s", {"team": "a"}))
        before = self.central.read("MeshTimeout", "slow", mesh)
        self.assertFalse(self.central.put(before))
        after = self.central.read("MeshTimeout", "slow", mesh)
        self.assertEqual((after["labels"], after["spec"]), (before["labels"], before["spec"]))

    def test_unknown_fields_are_dropped_and_those_of_the_server_ignored(self):
        mesh = self.fresh_mesh()
        document = documents.timeout(mesh, "slow")
        zero = "0001-01-01T00:00:00Z"
        self.central.put(
            {
                **document,
                "spec": {**document["spec"], "colour": "green"},
                "remark": "x",
                "creationTime": zero,
                "modificationTime": zero,
                "kri": "kri_mt_x___y_",
            }
        )
        stored = self.central.read("MeshTimeout", "slow", mesh)
        self.assertNotIn("remark", stored)
        self.assertNotIn("colour", stored["spec"])
        self.assertNotEqual(stored["creationTime"], zero)
        self.assertEqual(stored["kri"], f"kri_mt_{mesh}___slow_")

    def test_a_second_delete_says_that_nothing_is_there(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow"))
        path = documents.path("MeshTimeout", "slow", mesh)
        first = self.central.rest.call("DELETE", path)
        self.assertEqual((first.status, first.json), (200, {}))
        self.assertIsNone(self.central.read("MeshTimeout", "slow", mesh))
        self.assert_refused(self.central.rest.call("DELETE", path), 404, "Could not delete a resource")

    def test_secrets_carry_base64(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.secret(mesh, "key", "aGVsbG8="))
        self.central.put(documents.global_secret("shared", "d29ybGQ="))
        self.assertEqual(self.central.read("Secret", "key", mesh)["data"], "aGVsbG8=")
        self.assertEqual(self.central.read("GlobalSecret", "shared")["data"], "d29ybGQ=")
        self.assertEqual(self.central.rest.get("/global-secrets/shared").json["name"], "shared")

    def test_deleting_a_mesh_deletes_what_was_made_in_it(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow"))
        self.central.put(documents.secret(mesh, "key"))
        self.central.delete("Mesh", mesh)
        self.assertIsNone(self.central.read("MeshTimeout", "slow", mesh))
        self.central.put(documents.mesh(mesh))
        self.assertEqual(self.central.names("MeshTimeout", mesh), [])
        self.assertNotIn("key", self.central.names("Secret", mesh))

    def test_a_resource_is_found_by_its_kri(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow"))
        found = self.central.rest.get(f"/_kri/kri_mt_{mesh}___slow_")
        self.assertEqual((found.status, found.json["name"]), (200, "slow"))
        self.assert_refused(self.central.rest.get(f"/_kri/kri_mt_{mesh}___x_"), 404, "Could not retrieve a resource")
        self.assert_refused(self.central.rest.get("/_kri/kri_nothing"), 400, "Bad Request")

    def test_the_cluster_form_is_given_on_request(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow"))
        path = documents.path("MeshTimeout", "slow", mesh)
        for form in ("kubernetes", "k8s"):
            document = self.central.rest.get(f"{path}?format={form}").json
            self.assertEqual((document["apiVersion"], document["kind"]), ("kuma.io/v1alpha1", "MeshTimeout"))
            self.assertEqual((document["metadata"]["name"], document["metadata"]["namespace"]), ("slow", "kuma-system"))
        self.assert_refused(self.central.rest.get(f"{path}?format=toml"), 400)


if __name__ == "__main__":
    main()
