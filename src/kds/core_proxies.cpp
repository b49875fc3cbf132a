// Admin streams of the core: questions to proxies out, answers in (kds-protocol.md 10).
#include "kds/core.h"

namespace kdsd::kds {
namespace {

ProxyView view_of(StreamKind kind) {
  if (kind == StreamKind::stats) return ProxyView::stats;
  if (kind == StreamKind::clusters) return ProxyView::clusters;
  return ProxyView::config_dump;
}

}  // namespace

Result<StreamId> Core::open_proxy_stream(const StreamOpened& opened) {
  auto proof = authenticate(opened.credentials());
  if (!proof.ok()) return proof.status();
  const auto id = ++last_stream_;
  const auto& zone = is_global() ? opened.peer_zone : options_.control_plane.zone;
  proxies_.opened(id, zone, view_of(opened.kind));
  proxy_streams_[id] = {opened.kind, zone, opened.connection, now_, {opened.credentials(), *proof}};
  if (is_global() && zones_.find(zone) != nullptr) zones_.at(zone).stats_dirty = true;
  effects_.push_back(ReadEffect{id});
  return id;
}

void Core::received_from_proxy_stream(StreamId id, std::string_view bytes) {
  const auto status = is_global() ? proxies_.answered(id, bytes) : proxies_.asked(id, bytes, now_);
  if (!status.ok()) return close(id, CloseCode::invalid_argument, status.message());
  effects_.push_back(ReadEffect{id});
  pump_proxy_stream(id);
}

void Core::ask_proxy(const ProxyQuery& query, std::string id, ProxyAnswer done) {
  if (const auto stream = proxies_.ask(query, std::move(id), now_, std::move(done)); stream != 0)
    pump_proxy_stream(stream);
}

void Core::pump_proxy_stream(StreamId id) {
  auto bytes = proxies_.next(id);
  if (!bytes) return;
  Message message;
  message.append(std::move(*bytes));
  effects_.push_back(SendEffect{id, std::move(message)});
}

void Core::pump_proxies() {
  for (const auto id : proxies_.streams()) pump_proxy_stream(id);
}

void Core::forget_proxy_stream(StreamId id, const std::string& why) {
  proxy_streams_.erase(id);
  proxies_.closed(id, why);
}

}  // namespace kdsd::kds
