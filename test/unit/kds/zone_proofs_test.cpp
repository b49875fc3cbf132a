// What zones proved when their streams began, and what becomes of the streams when the secrets behind it change.
#include <gmock/gmock.h>

#include "kds/core.h"

#include "pair.h"
#include "token_support.h"

namespace kdsd::kds {
namespace {

using testing::HasSubstr;

constexpr std::int64_t hour = 3'600'000'000'000;

CoreOptions with_zone_tokens() {
  CoreOptions options;
  options.zone_authentication.proof = ZoneProof::zone_token;
  return options;
}

class ProvenStreams : public testing::Test {
 protected:
  ProvenStreams() { store(secret("GlobalSecret", "", "zone-token-signing-key-1", test_key())); }

  void store(Resource resource) {
    EXPECT_TRUE(global
                    .write([&](Transaction& transaction) {
                      transaction.put(resource);
                      return Status();
                    })
                    .ok());
  }
  // All streams that a zone has, on one connection with one token.
  void open_all(const std::string& zone) {
    auto issued =
        issue_token(claims_of(ZoneClaims{zone, {"cp"}}), {global.core->now(), hour, "id-of-" + zone}, "1", test_key());
    ASSERT_TRUE(issued.ok()) << issued.status().text();
    for (const auto kind : {StreamKind::global_to_zone, StreamKind::zone_to_global, StreamKind::config_dumps,
                            StreamKind::stats, StreamKind::clusters}) {
      const auto opened = global.core->opened({kind, zone, "of " + zone, {"hash-suffix"}, true, *issued, {}});
      EXPECT_TRUE(opened.ok()) << opened.status().text();
    }
    global.step();
  }

  TestPlane global{"", with_zone_tokens()};
};

TEST_F(ProvenStreams, OfOneTokenCostOneSignature) {
  open_all("east");
  open_all("west");
  EXPECT_EQ(global.core->zone_tokens_verified(), 2U);
}

TEST_F(ProvenStreams, AreNotCheckedAgainForSecretsThatDoNotCount) {
  open_all("east");
  store(secret("GlobalSecret", "", "of-somebody", "x"));
  store(secret("GlobalSecret", "", "user-token-signing-key-1", test_key()));
  EXPECT_EQ(global.core->zone_tokens_verified(), 1U);
  EXPECT_TRUE(global.ended.empty());
}

TEST_F(ProvenStreams, AreCheckedOnceForEachTokenWhenAKeyChanges) {
  open_all("east");
  open_all("west");
  store(secret("GlobalSecret", "", "zone-token-signing-key-2", test_key(1)));
  EXPECT_EQ(global.core->zone_tokens_verified(), 4U);
  EXPECT_TRUE(global.ended.empty());
}

TEST_F(ProvenStreams, EndTogetherWhenTheirTokenIsRevoked) {
  open_all("east");
  open_all("west");
  store(secret("GlobalSecret", "", "zone-token-revocations", "id-of-east"));
  ASSERT_EQ(global.ended.size(), 5U);
  for (const auto& [id, why] : global.ended) EXPECT_THAT(why, HasSubstr("zone \"east\" is not authenticated"));
}

TEST_F(ProvenStreams, EndWhenAKeyGoesThatNoZoneEverHad) {
  auto key = secret("GlobalSecret", "", "zone-token-signing-key-1", test_key());
  ASSERT_TRUE(global.remove("GlobalSecret", "", key.name).ok());
  key.name = "zone-token-signing-key-0001";  // a key of its own, with the same number
  key.labels.set(label::kds_sync, "disabled");
  store(key);
  open_all("east");
  ASSERT_TRUE(global.remove("GlobalSecret", "", key.name).ok());
  ASSERT_EQ(global.core->index().find_entry(key.key()), nullptr) << "there is no tombstone";
  EXPECT_EQ(global.ended.size(), 5U);
}

}  // namespace
}  // namespace kdsd::kds
