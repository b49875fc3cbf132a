#include "app/cli/server_flags.h"

#include <CLI/CLI.hpp>

namespace kdsd::app::cli {

void add_server_flags(CLI::App& command, ServerFlags& flags) {
  constexpr const char* group = "Server";
  command.add_option("--address", flags.address, "server; else KDSD_ADDRESS, else http://localhost:5681")
      ->type_name("URL")
      ->group(group);
  command.add_option("--token", flags.token, "user token; else KDSD_TOKEN")->type_name("TOKEN")->group(group);
  command.add_option("--ca-cert", flags.ca_cert_file, "authority that signed the server's certificate")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--client-cert", flags.client_cert_file, "certificate to show to the server")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--client-key", flags.client_key_file, "key of that certificate")->type_name("FILE")->group(group);
}

Result<RestClient> make_client(const Console& console, const ServerFlags& flags) {
  RestOptions options;
  const auto address = flags.address.empty() ? console.variable("KDSD_ADDRESS") : flags.address;
  if (!address.empty()) options.address = address;
  options.token = flags.token.empty() ? console.variable("KDSD_TOKEN") : flags.token;
  options.ca_cert_file = flags.ca_cert_file;
  options.client_cert_file = flags.client_cert_file;
  options.client_key_file = flags.client_key_file;
  return RestClient::create(std::move(options));
}

int fail_to_connect(const Console& console, const Status& status) {
  return status.code() == Code::invalid ? wrong_use(console, status.message()) : fail(console, status);
}

}  // namespace kdsd::app::cli
