"""As much of HTTP/2 and gRPC as it takes to break their rules on purpose."""

import select
import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1
INITIAL_WINDOW_SIZE = b"\x00\x04"  # a setting
WINDOW_BYTES = 65_535  # of a connection and a stream when nothing else was said
FRAME_BYTES_MAX = 16_384
PATIENCE_SECONDS = 15.0


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def header(name, value):
    """A header that is not compressed and stays out of the tables."""
    return b"\x00" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def open_stream(stream, method, zone="intruder", service="KDSSyncService"):
    fields = (
        (":method", "POST"),
        (":scheme", "http"),
        (":path", f"/kuma.mesh.v1alpha1.{service}/{method}"),
        (":authority", "localhost"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
        ("client-id", zone),
        ("features", "hash-suffix"),
        ("kds-version", "v3"),
    )
    return frame(HEADERS, END_HEADERS, stream, b"".join(header(*field) for field in fields))


def message(payload, length=None, compressed=0):
    """A gRPC message, whose length may be a lie."""
    return struct.pack(">BI", compressed, len(payload) if length is None else length) + payload


def first_request(zone, type_name):
    """DeltaDiscoveryRequest with the node's id and a type."""

    def field(number, content):
        return bytes([number << 3 | 2, len(content)]) + content

    return field(1, field(1, zone.encode())) + field(2, type_name.encode())


class RawPeer:
    """A connection on which anything may be said. Being cut off is no error here: that is what the tests are about."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        self.windows = {0: WINDOW_BYTES, 1: WINDOW_BYTES}
        self._read = b""
        self._is_over = False

    def begin(self):
        """HTTP/2 as it should be."""
        return self.send(PREFACE + frame(SETTINGS, 0, 0))

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            self._is_over = True
        return self

    def send_on_stream(self, data, flags=0):
        self.windows = {stream: window - len(data) for stream, window in self.windows.items()}
        return self.send(frame(DATA, flags, 1, data))

    def hang_up(self):
        """No more is sent; what the other side says can still be read."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self._is_over = True
        return self

    def close(self):
        self.socket.close()

    def wait_end(self):
        """Until stream 1 or the connection has ended. TimeoutError when it does not."""
        while not self._is_over:
            self._take()

    def pour(self, bytes_max):
        """Sends zeros on stream 1 as fast as the windows allow, until that many are sent, the other side ends it, or no window
        is opened any more. How many were sent."""
        sent = 0
        while sent < bytes_max and not self._is_over:
            size = min(FRAME_BYTES_MAX, *self.windows.values())
            if size > 0:
                self.send_on_stream(bytes(size))
                sent += size
            if size <= 0 or select.select([self.socket], [], [], 0)[0]:
                try:
                    self._take()
                except TimeoutError:
                    break
        return sent

    def _take(self):
        try:
            part = self.socket.recv(65_536)
        except ConnectionError:
            part = b""
        self._read += part
        self._is_over = self._is_over or not part
        while len(self._read) >= 9 and len(self._read) >= 9 + int.from_bytes(self._read[:3], "big"):
            length = int.from_bytes(self._read[:3], "big")
            kind, flags, stream = struct.unpack(">BBI", self._read[3:9])
            payload, self._read = self._read[9 : 9 + length], self._read[9 + length :]
            self._react(kind, flags, stream, payload)

    def _react(self, kind, flags, stream, payload):
        if kind == WINDOW_UPDATE and stream in self.windows:
            self.windows[stream] += int.from_bytes(payload, "big")
        elif kind == SETTINGS and not flags & ACK:
            for at in range(0, len(payload), 6):
                if payload[at : at + 2] == INITIAL_WINDOW_SIZE:
                    self.windows[1] += int.from_bytes(payload[at + 2 : at + 6], "big") - WINDOW_BYTES
            self.send(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            self.send(frame(PING, ACK, 0, payload))
        elif kind == GOAWAY or (stream == 1 and (kind == RST_STREAM or (kind == HEADERS and flags & END_STREAM))):
            self._is_over = True
