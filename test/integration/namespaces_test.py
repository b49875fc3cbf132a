"""A policy of one namespace in one zone, seen in every place, with and without namespaces at the global and at the zones."""

from support import FleetTest, documents, main

SHOP = "shop"
PAYMENTS = "payments"


def namespaced(system_namespace):
    return {"KUMA_ENVIRONMENT": "kubernetes", "KUMA_STORE_KUBERNETES_SYSTEM_NAMESPACE": system_namespace}


def in_namespace(document, namespace):
    """The document as it is written by the owner of a namespace, who need not say where it comes from."""
    document = {**document, "name": f"{document['name']}.{namespace}"}
    document.pop("labels", None)
    return document


def timeouts(mesh, name, *refs):
    """A MeshTimeout with one item for each reference."""
    items = [{"targetRef": ref, "default": {"connectionTimeout": "10s"}} for ref in refs]
    return {"type": "MeshTimeout", "mesh": mesh, "name": name, "spec": {"to": items}}


def service_ref(name, namespace=None):
    ref = {"kind": "MeshService", "name": name}
    return {**ref, "namespace": namespace} if namespace else ref


def permission(mesh, name):
    item = {"targetRef": {"kind": "Mesh"}, "default": {"action": "Allow"}}
    return {"type": "MeshTrafficPermission", "mesh": mesh, "name": name, "spec": {"from": [item]}}


def refs_of(document):
    return [item["targetRef"] for item in document["spec"]["to"]]


