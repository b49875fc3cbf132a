#include "model/json.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

namespace kdsd {
namespace json = boost::json;
namespace {

// First pass over the text: finds what a tree of values can no longer show.
struct StrictHandler {
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = limits::document_bytes * 8;
  static constexpr std::size_t max_key_size = limits::document_bytes;

  std::vector<std::set<std::string>> keys;
  std::string key;
  std::string problem;
  std::vector<double> doubles;  // in the order of the text, rounded as they should be

  bool refuse(std::string text, json::error_code& ec) {
    problem = std::move(text);
    ec = json::error::exception;
    return false;
  }
  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(std::size_t, json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) {
    keys.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, json::error_code&) {
    keys.pop_back();
    return true;
  }
  bool on_string_part(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    key.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code& ec) {
    key.append(part.data(), part.size());
    bool is_new = keys.back().insert(key).second;
    if (!is_new) return refuse("duplicate key \"" + key + "\"", ec);
    key.clear();
    return true;
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code&) { return true; }
  bool on_double(double about, json::string_view text, json::error_code& ec) {
    // Boost.JSON turns integers that do not fit 64 bits into doubles, which would change them without a word.
    if (text.find_first_of(".eE") == json::string_view::npos) return refuse("integer does not fit 64 bits", ec);
    double exact = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exact);
    if (error == std::errc::result_out_of_range) {
      if (std::abs(about) > 1) return refuse("number is out of range", ec);
      exact = 0;
    }
    doubles.push_back(exact);
    return true;
  }
  bool on_bool(bool, json::error_code&) { return true; }
  bool on_null(json::error_code&) { return true; }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }
};

std::string line_of(std::string_view text, std::size_t offset) {
  auto lines =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size())), '\n');
  return "line " + std::to_string(lines + 1) + ": ";
}

void append_string(std::string& out, json::string_view text, bool escape_html) {
  static constexpr char hex[] = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (c < 0x20 || (escape_html && (c == '<' || c == '>' || c == '&'))) {
          out += "\\u00";
          out += hex[c >> 4];
          out += hex[c & 0xf];
        } else {
          out += static_cast<char>(c);
        }
    }
  }
  out += '"';
}

// Go's spelling: the shortest digits that give the same number back, with an exponent only for very small and very
// large ones.
void append_double(std::string& out, double number) {
  const double size = std::abs(number);
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e21);
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof text, number, plain ? std::chars_format::fixed : std::chars_format::scientific)
          .ptr;
  std::string_view digits(text, static_cast<std::size_t>(end - text));
  if (!plain && digits.size() >= 4 && digits[digits.size() - 4] == 'e' && digits[digits.size() - 3] == '-' &&
      digits[digits.size() - 2] == '0') {
    out.append(digits.substr(0, digits.size() - 2));
    out += digits.back();
    return;
  }
  out += digits;
}

// Boost.JSON reads a fraction to within a unit of the last place; this puts the exact ones in their places.
void set_doubles(json::value& value, std::vector<double>::const_iterator& next) {
  if (auto* object = value.if_object()) {
    for (auto& member : *object) set_doubles(member.value(), next);
  } else if (auto* array = value.if_array()) {
    for (auto& item : *array) set_doubles(item, next);
  } else if (value.is_double()) {
    value = *next++;
  }
}

// `indent` below zero: compact.
void append(std::string& out, const json::value& value, int indent, bool escape_html) {
  auto break_line = [&](int level) {
    if (indent >= 0) {
      out += '\n';
      out.append(static_cast<std::size_t>(level), ' ');
    }
  };
  int inner = indent < 0 ? indent : indent + 1;
  if (const auto* object = value.if_object()) {
    if (object->empty()) {
      out += "{}";
      return;
    }
    out += '{';
    bool first = true;
    for (const auto& member : *object) {
      if (!first) out += ',';
      first = false;
      break_line(inner);
      append_string(out, member.key(), escape_html);
      out += indent < 0 ? ":" : ": ";
      append(out, member.value(), inner, escape_html);
    }
    break_line(indent);
    out += '}';
  } else if (const auto* array = value.if_array()) {
    if (array->empty()) {
      out += "[]";
      return;
    }
    out += '[';
    bool first = true;
    for (const auto& item : *array) {
      if (!first) out += ',';
      first = false;
      break_line(inner);
      append(out, item, inner, escape_html);
    }
    break_line(indent);
    out += ']';
  } else if (const auto* text = value.if_string()) {
    append_string(out, *text, escape_html);
  } else if (value.is_double()) {
    append_double(out, value.get_double());
  } else {
    out += json::serialize(value);
  }
}

