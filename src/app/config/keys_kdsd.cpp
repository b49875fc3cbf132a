// The project's own keys.
#include <array>

#include "app/config/key.h"

namespace kdsd::app {
namespace {

using enum KeyType;
using enum Decision;

constexpr std::array<Key, 18> keys{{
    {"kdsd.store.path", "KDSD_STORE_PATH", text, "", accept,
     "file of the SQLite store; empty means kdsd.db in the work directory"},
    {"kdsd.guiDirectory", "KDSD_GUI_DIRECTORY", text, "", accept,
     "directory with the files of the web page; empty means the built-in page"},
    {"kdsd.namespacedGatewayRoutes", "KDSD_NAMESPACED_GATEWAY_ROUTES", boolean, "false", accept,
     "allow routes of a MeshGateway outside the system namespace"},
    {"kdsd.foreignMaxMessageBytes", "KDSD_FOREIGN_MAX_MESSAGE_BYTES", integer, "0", accept,
     "largest message that a peer other than this program accepts; 0 means maxMsgSize of this side"},
    {"kdsd.relayHold", "KDSD_RELAY_HOLD", duration, "60s", accept,
     "how long a global lets zones wait for what another zone has not sent yet since the store was made; 0s means not"},
    {"kdsd.kds.compression", "KDSD_KDS_COMPRESSION", text, "none", accept, "compression of what is sent over KDS",
     "none|gzip"},
    {"kdsd.kds.bindAddress", "KDSD_KDS_BIND_ADDRESS", text, "", accept,
     "address on which zones connect; empty means all"},
    {"kdsd.diagnostics.bindAddress", "KDSD_DIAGNOSTICS_BIND_ADDRESS", text, "", accept,
     "address of the diagnostics server; empty means all"},
    {"kdsd.compatibleVersion", "KDSD_COMPATIBLE_VERSION", text, "2.13.10", accept,
     "version of Kuma that clients are told"},
    {"kdsd.maxBodyBytes", "KDSD_MAX_BODY_BYTES", integer, "4194304", accept,
     "largest request body of the API in bytes"},
    {"kdsd.http.maxConnections", "KDSD_HTTP_MAX_CONNECTIONS", integer, "1024", accept,
     "most connections to the API at once"},
    {"kdsd.writesNeedAuthentication", "KDSD_WRITES_NEED_AUTHENTICATION", boolean, "false", accept,
     "refuse every write of callers that have not proved who they are"},
    {"kdsd.zoneAuthentication.type", "KDSD_ZONE_AUTHENTICATION_TYPE", text, "none", accept,
     "how zones prove their names to this global", "none|zoneToken|clientCertificate"},
    {"kdsd.zoneAuthentication.exemptZones", "KDSD_ZONE_AUTHENTICATION_EXEMPT_ZONES", list, "", accept,
     "zones that are believed by name alone, because they are of kuma-cp"},
    {"kdsd.zoneAuthentication.clientCaFile", "KDSD_ZONE_AUTHENTICATION_CLIENT_CA_FILE", text, "", accept,
     "authorities that may sign the certificates of zones; their common name or a DNS name is the zone"},
    {"kdsd.zone.tokenFile", "KDSD_ZONE_TOKEN_FILE", text, "", accept,
     "file with the zone token, scope cp, that this zone shows to its global"},
    {"kdsd.zone.certFile", "KDSD_ZONE_CERT_FILE", text, "", accept, "certificate that this zone shows to its global"},
    {"kdsd.zone.keyFile", "KDSD_ZONE_KEY_FILE", text, "", accept, "its key; with the certificate or not at all"},
}};

}  // namespace

std::span<const Key> kdsd_keys() { return keys; }

}  // namespace kdsd::app
