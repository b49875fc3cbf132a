// How commands come into the tree: each file adds its own, with flags, help and what to do when it is chosen.
//
// A command's action runs after the whole line was parsed, so wrong use is always found before anything happens.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <string>
#include <utility>

#include "app/cli/console.h"

namespace kdsd::app::cli {

// The action of the command that the line names; gives the exit code.
using Action = std::function<int(Console&)>;

struct Commands {
  CLI::App& root;
  Action chosen;
};

// A command with help; `example` is shown below the flags. Lives as long as its parent.
inline CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& help,
                             const std::string& example) {
  auto* command = parent.add_subcommand(name, help);
  command->footer("Example:\n  " + example);
  return *command;
}

inline void on_chosen(CLI::App& command, Commands& commands, Action action) {
  command.final_callback([&commands, action = std::move(action)] { commands.chosen = action; });
}

void add_run(Commands& commands);
void add_version(Commands& commands);
void add_config(Commands& commands);
void add_migrate(Commands& commands);
void add_apply(Commands& commands);
void add_get(Commands& commands);
void add_delete(Commands& commands);
void add_plan(Commands& commands);
void add_explain(Commands& commands);
void add_inspect(Commands& commands);
void add_policy(Commands& commands);
void add_zones(Commands& commands);
void add_hash(Commands& commands);
void add_export(Commands& commands);
void add_import(Commands& commands);
void add_token(Commands& commands);
void add_doctor(Commands& commands);
void add_completion(Commands& commands);

}  // namespace kdsd::app::cli
