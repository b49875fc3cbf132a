"""A zone that wants more than its own, and peers that want everybody's time: each is refused, and other zones do not notice."""

import http.client
import socket
import ssl

from raw_peer import END_HEADERS, HEADERS, RawPeer, frame, header, message, open_stream
from support import FleetTest, OwnPlanesTest, documents, free_ports, main

HALF_OPEN = 1_000
SLOW_CLIENTS = 50


def varint(number):
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """A field of a protobuf message; texts and bytes only."""
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def any_of(type_name, value):
    return field(1, f"type.googleapis.com/{type_name}") + field(2, value)


def resource(spec_type, name, mesh="", labels=None, spec=b""):
    """One element of a response."""
    marks = b"".join(field(6, field(1, key) + field(2, value)) for key, value in (labels or {}).items())
    meta = field(1, name) + field(2, mesh) + marks
    kuma = field(1, meta) + field(2, any_of(spec_type, spec))
    return field(2, field(1, "v") + field(3, name) + field(2, any_of("kuma.mesh.v1alpha1.KumaResource", kuma)))


def response(type_name, *resources, removed=(), nonce="1"):
    body = b"".join(resources) + field(4, type_name) + field(5, nonce)
    return body + b"".join(field(6, text) for text in removed)


# A proxy with an address, a port and a service.
DATAPLANE = field(1, field(5, "192.0.2.9") + field(1, field(2, field(1, "kuma.io/service") + field(2, "web")) + b"\x18\x50"))


class ZoneWritesWhatIsNotItsOwn(FleetTest):
    ZONES = ("east",)

    def setUp(self):
        self.mesh = self.fresh_mesh()
        self.east.put(documents.dataplane(self.mesh, "dp"))
        self.of_east = documents.copy_name(self.mesh, "dp", "east")
        self.until(lambda: self.central.read("Dataplane", self.of_east, self.mesh), "east's proxy on the global")

    def send(self, *responses, zone="west"):
        """Opens the stream of a zone and sends; ends when the global has dealt with all of it."""
        peer = RawPeer(self.central.kds_port).begin()
        self.addCleanup(peer.close)
        peer.send(open_stream(1, "ZoneToGlobalSync", zone))
        self.until(lambda: self.central.read("Zone", zone), "the zone is known")
        for each in responses:
            peer.send_on_stream(message(each))
        marker = f"marker-{self.mesh}"
        wire = documents.copy_name(self.mesh, marker, zone)
        labels = {"kuma.io/display-name": marker, "kuma.io/zone": zone, "kuma.io/origin": "zone"}
        last = response("Dataplane", resource("kuma.mesh.v1alpha1.Dataplane", wire, self.mesh, labels, DATAPLANE), nonce="9")
        peer.send_on_stream(message(last))
        return peer, wire

    def arrived(self, wire):
        return self.central.read("Dataplane", wire, self.mesh) is not None

    def test_types_that_only_the_global_provides(self):
        for type_name, spec_type, path in (
            ("Mesh", "kuma.mesh.v1alpha1.Mesh", "/meshes/stolen"),
            ("Secret", "kuma.system.v1alpha1.Secret", f"/meshes/{self.mesh}/secrets/stolen"),
            ("GlobalSecret", "kuma.system.v1alpha1.Secret", "/globalsecrets/stolen"),
            ("Zone", "kuma.system.v1alpha1.Zone", "/zones/stolen"),
        ):
            with self.subTest(type_name):
                mesh = self.mesh if type_name == "Secret" else ""
                peer, _ = self.send(response(type_name, resource(spec_type, "stolen", mesh)), zone="taker")
                peer.wait_end()
                self.assertEqual(self.central.rest.get(path).status, 404)

    def test_labels_of_another_zone_and_of_the_global_are_replaced(self):
        for number, labels in enumerate(({"kuma.io/zone": "east"}, {"kuma.io/origin": "global"}, {"kuma.io/zone": ""})):
            with self.subTest(labels):
                name = f"forged-{number}"
                wire = documents.copy_name(self.mesh, name, "west")
                marks = {"kuma.io/display-name": name, "kuma.io/origin": "zone", **labels}
                forged = resource("kuma.mesh.v1alpha1.Dataplane", wire, self.mesh, marks, DATAPLANE)
                _, marker = self.send(response("Dataplane", forged))
                self.until(lambda: self.arrived(marker), "the marker arrives")
                stored = self.central.read("Dataplane", wire, self.mesh)
                if stored:
                    self.assertEqual(stored["labels"]["kuma.io/zone"], "west")
                    self.assertEqual(stored["labels"]["kuma.io/origin"], "zone")

    def test_names_of_another_zones_resources(self):
        before = self.central.read("Dataplane", self.of_east, self.mesh)
        marks = {"kuma.io/display-name": "dp", "kuma.io/zone": "east", "kuma.io/origin": "zone"}
        stolen = resource("kuma.mesh.v1alpha1.Dataplane", self.of_east, self.mesh, marks, DATAPLANE)
        _, marker = self.send(response("Dataplane", stolen))
        self.until(lambda: self.arrived(marker), "the marker arrives")
        self.assertEqual(self.central.read("Dataplane", self.of_east, self.mesh), before)
        self.until(lambda: self.central.metric("kdsd_refused_total", 'peer="west"'), "it is counted")

    def test_removal_of_another_zones_resources(self):
        _, marker = self.send(
            response("Dataplane", removed=[f"{self.of_east}.{self.mesh}"]), response("Dataplane", nonce="2")
        )
        self.until(lambda: self.arrived(marker), "the marker arrives")
        self.assertIsNotNone(self.central.read("Dataplane", self.of_east, self.mesh))

    def test_policies_of_the_global(self):
        self.central.put(documents.timeout(self.mesh, "own"))
        _, marker = self.send(response("MeshTimeout", removed=[f"own.{self.mesh}"]))
        self.until(lambda: self.arrived(marker), "the marker arrives")
        self.assertIsNotNone(self.central.read("MeshTimeout", "own", self.mesh))

    def test_a_name_that_is_no_zone_name(self):
        for zone in ("UPPER", "a.b", "../x", "a b", "-a", "a" * 64):
            with self.subTest(zone):
                peer = RawPeer(self.central.kds_port).begin()
                self.addCleanup(peer.close)
                peer.send(open_stream(1, "ZoneToGlobalSync", zone)).wait_end()
                self.assertNotIn(zone, self.central.names("Zone"))


