#include "app/cli/output.h"

#include <CLI/CLI.hpp>
#include <map>
#include <ostream>

#include "app/cli/yaml_output.h"
#include "model/json.h"

namespace kdsd::app::cli {
namespace json = boost::json;

void add_output_flag(CLI::App& command, OutputFormat& format) {
  static const std::map<std::string, OutputFormat> names = {
      {"table", OutputFormat::table}, {"yaml", OutputFormat::yaml}, {"json", OutputFormat::json}};
  command
      .add_option_function<std::string>(
          "-o,--output", [&format](const std::string& name) { format = names.at(name); }, "table, yaml or json")
      ->check(CLI::IsMember({"table", "yaml", "json"}))
      ->type_name("FORMAT")
      ->default_str("table");
}

void print_document(Console& console, OutputFormat format, const json::value& document) {
  console.out << (format == OutputFormat::yaml ? to_yaml(document) : to_pretty_json(document));
}

void print_documents(Console& console, OutputFormat format, const json::array& documents) {
  if (format == OutputFormat::json) {
    console.out << to_pretty_json(json::object{{"total", documents.size()}, {"items", documents}});
    return;
  }
  bool is_first = true;
  for (const auto& document : documents) {
    if (!is_first) console.out << "---\n";
    is_first = false;
    console.out << to_yaml(document);
  }
}

}  // namespace kdsd::app::cli
