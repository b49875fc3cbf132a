// The flag `-o table|yaml|json`, and documents printed in the two forms that programs read.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "app/cli/command.h"

namespace kdsd::app::cli {

enum class OutputFormat { table, yaml, json };

void add_output_flag(CLI::App& command, OutputFormat& format);

// One document. `format` is yaml or json.
void print_document(Console& console, OutputFormat format, const boost::json::value& document);

// Many: as YAML documents with `---` between them, or as one JSON object with `total` and `items`. Both can be applied.
void print_documents(Console& console, OutputFormat format, const boost::json::array& documents);

}  // namespace kdsd::app::cli
