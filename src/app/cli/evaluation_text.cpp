#include "app/cli/evaluation_text.h"

#include <algorithm>
#include <map>

#include "app/cli/table.h"
#include "model/json.h"
#include "policy/engine/conf.h"
#include "policy/outcome.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

std::string plain(const json::value& value) {
  return value.is_string() ? std::string(value.get_string().c_str()) : to_compact_json(value);
}

std::string joined(const json::array& list, std::string_view separator) {
  std::string out;
  for (const auto& item : list) {
    if (!out.empty()) out += separator;
    out += plain(item);
  }
  return out;
}

// Rules of a route: a list that is worth a row for each of its parts.
bool is_list_of_rules(const json::value& value) {
  const auto* list = value.if_array();
  return list != nullptr && !list->empty() && std::all_of(list->begin(), list->end(), [](const json::value& each) {
           return find(each, {"default"}) != nullptr;
         });
}

void collect_fields(const json::value& at, const std::string& path,
                    std::vector<std::pair<std::string, std::string>>& out) {
  if (is_list_of_rules(at)) {
    const auto& list = at.get_array();
    for (std::size_t i = 0; i < list.size(); ++i) collect_fields(list[i], policy::element(path, i), out);
    return;
  }
  const auto* object = at.if_object();
  if (object == nullptr || object->empty()) {
    out.emplace_back(path, plain(at));
    return;
  }
  for (const auto& member : *object) {
    collect_fields(member.value(), policy::field_path(path, {member.key().data(), member.key().size()}), out);
  }
}

// Rows of one conf below `title`; the origin of each field where the answer has it.
class ConfTable {
 public:
  ConfTable(const std::string& title, bool with_origin)
      : with_origin_(with_origin),
        table_(with_origin ? std::vector<std::string>{title, "FIELD", "VALUE", "ORIGIN"}
                           : std::vector<std::string>{title, "FIELD", "VALUE"}) {}

  void add(const std::string& title, const json::value& conf, const json::array& origins) {
    std::map<std::string, std::string> origin_of;
    for (const auto& field : origins) {
      origin_of[std::string(find_text(field, {"field"}))] = joined(find_list(field, {"origin"}), ", ");
    }
    std::string shown = title;
    for (const auto& [field, value] : conf_fields(conf)) {
      std::vector<std::string> row{shown, field, value};
      if (with_origin_) row.push_back(origin_of[field]);
      table_.add(std::move(row));
      shown = " ";  // the same as above
    }
  }

  std::string text() { return table_.take_text(); }

 private:
  const bool with_origin_;
  Table table_;
};

std::string to_text(const json::value& answer) {
  const auto* fields = find(answer, {"fields"});
  ConfTable table("OUTBOUND", fields != nullptr);
  for (const auto& outbound : answer.at("outbounds").as_object()) {
    const std::string key(outbound.key());
    table.add(key, outbound.value(), fields == nullptr ? json::array() : find_list(*fields, {key}));
  }
  auto out = table.text();
  const auto* rules = find(answer, {"rules"});
  if (rules == nullptr) return out;
  ConfTable of_rules("DESTINATION", fields != nullptr);
  for (const auto& rule : rules->as_object()) {
    of_rules.add(std::string(rule.key()), rule.value().at("conf"), find_list(rule.value(), {"fields"}));
  }
  return out + "\n" + of_rules.text();
}

std::string from_text(const json::value& answer) {
  const auto& rules = answer.at("rules").as_array();
  const bool with_origin = !rules.empty() && find(rules.front(), {"fields"}) != nullptr;
  ConfTable table("CLIENTS", with_origin);
  for (const auto& rule : rules) {
    table.add(matchers_text(rule.at("matchers")), rule.at("conf"), find_list(rule, {"fields"}));
  }
  return table.text();
}

std::string routes_text(const json::value& answer) {
  const auto* fields = find(answer, {"fields"});
  ConfTable table("HOSTNAME", fields != nullptr);
  const auto& merged = answer.at("merged").as_array();
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const auto hostnames = joined(find_list(merged[i], {"hostnames"}), ", ");
    const auto origins = fields == nullptr ? json::array() : fields->as_array().at(i).as_array();
    table.add(hostnames.empty() ? "*" : hostnames, merged[i], origins);
  }
  return table.text();
}

std::string id_text(const json::value& id) {
  const auto* uri = find(id, {"authenticated", "principal_name", "exact"});
  return uri == nullptr ? to_compact_json(id) : plain(*uri);
}

std::string ids_text(const json::value& ids, const std::string& word) {
  std::string out;
  for (const auto& id : find_list(ids, {"ids"})) {
    auto text = principal_text(id);
    const bool is_compound = find(id, {"or_ids"}) != nullptr || find(id, {"and_ids"}) != nullptr;
    if (is_compound) text = "(" + text + ")";
    out += (out.empty() ? "" : " " + word + " ") + text;
  }
  return out;
}

