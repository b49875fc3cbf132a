#include "app/daemon.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <csignal>
#include <random>
#include <spdlog/spdlog.h>

#include "app/bootstrap.h"
#include "app/certificates.h"
#include "app/kds_options.h"
#include "app/run.h"
#include "app/store_options.h"
#include "model/json.h"

namespace kdsd::app {
namespace {

constexpr std::chrono::milliseconds tick_interval(200);
constexpr int api_thread_count = 2;
constexpr const char* defaults_fact = "defaults.created";

Timestamp clock_now() {
  return Timestamp{
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count()};
}

std::string random_text(std::size_t length, std::string_view alphabet) {
  std::random_device device;
  std::string out;
  for (std::size_t i = 0; i < length; ++i) out += alphabet[device() % alphabet.size()];
  return out;
}

std::uint64_t random_number() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

std::string random_uuid() {
  auto hex = random_text(32, "0123456789abcdef");
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-4" + hex.substr(13, 3) + "-a" + hex.substr(17, 3) + "-" +
         hex.substr(20);
}

policy::ControlPlaneKind kind_of(const Config& config) {
  policy::ControlPlaneKind kind;
  kind.mode = config.is_global() ? policy::Mode::global : policy::Mode::zone;
  kind.federated = config.is_federated_zone();
  if (!config.is_global()) kind.zone = config.zone_name;
  kind.environment =
      config.environment == Environment::kubernetes ? policy::Environment::kubernetes : policy::Environment::universal;
  kind.system_namespace = config.store.system_namespace;
  kind.disable_origin_validation = config.disable_origin_label_validation;
  kind.namespaced_gateway_routes = config.namespaced_gateway_routes;
  return kind;
}

std::string tls_text(TlsVersion version) {
  if (version == TlsVersion::v1_2) return "TLSv1_2";
  if (version == TlsVersion::v1_3) return "TLSv1_3";
  return {};
}

}  // namespace

Daemon::Daemon(LoadedConfig config)
    : config_(std::move(config.config)),
      effective_(std::move(config.effective)),
      core_guard_(core_context_.get_executor()),
      tick_timer_(core_context_),
      signals_(core_context_) {
  set_up_facts();
}

Daemon::~Daemon() {
  if (api_) api_->stop();
  api_context_.stop();
  for (auto& thread : api_threads_) thread.join();
  if (server_) server_->stop();
  if (client_) client_->stop();
  if (store_) store_->stop();
}

void Daemon::set_up_facts() {
  facts_.control_plane = kind_of(config_);
  facts_.version = config_.api_server.compatible_version;
  facts_.kdsd_version = kdsd_version();
  facts_.hostname = host_name();
  facts_.instance_id = facts_.hostname + "-" + random_text(4, "0123456789abcdef");
  facts_.effective_config = to_compact_json(effective_);
  node_config_ = facts_.effective_config;
  facts_.disabled_types = disabled_types();
  facts_.skip_label_prefixes = config_.kds_timing().label_skip_prefixes;
  facts_.read_only = config_.api_server.read_only;
  facts_.unsafe_delete = config_.store.unsafe_delete;
  facts_.localhost_is_admin = config_.api_server.localhost_is_admin;
  facts_.create_routing_resources = config_.defaults.create_mesh_routing_resources;
  facts_.base_path = config_.api_server.base_path;
  const bool offers_gui = config_.api_server.gui_enabled && !config_.is_federated_zone();
  facts_.gui_path = !offers_gui                               ? std::string()
                    : config_.api_server.gui_root_url.empty() ? config_.api_server.gui_base_path
                                                              : config_.api_server.gui_root_url;
  facts_.root_url = config_.api_server.root_url;
  facts_.cors_domains = config_.api_server.cors_allowed_domains;
  facts_.admin_users = config_.access.admin_resources.users;
  facts_.admin_groups = config_.access.admin_resources.groups;
  facts_.metadata_users = config_.access.control_plane_metadata.users;
  facts_.metadata_groups = config_.access.control_plane_metadata.groups;
  facts_.body_bytes_max = static_cast<std::size_t>(config_.api_server.body_bytes_max);
  const std::string zone = config_.is_global() ? "Global" : config_.zone_name;
  metrics_ = std::make_unique<Metrics>(
      MetricsIdentity{zone, facts_.product, facts_.version, facts_.kdsd_version, kdsd_commit(), facts_.instance_id});
}

std::set<std::string> Daemon::disabled_types() const {
  std::set<std::string> out;
  auto listed = [](const std::optional<std::vector<std::string>>& list, const std::string& path) {
    return !list || std::find(list->begin(), list->end(), path) != list->end();
  };
  for (const auto* type : Catalogue::builtin().types()) {
    if (!type->is_plugin) continue;
    const auto& list = type->is_policy ? config_.types.policies : config_.types.core_resources;
    if (!listed(list, type->path)) out.insert(type->name);
  }
  return out;
}

kds::CoreOptions Daemon::core_options() const {
  kds::CoreOptions options;
  options.control_plane = facts_.control_plane;
  options.node.instance_id = facts_.instance_id;
  options.node.config = node_config_;
  options.node.kuma_version = facts_.version;
  const auto& timing = config_.kds_timing();
  options.skip_label_prefixes = facts_.skip_label_prefixes;
  options.disabled_types = facts_.disabled_types;
  options.message_bytes_max = static_cast<std::size_t>(timing.message_bytes_max);
  options.foreign_message_bytes_max = config_.sync.foreign_message_bytes_max > 0
                                          ? static_cast<std::size_t>(config_.sync.foreign_message_bytes_max)
                                          : options.message_bytes_max;
  options.insight_flush_nanos = config_.kds_server.zone_insight_flush_interval_ns;
  options.relay_hold_nanos = config_.sync.relay_hold_ns;
  options.health_timeout_nanos = config_.kds_server.health_timeout_ns;
  options.subscription_limit = static_cast<std::size_t>(config_.metrics.zone.kept_max);
  options.compact_finished_subscriptions = config_.metrics.compact_finished_zone_subscriptions;
  options.seed = random_number();
  return options;
}

Status Daemon::open_store(std::unique_ptr<store::Store>& store, store::Loaded& loaded) {
  if (config_.store.type == StoreType::memory) {
    store = store::open_memory_store();
  } else {
    auto opened = store::open_sqlite_store(store_options(config_));
    if (!opened.ok()) return opened.status();
    store = std::move(*opened);
  }
  auto content = store->load();
  if (!content.ok()) return content.status();
  loaded = std::move(*content);
  return {};
}

Status Daemon::start() {
  std::unique_ptr<store::Store> store;
  store::Loaded loaded;
  if (auto status = open_store(store, loaded); !status.ok()) return status;
  const bool first_start = !loaded.facts.contains(defaults_fact);
  const std::uint64_t epoch = random_number();
  spdlog::info("store={} id={} epoch={} revision={} entries={}",
               config_.store.type == StoreType::memory ? "memory" : config_.store.path, loaded.store_id, epoch,
               loaded.revision.value, loaded.entries.size());
  store_ = std::make_unique<StoreExecutor>(
      std::move(store), core_context_, [this](double seconds, const store::Batch& batch) {
        for (const auto& entry : batch.upserts) {
          metrics_->observe_store(entry->resource ? "update" : "delete", entry->key.type->name, seconds);
        }
      });
  core_ = std::make_unique<kds::Core>(core_options(), Catalogue::builtin());
  on_core([&] {
    core_->load(
        kds::CoreState{loaded.store_id, epoch, loaded.revision, std::move(loaded.entries), std::move(loaded.facts)});
  });
  if (auto status = create_defaults(first_start); !status.ok()) return status;
  if (config_.is_global() || config_.api_server.https.enabled || config_.diagnostics.tls_enabled) {
    if (auto status = ensure_work_dir_pair(config_.general.work_dir); !status.ok()) return status;
  }
  if (auto status = start_net(); !status.ok()) return status;
  return start_api();
}

Status Daemon::create_defaults(bool first_start) {
  Status outcome;
  bool finished = false;
  BootstrapOptions options;
  options.control_plane = facts_.control_plane;
  options.skip_mesh_creation = config_.defaults.skip_mesh_creation || !first_start;
  options.skip_tenant_resources = config_.defaults.skip_tenant_resources || !first_start;
  options.skip_hostname_generators = config_.defaults.skip_hostname_generators;
  options.routing_resources = config_.defaults.create_mesh_routing_resources;
  options.cluster_id = random_uuid();
  if (first_start) {
    for (auto* key : {&options.user_signing_key, &options.zone_signing_key, &options.dataplane_signing_key}) {
      auto pem = new_rsa_key_pem();
      if (!pem.ok()) return pem.status();
      *key = std::move(*pem);
    }
  }
  on_core([&] {
    (void)core_->submit(bootstrap(std::move(options), [&](const Status& status) {
      outcome = status;
      finished = true;
    }));
  });
  // Nothing else runs yet: the core executor is this thread, and only the store answers.
  while (!finished) core_context_.run_one();
  return outcome.prefixed("creating default resources");
}

Result<std::optional<api::TlsOptions>> Daemon::api_tls(const ServerTls& tls) const {
  auto pair = read_pair(tls.cert_file, tls.key_file);
  if (!pair.ok()) return pair.status();
  api::TlsOptions options;
  options.certificate_pem = pair->certificate_pem;
  options.key_pem = pair->key_pem;
  options.min_version = tls_text(tls.min_version);
  options.max_version = tls_text(tls.max_version);
  options.cipher_suites = tls.cipher_suites;
  return std::optional(std::move(options));
}

Status Daemon::start_api() {
  api::ApiServerOptions options;
  const auto& server = config_.api_server;
  if (server.http.enabled)
    options.http = api::ListenerOptions{server.http.bind_address, server.http.port, std::nullopt};
  if (server.https.enabled) {
    auto tls = api_tls(server.tls);
    if (!tls.ok()) return tls.status().prefixed("apiServer.https");
    if (server.require_client_cert && !server.client_ca_file.empty()) {
      auto ca = read_file(server.client_ca_file);
      if (!ca.ok()) return ca.status().prefixed("apiServer.https.tlsCaFile");
      (*tls)->client_ca_pem = *ca;
      (*tls)->client_certificates = api::ClientCertificates::demand;
    }
    options.https = api::ListenerOptions{server.https.bind_address, server.https.port, std::move(*tls)};
  }
  api::ListenerOptions diagnostics{
      config_.diagnostics.bind_address.empty() ? "0.0.0.0" : config_.diagnostics.bind_address, config_.diagnostics.port,
      std::nullopt};
  if (config_.diagnostics.tls_enabled) {
    auto tls = api_tls(config_.diagnostics.tls);
    if (!tls.ok()) return tls.status().prefixed("diagnostics");
    diagnostics.tls = std::move(*tls);
  }
  options.diagnostics = std::move(diagnostics);
  options.connections_max = static_cast<std::size_t>(server.connections_max);
  options.observer = [this](const api::RequestObservation& seen) {
    metrics_->observe_request(std::string(seen.route), std::string(seen.method), seen.status, seen.seconds, 0);
  };
  options.log = [](std::string_view text) { spdlog::warn("{}", text); };
  api_ = std::make_unique<api::ApiServer>(api_context_, *this, std::move(options));
  if (auto status = api_->start(); !status.ok()) return status;
  for (int i = 0; i < api_thread_count; ++i) api_threads_.emplace_back([this] { api_context_.run(); });
  return {};
}

Status Daemon::start_net() {
  net::Post post = [this](std::function<void()> fn) { boost::asio::post(core_context_, std::move(fn)); };
  if (config_.is_global()) {
    auto options = kds_server_options(config_);
    if (!options.ok()) return options.status().prefixed("multizone.global.kds");
    server_ = std::make_unique<net::KdsServer>(std::move(*options), std::move(post), *this);
    return server_->start();
  }
  if (!config_.is_federated_zone()) return {};
  auto options = kds_client_options(config_, facts_.version);
  if (!options.ok()) return options.status().prefixed("multizone.zone.kds");
  client_ = std::make_unique<net::KdsClient>(std::move(*options), core_context_, std::move(post), *this,
                                             std::random_device()());
  client_->start();
  return {};
}

int Daemon::run() {
  signals_.add(SIGTERM);
  signals_.add(SIGINT);
  signals_.add(SIGHUP);
  wait_for_signal();
  schedule_tick();
  spdlog::info("ready mode={} zone={} instance={} version={}", config_.is_global() ? "global" : "zone",
               config_.is_global() ? "" : config_.zone_name, facts_.instance_id, facts_.kdsd_version);
  core_context_.run();
  return exit_code_;
}

void Daemon::wait_for_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    if (signal != SIGHUP) return begin_stop();
    // A terminal that closes sends it too, and that is no reason to stop.
    spdlog::warn("event=hangup reason=\"certificates are read at the start only; restart to change them\"");
    wait_for_signal();
  });
}

