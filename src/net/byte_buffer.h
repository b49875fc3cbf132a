// Messages of the core to gRPC's byte buffers and back.
//
// Pure and reentrant. gRPC's own decompression is switched off in both roles: it inflates whatever fits the limit while
// compressed, and 10 MiB of gzip can be 10 GiB of text. What comes in is inflated here, and no further than the limit.
#pragma once

#include <cstdint>
#include <grpcpp/support/byte_buffer.h>
#include <string>

#include "kds/wire.h"
#include "model/status.h"

namespace kdsd::net {

namespace limits {
// Shorter parts of a message are copied into one slice with their neighbours: a reference costs two allocations.
inline constexpr std::size_t referenced_bytes_min = 512;
// Shorter messages are sent as they are: gzip gains less than a packet on them.
inline constexpr std::size_t compressed_bytes_min = 1 << 10;
}  // namespace limits

// The buffer shares the long parts of the message, it does not copy them.
grpc::ByteBuffer to_byte_buffer(const kds::Message& message);
grpc::ByteBuffer to_byte_buffer(const std::string& bytes);

// The message as the peer encoded it, inflated when it came as gzip. `exhausted`: longer than `bytes_max` after
// inflating; `malformed`: broken gzip.
Result<std::string> from_byte_buffer(const grpc::ByteBuffer& buffer, std::size_t bytes_max);

}  // namespace kdsd::net
