// A running control plane: owns the executors and everything on them, and carries effects between core, store and net.
//
// Executors: the core executor (the thread that calls `run`) owns kds::Core and calls the net adapters; the store
// executor waits for the disk; API threads serve REST; gRPC's threads post to the core executor. Nobody holds a lock
// across a call. ARCHITECTURE.md, "Concurrency".
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api/api_server.h"
#include "api/backend.h"
#include "app/bootstrap.h"
#include "app/config/config.h"
#include "app/metrics.h"
#include "app/store_executor.h"
#include "kds/core.h"
#include "net/kds_client.h"
#include "net/kds_server.h"
#include "net/poller_heartbeat.h"
#include "net/stream_events.h"

namespace kdsd::app {

class Daemon : public net::StreamEvents, public api::Backend {
 public:
  explicit Daemon(LoadedConfig config);
  ~Daemon() override;

  // Opens the store, replays it, opens the listeners. On an error nothing keeps running.
  Status start();
  // Serves until SIGTERM or SIGINT; the exit code.
  int run();

 private:
  // net::StreamEvents, on the core executor
  Result<std::uint64_t> opened(const kds::StreamOpened& stream) override;
  void received(std::uint64_t stream, std::string bytes) override;
  void written(std::uint64_t stream) override;
  void closed(std::uint64_t stream, const std::string& why) override;
  Status pinged(const kds::ZoneCredentials& zone) override;

  // api::Backend, on API threads
  const api::Facts& facts() const override { return facts_; }
  Timestamp now() const override;
  void read(std::function<void(const kds::Core&)> fn) override;
  void write(kds::Write write) override;
  Result<std::string> new_signing_key() override;
  std::string new_token_id() override;
  void ask_proxy(kds::ProxyQuery query, kds::ProxyAnswer done) override;
  std::string metrics_text() override { return metrics_->text(); }
  std::vector<std::string> not_ready() override;

  void set_up_facts();
  kds::CoreOptions core_options() const;
  Status open_store(std::unique_ptr<store::Store>& store, store::Loaded& loaded);
  Status make_missing_keys(bool first_start, BootstrapOptions& options) const;
  Status create_defaults(bool first_start);
  // The API server with its diagnostics listener, which answers from the first moment on.
  Status start_diagnostics();
  Status start_api();
  Status start_net();

  void on_core(const std::function<void()>& fn);  // with the time set before and the effects carried out after
  void carry_out_effects();
  void carry_out(kds::SendEffect& effect);
  void carry_out(kds::ReadEffect& effect);
  void carry_out(kds::CloseEffect& effect);
  void carry_out(kds::CommitEffect& effect);
  void carry_out(kds::LogEffect& effect);
  void wait_for_signal();
  void schedule_tick();
  void reload_credentials();
  void watch_credentials();
  void observe_counters(kds::CoreCounters& counters);
  void publish_metrics();
  void begin_stop();
  void stop_when_idle();

  const Config config_;
  const boost::json::object effective_;
  api::Facts facts_;
  // Before the core's: what still waits there when everything ends holds requests, and their sockets are this one's.
  boost::asio::io_context api_context_;
  boost::asio::io_context core_context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> core_guard_;
  std::vector<std::thread> api_threads_;
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<kds::Core> core_;
  std::unique_ptr<StoreExecutor> store_;
  std::unique_ptr<net::KdsServer> server_;
  std::unique_ptr<net::KdsClient> client_;
  std::unique_ptr<api::ApiServer> api_;
  boost::asio::steady_timer tick_timer_;
  net::PollerHeartbeat heartbeat_;
  boost::asio::signal_set signals_;
  std::string files_seen_;  // stamp of the files with certificates, keys and tokens
  int ticks_ = 0;
  bool carrying_out_ = false;
  bool stopping_ = false;
  // How far the start is; read by API threads.
  enum class Phase : std::uint8_t { opening_store, starting_kds, starting_api, running, stopping };
  std::atomic<Phase> phase_ = Phase::opening_store;
  int exit_code_ = 0;
};

}  // namespace kdsd::app