bool numbers_equal(const json::value& a, const json::value& b) {
  if (a.is_double() || b.is_double()) return a.to_number<double>() == b.to_number<double>();
  if (a.is_uint64() && b.is_uint64()) return a.get_uint64() == b.get_uint64();
  if (a.is_int64() && b.is_int64()) return a.get_int64() == b.get_int64();
  const auto& whole = a.is_int64() ? a.get_int64() : b.get_int64();
  const auto& unsigned_whole = a.is_uint64() ? a.get_uint64() : b.get_uint64();
  return whole >= 0 && static_cast<std::uint64_t>(whole) == unsigned_whole;
}

}  // namespace

Result<json::value> parse_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = limits::document_depth;
  json::basic_parser<StrictHandler> check(options);
  json::error_code ec;
  std::size_t used = check.write_some(false, text.data(), text.size(), ec);
  if (!ec && used < text.size() && text.substr(used).find_first_not_of(" \t\r\n") != std::string_view::npos) {
    ec = json::error::extra_data;
  }
  if (ec) {
    std::string problem = check.handler().problem.empty() ? ec.message() : check.handler().problem;
    if (ec == json::error::too_deep)
      problem = "nested deeper than " + std::to_string(limits::document_depth) + " levels";
    return Status(Code::malformed, line_of(text, used) + problem);
  }
  auto value = json::parse(text, ec, {}, options);
  if (ec) return Status(Code::malformed, ec.message());
  auto next = check.handler().doubles.cbegin();
  set_doubles(value, next);
  return value;
}

std::string to_wire_json(const json::value& value) {
  std::string out;
  append(out, value, -1, true);
  return out;
}

std::string to_compact_json(const json::value& value) {
  std::string out;
  append(out, value, -1, false);
  return out;
}

std::string to_pretty_json(const json::value& value) {
  std::string out;
  append(out, value, 0, false);
  out += '\n';
  return out;
}

std::optional<std::int64_t> whole_number(const json::value& value) {
  if (!value.is_number()) return std::nullopt;
  json::error_code problem;
  const auto number = value.to_number<std::int64_t>(problem);
  return problem ? std::nullopt : std::optional(number);
}

bool json_equal(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number()) return numbers_equal(a, b);
  if (a.kind() != b.kind()) return false;
  if (const auto* object = a.if_object()) {
    const auto& other = b.get_object();
    if (object->size() != other.size()) return false;
    return std::all_of(object->begin(), object->end(), [&](const auto& member) {
      const auto* theirs = other.if_contains(member.key());
      return theirs != nullptr && json_equal(member.value(), *theirs);
    });
  }
  if (const auto* array = a.if_array()) {
    const auto& other = b.get_array();
    return std::equal(array->begin(), array->end(), other.begin(), other.end(), json_equal);
  }
  return a == b;
}

const json::value* find(const json::value& value, std::initializer_list<std::string_view> path) {
  const json::value* at = &value;
  for (auto key : path) {
    const auto* object = at->if_object();
    if (object == nullptr) return nullptr;
    at = object->if_contains({key.data(), key.size()});
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string_view find_text(const json::value& value, std::initializer_list<std::string_view> path) {
  const auto* found = find(value, path);
  if (found == nullptr || !found->is_string()) return {};
  return {found->get_string().data(), found->get_string().size()};
}

const json::array& find_list(const json::value& value, std::initializer_list<std::string_view> path) {
  static const json::array none;
  const auto* found = find(value, path);
  return found != nullptr && found->is_array() ? found->get_array() : none;
}

}  // namespace kdsd
