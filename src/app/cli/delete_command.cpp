#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "app/cli/apply.h"
#include "app/cli/command.h"
#include "app/cli/document_input.h"
#include "app/cli/resource_address.h"
#include "app/cli/server_flags.h"

namespace kdsd::app::cli {
namespace {

struct DeleteOptions {
  std::string type;
  std::string name;
  std::string mesh;
  std::string namespace_;
  std::vector<std::string> inputs;
  ServerFlags server;
};

// Prints the line of one resource; false when it was refused.
bool report(Console& console, const std::string& what, const Status& status) {
  if (status.ok()) {
    console.out << what << ' ' << coloured(console, Colour::yellow, verdict_text(Verdict::deleted)) << std::endl;
    return true;
  }
  console.out << what << ' ' << coloured(console, Colour::red, "refused:") << ' ' << status.message()
              << violation_lines(status.violations()) << std::endl;
  return false;
}

int delete_named(Console& console, const DeleteOptions& options) {
  const auto type = find_type(Catalogue::builtin(), options.type);
  if (!type.ok()) return wrong_use(console, type.status().message());
  auto client = make_client(console, options.server);
  if (!client.ok()) return fail_to_connect(console, client.status());
  std::string mesh;
  if ((*type)->mesh_scoped) mesh = options.mesh.empty() ? std::string(default_mesh) : options.mesh;
  const auto name = core_name(options.name, options.namespace_);
  const ResourceKey key{*type, mesh, name};
  return report(console, key.text(), Applier(*client).remove(**type, mesh, name)) ? exit_done : exit_failed;
}

int delete_of_files(Console& console, const DeleteOptions& options) {
  std::vector<InputDocument> documents;
  for (const auto& input : options.inputs) {
    auto files = read_input(console, input);
    if (!files.ok()) return fail(console, files.status());
    for (const auto& file : *files) {
      auto split = split_documents(file);
      if (!split.ok()) return fail(console, split.status());
      std::move(split->begin(), split->end(), std::back_inserter(documents));
    }
  }
  auto client = make_client(console, options.server);
  if (!client.ok()) return fail_to_connect(console, client.status());
  Applier applier(*client);
  bool all_good = true;
  // From the last one on: what stands before others in a file, such as their mesh, takes them with it.
  for (auto document = documents.rbegin(); document != documents.rend(); ++document) {
    auto prepared = prepare(Catalogue::builtin(), std::move(document->value));
    if (!prepared.ok()) {
      all_good = report(console, document->place, prepared.status()) && all_good;
      continue;
    }
    const auto name = applier.name_in_address(*prepared);
    const auto status = name.ok() ? applier.remove(*prepared->document.type, prepared->mesh, *name) : name.status();
    all_good = report(console, prepared->text(name.ok() ? *name : prepared->document.name), status) && all_good;
    if (status.code() == Code::unavailable) break;
  }
  return all_good ? exit_done : exit_failed;
}

int delete_resources(Console& console, const DeleteOptions& options) {
  if (!options.inputs.empty()) {
    if (options.type.empty() && options.mesh.empty() && options.namespace_.empty())
      return delete_of_files(console, options);
    return wrong_use(console, "-f cannot be used together with TYPE, NAME, -m or -n: the files say all of it");
  }
  if (options.name.empty()) return wrong_use(console, "delete needs TYPE and NAME, or -f FILE");
  return delete_named(console, options);
}

}  // namespace

void add_delete(Commands& commands) {
  auto options = std::make_shared<DeleteOptions>();
  auto& command = add_command(commands.root, "delete", "delete resources", "kdsd delete MeshTimeout slow -m shop");
  command.add_option("type", options->type, "type, as in `kdsd get`")->type_name("TYPE");
  command.add_option("name", options->name, "name of the resource")->type_name("NAME");
  command.add_option("-m,--mesh", options->mesh, "mesh of the resource; without it `default`")->type_name("MESH");
  command.add_option("-n,--namespace", options->namespace_, "namespace, on a control plane that has them")
      ->type_name("NAMESPACE");
  command.add_option("-f,--file", options->inputs, "delete what these files name, the last document first")
      ->allow_extra_args(false)
      ->type_name("FILE|DIR|-");
  add_server_flags(command, options->server);
  on_chosen(command, commands, [options](Console& console) { return delete_resources(console, *options); });
}

}  // namespace kdsd::app::cli
