// YAML in, JSON values out (declared in model/json.h).
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>
#include <set>
#include <yaml-cpp/yaml.h>

#include "model/json.h"

namespace kdsd {
namespace json = boost::json;
namespace {

// What YAML calls a number and JSON does not.
bool is_no_number(std::string_view text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return text == ".inf" || text == ".Inf" || text == ".INF";
}

struct Converter {
  std::size_t nodes = 0;
  Status problem;

  json::value fail(const YAML::Node& node, const std::string& text) {
    if (problem.ok()) {
      problem = Status(Code::malformed, "line " + std::to_string(node.Mark().line + 1) + ": " + text);
    }
    return nullptr;
  }

  json::value scalar(const YAML::Node& node) {
    const auto& text = node.Scalar();
    if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") return json::value(json::string(text));  // quoted
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
    const char* end = text.data() + text.size();
    std::int64_t whole = 0;
    auto parsed = std::from_chars(text.data() + (text[0] == '+' ? 1 : 0), end, whole);
    if (parsed.ptr == end && parsed.ec == std::errc()) return whole;
    if (parsed.ptr == end && parsed.ec == std::errc::result_out_of_range) {
      std::uint64_t large = 0;
      auto again = std::from_chars(text.data(), end, large);
      if (again.ptr == end && again.ec == std::errc()) return large;
      return fail(node, "integer does not fit 64 bits");
    }
    if (text.find_first_not_of("+-.0123456789eE") == std::string::npos &&
        text.find_first_of("0123456789") != std::string::npos) {
      double real = 0;
      auto read = std::from_chars(text.data() + (text[0] == '+' ? 1 : 0), end, real);
      if (read.ptr == end && read.ec == std::errc() && std::isfinite(real)) return real;
      if (read.ptr == end && read.ec == std::errc::result_out_of_range) return fail(node, "number is out of range");
    }
    if (is_no_number(text)) {
      return fail(node, "\"" + text + "\" is no number that JSON knows");
    }
    return json::value(json::string(text));
  }

  json::value convert(const YAML::Node& node, std::size_t depth) {
    if (!problem.ok()) return nullptr;
    if (depth > limits::document_depth) {
      return fail(node, "nested deeper than " + std::to_string(limits::document_depth) + " levels");
    }
    if (++nodes > limits::yaml_nodes) {
      return fail(node, "more than " + std::to_string(limits::yaml_nodes) + " values after expanding aliases");
    }
    switch (node.Type()) {
      case YAML::NodeType::Map:
        return map(node, depth);
      case YAML::NodeType::Sequence: {
        json::array out;
        for (const auto& item : node) out.push_back(convert(item, depth + 1));
        return out;
      }
      case YAML::NodeType::Scalar:
        return scalar(node);
      default:
        return nullptr;
    }
  }

  json::value map(const YAML::Node& node, std::size_t depth) {
    json::object out;
    for (const auto& member : node) {
      if (!member.first.IsScalar()) return fail(member.first, "a key has to be a text");
      const auto& key = member.first.Scalar();
      if (key == "<<") return fail(member.first, "merge keys are not supported");
      if (out.contains(key)) return fail(member.first, "duplicate key \"" + key + "\"");
      out.emplace(key, convert(member.second, depth + 1));
    }
    return out;
  }
};

bool valid_utf8(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) quoted += (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) ? ' ' : c;
  return parse_json(quoted + "\"").ok();
}

// yaml-cpp recurses while it parses: flow collections nested beyond any document would exhaust the stack.
bool too_deep(std::string_view text) {
  std::size_t depth = 0;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '[' || c == '{') {
      if (++depth > limits::document_depth * 4) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    } else if (c == '\n') {
      line_start = i + 1;
    } else if (c != ' ' && c != '-' && c != '?' && i >= line_start) {
      // "- - - - …" opens a level with each dash, "? ? ?" likewise
      if (i - line_start > limits::document_depth * 16) {
        std::string_view lead = text.substr(line_start, i - line_start);
        if (lead.find_first_not_of("-? ") == std::string_view::npos) return true;
      }
      line_start = text.size();
    }
  }
  return false;
}

}  // namespace

Result<std::vector<json::value>> parse_yaml_documents(std::string_view text) {
  if (!valid_utf8(text)) return Status(Code::malformed, "not valid UTF-8");
  if (too_deep(text)) return Status(Code::malformed, "nested too deeply");
  std::vector<json::value> out;
  try {
    for (const auto& node : YAML::LoadAll(std::string(text))) {
      Converter converter;
      auto value = converter.convert(node, 0);
      if (!converter.problem.ok()) return converter.problem;
      if (!value.is_null()) out.push_back(std::move(value));
    }
  } catch (const YAML::Exception& error) {
    return Status(Code::malformed, "line " + std::to_string(error.mark.line + 1) + ": " + error.msg);
  }
  return out;
}

}  // namespace kdsd
