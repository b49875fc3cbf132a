#include <boost/json/array.hpp>
#include <map>
#include <utility>

#include "model/hash.h"
#include "model/json.h"
#include "model/kri.h"
#include "policy/engine/evaluation.h"
#include "policy/engine/evaluation_input.h"
#include "policy/engine/from_rules.h"
#include "policy/engine/merge_budget.h"
#include "policy/engine/origin_json.h"
#include "policy/engine/route_conf.h"
#include "policy/engine/single_item.h"
#include "policy/engine/to_rules.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

// A lookup over the resources of an input, by kind and mesh, and by canonical name.
class PostedObjects {
 public:
  void add(ResourcePtr object) {
    auto& of_kind = objects_[{object->type, object->mesh}];
    of_kind.by_name.emplace(canonical_name(object->mesh, object->name, object->labels), object);
    of_kind.all.push_back(std::move(object));
  }

  ObjectLookup lookup() const {
    return {[this](const ResourceType& kind, const std::string& mesh, const ObjectLookup::Visit& visit) {
              const auto found = objects_.find({&kind, mesh});
              if (found == objects_.end()) return;
              for (const auto& object : found->second.all) visit(*object);
            },
            [this](const ResourceType& kind, const std::string& mesh, const std::string& name,
                   const ObjectLookup::Visit& visit) {
              const auto found = objects_.find({&kind, mesh});
              if (found == objects_.end()) return;
              const auto [begin, end] = found->second.by_name.equal_range(name);
              for (auto it = begin; it != end; ++it) visit(*it->second);
            }};
  }

 private:
  struct OfKind {
    std::vector<ResourcePtr> all;
    std::multimap<std::string, ResourcePtr> by_name;
  };
  std::map<std::pair<const ResourceType*, std::string>, OfKind> objects_;
};

ItemPrecedence read_precedence(InputReader& reader) {
  return reader.word("itemPrecedence", {"last", "first"}) == "first" ? ItemPrecedence::first : ItemPrecedence::last;
}

struct AskedOutbound {
  std::string key;  // of the answer
  std::string object_kri;
  std::string section;
  std::string route_kri;
};

// The KRI of a whole object; the section goes to `section`.
std::string read_kri(InputReader& reader, std::string_view name, const Catalogue& catalogue, std::string& section) {
  const auto text = reader.text(name);
  auto kri = parse_kri(catalogue, text);
  if (!kri.ok()) {
    reader.refuse(name, kri.status().message());
    return {};
  }
  section = std::exchange(kri->section, {});
  return kri->text();
}

AskedOutbound read_outbound(InputReader reader, const Catalogue& catalogue) {
  reader.allow_only({"outbound", "route"});
  AskedOutbound out;
  out.key = reader.required_text("outbound");
  if (!out.key.empty()) out.object_kri = read_kri(reader, "outbound", catalogue, out.section);
  if (reader.member("route") == nullptr) return out;
  std::string no_section;
  out.route_kri = read_kri(reader, "route", catalogue, no_section);
  out.key = reader.text("route") + "@" + out.key;
  return out;
}

// A conf, or the list of confs where routes give several.
json::value conf_json(const ToRule& rule) {
  if (rule.confs.size() == 1) return rule.confs.front().conf;
  json::array confs;
  for (const auto& conf : rule.confs) confs.push_back(conf.conf);
  return confs;
}

json::array fields_json(const ToRule& rule) {
  json::array out;
  for (const auto& conf : rule.confs) {
    auto fields = origin_json(conf.fields, [&](std::size_t source) {
      const auto& item = rule.origin[source];
      return item.policy->name + "[" + std::to_string(item.index) + "]";
    });
    out.insert(out.end(), fields.begin(), fields.end());
  }
  return out;
}

json::object rules_json(const ToRules& rules, const EvaluationOptions& options) {
  json::object out;
  for (const auto& rule : rules.all()) {
    json::array origin;
    for (const auto& item : rule.origin) origin.push_back(json::array{item.policy->name, item.index});
    json::object shown{{"conf", conf_json(rule)}, {"origin", std::move(origin)}};
    if (options.with_origin) shown["fields"] = fields_json(rule);
    out[rule.target.kri] = std::move(shown);
  }
  return out;
}

Result<json::object> evaluate_to(InputReader& input, const Catalogue& catalogue, const EvaluationOptions& options,
                                 Outcome& outcome) {
  input.allow_only({"mergeKind", "options", "policies", "resources", "outbounds"});
  auto written = input.object("options", false);
  written.allow_only({"itemPrecedence", "toKindStep"});
  const ItemOrder order{read_precedence(written), written.flag("toKindStep", true)};
  const auto policies = read_policies(input, catalogue, options.with_shadow);
  PostedObjects objects;
  const auto& resources = input.list("resources", false, limits::evaluated_documents);
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (auto object = read_resource(input.element("resources", i), catalogue)) objects.add(std::move(object));
  }
  std::vector<AskedOutbound> outbounds;
  const auto& asked = input.list("outbounds", false, limits::evaluated_documents);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    outbounds.push_back(read_outbound(input.element("outbounds", i), catalogue));
  }
  if (!outcome.ok()) return refusal_of_input(outcome);

  const auto rules = merge_to(policies, catalogue, objects.lookup(), order);
  if (!rules.is_complete()) {
    input.refuse("policies", too_many_rules_note);
    return refusal_of_input(outcome);
  }
  json::object shown;
  json::object fields;
  for (const auto& outbound : outbounds) {
    const auto* rule = rules.find(outbound.object_kri, outbound.section, outbound.route_kri);
    shown[outbound.key] = rule == nullptr ? json::value() : conf_json(*rule);
    if (rule != nullptr) fields[outbound.key] = fields_json(*rule);
  }
  json::object out{{"outbounds", std::move(shown)}};
  if (options.with_rules) out["rules"] = rules_json(rules, options);
  if (options.with_origin) out["fields"] = std::move(fields);
  return out;
}

