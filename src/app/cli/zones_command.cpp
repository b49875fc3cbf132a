#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <ostream>

#include "app/cli/age.h"
#include "app/cli/command.h"
#include "app/cli/listing.h"
#include "app/cli/output.h"
#include "app/cli/server_flags.h"
#include "app/cli/table.h"
#include "app/cli/watch.h"
#include "app/cli/zones.h"
#include "model/json.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

constexpr const char* overview_path = "/zones/_overview";

struct ZonesOptions {
  OutputFormat format = OutputFormat::table;
  bool is_watching = false;
  ServerFlags server;
};

bool is_enabled(const json::value& overview) {
  const auto* enabled = find(overview, {"zone", "enabled"});
  return enabled == nullptr || !enabled->is_bool() || enabled->get_bool();
}

// A 64-bit number of a proto message is a text in JSON.
std::int64_t count_of(const json::value& total, std::string_view name) {
  const auto* value = find(total, {name});
  if (value == nullptr) return 0;
  if (value->is_int64()) return value->get_int64();
  std::int64_t number = 0;
  const auto text = find_text(total, {name});
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Sums over all kept subscriptions, as kumactl does.
struct Summary {
  bool is_connected = false;
  std::string connected_since;  // newest connection that is open
  std::string last_end;         // newest end of a connection
  std::string version;
  std::int64_t sent = 0;
  std::int64_t acknowledged = 0;
  std::int64_t rejected = 0;
};

Summary summary_of(const json::value& overview) {
  Summary summary;
  for (const auto& subscription : find_list(overview, {"zoneInsight", "subscriptions"})) {
    const std::string begin(find_text(subscription, {"connectTime"}));
    const std::string end(find_text(subscription, {"disconnectTime"}));
    if (!begin.empty() && end.empty()) {
      summary.is_connected = true;
      summary.connected_since = std::max(summary.connected_since, begin);
    }
    summary.last_end = std::max(summary.last_end, end);
    const std::string version(find_text(subscription, {"version", "kumaCp", "version"}));
    if (!version.empty()) summary.version = version;
    const auto* total = find(subscription, {"status", "total"});
    if (total == nullptr) continue;
    summary.sent += count_of(*total, "responsesSent");
    summary.acknowledged += count_of(*total, "responsesAcknowledged");
    summary.rejected += count_of(*total, "responsesRejected");
  }
  return summary;
}

int show_once(Console& console, RestClient& client, OutputFormat format) {
  auto zones = list_all(client, overview_path, {});
  if (!zones.ok()) return fail(console, zones.status());
  if (format != OutputFormat::table) {
    print_documents(console, format, *zones);
    return exit_done;
  }
  if (zones->empty()) {
    console.err << "no zone found\n";
    return exit_done;
  }
  // So it is on a zone, and on a global that is still without one.
  if (std::none_of(zones->begin(), zones->end(),
                   [](const auto& zone) { return find(zone, {"zoneInsight"}) != nullptr; }))
    console.err << "no zone ever connected to this control plane; zones connect to the global\n";
  Table table(zone_column_names());
  for (const auto& zone : *zones) table.add(zone_cells(zone, unix_seconds()));
  console.out << table.take_text();
  for (const auto& zone : *zones) {
    if (const auto conflict = find_text(zone, {"conflict"}); !conflict.empty())
      console.out << "zone " << find_text(zone, {"name"}) << ": " << conflict << '\n';
  }
  return exit_done;
}

// What is shown of a zone decides whether it changed: an overview has times that change with every ping.
json::array shown_of(const json::array& zones, OutputFormat format) {
  if (format != OutputFormat::table) return zones;
  json::array out;
  for (const auto& zone : zones) {
    const auto cells = zone_cells(zone, unix_seconds());
    const auto summary = summary_of(zone);
    // The age grows by itself; the time it counts from does not.
    out.push_back(
        json::object{{"name", cells.front()},
                     {"zone", zone},
                     {"key", json::array{cells[1], cells[2], cells[4], summary.connected_since, summary.last_end,
                                         summary.sent, summary.acknowledged, summary.rejected}}});
  }
  return out;
}

int show_watching(Console& console, RestClient& client, OutputFormat format) {
  std::map<std::string, json::value> overviews;
  const auto look = [&]() -> Result<json::array> {
    auto zones = list_all(client, overview_path, {});
    if (!zones.ok() || format != OutputFormat::table) return zones;
    auto shown = shown_of(*zones, format);
    for (auto& each : shown) {
      auto& object = each.get_object();
      overviews[std::string(find_text(each, {"name"}))] = object["zone"];
      object.erase("zone");
    }
    return shown;
  };
  ChangePrinter show(console, format, zone_column_names(), [&](const json::value& document) {
    return zone_cells(overviews[std::string(find_text(document, {"name"}))], unix_seconds());
  });
  return watch(console, look, std::ref(show));
}

int show_zones(Console& console, const ZonesOptions& options) {
  auto client = make_client(console, options.server);
  if (!client.ok()) return fail_to_connect(console, client.status());
  return options.is_watching ? show_watching(console, *client, options.format)
                             : show_once(console, *client, options.format);
}

}  // namespace

std::vector<std::string> zone_column_names() {
  return {"NAME", "ENABLED", "ONLINE", "SINCE", "VERSION", "SENT", "ACKED", "REJECTED"};
}

std::vector<std::string> zone_cells(const json::value& overview, std::int64_t now_seconds) {
  const auto summary = summary_of(overview);
  const bool enabled = is_enabled(overview);
  const bool is_online = summary.is_connected && enabled;
  return {std::string(find_text(overview, {"name"})),
          enabled ? "true" : "false",
          is_online ? "true" : "false",
          age_of(summary.is_connected ? summary.connected_since : summary.last_end, now_seconds),
          summary.version,
          std::to_string(summary.sent),
          std::to_string(summary.acknowledged),
          std::to_string(summary.rejected)};
}

void add_zones(Commands& commands) {
  auto options = std::make_shared<ZonesOptions>();
  auto& command = add_command(commands.root, "zones", "show zones and their connections", "kdsd zones --watch");
  add_output_flag(command, options->format);
  command.add_flag("-w,--watch", options->is_watching, "go on and show every change");
  add_server_flags(command, options->server);
  on_chosen(command, commands, [options](Console& console) { return show_zones(console, *options); });
}

}  // namespace kdsd::app::cli
