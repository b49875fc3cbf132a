#include "app/kds_options.h"

#include <filesystem>
#include <gmock/gmock.h>

#include "app/certificates.h"

namespace kdsd::app {
namespace {

using ::testing::HasSubstr;

class KdsOptions : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "kdsd-options-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    auto pair = new_self_signed({"localhost"}, {"127.0.0.1"});
    ASSERT_TRUE(pair.ok());
    auto& kds = config_.kds_server;
    kds.tls.cert_file = directory_ / "cert.pem";
    kds.tls.key_file = directory_ / "key.pem";
    ASSERT_TRUE(write_file(kds.tls.cert_file, pair->certificate_pem, false).ok());
    ASSERT_TRUE(write_file(kds.tls.key_file, pair->key_pem, true).ok());
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string refusal() {
    auto options = kds_server_options(config_);
    return options.ok() ? "accepted" : options.status().text();
  }

  std::filesystem::path directory_;
  Config config_;
};

TEST_F(KdsOptions, ServerHasItsPairAndVersions) {
  auto options = kds_server_options(config_);
  ASSERT_TRUE(options.ok()) << options.status().text();
  EXPECT_THAT(options->tls.certificate_pem, HasSubstr("BEGIN CERTIFICATE"));
  EXPECT_FALSE(options->tls.tls13_only);
  EXPECT_EQ(options->tls.ciphers, "");
  config_.kds_server.tls.min_version = TlsVersion::v1_3;
  EXPECT_TRUE(kds_server_options(config_)->tls.tls13_only);
}

TEST_F(KdsOptions, SuitesOfTls12AreHandedOnByOpenSslsNames) {
  config_.kds_server.tls.cipher_suites = {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256",
                                          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"};
  EXPECT_EQ(kds_server_options(config_)->tls.ciphers, "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384");
}

TEST_F(KdsOptions, WhatGrpcCannotKeepToIsRefused) {
  config_.kds_server.tls.cipher_suites = {"TLS_AES_128_GCM_SHA256"};
  EXPECT_THAT(refusal(), HasSubstr("tlsCipherSuites: has no suite for TLS 1.2"));
  config_.kds_server.tls.min_version = TlsVersion::v1_3;
  EXPECT_EQ(refusal(), "accepted");
  config_.kds_server.tls.max_version = TlsVersion::v1_2;
  EXPECT_THAT(refusal(), HasSubstr("tlsMaxVersion: TLSv1_2 cannot be kept to"));
}

TEST_F(KdsOptions, ClearTextNeedsNoFiles) {
  config_.kds_server.tls_enabled = false;
  config_.kds_server.tls.cert_file = "/nowhere";
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(KdsOptions, ZoneWritesAnIpv6GlobalInBrackets) {
  config_.kds_client.global = GlobalAddress{true, "::1", 5685};
  EXPECT_EQ(kds_client_options(config_, "2.13.0")->address, "[::1]:5685");
  config_.kds_client.root_ca_file = directory_ / "missing.pem";
  EXPECT_THAT(kds_client_options(config_, "2.13.0").status().text(), HasSubstr("rootCaFile"));
}

TEST_F(KdsOptions, TokenFileHoldsATokenAndNothingElse) {
  config_.kds_client.global = GlobalAddress{true, "localhost", 5685};
  config_.zone_identity.token_file = directory_ / "token";
  const auto with = [&](const std::string& content) {
    EXPECT_TRUE(write_file(config_.zone_identity.token_file, content, true).ok());
    const auto options = kds_client_options(config_, "2.13.0");
    return options.ok() ? options->token : options.status().text();
  };
  EXPECT_EQ(with("eyJ-.eyJ.x_9\r\n"), "eyJ-.eyJ.x_9");
  EXPECT_EQ(with("e.y.J"), "e.y.J");
  for (const std::string content : {"rubbish", "eyJ.eyJ", "e.y.J.x"})
    EXPECT_THAT(with(content), HasSubstr("this is no token")) << content;
  for (const std::string content : {"", "\n"}) EXPECT_THAT(with(content), HasSubstr("the file is empty"));
  for (const std::string content : {"\xef\xbb\xbf"
                                    "eyJ",
                                    "eyJ\tx", "eyJ\neyK\n", "eyJ \n", "eyJ=", "Bearer eyJ"}) {
    EXPECT_THAT(with(content), HasSubstr("cannot be part of a token")) << content;
    EXPECT_THAT(with(content), HasSubstr("kdsd.zone.tokenFile"));
  }
  EXPECT_THAT(with(std::string("eyJ\0", 4)), HasSubstr("at offset 3"));
  EXPECT_THAT(with("e.y." + std::string(100'000, 'a')), HasSubstr("longer than"));
}

}  // namespace
}  // namespace kdsd::app
