#include "app/credential_files.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>

namespace kdsd::app {

std::vector<std::string> credential_files(const Config& config) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& file) {
    if (!file.empty()) out.push_back(file);
  };
  const auto add_pair = [&](const ServerTls& tls) {
    add(tls.cert_file);
    add(tls.key_file);
  };
  const auto& server = config.api_server;
  if (server.https.enabled) {
    add_pair(server.tls);
    add(server.client_ca_file);
    add(server.client_certs_dir);
    // The folder changes with the files that are in it, not with what they hold.
    if (auto files = client_certificate_files(server.client_certs_dir); files.ok())
      out.insert(out.end(), files->begin(), files->end());
  }
  if (config.diagnostics.tls_enabled) add_pair(config.diagnostics.tls);
  if (config.is_global() && config.kds_server.tls_enabled) {
    add_pair(config.kds_server.tls);
    add(config.zone_auth.client_ca_file);
  }
  if (config.is_federated_zone()) {
    add(config.kds_client.root_ca_file);
    add(config.zone_identity.token_file);
    add(config.zone_identity.cert_file);
    add(config.zone_identity.key_file);
  }
  return out;
}

Result<std::vector<std::string>> client_certificate_files(const std::string& directory) {
  std::vector<std::string> out;
  if (directory.empty()) return out;
  std::error_code error;
  // Step by step: a range-for would throw.
  auto at = std::filesystem::directory_iterator(directory, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const auto ending = at->path().extension();
    if (ending == ".pem" || ending == ".crt") out.push_back(at->path().string());
  }
  if (error) return Status(Code::not_found, directory + ": " + error.message());
  std::sort(out.begin(), out.end());
  return out;
}

std::string stamp_of(const std::vector<std::string>& files) {
  std::string out;
  for (const auto& file : files) {
    struct stat seen = {};
    if (::stat(file.c_str(), &seen) == 0) {
      out += std::to_string(seen.st_dev) + ":" + std::to_string(seen.st_ino) + ":" + std::to_string(seen.st_size) +
             ":" + std::to_string(seen.st_mtim.tv_sec) + "." + std::to_string(seen.st_mtim.tv_nsec);
    }
    out += ";";
  }
  return out;
}

}  // namespace kdsd::app
