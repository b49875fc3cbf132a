// Keys for tests of tokens, made once in a run, and secrets that hold them.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <string>

#include "kds/tokens.h"
#include "model/proto_spec.h"

#include "kuma/system/v1alpha1/config.pb.h"

namespace kdsd::kds {

// PEM `PRIVATE KEY`. Keys of different numbers differ.
inline const std::string& test_key(std::size_t number = 0) {
  static const auto keys = [] {
    std::array<std::string, 3> out;
    for (auto& text : out) {
      std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_RSA_gen(2048), EVP_PKEY_free);
      std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
      PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
      char* data = nullptr;
      const auto size = BIO_get_mem_data(bio.get(), &data);
      text.assign(data, static_cast<std::size_t>(size));
    }
    return out;
  }();
  return keys[number];
}

inline Resource secret(const std::string& type, const std::string& mesh, const std::string& name,
                       const std::string& data) {
  kuma::system::v1alpha1::Secret spec;
  spec.mutable_data()->set_value(data);
  Resource resource;
  resource.type = Catalogue::builtin().find(type);
  resource.mesh = mesh;
  resource.name = name;
  resource.spec = serialize_deterministic(spec);
  return resource;
}

}  // namespace kdsd::kds
