// A small synchronous HTTP and HTTPS client for the REST API of a control plane.
//
// One thread. Keeps its connection between calls. Errors are for what stops an answer from arriving (Code::unavailable,
// or Code::invalid for a bad address); an answer with any status is a value. rest-api.md 1 and 13.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "model/status.h"

namespace kdsd::app::cli {

struct RestOptions {
  std::string address = "http://localhost:5681";  // a path in it is put before every target
  std::string token;
  std::string ca_cert_file;  // empty: the authorities of the system
  std::string client_cert_file;
  std::string client_key_file;
  std::chrono::milliseconds timeout{60'000};  // for one call as a whole; what kumactl allows
};

struct RestAnswer {
  int status = 0;
  std::string body;

  bool is_success() const { return status >= 200 && status < 300; }
};

class RestClient {
 public:
  // Reads the certificates; connects with the first call.
  static Result<RestClient> create(RestOptions options);
  RestClient(RestClient&&) noexcept;
  RestClient& operator=(RestClient&&) noexcept;
  ~RestClient();

  // `target` is a path with an optional query, percent-encoded. A body is sent as application/json.
  Result<RestAnswer> get(std::string_view target);
  Result<RestAnswer> put(std::string_view target, std::string body);
  Result<RestAnswer> post(std::string_view target, std::string body);
  Result<RestAnswer> remove(std::string_view target);

 private:
  class Impl;
  explicit RestClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kdsd::app::cli
