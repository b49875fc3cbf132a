#include "api/router.h"

#include <chrono>

#include "api/content_rules.h"
#include "api/errors.h"
#include "api/url.h"

namespace kdsd::api {
namespace {

constexpr std::string_view other_method = "OTHER";

std::vector<std::string> template_parts(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    if (path.front() == '/') {
      path.remove_prefix(1);
      continue;
    }
    const auto end = std::min(path.find('/'), path.size());
    parts.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

}  // namespace

const std::string& Call::parameter(std::string_view name) const {
  static const std::string none;
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return none;
}

Router::Router(RouterOptions options)
    : options_(std::move(options)),
      base_(template_parts(options_.base_path)),
      cors_(std::make_unique<Cors>(options_.cors_domains)),
      methods_({"OPTIONS"}) {}  // of CORS; no route has it

Router::~Router() = default;

void Router::add(std::string_view method, std::string_view path, Handler handler, RouteRules rules) {
  add_to(root_, method, path, std::move(handler), rules);
}

void Router::add_at_root(std::string_view method, std::string_view path, Handler handler, RouteRules rules) {
  add_to(at_root_, method, path, std::move(handler), rules);
}

void Router::add_to(Node& root, std::string_view method, std::string_view path, Handler handler, RouteRules rules) {
  Node* node = &root;
  std::vector<std::string> names;
  for (const auto& part : template_parts(path)) {
    if (part.ends_with("...}")) {
      names.push_back(part.substr(1, part.size() - 5));
      if (!node->rest) node->rest = std::make_unique<Node>();
      node = node->rest.get();
    } else if (part.starts_with('{')) {
      names.push_back(part.substr(1, part.size() - 2));
      if (!node->any) node->any = std::make_unique<Node>();
      node = node->any.get();
    } else {
      auto& next = node->literal[part];
      if (!next) next = std::make_unique<Node>();
      node = next.get();
    }
  }
  node->route = path;
  node->names = std::move(names);
  node->rules = rules;
  node->methods[std::string(method)] = std::move(handler);
  methods_.emplace(method);
}

const Router::Node* Router::match(const Node& node, const std::vector<std::string>& parts, std::size_t at,
                                  std::vector<std::string>& values) {
  if (at == parts.size()) return node.methods.empty() ? nullptr : &node;
  if (auto it = node.literal.find(parts[at]); it != node.literal.end()) {
    if (const auto* found = match(*it->second, parts, at + 1, values)) return found;
  }
  // No name is empty, so an empty part is no part.
  if (node.any && !parts[at].empty()) {
    values.push_back(parts[at]);
    if (const auto* found = match(*node.any, parts, at + 1, values)) return found;
    values.pop_back();
  }
  if (!node.rest) return nullptr;
  std::string rest = parts[at];
  for (auto next = at + 1; next < parts.size(); ++next) rest += "/" + parts[next];
  values.push_back(std::move(rest));
  return node.rest.get();
}

std::string Router::allowed(const Node& node) {
  std::string out;
  for (const auto& [method, handler] : node.methods) out += (out.empty() ? "" : ", ") + method;
  return out;
}

boost::asio::awaitable<Response> Router::dispatch(const Request& request, std::string_view& route) const {
  if (auto answer = cors_->preflight(request)) co_return std::move(*answer);
  auto parts = split_path(request.path);
  if (!parts.ok()) co_return plain_refusal(400, parts.status().message());
  std::vector<std::string> values;
  const bool below_base = parts->size() >= base_.size() && std::equal(base_.begin(), base_.end(), parts->begin());
  const auto* node = below_base ? match(root_, *parts, base_.size(), values) : nullptr;
  if (node == nullptr) node = match(at_root_, *parts, 0, values);
  if (node == nullptr) co_return plain_refusal(404, "there is nothing at this address");
  route = node->route;
  auto handler = node->methods.find(request.method);
  if (handler == node->methods.end()) {
    auto answer = plain_refusal(405, "this address does not know the method " + request.method);
    answer.headers.emplace_back("allow", allowed(*node));
    co_return answer;
  }
  if (options_.json_only && node->rules.content == Content::json) {
    if (!accepts_json(request.header("accept"))) co_return plain_refusal(406, "answers are application/json only");
    const bool has_json = request.body.empty() || is_json(request.header("content-type"));
    if (!has_json) co_return plain_refusal(415, "a body has to be application/json");
  }
  Call call{request, route, {}, {}};
  for (std::size_t i = 0; i < values.size(); ++i) call.parameters.emplace_back(node->names[i], std::move(values[i]));
  if (options_.authenticate) {
    auto caller = co_await options_.authenticate(request, node->rules.tokens);
    if (!caller) co_return unauthenticated();
    call.caller = std::move(*caller);
  }
  co_return co_await handler->second(call);
}

boost::asio::awaitable<Response> Router::handle(const Request& request) const {
  const auto begin = std::chrono::steady_clock::now();
  std::string_view route;
  auto response = co_await dispatch(request, route);
  cors_->decorate(request, response);
  if (options_.observer) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const std::string_view method = methods_.contains(request.method) ? request.method : other_method;
    options_.observer({route, method, response.status, taken.count(), response.body.size()});
  }
  co_return response;
}

}  // namespace kdsd::api
