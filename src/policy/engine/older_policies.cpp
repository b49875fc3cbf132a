#include "policy/engine/older_policies.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "model/document.h"
#include "model/json.h"
#include "policy/engine/applied_policy.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace proto = kuma::mesh::v1alpha1;
namespace {

constexpr const char* service_tag = "kuma.io/service";
constexpr const char* pass_through = "pass_through";  // the service behind everything that has no outbound
constexpr const char* own_address = "127.0.0.1";      // of an outbound that says none

// Where the policies of a type are used, and whether one or all that match.
enum class Way : std::uint8_t { proxy, one_of_inbound, all_of_inbound, outbound, service, route_target };

const std::multimap<std::string_view, Way>& ways() {
  static const std::multimap<std::string_view, Way> out = {
      {"CircuitBreaker", Way::route_target}, {"FaultInjection", Way::all_of_inbound},
      {"HealthCheck", Way::route_target},    {"ProxyTemplate", Way::proxy},
      {"RateLimit", Way::all_of_inbound},    {"RateLimit", Way::outbound},
      {"Retry", Way::route_target},          {"Timeout", Way::outbound},
      {"TrafficLog", Way::service},          {"TrafficPermission", Way::one_of_inbound},
      {"TrafficRoute", Way::outbound},       {"TrafficTrace", Way::proxy},
  };
  return out;
}

// How specific a selector is.
struct Rank {
  int tags = 0;
  int exact = 0;  // of them those that are no wildcards

  friend auto operator<=>(const Rank&, const Rank&) = default;
  friend Rank operator+(const Rank& a, const Rank& b) { return {a.tags + b.tags, a.exact + b.exact}; }
};

Rank rank_of(const Labels& selector) {
  const auto exact = std::count_if(selector.begin(), selector.end(), [](const auto& tag) { return tag.second != "*"; });
  return {static_cast<int>(selector.size()), static_cast<int>(exact)};
}

// That of the most specific selector that the tags fulfil.
template <typename Matches>
std::optional<Rank> best_rank(const std::vector<Labels>& selectors, const Matches& matches) {
  std::optional<Rank> best;
  for (const auto& selector : selectors) {
    if (matches(selector)) best = std::max(best, std::optional(rank_of(selector)));
  }
  return best;
}

std::optional<Rank> best_rank(const std::vector<Labels>& selectors, const Labels& tags) {
  return best_rank(selectors, [&](const Labels& selector) { return has_tags(tags, selector); });
}

std::vector<Labels> selectors_at(const json::value& spec, const char* list) {
  std::vector<Labels> out;
  for (const auto& selector : find_list(spec, {list})) out.push_back(texts_at(selector, "match"));
  return out;
}

Labels with_service(std::string_view service) {
  Labels out;
  out.set(service_tag, service);
  return out;
}

struct Outbound {
  std::string text;
  std::string service;
};

Outbound read(const proto::Dataplane::Networking::Outbound& written) {
  const auto& address = written.address().empty() ? std::string(own_address) : written.address();
  const bool is_ip6 = address.find(':') != std::string::npos;
  const auto host = is_ip6 ? "[" + address + "]" : address;
  const auto tag = written.tags().find(service_tag);
  return {host + ":" + std::to_string(written.port()), tag == written.tags().end() ? "" : tag->second};
}

}  // namespace

bool is_older_policy(const ResourceType& type) {
  return type.is_policy && type.allow_inspect && !type.is_target_ref_policy;
}

std::strong_ordering compare_places(const Use& a, const Use& b) {
  return std::tie(a.what, a.name, a.service) <=> std::tie(b.what, b.name, b.service);
}

OlderPolicies::Policy OlderPolicies::parsed(const ResourcePtr& resource) {
  const auto spec = spec_json(*resource);
  Policy out{
      resource, selectors_at(spec, "selectors"), selectors_at(spec, "sources"), selectors_at(spec, "destinations"), {}};
  if (const auto* conf = find(spec, {"conf"})) {
    if (find(*conf, {"destination"}) != nullptr) out.routed_to.push_back(texts_at(*conf, "destination"));
    for (const auto& part : find_list(*conf, {"split"})) out.routed_to.push_back(texts_at(part, "destination"));
  }
  // It selects every proxy.
  if (out.selectors.empty() && out.sources.empty() && out.destinations.empty()) out.selectors.emplace_back();
  return out;
}

OlderPolicies::OlderPolicies(const std::vector<ResourcePtr>& policies) {
  for (const auto& resource : policies) {
    if (ways().contains(resource->type->name)) policies_.push_back(parsed(resource));
  }
  std::sort(policies_.begin(), policies_.end(),
            [](const Policy& a, const Policy& b) { return a.resource->key() < b.resource->key(); });
}

// Collects the uses of one proxy.
class Uses {
 public:
  using Policy = OlderPolicies::Policy;

  Uses(const std::vector<Policy>& policies, const Proxy& proxy) : proxy_(proxy) {
    if (proxy.resource && !spec_.ParseFromString(proxy.resource->spec)) spec_.Clear();
    for (const auto& outbound : spec_.networking().outbound()) {
      if (!outbound.has_backendref()) outbounds_.push_back(read(outbound));
    }
    for (const auto& policy : policies) by_type_[policy.resource->type->name].push_back(&policy);
    find_services();
  }

