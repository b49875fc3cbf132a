"""What is written on the global arrives in every zone."""

import json

from support import ROOT, FleetTest, documents, main


class SyncDown(FleetTest):
    ZONES = ("east", "west")

    def arrives(self, type_name, name, mesh=""):
        """{zone: its copy}."""
        return {
            zone.name: self.until(lambda: zone.read(type_name, name, mesh), f"{type_name} {name} in {zone.name}")
            for zone in self.zones
        }

    def names_become(self, expected, mesh):
        for zone in self.zones:
            self.until_equal(sorted(expected), lambda: zone.names("MeshTimeout", mesh), f"names in {zone.name}")

    def test_a_mesh_keeps_its_name_and_gets_the_origin_label(self):
        mesh = self.fresh_mesh(networking={"outbound": {"passthrough": False}})
        for zone in self.zones:
            self.until_equal({"outbound": {"passthrough": False}}, lambda: zone.read("Mesh", mesh).get("networking"))
            self.assertEqual(zone.read("Mesh", mesh)["labels"], {"kuma.io/origin": "global"})

    def test_a_policy_arrives_under_its_hashed_name_with_its_labels(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow", "5s", {"team": "a"}))
        for copy in self.arrives("MeshTimeout", documents.copy_name(mesh, "slow"), mesh).values():
            self.assertEqual(
                copy["labels"],
                {
                    "kuma.io/display-name": "slow",
                    "kuma.io/mesh": mesh,
                    "kuma.io/origin": "global",
                    "team": "a",
                },
            )
            self.assertEqual(copy["kri"], f"kri_mt_{mesh}___slow_")
            self.assertEqual(copy["spec"], documents.timeout(mesh, "slow", "5s")["spec"])
        self.assertEqual(
            self.central.read("MeshTimeout", "slow", mesh)["labels"],
            {"kuma.io/mesh": mesh, "team": "a"},
            "the original stays as written",
        )

    def test_the_hash_is_that_of_the_recorded_traffic(self):
        # Names that a real control plane made; the helper of these tests must not be wrong together with the program.
        self.assertEqual(documents.copy_name("shop", "slow-reports", "berlin"), "slow-reports-cb546w94dvdwbv26")
        self.assertEqual(documents.copy_name("", ""), "-" + documents.copy_name("", "")[1:])
        recorded = json.dumps([json.loads(f.read_text()) for f in (ROOT / "test/data/wire").glob("0*.json")])
        for name in ("mesh-timeout-all-default", "mesh-retry-all-default"):
            self.assertIn(documents.copy_name("default", name), recorded)

    def test_proto_types_and_other_specs_arrive_too(self):
        mesh = self.fresh_mesh()
        sent = [
            {
                "type": "ExternalService",
                "mesh": mesh,
                "name": "ledger",
                "networking": {"address": "ledger.internal:8443"},
                "tags": {"kuma.io/service": "ledger", "kuma.io/protocol": "http"},
            },
            documents.retry(mesh, "again"),
        ]
        for document in sent:
            self.central.put(document)
        for document in sent:
            original = self.central.read(document["type"], document["name"], mesh)
            name = documents.copy_name(mesh, document["name"])
            for copy in self.arrives(document["type"], name, mesh).values():
                own = {"name", "creationTime", "modificationTime", "labels", "kri"}
                self.assertEqual(
                    {k: v for k, v in copy.items() if k not in own}, {k: v for k, v in original.items() if k not in own}
                )
                self.assertEqual(copy["labels"]["kuma.io/display-name"], document["name"])

    def test_secrets_keep_name_and_data(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.secret(mesh, "key", "aGVsbG8="))
        self.central.put(documents.global_secret("shared", "d29ybGQ="))
        for copy in self.arrives("Secret", "key", mesh).values():
            self.assertEqual((copy["data"], copy["labels"]["kuma.io/origin"]), ("aGVsbG8=", "global"))
        for copy in self.arrives("GlobalSecret", "shared").values():
            self.assertEqual((copy["data"], copy["labels"]["kuma.io/origin"]), ("d29ybGQ=", "global"))

    def test_private_keys_and_tokens_of_administrators_stay_on_the_global(self):
        kept = ("user-token-revocations", "user-token-signing-key-77", "admin-user-token")
        for name in kept:
            self.central.put(documents.global_secret(name, "c2VjcmV0LW9mLWdsb2JhbA=="))
        self.central.put(documents.global_secret("marker"))
        private = ("zone-token-signing-key", "user-token", "admin-user", "inter-cp", "envoy-admin")
        data = {s["data"] for s in self.central.items("GlobalSecret") if s["name"].startswith(private) or s["name"] in kept}
        self.arrives("GlobalSecret", "marker")
        for zone in self.zones:
            held = zone.items("GlobalSecret")
            self.assertEqual([s["name"] for s in held if s["data"] in data], [])
            # A zone makes a token for its own administrator, so that name alone says nothing.
            self.assertEqual([s["name"] for s in held if s["name"] in kept[:2]], [])

    def test_an_update_replaces_spec_and_labels_of_the_copy(self):
        mesh = self.fresh_mesh()
        name = documents.copy_name(mesh, "slow")
        self.central.put(documents.timeout(mesh, "slow", "5s", {"team": "a"}))
        created = {zone: copy["creationTime"] for zone, copy in self.arrives("MeshTimeout", name, mesh).items()}
        self.central.put(documents.timeout(mesh, "slow", "6s", {"tier": "1"}))
        for zone in self.zones:
            copy = self.until(
                lambda: (c := zone.read("MeshTimeout", name, mesh)) and documents.timeout_value(c) == "6s" and c,
                f"the new value in {zone.name}",
            )
            self.assertNotIn("team", copy["labels"])
            self.assertEqual(copy["labels"]["tier"], "1")
            self.assertEqual(copy["creationTime"], created[zone.name], "updated, not made anew")

    def test_the_sync_label_keeps_a_resource_at_home(self):
        mesh = self.fresh_mesh()
        off, on = {"kuma.io/kds-sync": "disabled"}, {"kuma.io/kds-sync": "enabled"}
        private, public = (documents.copy_name(mesh, name) for name in ("private", "public"))
        self.central.put(documents.timeout(mesh, "private", labels=off))
        self.central.put(documents.timeout(mesh, "public", labels=on))
        self.names_become([public], mesh)
        self.central.put(documents.timeout(mesh, "private", labels=on))
        self.names_become([public, private], mesh)
        self.central.put(documents.timeout(mesh, "public", labels=off))
        self.names_become([private], mesh)

    def test_names_of_any_legal_length_arrive(self):
        mesh = self.fresh_mesh()
        names = ["a", "a.b.c", "n" * 236, "n" * 237, "n" * 253]
        for name in names:
            self.central.put(documents.timeout(mesh, name))
        self.names_become([documents.copy_name(mesh, name) for name in names], mesh)
        longest = documents.copy_name(mesh, "n" * 253)
        for zone in self.zones:
            self.assertEqual(zone.read("MeshTimeout", longest, mesh)["labels"]["kuma.io/display-name"], "n" * 253)
        self.central.delete("MeshTimeout", "n" * 253, mesh)
        self.names_become([documents.copy_name(mesh, name) for name in names[:-1]], mesh)

    def test_a_burst_arrives_complete_and_in_its_last_state(self):
        mesh = self.fresh_mesh()
        for number in range(60):
            self.central.put(documents.timeout(mesh, f"p-{number % 30}", f"{number + 1}ms"))
        for number in range(0, 30, 3):
            self.central.delete("MeshTimeout", f"p-{number}", mesh)
        expected = {documents.copy_name(mesh, f"p-{n}"): f"{n + 31}ms" for n in range(30) if n % 3}
        for zone in self.zones:
            self.until_equal(
                expected,
                lambda: {i["name"]: documents.timeout_value(i) for i in zone.items("MeshTimeout", mesh)},
                f"policies in {zone.name}",
            )

    def test_a_copy_is_found_by_the_kri_of_its_original_and_not_sent_back(self):
        mesh = self.fresh_mesh()
        self.central.put(documents.timeout(mesh, "slow"))
        self.names_become([documents.copy_name(mesh, "slow")], mesh)
        for zone in self.zones:
            found = zone.rest.get(f"/_kri/kri_mt_{mesh}___slow_")
            self.assertEqual((found.status, found.json["name"]), (200, documents.copy_name(mesh, "slow")))
            zone.put(documents.timeout(mesh, f"of-{zone.name}", labels=documents.OF_ZONE))
        expected = ["slow", *(documents.copy_name(mesh, f"of-{zone}", zone) for zone in self.ZONES)]
        self.until_equal(sorted(expected), lambda: self.central.names("MeshTimeout", mesh))


if __name__ == "__main__":
    main()
