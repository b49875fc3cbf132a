#include "app/cli/main_command.h"

#include <CLI/CLI.hpp>
#include <ostream>

#include "app/cli/command.h"

namespace kdsd::app {
namespace {

void add_commands(cli::Commands& commands) {
  cli::add_run(commands);
  cli::add_version(commands);
  cli::add_config(commands);
  cli::add_migrate(commands);
  cli::add_apply(commands);
  cli::add_get(commands);
  cli::add_delete(commands);
  cli::add_plan(commands);
  cli::add_explain(commands);
  cli::add_inspect(commands);
  cli::add_policy(commands);
  cli::add_zones(commands);
  cli::add_hash(commands);
  cli::add_token(commands);
  cli::add_export(commands);
  cli::add_import(commands);
  cli::add_doctor(commands);
  cli::add_completion(commands);
}

}  // namespace

int run_cli(const std::vector<std::string>& arguments, cli::Console& console) {
  CLI::App app("kdsd keeps the zones of a service mesh in step with their global control plane.", "kdsd");
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "print this help and exit");
  app.footer(
      "Example:\n  kdsd apply -f mesh.yaml\n\n`kdsd COMMAND --help` shows the flags and an example of a command.");
  cli::Commands commands{app, {}};
  add_commands(commands);
  try {
    // CLI11 takes the arguments from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    console.out << app.help();
    return cli::exit_done;
  } catch (const CLI::RequiredError& error) {
    // CLI11 says so too where there is a word, but none that it knows.
    const bool has_command = !arguments.empty() && !arguments.front().starts_with('-');
    const auto is_named = [&](const CLI::App* command) { return command->get_name() == arguments.front(); };
    const bool is_unknown = has_command && commands.root.get_subcommands(is_named).empty();
    console.err << "kdsd: "
                << (is_unknown ? "there is no command \"" + arguments.front() + "\"" : std::string(error.what()))
                << "\n\n"
                << app.help();
    return cli::exit_wrong_use;
  } catch (const CLI::ParseError& error) {
    console.err << "kdsd: " << error.what() << "\n\n" << app.help();
    return cli::exit_wrong_use;
  }
  const int code = commands.chosen(console);
  console.out.flush();
  if (console.out.good()) return code;
  console.err << "kdsd: standard output cannot be written\n";
  return cli::exit_failed;
}

int kdsd_main(int argc, char** argv) {
  auto console = cli::process_console();
  return run_cli(std::vector<std::string>(argv + 1, argv + argc), console);
}

}  // namespace kdsd::app
