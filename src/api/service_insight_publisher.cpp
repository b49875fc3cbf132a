#include "api/service_insight_publisher.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "api/await.h"
#include "model/log_text.h"
#include "model/proto_spec.h"

namespace kdsd::api {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::nanoseconds pause_min = std::chrono::milliseconds(10);

// By mesh, as it is stored: addresses are made up for who asks, and nobody needs them on the wire.
using Specs = std::map<std::string, std::string>;

Specs specs_of(const std::set<std::string>& meshes, const InsightViews& views) {
  Specs out;
  for (const auto& mesh : meshes) {
    auto insight = views.service_insight(mesh, "");
    for (auto& [name, service] : *insight.mutable_services()) service.clear_addressport();
    out[mesh] = serialize_deterministic(insight);
  }
  return out;
}

Status put_insights(kds::Transaction& transaction, const Specs& specs) {
  const auto* type = transaction.catalogue().find("ServiceInsight");
  const auto* mesh_type = transaction.catalogue().find("Mesh");
  if (type == nullptr || mesh_type == nullptr) return Status(Code::internal, "the catalogue has no ServiceInsight");
  for (const auto& [mesh, spec] : specs) {
    if (!transaction.find(*mesh_type, "", mesh)) continue;
    const auto stored = transaction.find(*type, mesh, "all-services-" + mesh);
    if (stored && stored->spec == spec) continue;
    Resource resource;
    resource.type = type;
    resource.mesh = mesh;
    resource.name = "all-services-" + mesh;
    resource.spec = spec;
    transaction.put(std::move(resource));
  }
  return {};
}

}  // namespace

asio::awaitable<Status> publish_service_insights(Backend& backend, InsightViews& views, bool waits_for_zones) {
  auto look = [&views, waits_for_zones, position = views.position()](const kds::Core& core) {
    if (waits_for_zones && core.expects_zones()) return std::shared_ptr<InsightViews::Changes>();
    return std::make_shared<InsightViews::Changes>(views.changes_since(core.index(), position));
  };
  const auto changes = co_await read_core(backend, std::move(look));
  if (!changes) co_return Status();
  views.apply(*changes);
  const auto meshes = views.take_changed_meshes();
  if (meshes.empty()) co_return Status();
  auto decide = [specs = specs_of(meshes, views)](kds::Transaction& transaction) {
    return put_insights(transaction, specs);
  };
  auto outcome = co_await write_core(backend, std::move(decide));
  if (!outcome.ok()) views.note_changed_meshes(meshes);
  co_return outcome;
}

ServiceInsightPublisher::ServiceInsightPublisher(asio::io_context& context, Backend& backend, InsightViews& views,
                                                 Log log)
    : strand_(asio::make_strand(context)), timer_(strand_), backend_(backend), views_(views), log_(std::move(log)) {}

void ServiceInsightPublisher::start(std::chrono::nanoseconds pause, std::chrono::nanoseconds wait_max) {
  asio::co_spawn(strand_, run(pause, wait_max), asio::detached);
}

void ServiceInsightPublisher::stop() {
  asio::post(strand_, [this] {
    stopping_ = true;
    timer_.cancel();
  });
}

asio::awaitable<void> ServiceInsightPublisher::run(std::chrono::nanoseconds pause, std::chrono::nanoseconds wait_max) {
  const auto waits_until = std::chrono::steady_clock::now() + wait_max;
  bool has_failed = false;
  while (!stopping_) {
    const auto outcome =
        co_await publish_service_insights(backend_, views_, std::chrono::steady_clock::now() < waits_until);
    // Once for each row of failures: it goes on failing until somebody does something.
    if (!outcome.ok() && !has_failed && log_)
      log_("service insights cannot be stored: reason=" + log_quoted(outcome.text()));
    has_failed = !outcome.ok();
    if (stopping_) co_return;
    timer_.expires_after(std::max(pause, pause_min));
    boost::system::error_code ignored;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

}  // namespace kdsd::api
