#include "policy/proto/values.h"

#include <boost/json/string.hpp>
#include <charconv>
#include <limits>

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr std::int64_t most_port = 65535;
constexpr double whole = 100.0;

std::string escaped(unsigned char c) {
  constexpr std::string_view plain = "\a\b\f\n\r\t\v";
  constexpr std::string_view letters = "abfnrtv";
  if (const auto at = plain.find(static_cast<char>(c)); at != plain.npos) return {'\\', letters[at]};
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\', 'x', digits[c >> 4U], digits[c & 0xFU]};
}

double real_of_text(std::string_view text) {
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::int64_t natural(const ConfValue& value) {
  if (const auto number = value.number()) return *number;
  const auto text = value.text();
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

double real(const ConfValue& value) {
  if (!value.is_set()) return 0;
  if (value.json()->is_double()) return value.json()->get_double();
  if (const auto number = value.number()) return static_cast<double>(*number);
  return real_of_text(value.text());
}

bool is_zero_duration(const ConfValue& value) { return value.nanoseconds() == 0; }

std::string_view enum_name(const ConfValue& value, std::string_view zero) {
  if (!value.text().empty()) return value.text();
  const bool other = value.number().value_or(0) != 0;
  return other ? std::string_view() : zero;
}

const json::object* members(const ConfValue& value) {
  return value.json() != nullptr ? value.json()->if_object() : nullptr;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string go_quoted(std::string_view text) {
  constexpr unsigned char first_printable = 0x20;
  constexpr unsigned char del = 0x7F;
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < first_printable || byte == del) {
      out += escaped(byte);
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

ConfValue under_key(const ConfValue& map, std::string_view key) {
  return map.at(key).reported_at(map.path() + "[" + go_quoted(key) + "]");
}

void check_not_empty(const ConfValue& text) {
  if (text.text().empty()) text.refuse("cannot be empty");
}

void check_port_in_range(const ConfValue& port) {
  const auto number = natural(port);
  if (number < 1 || number > most_port) port.refuse("port must be in the range [1, 65535]");
}

void check_percentage_of(const ConfValue& holder) {
  const auto percentage = holder.at("percentage");
  if (!percentage.is_set()) return percentage.refuse("cannot be empty");
  const auto number = real(percentage);
  if (number < 0 || number > whole) percentage.refuse("has to be in [0.0 - 100.0] range");
}

}  // namespace kdsd::policy
