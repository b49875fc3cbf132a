#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "app/cli/command.h"
#include "app/cli/configuration.h"

namespace kdsd::app::cli {
namespace {

struct MigrateOptions {
  std::string file;
  bool is_dry_run = false;
};

std::string version_text(int version) { return version == 0 ? "no schema" : "schema " + std::to_string(version); }

int migrate(Console& console, const MigrateOptions& options) {
  const auto loaded = load_configuration(console, options.file);
  if (!loaded.ok()) return fail(console, loaded.status());
  const auto& config = loaded->config;
  if (config.store.type == StoreType::memory) {
    console.out << "store.type is memory: there is nothing to migrate\n";
    return exit_done;
  }
  const auto& path = config.store.path;
  auto before = store::inspect_sqlite_store(path);
  if (!before.ok()) {
    if (before.status().code() != Code::not_found) return fail(console, before.status());
    before = store::SchemaState{};
  }
  if (options.is_dry_run) {
    const auto known = before->known == 0 ? std::string("the newest schema") : version_text(before->known);
    const bool is_current = before->stored == before->known && before->known != 0;
    console.out << path << ": " << version_text(before->stored)
                << (is_current ? ", which is the newest; nothing to do" : ", would be brought to " + known) << '\n';
    return exit_done;
  }
  auto store_settings = store_options(config);
  store_settings.migrate = true;
  {
    // Opening brings it up to date, and the file is closed again before it is inspected.
    const auto opened = store::open_sqlite_store(store_settings);
    if (!opened.ok()) return fail(console, opened.status());
  }
  const auto after = store::inspect_sqlite_store(path);
  if (!after.ok()) return fail(console, after.status());
  console.out << path << ": ";
  if (before->stored == after->stored) {
    console.out << version_text(after->stored) << ", which is the newest; nothing was done\n";
  } else {
    console.out << "from " << version_text(before->stored) << " to " << version_text(after->stored) << '\n';
  }
  return exit_done;
}

void add_flags(CLI::App& command, const std::shared_ptr<MigrateOptions>& options) {
  command.add_option("-c,--config-file", options->file, "configuration that names the store")->type_name("FILE");
  command.add_flag("--dry-run", options->is_dry_run, "only tell what would be done");
}

}  // namespace

void add_migrate(Commands& commands) {
  auto options = std::make_shared<MigrateOptions>();
  auto& command = add_command(commands.root, "migrate", "bring the store to the schema of this version",
                              "kdsd migrate up -c config/global.yaml --dry-run");
  add_flags(command, options);
  auto& up = add_command(command, "up", "the same; kuma-cp's spelling", "kdsd migrate up -c config/global.yaml");
  add_flags(up, options);
  const auto action = [options](Console& console) { return migrate(console, *options); };
  on_chosen(command, commands, action);
  on_chosen(up, commands, action);
}

}  // namespace kdsd::app::cli
