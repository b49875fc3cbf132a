// Go's names of cipher suites, as configuration files hold them, and what OpenSSL calls them.
//
// Pure, data only. Spec: configuration, file rules.
#pragma once

#include <string_view>

namespace kdsd::app {

struct Cipher {
  std::string_view name;          // TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
  std::string_view openssl_name;  // ECDHE-RSA-AES128-GCM-SHA256
  bool is_tls13;
};

// Null when Go knows no such suite.
const Cipher* find_cipher(std::string_view name);

}  // namespace kdsd::app