void add_rules(const json::value& config, const char* name, const char* title, Table& table) {
  const auto* rules = find(config, {name});
  if (rules == nullptr) return;
  const std::string action(find_text(*rules, {"action"}));
  bool is_empty = true;
  for (const auto& policy : rules->at("policies").as_object()) {
    for (const auto& principal : find_list(policy.value(), {"principals"})) {
      table.add({title, action, principal_text(principal)});
      is_empty = false;
    }
  }
  if (is_empty) table.add({title, action, "nobody"});
}

std::string predicate_text(const json::value& predicate) {
  std::string out;
  if (const auto* some = find(predicate, {"or_matcher"})) {
    for (const auto& each : find_list(*some, {"predicate"})) out += (out.empty() ? "" : " or ") + predicate_text(each);
    return out;
  }
  const auto exact = find_text(predicate, {"single_predicate", "value_match", "exact"});
  if (!exact.empty()) return std::string(exact);
  return std::string(find_text(predicate, {"single_predicate", "value_match", "prefix"})) + "*";
}

void add_matchers(const json::value& config, const char* name, const char* title, Table& table) {
  const auto* list = find(config, {name, "matcher_list"});
  if (list != nullptr) {
    for (const auto& matcher : find_list(*list, {"matchers"})) {
      const auto& action = matcher.at("on_match").at("action").at("typed_config");
      table.add({title, std::string(find_text(action, {"action"})),
                 predicate_text(matcher.at("predicate")) + "  (" + std::string(find_text(action, {"name"})) + ")"});
    }
  }
  const auto* otherwise = find(config, {name, "on_no_match"});
  if (otherwise == nullptr) return;
  table.add({title, std::string(find_text(*otherwise, {"action", "typed_config", "action"})), "everybody else"});
}

}  // namespace

std::vector<std::pair<std::string, std::string>> conf_fields(const json::value& conf) {
  std::vector<std::pair<std::string, std::string>> out;
  if (conf.is_null()) {
    out.emplace_back("", "no policy");
    return out;
  }
  collect_fields(conf, "", out);
  return out;
}

std::string matchers_text(const json::value& matchers) {
  std::string out;
  for (const auto& matcher : matchers.as_array()) {
    const auto* negative = find(matcher, {"not"});
    out += out.empty() ? "" : ", ";
    if (negative != nullptr && negative->is_bool() && negative->get_bool()) out += "not ";
    out += std::string(find_text(matcher, {"key"})) + "=" + std::string(find_text(matcher, {"value"}));
  }
  return out.empty() ? "everybody" : out;
}

std::string principal_text(const json::value& principal) {
  if (find(principal, {"any"}) != nullptr) return "everybody";
  if (const auto* inner = find(principal, {"not_id"})) {
    const bool is_compound = find(*inner, {"or_ids"}) != nullptr || find(*inner, {"and_ids"}) != nullptr;
    return "not " + (is_compound ? "(" + principal_text(*inner) + ")" : principal_text(*inner));
  }
  if (const auto* all = find(principal, {"and_ids"})) return ids_text(*all, "and");
  if (const auto* some = find(principal, {"or_ids"})) return ids_text(*some, "or");
  return id_text(principal);
}

std::string merge_text(const json::value& answer) {
  if (find(answer, {"outbounds"}) != nullptr) return to_text(answer);
  if (find(answer, {"merged"}) != nullptr) return routes_text(answer);
  if (find(answer, {"rules"}) != nullptr) return from_text(answer);
  const auto* fields = find(answer, {"fields"});
  ConfTable table("POLICIES", fields != nullptr);
  table.add(joined(find_list(answer, {"origin"}), ", "), answer.at("conf"),
            fields == nullptr ? json::array() : fields->as_array());
  return table.text();
}

std::string rbac_text(const json::value& config) {
  if (config.is_null()) return "no filter: mTLS is off\n";
  Table table({"RULES", "ACTION", "CLIENTS"});
  add_rules(config, "rules", "enforced", table);
  add_rules(config, "shadow_rules", "shadow", table);
  add_matchers(config, "matcher", "enforced", table);
  add_matchers(config, "shadow_matcher", "shadow", table);
  return table.take_text();
}

std::string grant_text(const json::value& answer) {
  return (answer.at("allowed").as_bool() ? std::string("allowed: ") : std::string("denied: ")) +
         plain(answer.at("reason")) + "\n";
}

std::string attachment_text(const json::value& answer) {
  const auto* fields = find(answer, {"fields"});
  ConfTable table("EFFECTIVE", fields != nullptr);
  table.add("", answer.at("effective"), fields == nullptr ? json::array() : fields->as_array());
  auto out = table.text() + "\nhighest to lowest: " + joined(find_list(answer, {"highestToLowest"}), ", ") + "\n";
  for (const auto& conflict : find_list(answer, {"conflicts"})) {
    out += "conflict: " + std::string(find_text(conflict, {"field"})) + " of " +
           std::string(find_text(conflict, {"loser"})) + " is not what " +
           std::string(find_text(conflict, {"winner"})) + " says, which wins\n";
  }
  return out;
}

std::string warnings_text(const json::value& answer) {
  std::string out;
  for (const auto& warning : find_list(answer, {"warnings"})) out += "warning: " + plain(warning) + "\n";
  return out;
}

}  // namespace kdsd::app::cli