void Daemon::schedule_tick() {
  tick_timer_.expires_after(tick_interval);
  tick_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || stopping_) return;
    on_core([this] { core_->tick(); });
    heartbeat_.beat();
    publish_metrics();
    schedule_tick();
  });
}

void Daemon::publish_metrics() {
  auto snapshot = std::make_shared<MetricsSnapshot>();
  auto& counters = core_->counters();
  snapshot->types = counters.types;
  snapshot->takeovers = counters.takeovers;
  snapshot->zone_conflicts = counters.zone_conflicts;
  for (auto delay : std::exchange(counters.delivery_nanos, {}))
    metrics_->observe_delivery(static_cast<double>(delay) / 1e9);
  snapshot->streams = core_->streams();
  snapshot->lags = kds::lags_of(*core_);
  const auto& index = core_->index();
  for (const auto* type : Catalogue::builtin().types()) snapshot->resources[type->name] = index.count(*type);
  for (const auto& [zone, status] : core_->zones().all()) {
    snapshot->zones_connected[zone] = status.sender_stream != 0;
    if (status.sender_stream != 0) ++snapshot->versions[status.node.kuma_version];
  }
  snapshot->revision = index.head().value;
  snapshot->encodes = core_->encodes();
  snapshot->commits = core_->commits();
  snapshot->writes_queued = core_->writes_queued();
  metrics_->publish(std::move(snapshot));
}

