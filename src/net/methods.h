// Names on the wire of the KDS port (kds-protocol.md 1.1, 2.5).
#pragma once

#include <grpcpp/support/status.h>
#include <string_view>

#include "kds/core.h"

namespace kdsd::net {

namespace method {
inline constexpr char global_to_zone[] = "/kuma.mesh.v1alpha1.KDSSyncService/GlobalToZoneSync";
inline constexpr char zone_to_global[] = "/kuma.mesh.v1alpha1.KDSSyncService/ZoneToGlobalSync";
inline constexpr char health_check[] = "/kuma.mesh.v1alpha1.GlobalKDSService/HealthCheck";
inline constexpr char xds_configs[] = "/kuma.mesh.v1alpha1.GlobalKDSService/StreamXDSConfigs";
inline constexpr char stats[] = "/kuma.mesh.v1alpha1.GlobalKDSService/StreamStats";
inline constexpr char clusters[] = "/kuma.mesh.v1alpha1.GlobalKDSService/StreamClusters";

inline const char* of(kds::StreamKind kind) {
  switch (kind) {
    case kds::StreamKind::global_to_zone:
      return global_to_zone;
    case kds::StreamKind::zone_to_global:
      return zone_to_global;
    case kds::StreamKind::config_dumps:
      return xds_configs;
    case kds::StreamKind::stats:
      return stats;
    case kds::StreamKind::clusters:
      return clusters;
  }
  return "";
}
}  // namespace method

namespace metadata {
inline constexpr char version[] = "version";
inline constexpr char client_id[] = "client-id";
inline constexpr char kds_version[] = "kds-version";
inline constexpr char features[] = "features";
inline constexpr char authorization[] = "authorization";
}  // namespace metadata

inline constexpr char client_id_missing[] = "\"client-id\" is not present in metadata";

// How a stream that the core closes ends on the wire. Kuma zones dial again after each of these (kds-protocol.md 3.11).
inline grpc::StatusCode status_code_of(kds::CloseCode code) {
  switch (code) {
    case kds::CloseCode::unavailable:
      return grpc::StatusCode::UNAVAILABLE;
    case kds::CloseCode::internal:
      return grpc::StatusCode::INTERNAL;
    case kds::CloseCode::invalid_argument:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case kds::CloseCode::resource_exhausted:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case kds::CloseCode::denied:
      return grpc::StatusCode::PERMISSION_DENIED;
  }
  return grpc::StatusCode::INTERNAL;
}

// How a stream ends that the core refused to open, or whose message could not be taken.
inline grpc::StatusCode status_code_of(Code code) {
  switch (code) {
    case Code::invalid:
    case Code::malformed:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case Code::denied:
      return grpc::StatusCode::PERMISSION_DENIED;
    case Code::unavailable:
      return grpc::StatusCode::UNAVAILABLE;
    case Code::exhausted:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    default:
      return grpc::StatusCode::INTERNAL;
  }
}

}  // namespace kdsd::net
