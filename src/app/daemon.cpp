#include "app/daemon.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <csignal>
#include <spdlog/spdlog.h>

#include "app/api_options.h"
#include "app/bootstrap.h"
#include "app/certificates.h"
#include "app/credential_files.h"
#include "app/kds_options.h"
#include "app/random.h"
#include "app/run.h"
#include "app/store_options.h"
#include "model/log_text.h"
#include "net/methods.h"

namespace kdsd::app {
namespace {

constexpr std::chrono::milliseconds tick_interval(200);
constexpr int ticks_between_looks = 10;  // at the files of certificates
constexpr int api_thread_count = 2;
constexpr std::int64_t admin_token_nanos = 10LL * 365 * 24 * 3600 * 1'000'000'000;

// As programs in Go label their metrics.
const char* label_of(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::OK:
      return "OK";
    case grpc::StatusCode::INVALID_ARGUMENT:
      return "InvalidArgument";
    case grpc::StatusCode::PERMISSION_DENIED:
      return "PermissionDenied";
    case grpc::StatusCode::UNAVAILABLE:
      return "Unavailable";
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return "ResourceExhausted";
    default:
      return "Internal";
  }
}

Timestamp clock_now() {
  return Timestamp{
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count()};
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
  facts_ = api_facts(config_, effective_);
  const std::string zone = config_.is_global() ? "Global" : config_.zone_name;
  metrics_ = std::make_unique<Metrics>(
      MetricsIdentity{zone, facts_.product, facts_.version, facts_.kdsd_version, kdsd_commit(), facts_.instance_id});
}

kds::CoreOptions Daemon::core_options() const {
  kds::CoreOptions options;
  options.control_plane = facts_.control_plane;
  options.node.instance_id = facts_.instance_id;
  options.node.config = facts_.effective_config;
  options.node.kuma_version = facts_.version;
  const auto& timing = config_.kds_timing();
  options.skip_label_prefixes = facts_.skip_label_prefixes;
  options.disabled_types = facts_.disabled_types;
  if (config_.is_global()) options.derived_types = {"ServiceInsight"};
  options.message_bytes_max = static_cast<std::size_t>(timing.message_bytes_max);
  options.foreign_message_bytes_max = config_.sync.foreign_message_bytes_max > 0
                                          ? static_cast<std::size_t>(config_.sync.foreign_message_bytes_max)
                                          : options.message_bytes_max;
  options.insight_flush_nanos = config_.kds_server.zone_insight_flush_interval_ns;
  options.send_timeout_nanos = timing.send_timeout_ns;
  options.relay_hold_nanos = config_.sync.relay_hold_ns;
  options.health_timeout_nanos = config_.kds_server.health_timeout_ns;
  options.subscription_limit = static_cast<std::size_t>(config_.metrics.zone_subscriptions_max);
  options.compact_finished_subscriptions = config_.metrics.compact_finished_zone_subscriptions;
  options.zone_authentication = zone_authentication(config_);
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
  if (config_.diagnostics.tls_enabled) {
    if (auto status = ensure_work_dir_pair(config_.general.work_dir); !status.ok()) return status;
  }
  if (auto status = start_diagnostics(); !status.ok()) return status;
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
        metrics_->observe_commit(seconds, batch.upserts.size() + batch.purges.size());
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
  if (config_.is_global() || config_.api_server.https.enabled) {
    if (auto status = ensure_work_dir_pair(config_.general.work_dir); !status.ok()) return status;
  }
  phase_ = Phase::starting_kds;
  if (auto status = start_net(); !status.ok()) return status;
  phase_ = Phase::starting_api;
  if (auto status = start_api(); !status.ok()) return status;
  phase_ = Phase::running;
  return {};
}

// Making a key takes time, so only those are made that nothing in the store stands for.
Status Daemon::make_missing_keys(bool first_start, BootstrapOptions& options) const {
  if (options.skip_tenant_resources && !first_start) return {};
  const auto has_none = [this](kds::TokenKind kind) {
    return kds::collect_token_keys(core_->index(), facts_.control_plane, kind, "").keys.empty();
  };
  std::vector<std::string*> wanted;
  if (has_none(kds::TokenKind::user)) wanted.push_back(&options.user_signing_key);
  if (!facts_.control_plane.federated && has_none(kds::TokenKind::zone)) wanted.push_back(&options.zone_signing_key);
  if (first_start) wanted.push_back(&options.dataplane_signing_key);
  for (auto* key : wanted) {
    auto pem = new_rsa_key_pem();
    if (!pem.ok()) return pem.status();
    *key = std::move(*pem);
  }
  return {};
}

Status Daemon::create_defaults(bool first_start) {
  Status outcome;
  bool finished = false;
  BootstrapOptions options;
  options.control_plane = facts_.control_plane;
  options.skip_mesh_creation = config_.defaults.skip_mesh_creation || !first_start;
  options.skip_tenant_resources = config_.defaults.skip_tenant_resources;
  options.skip_hostname_generators = config_.defaults.skip_hostname_generators || !first_start;
  options.routing_resources = config_.defaults.create_mesh_routing_resources;
  options.cluster_id = random_uuid();
  options.create_admin_token = config_.api_server.bootstrap_admin_token &&
                               config_.api_server.user_tokens.issuer_enabled &&
                               config_.api_server.authn == AuthnType::tokens;
  options.admin_token_life = {clock_now(), admin_token_nanos, random_uuid()};
  if (auto status = make_missing_keys(first_start, options); !status.ok()) return status;
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

Status Daemon::start_diagnostics() {
  api::ApiServerOptions options;
  auto diagnostics_tls = diagnostics_tls_options(config_);
  if (!diagnostics_tls.ok()) return diagnostics_tls.status();
  api::ListenerOptions diagnostics{
      config_.diagnostics.bind_address.empty() ? "0.0.0.0" : config_.diagnostics.bind_address, config_.diagnostics.port,
      std::move(*diagnostics_tls)};
  options.diagnostics = std::move(diagnostics);
  options.connections_max = static_cast<std::size_t>(config_.api_server.connections_max);
  options.relay_hold = std::chrono::nanoseconds(config_.sync.relay_hold_ns);
  options.service_insight_pause = std::chrono::nanoseconds(config_.metrics.service_insight_pause_ns);
  options.observer = [this](const api::RequestObservation& seen) {
    metrics_->observe_request(std::string(seen.route), std::string(seen.method), seen.status, seen.seconds, seen.bytes);
  };
  options.log = [](std::string_view text) { spdlog::warn("{}", text); };
  api_ = std::make_unique<api::ApiServer>(api_context_, *this, std::move(options));
  if (auto status = api_->start_diagnostics(); !status.ok()) return status;
  for (int i = 0; i < api_thread_count; ++i) api_threads_.emplace_back([this] { api_context_.run(); });
  return {};
}

Status Daemon::start_api() {
  const auto& server = config_.api_server;
  api::ApiListeners listeners;
  if (server.http.enabled)
    listeners.http = api::ListenerOptions{server.http.bind_address, server.http.port, std::nullopt};
  auto https = https_options(config_);
  if (!https.ok()) return https.status();
  if (*https) listeners.https = api::ListenerOptions{server.https.bind_address, server.https.port, std::move(*https)};
  return api_->start(std::move(listeners));
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
  if (config_.kds_client.tls_skip_verify) {
    spdlog::warn("multizone.zone.kds.tlsSkipVerify is set: whoever answers at the address is taken for the global");
  }
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
  files_seen_ = stamp_of(credential_files(config_));
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
    spdlog::info("event=hangup");
    reload_credentials();
    wait_for_signal();
  });
}

