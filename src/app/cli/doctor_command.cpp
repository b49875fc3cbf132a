#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "app/cli/age.h"
#include "app/cli/command.h"
#include "app/cli/configuration.h"
#include "app/cli/doctor.h"

namespace kdsd::app::cli {
namespace {

std::string word_of(const Console& console, Health health) {
  switch (health) {
    case Health::ok:
      return coloured(console, Colour::green, "ok") + "  ";
    case Health::warn:
      return coloured(console, Colour::yellow, "warn");
    case Health::fail:
      return coloured(console, Colour::red, "FAIL");
  }
  return {};
}

void print(Console& console, const Finding& finding) {
  console.out << word_of(console, finding.health) << ' ' << finding.subject << ": " << finding.text
              << (finding.advice.empty() ? "" : " -> " + finding.advice) << '\n';
}

int examine_and_print(Console& console, const std::string& file) {
  const auto loaded = load_configuration(console, file);
  if (!loaded.ok()) {
    const auto& status = loaded.status();
    if (status.violations().empty()) print(console, {Health::fail, "configuration", status.message(), "correct it"});
    for (const auto& violation : status.violations()) {
      print(console, {Health::fail, "configuration", violation.field + ": " + violation.reason, "correct it"});
    }
    return exit_failed;
  }
  const auto& config = loaded->config;
  print(console,
        {Health::ok,
         "configuration",
         config.is_global() ? std::string("a global")
                            : std::string(config.is_federated_zone() ? "zone " : "standalone zone ") + config.zone_name,
         {}});
  for (const auto& warning : loaded->warnings)
    print(console, {Health::warn, "configuration", warning, "leave it out, or ignore this"});
  bool has_failure = false;
  for (const auto& finding : examine(config, unix_seconds())) {
    print(console, finding);
    has_failure = has_failure || finding.health == Health::fail;
  }
  return has_failure ? exit_failed : exit_done;
}

}  // namespace

void add_doctor(Commands& commands) {
  auto file = std::make_shared<std::string>();
  auto& command = add_command(commands.root, "doctor", "check what a control plane needs and say what to do",
                              "kdsd doctor -c config/zone.yaml");
  command.add_option("-c,--config-file", *file, "configuration of the control plane")->type_name("FILE");
  on_chosen(command, commands, [file](Console& console) { return examine_and_print(console, *file); });
}

}  // namespace kdsd::app::cli
