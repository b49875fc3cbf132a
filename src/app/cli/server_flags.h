// The flags that say which server a command talks to and as whom, with their environment variables.
#pragma once

#include <memory>

#include "app/cli/command.h"
#include "app/cli/rest_client.h"

namespace kdsd::app::cli {

struct ServerFlags {
  std::string address;
  std::string token;
  std::string ca_cert_file;
  std::string client_cert_file;
  std::string client_key_file;
};

void add_server_flags(CLI::App& command, ServerFlags& flags);

// A flag wins over its variable (KDSD_ADDRESS, KDSD_TOKEN), the variable over the default.
Result<RestClient> make_client(const Console& console, const ServerFlags& flags);

// An address or a certificate that cannot be used is wrong use; everything else is a failure.
int fail_to_connect(const Console& console, const Status& status);

}  // namespace kdsd::app::cli
