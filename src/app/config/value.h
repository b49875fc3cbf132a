// Values of configuration keys: reading them from text by the key's type, and showing them.
//
// Pure. Errors name what is accepted, not where the text came from; the caller knows that.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/config/key.h"
#include "model/status.h"

namespace kdsd::app {

// A key that verifies tokens. `mesh` only means something for dataplane tokens.
struct PublicKey {
  std::string kid;
  std::string key;       // PEM; after loading also when it came from a file
  std::string key_file;  // as configured
  std::string mesh;
  friend bool operator==(const PublicKey&, const PublicKey&) = default;
};

// By the key's type: texts, choices and TLS versions; booleans; numbers and durations (nanoseconds); lists; public
// keys.
using Value = std::variant<std::string, bool, std::int64_t, std::vector<std::string>, std::vector<PublicKey>>;

// How a bare number is taken where a duration is wanted: in a file as nanoseconds, in a variable not at all.
enum class BareNumber { refuse, nanoseconds };

// A value from one text, as environment variables hold it: lists separated by commas, without trimming.
// Fails with the accepted values as message.
Result<Value> parse_value(const Key& key, std::string_view text, BareNumber bare_number = BareNumber::refuse);

// A value from a list of texts, for keys whose type is a list. Fails with the accepted values as message.
Result<Value> parse_list(const Key& key, std::vector<std::string> items);

// The default of the table, which is always readable.
Value default_value(const Key& key);

// As `/config` shows it: numbers as numbers, durations as Go's text, secrets as "*****".
boost::json::value show_json(const Key& key, const Value& value);

// The same in one line of text.
std::string show_text(const Key& key, const Value& value);

}  // namespace kdsd::app