class TimeOfEverybody(FleetTest):
    ZONES = ("east",)

    def still_works(self, name):
        self.central.put(documents.mesh(name))
        self.until(lambda: self.east.read("Mesh", name), "a mesh reaches the zone")

    def test_a_thousand_connections_that_say_nothing(self):
        open_ones = []
        self.addCleanup(lambda: [each.close() for each in open_ones])
        for port in (self.central.kds_port, self.central.rest.port):
            for _ in range(HALF_OPEN // 2):
                open_ones.append(socket.create_connection(("127.0.0.1", port), timeout=10))
        self.still_works("half-open")

    def test_requests_that_come_byte_by_byte(self):
        slow = []
        self.addCleanup(lambda: [each.close() for each in slow])
        for _ in range(SLOW_CLIENTS):
            each = socket.create_connection(("127.0.0.1", self.central.rest.port), timeout=15)
            each.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            slow.append(each)
        for _ in range(SLOW_CLIENTS):
            each = RawPeer(self.central.kds_port).begin()
            each.send(open_stream(1, "GlobalToZoneSync", "slow")).send_on_stream(message(b"", length=1000) + b"\x0a")
            self.addCleanup(each.close)
        self.still_works("slow")
        for each in slow:  # cut off before their header ends
            while each.recv(4096):
                pass

    def test_a_header_of_a_mebibyte(self):
        connection = self.central.rest.connect()
        self.addCleanup(connection.close)
        try:
            connection.request("GET", "/", headers={"X-Long": "x" * (1 << 20)})
            self.assertEqual(connection.getresponse().status, 431)
        except (ConnectionError, http.client.HTTPException):
            pass  # closed before all of it was sent
        peer = RawPeer(self.central.kds_port).begin()
        self.addCleanup(peer.close)
        block = open_stream(1, "GlobalToZoneSync", "long")[9:] + header("x-long", "x" * 200) * 400
        peer.send(frame(HEADERS, 0, 1, block[:16_000]))
        for at in range(16_000, len(block), 16_000):
            last = at + 16_000 >= len(block)
            peer.send(frame(9, END_HEADERS if last else 0, 1, block[at : at + 16_000]))
        peer.wait_end()
        self.assertNotIn("long", self.central.names("Zone"))
        self.still_works("header")


class PlaintextToTls(OwnPlanesTest):
    def test_it_is_cut_off(self):
        (port,) = free_ports(1)
        plane = self.fleet.add_global(
            KUMA_API_SERVER_HTTPS_ENABLED="true", KUMA_API_SERVER_HTTPS_PORT=str(port),
            KUMA_MULTIZONE_GLOBAL_KDS_TLS_ENABLED="true",
        )
        plane.start()
        for target in (port, plane.kds_port):
            with self.subTest(target), socket.create_connection(("127.0.0.1", target), timeout=15) as plain:
                plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try:
                    answer = plain.recv(4096)
                except ConnectionError:
                    answer = b""
                self.assertNotIn(b"200", answer)
        context = ssl.create_default_context(cafile=str(plane.work / "kuma-cp.crt"))
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.minimum_version = ssl.TLSVersion.TLSv1
        with socket.create_connection(("127.0.0.1", port), timeout=15) as old:
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                context.wrap_socket(old, server_hostname="localhost")


if __name__ == "__main__":
    main()
