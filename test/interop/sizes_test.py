"""Much at once between kdsd and kuma-cp: many proxies, and a type that does not fit into one message (kds-protocol.md 2.4)."""

import functools
import os

from peers import PeerTest, main
from support import documents

PROXIES = int(os.environ.get("KDSD_INTEROP_PROXIES", 1000))
MANY_SECONDS = 180.0
MIB = 1 << 20
LARGE = 100_000  # bytes of text in one resource
FITTING = 8 * MIB // LARGE
TOO_MANY = 12 * MIB // LARGE


def patch(mesh, number, labels=None):
    """A large policy."""
    text = f"name: {number:05}{'x' * LARGE}\n"
    change = {"cluster": {"operation": "Add", "value": text}}
    document = {
        "type": "MeshProxyPatch", "mesh": mesh, "name": f"patch-{number}",
        "spec": {"targetRef": {"kind": "Mesh"}, "default": {"appendModifications": [change]}},
    }
    return {**document, "labels": labels} if labels else document


class Sizes(PeerTest):
    def pair(self, central, zone):
        self.central, self.zone = central, zone
        self.fleet.start()
        self.central.put(documents.mesh("shop"))
        self.until(lambda: self.zone.read("Mesh", "shop"), "the mesh in the zone")

    def subscriptions(self):
        overview = self.central.rest.get("/zones/_overview").json["items"]
        return sum(len(item.get("zoneInsight", {}).get("subscriptions", [])) for item in overview)

    def arrives_below(self, name):
        """Another type gets there meanwhile."""
        self.central.put(documents.timeout("shop", name))
        copy = documents.copy_name("shop", name)
        self.until(lambda: self.zone.read("MeshTimeout", copy, "shop"), f"{name} in the zone")

    def arrives_above(self, name):
        self.zone.put(documents.retry("shop", name, labels=documents.OF_ZONE))
        copy = documents.copy_name("shop", name, self.zone.name)
        self.until(lambda: self.central.read("MeshRetry", copy, "shop"), f"{name} on the global")

    def patches(self, plane):
        return {item["name"] for item in plane.items("MeshProxyPatch", "shop")}


class ManyProxies(Sizes):
    def go_up(self, central, zone):
        self.pair(central, zone)
        for number in range(PROXIES):
            zone.put(documents.dataplane("shop", f"dp-{number}"))
        names = {documents.copy_name("shop", f"dp-{number}", zone.name) for number in range(PROXIES)}
        # Counted first: a list of all of them, again and again, is work for whoever is asked.
        count = functools.partial(central.count, "Dataplane", "shop")
        self.until_equal(PROXIES, count, "all proxies", MANY_SECONDS)
        self.assertEqual(set(central.names("Dataplane", "shop")), names)
        # All at once, as the first state of a new connection.
        before = {item["name"]: item["creationTime"] for item in central.items("Dataplane", "shop")}
        central.stop()
        central.start()
        if central.store.exists():
            after = {item["name"]: item["creationTime"] for item in central.items("Dataplane", "shop")}
            self.assertEqual(after, before)
        else:
            self.central.put(documents.mesh("shop"))
            self.until_equal(PROXIES, count, "all proxies again", MANY_SECONDS)
        self.arrives_above("late")
        self.assertEqual(set(central.names("Dataplane", "shop")), names)

    def test_of_a_kuma_zone(self):
        central = self.fleet.add_global()
        self.go_up(central, self.fleet.add_kuma_zone("east", central))

    def test_of_our_zone_on_a_kuma_global(self):
        central = self.fleet.add_kuma_global()
        self.go_up(central, self.fleet.add_zone("east", central))


class MoreThanAMessage(Sizes):
    """A first state is one message, and Kuma takes 10 MiB of it: the type waits and says so, everything else goes on."""

    def held_back(self, plane):
        return plane.metric("kdsd_peer_held_back_types")

    def test_toward_a_kuma_zone(self):
        central = self.fleet.add_global()
        self.pair(central, self.fleet.add_kuma_zone("east", central))
        # One by one they are small messages.
        for number in range(TOO_MANY):
            central.put(patch("shop", number))
        names = {documents.copy_name("shop", f"patch-{number}") for number in range(TOO_MANY)}
        self.until_equal(names, lambda: self.patches(self.zone), "all patches one by one", 60)
        self.zone.stop()
        self.zone.start()  # and has forgotten them
        self.until_equal(1, lambda: self.held_back(central), "the type is held back")
        self.assertIn("MeshProxyPatch", central.log_text())
        before = self.subscriptions()
        self.arrives_below("first")
        self.arrives_above("second")
        self.assertEqual(self.patches(self.zone), set())
        central.put(patch("shop", TOO_MANY))
        self.arrives_below("third")
        self.assertEqual(self.subscriptions(), before, "nobody reconnected")
        for number in range(FITTING, TOO_MANY + 1):
            central.delete("MeshProxyPatch", f"patch-{number}", "shop")
        names = {documents.copy_name("shop", f"patch-{number}") for number in range(FITTING)}
        self.until_equal(names, lambda: self.patches(self.zone), "what fits again", 60)
        self.assertEqual(self.held_back(central), 0)
        self.assertEqual(self.subscriptions(), before, "nobody reconnected")

    def test_toward_a_kuma_zone_with_a_larger_limit(self):
        limit = 32 * MIB
        central = self.fleet.add_global(
            KUMA_MULTIZONE_GLOBAL_KDS_MAX_MSG_SIZE=str(limit), KDSD_FOREIGN_MAX_MESSAGE_BYTES=str(limit))
        zone = self.fleet.add_kuma_zone("east", central, KUMA_MULTIZONE_ZONE_KDS_MAX_MSG_SIZE=str(limit))
        self.fleet.start([central])
        central.put(documents.mesh("shop"))
        for number in range(TOO_MANY):
            central.put(patch("shop", number))
        self.fleet.start([zone])
        self.until_equal(TOO_MANY, lambda: len(self.patches(zone)), "all in one message", 60)
        self.assertEqual(self.held_back(central), 0)

    def test_of_our_zone_toward_a_kuma_global(self):
        central = self.fleet.add_kuma_global()
        zone = self.fleet.add_zone("east", central)
        self.pair(central, zone)
        for number in range(TOO_MANY):
            zone.put(patch("shop", number, documents.OF_ZONE))
        names = {documents.copy_name("shop", f"patch-{number}", "east") for number in range(TOO_MANY)}
        self.until_equal(names, lambda: self.patches(central), "all patches one by one", 60)
        central.stop()
        central.start()  # and has forgotten them
        central.put(documents.mesh("shop"))
        self.until_equal(1, lambda: self.held_back(zone), "the type is held back", 60)
        self.arrives_below("first")
        self.arrives_above("second")
        self.assertEqual(self.patches(central), set())
        for number in range(FITTING, TOO_MANY):
            zone.delete("MeshProxyPatch", f"patch-{number}", "shop")
        names = {documents.copy_name("shop", f"patch-{number}", "east") for number in range(FITTING)}
        self.until_equal(names, lambda: self.patches(central), "what fits again", 60)


if __name__ == "__main__":
    main()
