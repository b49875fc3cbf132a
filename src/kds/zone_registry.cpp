#include "kds/zone_registry.h"

#include <algorithm>

namespace kdsd::kds {
namespace system = kuma::system::v1alpha1;
namespace {

constexpr std::int64_t nanos_per_second = 1'000'000'000;

template <typename Proto>
void set_time(Proto* out, Timestamp time) {
  out->set_seconds(time.nanos / nanos_per_second);
  out->set_nanos(static_cast<std::int32_t>(time.nanos % nanos_per_second));
}

void write_stats(const SenderStats& stats, system::KDSServiceStats& out) {
  out.set_responses_sent(stats.sent);
  out.set_responses_acknowledged(stats.acknowledged);
  out.set_responses_rejected(stats.rejected);
}

void write_subscription(const ZoneStatus& status, const InsightOptions& options, Timestamp now,
                        system::KDSSubscription& out) {
  out.set_id(status.subscription_id);
  out.set_global_instance_id(options.global_instance_id);
  set_time(out.mutable_connect_time(), status.subscribed_at);
  set_time(out.mutable_status()->mutable_last_update_time(), now);
  SenderStats total;
  for (const auto& [type, stats] : status.stats) {
    write_stats(stats, (*out.mutable_status()->mutable_stat())[type]);
    total.sent += stats.sent;
    total.acknowledged += stats.acknowledged;
    total.rejected += stats.rejected;
  }
  write_stats(total, *out.mutable_status()->mutable_total());
  auto& version = *out.mutable_version()->mutable_kumacp();
  version.set_version(status.node.kuma_version);
  version.set_gittag(status.node.git_tag);
  version.set_gitcommit(status.node.git_commit);
  version.set_builddate(status.node.build_date);
  version.set_kumacpglobalcompatible(true);
  out.set_config(status.node.config);
  out.set_auth_token_provided(status.token_provided);
  out.set_zone_instance_id(status.node.instance_id);
}

system::KDSStream& stream_of(system::KDSStreams& streams, StreamKind kind) {
  switch (kind) {
    case StreamKind::global_to_zone:
      return *streams.mutable_global_to_zone();
    case StreamKind::zone_to_global:
      return *streams.mutable_zone_to_global();
    case StreamKind::config_dumps:
      return *streams.mutable_config_dump();
    case StreamKind::stats:
      return *streams.mutable_stats();
    case StreamKind::clusters:
      break;
  }
  return *streams.mutable_clusters();
}

void keep_newest(system::ZoneInsight& insight, std::size_t limit) {
  if (limit == 0 || limit > limits::subscriptions_max) limit = limits::subscriptions_max;
  auto& list = *insight.mutable_subscriptions();
  // Ended ones go first, oldest first; the newest and open ones stay.
  for (int i = 0; i < list.size() && static_cast<std::size_t>(list.size()) > limit;) {
    if (list[i].has_disconnect_time() || i + 1 < list.size()) {
      list.DeleteSubrange(i, 1);
    } else {
      ++i;
    }
  }
}

}  // namespace

void ZoneStatus::speak_through(const std::string& other) {
  if (connection != other) streams.clear();
  connection = other;
}

const ZoneStatus* ZoneRegistry::find(const std::string& zone) const {
  auto it = zones_.find(zone);
  return it == zones_.end() ? nullptr : &it->second;
}

bool close_open_subscriptions(system::ZoneInsight& insight, Timestamp now) {
  bool any = false;
  for (auto& subscription : *insight.mutable_subscriptions()) {
    if (subscription.has_disconnect_time() || !subscription.has_connect_time()) continue;
    set_time(subscription.mutable_disconnect_time(), now);
    any = true;
  }
  return any;
}

bool is_online(const system::ZoneInsight& insight) {
  return std::any_of(insight.subscriptions().begin(), insight.subscriptions().end(), [](const auto& subscription) {
    return subscription.has_connect_time() && !subscription.has_disconnect_time();
  });
}

void update_insight(system::ZoneInsight& insight, const ZoneStatus& status, const InsightOptions& options,
                    Timestamp now) {
  auto& list = *insight.mutable_subscriptions();
  if (!status.subscription_id.empty()) {
    auto it =
        std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.id() == status.subscription_id; });
    system::KDSSubscription* open = nullptr;
    if (it == list.end()) {
      close_open_subscriptions(insight, now);
      // Texts about a control plane are worth keeping for the newest connection only; they can be large.
      for (auto& older : list) {
        older.clear_config();
        if (options.compact_finished) older.mutable_status()->clear_stat();
      }
      open = list.Add();
    } else {
      open = &*it;
    }
    if (!open->has_disconnect_time()) write_subscription(status, options, now, *open);
    if (status.disconnected_at.nanos != 0) set_time(open->mutable_disconnect_time(), status.disconnected_at);
    insight.clear_kds_streams();
    for (const auto& [kind, began] : status.streams) {
      auto& stream = stream_of(*insight.mutable_kds_streams(), kind);
      stream.set_global_instance_id(options.global_instance_id);
      set_time(stream.mutable_connect_time(), began);
    }
  }
  if (status.last_ping.nanos != 0) set_time(insight.mutable_health_check()->mutable_time(), status.last_ping);
  keep_newest(insight, options.subscription_limit);
}

}  // namespace kdsd::kds
