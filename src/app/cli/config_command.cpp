#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "app/cli/command.h"
#include "app/cli/configuration.h"
#include "app/cli/output.h"
#include "app/cli/table.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

struct CheckOptions {
  std::string file;
  bool has_all = false;
  OutputFormat format = OutputFormat::table;
};

// Keys that concern what this program is not fill pages; they are shown when somebody set them.
bool is_shown(const EffectiveValue& value, bool has_all) {
  return has_all || value.source != "default" || value.decision == Decision::accept;
}

int check_config(Console& console, const CheckOptions& options) {
  const auto loaded = load_configuration(console, options.file);
  if (!loaded.ok()) return fail(console, loaded.status());
  for (const auto& warning : loaded->warnings) console.err << "Warning: " << warning << '\n';
  // The value is last: a list of types is long, and only the last column may be.
  Table table({"KEY", "SOURCE", "VALUE"});
  json::array documents;
  for (const auto& each : loaded->values) {
    if (!is_shown(each, options.has_all)) continue;
    table.add({each.key, each.source, each.value});
    documents.push_back(json::object{{"key", each.key}, {"value", each.value}, {"source", each.source}});
  }
  if (options.format == OutputFormat::table) {
    console.out << table.take_text();
  } else {
    print_document(console, options.format, documents);
  }
  return exit_done;
}

}  // namespace

void add_config(Commands& commands) {
  auto options = std::make_shared<CheckOptions>();
  auto& config =
      add_command(commands.root, "config", "work with the configuration", "kdsd config check -c config/zone.yaml");
  config.require_subcommand(1);
  auto& command =
      add_command(config, "check", "check file and environment and print the effective configuration; nothing starts",
                  "kdsd config check -c config/zone.yaml");
  command.add_option("-c,--config-file", options->file, "configuration; without it defaults and environment alone")
      ->type_name("FILE");
  command.add_flag("-a,--all", options->has_all, "also the defaults of keys that have no effect here");
  add_output_flag(command, options->format);
  on_chosen(command, commands, [options](Console& console) { return check_config(console, *options); });
}

}  // namespace kdsd::app::cli
