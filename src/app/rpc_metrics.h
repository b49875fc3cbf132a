// Counts of RPCs under the names that gRPC programs use (metrics.md 3.3): `grpc_server_…` where peers call,
// `grpc_client_…` where this side calls.
//
// On the core executor; reading by a scrape is up to the registry.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <string>
#include <string_view>

namespace kdsd::app {

class RpcMetrics {
 public:
  // `side`: `server` or `client`. The registry must outlive it.
  RpcMetrics(prometheus::Registry& registry, const std::map<std::string, std::string>& labels, const std::string& side);

  // `path`: `/package.Service/Method`.
  void started(std::uint64_t stream, std::string_view path);
  void received(std::uint64_t stream);
  void sent(std::uint64_t stream);
  // `code` as Go spells it: `OK`, `Canceled`, `Unavailable`.
  void ended(std::uint64_t stream, const std::string& code);
  // A call of one message each way.
  void answered(std::string_view path, const std::string& code);

 private:
  using Labels = std::map<std::string, std::string>;
  struct Call {
    Labels labels;
    std::chrono::steady_clock::time_point begin;
  };

  void count_end(const Labels& labels, const std::string& code, double seconds);
  void count(prometheus::Family<prometheus::Counter>& family, std::uint64_t stream);

  prometheus::Family<prometheus::Counter>& started_;
  prometheus::Family<prometheus::Counter>& handled_;
  prometheus::Family<prometheus::Counter>& received_;
  prometheus::Family<prometheus::Counter>& sent_;
  prometheus::Family<prometheus::Histogram>& seconds_;
  std::map<std::uint64_t, Call> calls_;  // open ones
};

}  // namespace kdsd::app
