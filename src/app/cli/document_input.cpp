#include "app/cli/document_input.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>

#include "model/json.h"

namespace kdsd::app::cli {
namespace fs = std::filesystem;
namespace json = boost::json;
namespace {

Result<InputFile> read_stream(std::istream& stream, const std::string& name) {
  constexpr std::size_t block_bytes = 64u << 10;
  InputFile file{name, {}};
  std::string block(block_bytes, '\0');
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    file.text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (file.text.size() > input_bytes_max) return Status(Code::exhausted, name + ": larger than 256 MiB");
  }
  if (stream.bad()) return Status(Code::unavailable, name + ": cannot be read");
  return file;
}

Result<InputFile> read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Status(Code::not_found, path.string() + ": cannot be opened for reading");
  return read_stream(stream, path.string());
}

bool is_document_file(const fs::path& path) {
  const auto extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

Result<std::vector<InputFile>> read_directory(const std::string& path) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (is_document_file(it->path()) && !it->is_directory(ignored)) paths.push_back(it->path());
  }
  if (error) return Status(Code::unavailable, path + ": " + error.message());
  if (paths.empty()) return Status(Code::not_found, path + ": holds no *.yaml, *.yml or *.json file");
  std::sort(paths.begin(), paths.end());
  std::vector<InputFile> files;
  for (const auto& each : paths) {
    auto file = read_file(each);
    if (!file.ok()) return file.status();
    files.push_back(std::move(*file));
  }
  return files;
}

// JSON is read as JSON, since tabs and long keys that are fine there are not in YAML. What is no single JSON value may
// still be YAML in flow style, or several JSON values with --- between them.
Result<std::vector<json::value>> parse_text(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  const bool may_be_json = begin != std::string::npos && (text[begin] == '{' || text[begin] == '[');
  if (!may_be_json) return parse_yaml_documents(text);
  auto value = parse_json(text);
  if (value.ok()) return std::vector<json::value>{std::move(*value)};
  auto documents = parse_yaml_documents(text);
  return documents.ok() ? std::move(documents) : Result<std::vector<json::value>>(value.status());
}

const json::array* members_of_list(const json::value& value) {
  if (value.is_array()) return &value.get_array();
  const auto* items = find(value, {"items"});
  const bool is_list = items != nullptr && items->is_array() && !value.get_object().contains("type");
  return is_list ? &items->get_array() : nullptr;
}

}  // namespace

Result<std::vector<InputFile>> read_input(const Console& console, const std::string& path) {
  std::error_code error;
  if (path != "-" && fs::is_directory(path, error)) return read_directory(path);
  auto file = path == "-" ? read_stream(console.in, path) : read_file(path);
  if (!file.ok()) return file.status();
  return std::vector<InputFile>{std::move(*file)};
}

Result<std::vector<InputDocument>> split_documents(const InputFile& file) {
  const auto name = file.name == "-" ? std::string("standard input") : file.name;
  auto values = parse_text(file.text);
  if (!values.ok()) return values.status().prefixed(name);
  std::vector<InputDocument> documents;
  const auto add = [&](json::value value) {
    documents.push_back({name + ", document " + std::to_string(documents.size() + 1), std::move(value)});
  };
  for (auto& value : *values) {
    if (const auto* members = members_of_list(value)) {
      for (const auto& member : *members) add(member);
    } else {
      add(std::move(value));
    }
  }
  return documents;
}

std::vector<InputDocument> read_documents(const Console& console, const std::vector<std::string>& inputs,
                                          bool& all_good) {
  std::vector<InputDocument> documents;
  for (const auto& input : inputs) {
    auto files = read_input(console, input);
    if (!files.ok()) {
      (void)fail(console, files.status());
      all_good = false;
      continue;
    }
    for (const auto& file : *files) {
      auto split = split_documents(file);
      if (!split.ok()) {
        (void)fail(console, split.status());
        all_good = false;
        continue;
      }
      std::move(split->begin(), split->end(), std::back_inserter(documents));
    }
  }
  return documents;
}

}  // namespace kdsd::app::cli
