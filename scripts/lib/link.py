"""The network between a zone and its global: a relay of TCP connections that can be cut, frozen and healed."""

import selectors
import socket
import threading

from .fleet import free_ports


class Link:
    """Relays connections to a port. One thread, ended by `close`."""

    def __init__(self, target_port):
        self.target_port = target_port
        self.port = free_ports(1)[0]
        self._lock = threading.Lock()
        self._is_cut = False
        self._is_frozen = False
        self._peers = {}
        self._selector = selectors.DefaultSelector()
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._is_closed = False
        self._thread = threading.Thread(target=self._relay, daemon=True)
        self._thread.start()

    @property
    def address(self):
        return f"grpc://127.0.0.1:{self.port}"

    def cut(self):
        """Ends every connection and refuses new ones."""
        with self._lock:
            self._is_cut = True
            self._drop_all()

    def drop(self):
        """Ends every connection; new ones are let through."""
        with self._lock:
            self._drop_all()

    def freeze(self):
        """Everything stays open, nothing moves."""
        with self._lock:
            self._is_frozen = True

    def heal(self):
        with self._lock:
            self._is_cut = self._is_frozen = False

    def close(self):
        self._is_closed = True
        self._thread.join()
        with self._lock:
            self._drop_all()
            self._listener.close()
            self._selector.close()

    def _drop_all(self):
        for end in list(self._peers):
            self._drop(end)

    def _drop(self, end):
        other = self._peers.pop(end, None)
        if other is None:
            return
        del self._peers[other]
        for each in (end, other):
            self._selector.unregister(each)
            each.close()

    def _accept(self):
        near, _ = self._listener.accept()
        if self._is_cut:
            near.close()
            return
        try:
            far = socket.create_connection(("127.0.0.1", self.target_port), timeout=5)
        except OSError:
            near.close()
            return
        for end, other in ((near, far), (far, near)):
            end.settimeout(5)
            self._peers[end] = other
            self._selector.register(end, selectors.EVENT_READ)

    def _pass_on(self, end):
        try:
            data = end.recv(65536)
            if data:
                self._peers[end].sendall(data)
        except OSError:
            data = b""
        if not data:
            self._drop(end)

    def _relay(self):
        while not self._is_closed:
            with self._lock:
                ready = [] if self._is_frozen else [key.fileobj for key, _ in self._selector.select(0)]
                for each in ready:
                    if each is self._listener:
                        self._accept()
                    elif each in self._peers:
                        self._pass_on(each)
            if not ready:
                # Short enough that nobody notices it, long enough that an idle relay costs nothing.
                threading.Event().wait(0.002)
