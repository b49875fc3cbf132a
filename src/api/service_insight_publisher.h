// What a global tells zones about services: a ServiceInsight `all-services-<mesh>` for each mesh, which travels like
// anything else. A zone of Kuma needs it where mTLS is PERMISSIVE: its proxies call a service in the clear until all
// proxies of that service have a certificate, and only the global sees those of other zones.
//
// `publish_service_insights` is a coroutine of the API threads. A publisher runs on the io_context given and its two
// functions are called from one thread; context, Backend and views must outlive it, and it the last run of the context.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <functional>
#include <string_view>

#include "api/backend.h"
#include "api/insight_views.h"

namespace kdsd::api {

// For meshes of which something was counted anew since the last time. What is stored already is not written again.
// After an error they come again. With `waits_for_zones` nothing happens while zones may have proxies that they have
// not sent yet since the store was made: zones hold better counts of another global than these would be.
boost::asio::awaitable<Status> publish_service_insights(Backend& backend, InsightViews& views, bool waits_for_zones);

class ServiceInsightPublisher {
 public:
  using Log = std::function<void(std::string_view)>;

  ServiceInsightPublisher(boost::asio::io_context& context, Backend& backend, InsightViews& views, Log log);

  // From now on it publishes what has changed, with this pause between two looks. It waits for zones so long at most.
  void start(std::chrono::nanoseconds pause, std::chrono::nanoseconds wait_max);
  // Begins to stop and returns at once.
  void stop();

 private:
  boost::asio::awaitable<void> run(std::chrono::nanoseconds pause, std::chrono::nanoseconds wait_max);

  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  boost::asio::steady_timer timer_;
  Backend& backend_;
  InsightViews& views_;
  Log log_;
  bool stopping_ = false;  // on the strand
};

}  // namespace kdsd::api
