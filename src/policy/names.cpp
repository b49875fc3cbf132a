#include "policy/names.h"

#include <algorithm>
#include <string>

namespace kdsd::policy {
namespace {

constexpr std::string_view lower_case_text =
    "invalid characters. A lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', "
    "and must start and end with an alphanumeric character";

// Texts of Kubernetes, which users know from there.
constexpr std::string_view qualified_name_text =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view subdomain_text =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end "
    "with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view label_value_text =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end "
    "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view dns1035_text =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and "
    "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower_or_digit(char c) { return is_lower(c) || is_digit(c); }
bool is_alphanumeric(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

bool is_dns_label(std::string_view text) {
  if (text.empty() || !is_lower_or_digit(text.front()) || !is_lower_or_digit(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  while (true) {
    const auto dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// Letters and digits at both ends, and `-`, `_`, `.` between them.
bool is_label_text(std::string_view text) {
  if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string no_longer_than(std::size_t bytes) {
  return "must be no more than " + std::to_string(bytes) + " characters";
}

void check_prefix(std::string_view prefix, std::vector<std::string>& problems) {
  if (prefix.empty()) {
    problems.emplace_back("prefix part must be non-empty");
    return;
  }
  if (prefix.size() > limits::name_bytes) problems.push_back("prefix part " + no_longer_than(limits::name_bytes));
  if (!is_subdomain(prefix)) problems.push_back("prefix part " + std::string(subdomain_text));
}

}  // namespace

std::string_view plain_group(std::string_view group) { return group == "core" ? std::string_view() : group; }

std::optional<std::string> name_problem(std::string_view name, std::size_t longest) {
  if (name.empty()) return "cannot be empty";
  if (name.size() > longest) return "value length must less or equal " + std::to_string(longest);
  if (!is_subdomain(name)) return std::string(lower_case_text);
  return std::nullopt;
}

std::optional<std::string> mesh_name_problem(std::string_view mesh) {
  if (mesh.empty()) return "cannot be empty";
  const bool legal = std::all_of(mesh.begin(), mesh.end(),
                                 [](char c) { return is_lower_or_digit(c) || c == '-' || c == '_' || c == '.'; });
  if (legal) return std::nullopt;
  return "invalid characters. Valid characters are numbers, lowercase latin letters and '-', '_', '.' symbols.";
}

std::optional<std::string> new_mesh_name_problem(std::string_view name) {
  if (name.size() <= limits::dns_label_bytes) return std::nullopt;
  return "cannot be longer than " + std::to_string(limits::dns_label_bytes) + " characters";
}

std::vector<std::string> dns1035_problems(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > limits::dns_label_bytes) problems.push_back(no_longer_than(limits::dns_label_bytes));
  if (!is_dns_label(text) || !is_lower(text.front())) problems.emplace_back(dns1035_text);
  return problems;
}

std::optional<std::string> dns1035_warning(std::string_view type, std::string_view name) {
  const bool checked =
      type == "Mesh" || type == "MeshService" || type == "MeshExternalService" || type == "MeshMultiZoneService";
  if (!checked) return std::nullopt;
  std::string errors;
  for (const auto& problem : dns1035_problems(name)) {
    if (!errors.empty()) errors += ", ";
    errors += problem;
  }
  if (errors.empty()) return std::nullopt;
  return "Invalid " + std::string(type) + " resource name: '" + std::string(name) +
         "'. It does not conform to the DNS format (RFC 1035). This is deprecated. Errors: " + errors;
}

bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > limits::dns_label_bytes || name.front() == '-' || name.back() == '-') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::optional<std::string> zone_name_warning(std::string_view type, std::string_view name) {
  if (type != "Zone" || is_zone_name(name)) return std::nullopt;
  return "No zone can connect under the name '" + std::string(name) +
         "': a zone name is a DNS label of at most 63 lower-case characters";
}

std::vector<std::string> label_key_problems(std::string_view key) {
  std::vector<std::string> problems;
  std::string_view name = key;
  if (const auto slash = key.find('/'); slash != std::string_view::npos) {
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      problems.push_back("a qualified name " + std::string(qualified_name_text) +
                         " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
      return problems;
    }
    check_prefix(key.substr(0, slash), problems);
  }
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > limits::dns_label_bytes) {
    problems.push_back("name part " + no_longer_than(limits::dns_label_bytes));
  }
  if (!is_label_text(name)) problems.push_back("name part " + std::string(qualified_name_text));
  return problems;
}

std::vector<std::string> label_value_problems(std::string_view value) {
  std::vector<std::string> problems;
  if (value.size() > limits::dns_label_bytes) problems.push_back(no_longer_than(limits::dns_label_bytes));
  if (!value.empty() && !is_label_text(value)) problems.emplace_back(label_value_text);
  return problems;
}

}  // namespace kdsd::policy
