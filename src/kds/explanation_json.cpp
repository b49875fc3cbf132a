#include "kds/explanation_json.h"

#include <boost/json/array.hpp>

#include "kds/reasons.h"
#include "model/timestamp.h"

namespace kdsd::kds {
namespace json = boost::json;
namespace {

constexpr double nanos_per_second = 1e9;

json::object origin_json(const Origin& origin) {
  json::object out;
  if (origin.environment) {
    out["environment"] = *origin.environment == policy::Environment::kubernetes ? "kubernetes" : "universal";
  }
  out["kind"] = origin.is_global ? "global" : "zone";
  if (!origin.namespace_.empty()) out["namespace"] = origin.namespace_;
  if (!origin.zone.empty()) out["zone"] = origin.zone;
  return out;
}

json::object rejection_json(const Rejection& rejection) {
  json::object out;
  out["time"] = format_time(rejection.at);
  out["revision"] = rejection.revision.value;
  out["wholeResponse"] = rejection.resource.name.empty();
  if (!rejection.resource.rule.empty()) out["rule"] = rejection.resource.rule;
  out["text"] = rejection.resource.text;
  return out;
}

json::object delivery_json(const Delivery& delivery) {
  json::object out;
  out["online"] = delivery.is_online;
  if (delivery.since.nanos != 0) out["since"] = format_time(delivery.since);
  out["state"] = text(delivery.state);
  out["holds"] = text(delivery.holds);
  out["revision"] = delivery.revision.value;
  if (delivery.holds == Holds::newest) out["heldRevision"] = delivery.revision.value;
  out["sentRevision"] = delivery.sent.value;
  out["acknowledgedRevision"] = delivery.acknowledged.value;
  out["lagRevisions"] = delivery.lag.revisions;
  out["lagSeconds"] = static_cast<double>(delivery.lag.nanos) / nanos_per_second;
  if (!delivery.held_back_reason.empty()) out["heldBack"] = delivery.held_back_reason;
  if (delivery.last_rejection) out["lastRejection"] = rejection_json(*delivery.last_rejection);
  return out;
}

json::object place_json(const Place& place) {
  json::object out;
  out["place"] = place.is_global ? "global" : "zone";
  if (!place.zone.empty()) out["zone"] = place.zone;
  out["author"] = place.is_author;
  out["here"] = place.is_here;
  out["name"] = place.name;
  if (!place.namespace_) {
    out["namespace"] = nullptr;
  } else if (!place.namespace_->empty()) {
    out["namespace"] = *place.namespace_;
  }
  return out;
}

// Name, namespace and labels of a reference; what else stands in it is the same everywhere.
json::object reference_name(const json::object& ref) {
  json::object out;
  for (const auto* key : {"labels", "name", "namespace"}) {
    if (const auto* value = ref.if_contains(key)) out[key] = *value;
  }
  return out;
}

json::object reference_json(const ExplainedReference& reference, const std::vector<Place>& places) {
  json::object out;
  if (const auto* kind = reference.written.if_contains("kind")) out["kind"] = *kind;
  for (auto& member : reference_name(reference.here)) out[member.key()] = member.value();
  out["original"] = reference_name(reference.written);
  out["path"] = reference.path;
  json::array resolved;
  for (const auto& object : reference.resolved) resolved.emplace_back(object.kri);
  out["resolved"] = std::move(resolved);
  json::array there;
  for (std::size_t i = 0; i < places.size(); ++i) {
    json::object place{{"place", places[i].is_global ? "global" : "zone"}};
    if (!places[i].zone.empty()) place["zone"] = places[i].zone;
    for (auto& member : reference_name(reference.there[i])) place[member.key()] = member.value();
    // A name that nobody told is null; a namespace is missing where there are none.
    const bool is_known = place.contains("name") || place.contains("labels");
    if (!is_known) place["name"] = nullptr;
    if (!is_known || !places[i].namespace_) place["namespace"] = nullptr;
    there.push_back(std::move(place));
  }
  out["places"] = std::move(there);
  return out;
}

json::object sync_json(const Explanation& explanation, const std::map<std::string, Delivery>& deliveries) {
  json::object out;
  out["reason"] = explanation.reason;
  out["sentence"] = sentence_of(explanation.reason);
  if (explanation.to_global) {
    out["toGlobal"] = *explanation.to_global;
  } else {
    out["toGlobal"] = nullptr;
  }
  if (!explanation.knows_zones) return out;
  json::array zones;
  for (const auto& decision : explanation.zones) {
    json::object zone{{"reason", decision.reason}, {"sent", decision.sent}, {"zone", decision.zone}};
    if (decision.reason != explanation.reason) zone["sentence"] = sentence_of(decision.reason);
    const auto delivery = deliveries.find(decision.zone);
    if (delivery != deliveries.end()) zone["delivery"] = delivery_json(delivery->second);
    zones.push_back(std::move(zone));
  }
  out["zones"] = std::move(zones);
  return out;
}

}  // namespace

json::object explanation_json(const Explanation& explanation, const std::map<std::string, Delivery>& deliveries) {
  json::object out;
  out["canonicalName"] = explanation.canonical_name;
  if (!explanation.kri.empty()) out["kri"] = explanation.kri;
  out["origin"] = origin_json(explanation.origin);
  json::array places;
  for (const auto& place : explanation.places) places.push_back(place_json(place));
  out["places"] = std::move(places);
  json::array references;
  for (const auto& reference : explanation.references) {
    references.push_back(reference_json(reference, explanation.places));
  }
  out["references"] = std::move(references);
  if (explanation.role) {
    out["role"] = json::object{{"computed", explanation.role->computed}, {"declared", explanation.role->declared}};
    out["roleWhy"] = explanation.role->why;
  }
  out["sync"] = sync_json(explanation, deliveries);
  out["warnings"] = json::array(explanation.warnings.begin(), explanation.warnings.end());
  return out;
}

}  // namespace kdsd::kds