  std::vector<Use> run() && {
    for (const auto& [type, policies] : by_type_) {
      const auto [first, last] = ways().equal_range(type);
      for (auto way = first; way != last; ++way) add(way->second, policies);
    }
    std::stable_sort(uses_.begin(), uses_.end(), [](const Use& a, const Use& b) { return compare_places(a, b) < 0; });
    return std::move(uses_);
  }

 private:
  using Policies = std::vector<const Policy*>;

  // The most specific one; `rank` gives nothing for a policy that does not match.
  template <typename RankOf>
  static const Policy* best_of(const Policies& policies, const RankOf& rank) {
    const Policy* best = nullptr;
    std::optional<std::tuple<Rank, Timestamp>> best_key;
    for (const auto* policy : policies) {
      const auto found = rank(*policy);
      if (!found) continue;
      const std::tuple key(*found, policy->resource->created);
      if (best_key && key <= *best_key) continue;
      best = policy;
      best_key = key;
    }
    return best;
  }

  std::optional<Rank> rank_of_proxy(const std::vector<Labels>& selectors) const {
    return best_rank(selectors, [this](const Labels& selector) {
      return has_tags(proxy_.gateway_tags, selector) ||
             std::any_of(proxy_.inbounds.begin(), proxy_.inbounds.end(),
                         [&](const Inbound& inbound) { return has_tags(inbound.tags, selector); });
    });
  }

  const Policy* best_toward(const Policies& policies, const std::string& service) const {
    const auto tags = with_service(service);
    return best_of(policies, [&](const Policy& policy) -> std::optional<Rank> {
      const auto source = rank_of_proxy(policy.sources);
      const auto destination = best_rank(policy.destinations, tags);
      return source && destination ? std::optional(*source + *destination) : std::nullopt;
    });
  }

  // Services that the proxy calls, where its routes lead.
  void find_services() {
    const auto routes = by_type_.find("TrafficRoute");
    for (const auto& outbound : outbounds_) {
      const auto* route = routes == by_type_.end() ? nullptr : best_toward(routes->second, outbound.service);
      if (route == nullptr) {
        services_.insert(outbound.service);
        continue;
      }
      for (const auto& tags : route->routed_to) {
        const auto& service = tags.get(service_tag);
        const bool is_kept = !tags.has(service_tag) || service == "*";
        services_.insert(is_kept ? outbound.service : service);
      }
    }
  }

  void add(Way way, const Policies& policies) {
    switch (way) {
      case Way::proxy:
        use(best_of(policies, [&](const Policy& policy) { return rank_of_proxy(policy.selectors); }),
            {UsedFor::proxy, "", "", nullptr});
        return;
      case Way::one_of_inbound:
      case Way::all_of_inbound:
        add_of_inbounds(policies, way == Way::one_of_inbound);
        return;
      case Way::outbound:
        for (const auto& outbound : outbounds_) {
          use(best_toward(policies, outbound.service), {UsedFor::outbound, outbound.text, outbound.service, nullptr});
        }
        return;
      case Way::service: {
        std::set<std::string> called{pass_through};
        for (const auto& outbound : outbounds_) called.insert(outbound.service);
        add_of_services(policies, called);
        return;
      }
      case Way::route_target:
        add_of_services(policies, services_);
        return;
    }
  }

  void add_of_services(const Policies& policies, const std::set<std::string>& services) {
    for (const auto& service : services) {
      use(best_toward(policies, service), {UsedFor::service, service, service, nullptr});
    }
  }

  void add_of_inbounds(const Policies& policies, bool one) {
    const auto& networking = spec_.networking();
    for (std::size_t i = 0; i < proxy_.inbounds.size(); ++i) {
      const auto& inbound = proxy_.inbounds[i];
      const auto& written = networking.inbound(static_cast<int>(i));
      const auto& address = written.address().empty() ? networking.address() : written.address();
      const auto service_port = written.serviceport() == 0 ? written.port() : written.serviceport();
      const Use place{UsedFor::inbound,
                      address + ":" + std::to_string(written.port()) + ":" + std::to_string(service_port),
                      inbound.tags.get(service_tag), nullptr};
      const auto rank = [&](const Policy& policy) { return best_rank(policy.destinations, inbound.tags); };
      if (one) {
        use(best_of(policies, rank), place);
        continue;
      }
      Policies matching;
      std::copy_if(policies.begin(), policies.end(), std::back_inserter(matching),
                   [&](const Policy* policy) { return rank(*policy).has_value(); });
      std::stable_sort(matching.begin(), matching.end(), comes_first);
      for (const auto* policy : matching) use(policy, place);
    }
  }

  // Of policies that are used together: the one whose first source is more specific, then the newer one.
  static bool comes_first(const Policy* a, const Policy* b) {
    const auto key = [](const Policy& policy) {
      return std::tuple(policy.sources.empty() ? Rank() : rank_of(policy.sources.front()), policy.resource->created);
    };
    return key(*a) > key(*b);
  }

  void use(const Policy* policy, Use place) {
    if (policy == nullptr) return;
    place.policy = policy->resource;
    uses_.push_back(std::move(place));
  }

  const Proxy& proxy_;
  proto::Dataplane spec_;
  std::vector<Outbound> outbounds_;
  std::map<std::string, Policies> by_type_;
  std::set<std::string> services_;
  std::vector<Use> uses_;
};

std::vector<Use> OlderPolicies::used_by(const Proxy& proxy) const { return Uses(policies_, proxy).run(); }

}  // namespace kdsd::policy
