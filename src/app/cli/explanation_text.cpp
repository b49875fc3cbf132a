#include "app/cli/explanation_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "app/cli/age.h"
#include "app/cli/table.h"
#include "model/json.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

std::string text_of(const json::value& value, std::initializer_list<std::string_view> path) {
  return std::string(find_text(value, path));
}

bool is_true(const json::value& value, std::string_view member) {
  const auto* found = find(value, {member});
  return found != nullptr && found->is_bool() && found->get_bool();
}

std::string place_name(const json::value& place) {
  return find_text(place, {"place"}) == "global" ? "global" : "zone " + text_of(place, {"zone"});
}

// What nobody told is not the same as none.
std::string told(const json::value& holder, std::string_view member) {
  const auto* found = find(holder, {member});
  return found != nullptr && found->is_null() ? "?" : text_of(holder, {member});
}

std::string labels_text(const json::value& reference) {
  std::string out;
  const auto* labels = find(reference, {"labels"});
  if (labels == nullptr || !labels->is_object()) return out;
  for (const auto& entry : labels->get_object()) {
    out += out.empty() ? "" : ",";
    out += std::string(entry.key()) + "=" + (entry.value().is_string() ? entry.value().get_string().c_str() : "");
  }
  return out;
}

std::string line(const std::string& head, const std::string& text) {
  if (text.empty()) return {};
  return head + std::string(head.size() < 12 ? 12 - head.size() : 1, ' ') + text + "\n";
}

std::string with_sentence(const std::string& word, const std::string& sentence) {
  return sentence.empty() || sentence == word ? word : word + ": " + sentence;
}

std::string origin_text(const json::value& explanation) {
  std::string out = text_of(explanation, {"origin", "kind"});
  if (const auto zone = text_of(explanation, {"origin", "zone"}); !zone.empty()) out += " " + zone;
  if (const auto name = text_of(explanation, {"origin", "namespace"}); !name.empty()) out += ", namespace " + name;
  return out;
}

std::string role_text(const json::value& explanation) {
  const auto computed = text_of(explanation, {"role", "computed"});
  if (computed.empty()) return {};
  auto out = with_sentence(computed, text_of(explanation, {"roleWhy"}));
  const auto declared = text_of(explanation, {"role", "declared"});
  return declared == computed ? out : out + " (declared " + declared + ")";
}

std::string places_text(const json::value& explanation) {
  Table table({"PLACE", "NAME", "NAMESPACE", "KIND"});
  for (const auto& place : find_list(explanation, {"places"})) {
    const std::string kind = is_true(place, "author") ? "original" : "copy";
    table.add({place_name(place), text_of(place, {"name"}), told(place, "namespace"),
               is_true(place, "here") ? kind + ", here" : kind});
  }
  return table.take_text();
}

std::string references_text(const json::value& explanation) {
  std::string out;
  for (const auto& reference : find_list(explanation, {"references"})) {
    std::string resolved;
    for (const auto& kri : find_list(reference, {"resolved"})) {
      resolved += (resolved.empty() ? "" : ", ") + std::string(kri.get_string().c_str());
    }
    out += "\n" + text_of(reference, {"path"}) + "  " + text_of(reference, {"kind"}) + " -> " +
           (resolved.empty() ? "nothing that is stored here" : resolved) + "\n";
    if (const auto labels = labels_text(reference); !labels.empty()) {
      out += "by labels, the same everywhere: " + labels + "\n";
      continue;
    }
    Table table({"PLACE", "NAME", "NAMESPACE"});
    for (const auto& place : find_list(reference, {"places"})) {
      table.add({place_name(place), told(place, "name"), told(place, "namespace")});
    }
    out += table.take_text();
  }
  return out;
}

std::string seconds_text(const json::value& delivery) {
  const auto* seconds = find(delivery, {"lagSeconds"});
  if (seconds == nullptr || !seconds->is_number()) return {};
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.3gs", seconds->to_number<double>());
  return buffer.data();
}

std::string number_text(const json::value& delivery, std::string_view member) {
  const auto* number = find(delivery, {member});
  return number == nullptr ? std::string() : to_compact_json(*number);
}

std::string lag_text(const json::value& delivery) {
  const auto revisions = number_text(delivery, "lagRevisions");
  return revisions.empty() || revisions == "0" ? revisions : revisions + " (" + seconds_text(delivery) + ")";
}

std::string held_text(const json::value& delivery) {
  const auto revision = number_text(delivery, "heldRevision");
  return revision.empty() ? text_of(delivery, {"holds"}) : revision;
}

std::string link_text(const json::value& delivery, std::int64_t now_seconds) {
  const auto since = text_of(delivery, {"since"});
  if (since.empty()) return {};
  return (is_true(delivery, "online") ? "online " : "offline ") + age_of(since, now_seconds);
}

std::string zones_text(const json::value& explanation, std::int64_t now_seconds) {
  const auto& zones = find_list(explanation, {"sync", "zones"});
  if (zones.empty()) return {};
  const bool has_delivery =
      std::any_of(zones.begin(), zones.end(), [](const auto& zone) { return find(zone, {"delivery"}) != nullptr; });
  std::vector<std::string> header = {"ZONE", "SENT", "REASON"};
  if (has_delivery) header.insert(header.end(), {"STATE", "HELD", "LAG", "LINK"});
  Table table(header);
  std::string notes;
  for (const auto& zone : zones) {
    const auto name = text_of(zone, {"zone"});
    std::vector<std::string> cells = {name, is_true(zone, "sent") ? "yes" : "no", text_of(zone, {"reason"})};
    if (has_delivery) {
      const auto* found = find(zone, {"delivery"});
      const auto delivery = found != nullptr ? *found : json::value();
      cells.insert(cells.end(), {text_of(delivery, {"state"}), held_text(delivery), lag_text(delivery),
                                 link_text(delivery, now_seconds)});
      const auto rejected = text_of(delivery, {"lastRejection", "text"});
      if (!rejected.empty()) notes += "zone " + name + " refused: " + rejected + "\n";
      const auto held_back = text_of(delivery, {"heldBack"});
      if (!held_back.empty()) notes += "zone " + name + ": " + held_back + "\n";
    }
    const auto sentence = text_of(zone, {"sentence"});
    if (!sentence.empty()) notes += "zone " + name + ": " + sentence + "\n";
    table.add(std::move(cells));
  }
  return "\n" + table.take_text() + notes;
}

}  // namespace

std::string explanation_text(const json::value& explanation, std::int64_t now_seconds) {
  std::string out = line("written in", origin_text(explanation));
  out += line("role", role_text(explanation));
  out +=
      line("rule", with_sentence(text_of(explanation, {"sync", "reason"}), text_of(explanation, {"sync", "sentence"})));
  if (const auto* global = find(explanation, {"sync", "toGlobal"}); global != nullptr && global->is_bool()) {
    out += line("to global", global->get_bool() ? "yes" : "no");
  }
  out += line("kri", text_of(explanation, {"kri"}));
  out += "\n" + places_text(explanation);
  out += references_text(explanation);
  out += zones_text(explanation, now_seconds);
  for (const auto& warning : find_list(explanation, {"warnings"})) {
    out += "Warning: " + std::string(warning.get_string().c_str()) + "\n";
  }
  return out;
}

}  // namespace kdsd::app::cli
