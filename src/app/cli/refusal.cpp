#include "app/cli/refusal.h"

#include "model/json.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

// More of a foreign page than this helps nobody.
constexpr std::size_t shown_body_bytes_max = 500;

Code code_of(int status) {
  switch (status) {
    case 400:
      return Code::invalid;
    case 401:
    case 403:
      return Code::denied;
    case 404:
      return Code::not_found;
    case 405:
      return Code::not_writable;
    case 409:
      return Code::conflict;
    case 503:
      return Code::unavailable;
    default:
      return Code::internal;
  }
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \r\n\t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \r\n\t") - begin + 1));
}

Violations violations_of(const json::value& body) {
  Violations out;
  const auto* parameters = find(body, {"invalid_parameters"});
  if (parameters == nullptr || !parameters->is_array()) return out;
  for (const auto& each : parameters->get_array()) {
    out.push_back({std::string(find_text(each, {"field"})), std::string(find_text(each, {"reason"}))});
  }
  return out;
}

}  // namespace

Status refusal_of(const RestAnswer& answer) {
  const auto code = code_of(answer.status);
  const auto body = parse_json(answer.body);
  if (body.ok()) {
    const std::string title(find_text(*body, {"title"}));
    const auto detail = trimmed(find_text(*body, {"detail"}));
    if (!title.empty()) return Status(code, detail.empty() ? title : title + " (" + detail + ")", violations_of(*body));
  }
  const auto text = trimmed(std::string_view(answer.body).substr(0, shown_body_bytes_max));
  return Status(code, "(" + std::to_string(answer.status) + "): " + (text.empty() ? "no explanation" : text));
}

}  // namespace kdsd::app::cli
