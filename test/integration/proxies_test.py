"""Questions about the proxies of a zone travel to it and come back (kds-protocol.md 10)."""

from support import FleetTest, documents, main


class Proxies(FleetTest):
    ZONES = ("east",)

    def test_a_zone_without_proxies_says_so(self):
        mesh = self.fresh_mesh()
        self.east.put(documents.dataplane(mesh, "dp"))
        self.until(lambda: self.central.items("Dataplane", mesh), "the global has the proxy")
        (name,) = self.central.names("Dataplane", mesh)
        for view in ("xds", "stats", "clusters"):
            with self.subTest(view):
                answer = self.central.rest.get(f"/meshes/{mesh}/dataplanes/{name}/{view}")
                self.assert_refused(answer, 400, "Could not execute admin operation")
                self.assertIn("east runs no proxies", answer.json["detail"])
                self.assertIn("Dataplane dp", answer.json["detail"])

    def test_a_zone_that_is_away_cannot_be_asked(self):
        mesh = self.fresh_mesh()
        self.east.put(documents.dataplane(mesh, "dp"))
        self.until(lambda: self.central.items("Dataplane", mesh), "the global has the proxy")
        (name,) = self.central.names("Dataplane", mesh)
        self.east.stop()
        path = f"/meshes/{mesh}/dataplanes/{name}/stats"
        self.until(lambda: "is not connected" in self.central.rest.get(path).text, "the zone is gone")
        self.assert_refused(self.central.rest.get(path), 400, "Bad Request")
        self.east.start()
        self.until(lambda: "runs no proxies" in self.central.rest.get(path).text, "and back")

    def test_what_no_proxy_can_be_asked_for(self):
        mesh = self.fresh_mesh()
        self.assertEqual(self.central.rest.get(f"/meshes/{mesh}/dataplanes/none/stats").status, 404)
        self.assertEqual(self.east.rest.get(f"/meshes/{mesh}/dataplanes/none/xds").status, 404)


if __name__ == "__main__":
    main()
