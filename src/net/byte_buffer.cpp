#include "net/byte_buffer.h"

#include <algorithm>
#include <memory>
#include <vector>
#include <zlib.h>

namespace kdsd::net {
namespace {

constexpr int gzip_window_bits = 15 + 16;  // zlib's way to say: the largest window, gzip framing
// No protobuf message starts with this byte (it would be a field of the invalid wire type 7), every gzip stream does.
constexpr std::uint8_t gzip_magic = 0x1f;
constexpr std::size_t inflate_step_bytes = 64 << 10;  // the result grows by at least this much

using Part = std::shared_ptr<const std::string>;

grpc::Slice reference_to(const Part& part) {
  auto* keeper = new Part(part);
  // gRPC only reads from the slices it is given to write.
  return {const_cast<char*>((*keeper)->data()), (*keeper)->size(), [](void* data) { delete static_cast<Part*>(data); },
          keeper};
}

Status too_large(std::size_t bytes_max) {
  return {Code::exhausted, "message is larger than " + std::to_string(bytes_max) + " bytes"};
}

class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, gzip_window_bits) == Z_OK; }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends what the slice inflates to. Stops as soon as the result is longer than allowed.
  Status add(const grpc::Slice& slice, std::string& out, std::size_t bytes_max) {
    if (!ready_) return {Code::internal, "zlib cannot start"};
    stream_.next_in = const_cast<Bytef*>(slice.begin());
    stream_.avail_in = static_cast<uInt>(slice.size());
    bool more = !finished_;
    while (more) {
      const auto before = out.size();
      // One byte more than allowed tells a message that fits from one that does not.
      const auto room = std::min(bytes_max + 1 - before, std::max(inflate_step_bytes, before));
      out.resize(before + room);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
      stream_.avail_out = static_cast<uInt>(room);
      const int outcome = inflate(&stream_, Z_NO_FLUSH);
      out.resize(before + room - stream_.avail_out);
      if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR)
        return {Code::malformed, "message is not valid gzip"};
      if (out.size() > bytes_max) return too_large(bytes_max);
      finished_ = outcome == Z_STREAM_END;
      more = !finished_ && stream_.avail_out == 0;  // room left over: the slice is used up
    }
    if (finished_ && stream_.avail_in > 0) return {Code::malformed, "bytes follow the gzip message"};
    return {};
  }

  bool finished() const { return finished_; }

 private:
  z_stream stream_{};
  bool ready_ = false;
  bool finished_ = false;
};

Result<std::string> inflated(const std::vector<grpc::Slice>& slices, std::size_t bytes_max) {
  Inflater inflater;
  std::string out;
  for (const auto& slice : slices) {
    if (auto status = inflater.add(slice, out, bytes_max); !status.ok()) return status;
  }
  if (!inflater.finished()) return {Code::malformed, "gzip message ends too early"};
  return out;
}

}  // namespace

grpc::ByteBuffer to_byte_buffer(const kds::Message& message) {
  std::vector<grpc::Slice> slices;
  std::string small;
  auto flush = [&] {
    if (!small.empty()) slices.emplace_back(small);
    small.clear();
  };
  for (const auto& part : message.parts) {
    if (part->size() < limits::referenced_bytes_min) {
      small += *part;
    } else {
      flush();
      slices.push_back(reference_to(part));
    }
  }
  flush();
  return {slices.data(), slices.size()};
}

grpc::ByteBuffer to_byte_buffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

Result<std::string> from_byte_buffer(const grpc::ByteBuffer& buffer, std::size_t bytes_max) {
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return {Code::malformed, "message cannot be read"};
  for (const auto& slice : slices) {
    if (slice.size() == 0) continue;
    if (*slice.begin() == gzip_magic) return inflated(slices, bytes_max);
    break;
  }
  if (buffer.Length() > bytes_max) return too_large(bytes_max);
  std::string out;
  out.reserve(buffer.Length());
  for (const auto& slice : slices) out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return out;
}

}  // namespace kdsd::net
