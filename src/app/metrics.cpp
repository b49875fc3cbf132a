#include "app/metrics.h"

#include <chrono>
#include <prometheus/counter.h>
#include <prometheus/text_serializer.h>
#include <utility>

namespace kdsd::app {
namespace {

using Labels = std::map<std::string, std::string>;
using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

const prometheus::Histogram::BucketBoundaries seconds_buckets = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                                 0.1,    0.25,  0.5,    1,     2.5,  5,     10};
const prometheus::Histogram::BucketBoundaries count_buckets = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20000};
// 1 KiB, doubled up to 32 MiB.
const prometheus::Histogram::BucketBoundaries message_buckets = [] {
  prometheus::Histogram::BucketBoundaries out;
  for (double bytes = 1 << 10; bytes <= 32 << 20; bytes *= 2) out.push_back(bytes);
  return out;
}();
const prometheus::Summary::Quantiles quantiles = {{0.5, 0.05}, {0.9, 0.01}, {0.99, 0.001}};
constexpr std::chrono::minutes quantile_time{10};

const prometheus::Histogram::BucketBoundaries bytes_buckets = {100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

constexpr double nanos_per_second = 1e9;
constexpr double ms_per_second = 1e3;

class FamilyBuilder {
 public:
  FamilyBuilder(std::string zone, std::vector<MetricFamily>& out) : zone_(std::move(zone)), out_(out) {}

  void begin(const std::string& name, const std::string& help, MetricType type) {
    out_.push_back({});
    out_.back().name = name;
    out_.back().help = help;
    out_.back().type = type;
  }
  void add(Labels labels, double value) {
    ClientMetric metric;
    labels["zone"] = zone_;
    for (auto& [name, text] : labels) metric.label.push_back({name, text});
    if (out_.back().type == MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
    out_.back().metric.push_back(std::move(metric));
  }
  void single(const std::string& name, const std::string& help, MetricType type, double value) {
    begin(name, help, type);
    add({}, value);
  }

 private:
  std::string zone_;
  std::vector<MetricFamily>& out_;
};

void add_types(FamilyBuilder& families, const MetricsSnapshot& snapshot, const std::string& prefix) {
  families.begin(prefix + "responses_sent", "Responses sent to peers", MetricType::Counter);
  for (const auto& [type, counters] : snapshot.types)
    families.add({{"type_url", type}}, static_cast<double>(counters.responses_sent));
  families.begin(prefix + "requests_received", "Answers of peers to responses", MetricType::Counter);
  for (const auto& [type, counters] : snapshot.types) {
    families.add({{"type_url", type}, {"confirmation", "ACK"}, {"error_type", "no_error"}},
                 static_cast<double>(counters.acknowledged));
    families.add({{"type_url", type}, {"confirmation", "NACK"}, {"error_type", "user"}},
                 static_cast<double>(counters.rejected_by_user));
    families.add({{"type_url", type}, {"confirmation", "NACK"}, {"error_type", "other"}},
                 static_cast<double>(counters.rejected_otherwise));
  }
}

void add_peers(FamilyBuilder& families, const MetricsSnapshot& snapshot) {
  families.begin("kdsd_peer_connected", "Whether the peer has a stream on which this side sends", MetricType::Gauge);
  for (const auto& [zone, connected] : snapshot.zones_connected) families.add({{"peer", zone}}, connected ? 1 : 0);
  families.begin("kdsd_peer_lag_revisions", "Revisions the peer was not told of yet", MetricType::Gauge);
  for (const auto& [peer, lag] : snapshot.lags) families.add({{"peer", peer}}, static_cast<double>(lag.revisions));
  families.begin("kdsd_peer_lag_seconds", "Age of the oldest change the peer has not answered", MetricType::Gauge);
  for (const auto& [peer, lag] : snapshot.lags) {
    families.add({{"peer", peer}}, static_cast<double>(lag.nanos) / nanos_per_second);
  }
  families.begin("kdsd_peer_outstanding", "Responses the peer has not answered", MetricType::Gauge);
  for (const auto& stream : snapshot.streams) {
    if (stream.sending) families.add({{"peer", stream.peer}}, static_cast<double>(stream.outstanding));
  }
  families.begin("kdsd_peer_outstanding_bytes", "Bytes of responses the peer has not answered", MetricType::Gauge);
  for (const auto& stream : snapshot.streams) {
    if (stream.sending) families.add({{"peer", stream.peer}}, static_cast<double>(stream.outstanding_bytes));
  }
  families.begin("kdsd_peer_buffer_bytes", "Bytes kept for the peer: not answered yet, or waiting to be written",
                 MetricType::Gauge);
  std::map<std::string, std::size_t> buffered;
  for (const auto& stream : snapshot.streams) buffered[stream.peer] += stream.buffer_bytes;
  for (const auto& [peer, bytes] : buffered) families.add({{"peer", peer}}, static_cast<double>(bytes));
  const auto add_counts = [&](const std::map<std::string, std::map<std::string, std::size_t>>& counts) {
    for (const auto& [peer, types] : counts) {
      for (const auto& [type, count] : types)
        families.add({{"peer", peer}, {"type_url", type}}, static_cast<double>(count));
    }
  };
  families.begin("kdsd_rejected_resources", "Resources whose newest version the peer refused", MetricType::Gauge);
  add_counts(snapshot.rejected);
  families.begin("kdsd_held_back_resources",
                 "Resources that a zone does not get because its API server would refuse them", MetricType::Gauge);
  add_counts(snapshot.spared);
  families.begin("kdsd_peer_held_back_types", "Types whose first state is too large for the peer", MetricType::Gauge);
  for (const auto& stream : snapshot.streams) {
    if (stream.sending) families.add({{"peer", stream.peer}}, static_cast<double>(stream.held_back));
  }
}

}  // namespace

Metrics::Metrics(MetricsIdentity identity)
    : identity_(std::move(identity)),
      rpcs_(registry_, {{"zone", identity_.zone}}, identity_.zone == "Global" ? "server" : "client") {
  const Labels zone = {{"zone", identity_.zone}};
  store_ = &prometheus::BuildHistogram()
                .Name("store")
                .Help("Time of store operations in seconds")
                .Labels(zone)
                .Register(registry_);
  requests_ = &prometheus::BuildHistogram()
                   .Name("api_server_http_request_duration_seconds")
                   .Help("Time of REST requests in seconds")
                   .Labels(zone)
                   .Register(registry_);
  response_size_ = &prometheus::BuildHistogram()
                        .Name("api_server_http_response_size_bytes")
                        .Help("Size of REST answers in bytes")
                        .Labels(zone)
                        .Register(registry_);
  auto& delivery = prometheus::BuildHistogram()
                       .Name("kds_delta_delivery_seconds")
                       .Help("Time from sending a response to its answer in seconds")
                       .Labels(zone)
                       .Register(registry_);
  delivery_ = &delivery.Add({}, seconds_buckets);
  auto histogram = [&](const std::string& name, const std::string& help) {
    return &prometheus::BuildHistogram().Name(name).Help(help).Labels(zone).Register(registry_);
  };
  auto summary = [&](const std::string& name, const std::string& help, const Labels& labels) {
    auto& family = prometheus::BuildSummary().Name(name).Help(help).Labels(zone).Register(registry_);
    return &family.Add(labels, quantiles, quantile_time);
  };
  for (const std::string prefix : {"kds_delta_", "kds_"}) {
    delivery_ms_.push_back(
        summary(prefix + "delivery", "Time from sending a response to its answer in milliseconds", {}));
    generation_ms_.push_back(summary(prefix + "generation",
                                     "Time to work out what peers get for a batch of changes in milliseconds",
                                     {{"reason", "event"}, {"result", "changed"}}));
  }
  const std::string direction = identity_.zone == "Global" ? "global-to-zone" : "zone-to-global";
  propagation_ = &histogram("kdsd_propagation_seconds", "Time from a commit here to the peer's ACK in seconds")
                      ->Add({{"direction", direction}}, seconds_buckets);
  sync_ = &histogram("kds_resources_sync", "Time to store a received batch in seconds")->Add({}, seconds_buckets);
  sent_bytes_ = histogram("kds_delta_responses_sent_bytes", "Size of responses in bytes");
  commit_seconds_ =
      &histogram("kdsd_commit_seconds", "Time of commits of the store in seconds")->Add({}, seconds_buckets);
  commit_size_ = &histogram("kdsd_commit_batch_size", "Resources in a commit")->Add({}, count_buckets);
  snapshot_ = std::make_shared<const MetricsSnapshot>();
}

Metrics::~Metrics() = default;

void Metrics::observe_store(const std::string& operation, const std::string& type, double seconds) {
  store_->Add({{"operation", operation}, {"resource_type", type}}, seconds_buckets).Observe(seconds);
}

void Metrics::observe_request(const std::string& handler, const std::string& method, int code, double seconds,
                              std::size_t bytes) {
  const Labels labels = {{"service", ""}, {"handler", handler}, {"method", method}, {"code", std::to_string(code)}};
  requests_->Add(labels, seconds_buckets).Observe(seconds);
  response_size_->Add(labels, bytes_buckets).Observe(static_cast<double>(bytes));
}

void Metrics::observe_generation(double seconds) {
  for (auto* summary : generation_ms_) summary->Observe(seconds * ms_per_second);
}

void Metrics::observe_delivery(double seconds) {
  delivery_->Observe(seconds);
  for (auto* summary : delivery_ms_) summary->Observe(seconds * ms_per_second);
}

void Metrics::observe_propagation(double seconds) { propagation_->Observe(seconds); }

void Metrics::observe_sync(double seconds) { sync_->Observe(seconds); }

void Metrics::observe_response(const std::string& type, std::size_t bytes) {
  sent_bytes_->Add({{"type_url", type}}, message_buckets).Observe(static_cast<double>(bytes));
}

void Metrics::observe_commit(double seconds, std::size_t resources) {
  commit_seconds_->Observe(seconds);
  commit_size_->Observe(static_cast<double>(resources));
}

void Metrics::publish(std::shared_ptr<const MetricsSnapshot> snapshot) {
  std::lock_guard lock(mutex_);
  snapshot_ = std::move(snapshot);
}

std::vector<MetricFamily> Metrics::snapshot_families() const {
  std::shared_ptr<const MetricsSnapshot> snapshot;
  {
    std::lock_guard lock(mutex_);
    snapshot = snapshot_;
  }
  std::vector<MetricFamily> out;
  FamilyBuilder families(identity_.zone, out);
  families.begin("cp_info", "Identity of the control plane", MetricType::Gauge);
  families.add({{"product", identity_.product},
                {"version", identity_.version},
                {"build_date", ""},
                {"git_commit", identity_.commit},
                {"git_tag", ""},
                {"instance_id", identity_.instance_id},
                {"cluster_id", ""}},
               1);
  families.begin("kdsd_info", "Identity of this program", MetricType::Gauge);
  families.add({{"version", identity_.kdsd_version}}, 1);
  families.single("leader", "1 on the instance that does the single jobs", MetricType::Gauge, 1);
  double sending = 0;
  for (const auto& stream : snapshot->streams) sending += stream.sending ? 1 : 0;
  for (const std::string prefix : {"kds_delta_", "kds_"}) {
    families.single(prefix + "streams_active", "Streams on which this side sends", MetricType::Gauge, sending);
    add_types(families, *snapshot, prefix);
    families.single(prefix + "generation_errors", "Failures to work out what a peer should have", MetricType::Counter,
                    0);
  }
  add_peers(families, *snapshot);
  families.begin("kds_delta_client_versions", "Connected peers by version", MetricType::Gauge);
  for (const auto& [version, count] : snapshot->versions)
    families.add({{"client_version", version}}, static_cast<double>(count));
  families.begin("resources_count", "Resources by type", MetricType::Gauge);
  if (snapshot->reports_resources) {
    for (const auto& [type, count] : snapshot->resources)
      families.add({{"resource_type", type}, {"tenant", ""}}, static_cast<double>(count));
  }
  families.begin("kdsd_resources_refused_total", "Received resources that were refused", MetricType::Counter);
  for (const auto& [type, counters] : snapshot->types)
    families.add({{"type_url", type}}, static_cast<double>(counters.refused));
  families.single("kdsd_log_revision", "Newest revision of the change log", MetricType::Gauge,
                  static_cast<double>(snapshot->revision));
  families.begin("kdsd_refused_total", "Resources that a peer tried to write and may not", MetricType::Counter);
  for (const auto& [peer, rules] : snapshot->refused_of_peers) {
    for (const auto& [rule, count] : rules)
      families.add({{"peer", peer}, {"reason", rule}}, static_cast<double>(count));
  }
  families.single("kdsd_zones_unauthenticated_total", "Calls of zones that could not prove their names",
                  MetricType::Counter, static_cast<double>(snapshot->unauthenticated));
  families.single("kdsd_encode_total", "Resources encoded for the wire", MetricType::Counter,
                  static_cast<double>(snapshot->encodes));
  families.single("kdsd_encode_reuse_total", "Encoded resources that were sent once more", MetricType::Counter,
                  static_cast<double>(snapshot->encode_reuses));
  families.single("kdsd_commits_total", "Commits of the store", MetricType::Counter,
                  static_cast<double>(snapshot->commits));
  families.single("kdsd_writes_queued", "Writes that wait for a commit", MetricType::Gauge,
                  static_cast<double>(snapshot->writes_queued));
  families.single("kdsd_zone_takeovers_total", "Newer connections of a zone that replaced an older one",
                  MetricType::Counter, static_cast<double>(snapshot->takeovers));
  families.single("kdsd_zone_conflicts_total", "Connections refused because two control planes use one zone name",
                  MetricType::Counter, static_cast<double>(snapshot->zone_conflicts));
  return out;
}

std::string Metrics::text() const {
  auto families = registry_.Collect();
  for (auto& family : snapshot_families()) {
    if (!family.metric.empty()) families.push_back(std::move(family));
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace kdsd::app
