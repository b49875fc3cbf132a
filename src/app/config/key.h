// The table of configuration keys: every key of kuma-cp 2.13 that is known here, and the project's own.
//
// Pure, data only. Spec: configuration, sections 3 and 4. The same list for readers is docs/configuration.md; a test
// compares both.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kdsd::app {

enum class KeyType {
  text,
  boolean,
  integer,  // never negative
  port,     // 0 to 65535
  percent,  // 0 to 100
  duration,
  list,
  tls_version,
  ciphers,  // list of cipher suites by Go's names
  public_keys,
};

// What setting the key does.
enum class Decision {
  accept,
  no_effect,  // accepted quietly: what it tunes works in another way here, with the same result
  warn,       // set to something else than the default: one line that says it has no effect
  ignore,     // concerns what this program is not
};

struct Key {
  std::string_view path;      // "multizone.global.kds.grpcPort"
  std::string_view variable;  // "KUMA_MULTIZONE_GLOBAL_KDS_GRPC_PORT"; empty = file only
  KeyType type;
  std::string_view fallback;  // the default, written as in the environment
  Decision decision;
  std::string_view meaning;
  std::string_view choices = {};         // accepted texts separated by '|'; empty = any
  std::string_view other_variable = {};  // a second spelling, accepted as well
  bool is_secret = false;
};

// How unknown keys below a section are taken. The longest matching path decides; a section that is not listed refuses.
enum class UnknownKeys { refuse, warn, ignore };
struct Section {
  std::string_view path;
  UnknownKeys unknown_keys;
};

// All keys, in the order in which they are shown. Paths and variables are unique.
const std::vector<Key>& all_keys();

// The key of a path, whatever the case of its letters; null when there is none.
const Key* find_key(std::string_view path);

// True when keys lie below this path.
bool is_section(std::string_view path);

UnknownKeys unknown_keys_below(std::string_view path);

// Variables of control planes that are known to be of no concern here, by the start of their names.
bool is_foreign_variable(std::string_view name);

// "text", "bool", …, for documents and messages.
std::string_view type_name(KeyType type);
std::string_view decision_name(Decision decision);

// What a refusal names as accepted: "a port from 0 to 65535", "one of global, zone, standalone".
std::string accepted_values(const Key& key);

std::string lower(std::string_view text);

// The parts of the table, each in a file of its own.
std::span<const Key> multizone_keys();
std::span<const Key> store_keys();
std::span<const Key> api_keys();
std::span<const Key> metrics_keys();
std::span<const Key> access_keys();
std::span<const Key> ignored_keys();
std::span<const Key> kdsd_keys();

}  // namespace kdsd::app
