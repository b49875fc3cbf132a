"""Plain HTTP to one server of a control plane."""

import http.client
import json
import os

# How much longer than usual to wait before something counts as not happening; more than 1 where programs are slow.
SLOWNESS = float(os.environ.get("KDSD_SLOWNESS", "1"))


class Answer:
    """What a server said to one request."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def text(self):
        return self.body.decode(errors="replace")

    @property
    def json(self):
        return json.loads(self.body) if self.body else None

    def violations(self):
        """{field: reason} of an error body."""
        return {each["field"]: each["reason"] for each in self.json.get("invalid_parameters", [])}


class Server:
    """An HTTP server of a control plane. Each call has a connection of its own, unless one of `connect` is given."""

    def __init__(self, port):
        self.port = port
        self.address = f"http://127.0.0.1:{port}"

    def connect(self, timeout=15.0 * SLOWNESS):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def call(self, method, path, document=None, headers=None, connection=None):
        """`document` is sent as JSON; text and bytes are sent as they are. Raises OSError or HTTPException without an answer."""
        own = connection or self.connect()
        try:
            body = document if document is None or isinstance(document, (str, bytes)) else json.dumps(document)
            if isinstance(body, str):
                body = body.encode()
            own.request(method, path, body, {"Content-Type": "application/json", **(headers or {})})
            reply = own.getresponse()
            return Answer(reply.status, reply.headers, reply.read())
        finally:
            if connection is None:
                own.close()

    def get(self, path):
        return self.call("GET", path)
