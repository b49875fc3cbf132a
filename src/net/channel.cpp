#include "net/channel.h"

#include <algorithm>
#include <grpcpp/create_channel.h>
#include <string_view>

#include "net/memory_bound.h"

namespace kdsd::net {
namespace {

constexpr int gzip_and_identity = (1 << GRPC_COMPRESS_NONE) | (1 << GRPC_COMPRESS_GZIP);

// As in Go: the proxy of the environment is for others, never for the own machine.
bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address.starts_with("localhost:") || address.starts_with("[::1]");
}

}  // namespace

std::shared_ptr<grpc::Channel> make_channel(const ClientOptions& options) {
  const auto connect_ms = static_cast<int>(std::max<std::int64_t>(options.connect_timeout_nanos / 1'000'000, 1));
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(transport_message_bytes(options.message_bytes_max)));
  arguments.SetMaxSendMessageSize(static_cast<int>(options.message_bytes_max));
  set_memory_bound(arguments, options.message_bytes_max);
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);  // see byte_buffer.h
  arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, gzip_and_identity);
  // Otherwise the next channel would inherit the connection that is to be closed.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, connect_ms);  // which is gRPC's time limit of one attempt
  arguments.SetInt(GRPC_ARG_DNS_ARES_QUERY_TIMEOUT_MS, connect_ms);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);  // they would keep what was sent in memory
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, limits::client_keepalive_time_ms);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, limits::client_keepalive_timeout_ms);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // silent streams are the normal case
  if (is_loopback(options.address)) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetUserAgentPrefix("kds/" + options.version);
  return grpc::CreateCustomChannel("dns:///" + options.address, client_credentials(options.tls), arguments);
}

}  // namespace kdsd::net
