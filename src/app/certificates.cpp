#include "app/certificates.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <ifaddrs.h>
#include <memory>
#include <openssl/bio.h>
#include <openssl/encoder.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace kdsd::app {
namespace {

constexpr int rsa_bits = 2048;
constexpr long ten_years_s = 10L * 365 * 24 * 3600;

using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using CertPtr = std::unique_ptr<X509, decltype(&X509_free)>;
using BioPtr = std::unique_ptr<BIO, decltype(&BIO_free)>;

Status openssl_error(const std::string& what) { return Status(Code::internal, what + " failed"); }

KeyPtr new_key() { return KeyPtr(EVP_RSA_gen(rsa_bits), EVP_PKEY_free); }

Result<std::string> private_pem(EVP_PKEY* key) {
  std::unique_ptr<OSSL_ENCODER_CTX, decltype(&OSSL_ENCODER_CTX_free)> encoder(
      OSSL_ENCODER_CTX_new_for_pkey(key, EVP_PKEY_KEYPAIR, "PEM", "type-specific", nullptr), OSSL_ENCODER_CTX_free);
  unsigned char* data = nullptr;
  std::size_t size = 0;
  if (!encoder || OSSL_ENCODER_to_data(encoder.get(), &data, &size) != 1)
    return openssl_error("encoding a private key");
  std::string pem(reinterpret_cast<char*>(data), size);
  OPENSSL_free(data);
  return pem;
}

bool add_extension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()), X509_EXTENSION_free);
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

std::string subject_alt_names(const std::vector<std::string>& dns_names, const std::vector<std::string>& addresses) {
  std::string out;
  for (const auto& name : dns_names) out += (out.empty() ? "DNS:" : ",DNS:") + name;
  for (const auto& address : addresses) out += (out.empty() ? "IP:" : ",IP:") + address;
  return out;
}

std::vector<std::string> local_addresses() {
  std::vector<std::string> out;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {"127.0.0.1"};
  for (auto* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr) continue;
    char text[INET6_ADDRSTRLEN];
    const void* source = nullptr;
    if (at->ifa_addr->sa_family == AF_INET) source = &reinterpret_cast<sockaddr_in*>(at->ifa_addr)->sin_addr;
    if (at->ifa_addr->sa_family == AF_INET6) source = &reinterpret_cast<sockaddr_in6*>(at->ifa_addr)->sin6_addr;
    if (source != nullptr && inet_ntop(at->ifa_addr->sa_family, source, text, sizeof text) != nullptr)
      out.emplace_back(text);
  }
  freeifaddrs(list);
  return out;
}

}  // namespace

Result<std::string> new_rsa_key_pem() {
  auto key = new_key();
  if (!key) return openssl_error("making an RSA key");
  return private_pem(key.get());
}

Result<CertificatePair> new_self_signed(const std::vector<std::string>& dns_names,
                                        const std::vector<std::string>& addresses) {
  auto key = new_key();
  CertPtr certificate(X509_new(), X509_free);
  if (!key || !certificate) return openssl_error("making a certificate");
  X509_set_version(certificate.get(), 2);
  std::unique_ptr<BIGNUM, decltype(&BN_free)> serial(BN_new(), BN_free);
  if (BN_rand(serial.get(), 120, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) != 1) return openssl_error("random serial");
  BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate.get()));
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);  // clocks of peers may be a little behind
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), ten_years_s);
  X509_set_pubkey(certificate.get(), key.get());
  auto* name = X509_get_subject_name(certificate.get());
  const auto common = dns_names.empty() ? std::string("kdsd") : dns_names.front().substr(0, 64);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(common.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(certificate.get(), name);
  const bool extended =
      add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE") &&
      add_extension(certificate.get(), NID_key_usage, "critical,digitalSignature,keyEncipherment,keyCertSign") &&
      add_extension(certificate.get(), NID_ext_key_usage, "serverAuth") &&
      add_extension(certificate.get(), NID_subject_key_identifier, "hash") &&
      add_extension(certificate.get(), NID_subject_alt_name, subject_alt_names(dns_names, addresses));
  if (!extended || X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0)
    return openssl_error("signing a certificate");
  BioPtr out(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509(out.get(), certificate.get());
  char* data = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &data);
  auto key_pem = private_pem(key.get());
  if (!key_pem.ok()) return key_pem.status();
  return CertificatePair{std::string(data, static_cast<std::size_t>(size)), *key_pem};
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Status(Code::not_found, path + ": " + std::strerror(errno));
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

Status write_file(const std::string& path, const std::string& content, bool secret) {
  const auto temporary = path + ".new";
  // Made anew: nobody has it open already, and it is no link to somewhere else.
  ::unlink(temporary.c_str());
  const int file =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, secret ? 0600 : 0644);
  if (file < 0) return Status(Code::unavailable, temporary + ": " + std::strerror(errno));
  const auto written = ::write(file, content.data(), content.size());
  const bool complete = written == static_cast<ssize_t>(content.size()) && ::fsync(file) == 0;
  ::close(file);
  if (!complete || std::rename(temporary.c_str(), path.c_str()) != 0) {
    return Status(Code::unavailable, path + ": " + std::strerror(errno));
  }
  return {};
}

Result<CertificatePair> read_pair(const std::string& certificate_file, const std::string& key_file) {
  auto certificate = read_file(certificate_file);
  if (!certificate.ok()) return certificate.status();
  auto key = read_file(key_file);
  if (!key.ok()) return key.status();
  return CertificatePair{*certificate, *key};
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && name[0] != 0 ? name : "localhost";
}

Status ensure_work_dir_pair(const std::string& work_dir) {
  const auto certificate_file = work_dir + "/kuma-cp.crt";
  const auto key_file = work_dir + "/kuma-cp.key";
  if (::access(certificate_file.c_str(), F_OK) == 0 && ::access(key_file.c_str(), F_OK) == 0) return {};
  std::vector<std::string> names = {host_name()};
  if (names.front() != "localhost") names.emplace_back("localhost");
  auto pair = new_self_signed(names, local_addresses());
  if (!pair.ok()) return pair.status();
  if (auto status = write_file(key_file, pair->key_pem, true); !status.ok()) return status;
  return write_file(certificate_file, pair->certificate_pem, false);
}

}  // namespace kdsd::app
