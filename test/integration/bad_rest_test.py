"""Broken and hostile requests to the API: each is refused or cut off, nothing is stored, and everybody else is served."""

import http.client
import json
import socket

from support import FleetTest, documents, main

from lib.rest import Answer

BODY_BYTES_MAX = 4 << 20  # the default of kdsd.maxBodyBytes
DEPTH_MAX = 64


class BadRest(FleetTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.central.put(documents.mesh("shop"))

    def tearDown(self):
        self.assertTrue(self.central.is_running)
        document = documents.timeout("shop", "witness")
        self.central.put(document)
        self.assertEqual(self.central.names("MeshTimeout", "shop"), ["witness"], "nothing else was stored")

    def put(self, body):
        return self.central.rest.call("PUT", documents.path("MeshTimeout", "bad", "shop"), body)

    def refused(self, body):
        self.assert_refused(self.put(body), 400, "Bad Request")

    def good_text(self):
        return json.dumps(documents.timeout("shop", "bad"))

    def test_what_is_no_json_object(self):
        for body in ("", "{", "[]", '"text"', "null", "{}x", "{'a': 1}", "{\"a\": 1,}", "\x00"):
            with self.subTest(body):
                self.refused(body)

    def test_a_body_above_the_limit(self):
        padding = "x" * BODY_BYTES_MAX
        body = json.dumps({**documents.timeout("shop", "bad"), "labels": {"pad": padding}})
        answer = self.put(body)
        self.assert_refused(answer, 413)

    def test_a_body_that_says_it_is_endless(self):
        with socket.create_connection(("127.0.0.1", self.central.rest.port), timeout=10) as raw:
            raw.sendall(
                b"PUT /meshes/shop/meshtimeouts/bad HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nContent-Length: 99999999999999\r\n\r\n{"
            )
            self.assertIn(b" 413 ", raw.recv(4096).split(b"\r\n")[0])

    def test_a_body_in_chunks_above_the_limit(self):
        connection = self.central.rest.connect()
        self.addCleanup(connection.close)
        chunks = (b"[" * 65536 for _ in range(BODY_BYTES_MAX // 65536 + 2))
        try:
            connection.request(
                "PUT", "/meshes/shop/meshtimeouts/bad", chunks, {"Content-Type": "application/json"}, encode_chunked=True
            )
        except OSError:
            return  # cut off while it was still sending
        self.assertEqual(connection.getresponse().status, 413)

    def test_deep_nesting(self):
        for depth in (DEPTH_MAX + 1, 1_000, 500_000):
            with self.subTest(depth):
                deep = '{"a":' * depth + "1" + "}" * depth
                self.refused(self.good_text()[:-1] + f', "x": {deep}}}')
                self.refused("[" * depth + "]" * depth)

    def test_duplicate_keys(self):
        self.refused(self.good_text()[:-1] + ', "name": "bad"}')
        self.refused(self.good_text().replace('"kind": "Mesh"', '"kind": "Mesh", "kind": "Mesh"', 1))

    def test_invalid_utf8(self):
        for bad in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80"):
            with self.subTest(bad):
                self.refused(self.good_text()[:-1].encode() + b', "labels": {"a": "' + bad + b'"}}')
        self.refused(self.good_text()[:-1] + ', "labels": {"a": "\\ud800"}}')

    def put_free_value(self, text):
        """A value in the one place of a policy where everything that is JSON may stand."""
        body = json.dumps(
            {
                "type": "MeshAccessLog",
                "mesh": "shop",
                "name": "free",
                "spec": {
                    "targetRef": {"kind": "Mesh"},
                    "to": [
                        {
                            "targetRef": {"kind": "Mesh"},
                            "default": {
                                "backends": [
                                    {"type": "OpenTelemetry", "openTelemetry": {"endpoint": "a:1", "body": {"value": "?"}}}
                                ]
                            },
                        }
                    ],
                },
            }
        )
        path = "/meshes/shop/meshaccesslogs/free"
        return self.central.rest.call("PUT", path, body.replace('"?"', text)), self.central.rest.get(path)

    def test_numbers_that_nobody_can_keep(self):
        for number in ("NaN", "Infinity", "-Infinity", "18446744073709551616", "-9223372036854775809", "01", "0x1", "1e999", "-1e999"):
            with self.subTest(number):
                written, read = self.put_free_value(number)
                self.assert_refused(written, 400, "Bad Request")
                self.assertEqual(read.status, 404)

    def test_numbers_at_the_edge_are_kept(self):
        for number in ("18446744073709551615", "-9223372036854775808", "9007199254740993", "1.5", "1e300", "0.1"):
            with self.subTest(number):
                written, read = self.put_free_value(number)
                self.assertIn(written.status, (200, 201))
                backend = read.json["spec"]["to"][0]["default"]["backends"][0]
                self.assertEqual(backend["openTelemetry"]["body"], {"value": json.loads(number)})
        self.central.delete("MeshAccessLog", "free", "shop")

    def test_a_number_where_a_text_belongs(self):
        for field, value in (("name", 1), ("mesh", 1.5), ("labels", []), ("labels", {"a": 1}), ("spec", 7), ("type", None)):
            with self.subTest(field, value=value):
                answer = self.put({**documents.timeout("shop", "bad"), field: value})
                self.assertEqual(answer.status, 400, answer.text)
                self.assertTrue(answer.json["title"])

    def test_paths_that_try_to_escape(self):
        for path in ("/meshes/shop/meshtimeouts/..%2f..%2fsecrets", "/meshes/shop/../../etc", "/meshes/%00", "/%", "/meshes/%ff"):
            with self.subTest(path):
                self.assertIn(self.central.rest.get(path).status, (400, 404))

    def test_bytes_that_are_no_http(self):
        for garbage in (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xa5" * 300,
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(64),
            b"GET\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            bytes(range(256)) * 40,
            b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ):
            with self.subTest(garbage[:20]):
                self.assertNotIn(b" 200 ", self.last_word(garbage))

    def test_a_body_in_a_coding_that_nobody_knows(self):
        inner = b"PUT /meshes/inner HTTP/1.1\r\nHost: localhost\r\nContent-Length: 33\r\n\r\n" + b'{"type": "Mesh", "name": "inner"}'
        for coding in (b"xchunked", b"chunked, identity", b"\x0bchunked", b"chunked\r\nTransfer-Encoding: identity"):
            with self.subTest(coding):
                connection = self.central.rest.connect()
                self.addCleanup(connection.close)
                connection.connect()
                connection.sock.sendall(b"POST /_plan HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: " + coding + b"\r\n\r\n")
                connection.sock.sendall(inner)
                reply = http.client.HTTPResponse(connection.sock)
                reply.begin()
                self.assert_refused(Answer(reply.status, reply.headers, reply.read()), 400, "Bad Request")
                self.assertEqual(connection.sock.recv(4096), b"", "no second answer")
                self.assertNotIn("inner", self.central.names("Mesh"))

    def test_headers_above_the_limit(self):
        self.assertIn(b" 431 ", self.last_word(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 70_000 + b"\r\n\r\n"))

    def test_a_request_that_never_ends_is_cut_off_and_holds_nobody_up(self):
        slow = [socket.create_connection(("127.0.0.1", self.central.rest.port), timeout=10) for _ in range(50)]
        for raw in slow:
            self.addCleanup(raw.close)
            raw.sendall(b"GET / HTTP/1.1\r\nHost: ")
        self.assertEqual(self.central.rest.get("/").status, 200)
        for raw in slow:
            while raw.recv(4096):
                pass

    def last_word(self, request):
        """What the server says until it closes the connection, which it has to do."""
        with socket.create_connection(("127.0.0.1", self.central.rest.port), timeout=15) as raw:
            said = b""
            try:
                raw.sendall(request)
                raw.shutdown(socket.SHUT_WR)
                while part := raw.recv(65536):
                    said += part
            except ConnectionError:
                pass
            return said.split(b"\r\n")[0]

    def test_clients_that_leave_in_the_middle(self):
        for cut in (b"PUT /meshes/shop/meshtimeouts/bad HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{", b"GET /mesh"):
            for _ in range(20):
                with socket.create_connection(("127.0.0.1", self.central.rest.port)) as raw:
                    raw.sendall(cut)
        connection = self.central.rest.connect()
        self.addCleanup(connection.close)
        try:
            self.assertEqual(self.central.rest.call("GET", "/", connection=connection).status, 200)
        except http.client.HTTPException as error:
            self.fail(f"another client: {error}")


class Crowded(FleetTest):
    @classmethod
    def settings_of(cls, _name):
        return {"KDSD_HTTP_MAX_CONNECTIONS": "20"}

    def test_connections_that_say_nothing_keep_nobody_out(self):
        for _ in range(100):
            self.addCleanup(socket.create_connection(("127.0.0.1", self.central.rest.port)).close)
        for _ in range(10):
            self.assertEqual(self.central.rest.get("/meshes").status, 200)


if __name__ == "__main__":
    main()
