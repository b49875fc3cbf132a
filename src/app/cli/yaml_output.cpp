#include "app/cli/yaml_output.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include "model/json.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

// Plain words that YAML 1.1 or 1.2 readers do not take for texts.
constexpr std::array<std::string_view, 11> words = {"null", "~",   "true", "false", "yes", "no",
                                                    "on",   "off", "y",    "n",     "nan"};

// Anything that begins like a number and has only characters of numbers, dates, and addresses; quoting too much is
// harmless.
bool looks_like_number(std::string_view text) {
  constexpr std::string_view first = "0123456789+-.";
  constexpr std::string_view later = "0123456789+-._:eExXoOabcdfABCDFTZinN";
  return first.find(text.front()) != std::string_view::npos && text.find_first_not_of(later) == std::string_view::npos;
}

bool needs_quotes(std::string_view text) {
  if (text.empty() || looks_like_number(text)) return true;
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(words.begin(), words.end(), lower) != words.end();
}

void emit_text(YAML::Emitter& out, std::string_view text) {
  const bool has_lines = text.find('\n') != std::string_view::npos;
  const bool is_block = has_lines && text.find_first_of("\r\t\x85") == std::string_view::npos && text.front() != ' ' &&
                        text.front() != '\n' && text.back() == '\n' && !text.ends_with("\n\n");
  if (is_block) {
    out << YAML::Literal << std::string(text);
  } else if (has_lines || needs_quotes(text)) {
    out << YAML::DoubleQuoted << std::string(text);
  } else {
    out << std::string(text);
  }
}

// With a point, since a YAML 1.1 reader takes 5E-1 for a text.
std::string decimal(double number) {
  constexpr std::size_t longest = 32;  // shortest spelling of any double has at most 24 characters
  std::array<char, longest> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  std::string text(buffer.data(), end);
  if (text.find('.') == std::string::npos) text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

void emit_bare(YAML::Emitter& out, const json::value& value) {
  if (value.is_null()) {
    out << YAML::Null;
  } else if (value.is_bool()) {
    out << value.get_bool();
  } else if (value.is_double()) {
    out << decimal(value.get_double());
  } else {
    out << to_compact_json(value);
  }
}

void emit(YAML::Emitter& out, const json::value& value) {
  if (value.is_object()) {
    const auto& object = value.get_object();
    if (object.empty()) out << YAML::Flow;
    out << YAML::BeginMap;
    for (const auto& member : object) {
      out << YAML::Key;
      const std::string_view key(member.key().data(), member.key().size());
      if (needs_quotes(key)) out << YAML::DoubleQuoted;
      out << std::string(key) << YAML::Value;
      emit(out, member.value());
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    const auto& array = value.get_array();
    if (array.empty()) out << YAML::Flow;
    out << YAML::BeginSeq;
    for (const auto& element : array) emit(out, element);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    emit_text(out, {value.get_string().data(), value.get_string().size()});
  } else {
    emit_bare(out, value);
  }
}

}  // namespace

std::string to_yaml(const json::value& value) {
  YAML::Emitter out;
  out.SetIndent(2);
  emit(out, value);
  return std::string(out.c_str(), out.size()) + "\n";
}

}  // namespace kdsd::app::cli
