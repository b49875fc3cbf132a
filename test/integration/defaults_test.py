"""What a control plane makes by itself: the default mesh, and policies and a signing key in each new mesh."""

from support import OwnPlanesTest, documents, main


def policies(plane, mesh):
    types = ("MeshTimeout", "MeshCircuitBreaker", "MeshRetry")
    return {type_name: plane.names(type_name, mesh) for type_name in types}


def usual(mesh):
    return {
        "MeshTimeout": [f"mesh-gateways-timeout-all-{mesh}", f"mesh-timeout-all-{mesh}"],
        "MeshCircuitBreaker": [f"mesh-circuit-breaker-all-{mesh}"],
        "MeshRetry": [f"mesh-retry-all-{mesh}"],
    }


class Defaults(OwnPlanesTest):
    BEGINS_WITH_NOTHING = True

    def test_a_mesh_gets_its_policies_and_key_unless_told_not_to(self):
        plane = self.fleet.add_global()
        plane.start()
        plane.put({"type": "Mesh", "name": "plain"})
        plane.put({"type": "Mesh", "name": "bare", "skipCreatingInitialPolicies": ["*"]})
        plane.put({"type": "Mesh", "name": "partly", "skipCreatingInitialPolicies": ["MeshTimeout"]})
        self.assertEqual(policies(plane, "plain"), usual("plain"))
        self.assertEqual(policies(plane, "bare"), {"MeshTimeout": [], "MeshCircuitBreaker": [], "MeshRetry": []})
        self.assertEqual(policies(plane, "partly"), {**usual("partly"), "MeshTimeout": []})
        self.assertEqual(plane.names("Secret", "bare"), ["dataplane-token-signing-key-bare-1"])

    def test_replacing_a_mesh_makes_nothing_anew(self):
        plane = self.fleet.add_global()
        plane.start()
        plane.put({"type": "Mesh", "name": "plain"})
        plane.delete("MeshRetry", "mesh-retry-all-plain", "plain")
        plane.put({"type": "Mesh", "name": "plain", "networking": {"outbound": {"passthrough": False}}})
        self.assertEqual(policies(plane, "plain"), {**usual("plain"), "MeshRetry": []})

    def test_the_default_mesh_is_made_once(self):
        plane = self.fleet.add_global()
        plane.start()
        self.until(lambda: plane.read("Mesh", "default"), "the default mesh")
        self.until_equal(usual("default"), lambda: policies(plane, "default"))
        before = plane.read("Mesh", "default")
        plane.stop()
        plane.start()
        self.assertEqual(plane.read("Mesh", "default"), before)
        plane.delete("MeshRetry", "mesh-retry-all-default", "default")
        plane.stop()
        plane.start()
        self.assertEqual(plane.names("MeshRetry", "default"), [], "what a user deleted stays deleted")

    def test_the_default_mesh_can_be_switched_off(self):
        plane = self.fleet.add_global(KUMA_DEFAULTS_SKIP_MESH_CREATION="true")
        plane.start()
        self.until(lambda: plane.diagnostics.get("/ready").status == 200, "/ready")
        self.assertEqual(plane.names("Mesh"), [])

    def test_a_zone_gets_them_from_its_global_and_makes_none(self):
        central = self.fleet.add_global()
        zone = self.fleet.add_zone("east", central)
        self.fleet.start()
        central.put({"type": "Mesh", "name": "plain"})
        expected = {
            type_name: sorted(documents.copy_name("plain", name) for name in names)
            for type_name, names in usual("plain").items()
        }
        self.until_equal(expected, lambda: policies(zone, "plain"))
        self.assertEqual(zone.read("Mesh", "default")["labels"], {"kuma.io/origin": "global"})


if __name__ == "__main__":
    main()
