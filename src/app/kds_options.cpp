#include "app/kds_options.h"

#include <algorithm>

#include "app/api_options.h"
#include "app/certificates.h"
#include "app/config/ciphers.h"
#include "kds/jwt.h"

namespace kdsd::app {
namespace {

// The suites of TLS 1.3 are not for choice: OpenSSL's list does not name them, and neither does gRPC's.
Result<std::string> tls12_ciphers(const ServerTls& tls) {
  std::string list;
  for (const auto& name : tls.cipher_suites) {
    const auto* cipher = find_cipher(name);
    if (cipher == nullptr || cipher->is_tls13) continue;
    if (!list.empty()) list += ':';
    list += cipher->openssl_name;
  }
  if (list.empty() && !tls.cipher_suites.empty() && tls.min_version != TlsVersion::v1_3) {
    return Status(Code::invalid, "tlsCipherSuites: has no suite for TLS 1.2; add one, or set tlsMinVersion: TLSv1_3");
  }
  return list;
}

Result<net::ServerTls> kds_server_tls(const ServerTls& tls) {
  if (tls.max_version == TlsVersion::v1_2) {
    return Status(Code::invalid,
                  "tlsMaxVersion: TLSv1_2 cannot be kept to here, peers that can speak TLS 1.3 will; leave it empty");
  }
  auto pair = read_pair(tls.cert_file, tls.key_file);
  if (!pair.ok()) return pair.status();
  auto ciphers = tls12_ciphers(tls);
  if (!ciphers.ok()) return ciphers.status();
  net::ServerTls out;
  out.certificate_pem = std::move(pair->certificate_pem);
  out.key_pem = std::move(pair->key_pem);
  out.tls13_only = tls.min_version == TlsVersion::v1_3;
  out.ciphers = std::move(*ciphers);
  return out;
}

// What stands in the file goes into a header of every call, and gRPC aborts on one that it cannot send. An empty file
// is one that is being written.
Result<std::string> read_token(const std::string& file) {
  auto token = read_file(file);
  if (!token.ok()) return token;
  // Editors and shells end files with a newline.
  while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) token->pop_back();
  if (token->empty()) return Status(Code::invalid, file + ": the file is empty");
  constexpr std::string_view token_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  if (const auto at = token->find_first_not_of(token_characters); at != token->npos) {
    return Status(Code::invalid, file + ": the character at offset " + std::to_string(at) +
                                     " cannot be part of a token; the file must hold the token and nothing else");
  }
  if (std::count(token->begin(), token->end(), '.') != 2)
    return Status(Code::invalid, file + ": this is no token; a token has three parts with dots between them");
  if (token->size() > kds::limits::token_bytes_max)
    return Status(Code::invalid, file + ": longer than " + std::to_string(kds::limits::token_bytes_max) + " bytes");
  return token;
}

std::string bracketed(const std::string& host) { return host.find(':') == host.npos ? host : "[" + host + "]"; }

}  // namespace

kds::ZoneAuthentication zone_authentication(const Config& config) {
  kds::ZoneAuthentication rules;
  if (config.zone_auth.type == ZoneProofType::zone_token) rules.proof = kds::ZoneProof::zone_token;
  if (config.zone_auth.type == ZoneProofType::client_certificate) rules.proof = kds::ZoneProof::client_certificate;
  rules.exempt_zones.insert(config.zone_auth.exempt_zones.begin(), config.zone_auth.exempt_zones.end());
  rules.tokens = token_rules(config.zone_tokens);
  return rules;
}

Result<net::ServerOptions> kds_server_options(const Config& config) {
  net::ServerOptions options;
  const auto& kds = config.kds_server;
  options.address =
      (kds.bind_address.empty() ? std::string("[::]") : kds.bind_address) + ":" + std::to_string(kds.port);
  options.message_bytes_max = kds.timing.message_bytes_max;
  options.compress = config.sync.compression == Compression::gzip;
  options.health_interval_nanos = kds.health_poll_interval_ns;
  if (!kds.tls_enabled) return options;
  auto tls = kds_server_tls(kds.tls);
  if (!tls.ok()) return tls.status();
  options.tls = std::move(*tls);
  if (config.zone_auth.type != ZoneProofType::client_certificate) return options;
  auto authorities = read_file(config.zone_auth.client_ca_file);
  if (!authorities.ok()) return authorities.status().prefixed("kdsd.zoneAuthentication.clientCaFile");
  options.tls.client_ca_pem = std::move(*authorities);
  return options;
}

Result<net::ClientOptions> kds_client_options(const Config& config, const std::string& version) {
  net::ClientOptions options;
  const auto& client = config.kds_client;
  options.zone = config.zone_name;
  options.version = version;
  options.address = bracketed(client.global->host) + ":" + std::to_string(client.global->port);
  options.tls.enabled = client.global->tls;
  options.tls.skip_verify = client.tls_skip_verify;
  if (!client.root_ca_file.empty()) {
    auto ca = read_file(client.root_ca_file);
    if (!ca.ok()) return ca.status().prefixed("rootCaFile");
    options.tls.root_ca_pem = *ca;
  }
  const auto& identity = config.zone_identity;
  if (!identity.cert_file.empty()) {
    auto pair = read_pair(identity.cert_file, identity.key_file);
    if (!pair.ok()) return pair.status().prefixed("kdsd.zone.certFile");
    options.tls.certificate_pem = std::move(pair->certificate_pem);
    options.tls.key_pem = std::move(pair->key_pem);
  }
  if (!identity.token_file.empty()) {
    auto token = read_token(identity.token_file);
    if (!token.ok()) return token.status().prefixed("kdsd.zone.tokenFile");
    options.token = std::move(*token);
  }
  options.message_bytes_max = client.timing.message_bytes_max;
  options.compress = config.sync.compression == Compression::gzip;
  options.backoff_base_nanos = config.general.restart_backoff_base_ns;
  options.backoff_cap_nanos = config.general.restart_backoff_max_ns;
  return options;
}

}  // namespace kdsd::app