// Certificates, keys and the zone's token, for connections from now on. What cannot be used is told, and the old stays.
void Daemon::reload_credentials() {
  files_seen_ = stamp_of(credential_files(config_));
  const auto tell = [](const char* what, const Status& status) {
    if (status.ok()) {
      spdlog::info("event=credentials-reloaded of=\"{}\"", what);
    } else {
      spdlog::error("event=credentials-kept of=\"{}\" reason={}", what, log_quoted(status.text()));
    }
  };
  const auto https = https_options(config_);
  const auto diagnostics = diagnostics_tls_options(config_);
  if (!https.ok() || !diagnostics.ok()) {
    tell("API", https.ok() ? diagnostics.status() : https.status());
  } else if (*https || *diagnostics) {
    tell("API", api_->set_tls(*https, *diagnostics));
  }
  if (server_ && config_.kds_server.tls_enabled) {
    const auto options = kds_server_options(config_);
    tell("KDS", options.ok() ? server_->set_certificates(options->tls) : options.status());
  }
  if (client_) {
    auto options = kds_client_options(config_, facts_.version);
    if (options.ok()) client_->set_credentials(std::move(options->tls), std::move(options->token));
    tell("zone", options.status());
  }
}

void Daemon::watch_credentials() {
  if (++ticks_ % ticks_between_looks != 0) return;
  if (stamp_of(credential_files(config_)) != files_seen_) reload_credentials();
}

void Daemon::schedule_tick() {
  tick_timer_.expires_after(tick_interval);
  tick_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || stopping_) return;
    on_core([this] { core_->tick(); });
    heartbeat_.beat();
    watch_credentials();
    publish_metrics();
    schedule_tick();
  });
}