void Daemon::begin_stop() {
  if (stopping_) return;
  stopping_ = true;
  spdlog::info("stopping");
  tick_timer_.cancel();
  api_->stop();
  on_core([this] { core_->drain(); });
  if (client_) client_->stop();
  if (server_) server_->stop();
  stop_when_idle();
}

// What was taken in is committed before the process ends.
void Daemon::stop_when_idle() {
  if (core_->idle()) {
    core_guard_.reset();
    core_context_.stop();
    return;
  }
  tick_timer_.expires_after(std::chrono::milliseconds(5));
  tick_timer_.async_wait([this](const boost::system::error_code&) { stop_when_idle(); });
}

void Daemon::on_core(const std::function<void()>& fn) {
  core_->set_now(clock_now());
  fn();
  carry_out_effects();
}

void Daemon::carry_out_effects() {
  // Effects of effects (a refused stream, a finished write) come in while the first ones are carried out.
  if (carrying_out_) return;
  carrying_out_ = true;
  for (auto effects = core_->take_effects(); !effects.empty(); effects = core_->take_effects()) {
    for (auto& effect : effects) {
      std::visit([this](auto& each) { carry_out(each); }, effect);
    }
  }
  carrying_out_ = false;
}

void Daemon::carry_out(kds::SendEffect& effect) {
  if (server_) server_->send(effect.stream, effect.message);
  if (client_) client_->send(effect.stream, effect.message);
}