Result<json::object> evaluate_from(InputReader& input, const Catalogue& catalogue, const EvaluationOptions& options,
                                   Outcome& outcome) {
  input.allow_only({"mergeKind", "view", "itemPrecedence", "policies"});
  const auto view = input.word("view", {"automatic", "full", "compact"});
  const FromOptions from{view == "compact" ? PartitionView::compact : PartitionView::automatic, read_precedence(input),
                         options.with_origin};
  const auto policies = read_policies(input, catalogue, options.with_shadow);
  if (!outcome.ok()) return refusal_of_input(outcome);

  const auto merged = merge_from(policies, from);
  if (!merged.is_complete) {
    input.refuse("policies", merged.notes.front());
    return refusal_of_input(outcome);
  }
  json::array rules;
  for (const auto& rule : merged.rules) {
    json::array matchers;
    for (const auto& matcher : rule.matchers) {
      matchers.push_back(json::object{{"key", matcher.key}, {"value", matcher.value}, {"not", matcher.negative}});
    }
    json::array origin;
    for (const auto* policy : rule.origin) origin.emplace_back(policy->name);
    json::object shown{{"matchers", std::move(matchers)}, {"conf", rule.conf}, {"origin", std::move(origin)}};
    if (options.with_origin) {
      shown["fields"] = origin_json(rule.fields, [&](std::size_t source) { return rule.origin[source]->name; });
    }
    rules.push_back(std::move(shown));
  }
  json::object out{{"rules", std::move(rules)}};
  if (!merged.notes.empty()) out["warnings"] = json::array(merged.notes.begin(), merged.notes.end());
  return out;
}

Result<json::object> evaluate_single(InputReader& input, const Catalogue& catalogue, const EvaluationOptions& options,
                                     Outcome& outcome) {
  input.allow_only({"mergeKind", "policies"});
  const auto policies = read_policies(input, catalogue, options.with_shadow);
  if (!policies.empty() && !is_single_item(*policies.front()->type)) {
    input.refuse("mergeKind", "'" + policies.front()->type->name + "' has items, so its policies are not merged whole");
  }
  if (!outcome.ok()) return refusal_of_input(outcome);
  const auto merged = merge_single(policies);
  json::array origin;
  for (const auto* policy : merged.origin) origin.emplace_back(policy->name);
  json::object out{{"conf", merged.conf}, {"origin", std::move(origin)}};
  if (options.with_origin) {
    out["fields"] = origin_json(merged.fields, [&](std::size_t source) { return merged.origin[source]->name; });
  }
  return out;
}

Result<json::object> evaluate_routes(InputReader& input, const EvaluationOptions& options, Outcome& outcome) {
  input.allow_only({"mergeKind", "confsLowToHigh"});
  Confs confs;
  const auto& list = input.list("confsLowToHigh", true, limits::evaluated_documents);
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto reader = input.element("confsLowToHigh", i);
    reader.allow_only({"rules", "hostnames"});
    const auto& rules = reader.list("rules", false, limits::evaluated_documents);
    for (std::size_t j = 0; j < rules.size(); ++j)
      reader.element("rules", j).list("matches", false, limits::evaluated_documents);
    const auto& hostnames = reader.list("hostnames", false, limits::evaluated_documents);
    for (std::size_t j = 0; j < hostnames.size(); ++j) {
      if (!hostnames[j].is_string()) reader.refuse(element("hostnames", j), "must be a text");
    }
    confs.push_back(&list[i]);
  }
  if (!outcome.ok()) return refusal_of_input(outcome);
  if (merged_route_parts(confs) > limits::merged_parts) {
    input.refuse("confsLowToHigh", too_many_rules_note);
    return refusal_of_input(outcome);
  }
  json::array merged;
  json::array fields;
  for (auto& route : merge_routes(confs)) {
    merged.push_back(std::move(route.conf));
    fields.push_back(origin_json(route.fields, [](std::size_t source) { return element("confsLowToHigh", source); }));
  }
  json::object out{{"merged", std::move(merged)}};
  if (options.with_origin) out["fields"] = std::move(fields);
  return out;
}

}  // namespace

Result<json::object> evaluate_merge(const json::value& value, const Catalogue& catalogue,
                                    const EvaluationOptions& options) {
  Outcome outcome;
  InputReader input(value, "", outcome);
  const bool is_about_to = input.member("outbounds") != nullptr || input.member("resources") != nullptr ||
                           input.member("options") != nullptr;
  const auto kind = input.member("mergeKind") == nullptr
                        ? std::string_view(is_about_to ? "to" : "from")
                        : input.word("mergeKind", {"to", "from", "single-item", "routes"});
  if (kind == "routes") return evaluate_routes(input, options, outcome);
  if (kind == "single-item") return evaluate_single(input, catalogue, options, outcome);
  return kind == "to" ? evaluate_to(input, catalogue, options, outcome)
                      : evaluate_from(input, catalogue, options, outcome);
}

}  // namespace kdsd::policy
