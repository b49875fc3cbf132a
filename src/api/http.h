// One HTTP request and its answer as plain values: what handlers see of the server.
//
// Values. Header names are lower case; the query is decoded; the path is still as the client wrote it, because only a
// router may decide where a part begins and ends.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kdsd::api {

using TextPairs = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;      // GET, PUT, …
  std::string path;        // before the question mark, percent-encoded
  std::string query_text;  // behind it, as written
  TextPairs query;         // decoded, in the order of the request
  TextPairs headers;
  std::string body;
  std::string peer;  // address of the TCP peer
  bool peer_is_loopback = false;
  bool is_tls = false;
  bool client_certificate_verified = false;

  // The first value, or empty text. `has_header` and `find_query` tell missing from empty.
  std::string_view header(std::string_view lower_case_name) const;
  bool has_header(std::string_view lower_case_name) const;
  std::string_view query_value(std::string_view key) const;
  const std::string* find_query(std::string_view key) const;
  std::string_view host() const { return header("host"); }
};

struct Response {
  int status = 200;
  TextPairs headers;  // Content-Length and Connection are the server's
  std::string body;
};

// What the metrics want to know of one answered request. `route` is the template (`/meshes/{mesh}/meshtimeouts`), empty
// where no route matched. `method` is one that some route knows, or `OTHER`: clients may write anything, and each text
// would be a series of its own.
struct RequestObservation {
  std::string_view route;
  std::string_view method;
  int status = 0;
  double seconds = 0;
  std::size_t bytes = 0;  // of the answer's body
};
using Observer = std::function<void(const RequestObservation&)>;

using RequestHandler = std::function<boost::asio::awaitable<Response>(const Request&)>;

}  // namespace kdsd::api
