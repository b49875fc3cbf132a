#include "api/tls_context.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <openssl/ssl.h>
#include <optional>

namespace kdsd::api {
namespace ssl = boost::asio::ssl;
namespace {

std::optional<int> protocol_number(const std::string& name) {
  if (name == "TLSv1_0") return TLS1_VERSION;
  if (name == "TLSv1_1") return TLS1_1_VERSION;
  if (name == "TLSv1_2") return TLS1_2_VERSION;
  if (name == "TLSv1_3") return TLS1_3_VERSION;
  return std::nullopt;
}

Status set_versions(SSL_CTX* context, const TlsOptions& options) {
  const auto lowest = protocol_number(options.min_version.empty() ? "TLSv1_2" : options.min_version);
  if (!lowest) return Status(Code::invalid, "unknown TLS version " + options.min_version);
  const auto highest = options.max_version.empty() ? std::optional<int>(0) : protocol_number(options.max_version);
  if (!highest) return Status(Code::invalid, "unknown TLS version " + options.max_version);
  if (*highest != 0 && *highest < *lowest) {
    return Status(Code::invalid,
                  "no TLS version is left between " + options.min_version + " and " + options.max_version);
  }
  SSL_CTX_set_min_proto_version(context, *lowest);
  SSL_CTX_set_max_proto_version(context, *highest);
  return {};
}

// OpenSSL's name; empty where it knows no such suite. Go leaves the hash out of two names.
std::string openssl_name(const std::string& name) {
  for (const auto& spelling : {name, name + "_SHA256"}) {
    const std::string known = OPENSSL_cipher_name(spelling.c_str());
    if (known != "(NONE)") return known;
  }
  return {};
}

Status set_ciphers(SSL_CTX* context, const TlsOptions& options) {
  std::string list;
  for (const auto& name : options.cipher_suites) {
    const auto known = openssl_name(name);
    if (known.empty()) return Status(Code::invalid, "unknown TLS cipher suite " + name);
    if (known.starts_with("TLS_")) continue;  // those of TLS 1.3 are not configurable in Go either
    list += (list.empty() ? "" : ":") + known;
  }
  if (list.empty() || SSL_CTX_set_cipher_list(context, list.c_str()) == 1) return {};
  return Status(Code::invalid, "none of the TLS cipher suites can be used");
}

Status set_pair(ssl::context& context, const TlsOptions& options) {
  boost::system::error_code error;
  context.use_certificate_chain(boost::asio::buffer(options.certificate_pem), error);
  if (error) return Status(Code::invalid, "the TLS certificate cannot be read: " + error.message());
  context.use_private_key(boost::asio::buffer(options.key_pem), ssl::context::pem, error);
  if (error) return Status(Code::invalid, "the TLS key cannot be read: " + error.message());
  if (SSL_CTX_check_private_key(context.native_handle()) != 1) {
    return Status(Code::invalid, "TLS certificate and key do not belong together");
  }
  return {};
}

Status set_client_certificates(ssl::context& context, const TlsOptions& options) {
  boost::system::error_code error;
  if (options.client_certificates == ClientCertificates::ignore) {
    context.set_verify_mode(ssl::verify_none, error);
    return {};
  }
  if (options.client_ca_pem.empty())
    return Status(Code::invalid, "client certificates cannot be verified without an authority");
  context.add_certificate_authority(boost::asio::buffer(options.client_ca_pem), error);
  if (error) return Status(Code::invalid, "the authority of client certificates cannot be read: " + error.message());
  const bool demand = options.client_certificates == ClientCertificates::demand;
  context.set_verify_mode(demand ? ssl::verify_peer | ssl::verify_fail_if_no_peer_cert : ssl::verify_peer, error);
  return {};
}

}  // namespace

Result<std::shared_ptr<ssl::context>> make_tls_context(const TlsOptions& options) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  auto* handle = context->native_handle();
  SSL_CTX_set_options(handle, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  // Sessions that are resumed would skip the look at the client's certificate.
  SSL_CTX_set_session_cache_mode(handle, SSL_SESS_CACHE_OFF);
  if (auto status = set_versions(handle, options); !status.ok()) return status;
  if (auto status = set_ciphers(handle, options); !status.ok()) return status;
  if (auto status = set_pair(*context, options); !status.ok()) return status;
  if (auto status = set_client_certificates(*context, options); !status.ok()) return status;
  return context;
}

}  // namespace kdsd::api
