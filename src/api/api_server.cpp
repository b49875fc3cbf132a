#include "api/api_server.h"

#include "api/authentication.h"
#include "api/endpoints.h"
#include "api/errors.h"
#include "api/router.h"
#include "api/service_insight_publisher.h"

namespace kdsd::api {
namespace {

RouterOptions api_router_options(const Facts& facts, const ApiServerOptions& options,
                                 const Authentication& authentication) {
  RouterOptions out;
  out.base_path = facts.base_path;
  out.cors_domains = facts.cors_domains;
  out.authenticate = [&authentication](const Request& request, Tokens tokens) {
    return authentication.identify_caller(request, tokens);
  };
  out.observer = options.observer;
  return out;
}

RouterOptions diagnostics_router_options() {
  RouterOptions out;
  out.json_only = false;
  return out;
}

}  // namespace

struct ApiServer::Parts {
  Parts(boost::asio::io_context& io, Backend& data, ApiServerOptions server_options)
      : context(io),
        backend(data),
        options(std::move(server_options)),
        authentication(backend),
        insights(Catalogue::builtin()),
        publisher(context, backend, insights, options.log),
        api(api_router_options(backend.facts(), options, authentication)),
        diagnostics(diagnostics_router_options()) {
    add_system_routes(api, backend);
    add_resource_routes(api, backend);
    add_insight_routes(api, backend, insights);
    add_gui_routes(api, backend);
    add_diagnostics_routes(diagnostics, backend);
  }

  Status open(const std::optional<ListenerOptions>& listener, const Router& router, const char* name,
              std::unique_ptr<HttpServer>& server) {
    if (!listener) return {};
    HttpServerOptions server_options;
    server_options.address = listener->address;
    server_options.port = listener->port;
    server_options.tls = listener->tls;
    server_options.body_bytes_max = backend.facts().body_bytes_max;
    server_options.connections_max = options.connections_max;
    server_options.refusal = [](int status, std::string_view detail) { return plain_refusal(status, detail); };
    server_options.log = options.log;
    server = std::make_unique<HttpServer>(context, std::move(server_options),
                                          [&router](const Request& request) { return router.handle(request); });
    return server->start().prefixed(name);
  }

  boost::asio::io_context& context;
  Backend& backend;
  ApiServerOptions options;
  ApiListeners listeners;
  Authentication authentication;
  InsightViews insights;
  ServiceInsightPublisher publisher;
  Router api;
  Router diagnostics;
  std::unique_ptr<HttpServer> http;
  std::unique_ptr<HttpServer> https;
  std::unique_ptr<HttpServer> diagnostics_server;
};

ApiServer::ApiServer(boost::asio::io_context& context, Backend& backend, ApiServerOptions options)
    : parts_(std::make_unique<Parts>(context, backend, std::move(options))) {}

ApiServer::~ApiServer() = default;

Status ApiServer::start_diagnostics() {
  auto& parts = *parts_;
  return parts.open(parts.options.diagnostics, parts.diagnostics, "diagnostics server", parts.diagnostics_server);
}

Status ApiServer::start(ApiListeners listeners) {
  auto& parts = *parts_;
  parts.listeners = std::move(listeners);
  auto status = parts.open(parts.listeners.http, parts.api, "API server", parts.http);
  if (status.ok()) status = parts.open(parts.listeners.https, parts.api, "API server, HTTPS", parts.https);
  if (!status.ok()) {
    stop();
  } else if (parts.backend.facts().control_plane.is_global()) {
    parts.publisher.start(parts.options.service_insight_pause, parts.options.relay_hold);
  }
  return status;
}

void ApiServer::stop() {
  parts_->publisher.stop();
  for (auto* server : {parts_->http.get(), parts_->https.get(), parts_->diagnostics_server.get()}) {
    if (server != nullptr) server->stop();
  }
}

Status ApiServer::set_tls(const std::optional<TlsOptions>& https, const std::optional<TlsOptions>& diagnostics) {
  Status first;
  const auto apply = [&](const std::unique_ptr<HttpServer>& server, const std::optional<ListenerOptions>& listener,
                         const std::optional<TlsOptions>& tls, const char* name) {
    if (!server || !listener->tls || !tls) return;
    auto status = server->set_tls(*tls).prefixed(name);
    if (first.ok()) first = std::move(status);
  };
  apply(parts_->https, parts_->listeners.https, https, "API server, HTTPS");
  apply(parts_->diagnostics_server, parts_->options.diagnostics, diagnostics, "diagnostics server");
  return first;
}

std::uint16_t ApiServer::http_port() const { return parts_->http ? parts_->http->port() : 0; }
std::uint16_t ApiServer::https_port() const { return parts_->https ? parts_->https->port() : 0; }
std::uint16_t ApiServer::diagnostics_port() const {
  return parts_->diagnostics_server ? parts_->diagnostics_server->port() : 0;
}

}  // namespace kdsd::api
