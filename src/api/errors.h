// Refusals as answers: one table from Status to HTTP status, title and detail (rest-api.md 4).
//
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/http.h"
#include "model/status.h"

namespace kdsd::api {

// What was being done; decides the title of the kinds of errors that have no title of their own.
enum class Operation : std::uint8_t { get, overview, list, mesh, process, create, update, labels, remove };
std::string_view title(Operation operation);

struct ErrorBody {
  int status = 500;
  std::string title;
  std::string detail;
  Violations violations;
};

Response error_response(const ErrorBody& error);
Response error_response(const Status& status, Operation operation);

// 401, wherever it happens.
Response unauthenticated();

// A refusal of the server or router itself: `status` with its usual title.
Response plain_refusal(int status, std::string_view detail);

}  // namespace kdsd::api
