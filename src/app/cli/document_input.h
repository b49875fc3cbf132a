// Documents from files, directories and standard input.
//
// A file may hold many documents, YAML or JSON, in both formats; lists (`items`) count as the documents in them.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/console.h"
#include "model/status.h"

namespace kdsd::app::cli {

inline constexpr std::size_t input_bytes_max = 256u << 20;  // of one file; the content of a large control plane

struct InputFile {
  std::string name;  // "-" for standard input
  std::string text;
};

struct InputDocument {
  std::string place;  // "mesh.yaml, document 2"
  boost::json::value value;
};

// `path` is a file, "-", or a directory, which means its *.yaml, *.yml and *.json files sorted by name, without those
// in folders below it.
Result<std::vector<InputFile>> read_input(const Console& console, const std::string& path);

// The documents of one text in their order. The error names the file and the line.
Result<std::vector<InputDocument>> split_documents(const InputFile& file);

// All that can be read of all inputs; files that cannot be read are reported on `err`, left out, and clear `all_good`.
std::vector<InputDocument> read_documents(const Console& console, const std::vector<std::string>& inputs,
                                          bool& all_good);

}  // namespace kdsd::app::cli
