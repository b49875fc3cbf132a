// How much memory gRPC may take for messages on their way in.
//
// This gRPC compares a message with the longest one allowed only when all of it is there, and opens the window for
// whatever length the peer has announced. The quota is what ends a stream that announces gigabytes: when it is used up,
// gRPC cancels streams that hold memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <grpcpp/resource_quota.h>
#include <limits>

namespace kdsd::net {

namespace limits {
inline constexpr std::int64_t transport_bytes_min = 256LL << 20;  // window updates of a thousand zones fit well
inline constexpr std::int64_t transport_messages = 16;            // of the longest kind at one time, of all peers
}  // namespace limits

// What gRPC lets in of one message. Longer than what the core takes, so that mostly it is the core that refuses: it
// names type, size and limit, and the long answer of one proxy costs that answer alone. gRPC would end the stream and
// say nothing of all this.
inline std::int64_t transport_message_bytes(std::int64_t message_bytes_max) {
  return std::min<std::int64_t>(2 * message_bytes_max, std::numeric_limits<int>::max());
}

// For ServerBuilder and ChannelArguments alike, which keep the quota alive.
template <typename Target>
void set_memory_bound(Target& target, std::int64_t message_bytes_max) {
  grpc::ResourceQuota quota("kds");
  quota.Resize(
      static_cast<std::size_t>(std::max(limits::transport_bytes_min, limits::transport_messages * message_bytes_max)));
  target.SetResourceQuota(quota);
}

}  // namespace kdsd::net
