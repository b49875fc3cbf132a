"""Broken and hostile peers on the port for zones: they are cut off, the process lives, and zones are served meanwhile."""

import base64
import socket

from raw_peer import (
    DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PREFACE, RST_STREAM, SETTINGS, WINDOW_BYTES,
    RawPeer, first_request, frame, message, open_stream,
)
from support import SLOWNESS, FleetTest, documents, main

METHODS = ("GlobalToZoneSync", "ZoneToGlobalSync")
MESSAGE_BYTES_MAX = 10 << 20  # the default of multizone.global.kds.maxMsgSize
TRANSPORT_BYTES_MAX = 256 << 20  # what gRPC may hold for all peers together (net/memory_bound.h)


class BadKds(FleetTest):
    ZONES = ("east",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.central.put(documents.mesh("shop"))

    def tearDown(self):
        """The zone is still served, over the connection that it had before."""
        name = self.id().rpartition(".")[2].replace("_", "-")
        self.central.put(documents.timeout("shop", name))
        self.until(lambda: self.east.read("MeshTimeout", documents.copy_name("shop", name), "shop"), "a policy in east")
        self.assertTrue(self.central.is_running)
        subscriptions = self.central.rest.get("/zones/east/_overview").json["zoneInsight"]["subscriptions"]
        self.assertEqual(len(subscriptions), 1, "east did not have to connect again")

    def connect(self):
        peer = RawPeer(self.central.kds_port)
        self.addCleanup(peer.close)
        return peer

    def dial(self):
        return self.connect().begin()

    def test_bytes_that_are_no_http2(self):
        for garbage in (
            b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xa5" * 300,
            bytes(range(256)) * 64,
            PREFACE[:10] + b"\xff" * 100,
            PREFACE + b"\xff" * 4096,
        ):
            with self.subTest(garbage[:16]):
                self.connect().send(garbage).wait_end()

    def test_connections_that_say_nothing_or_leave_at_once(self):
        silent = [self.connect() for _ in range(50)]
        for _ in range(100):
            self.connect().close()
        self.tearDown()
        for peer in silent:
            peer.close()

    def test_frames_that_break_the_rules_of_http2(self):
        for bad in (
            frame(DATA, 0, 1, b"data of a stream that is not open"),
            frame(SETTINGS, 0, 1, b"\x00" * 6),
            frame(SETTINGS, 0, 0, b"\x00" * 5),
            frame(PING, 0, 0, b"short"),
            frame(HEADERS, END_HEADERS, 2, b"\x82"),
            frame(HEADERS, END_HEADERS, 1, b"\xff" * 40),
            frame(99, 0xFF, 7, b"?") + frame(GOAWAY, 0, 0, b"\x00" * 8),
            b"\xff\xff\xff\x00\x00\x00\x00\x00\x01" + b"x" * 20_000,
        ):
            with self.subTest(bad[:12]):
                self.dial().send(bad).hang_up().wait_end()

    def test_a_method_that_is_none(self):
        self.dial().send(open_stream(1, "NoSuchMethod")).wait_end()

    def test_messages_that_do_not_decode(self):
        for method in METHODS:
            for payload in (b"\xff" * 64, b"\x0a\xff\xff\xff\xff\x0f", b"\x00", b"\x12\x03abc" * 3 + b"\x0a"):
                with self.subTest(method, payload=payload[:8]):
                    self.dial().send(open_stream(1, method)).send_on_stream(message(payload)).wait_end()

    def test_a_message_without_type_and_node(self):
        for method in METHODS:
            with self.subTest(method):
                self.dial().send(open_stream(1, method)).send_on_stream(message(b"")).wait_end()

    def test_messages_that_end_too_early(self):
        # A stream from the global stays open when the zone has said its last word, as with Kuma; the other one ends.
        for cut in (b"\x00", b"\x00\x00\x00", message(b"abc", length=100)):
            self.dial().send(open_stream(1, "ZoneToGlobalSync")).send_on_stream(cut, END_STREAM).wait_end()
            for method in METHODS:
                for flags in (0, END_STREAM):
                    self.dial().send(open_stream(1, method)).send_on_stream(cut, flags).close()

    def test_a_message_above_the_limit(self):
        for method in METHODS:
            with self.subTest(method):
                peer = self.dial().send(open_stream(1, method))
                peer.send_on_stream(message(b"", length=MESSAGE_BYTES_MAX + 1))
                peer.pour(MESSAGE_BYTES_MAX + 1)
                peer.wait_end()

    def test_compressed_messages_that_are_not(self):
        peer = self.dial().send(open_stream(1, "GlobalToZoneSync"))
        peer.send_on_stream(message(b"not gzip", compressed=1)).wait_end()

    def test_names_that_no_zone_can_have(self):
        for zone in ("", "East", "a.b", "../east", "x" * 64, "e\tast"):
            with self.subTest(zone):
                self.dial().send(open_stream(1, "GlobalToZoneSync", zone)).wait_end()
        self.assertEqual([name for name in self.central.names("Zone") if name not in ("east", "intruder")], [])

    def test_a_health_check_without_its_message(self):
        self.dial().send(open_stream(1, "HealthCheck", service="GlobalKDSService")).wait_end()

    def test_very_many_streams(self):
        peer = self.dial()
        for stream in range(1, 601, 2):
            peer.send(open_stream(stream, "GlobalToZoneSync") + frame(RST_STREAM, 0, stream, b"\x00\x00\x00\x08"))
        peer.close()

    def test_a_zone_lives_through_a_global_that_talks_nonsense(self):
        zone = self.fleet.add_zone("lonely")
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(15)
            zone.global_address = f"grpc://127.0.0.1:{listener.getsockname()[1]}"
            zone.start()
            for garbage in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 500, frame(SETTINGS, 0, 0) + b"\xff" * 500, b""):
                raw, _ = listener.accept()
                with raw:
                    raw.sendall(garbage)
        self.assertEqual(zone.rest.get("/").status, 200)
        zone.stop()


