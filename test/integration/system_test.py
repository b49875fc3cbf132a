"""One control plane: what it tells about itself."""

from support import FleetTest, documents, main


class System(FleetTest):
    def test_types_are_described(self):
        resources = {entry["name"]: entry for entry in self.central.rest.get("/_resources").json["resources"]}
        self.assertEqual(list(resources), sorted(resources))
        self.assertEqual(
            resources["MeshTimeout"],
            {
                "includeInFederation": True,
                "name": "MeshTimeout",
                "path": "meshtimeouts",
                "pluralDisplayName": "Mesh Timeouts",
                "policy": {"hasFromTargetRef": True, "hasToTargetRef": True, "isFromAsRules": True, "isTargetRef": True},
                "readOnly": False,
                "scope": "Mesh",
                "shortName": "mt",
                "singularDisplayName": "Mesh Timeout",
            },
        )
        self.assertEqual(resources["Zone"]["scope"], "Global")

    def test_policies_are_listed(self):
        policies = {entry["name"]: entry for entry in self.central.rest.get("/policies").json["policies"]}
        self.assertEqual(list(policies), sorted(policies))
        timeout = policies["MeshTimeout"]
        self.assertEqual((timeout["path"], timeout["readOnly"], timeout["isTargetRefBased"]), ("meshtimeouts", False, True))

    def test_the_configuration_in_effect(self):
        config = self.central.rest.get("/config").json
        self.assertEqual((config["mode"], config["environment"]), ("global", "universal"))
        self.assertEqual(config["apiServer"]["http"]["port"], self.central.rest.port)
        self.assertEqual(config["multizone"]["global"]["kds"]["grpcPort"], self.central.kds_port)
        self.assertEqual(config["multizone"]["global"]["kds"]["maxMsgSize"], 10485760)
        self.assertEqual(config["store"]["postgres"]["password"], "*****")

    def test_insights_count_what_exists(self):
        mesh = self.fresh_mesh()
        for name in ("a", "b", "c"):
            self.central.put(documents.timeout(mesh, name))

        def counted():
            insight = self.central.read("MeshInsight", mesh) or {}
            return insight.get("policies", {}).get("MeshTimeout")

        self.until_equal({"total": 3}, counted)
        whole = self.central.rest.get("/global-insight").json
        self.assertEqual(whole["meshes"]["total"], len(self.central.names("Mesh")))
        self.assertEqual(whole["zones"]["controlPlanes"], {"online": 0, "total": 0})
        self.central.delete("MeshTimeout", "a", mesh)
        self.until_equal({"total": 2}, counted)

    def test_health_and_metrics(self):
        for path in ("/healthy", "/ready"):
            self.assertEqual(self.central.diagnostics.get(path).status, 200)
        self.assertTrue(self.central.diagnostics.get("/metrics").headers["Content-Type"].startswith("text/plain"))
        self.assertEqual(self.central.metric("leader"), 1.0)
        self.assertEqual(self.central.metric("cp_info", 'product="Kuma"'), 1.0)
        for name in ("kdsd_log_revision", "kdsd_commits_total"):
            before = self.central.metric(name)
            self.central.put(documents.timeout(self.fresh_mesh(), "slow"))
            self.until(lambda: self.central.metric(name) > before, f"{name} rises")


if __name__ == "__main__":
    main()
