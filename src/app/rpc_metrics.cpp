#include "app/rpc_metrics.h"

namespace kdsd::app {
namespace {

const prometheus::Histogram::BucketBoundaries seconds_buckets = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                                 0.5,   1,    2.5,   5,    10};

prometheus::Family<prometheus::Counter>& counter(prometheus::Registry& registry,
                                                 const std::map<std::string, std::string>& labels,
                                                 const std::string& name, const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Labels(labels).Register(registry);
}

std::map<std::string, std::string> labels_of(std::string_view path, const char* type) {
  const auto slash = path.rfind('/');
  return {{"grpc_type", type},
          {"grpc_service", std::string(path.substr(1, slash - 1))},
          {"grpc_method", std::string(path.substr(slash + 1))}};
}

}  // namespace

RpcMetrics::RpcMetrics(prometheus::Registry& registry, const std::map<std::string, std::string>& labels,
                       const std::string& side)
    : started_(counter(registry, labels, "grpc_" + side + "_started_total", "RPCs that began")),
      handled_(counter(registry, labels, "grpc_" + side + "_handled_total", "RPCs that ended, by code")),
      received_(counter(registry, labels, "grpc_" + side + "_msg_received_total", "Messages received in RPCs")),
      sent_(counter(registry, labels, "grpc_" + side + "_msg_sent_total", "Messages sent in RPCs")),
      seconds_(prometheus::BuildHistogram()
                   .Name("grpc_" + side + "_handling_seconds")
                   .Help("Time from the begin of an RPC to its end in seconds")
                   .Labels(labels)
                   .Register(registry)) {}

void RpcMetrics::started(std::uint64_t stream, std::string_view path) {
  Call call{labels_of(path, "bidi_stream"), std::chrono::steady_clock::now()};
  started_.Add(call.labels).Increment();
  calls_[stream] = std::move(call);
}

void RpcMetrics::received(std::uint64_t stream) { count(received_, stream); }
void RpcMetrics::sent(std::uint64_t stream) { count(sent_, stream); }

void RpcMetrics::ended(std::uint64_t stream, const std::string& code) {
  const auto it = calls_.find(stream);
  if (it == calls_.end()) return;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - it->second.begin;
  count_end(it->second.labels, code, taken.count());
  calls_.erase(it);
}

void RpcMetrics::answered(std::string_view path, const std::string& code) {
  const auto labels = labels_of(path, "unary");
  started_.Add(labels).Increment();
  received_.Add(labels).Increment();
  if (code == "OK") sent_.Add(labels).Increment();
  count_end(labels, code, 0);
}

void RpcMetrics::count_end(const Labels& labels, const std::string& code, double seconds) {
  auto with_code = labels;
  with_code["grpc_code"] = code;
  handled_.Add(with_code).Increment();
  seconds_.Add(labels, seconds_buckets).Observe(seconds);
}

void RpcMetrics::count(prometheus::Family<prometheus::Counter>& family, std::uint64_t stream) {
  const auto it = calls_.find(stream);
  if (it != calls_.end()) family.Add(it->second.labels).Increment();
}

}  // namespace kdsd::app
