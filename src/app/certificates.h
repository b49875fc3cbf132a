// Certificates and keys that a control plane makes for itself (config.md 1.4, tokens.md 2).
//
// Thread safe. Making a key takes tens of milliseconds.
#pragma once

#include <string>
#include <vector>

#include "model/status.h"

namespace kdsd::app {

// PEM `RSA PRIVATE KEY` (PKCS#1), 2048 bits.
Result<std::string> new_rsa_key_pem();

struct CertificatePair {
  std::string certificate_pem;
  std::string key_pem;
};

// A self-signed pair for the names and addresses, usable as its own authority.
Result<CertificatePair> new_self_signed(const std::vector<std::string>& dns_names,
                                        const std::vector<std::string>& addresses);

// Reads the pair; the error names the file.
Result<CertificatePair> read_pair(const std::string& certificate_file, const std::string& key_file);

// Makes <work_dir>/kuma-cp.crt and .key for this host if they are not there.
Status ensure_work_dir_pair(const std::string& work_dir);

Result<std::string> read_file(const std::string& path);
// Written under another name and renamed, so that nobody sees half a file. Mode 0600 where `secret`.
Status write_file(const std::string& path, const std::string& content, bool secret);

std::string host_name();

}  // namespace kdsd::app
