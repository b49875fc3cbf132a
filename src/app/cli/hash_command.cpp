#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "app/cli/command.h"
#include "model/hash.h"

namespace kdsd::app::cli {
namespace {

struct HashOptions {
  std::string mesh;
  std::string name;
  std::vector<std::string> values;
};

}  // namespace

void add_hash(Commands& commands) {
  auto options = std::make_shared<HashOptions>();
  auto& command = add_command(commands.root, "hash", "print the name that a resource has away from home",
                              "kdsd hash --mesh shop slow-reports berlin");
  command.add_option("-m,--mesh", options->mesh, "mesh of the resource; \"\" for types that belong to no mesh")
      ->required()
      ->type_name("MESH");
  command.add_option("name", options->name, "name at home")->required()->type_name("NAME");
  command.add_option("values", options->values, "zone, if it has one, then namespace, if it has one")
      ->type_name("LABELVALUE");
  on_chosen(command, commands, [options](Console& console) {
    const std::vector<std::string_view> values(options->values.begin(), options->values.end());
    console.out << hashed_name(options->mesh, options->name, values) << '\n';
    return exit_done;
  });
}

}  // namespace kdsd::app::cli
