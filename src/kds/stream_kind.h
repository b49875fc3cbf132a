// The streams between a zone and its global (kds-protocol.md 2, 10).
#pragma once

namespace kdsd::kds {

enum class StreamKind { global_to_zone, zone_to_global, config_dumps, stats, clusters };

// The last three: admin streams, over which a global asks about the proxies of a zone.
inline bool is_admin(StreamKind kind) {
  return kind != StreamKind::global_to_zone && kind != StreamKind::zone_to_global;
}

// The name of its method, without the service.
inline const char* name_of(StreamKind kind) {
  switch (kind) {
    case StreamKind::global_to_zone:
      return "GlobalToZoneSync";
    case StreamKind::zone_to_global:
      return "ZoneToGlobalSync";
    case StreamKind::config_dumps:
      return "StreamXDSConfigs";
    case StreamKind::stats:
      return "StreamStats";
    case StreamKind::clusters:
      return "StreamClusters";
  }
  return "";
}

}  // namespace kdsd::kds
