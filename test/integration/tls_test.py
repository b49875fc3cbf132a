"""TLS between zones and the global, and of the API, with the certificate that a control plane makes for itself."""

import http.client
import json
import ssl
import subprocess

from support import OwnPlanesTest, documents, free_ports, main


class Tls(OwnPlanesTest):
    def test_a_zone_talks_to_nobody_whom_it_cannot_verify(self):
        central = self.fleet.add_global(KUMA_MULTIZONE_GLOBAL_KDS_TLS_ENABLED="true")
        central.start()
        address = {"KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS": f"grpcs://localhost:{central.kds_port}"}
        authority = {"KUMA_MULTIZONE_ZONE_KDS_ROOT_CA_FILE": str(central.work / "kuma-cp.crt")}
        trusting = self.fleet.add_zone("trusting", **address, **authority)
        careless = self.fleet.add_zone("careless", **address, KUMA_MULTIZONE_ZONE_KDS_TLS_SKIP_VERIFY="true")
        wary = self.fleet.add_zone("wary", **address)
        plain = self.fleet.add_zone("plain", central)
        self.fleet.start([trusting, careless, wary, plain])
        central.put(documents.global_secret("marker"))
        for zone in (trusting, careless):
            self.until(lambda: zone.read("GlobalSecret", "marker"), f"a secret in {zone.name}")
        for zone in (wary, plain):
            self.until(lambda: "status=UNAVAILABLE" in zone.log_text(), f"{zone.name} tried and failed")
            self.assertEqual(zone.names("Mesh"), [])
        self.until(lambda: "grpcs://" in plain.log_text(), "what might be wrong is said")
        self.assertEqual(sorted(central.names("Zone")), ["careless", "trusting"])

    def test_a_zone_does_not_speak_tls_with_a_global_that_does_not(self):
        central = self.fleet.add_global()
        zone = self.fleet.add_zone(
            "east",
            KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS=f"grpcs://localhost:{central.kds_port}",
            KUMA_MULTIZONE_ZONE_KDS_TLS_SKIP_VERIFY="true",
        )
        self.fleet.start()
        self.until(lambda: "status=UNAVAILABLE" in zone.log_text(), "it tried and failed")
        self.assertEqual(central.names("Zone"), [])

    def test_the_api_over_tls_gives_the_same_answers(self):
        (port,) = free_ports(1)
        plane = self.fleet.add_global(KUMA_API_SERVER_HTTPS_ENABLED="true", KUMA_API_SERVER_HTTPS_PORT=str(port))
        plane.start()
        self.until(lambda: plane.read("Mesh", "default"), "the default mesh")
        authority = plane.work / "kuma-cp.crt"
        connection = http.client.HTTPSConnection(
            "localhost", port, context=ssl.create_default_context(cafile=str(authority)), timeout=10
        )
        self.addCleanup(connection.close)
        connection.request("GET", "/meshes/default")
        reply = connection.getresponse()
        self.assertEqual((reply.status, json.loads(reply.read())), (200, plane.read("Mesh", "default")))
        done = subprocess.run(
            [plane.program, "get", "meshes", "--address", f"https://localhost:{port}", "--ca-cert", str(authority)],
            capture_output=True, text=True, timeout=60, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("default", done.stdout)
        strangers = http.client.HTTPSConnection("localhost", port, timeout=10)
        self.addCleanup(strangers.close)
        with self.assertRaises(ssl.SSLError):
            strangers.request("GET", "/")

    def test_a_certificate_is_made_once(self):
        plane = self.fleet.add_global(KUMA_MULTIZONE_GLOBAL_KDS_TLS_ENABLED="true")
        plane.start()
        made = (plane.work / "kuma-cp.crt").read_bytes()
        key = plane.work / "kuma-cp.key"
        self.assertEqual(key.stat().st_mode & 0o077, 0, "the key is for its owner only")
        plane.stop()
        plane.start()
        self.assertEqual((plane.work / "kuma-cp.crt").read_bytes(), made)


if __name__ == "__main__":
    main()
