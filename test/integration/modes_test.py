"""Ways to run, and how the API differs."""

from support import OwnPlanesTest, documents, main


class Modes(OwnPlanesTest):
    BEGINS_WITH_NOTHING = True

    def started(self, plane):
        plane.start()
        self.until(lambda: plane.read("Mesh", "default"), "the default mesh")
        return plane

    def test_a_zone_without_a_global_may_write_everything(self):
        plane = self.started(self.fleet.add_zone("alone"))
        plane.put(documents.mesh("shop"))
        plane.put(documents.timeout("shop", "slow"))
        plane.put(documents.dataplane("shop", "web-1"))
        self.assertEqual(
            plane.read("MeshTimeout", "slow", "shop")["labels"],
            {"kuma.io/env": "universal", "kuma.io/mesh": "shop", "kuma.io/origin": "zone", "kuma.io/zone": "alone"},
        )
        types = plane.rest.get("/_resources").json["resources"]
        self.assertEqual({t["readOnly"] for t in types if "Insight" not in t["name"]}, {False})

    def test_a_read_only_api_refuses_every_write(self):
        plane = self.started(self.fleet.add_global(KUMA_API_SERVER_READ_ONLY="true"))
        for document in (
            documents.mesh("shop"),
            documents.timeout("default", "slow"),
            documents.secret("default", "key"),
            {"type": "Zone", "name": "east"},
        ):
            with self.subTest(document["type"]):
                path = documents.path_of(document)
                self.assert_refused(plane.rest.call("PUT", path, document), 405, "Method not allowed")
        self.assert_refused(plane.rest.call("DELETE", "/meshes/default"), 405, "Method not allowed")
        self.assertEqual({t["readOnly"] for t in plane.rest.get("/_resources").json["resources"]}, {True})

    def test_the_local_caller_is_administrator_unless_that_is_switched_off(self):
        usual = self.started(self.fleet.add_global("usual"))
        strict = self.started(self.fleet.add_global("strict", KUMA_API_SERVER_AUTHN_LOCALHOST_IS_ADMIN="false"))
        self.assertEqual(usual.rest.get("/who-am-i").json["name"], "mesh-system:admin")
        self.assertEqual(usual.rest.get("/global-secrets").status, 200)
        self.assertEqual(strict.rest.get("/who-am-i").json["name"], "mesh-system:anonymous")
        self.assert_refused(strict.rest.get("/global-secrets"), 403, "Access Denied")
        self.assertEqual(strict.rest.get("/meshes").status, 200)

    def test_a_store_in_memory_is_empty_after_a_restart(self):
        plane = self.started(self.fleet.add_global(KUMA_STORE_TYPE="memory"))
        plane.put(documents.mesh("shop"))
        plane.stop()
        self.assertFalse(plane.store.exists())
        plane.start()
        self.assertNotIn("shop", plane.names("Mesh"))


if __name__ == "__main__":
    main()
