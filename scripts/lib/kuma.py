"""Control planes of Kuma 2.13 beside those of kdsd. They are no part of this repository: variables name the executables."""

import os
from pathlib import Path

from .fleet import ControlPlane, Fleet, free_ports

CONTROL_PLANE = "KDSD_PEER_KUMA_CP"
KUMACTL = "KDSD_PEER_KUMACTL"

SERVERS = (
    "KUMA_API_SERVER_HTTPS_PORT", "KUMA_INTER_CP_SERVER_PORT", "KUMA_DP_SERVER_PORT",
    "KUMA_MONITORING_ASSIGNMENT_SERVER_PORT", "KUMA_MULTIZONE_GLOBAL_KDS_GRPC_PORT",
)


def peer(variable=CONTROL_PLANE):
    """The executable, or None."""
    path = os.environ.get(variable)
    return Path(path).resolve() if path else None


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
    def add_kuma_global(self, name="kuma-global", **settings):
        return self._add_kuma(name, {"kds_port": free_ports(1)[0]}, settings)

    def add_kuma_zone(self, name, of=None, **settings):
        return self._add_kuma(name, {"global_address": f"grpc://127.0.0.1:{of.kds_port}" if of else ""}, settings)

    def _add_kuma(self, name, role, settings):
        plane = KumaPlane(peer(), name, self.directory, settings=settings, **role)
        self.planes.append(plane)
        return plane
