// VirtualOutbound. Of the templates for hosts and ports, texts with names of parameters in them are understood; what
// else Go's templates can say is left to the proxies' control planes.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"
#include "policy/text_forms.h"

namespace kdsd::policy {
namespace {

constexpr std::int64_t most_port = 65535;

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_parameter_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_alphanumeric);
}

void check_parameters(const ConfValue& parameters) {
  std::set<std::string_view> names;
  bool has_service = false;
  for_each(parameters, [&](const ConfValue& parameter) {
    const auto name = parameter.at("name");
    const auto key = parameter.at("tagKey");
    if (!names.insert(name.text()).second) name.refuse("name is already used");
    has_service = has_service || key.text() == tag_service;
    if (!key.text().empty()) {
      if (!is_tag_name(key.text())) key.refuse("must be a valid tag name");
    } else if (!is_tag_name(name.text())) {
      name.refuse("must be a valid tag name if you are not setting tagKey");
    }
    if (!is_parameter_name(name.text())) {
      name.refuse("must consist of alphanumeric characters to be used as a gotemplate key");
    }
  });
  if (!has_service) parameters.refuse("must contain a parameter with kuma.io/service as a tagKey");
}

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

struct Evaluated {
  std::string text;
  std::string problem;  // why it is no template
  bool understood = true;
};

// `{{.name}}` becomes `value`.
Evaluated evaluate(std::string_view form, const std::set<std::string_view>& names, std::string_view value) {
  Evaluated out;
  while (true) {
    const auto begin = form.find("{{");
    out.text += form.substr(0, begin);
    if (begin == form.npos) return out;
    form.remove_prefix(begin + 2);
    const auto end = form.find("}}");
    if (end == form.npos) {
      out.problem = "template: :1: unclosed action";
      out.understood = std::all_of(form.begin(), form.end(), [](char c) { return is_alphanumeric(c) || c == '.'; });
      return out;
    }
    const auto name = without_blanks(form.substr(0, end));
    out.understood = name.starts_with('.') && is_parameter_name(name.substr(1));
    if (!out.understood) return out;
    out.text += names.contains(name.substr(1)) ? value : "<no value>";
    form.remove_prefix(end + 2);
  }
}

std::string host_problem(const std::string& host) {
  if (is_dns_name(host)) return {};
  return "evaluation of template with parameters didn't return a valid dns name result=" + go_quoted(host);
}

// A sign and zeros in front are fine.
std::string port_problem(std::string_view text) {
  auto digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool two_signs = text.starts_with('+') && digits.starts_with('-');
  if (two_signs || error != std::errc() || end != digits.data() + digits.size()) {
    return "evaluation of template with parameters didn't evaluate to a parsable number result=" + go_quoted(text);
  }
  if (port >= 1 && port <= most_port) return {};
  return "evaluation of template returned a port outside of the range [1..65535] result=" + std::to_string(port);
}

using ResultProblem = std::string (*)(const std::string& text);

void check_template(const ConfValue& form, const std::set<std::string_view>& names, std::string_view value,
                    ResultProblem problem_of) {
  if (form.text().empty()) return form.refuse("has to be defined");
  const auto evaluated = evaluate(form.text(), names, value);
  if (!evaluated.understood) return;
  const auto problem = evaluated.problem.empty() ? problem_of(evaluated.text)
                                                 : "failed compiling gotemplate error=" + go_quoted(evaluated.problem);
  if (!problem.empty()) form.refuse("template pre evaluation failed with error=" + go_quoted(problem));
}

}  // namespace

void check_virtual_outbound(const ConfValue& spec) {
  check_selectors(spec.at("selectors"), any_tag);
  const auto conf = spec.at("conf");
  if (!conf.is_set()) return conf.refuse("has to be defined");
  const auto parameters = conf.at("parameters");
  check_parameters(parameters);
  std::set<std::string_view> names;
  for_each(parameters, [&](const ConfValue& parameter) { names.insert(parameter.at("name").text()); });
  check_template(conf.at("host"), names, "dummy", host_problem);
  check_template(conf.at("port"), names, "1", [](const std::string& text) { return port_problem(text); });
}

}  // namespace kdsd::policy
