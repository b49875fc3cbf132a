#include "app/cli/inspection_text.h"

#include <map>

#include "app/cli/evaluation_text.h"
#include "app/cli/table.h"
#include "model/json.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

std::string inbound_text(const json::value& inbound) {
  const auto name = find_text(inbound, {"name"});
  const auto* port = find(inbound, {"port"});
  const auto number = port == nullptr ? std::string() : to_compact_json(*port);
  return name.empty() ? "inbound " + number : "inbound " + std::string(name) + " (" + number + ")";
}

// Names of the policies behind a rule; entries are metas, or items of policies.
std::string policies_text(const json::array& origins) {
  std::string out;
  for (const auto& origin : origins) {
    const auto* meta = find(origin, {"resourceMeta"});
    const std::string name(find_text(meta == nullptr ? origin : *meta, {"name"}));
    if (out == name || out.ends_with(", " + name)) continue;
    out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

class RulesTable {
 public:
  RulesTable() : table_({"TYPE", "PLACE", "FIELD", "VALUE", "ORIGIN"}) {}

  void begin(std::string type) { type_ = std::move(type); }

  // `fields`: origins of single fields; may be empty.
  void add(const std::string& place, const json::value& conf, const json::array& fields, const json::array& origins) {
    std::map<std::string, std::string> origin_of;
    for (const auto& field : fields) {
      std::string text;
      for (const auto& policy : find_list(field, {"origin"}))
        text += (text.empty() ? "" : ", ") + std::string(policy.as_string());
      origin_of[std::string(find_text(field, {"field"}))] = std::move(text);
    }
    auto shown = place;
    for (const auto& [field, value] : conf_fields(conf)) {
      const auto own = origin_of.find(field);
      table_.add({type_, shown, field, value, own == origin_of.end() ? policies_text(origins) : own->second});
      type_ = " ";  // the same as above
      shown = " ";
    }
  }

  std::string text() { return table_.take_text(); }

 private:
  Table table_;
  std::string type_;
};

void add_inbounds(const json::value& type, RulesTable& table) {
  for (const auto& entry : find_list(type, {"fromRules"})) {
    for (const auto& rule : find_list(entry, {"rules"})) {
      const auto place = inbound_text(entry.at("inbound")) + " from " + matchers_text(rule.at("matchers"));
      table.add(place, rule.at("conf"), find_list(rule, {"fields"}), find_list(rule, {"origin"}));
    }
  }
  if (!find_list(type, {"fromRules"}).empty()) return;  // the inbound rules say the same then
  for (const auto& entry : find_list(type, {"inboundRules"})) {
    for (const auto& rule : find_list(entry, {"rules"})) {
      for (const auto& conf : find_list(rule, {"conf"})) {
        table.add(inbound_text(entry.at("inbound")), conf, {}, find_list(rule, {"origin"}));
      }
    }
  }
}

void add_outbounds(const json::value& type, RulesTable& table) {
  for (const auto& rule : find_list(type, {"toResourceRules"})) {
    const auto& meta = rule.at("resourceMeta");
    auto place = "to " + std::string(find_text(meta, {"type"})) + " " + std::string(find_text(meta, {"name"}));
    const auto section = find_text(rule, {"resourceSectionName"});
    if (!section.empty()) place += " port " + std::string(section);
    const auto& confs = find_list(rule, {"conf"});
    const auto& fields = find_list(rule, {"fields"});
    for (std::size_t i = 0; i < confs.size(); ++i) {
      const auto own = i < fields.size() && fields[i].is_array() ? fields[i].get_array() : json::array();
      table.add(place, confs[i], own, find_list(rule, {"origin"}));
    }
  }
  for (const auto& rule : find_list(type, {"toRules"})) {
    table.add("to tags " + matchers_text(rule.at("matchers")), rule.at("conf"), find_list(rule, {"fields"}),
              find_list(rule, {"origin"}));
  }
}

}  // namespace

std::string rules_text(const json::value& answer) {
  RulesTable table;
  std::string warnings;
  for (const auto& type : find_list(answer, {"rules"})) {
    table.begin(std::string(find_text(type, {"type"})));
    if (const auto* rule = find(type, {"proxyRule"})) {
      table.add("proxy", rule->at("conf"), find_list(*rule, {"fields"}), find_list(*rule, {"origin"}));
    }
    add_outbounds(type, table);
    add_inbounds(type, table);
    for (const auto& warning : find_list(type, {"warnings"})) {
      warnings += std::string(find_text(type, {"type"})) + ": " + std::string(warning.as_string()) + "\n";
    }
  }
  return table.text() + (warnings.empty() ? "" : "\n" + warnings);
}

std::string proxy_rbac_text(const json::value& answer) {
  std::string out;
  for (const auto& entry : find_list(answer, {"inbounds"})) {
    if (!out.empty()) out += '\n';
    out += inbound_text(entry.at("inbound")) + "\n" + rbac_text(entry.at("config")) + warnings_text(entry);
  }
  return out.empty() ? "the proxy has no inbounds\n" : out;
}

}  // namespace kdsd::app::cli
