#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "app/cli/apply.h"
#include "app/cli/command.h"
#include "app/cli/document_input.h"
#include "app/cli/resource_address.h"
#include "app/cli/server_flags.h"
#include "app/cli/yaml_output.h"

namespace kdsd::app::cli {
namespace {

struct ApplyOptions {
  std::vector<std::string> inputs;
  bool is_dry_run = false;
  ServerFlags server;
};

Colour colour_of(Verdict verdict) { return verdict == Verdict::created ? Colour::green : Colour::yellow; }

void print_refusal(const Console& console, std::ostream& out, const std::string& what, const Status& status) {
  out << what << ' ' << coloured(console, Colour::red, "refused:") << ' ' << status.message()
      << violation_lines(status.violations()) << '\n';
}

// One document: a line, or several for a refusal. False when it was refused; `lost` when the server is gone.
bool apply_one(Console& console, Applier& applier, InputDocument& input, bool& lost) {
  auto prepared = prepare(Catalogue::builtin(), std::move(input.value));
  if (!prepared.ok()) {
    print_refusal(console, console.out, input.place, prepared.status());
    return false;
  }
  auto name = applier.name_in_address(*prepared);
  const auto what = prepared->text(name.ok() ? *name : prepared->document.name);
  auto applied = name.ok() ? applier.apply(*prepared, *name) : Result<Applied>(name.status());
  if (!applied.ok()) {
    lost = applied.status().code() == Code::unavailable;
    print_refusal(console, console.out, what, applied.status());
    return false;
  }
  const auto verdict = verdict_text(applied->verdict);
  const bool is_changed = applied->verdict != Verdict::unchanged;
  console.out << what << ' '
              << (is_changed ? coloured(console, colour_of(applied->verdict), verdict) : std::string(verdict))
              << std::endl;
  for (const auto& warning : applied->warnings) console.err << "Warning: " << what << ": " << warning << '\n';
  return true;
}

// What would be sent, as YAML that can be applied; everything else on the other stream.
bool show_one(Console& console, InputDocument& input, bool is_first) {
  auto prepared = prepare(Catalogue::builtin(), std::move(input.value));
  if (!prepared.ok()) {
    print_refusal(console, console.err, input.place, prepared.status());
    return false;
  }
  const auto& document = prepared->document;
  const bool has_namespace = document.type->kubernetes.namespaced && !document.type->kubernetes.native;
  const auto name = core_name(document.name, has_namespace ? document.namespace_ : std::string());
  for (const auto& warning : document.warnings)
    console.err << "Warning: " << prepared->text(name) << ": " << warning << '\n';
  if (auto status = check_locally(*prepared); !status.ok()) {
    print_refusal(console, console.err, prepared->text(name), status);
    return false;
  }
  console.out << (is_first ? "" : "---\n") << "# PUT " << item_path(*document.type, prepared->mesh, name) << '\n'
              << to_yaml(prepared->body);
  return true;
}

int apply_documents(Console& console, const ApplyOptions& options) {
  bool all_good = true;
  auto documents = read_documents(console, options.inputs, all_good);
  if (documents.empty() && all_good)
    return fail(console, Status(Code::not_found, "there is no document in what was given"));
  if (options.is_dry_run) {
    bool is_first = true;
    for (auto& document : documents) {
      const bool is_shown = show_one(console, document, is_first);
      all_good = all_good && is_shown;
      if (is_shown) is_first = false;
    }
    return all_good ? exit_done : exit_failed;
  }
  auto client = make_client(console, options.server);
  if (!client.ok()) return fail_to_connect(console, client.status());
  Applier applier(*client);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    bool lost = false;
    all_good = apply_one(console, applier, documents[i], lost) && all_good;
    if (!lost) continue;
    const auto left = documents.size() - i - 1;
    if (left > 0) console.err << "kdsd: " << left << " more document(s) were not sent\n";
    break;
  }
  return all_good ? exit_done : exit_failed;
}

}  // namespace

void add_apply(Commands& commands) {
  auto options = std::make_shared<ApplyOptions>();
  auto& command =
      add_command(commands.root, "apply", "create or replace resources", "kdsd apply -f mesh.yaml -f policies/");
  command
      .add_option("-f,--file", options->inputs, "file, directory (its *.yaml, *.yml, *.json), or - for standard input")
      ->required()
      ->allow_extra_args(false)
      ->type_name("FILE|DIR|-");
  command.add_flag("--dry-run", options->is_dry_run, "check here and show what would be sent; no server is needed");
  add_server_flags(command, options->server);
  on_chosen(command, commands, [options](Console& console) { return apply_documents(console, *options); });
}

}  // namespace kdsd::app::cli
