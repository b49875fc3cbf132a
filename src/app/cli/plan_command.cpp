#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "app/cli/age.h"
#include "app/cli/command.h"
#include "app/cli/document_input.h"
#include "app/cli/explanation_text.h"
#include "app/cli/output.h"
#include "app/cli/refusal.h"
#include "app/cli/resource_address.h"
#include "app/cli/server_flags.h"
#include "app/cli/world_file.h"
#include "kds/plan.h"
#include "model/json.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

// A server takes 4 MiB in one request unless it was told otherwise.
constexpr std::size_t request_bytes_max = 3 << 20;

struct PlanOptions {
  std::vector<std::string> inputs;
  std::string zone;
  bool is_offline = false;
  std::string world_file;
  OutputFormat format = OutputFormat::table;
  ServerFlags server;
};

// Documents of one request know of each other.
Result<json::array> ask(RestClient& client, const std::string& target, json::array documents) {
  const json::object request{{"documents", std::move(documents)}};
  const auto answer = client.post(target, to_compact_json(request));
  if (!answer.ok()) return answer.status();
  if (!answer->is_success()) return refusal_of(*answer);
  const auto body = parse_json(answer->body);
  if (!body.ok()) return body.status();
  const auto* planned = find(*body, {"documents"});
  if (planned == nullptr || !planned->is_array()) return Status(Code::malformed, "the answer is no plan");
  return planned->get_array();
}

Result<json::array> plan_online(RestClient& client, const PlanOptions& options,
                                const std::vector<InputDocument>& documents) {
  const auto target = options.zone.empty() ? "/_plan" : "/_plan?zone=" + encode_query_value(options.zone);
  json::array planned;
  json::array part;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    bytes += to_compact_json(documents[i].value).size() + 1;
    part.push_back(documents[i].value);
    const bool is_full = bytes >= request_bytes_max || part.size() == kds::limits::plan_documents;
    if (!is_full && i + 1 < documents.size()) continue;
    auto answer = ask(client, target, std::exchange(part, {}));
    if (!answer.ok()) return answer.status();
    planned.insert(planned.end(), answer->begin(), answer->end());
    bytes = 0;
  }
  return planned;
}

Result<kds::World> read_world(const Console& console, const std::string& path) {
  auto files = read_input(console, path);
  if (!files.ok()) return files.status();
  if (files->size() != 1) return Status(Code::invalid, path + ": one file is needed");
  auto documents = split_documents(files->front());
  if (!documents.ok()) return documents.status();
  if (documents->size() != 1) return Status(Code::invalid, path + ": one document is needed");
  auto world = world_from(documents->front().value);
  return world.ok() ? world : Result<kds::World>(world.status().prefixed(path));
}

Result<json::array> plan_offline(const Console& console, const PlanOptions& options,
                                 const std::vector<InputDocument>& documents) {
  auto world = read_world(console, options.world_file);
  if (!world.ok()) return world.status();
  if (!options.zone.empty()) {
    auto there = kds::seen_from(*world, options.zone);
    if (!there) return Status(Code::not_found, options.world_file + ": there is no zone " + options.zone);
    *world = std::move(*there);
  }
  kds::Plan plan(std::move(*world));
  for (const auto& document : documents) plan.add(document.value);
  plan.admit();
  plan.explain({});
  return plan.json().at("documents").as_array();
}

std::string zones_line(const json::value& document, const char* member, const std::string& head) {
  const auto* list = find(document, {member});
  std::string names;
  if (list == nullptr || !list->is_array()) return names;
  for (const auto& zone : list->get_array()) names += " " + std::string(zone.get_string().c_str());
  return names.empty() ? names : head + names + "\n";
}

Violations violations_of(const json::value& document) {
  Violations out;
  const auto* list = find(document, {"violations"});
  if (list == nullptr || !list->is_array()) return out;
  for (const auto& each : list->get_array()) {
    out.push_back({std::string(find_text(each, {"field"})), std::string(find_text(each, {"reason"}))});
  }
  return out;
}

void print_planned(Console& console, const json::value& document) {
  const auto action = find_text(document, {"action"});
  console.out << find_text(document, {"document"}) << ' ';
  if (action == "refuse") {
    console.out << coloured(console, Colour::red, "refused:") << ' ' << find_text(document, {"refusal"})
                << violation_lines(violations_of(document)) << '\n';
    return;
  }
  const auto word = "would be " + std::string(action == "create"   ? "created"
                                              : action == "update" ? "updated"
                                                                   : "unchanged");
  console.out << coloured(console, action == "create" ? Colour::green : Colour::yellow, word) << '\n'
              << zones_line(document, "gains", "new in zone") << zones_line(document, "loses", "gone from zone");
  if (const auto* explanation = find(document, {"explanation"})) {
    console.out << explanation_text(*explanation, unix_seconds());
  }
}

int plan(Console& console, const PlanOptions& options) {
  if (options.is_offline == options.world_file.empty())
    return wrong_use(console, "--offline and --as FILE go together");
  bool all_good = true;
  const auto documents = read_documents(console, options.inputs, all_good);
  if (documents.empty()) {
    return all_good ? fail(console, Status(Code::not_found, "there is no document in what was given")) : exit_failed;
  }
  Result<json::array> planned = json::array();
  if (options.is_offline) {
    planned = plan_offline(console, options, documents);
  } else {
    auto client = make_client(console, options.server);
    if (!client.ok()) return fail_to_connect(console, client.status());
    planned = plan_online(*client, options, documents);
  }
  if (!planned.ok()) return fail(console, planned.status());
  bool is_first = true;
  for (const auto& document : *planned) {
    all_good = all_good && find_text(document, {"action"}) != "refuse";
    if (options.format != OutputFormat::table) continue;
    if (!std::exchange(is_first, false)) console.out << '\n';
    print_planned(console, document);
  }
  if (options.format != OutputFormat::table)
    print_document(console, options.format, json::object{{"documents", std::move(*planned)}});
  return all_good ? exit_done : exit_failed;
}

}  // namespace

void add_plan(Commands& commands) {
  auto options = std::make_shared<PlanOptions>();
  auto& command = add_command(commands.root, "plan", "say what would become of documents, before they are applied",
                              "kdsd plan -f policies/ --zone berlin");
  command
      .add_option("-f,--file", options->inputs, "file, directory (its *.yaml, *.yml, *.json), or - for standard input")
      ->required()
      ->allow_extra_args(false)
      ->type_name("FILE|DIR|-");
  command.add_option("--zone", options->zone, "as if they were written in this zone of the global that is asked")
      ->type_name("ZONE");
  command.add_flag("--offline", options->is_offline, "work without a server, from the description that --as names");
  command.add_option("--as", options->world_file, "description of the mesh: mode, zones, environments")
      ->type_name("FILE");
  add_output_flag(command, options->format);
  add_server_flags(command, options->server);
  on_chosen(command, commands, [options](Console& console) { return plan(console, *options); });
}

}  // namespace kdsd::app::cli