class NeverReads(FleetTest):
    """Keepalive does not notice a peer that answers pings and takes nothing."""

    @classmethod
    def settings_of(cls, _name):
        return {"KUMA_MULTIZONE_GLOBAL_KDS_MSG_SEND_TIMEOUT": "1s"}

    def test_it_loses_its_stream(self):
        self.central.put(documents.mesh("shop"))
        self.central.put(documents.secret("shop", "long", base64.b64encode(bytes(4 * WINDOW_BYTES)).decode()))
        peer = RawPeer(self.central.kds_port).begin()
        self.addCleanup(peer.close)
        peer.send(open_stream(1, "GlobalToZoneSync")).send_on_stream(message(first_request("intruder", "Secret")))
        peer.wait_end()
        self.until(lambda: "the peer does not take what is sent" in self.central.log_text(), "the reason in the log")


class EndlessMessage(FleetTest):
    """gRPC has one measure of memory for all peers. When one of them uses it up, others may lose their streams too."""

    ZONES = ("east",)

    def test_it_ends_before_it_fills_the_memory_and_zones_come_back(self):
        self.central.put(documents.mesh("shop"))
        before = self.central.memory_bytes()
        peer = RawPeer(self.central.kds_port).begin()
        self.addCleanup(peer.close)
        peer.send(open_stream(1, "ZoneToGlobalSync"))
        peer.send_on_stream(message(b"", length=0xFFFFFFFF))
        sent = peer.pour(4 * TRANSPORT_BYTES_MAX)
        self.assertLess(sent, 2 * TRANSPORT_BYTES_MAX)
        # A sanitizer keeps notes of all memory that is used.
        self.assertLess(self.central.memory_bytes() - before, 2 * TRANSPORT_BYTES_MAX * SLOWNESS)
        self.central.put(documents.timeout("shop", "slow"))
        self.until(lambda: self.east.read("MeshTimeout", documents.copy_name("shop", "slow"), "shop"), "a policy in east")


if __name__ == "__main__":
    main()
