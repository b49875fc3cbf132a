"""Real control planes of Kuma beside those of kdsd, and the real kumactl."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "integration"))

import support  # noqa: E402
from lib import kuma  # noqa: E402
from lib.kuma import MixedFleet  # noqa: E402
from support import main  # noqa: E402

__all__ = ["ALONE", "Kumactl", "MixedFleet", "PeerTest", "kumactl_path", "main", "needs_kumactl"]


# Of two zones without a global that are compared.
ALONE = {
    "KUMA_STORE_TYPE": "memory",
    # What Kuma would add to the documents by itself comes when the test is over.
    **{
        f"KUMA_{name}_INTERVAL": "24h"
        for name in (
            "MESH_SERVICE_GENERATION", "IPAM_ALLOCATION",
            "RUNTIME_UNIVERSAL_VIP_REFRESH", "RUNTIME_UNIVERSAL_WORKLOAD_GENERATION",
            "CORE_RESOURCES_STATUS_MESH_SERVICE", "CORE_RESOURCES_STATUS_MESH_MULTI_ZONE_SERVICE",
        )
    },
    # Its other way of grouping clients gives some of them the wrong conf (policy-semantics.md 8.6).
    "KUMA_MESH_TRAFFIC_PERMISSION_DISABLE_CLIQUES_ALGORITHM": "true",
}


def kumactl_path():
    return kuma.peer(kuma.KUMACTL)


needs_kumactl = unittest.skipUnless(kumactl_path(), "KDSD_PEER_KUMACTL names no kumactl")


@unittest.skipUnless(kuma.peer(), "KDSD_PEER_KUMA_CP names no kuma-cp")
class PeerTest(support._Test):
    """An empty fleet for each test."""

    def setUp(self):
        self.fleet = MixedFleet(support.binary())

    def end(self):
        if self.fleet:
            self.fleet.close()


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