void Daemon::carry_out(kds::ReadEffect& effect) {
  if (server_) server_->allow_read(effect.stream);
  if (client_) client_->allow_read(effect.stream);
}

void Daemon::carry_out(kds::CloseEffect& effect) {
  spdlog::info("stream={} closed reason=\"{}\"", effect.stream, effect.text);
  if (server_) server_->close(effect.stream, effect.code, effect.text);
  if (client_) client_->close(effect.stream, effect.code, effect.text);
}

void Daemon::carry_out(kds::CommitEffect& effect) {
  store_->commit(std::move(effect.batch), [this](const Status& status) { on_core([&] { core_->committed(status); }); });
}

void Daemon::carry_out(kds::LogEffect& effect) {
  switch (effect.level) {
    case kds::LogEffect::Level::debug:
      spdlog::debug("{}", effect.text);
      break;
    case kds::LogEffect::Level::info:
      spdlog::info("{}", effect.text);
      break;
    case kds::LogEffect::Level::warn:
      spdlog::warn("{}", effect.text);
      break;
    case kds::LogEffect::Level::error:
      spdlog::error("{}", effect.text);
      break;
  }
}

Result<std::uint64_t> Daemon::opened(const kds::StreamOpened& stream) {
  Result<std::uint64_t> id(Code::internal, "");
  on_core([&] { id = core_->opened(stream); });
  const char* method = stream.kind == kds::StreamKind::global_to_zone ? "GlobalToZoneSync" : "ZoneToGlobalSync";
  metrics_->count_rpc("kuma.mesh.v1alpha1.KDSSyncService", method, "bidi_stream", "started");
  return id;
}

void Daemon::received(std::uint64_t stream, std::string bytes) {
  metrics_->count_rpc("kuma.mesh.v1alpha1.KDSSyncService", "GlobalToZoneSync", "bidi_stream", "received");
  on_core([&] { core_->received(stream, bytes); });
}

void Daemon::written(std::uint64_t stream) {
  on_core([&] { core_->written(stream); });
}

void Daemon::closed(std::uint64_t stream, const std::string& why) {
  on_core([&] { core_->closed(stream, why); });
}

void Daemon::pinged(const std::string& zone) {
  on_core([&] { core_->pinged(zone); });
}

Timestamp Daemon::now() const { return clock_now(); }

void Daemon::read(std::function<void(const kds::Core&)> fn) {
  boost::asio::post(core_context_, [this, fn = std::move(fn)] { fn(*core_); });
}

void Daemon::write(kds::Write write) {
  boost::asio::post(core_context_, [this, write = std::move(write)]() mutable {
    auto done = write.done;
    on_core([&] {
      auto status = core_->submit(std::move(write));
      if (!status.ok() && done) done(status);
    });
  });
}

Result<std::string> Daemon::new_signing_key() { return new_rsa_key_pem(); }

std::vector<std::string> Daemon::not_ready() { return {}; }

}  // namespace kdsd::app
