#include "api/answers.h"
#include "api/endpoints.h"

namespace kdsd::api {
namespace json = boost::json;

Answer get_healthy(Backend&, const Call&) { co_return Response{}; }

Answer get_ready(Backend& backend, const Call&) {
  const auto missing = backend.not_ready();
  json::object body;
  body["ready"] = missing.empty();
  body["notReady"] = json::array(missing.begin(), missing.end());
  co_return json_response(missing.empty() ? 200 : 503, body);
}

Answer get_metrics(Backend& backend, const Call&) {
  co_return text_response(200, "text/plain; version=0.0.4; charset=utf-8", backend.metrics_text());
}

}  // namespace kdsd::api
