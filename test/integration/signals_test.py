"""Signals: SIGTERM and SIGINT end in order whatever is open, SIGHUP ends nothing."""

import http.client
import signal
import socket
import sqlite3
import threading

from support import OwnPlanesTest, documents, main

SOON_SECONDS = 10.0
LARGEST_LOG_BYTES = 4 << 20


class Signals(OwnPlanesTest):
    def ends(self, plane, number=signal.SIGTERM):
        plane.process.send_signal(number)
        self.assertEqual(plane.wait_end(SOON_SECONDS), 0, f"exit code of {plane.name}")
        file = sqlite3.connect(f"file:{plane.store}?mode=ro", uri=True)
        self.addCleanup(file.close)
        self.assertEqual(file.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        left = plane.store.with_name(plane.store.name + "-wal")
        self.assertLess(left.stat().st_size if left.exists() else 0, LARGEST_LOG_BYTES)

    def started(self):
        central = self.fleet.add_global()
        zone = self.fleet.add_zone("east", central)
        self.fleet.start()
        self.until(lambda: zone.read("Mesh", "default"), "the zone is synchronised")
        return central, zone

    def test_both_sides_end_while_their_streams_are_open(self):
        central, zone = self.started()
        self.ends(central)
        self.ends(zone)

    def test_an_interrupt_ends_as_well(self):
        central, zone = self.started()
        self.ends(zone, signal.SIGINT)
        self.ends(central, signal.SIGINT)

    def test_a_zone_ends_while_its_global_is_frozen(self):
        central, zone = self.started()
        central.freeze()
        self.addCleanup(central.thaw)
        self.ends(zone)

    def test_a_global_ends_while_its_zone_is_frozen(self):
        central, zone = self.started()
        zone.freeze()
        self.addCleanup(zone.thaw)
        self.ends(central)

    def test_a_zone_that_cannot_reach_its_global_ends(self):
        zone = self.fleet.add_zone("east", self.fleet.add_global())
        zone.start()
        self.ends(zone)

    def test_idle_and_half_sent_requests_do_not_hold_it_up(self):
        plane = self.fleet.add_global()
        plane.start()
        idle = plane.rest.connect()
        self.addCleanup(idle.close)
        plane.rest.call("GET", "/", connection=idle)
        slow = socket.create_connection(("127.0.0.1", plane.rest.port))
        self.addCleanup(slow.close)
        slow.sendall(b"PUT /meshes/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{")
        self.ends(plane)

    def test_writes_that_were_answered_before_the_end_are_there(self):
        plane = self.fleet.add_global()
        plane.start()
        plane.put(documents.mesh("shop"))
        answered = []
        enough = threading.Event()

        def write():
            while True:
                document = documents.timeout("shop", f"p-{len(answered)}")
                try:
                    answer = plane.rest.call("PUT", documents.path_of(document), document)
                except (OSError, http.client.HTTPException):
                    return
                if answer.status != 201:
                    return
                answered.append(document["name"])
                if len(answered) > 20:
                    enough.set()

        writer = threading.Thread(target=write)
        writer.start()
        self.assertTrue(enough.wait(30), "writes are answered")
        self.ends(plane)
        writer.join()
        plane.start()
        self.assertEqual(set(answered) - set(plane.names("MeshTimeout", "shop")), set())

    def test_a_hangup_ends_nothing(self):
        central, zone = self.started()
        for plane in (central, zone):
            plane.process.send_signal(signal.SIGHUP)
        central.put(documents.timeout("default", "after"))
        name = documents.copy_name("default", "after")
        self.until(lambda: zone.read("MeshTimeout", name, "default"), "a write after the signal")
        self.assertTrue(central.is_running and zone.is_running)

    def test_a_second_signal_while_ending_does_no_harm(self):
        central, zone = self.started()
        zone.process.send_signal(signal.SIGTERM)
        self.ends(zone)
        self.ends(central)


if __name__ == "__main__":
    main()