class Topology:
    """The tests. East has namespaces in every topology; the subclasses say what the others are. A place without a system
    namespace has no namespaces."""

    SYSTEM_NAMESPACES = {}

    @classmethod
    def settings_of(cls, name):
        system_namespace = cls.SYSTEM_NAMESPACES[name]
        return namespaced(system_namespace) if system_namespace else {}

    def core_name(self, plane, name):
        """Of a copy, or of what belongs to everybody there."""
        system_namespace = self.SYSTEM_NAMESPACES[plane.name]
        return f"{name}.{system_namespace}" if system_namespace else name

    def copy(self, plane, type_name, mesh, name, *values):
        stored = self.core_name(plane, documents.copy_name(mesh, name, *values))
        return self.until(lambda: plane.read(type_name, stored, mesh), f"{type_name} {stored} at {plane.name}")

    def is_gone(self, plane, type_name, mesh, name, *values):
        stored = self.core_name(plane, documents.copy_name(mesh, name, *values))
        self.until(lambda: not plane.read(type_name, stored, mesh), f"{type_name} {stored} leaves {plane.name}")

    def reference_at(self, plane, mesh, name, namespace):
        """How a copy of a policy of east refers to the service of that name and namespace."""
        return service_ref(
            documents.copy_name(mesh, name, "east", namespace), self.SYSTEM_NAMESPACES[plane.name]
        )

    def marker_crosses(self, mesh, number=1):
        """Whatever east wrote before has been decided on at the other places."""
        self.east.put(in_namespace(timeouts(mesh, f"marker-{number}", service_ref("marker")), SHOP))
        for plane in (self.central, self.west):
            self.copy(plane, "MeshTimeout", mesh, f"marker-{number}", "east", SHOP)

    def labels(self, mesh, **more):
        return {
            "k8s.kuma.io/namespace": SHOP,
            "kuma.io/display-name": "catalog-timeouts",
            "kuma.io/env": "kubernetes",
            "kuma.io/mesh": mesh,
            "kuma.io/zone": "east",
            **{f"kuma.io/{key.replace('_', '-')}": value for key, value in more.items()},
        }

    def write_producer(self, mesh):
        self.east.put(in_namespace(documents.service(mesh, "catalog"), SHOP))
        self.east.put(in_namespace(timeouts(mesh, "catalog-timeouts", service_ref("catalog")), SHOP))

    def test_a_producer_policy_in_three_places(self):
        mesh = self.fresh_mesh()
        self.write_producer(mesh)
        own = self.east.read("MeshTimeout", f"catalog-timeouts.{SHOP}", mesh)
        self.assertEqual(own["name"], f"catalog-timeouts.{SHOP}")
        self.assertEqual(own["labels"], self.labels(mesh, origin="zone", policy_role="producer"))
        self.assertEqual(refs_of(own), [service_ref("catalog")])
        for plane, origin in ((self.central, "zone"), (self.west, "global")):
            policy = self.copy(plane, "MeshTimeout", mesh, "catalog-timeouts", "east", SHOP)
            self.assertEqual(policy["labels"], self.labels(mesh, origin=origin, policy_role="producer"), plane.name)
            self.assertEqual(refs_of(policy), [self.reference_at(plane, mesh, "catalog", SHOP)], plane.name)
            service = self.copy(plane, "MeshService", mesh, "catalog", "east", SHOP)
            self.assertEqual(service["labels"]["k8s.kuma.io/namespace"], SHOP)
            self.assertEqual(service["labels"]["kuma.io/origin"], origin)
            self.assertEqual(policy["kri"], f"kri_mt_{mesh}_east_{SHOP}_catalog-timeouts_")

    def test_updates_and_deletes_follow_everywhere(self):
        mesh = self.fresh_mesh()
        self.write_producer(mesh)
        for plane in (self.central, self.west):
            self.copy(plane, "MeshTimeout", mesh, "catalog-timeouts", "east", SHOP)
        self.east.put(in_namespace(timeouts(mesh, "catalog-timeouts", service_ref("basket")), SHOP))
        for plane in (self.central, self.west):
            self.until_equal(
                [self.reference_at(plane, mesh, "basket", SHOP)],
                lambda plane=plane: refs_of(self.copy(plane, "MeshTimeout", mesh, "catalog-timeouts", "east", SHOP)),
                f"the update at {plane.name}",
            )
        self.east.delete("MeshTimeout", f"catalog-timeouts.{SHOP}", mesh)
        for plane in (self.central, self.west):
            self.is_gone(plane, "MeshTimeout", mesh, "catalog-timeouts", "east", SHOP)

    def test_a_producer_that_becomes_a_consumer_leaves_the_other_zones(self):
        mesh = self.fresh_mesh()
        self.write_producer(mesh)
        self.copy(self.west, "MeshTimeout", mesh, "catalog-timeouts", "east", SHOP)
        self.east.put(in_namespace(timeouts(mesh, "catalog-timeouts", service_ref("ledger", PAYMENTS)), SHOP))
        self.is_gone(self.west, "MeshTimeout", mesh, "catalog-timeouts", "east", SHOP)

        def at_global():
            policy = self.copy(self.central, "MeshTimeout", mesh, "catalog-timeouts", "east", SHOP)
            return policy["labels"]["kuma.io/policy-role"], refs_of(policy)

        self.until_equal(("consumer", [self.reference_at(self.central, mesh, "ledger", PAYMENTS)]), at_global)
        self.east.put(in_namespace(timeouts(mesh, "catalog-timeouts", service_ref("catalog")), SHOP))
        self.copy(self.west, "MeshTimeout", mesh, "catalog-timeouts", "east", SHOP)

    def test_only_producers_reach_the_other_zones(self):
        mesh = self.fresh_mesh()
        system = self.SYSTEM_NAMESPACES["east"]
        self.east.put(in_namespace(timeouts(mesh, "of-a-client", service_ref("ledger", PAYMENTS)), SHOP))
        self.east.put(in_namespace(permission(mesh, "of-a-workload"), SHOP))
        self.east.put({**timeouts(mesh, f"of-the-operator.{system}", {"kind": "Mesh"}), "labels": documents.OF_ZONE})
        roles = {}
        for type_name, name, namespace in (
            ("MeshTimeout", "of-a-client", SHOP),
            ("MeshTrafficPermission", "of-a-workload", SHOP),
            ("MeshTimeout", "of-the-operator", system),
        ):
            roles[name] = self.copy(self.central, type_name, mesh, name, "east", namespace)["labels"]["kuma.io/policy-role"]
        expected = {"of-a-client": "consumer", "of-a-workload": "workload-owner", "of-the-operator": "system"}
        self.assertEqual(roles, expected)
        self.marker_crosses(mesh)
        marker = self.core_name(self.west, documents.copy_name(mesh, "marker-1", "east", SHOP))
        self.assertEqual(self.west.names("MeshTimeout", mesh), [marker])
        self.assertEqual(self.west.names("MeshTrafficPermission", mesh), [])

    def test_the_same_name_in_two_namespaces_stays_two(self):
        mesh = self.fresh_mesh()
        for namespace in (SHOP, PAYMENTS):
            self.east.put(in_namespace(timeouts(mesh, "same", service_ref("catalog")), namespace))
        for plane in (self.central, self.west):
            expected = sorted(
                self.core_name(plane, documents.copy_name(mesh, "same", "east", namespace))
                for namespace in (SHOP, PAYMENTS)
            )
            self.until_equal(expected, lambda plane=plane: sorted(plane.names("MeshTimeout", mesh)), plane.name)
        self.east.delete("MeshTimeout", f"same.{PAYMENTS}", mesh)
        for plane in (self.central, self.west):
            self.is_gone(plane, "MeshTimeout", mesh, "same", "east", PAYMENTS)
            self.copy(plane, "MeshTimeout", mesh, "same", "east", SHOP)

    def test_a_disabled_zone_takes_its_producer_policies_away_and_brings_them_back(self):
        mesh = self.fresh_mesh()
        self.write_producer(mesh)
        self.copy(self.west, "MeshTimeout", mesh, "catalog-timeouts", "east", SHOP)
        zone = {"type": "Zone", "name": "east"}
        self.addCleanup(self.central.put, {**zone, "enabled": True})
        self.central.put({**zone, "enabled": False})
        for type_name, name in (("MeshTimeout", "catalog-timeouts"), ("MeshService", "catalog")):
            self.is_gone(self.west, type_name, mesh, name, "east", SHOP)
            self.copy(self.central, type_name, mesh, name, "east", SHOP)
        self.central.put({**zone, "enabled": True})
        for type_name, name in (("MeshTimeout", "catalog-timeouts"), ("MeshService", "catalog")):
            self.copy(self.west, type_name, mesh, name, "east", SHOP)

    def test_secrets_stay_where_they_belong(self):
        mesh = self.fresh_mesh()
        self.east.put(documents.secret(mesh, "of-east", "bG9jYWw="))
        self.central.put(documents.secret(mesh, "of-all"))
        for zone in (self.east, self.west):
            self.until(lambda zone=zone: zone.read("Secret", "of-all", mesh), f"the global's secret in {zone.name}")
        self.marker_crosses(mesh)
        self.assertEqual(self.east.read("Secret", "of-east", mesh)["data"], "bG9jYWw=")
        for plane in (self.central, self.west):
            self.assertNotIn("of-east", plane.names("Secret", mesh), plane.name)
        self.central.delete("Secret", "of-all", mesh)
        for zone in (self.east, self.west):
            self.until(lambda zone=zone: not zone.read("Secret", "of-all", mesh), f"the secret leaves {zone.name}")
        self.assertEqual(self.east.read("Secret", "of-east", mesh)["data"], "bG9jYWw=")

    def test_a_policy_of_the_global_means_the_same_in_every_zone(self):
        mesh = self.fresh_mesh()
        ref = {"kind": "MeshMultiZoneService", "name": "orders-all"}
        system = self.SYSTEM_NAMESPACES["global"]
        self.central.put(timeouts(mesh, "for-all", ref))
        values = [system] if system else []
        for zone in (self.east, self.west):
            policy = self.copy(zone, "MeshTimeout", mesh, "for-all", *values)
            expected = {"kind": ref["kind"], "name": documents.copy_name(mesh, "orders-all", *values)}
            namespace = self.SYSTEM_NAMESPACES[zone.name]
            self.assertEqual(refs_of(policy), [{**expected, "namespace": namespace} if namespace else expected], zone.name)
            self.assertEqual(policy["labels"]["kuma.io/origin"], "global")

    def test_the_explanation_says_what_the_places_hold(self):
        mesh = self.fresh_mesh()
        self.write_producer(mesh)
        name = documents.copy_name(mesh, "catalog-timeouts", "east", SHOP)
        stored = self.core_name(self.central, name)
        self.copy(self.west, "MeshTimeout", mesh, "catalog-timeouts", "east", SHOP)

        def explained():
            answer = self.central.rest.get(f"/meshes/{mesh}/meshtimeouts/{stored}/_explain").json
            self.assertEqual(answer["sync"]["reason"], "producer")
            sent = {zone["zone"]: zone["sent"] for zone in answer["sync"]["zones"]}
            self.assertEqual(sent, {"east": False, "west": True})
            return answer["canonicalName"]

        self.until_equal(name, explained)


class NamespacesEverywhere(Topology, FleetTest):
    ZONES = ("east", "west")
    SYSTEM_NAMESPACES = {"global": "kuma-system", "east": "east-system", "west": "mesh-system"}


class GlobalWithoutNamespaces(Topology, FleetTest):
    ZONES = ("east", "west")
    SYSTEM_NAMESPACES = {"global": None, "east": "kuma-system", "west": "mesh-system"}


class OtherZoneWithoutNamespaces(Topology, FleetTest):
    ZONES = ("east", "west")
    SYSTEM_NAMESPACES = {"global": "kuma-system", "east": "mesh-system", "west": None}

    def test_a_service_of_the_zone_without_namespaces_is_known_in_the_others(self):
        mesh = self.fresh_mesh()
        self.west.put(documents.service(mesh, "ledger"))
        for plane, origin in ((self.central, "zone"), (self.east, "global")):
            labels = self.copy(plane, "MeshService", mesh, "ledger", "west")["labels"]
            self.assertEqual((labels["kuma.io/origin"], labels["kuma.io/zone"]), (origin, "west"))
            self.assertNotIn("k8s.kuma.io/namespace", labels)


if __name__ == "__main__":
    main()
