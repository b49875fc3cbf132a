// From method and path to a handler: templates with {name} parts, and the rules every request is held to before its
// handler sees it (rest-api.md 1).
//
// Filled before the server starts, then read only; safe for all threads.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/caller.h"
#include "api/http.h"

namespace kdsd::api {

class Cors;

// One request on its way to a handler.
struct Call {
  const Request& request;
  std::string_view route;  // the template
  TextPairs parameters;    // decoded parts of the path, by name
  Caller caller;

  const std::string& parameter(std::string_view name) const;
};

using Handler = std::function<boost::asio::awaitable<Response>(const Call&)>;
using Authenticator =
    std::function<boost::asio::awaitable<std::optional<Caller>>(const Request& request, Tokens tokens)>;

struct RouterOptions {
  std::string base_path = "/";
  std::vector<std::string> cors_domains;
  bool json_only = true;       // answers are JSON, so `Accept` has to cover that, and bodies are JSON
  Authenticator authenticate;  // nothing: 401; empty function: everybody is nobody
  Observer observer;
};

// Which requests a route takes: those that send and accept JSON, or all.
enum class Content { json, any };

struct RouteRules {
  Content content = Content::json;
  Tokens tokens = Tokens::checked;
};

class Router {
 public:
  explicit Router(RouterOptions options);
  ~Router();

  // Parts in braces match any one part, `{name...}` at the end all that follow; literal parts are preferred. The same
  // method and template twice: the last wins.
  void add(std::string_view method, std::string_view path, Handler handler, RouteRules rules = {});

  // The same, whatever the base path is.
  void add_at_root(std::string_view method, std::string_view path, Handler handler, RouteRules rules = {});

  boost::asio::awaitable<Response> handle(const Request& request) const;

 private:
  struct Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> literal;
    std::unique_ptr<Node> any;
    std::unique_ptr<Node> rest;
    RouteRules rules;
    std::string route;               // template that ends here
    std::vector<std::string> names;  // of its parts in braces
    std::map<std::string, Handler, std::less<>> methods;
  };

  void add_to(Node& root, std::string_view method, std::string_view path, Handler handler, RouteRules rules);
  static const Node* match(const Node& node, const std::vector<std::string>& parts, std::size_t at,
                           std::vector<std::string>& values);
  boost::asio::awaitable<Response> dispatch(const Request& request, std::string_view& route) const;
  static std::string allowed(const Node& node);

  RouterOptions options_;
  std::vector<std::string> base_;
  std::unique_ptr<Cors> cors_;
  Node root_;     // below the base path
  Node at_root_;  // not below it
  std::set<std::string, std::less<>> methods_;
};

}  // namespace kdsd::api
