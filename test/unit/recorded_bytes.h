// The `raw` bytes of recorded messages (test/data/wire/README.md).
#pragma once

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/wrappers.pb.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace kdsd {

inline std::string base64_decode(std::string_view text) {
  google::protobuf::BytesValue bytes;
  // Protobuf's JSON reads the padded and the unpadded form.
  const auto status = google::protobuf::util::JsonStringToMessage("\"" + std::string(text) + "\"", &bytes);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return bytes.value();
}

inline std::string gunzip(const std::string& compressed) {
  google::protobuf::io::ArrayInputStream in(compressed.data(), static_cast<int>(compressed.size()));
  google::protobuf::io::GzipInputStream unzipped(&in, google::protobuf::io::GzipInputStream::GZIP);
  std::string bytes;
  const void* data = nullptr;
  int size = 0;
  while (unzipped.Next(&data, &size)) bytes.append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  return bytes;
}

}  // namespace kdsd
