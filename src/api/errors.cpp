#include "api/errors.h"

#include "api/answers.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

constexpr std::string_view not_valid = "Resource is not valid";

std::string_view or_text(const std::string& text, std::string_view otherwise) {
  return text.empty() ? otherwise : std::string_view(text);
}

ErrorBody describe(const Status& status, Operation operation) {
  const std::string by_operation(title(operation));
  const auto& message = status.message();
  switch (status.code()) {
    case Code::invalid:
      return {400, by_operation, std::string(or_text(message, not_valid)), status.violations()};
    case Code::malformed:
      return {400, "Bad Request", message, status.violations()};
    case Code::not_found:
      return {404, by_operation, "Not found", {}};
    case Code::conflict:
      return {409, "Conflict", message, {}};
    case Code::denied:
      return {403, "Access Denied", message, {}};
    case Code::not_writable:
      return {405, "Method not allowed", message, {}};
    case Code::unavailable:
    case Code::exhausted:
      return {503, "Service unavailable", std::string(or_text(message, "Service unavailable")), {}};
    case Code::ok:
    case Code::internal:
      break;
  }
  return {500, by_operation, "Internal Server Error", {}};
}

std::string_view refusal_title(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 404:
      return "Page Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 413:
      return "Request Entity Too Large";
    case 415:
      return "Unsupported Media Type";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service unavailable";
    default:
      return "Internal Server Error";
  }
}

}  // namespace

std::string_view title(Operation operation) {
  switch (operation) {
    case Operation::get:
      return "Could not retrieve a resource";
    case Operation::overview:
      return "Could not retrieve insights";
    case Operation::list:
      return "Could not retrieve resources";
    case Operation::mesh:
      return "Failed to retrieve Mesh";
    case Operation::process:
      return "Could not process a resource";
    case Operation::create:
      return "Failed to create a resource";
    case Operation::update:
      return "Failed to update a resource";
    case Operation::labels:
      return "Could not update a resource";
    case Operation::remove:
      return "Could not delete a resource";
  }
  return "Internal Server Error";
}

Response error_response(const ErrorBody& error) {
  json::object body;
  body["type"] = "/std-errors";
  body["status"] = error.status;
  body["title"] = error.title;
  body["detail"] = error.detail;
  json::array parameters;
  json::array causes;
  for (const auto& violation : error.violations) {
    parameters.push_back(json::object{{"field", violation.field}, {"reason", violation.reason}});
    causes.push_back(json::object{{"field", violation.field}, {"message", violation.reason}});
  }
  if (!parameters.empty()) body["invalid_parameters"] = std::move(parameters);
  body["details"] = error.detail;
  if (!causes.empty()) body["causes"] = std::move(causes);
  return json_response(error.status, body);
}

Response error_response(const Status& status, Operation operation) {
  return error_response(describe(status, operation));
}

Response unauthenticated() { return error_response({401, "Invalid authentication data", "Unauthenticated", {}}); }

Response plain_refusal(int status, std::string_view detail) {
  return error_response({status, std::string(refusal_title(status)), std::string(detail), {}});
}

}  // namespace kdsd::api
