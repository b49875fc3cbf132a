"""What a kuma-cp needs beside the variables of a kdsd, and where to find one."""

import os

from .fleet import free_ports

PEER_VARIABLE = "KDSD_PEER_KUMA_CP"

# Waiting times only, as in fleet.py.
_SHORT_PAUSES = {
    "KUMA_MULTIZONE_GLOBAL_KDS_REFRESH_INTERVAL": "300ms",
    "KUMA_MULTIZONE_ZONE_KDS_REFRESH_INTERVAL": "300ms",
    "KUMA_STORE_CACHE_ENABLED": "false",
}


def peer():
    """The program, or an empty text."""
    return os.environ.get(PEER_VARIABLE, "")


def settings():
    """Of one process: its store is in memory, and the servers that kdsd does not have are on free ports."""
    servers = ("KUMA_DP_SERVER_PORT", "KUMA_MONITORING_ASSIGNMENT_SERVER_PORT", "KUMA_INTER_CP_SERVER_PORT")
    ports = {variable: str(port) for variable, port in zip(servers, free_ports(len(servers)))}
    return {"KUMA_ENVIRONMENT": "universal", "KUMA_STORE_TYPE": "memory", **_SHORT_PAUSES, **ports}
