#include "app/cli/resource_address.h"

#include <boost/url/encode.hpp>
#include <boost/url/rfc/pchars.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <cctype>

#include "app/config/nearest.h"

namespace kdsd::app::cli {
namespace {

std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '-') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

bool is_called(const ResourceType& type, const std::string& word) {
  for (const auto& spelling : {type.name, type.path, type.alt_path, type.kumactl_arg}) {
    if (!spelling.empty() && folded(spelling) == word) return true;
  }
  return false;
}

}  // namespace

Result<const ResourceType*> find_type(const Catalogue& catalogue, std::string_view text) {
  const auto word = folded(text);
  std::vector<std::string_view> names;
  for (const auto* type : catalogue.types()) {
    if (type->path.empty()) continue;  // the API does not show it
    if (is_called(*type, word)) return type;
    names.push_back(type->name);
  }
  return Status(Code::not_found,
                "unknown type \"" + std::string(text) + "\"; did you mean " + std::string(nearest(text, names)) + "?");
}

std::vector<std::string> type_words(const Catalogue& catalogue) {
  std::vector<std::string> words;
  for (const auto* type : catalogue.types()) {
    if (!type->path.empty()) words.push_back(type->path);
  }
  return words;
}

std::string encode_segment(std::string_view text) {
  return boost::urls::encode({text.data(), text.size()}, boost::urls::pchars);
}

std::string encode_query_value(std::string_view text) {
  return boost::urls::encode({text.data(), text.size()}, boost::urls::unreserved_chars);
}

std::string collection_path(const ResourceType& type, std::string_view mesh) {
  if (!type.mesh_scoped || mesh.empty()) return "/" + type.path;
  return "/meshes/" + encode_segment(mesh) + "/" + type.path;
}

std::string item_path(const ResourceType& type, std::string_view mesh, std::string_view name) {
  return collection_path(type, mesh) + "/" + encode_segment(name);
}

std::string core_name(const std::string& name, const std::string& namespace_) {
  return namespace_.empty() ? name : name + "." + namespace_;
}

}  // namespace kdsd::app::cli
