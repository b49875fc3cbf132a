#include "app/config/value.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "app/config/ciphers.h"
#include "app/config/duration.h"

namespace kdsd::app {
namespace json = boost::json;
namespace {

constexpr std::string_view masked = "*****";
constexpr std::int64_t port_max = 65535;
constexpr std::int64_t percent_max = 100;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  for (;;) {
    const auto end = text.find(separator);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

bool is_choice(const Key& key, std::string_view text) {
  if (text.empty()) return key.fallback.empty();
  const auto choices = split(key.choices, '|');
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

// The spellings of Go's ParseBool.
Result<Value> parse_boolean(const Key& key, std::string_view text) {
  for (auto spelling : {"1", "t", "T", "true", "True", "TRUE"}) {
    if (text == spelling) return Value(true);
  }
  for (auto spelling : {"0", "f", "F", "false", "False", "FALSE"}) {
    if (text == spelling) return Value(false);
  }
  return Status(Code::invalid, accepted_values(key));
}

Result<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t out = 0;
  const char* end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, out);
  if (text.empty() || read.ptr != end || read.ec != std::errc()) return Status(Code::invalid, "no whole number");
  return out;
}

Result<Value> parse_number(const Key& key, std::string_view text) {
  auto number = parse_integer(text);
  const bool too_large = number.ok() && ((key.type == KeyType::port && *number > port_max) ||
                                         (key.type == KeyType::percent && *number > percent_max));
  if (!number.ok() || *number < 0 || too_large) return Status(Code::invalid, accepted_values(key));
  return Value(*number);
}

Result<Value> parse_duration_value(const Key& key, std::string_view text, BareNumber bare_number) {
  auto nanos = parse_duration(text);
  if (!nanos.ok() && bare_number == BareNumber::nanoseconds) nanos = parse_integer(text);
  if (!nanos.ok() || *nanos < 0) return Status(Code::invalid, accepted_values(key));
  return Value(*nanos);
}

Result<Value> parse_text(const Key& key, std::string_view text) {
  const bool fits = key.type == KeyType::tls_version ? text.empty() || text == "TLSv1_2" || text == "TLSv1_3"
                                                     : key.choices.empty() || is_choice(key, text);
  if (!fits) return Status(Code::invalid, accepted_values(key));
  return Value(std::string(text));
}

json::value show_public_keys(const std::vector<PublicKey>& keys) {
  json::array out;
  for (const auto& key : keys) {
    json::object one{{"kid", key.kid}};
    if (key.key_file.empty()) one["key"] = key.key;
    if (!key.key_file.empty()) one["keyFile"] = key.key_file;
    if (!key.mesh.empty()) one["mesh"] = key.mesh;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

Result<Value> parse_list(const Key& key, std::vector<std::string> items) {
  if (key.type == KeyType::ciphers) {
    for (const auto& name : items) {
      if (find_cipher(name) == nullptr) {
        return Status(Code::invalid, accepted_values(key) + "; \"" + name + "\" is none of them");
      }
    }
  }
  return Value(std::move(items));
}

Result<Value> parse_value(const Key& key, std::string_view text, BareNumber bare_number) {
  switch (key.type) {
    case KeyType::text:
    case KeyType::tls_version:
      return parse_text(key, text);
    case KeyType::boolean:
      return parse_boolean(key, text);
    case KeyType::integer:
    case KeyType::port:
    case KeyType::percent:
      return parse_number(key, text);
    case KeyType::duration:
      return parse_duration_value(key, text, bare_number);
    case KeyType::list:
    case KeyType::ciphers:
      return parse_list(key, split(text, ','));
    case KeyType::public_keys:
      break;
  }
  return Status(Code::invalid, accepted_values(key));
}

Value default_value(const Key& key) {
  if (key.type == KeyType::public_keys) return std::vector<PublicKey>();
  auto value = parse_value(key, key.fallback);
  return value.ok() ? std::move(*value) : Value();
}

json::value show_json(const Key& key, const Value& value) {
  if (key.is_secret) return json::string(masked);
  if (const auto* text = std::get_if<std::string>(&value)) return json::string(*text);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* keys = std::get_if<std::vector<PublicKey>>(&value)) return show_public_keys(*keys);
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) return json::array(list->begin(), list->end());
  const auto number = std::get<std::int64_t>(value);
  if (key.type == KeyType::duration) return json::string(format_duration(number));
  return number;
}

std::string show_text(const Key& key, const Value& value) {
  const auto shown = show_json(key, value);
  return shown.is_string() ? std::string(shown.get_string()) : json::serialize(shown);
}

}  // namespace kdsd::app
