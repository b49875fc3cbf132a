"""Real control planes of Kuma beside those of kdsd, and the real kumactl."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "integration"))

import support  # noqa: E402
from lib.fleet import ControlPlane, Fleet, free_ports  # noqa: E402
from support import main  # noqa: E402

__all__ = ["Kumactl", "MixedFleet", "PeerTest", "kumactl_path", "main", "needs_kumactl"]

SERVERS = (
    "KUMA_API_SERVER_HTTPS_PORT", "KUMA_INTER_CP_SERVER_PORT", "KUMA_DP_SERVER_PORT",
    "KUMA_MONITORING_ASSIGNMENT_SERVER_PORT", "KUMA_MULTIZONE_GLOBAL_KDS_GRPC_PORT",
)


def peer_path(variable):
    path = os.environ.get(variable)
    return Path(path).resolve() if path else None


def kumactl_path():
    return peer_path("KDSD_PEER_KUMACTL")


needs_kumactl = unittest.skipUnless(kumactl_path(), "KDSD_PEER_KUMACTL names no kumactl")


class KumaPlane(ControlPlane):
    """A kuma-cp. It keeps what it has in memory."""

    def variables(self):
        ports = dict(zip(SERVERS, map(str, free_ports(len(SERVERS)))))
        return {
            "KUMA_STORE_TYPE": "memory",
            "KUMA_ENVIRONMENT": "universal",
            "KUMA_STORE_CACHE_ENABLED": "false",
            "KUMA_MULTIZONE_GLOBAL_KDS_REFRESH_INTERVAL": "300ms",
            "KUMA_MULTIZONE_ZONE_KDS_REFRESH_INTERVAL": "300ms",
            "KUMA_REPORTS_ENABLED": "false",
            "HOME": str(self.work),
            **ports,
            **super().variables(),
        }


class MixedFleet(Fleet):
    def _kuma(self, name, role, settings):
        plane = KumaPlane(peer_path("KDSD_PEER_KUMA_CP"), name, self.directory, settings=settings, **role)
        self.planes.append(plane)
        return plane

    def add_kuma_global(self, name="kuma-global", **settings):
        return self._kuma(name, {"kds_port": free_ports(1)[0]}, settings)

    def add_kuma_zone(self, name, of=None, **settings):
        return self._kuma(name, {"global_address": f"grpc://127.0.0.1:{of.kds_port}" if of else ""}, settings)


@unittest.skipUnless(peer_path("KDSD_PEER_KUMA_CP"), "KDSD_PEER_KUMA_CP names no kuma-cp")
class PeerTest(support._Test):
    """An empty fleet for each test."""

    def setUp(self):
        self.fleet = MixedFleet(support.binary())
        self.addCleanup(self.fleet.close)


class Kumactl:
    """kumactl with one control plane configured; its files are in a directory of their own."""

    def __init__(self, plane):
        self.home = plane.work / "kumactl"
        self.home.mkdir(exist_ok=True)
        self.address = plane.address
        self.run("config", "control-planes", "add", "--name", "here", "--address", plane.address, "--overwrite")

    def run(self, *arguments, text=None):
        environment = {**os.environ, "HOME": str(self.home), "NO_COLOR": "1"}
        return subprocess.run(
            [kumactl_path(), "--config-file", self.home / "config", *map(str, arguments)],
            input=text, capture_output=True, text=True, timeout=60, check=False, env=environment, cwd=self.home,
        )
