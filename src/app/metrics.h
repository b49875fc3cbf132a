// Metrics in Prometheus' text format, under Kuma's names where Kuma has them (metrics.md).
//
// Thread safe: observations come from every thread; what the core counts is handed over as a snapshot now and then.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/summary.h>
#include <string>
#include <vector>

#include "app/rpc_metrics.h"
#include "kds/core.h"
#include "kds/delivery.h"

namespace kdsd::app {

// What the core executor hands over; immutable.
struct MetricsSnapshot {
  std::map<std::string, kds::CoreCounters::OfType> types;
  std::vector<kds::StreamInfo> streams;
  std::map<std::string, kds::PeerLag> lags;
  std::map<std::string, std::map<std::string, std::size_t>> spared;    // by zone and type
  std::map<std::string, std::map<std::string, std::size_t>> rejected;  // by peer and type
  std::map<std::string, std::size_t> resources;
  std::map<std::string, bool> zones_connected;
  std::map<std::string, std::uint64_t> versions;  // connected peers by version
  std::uint64_t revision = 0;
  std::uint64_t encodes = 0;
  std::uint64_t commits = 0;
  std::size_t writes_queued = 0;
  std::uint64_t takeovers = 0;
  std::uint64_t zone_conflicts = 0;
  std::uint64_t unauthenticated = 0;
  std::uint64_t encode_reuses = 0;
  std::map<std::string, std::map<std::string, std::uint64_t>> refused_of_peers;  // by peer and rule
  bool reports_resources = true;
};

struct MetricsIdentity {
  std::string zone;  // `Global` on a global
  std::string product;
  std::string version;
  std::string kdsd_version;
  std::string commit;
  std::string instance_id;
};

class Metrics {
 public:
  explicit Metrics(MetricsIdentity identity);
  ~Metrics();

  void observe_store(const std::string& operation, const std::string& type, double seconds);
  void observe_request(const std::string& handler, const std::string& method, int code, double seconds,
                       std::size_t bytes);
  void observe_delivery(double seconds);
  void observe_generation(double seconds);  // working out what peers get for one batch of changes
  void observe_propagation(double seconds);
  void observe_sync(double seconds);  // of a received batch, until it is durable
  void observe_response(const std::string& type, std::size_t bytes);
  void observe_commit(double seconds, std::size_t resources);
  // Of the side on which this control plane is in KDS: a global serves, a zone calls.
  RpcMetrics& rpcs() { return rpcs_; }
  void publish(std::shared_ptr<const MetricsSnapshot> snapshot);

  std::string text() const;

 private:
  std::vector<prometheus::MetricFamily> snapshot_families() const;

  MetricsIdentity identity_;
  prometheus::Registry registry_;
  RpcMetrics rpcs_;
  prometheus::Family<prometheus::Histogram>* store_;
  prometheus::Family<prometheus::Histogram>* requests_;
  prometheus::Family<prometheus::Histogram>* response_size_;
  prometheus::Histogram* delivery_;
  std::vector<prometheus::Summary*> delivery_ms_;    // under its two names
  std::vector<prometheus::Summary*> generation_ms_;  // likewise
  prometheus::Histogram* propagation_;
  prometheus::Histogram* sync_;
  prometheus::Family<prometheus::Histogram>* sent_bytes_;
  prometheus::Histogram* commit_seconds_;
  prometheus::Histogram* commit_size_;
  mutable std::mutex mutex_;  // of snapshot_ alone; never held across a call out
  std::shared_ptr<const MetricsSnapshot> snapshot_;
};

}  // namespace kdsd::app