// What happened since the last look.
void Daemon::observe_counters(kds::CoreCounters& counters) {
  constexpr double nanos_per_second = 1e9;
  const auto seconds = [](std::int64_t nanos) { return static_cast<double>(nanos) / nanos_per_second; };
  for (auto nanos : std::exchange(counters.delivery_nanos, {})) metrics_->observe_delivery(seconds(nanos));
  for (auto nanos : std::exchange(counters.propagation_nanos, {})) metrics_->observe_propagation(seconds(nanos));
  for (auto nanos : std::exchange(counters.sync_nanos, {})) metrics_->observe_sync(seconds(nanos));
  for (const auto& sent : std::exchange(counters.sent, {})) metrics_->observe_response(sent.type, sent.bytes);
}

void Daemon::publish_metrics() {
  auto snapshot = std::make_shared<MetricsSnapshot>();
  auto& counters = core_->counters();
  snapshot->types = counters.types;
  snapshot->takeovers = counters.takeovers;
  snapshot->zone_conflicts = counters.zone_conflicts;
  snapshot->unauthenticated = counters.unauthenticated;
  snapshot->refused_of_peers = counters.refused_of_peers;
  snapshot->reports_resources = config_.metrics.report_resources_count;
  observe_counters(counters);
  snapshot->streams = core_->streams();
  snapshot->lags = kds::lags_of(*core_);
  snapshot->spared = kds::spared_of(*core_);
  snapshot->rejected = kds::rejected_of(*core_);
  const auto& index = core_->index();
  for (const auto* type : Catalogue::builtin().types()) snapshot->resources[type->name] = index.count(*type);
  for (const auto& [zone, status] : core_->zones().all()) {
    snapshot->zones_connected[zone] = status.sender_stream != 0;
    if (status.sender_stream != 0) ++snapshot->versions[status.node.kuma_version];
  }
  if (!config_.is_global())
    snapshot->zones_connected[std::string(source_global)] = core_->sender_of(std::string(source_global)) != nullptr;
  snapshot->revision = index.head().value;
  snapshot->encodes = core_->encodes();
  snapshot->encode_reuses = core_->encode_reuses();
  snapshot->commits = core_->commits();
  snapshot->writes_queued = core_->writes_queued();
  metrics_->publish(std::move(snapshot));
}

void Daemon::begin_stop() {
  if (stopping_) return;
  stopping_ = true;
  phase_ = Phase::stopping;
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
  const auto responses = core_->counters().sent.size();
  const auto begin = std::chrono::steady_clock::now();
  fn();
  if (core_->counters().sent.size() != responses) {
    metrics_->observe_generation(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
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
  spdlog::info("stream={} closed reason={}", effect.stream, log_quoted(effect.text));
  metrics_->rpcs().ended(effect.stream, label_of(net::status_code_of(effect.code)));
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
  if (id.ok()) {
    metrics_->rpcs().started(*id, net::method::of(stream.kind));
  } else {
    metrics_->rpcs().answered(net::method::of(stream.kind), label_of(net::status_code_of(id.status().code())));
  }
  return id;
}

void Daemon::received(std::uint64_t stream, std::string bytes) {
  metrics_->rpcs().received(stream);
  on_core([&] { core_->received(stream, bytes); });
}

void Daemon::written(std::uint64_t stream) {
  metrics_->rpcs().sent(stream);
  on_core([&] { core_->written(stream); });
}

void Daemon::closed(std::uint64_t stream, const std::string& why) {
  metrics_->rpcs().ended(stream, "Canceled");  // unless this side ended it before
  on_core([&] { core_->closed(stream, why); });
}

Status Daemon::pinged(const kds::ZoneCredentials& zone) {
  Status status;
  on_core([&] { status = core_->pinged(zone); });
  metrics_->rpcs().answered(net::method::health_check,
                            status.ok() ? "OK" : label_of(net::status_code_of(status.code())));
  return status;
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

std::string Daemon::new_token_id() { return random_uuid(); }

void Daemon::ask_proxy(kds::ProxyQuery query, kds::ProxyAnswer done) {
  boost::asio::post(core_context_, [this, query = std::move(query), done = std::move(done)]() mutable {
    on_core([&] { core_->ask_proxy(query, random_uuid(), std::move(done)); });
  });
}

// A zone's connection to its global is not among it: a partition must not take zones out of service (metrics.md 1).
std::vector<std::string> Daemon::not_ready() {
  const std::string kds = config_.is_global() ? "KDS server" : "KDS client";
  switch (phase_) {
    case Phase::opening_store:
      return {"store", kds, "API server"};
    case Phase::starting_kds:
      return {kds, "API server"};
    case Phase::starting_api:
      return {"API server"};
    case Phase::stopping:
      return {"stopping"};
    case Phase::running:
      break;
  }
  return {};
}

}  // namespace kdsd::app
