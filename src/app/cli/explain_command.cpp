// `kdsd explain` and `kdsd inspect explicit|rules|rbac`: one resource of a running control plane.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "app/cli/age.h"
#include "app/cli/command.h"
#include "app/cli/explanation_text.h"
#include "app/cli/inspection_text.h"
#include "app/cli/output.h"
#include "app/cli/refusal.h"
#include "app/cli/resource_address.h"
#include "app/cli/server_flags.h"
#include "app/cli/yaml_output.h"
#include "model/json.h"
#include "model/resource.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

struct ItemOptions {
  std::string type;
  std::string name;
  std::string mesh = std::string(default_mesh);
  std::string namespace_;
  OutputFormat format = OutputFormat::table;
  bool with_origin = false;
  bool with_shadow = false;
  ServerFlags server;
};

// Whether a view is there for resources of the type.
using IsShown = bool (*)(const ResourceType&);

bool is_policy(const ResourceType& type) { return type.is_target_ref_policy; }
bool is_proxy(const ResourceType& type) { return type.name == "Dataplane" || type.name == "MeshGateway"; }

void add_item_flags(CLI::App& command, ItemOptions& options, const std::string& type_help) {
  command.add_option("type", options.type, type_help)->required()->type_name("TYPE");
  command.add_option("name", options.name, "name as this control plane stores it")->required()->type_name("NAME");
  command.add_option("-m,--mesh", options.mesh, "mesh of the resource")->type_name("MESH");
  command.add_option("-n,--namespace", options.namespace_, "namespace of the resource")->type_name("NAMESPACE");
  add_output_flag(command, options.format);
  add_server_flags(command, options.server);
}

// What the endpoint below the resource's address answers, printed in the format asked for.
int show(Console& console, const ItemOptions& options, const std::string& endpoint,
         const std::function<std::string(const std::string& what, const json::value& answer)>& as_text) {
  const auto type = find_type(Catalogue::builtin(), options.type);
  if (!type.ok()) return wrong_use(console, type.status().message());
  auto client = make_client(console, options.server);
  if (!client.ok()) return fail_to_connect(console, client.status());
  const auto name = core_name(options.name, options.namespace_);
  const auto mesh = (*type)->mesh_scoped ? options.mesh : std::string();
  const auto what = ResourceKey{*type, mesh, name}.text();
  const auto answer = client->get(item_path(**type, mesh, name) + "/" + endpoint);
  if (!answer.ok()) return fail(console, answer.status());
  if (answer->status != 200) return fail(console, refusal_of(*answer).prefixed(what));
  const auto body = parse_json(answer->body);
  if (!body.ok()) return fail(console, body.status().prefixed(what));
  if (options.format == OutputFormat::table) {
    console.out << as_text(what, *body);
  } else {
    print_document(console, options.format, *body);
  }
  return exit_done;
}

int explain(Console& console, const ItemOptions& options) {
  return show(console, options, "_explain", [](const std::string& what, const json::value& answer) {
    return what + "\n" + explanation_text(answer, unix_seconds());
  });
}

int inspect_explicit(Console& console, const ItemOptions& options) {
  return show(console, options, "_explicit", [](const std::string&, const json::value& answer) {
    std::string out = "# role: " + std::string(find_text(answer, {"role"})) + "\n";
    const auto* scope = find(answer, {"effectiveScope"});
    const auto zone = find_text(*scope, {"zone"});
    const auto namespace_ = find_text(*scope, {"namespace"});
    out += "# holds for: " + (zone.empty() ? std::string("every zone") : "zone " + std::string(zone));
    out += namespace_.empty() ? "\n" : ", namespace " + std::string(namespace_) + "\n";
    const auto* resource = find(answer, {"resource"});
    return out + to_yaml(resource != nullptr ? *resource : json::value());
  });
}

int inspect_rules(Console& console, const ItemOptions& options) {
  std::string endpoint = "_rules";
  if (options.with_origin) endpoint += "?origin=true";
  if (options.with_shadow) endpoint += options.with_origin ? "&shadow=true" : "?shadow=true";
  return show(console, options, endpoint,
              [](const std::string&, const json::value& answer) { return rules_text(answer); });
}

int inspect_rbac(Console& console, const ItemOptions& options) {
  return show(console, options, options.with_shadow ? "_rbac?shadow=true" : "_rbac",
              [](const std::string&, const json::value& answer) { return proxy_rbac_text(answer); });
}

using Show = int (*)(Console&, const ItemOptions&);

struct Inspection {
  std::string name;
  std::string help;
  std::string example;
  std::string types;  // for which it is, in words
  IsShown is_shown = nullptr;
  Show show_item = nullptr;
};

CLI::App& add_inspection(CLI::App& inspect, Commands& commands, const Inspection& inspection,
                         const std::shared_ptr<ItemOptions>& options) {
  auto& command = add_command(inspect, inspection.name, inspection.help, inspection.example);
  add_item_flags(command, *options, inspection.types);
  on_chosen(command, commands, [options, inspection](Console& console) {
    const auto type = find_type(Catalogue::builtin(), options->type);
    if (type.ok() && !inspection.is_shown(**type))
      return wrong_use(console,
                       "`inspect " + inspection.name + "` is for " + inspection.types + ", not for " + (*type)->name);
    return inspection.show_item(console, *options);
  });
  return command;
}

}  // namespace

void add_explain(Commands& commands) {
  auto options = std::make_shared<ItemOptions>();
  auto& command = add_command(commands.root, "explain", "say why a resource is where it is, and who holds it",
                              "kdsd explain meshtimeouts slow-reports -m shop");
  add_item_flags(command, *options, "type: its name (MeshTimeout), its path (meshtimeouts), or kumactl's word");
  on_chosen(command, commands, [options](Console& console) { return explain(console, *options); });
}

void add_inspect(Commands& commands) {
  auto& inspect = add_command(commands.root, "inspect", "look into a policy, or into what policies say about a proxy",
                              "kdsd inspect rules dataplane web-1 -m shop --origin");
  inspect.require_subcommand(1);
  add_inspection(inspect, commands,
                 {"explicit", "show a policy with everything spelled out that may be left out",
                  "kdsd inspect explicit meshtimeouts slow-reports -m shop", "a policy with a target reference",
                  is_policy, inspect_explicit},
                 std::make_shared<ItemOptions>());

  auto of_rules = std::make_shared<ItemOptions>();
  auto& rules = add_inspection(
      inspect, commands,
      {"rules", "show what all policies together say about a proxy",
       "kdsd inspect rules dataplane web-1 -m shop --origin", "dataplane or meshgateway", is_proxy, inspect_rules},
      of_rules);
  rules.add_flag("--origin", of_rules->with_origin, "say for each field which policy gave it");
  rules.add_flag("--shadow", of_rules->with_shadow, "with the policies whose effect is shadow");

  auto of_rbac = std::make_shared<ItemOptions>();
  auto& rbac = add_inspection(inspect, commands,
                              {"rbac", "show who may call a proxy", "kdsd inspect rbac dataplane web-1 -m shop",
                               "dataplane or meshgateway", is_proxy, inspect_rbac},
                              of_rbac);
  rbac.add_flag("--shadow", of_rbac->with_shadow, "with the policies whose effect is shadow");
}

}  // namespace kdsd::app::cli
