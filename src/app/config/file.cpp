// A configuration file over the settings (declared in app/config/settings.h). The only place that knows yaml-cpp.
#include <optional>
#include <set>
#include <yaml-cpp/yaml.h>

#include "app/config/nearest.h"
#include "app/config/settings.h"

namespace kdsd::app {
namespace {

// A full reference file has some 400 values; aliases that multiply each other are stopped long before they hurt.
constexpr std::size_t file_nodes_max = 20'000;
constexpr std::size_t file_depth_max = 32;

class FileReader {
 public:
  FileReader(std::string_view name, Settings& settings, Findings& findings)
      : name_(name), settings_(settings), findings_(findings) {}

  void read(const YAML::Node& root) {
    if (root.IsNull()) return;
    if (!root.IsMap()) return findings_.refuse("", place(root) + ": the file has to be a map of keys");
    if (!check_shape(root, "", 0)) return;
    read_section(root, "");
  }

 private:
  std::string place(const YAML::Node& node) const { return name_ + ":" + std::to_string(node.Mark().line + 1); }

  // Keys are scalars and no key comes twice, anywhere in the file.
  bool check_shape(const YAML::Node& node, const std::string& path, std::size_t depth) {
    if (++nodes_ > file_nodes_max || depth > file_depth_max) {
      findings_.refuse(path, place(node) + ": the file is larger or deeper than a configuration can be");
      return false;
    }
    if (node.IsSequence()) {
      for (const auto& item : node) {
        if (!check_shape(item, path, depth + 1)) return false;
      }
    }
    if (!node.IsMap()) return true;
    std::set<std::string> seen;
    for (const auto& member : node) {
      if (!member.first.IsScalar()) {
        findings_.refuse(path, place(member.first) + ": a key has to be a text");
        return false;
      }
      const std::string below = join(path, member.first.Scalar());
      if (member.first.Scalar() == "<<")
        findings_.refuse(below, place(member.first) + ": merge keys are not supported");
      if (!seen.insert(member.first.Scalar()).second) {
        findings_.refuse(below, place(member.first) + ": the key comes twice");
      }
      if (!check_shape(member.second, below, depth + 1)) return false;
    }
    return true;
  }

  static std::string join(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "." + name;
  }

  void read_section(const YAML::Node& node, const std::string& path) {
    std::map<std::string, std::string> seen;  // lower case → as written
    for (const auto& member : node) {
      const std::string& name = member.first.Scalar();
      const std::string below = join(path, name);
      auto [before, is_new] = seen.emplace(lower(name), name);
      if (!is_new && before->second != name) {
        findings_.refuse(below, place(member.first) + ": the key comes twice, also as " + before->second);
        continue;
      }
      if (name == "<<") continue;  // refused by check_shape
      if (const Key* key = find_key(below)) {
        read_key(*key, member.second);
      } else if (is_section(below)) {
        read_subsection(member.first, member.second, below);
      } else {
        unknown_key(member.first, path, below);
      }
    }
  }

  void read_subsection(const YAML::Node& name, const YAML::Node& node, const std::string& path) {
    if (node.IsNull()) return;
    if (node.IsMap()) return read_section(node, path);
    findings_.refuse(path, place(name) + ": has keys below it and takes no value itself");
  }

  void unknown_key(const YAML::Node& name, const std::string& section, const std::string& path) {
    if (section.empty()) {
      findings_.warn(path + " (" + place(name) + ") is an unknown section and ignored" + suggestion(path, ""));
      return;
    }
    switch (unknown_keys_below(section)) {
      case UnknownKeys::ignore:
        return;
      case UnknownKeys::warn:
        findings_.warn(path + " (" + place(name) + ") has no effect here");
        return;
      case UnknownKeys::refuse:
        findings_.refuse(path, place(name) + ": the key is unknown" + suggestion(path, section));
    }
  }

  // The nearest known key below the section; at the top, the nearest section.
  static std::string suggestion(const std::string& path, const std::string& section) {
    std::set<std::string_view> names;
    for (const auto& key : all_keys()) {
      if (section.empty()) {
        names.insert(key.path.substr(0, key.path.find('.')));
      } else if (lower(key.path).starts_with(lower(section) + ".")) {
        names.insert(key.path.substr(0, key.path.find('.', section.size() + 1)));
      }
    }
    const auto best = nearest(path, {names.begin(), names.end()});
    return best.empty() ? "" : "; did you mean " + std::string(best) + "?";
  }

  void read_key(const Key& key, const YAML::Node& node) {
    if (node.IsNull()) return;  // "not set", as in kuma-cp
    const std::string source = place(node);
    Result<Value> value = read_value(key, node);
    if (value.ok()) return settings_.set(key, std::move(*value), source);
    const std::string shown = node.IsScalar() ? node.Scalar() : node.IsMap() ? "{…}" : "[…]";
    findings_.refuse(key.path, refusal(key, shown, source, value.status().message()));
  }

  static Result<Value> read_value(const Key& key, const YAML::Node& node) {
    const Status refused(Code::invalid, accepted_values(key));
    if (key.type == KeyType::public_keys) return read_public_keys(key, node);
    if (key.type == KeyType::list || key.type == KeyType::ciphers) {
      if (!node.IsSequence()) return refused;
      std::vector<std::string> items;
      for (const auto& item : node) {
        if (!item.IsScalar()) return refused;
        items.push_back(item.Scalar());
      }
      return parse_list(key, std::move(items));
    }
    if (!node.IsScalar()) return refused;
    const bool is_quoted = node.Tag() == "!";
    return parse_value(key, node.Scalar(), is_quoted ? BareNumber::refuse : BareNumber::nanoseconds);
  }

  static Result<Value> read_public_keys(const Key& key, const YAML::Node& node) {
    const Status refused(Code::invalid, accepted_values(key));
    if (!node.IsSequence()) return refused;
    std::vector<PublicKey> out;
    for (const auto& item : node) {
      auto one = read_public_key(item);
      if (!one) return refused;
      out.push_back(std::move(*one));
    }
    return Value(std::move(out));
  }

  static std::optional<PublicKey> read_public_key(const YAML::Node& node) {
    if (!node.IsMap()) return std::nullopt;
    PublicKey out;
    for (const auto& member : node) {
      const std::string name = lower(member.first.Scalar());
      if (member.second.IsNull()) continue;
      if (!member.second.IsScalar()) return std::nullopt;
      if (name == "kid") {
        out.kid = member.second.Scalar();
      } else if (name == "key") {
        out.key = member.second.Scalar();
      } else if (name == "keyfile") {
        out.key_file = member.second.Scalar();
      } else if (name == "mesh") {
        out.mesh = member.second.Scalar();
      } else {
        return std::nullopt;
      }
    }
    if (out.kid.empty() || out.key.empty() == out.key_file.empty()) return std::nullopt;
    return out;
  }

  std::string name_;
  Settings& settings_;
  Findings& findings_;
  std::size_t nodes_ = 0;
};

}  // namespace

Status apply_file(std::string_view text, std::string_view name, Settings& settings, Findings& findings) {
  try {
    const auto documents = YAML::LoadAll(std::string(text));
    if (documents.size() > 1) {
      return Status(Code::malformed, std::string(name) + ": holds several documents, want one");
    }
    if (documents.empty()) return {};
    FileReader(name, settings, findings).read(documents.front());
    return {};
  } catch (const YAML::Exception& error) {
    const std::string line = error.mark.is_null() ? "" : ":" + std::to_string(error.mark.line + 1);
    return Status(Code::malformed, std::string(name) + line + ": " + error.msg);
  }
}

}  // namespace kdsd::app
