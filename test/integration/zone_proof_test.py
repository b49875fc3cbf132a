"""Zones that have to prove their names to a global, by token and by certificate, and what is refused."""

import base64
import http.client
import json
import signal
import ssl

from certificates import Authority
from support import FleetTest, OwnPlanesTest, documents, free_ports, main

STRANGER = {"X-Forwarded-For": "203.0.113.7"}


def claims_of(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def secret(name, text):
    return {"type": "GlobalSecret", "name": name, "data": base64.b64encode(text.encode()).decode()}


def zone_token(plane, zone, scope=("cp",), valid_for="1h"):
    answer = plane.rest.call("POST", "/tokens/zone", {"zone": zone, "scope": list(scope), "validFor": valid_for})
    assert answer.status == 200, answer.text
    return answer.text


class UserTokens(FleetTest):
    def read_secrets(self, token):
        return self.central.rest.call("GET", "/global-secrets", headers={**STRANGER, "Authorization": f"Bearer {token}"}).status

    def issue(self, *groups):
        answer = self.central.rest.call("POST", "/tokens/user", {"name": "nadia", "groups": groups, "validFor": "1h"})
        self.assertEqual(answer.status, 200, answer.text)
        return answer.text

    def test_the_administrators_token_is_there_from_the_start_and_works(self):
        data = self.central.read("GlobalSecret", "admin-user-token")["data"]
        self.assertEqual(self.read_secrets(base64.b64decode(data).decode()), 200)

    def test_revoking_takes_effect_at_once_and_survives_a_restart(self):
        revoked, other = self.issue("mesh-system:admin"), self.issue("mesh-system:admin")
        self.assertEqual(self.read_secrets(revoked), 200)
        self.central.put(secret("user-token-revocations", claims_of(revoked)["jti"]))
        self.assertEqual((self.read_secrets(revoked), self.read_secrets(other)), (401, 200))
        self.central.stop()
        self.central.start()
        self.assertEqual((self.read_secrets(revoked), self.read_secrets(other)), (401, 200))

    def test_altered_tokens_are_refused(self):
        header, payload, signature = self.issue("mesh-system:admin").split(".")
        none = base64.urlsafe_b64encode(b'{"alg":"none","kid":"1","typ":"JWT"}').decode().rstrip("=")
        other = base64.urlsafe_b64encode(b'{"alg":"RS256","kid":"../../1","typ":"JWT"}').decode().rstrip("=")
        for token in (
            f"{none}.{payload}.", f"{none}.{payload}.{signature}", f"{other}.{payload}.{signature}",
            f"{header}.{payload[:-4]}AAAA.{signature}", f"{header}.{payload}", f"{header}..{signature}", "x" * 9000,
        ):
            with self.subTest(token[:60]):
                self.assertEqual(self.read_secrets(token), 401)


class ZoneTokens(OwnPlanesTest):
    def central_with(self, **settings):
        central = self.fleet.add_global(KDSD_ZONE_AUTHENTICATION_TYPE="zoneToken", **settings)
        central.start()
        return central

    def zone(self, central, name, token):
        file = self.fleet.directory / f"{name}.token"
        file.write_text(token + "\n")
        return self.fleet.add_zone(name, central, KDSD_ZONE_TOKEN_FILE=str(file))

    def test_a_zone_with_its_token_is_served_and_others_are_not(self):
        central = self.central_with(KDSD_ZONE_AUTHENTICATION_EXEMPT_ZONES="believed")
        good = zone_token(central, "good")
        zones = {
            "good": good,
            "thief": good,
            "expired": zone_token(central, "expired", valid_for="-1h"),
            "proxy": zone_token(central, "proxy", scope=("ingress", "egress")),
            "altered": zone_token(central, "altered")[:-6] + "AAAAAA",
            "garbage": "gar.ba.ge",
        }
        planes = {name: self.zone(central, name, token) for name, token in zones.items()}
        planes["believed"] = self.fleet.add_zone("believed", central)
        planes["silent"] = self.fleet.add_zone("silent", central)
        self.fleet.start(list(planes.values()))
        central.put(secret("marker", "x"))
        for name in ("good", "believed"):
            self.until(lambda: planes[name].read("GlobalSecret", "marker"), f"{name} is served")
        for name in set(planes) - {"good", "believed"}:
            self.until(lambda: "status=PERMISSION_DENIED" in planes[name].log_text(), f"{name} is refused")
            self.assertIsNone(planes[name].read("GlobalSecret", "marker"))
        self.assertEqual(sorted(central.names("Zone")), ["believed", "good"])
        self.until(lambda: central.metric("kdsd_zones_unauthenticated_total") >= 6, "refusals are counted")

    def test_a_revoked_token_ends_the_stream(self):
        central = self.central_with()
        token = zone_token(central, "east")
        zone = self.zone(central, "east", token)
        zone.start()
        central.put(secret("before", "x"))
        self.until(lambda: zone.read("GlobalSecret", "before"), "the zone is served")
        central.put(secret("zone-token-revocations", claims_of(token)["jti"]))
        self.until(lambda: "the token is revoked" in zone.log_text(), "the zone is told")
        central.put(secret("after", "x"))
        self.until(lambda: zone.log_text().count("the token is revoked") > 2, "and does not come back")
        self.assertIsNone(zone.read("GlobalSecret", "after"))

    def test_a_new_token_is_picked_up_from_its_file(self):
        central = self.central_with()
        zone = self.zone(central, "east", "none.as.yet")
        zone.start()
        self.until(lambda: "status=PERMISSION_DENIED" in zone.log_text(), "refused")
        (self.fleet.directory / "east.token").write_text(zone_token(central, "east"))
        central.put(secret("marker", "x"))
        self.until(lambda: zone.read("GlobalSecret", "marker"), "served with the new token")
        (self.fleet.directory / "east.token").write_text("rubbish")
        zone.process.send_signal(signal.SIGHUP)
        self.until(lambda: "event=credentials-kept" in zone.log_text(), "what is no token does not take its place")


class ZoneCertificates(OwnPlanesTest):
    def test_a_certificate_is_for_its_zone(self):
        good, foreign = Authority(self.fleet.directory), Authority(self.fleet.directory, "foreign")
        certificate, key = good.issue("global", server=True)
        central = self.fleet.add_global(
            KUMA_MULTIZONE_GLOBAL_KDS_TLS_ENABLED="true",
            KUMA_MULTIZONE_GLOBAL_KDS_TLS_CERT_FILE=str(certificate),
            KUMA_MULTIZONE_GLOBAL_KDS_TLS_KEY_FILE=str(key),
            KDSD_ZONE_AUTHENTICATION_TYPE="clientCertificate",
            KDSD_ZONE_AUTHENTICATION_CLIENT_CA_FILE=str(good.certificate),
        )
        central.start()
        address = {
            "KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS": f"grpcs://localhost:{central.kds_port}",
            "KUMA_MULTIZONE_ZONE_KDS_ROOT_CA_FILE": str(good.certificate),
        }

        def zone(name, pair=None):
            own = {"KDSD_ZONE_CERT_FILE": str(pair[0]), "KDSD_ZONE_KEY_FILE": str(pair[1])} if pair else {}
            return self.fleet.add_zone(name, **address, **own)

        east, thief = zone("east", good.issue("east")), zone("thief", good.issue("west"))
        bare, stranger = zone("bare"), zone("stranger", foreign.issue("stranger"))
        self.fleet.start([east, thief, bare, stranger])
        central.put(secret("marker", "x"))
        self.until(lambda: east.read("GlobalSecret", "marker"), "east is served")
        for refused in (thief, bare):
            self.until(lambda: "status=PERMISSION_DENIED" in refused.log_text(), f"{refused.name} is refused")
        self.until(lambda: "status=UNAVAILABLE" in stranger.log_text(), "no handshake with a foreign certificate")
        self.assertEqual(central.names("Zone"), ["east"])


class Reload(OwnPlanesTest):
    """New certificates come into use without a restart, by a signal and without one."""

    def start(self):
        self.authority = Authority(self.fleet.directory)
        certificate, key = self.authority.issue("server", file="server", server=True)
        (self.port,) = free_ports(1)
        plane = self.fleet.add_global(
            KUMA_API_SERVER_HTTPS_ENABLED="true",
            KUMA_API_SERVER_HTTPS_PORT=str(self.port),
            KUMA_GENERAL_TLS_CERT_FILE=str(certificate),
            KUMA_GENERAL_TLS_KEY_FILE=str(key),
            KUMA_MULTIZONE_GLOBAL_KDS_TLS_ENABLED="true",
        )
        plane.start()
        return plane, certificate

    def shown(self, port):
        """The certificate that a server shows, as PEM."""
        return ssl.get_server_certificate(("127.0.0.1", port), timeout=10)

    def expected(self, file):
        return ssl.DER_cert_to_PEM_cert(ssl.PEM_cert_to_DER_cert(file.read_text()))

    def test_certificates_are_exchanged_while_it_runs(self):
        plane, certificate = self.start()
        first = self.expected(certificate)
        for port in (self.port, plane.kds_port):
            self.assertEqual(self.shown(port), first)
        self.authority.issue("server", file="server", server=True)
        for port in (self.port, plane.kds_port):
            self.until_equal(self.expected(certificate), lambda: self.shown(port), "the new one without a signal")
        context = ssl.create_default_context(cafile=str(self.authority.certificate))
        connection = http.client.HTTPSConnection("localhost", self.port, context=context, timeout=10)
        self.addCleanup(connection.close)
        connection.request("GET", "/")
        self.assertEqual(connection.getresponse().status, 200)

    def test_what_cannot_be_used_is_told_and_the_old_one_stays(self):
        plane, certificate = self.start()
        first = self.expected(certificate)
        certificate.write_text("no certificate")
        plane.process.send_signal(signal.SIGHUP)
        self.until(lambda: plane.log_text().count("event=credentials-kept") >= 2, "both servers tell it")
        for port in (self.port, plane.kds_port):
            self.assertEqual(self.shown(port), first)


if __name__ == "__main__":
    main()
