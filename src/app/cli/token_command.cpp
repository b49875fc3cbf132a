#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>

#include "app/cli/command.h"
#include "app/cli/refusal.h"
#include "app/cli/server_flags.h"
#include "app/random.h"
#include "kds/tokens.h"
#include "model/json.h"
#include "policy/duration.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

// What all kinds of tokens have in common.
struct TokenOptions {
  std::string valid_for;
  std::string key_id;
  std::string key_file;
  ServerFlags server;
};

// One token, for the server to issue or to be signed here.
struct TokenOrder {
  std::string path;
  json::object request;
  json::object claims;
};

void add_token_flags(CLI::App& command, TokenOptions& options) {
  command.add_option("--valid-for", options.valid_for, "how long the token counts, such as 720h")
      ->required()
      ->type_name("DURATION");
  auto* id = command.add_option("--kid", options.key_id, "sign here, with the key of this id, and ask no server")
                 ->type_name("ID")
                 ->group("Signing without a server");
  auto* file = command.add_option("--signing-key", options.key_file, "file with that key, PEM or binary")
                   ->type_name("FILE")
                   ->group("Signing without a server");
  id->needs(file);
  file->needs(id);
  add_server_flags(command, options.server);
}

int sign_here(Console& console, const TokenOptions& options, const TokenOrder& order, std::int64_t valid_nanos) {
  std::ifstream file(options.key_file, std::ios::binary);
  std::ostringstream key;
  key << file.rdbuf();
  if (!file) return fail(console, Status(Code::not_found, options.key_file + ": cannot be read"));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const kds::TokenLife life{
      {std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()}, valid_nanos, random_uuid()};
  auto token = kds::issue_token(order.claims, life, options.key_id, key.str());
  if (!token.ok()) return fail(console, token.status().prefixed(options.key_file));
  console.out << *token << '\n';
  return exit_done;
}

int make_token(Console& console, const TokenOptions& options, TokenOrder order) {
  const auto nanos = policy::parse_go_duration(options.valid_for);
  if (!nanos || *nanos <= 0) return wrong_use(console, "--valid-for " + options.valid_for + " is no positive duration");
  if (!options.key_file.empty()) return sign_here(console, options, order, *nanos);
  auto client = make_client(console, options.server);
  if (!client.ok()) return fail_to_connect(console, client.status());
  order.request["validFor"] = options.valid_for;
  auto answer = client->post(order.path, to_compact_json(order.request));
  if (!answer.ok()) return fail(console, answer.status());
  if (answer->status != 200) return fail(console, refusal_of(*answer));
  console.out << answer->body << '\n';
  return exit_done;
}

void add_user_token(CLI::App& parent, Commands& commands) {
  struct Options : TokenOptions {
    kds::UserClaims user;
  };
  auto options = std::make_shared<Options>();
  auto& command = add_command(parent, "user", "a token for a caller of the API",
                              "kdsd token user --name nadia --group platform --valid-for 720h");
  command.add_option("--name", options->user.name, "name of the user")->required()->type_name("NAME");
  command.add_option("--group", options->user.groups, "a group of the user; may be given often")->type_name("GROUP");
  add_token_flags(command, *options);
  on_chosen(command, commands, [options](Console& console) {
    json::object request{{"name", options->user.name},
                         {"groups", json::array(options->user.groups.begin(), options->user.groups.end())}};
    return make_token(console, *options, {"/tokens/user", std::move(request), kds::claims_of(options->user)});
  });
}

void add_zone_token(CLI::App& parent, Commands& commands) {
  struct Options : TokenOptions {
    kds::ZoneClaims zone;
  };
  auto options = std::make_shared<Options>();
  auto& command = add_command(parent, "zone", "a token for a zone's control plane or proxies",
                              "kdsd token zone --zone berlin --scope cp --valid-for 720h");
  command.add_option("--zone", options->zone.zone, "name of the zone")->required()->type_name("ZONE");
  command
      .add_option("--scope", options->zone.scope,
                  "cp for its control plane, ingress or egress for a proxy; may be given often; without it all three")
      ->check(CLI::IsMember({"cp", "ingress", "egress"}))
      ->type_name("SCOPE");
  add_token_flags(command, *options);
  on_chosen(command, commands, [options](Console& console) {
    auto zone = options->zone;
    if (zone.scope.empty()) zone.scope = {std::string(kds::zone_control_plane_scope), "ingress", "egress"};
    json::object request{{"zone", zone.zone}, {"scope", json::array(zone.scope.begin(), zone.scope.end())}};
    return make_token(console, *options, {"/tokens/zone", std::move(request), kds::claims_of(zone)});
  });
}

// key=value texts as key → values; nothing when one is not of that form.
std::optional<json::object> tags_of(const std::vector<std::string>& texts) {
  json::object tags;
  for (const auto& text : texts) {
    const auto middle = text.find('=');
    if (middle == 0 || middle == std::string::npos) return std::nullopt;
    auto& values = tags[text.substr(0, middle)];
    if (!values.is_array()) values = json::array();
    values.as_array().emplace_back(text.substr(middle + 1));
  }
  return tags;
}

void add_dataplane_token(CLI::App& parent, Commands& commands) {
  struct Options : TokenOptions {
    std::string name, mesh = "default", type, workload;
    std::vector<std::string> tags;
  };
  auto options = std::make_shared<Options>();
  auto& command = add_command(parent, "dataplane", "a token for a proxy of a service",
                              "kdsd token dataplane -m shop --tag kuma.io/service=ledger --valid-for 720h");
  command.add_option("-m,--mesh", options->mesh, "mesh of the proxy")->type_name("MESH")->capture_default_str();
  command.add_option("--name", options->name, "name of the Dataplane")->type_name("NAME");
  command.add_option("--tag", options->tags, "a tag that the proxy may have; may be given often")
      ->type_name("KEY=VALUE");
  command.add_option("--type", options->type, "kind of proxy")
      ->check(CLI::IsMember({"dataplane", "ingress", "egress"}))
      ->type_name("TYPE");
  command.add_option("--workload", options->workload, "name of the workload")->type_name("NAME");
  add_token_flags(command, *options);
  on_chosen(command, commands, [options](Console& console) {
    auto tags = tags_of(options->tags);
    if (!tags) return wrong_use(console, "--tag wants KEY=VALUE");
    json::object request{{"name", options->name},
                         {"mesh", options->mesh},
                         {"tags", *tags},
                         {"type", options->type},
                         {"workload", options->workload}};
    json::object claims{{"Name", options->name},
                        {"Mesh", options->mesh},
                        {"Tags", *tags},
                        {"Type", options->type},
                        {"Workload", options->workload}};
    return make_token(console, *options, {"/tokens/dataplane", std::move(request), std::move(claims)});
  });
}

}  // namespace

void add_token(Commands& commands) {
  auto& command = add_command(commands.root, "token", "issue tokens, or sign them without a server",
                              "kdsd token user --name nadia --group platform --valid-for 720h");
  command.require_subcommand(1);
  add_user_token(command, commands);
  add_zone_token(command, commands);
  add_dataplane_token(command, commands);
}

}  // namespace kdsd::app::cli
