#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "app/cli/age.h"
#include "app/cli/columns.h"
#include "app/cli/command.h"
#include "app/cli/listing.h"
#include "app/cli/output.h"
#include "app/cli/refusal.h"
#include "app/cli/resource_address.h"
#include "app/cli/server_flags.h"
#include "app/cli/table.h"
#include "app/cli/watch.h"
#include "model/json.h"
#include "model/labels.h"
#include "model/resource.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

struct GetOptions {
  std::string type;
  std::string name;
  std::string mesh;
  std::string namespace_;
  OutputFormat format = OutputFormat::table;
  bool is_watching = false;
  ServerFlags server;
};

// One resource, or a list.
struct Query {
  const ResourceType* type = nullptr;
  std::string path;
  std::string filter;
  bool is_item = false;
  std::string what;  // for messages
};

Query query_of(const GetOptions& options, const ResourceType& type) {
  Query query;
  query.type = &type;
  query.is_item = !options.name.empty();
  if (query.is_item) {
    const auto mesh = type.mesh_scoped && options.mesh.empty() ? std::string(default_mesh) : options.mesh;
    const auto name = core_name(options.name, options.namespace_);
    query.path = item_path(type, mesh, name);
    query.what = ResourceKey{&type, type.mesh_scoped ? mesh : std::string(), name}.text();
    return query;
  }
  query.path = collection_path(type, options.mesh);
  query.what = type.name;
  if (!options.namespace_.empty()) {
    const auto key = "filter[labels." + std::string(label::namespace_) + "]";
    query.filter = encode_query_value(key) + "=" + encode_query_value(options.namespace_);
  }
  return query;
}

Result<json::array> fetch(RestClient& client, const Query& query) {
  if (!query.is_item) return list_all(client, query.path, query.filter);
  auto answer = client.get(query.path);
  if (!answer.ok()) return answer.status();
  if (answer->status != 200) return refusal_of(*answer).prefixed(query.what);
  auto item = parse_json(answer->body);
  if (!item.ok()) return item.status().prefixed(query.what);
  return json::array{std::move(*item)};
}

int get_once(Console& console, RestClient& client, const Query& query, OutputFormat format) {
  auto documents = fetch(client, query);
  if (!documents.ok()) return fail(console, documents.status());
  if (format != OutputFormat::table) {
    if (query.is_item) {
      print_document(console, format, documents->front());
    } else {
      print_documents(console, format, *documents);
    }
    return exit_done;
  }
  if (documents->empty()) {
    console.err << "no " << query.type->name << " found\n";
    return exit_done;
  }
  Table table(column_names(*query.type));
  for (const auto& document : *documents) table.add(cells_of(*query.type, document, unix_seconds()));
  console.out << table.take_text();
  return exit_done;
}

int get_watching(Console& console, RestClient& client, const Query& query, OutputFormat format) {
  ChangePrinter show(console, format, column_names(*query.type),
                     [&](const json::value& document) { return cells_of(*query.type, document, unix_seconds()); });
  // A single resource that goes away is a deletion, and may come again.
  bool was_there = false;
  const auto look = [&]() -> Result<json::array> {
    auto documents = fetch(client, query);
    if (!documents.ok() && query.is_item && was_there && documents.status().code() == Code::not_found)
      return json::array();
    was_there = was_there || documents.ok();
    return documents;
  };
  return watch(console, look, std::ref(show));
}

int get_resources(Console& console, const GetOptions& options) {
  const auto type = find_type(Catalogue::builtin(), options.type);
  if (!type.ok()) return wrong_use(console, type.status().message());
  if (!options.mesh.empty() && !(*type)->mesh_scoped)
    return wrong_use(console, (*type)->name + " belongs to no mesh; leave -m out");
  auto client = make_client(console, options.server);
  if (!client.ok()) return fail_to_connect(console, client.status());
  const auto query = query_of(options, **type);
  return options.is_watching ? get_watching(console, *client, query, options.format)
                             : get_once(console, *client, query, options.format);
}

}  // namespace

void add_get(Commands& commands) {
  auto options = std::make_shared<GetOptions>();
  auto& command = add_command(commands.root, "get", "show resources", "kdsd get meshtimeouts -m shop -o yaml");
  command.add_option("type", options->type, "type: its name (MeshTimeout), its path (meshtimeouts), or kumactl's word")
      ->required()
      ->type_name("TYPE");
  command.add_option("name", options->name, "one resource instead of a list")->type_name("NAME");
  command
      .add_option("-m,--mesh", options->mesh,
                  "one mesh; without it a list has all, and a NAME is looked up in `default`")
      ->type_name("MESH");
  command.add_option("-n,--namespace", options->namespace_, "namespace of the resource, or those that carry its label")
      ->type_name("NAMESPACE");
  add_output_flag(command, options->format);
  command.add_flag("-w,--watch", options->is_watching, "go on and show every change");
  add_server_flags(command, options->server);
  on_chosen(command, commands, [options](Console& console) { return get_resources(console, *options); });
}

}  // namespace kdsd::app::cli
