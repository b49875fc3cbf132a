"""What was answered with 2xx is there after kill -9, at once and in a busy moment."""

import http.client
import sqlite3
import threading

from support import OwnPlanesTest, documents, main


class Durability(OwnPlanesTest):
    def global_and_zone(self):
        central = self.fleet.add_global()
        zone = self.fleet.add_zone("east", central)
        self.fleet.start()
        central.put(documents.mesh("shop"))
        self.until(lambda: zone.read("Mesh", "shop"), "the mesh in the zone")
        return central, zone

    def test_a_write_survives_a_kill_right_after_its_answer(self):
        for plane, labels in zip(self.global_and_zone(), (None, documents.OF_ZONE)):
            for number in (1, 2, 3):
                plane.put(documents.timeout("shop", "kept", f"{number}s", labels))
                plane.kill()
                plane.start()
                stored = plane.read("MeshTimeout", "kept", "shop")
                self.assertEqual(documents.timeout_value(stored), f"{number}s", f"at {plane.name}")

    def test_a_delete_survives_a_kill_right_after_its_answer(self):
        for plane, labels in zip(self.global_and_zone(), (None, documents.OF_ZONE)):
            plane.put(documents.timeout("shop", "gone", labels=labels))
            plane.delete("MeshTimeout", "gone", "shop")
            plane.kill()
            plane.start()
            self.assertIsNone(plane.read("MeshTimeout", "gone", "shop"), f"at {plane.name}")

    def test_no_answered_write_of_a_busy_moment_is_lost(self):
        plane = self.fleet.add_global()
        plane.start()
        plane.put(documents.mesh("shop"))
        answered = {}
        enough = threading.Event()

        def write(writer):
            number = 0
            connection = plane.rest.connect()
            while True:
                number += 1
                document = documents.timeout("shop", f"w-{writer}-{number % 7}", f"{number}ms")
                try:
                    answer = plane.rest.call("PUT", documents.path_of(document), document, connection=connection)
                except (OSError, http.client.HTTPException):
                    return
                if answer.status in (200, 201):
                    answered[document["name"]] = number
                if number > 50:
                    enough.set()

        writers = [threading.Thread(target=write, args=(n,)) for n in range(4)]
        for writer in writers:
            writer.start()
        self.assertTrue(enough.wait(30), "writes are answered")
        plane.kill()
        for writer in writers:
            writer.join()
        plane.start()
        stored = {i["name"]: int(documents.timeout_value(i)[:-2]) for i in plane.items("MeshTimeout", "shop")}
        lost = {name: (number, stored.get(name)) for name, number in answered.items() if stored.get(name, 0) < number}
        self.assertEqual(lost, {}, "answered writes that are lost or older")

    def test_what_a_zone_sent_and_got_survives_without_the_other_side(self):
        central, zone = self.global_and_zone()
        zone.put(documents.dataplane("shop", "web-1"))
        central.put(documents.timeout("shop", "slow"))
        sent, got = documents.copy_name("shop", "web-1", "east"), documents.copy_name("shop", "slow")
        proxy = self.until(lambda: central.read("Dataplane", sent, "shop"), "the dataplane on the global")
        policy = self.until(lambda: zone.read("MeshTimeout", got, "shop"), "the policy in the zone")
        central.kill()
        zone.kill()
        zone.start()
        self.assertEqual(zone.read("MeshTimeout", got, "shop"), policy)
        zone.kill()
        central.start()
        self.assertEqual(central.read("Dataplane", sent, "shop"), proxy)

    def test_a_killed_store_is_whole(self):
        plane = self.fleet.add_global()
        plane.start()
        plane.put(documents.mesh("shop"))
        for number in range(50):
            plane.put(documents.timeout("shop", f"p-{number}"))
        plane.kill()
        file = sqlite3.connect(f"file:{plane.store}?mode=ro", uri=True)
        self.addCleanup(file.close)
        self.assertEqual(file.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        live = "SELECT count(*) FROM entries WHERE type = 'MeshTimeout' AND mesh = 'shop' AND live = 1"
        self.assertEqual(file.execute(live).fetchone(), (50,))


if __name__ == "__main__":
    main()
