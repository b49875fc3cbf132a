// A Backend whose core runs inline, with a store that takes every commit at once; and a way to send it requests without
// sockets.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>
#include <variant>

#include "api/authentication.h"
#include "api/caller.h"
#include "api/endpoints.h"
#include "api/insight_views.h"
#include "api/router.h"
#include "api/url.h"
#include "kds/core.h"
#include "model/json.h"

namespace kdsd::api {

class FakeBackend : public Backend {
 public:
  explicit FakeBackend(policy::ControlPlaneKind control_plane = {})
      : core_(options_of(control_plane), Catalogue::builtin()) {
    facts_.control_plane = control_plane;
    facts_.kdsd_version = "0.1.0";
    facts_.hostname = "cp-1";
    facts_.instance_id = "cp-1-ab12";
    facts_.effective_config = R"({"mode":"global"})";
    facts_.admins = {{"mesh-system:admin"}, {"mesh-system:admin"}};
    facts_.config_dumps.groups = facts_.stats.groups = facts_.clusters.groups = {"mesh-system:authenticated"};
    facts_.user_token_issuing = facts_.admins;
    facts_.zone_token_issuing = facts_.admins;
    facts_.dataplane_token_issuing = facts_.admins;
    facts_.metadata.groups = {"mesh-system:authenticated", "mesh-system:unauthenticated"};
    core_.load({"store", 1, {}, {}, {}});
  }

  const Facts& facts() const override { return facts_; }
  Timestamp now() const override { return {1'770'000'000'000'000'000 + ticks_}; }
  void read(std::function<void(const kds::Core&)> fn) override {
    fn(core_);
    if (auto change = std::exchange(after_next_read, {})) change();
  }
  void write(kds::Write write) override {
    ticks_ += 1'000'000;
    core_.set_now(now());
    auto done = write.done;
    if (auto status = core_.submit(std::move(write)); !status.ok()) done(status);
    settle();
  }
  Result<std::string> new_signing_key() override { return std::string("-----BEGIN RSA PRIVATE KEY-----\n"); }
  std::string new_token_id() override { return "id-" + std::to_string(++token_ids_); }
  void ask_proxy(kds::ProxyQuery query, kds::ProxyAnswer done) override {
    queries.push_back(query);
    done(proxy_answer);
  }
  std::string metrics_text() override { return "cp_info 1\n"; }
  std::vector<std::string> not_ready() override { return missing; }

  // Puts a resource into the store past all rules, as a peer or the program itself would.
  void store(Resource resource) {
    write({[&](kds::Transaction& transaction) {
             transaction.put(std::move(resource));
             return Status();
           },
           [](const Status&) {}});
  }

  Facts& edit_facts() { return facts_; }
  kds::Core& core() { return core_; }
  Status commit_outcome;                  // of every commit from now on
  std::function<void()> after_next_read;  // for what changes between two looks of one request
  std::vector<std::string> missing;       // for /ready
  Result<std::string> proxy_answer = std::string("{}");
  std::vector<kds::ProxyQuery> queries;

 private:
  static kds::CoreOptions options_of(const policy::ControlPlaneKind& control_plane) {
    kds::CoreOptions options;
    options.control_plane = control_plane;
    return options;
  }
  void settle() {
    for (bool again = true; again;) {
      again = false;
      for (auto& effect : core_.take_effects()) {
        if (!std::holds_alternative<kds::CommitEffect>(effect)) continue;
        core_.committed(commit_outcome);
        again = true;
      }
    }
  }

  Facts facts_;
  kds::Core core_;
  std::int64_t ticks_ = 0;
  int token_ids_ = 0;
};

// An answer with its body as JSON where it is JSON.
struct Reply {
  int status = 0;
  TextPairs headers;
  std::string text;
  boost::json::value body;

  std::string header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
  std::string title() const { return std::string(find_text(body, {"title"})); }
  // field=reason;field=reason
  std::string violations() const {
    std::string out;
    const auto* list = find(body, {"invalid_parameters"});
    if (list == nullptr) return out;
    for (const auto& item : list->as_array()) {
      if (!out.empty()) out += ';';
      out += std::string(find_text(item, {"field"})) + "=" + std::string(find_text(item, {"reason"}));
    }
    return out;
  }
  // Names of the items of a list.
  std::string names() const {
    std::string out;
    for (const auto& item : body.at("items").as_array())
      out += (out.empty() ? "" : " ") + std::string(find_text(item, {"name"}));
    return out;
  }
};

class Api {
 public:
  explicit Api(Backend& backend) : authentication_(backend), router_(options_of(backend)) {
    add_system_routes(router_, backend);
    add_resource_routes(router_, backend);
    add_insight_routes(router_, backend, insights_);
    add_gui_routes(router_, backend);
  }

  Reply send(const std::string& method, const std::string& target, const std::string& body = "",
             TextPairs headers = {}) {
    Request request;
    request.method = method;
    const auto mark = target.find('?');
    request.path = target.substr(0, mark);
    request.query_text = mark == std::string::npos ? "" : target.substr(mark + 1);
    if (auto query = parse_query(request.query_text); query.ok()) request.query = *query;
    request.headers = std::move(headers);
    request.headers.emplace_back("host", "127.0.0.1:5681");
    request.body = body;
    request.peer = "127.0.0.1";
    request.peer_is_loopback = true;
    return run(request);
  }
  Reply get(const std::string& target, TextPairs headers = {}) { return send("GET", target, "", std::move(headers)); }
  Reply put(const std::string& target, const std::string& body, TextPairs headers = {}) {
    return send("PUT", target, body, std::move(headers));
  }
  Reply remove(const std::string& target) { return send("DELETE", target); }

  // A mesh without default policies.
  void mesh(const std::string& name) {
    put("/meshes/" + name, R"({"type":"Mesh","name":")" + name + R"(","skipCreatingInitialPolicies":["*"]})");
  }
  static std::string timeout(const std::string& mesh, const std::string& name, const std::string& labels = "{}",
                             const std::string& value = "5s") {
    return R"({"type":"MeshTimeout","mesh":")" + mesh + R"(","name":")" + name + R"(","labels":)" + labels +
           R"(,"spec":{"targetRef":{"kind":"Mesh"},"to":[{"targetRef":{"kind":"Mesh"},"default":{"http":{"requestTimeout":")" +
           value + R"("}}}]}})";
  }
  Reply put_timeout(const std::string& mesh, const std::string& name, const std::string& labels = "{}",
                    const std::string& value = "5s") {
    return put("/meshes/" + mesh + "/meshtimeouts/" + name, timeout(mesh, name, labels, value));
  }

  Reply run(const Request& request) {
    boost::asio::io_context context;
    Reply reply;
    boost::asio::co_spawn(context, router_.handle(request), [&](std::exception_ptr problem, Response response) {
      if (problem) std::rethrow_exception(problem);
      reply = {response.status, std::move(response.headers), std::move(response.body), {}};
    });
    context.run();
    boost::json::error_code error;
    auto parsed = boost::json::parse(reply.text, error);
    if (!error) reply.body = std::move(parsed);
    return reply;
  }

 private:
  RouterOptions options_of(Backend& backend) {
    RouterOptions options;
    options.base_path = backend.facts().base_path;
    options.cors_domains = backend.facts().cors_domains;
    options.authenticate = [this](const Request& request, Tokens tokens) {
      return authentication_.identify_caller(request, tokens);
    };
    return options;
  }
  Authentication authentication_;
  InsightViews insights_{Catalogue::builtin()};
  Router router_;
};

}  // namespace kdsd::api
