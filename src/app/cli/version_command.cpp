#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "app/cli/command.h"
#include "app/config/key.h"
#include "app/run.h"
#include "model/json.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

// Of what two programs of this kind say to each other beyond Kuma; it rises when one of the features changes.
constexpr int protocol_level = 1;

std::string kuma_level() {
  const auto* key = find_key("kdsd.compatibleVersion");
  return key == nullptr ? std::string() : std::string(key->fallback);
}

void print_version(Console& console, bool is_json) {
  const std::string commit = *kdsd_commit() == '\0' ? "unknown" : kdsd_commit();
  if (is_json) {
    console.out << to_pretty_json(json::object{
        {"version", kdsd_version()}, {"commit", commit}, {"protocol", protocol_level}, {"kuma", kuma_level()}});
    return;
  }
  console.out << "version   " << kdsd_version() << "\ncommit    " << commit << "\nprotocol  " << protocol_level
              << "\nkuma      " << kuma_level() << '\n';
}

}  // namespace

void add_version(Commands& commands) {
  auto format = std::make_shared<std::string>("text");
  auto& command = add_command(commands.root, "version", "print version, commit, protocol level and Kuma level",
                              "kdsd version -o json");
  command.add_option("-o,--output", *format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  on_chosen(command, commands, [format](Console& console) {
    print_version(console, *format == "json");
    return exit_done;
  });
}

}  // namespace kdsd::app::cli
