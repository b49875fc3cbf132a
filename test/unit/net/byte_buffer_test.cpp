#include "net/byte_buffer.h"

#include <gtest/gtest.h>
#include <vector>
#include <zlib.h>

namespace kdsd::net {
namespace {

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

grpc::ByteBuffer in_slices_of(const std::string& bytes, std::size_t size) {
  std::vector<grpc::Slice> slices;
  for (std::size_t at = 0; at < bytes.size(); at += size) slices.emplace_back(bytes.substr(at, size));
  return {slices.data(), slices.size()};
}

std::string varied(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += std::to_string(i * 2'654'435'761U);
  text.resize(bytes);
  return text;
}

TEST(ByteBuffer, PartsArriveInOrder) {
  kds::Message message;
  std::string expected;
  for (std::size_t size : {3U, 5'000U, 0U, 10U, 20U, 600U, 511U, 512U}) {
    message.append(std::string(size, static_cast<char>('a' + size % 26)));
    expected += std::string(size, static_cast<char>('a' + size % 26));
  }
  auto read = from_byte_buffer(to_byte_buffer(message), expected.size());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, expected);
}

TEST(ByteBuffer, LongPartsAreSharedUntilTheBufferIsGone) {
  auto part = std::make_shared<const std::string>(10'000, 'x');
  {
    kds::Message message;
    message.append(part);
    auto buffer = to_byte_buffer(message);
    message = {};
    EXPECT_EQ(part.use_count(), 2);
    std::vector<grpc::Slice> slices;
    ASSERT_TRUE(buffer.Dump(&slices).ok());
    ASSERT_EQ(slices.size(), 1U);
    EXPECT_EQ(static_cast<const void*>(slices[0].begin()), static_cast<const void*>(part->data()));
  }
  EXPECT_EQ(part.use_count(), 1);
}

TEST(ByteBuffer, EmptyMessageIsEmpty) {
  auto read = from_byte_buffer(to_byte_buffer(kds::Message()), 10);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, "");
}

TEST(ByteBuffer, GzipIsInflatedHoweverItIsCut) {
  const auto text = varied(300'000);
  const auto compressed = gzipped(text);
  for (std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{4'096}, compressed.size()}) {
    auto read = from_byte_buffer(in_slices_of(compressed, size), text.size());
    ASSERT_TRUE(read.ok()) << read.status().text();
    EXPECT_TRUE(*read == text) << "slices of " << size;
  }
}

TEST(ByteBuffer, GzipOfNothingIsEmpty) {
  auto read = from_byte_buffer(in_slices_of(gzipped(""), 100), 0);
  ASSERT_TRUE(read.ok()) << read.status().text();
  EXPECT_EQ(*read, "");
}

TEST(ByteBuffer, LimitIsExactBeforeAndAfterInflating) {
  const auto text = varied(100'000);
  EXPECT_TRUE(from_byte_buffer(in_slices_of(text, 4'096), 100'000).ok());
  EXPECT_EQ(from_byte_buffer(in_slices_of(text, 4'096), 99'999).status().code(), Code::exhausted);
  EXPECT_TRUE(from_byte_buffer(in_slices_of(gzipped(text), 4'096), 100'000).ok());
  EXPECT_EQ(from_byte_buffer(in_slices_of(gzipped(text), 4'096), 99'999).status().code(), Code::exhausted);
}

TEST(ByteBuffer, BrokenGzipIsRefused) {
  const auto compressed = gzipped(varied(10'000));
  EXPECT_EQ(from_byte_buffer(in_slices_of(compressed.substr(0, compressed.size() - 1), 512), 20'000).status().code(),
            Code::malformed);
  EXPECT_EQ(from_byte_buffer(in_slices_of(compressed + "x", 512), 20'000).status().code(), Code::malformed);
  auto damaged = compressed;
  damaged[damaged.size() / 2] ^= 0x55;
  EXPECT_EQ(from_byte_buffer(in_slices_of(damaged, 512), 20'000).status().code(), Code::malformed);
  EXPECT_EQ(from_byte_buffer(in_slices_of("\x1f", 512), 20'000).status().code(), Code::malformed);
}

}  // namespace
}  // namespace kdsd::net
