// Tokens: what is issued is accepted, and everything that was changed about it is not.
#include "kds/tokens.h"

#include <gtest/gtest.h>

#include "kds/jwt.h"
#include "kds/signing_key.h"
#include "kds/zone_authentication.h"
#include "model/json.h"

#include "token_support.h"

namespace kdsd::kds {
namespace {

namespace json = boost::json;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t hour = 3600 * second;
const Timestamp now{1'770'000'000 * second};

std::string token(const json::object& claims = claims_of(UserClaims{"nadia", {"platform"}}),
                  const std::string& key_id = "1", const std::string& key = test_key()) {
  auto issued = issue_token(claims, {now, hour, "id-1"}, key_id, key);
  EXPECT_TRUE(issued.ok()) << issued.status().text();
  return issued.ok() ? *issued : std::string();
}

TokenKeys keys(const std::string& key = test_key()) { return {{{1, key}}, {}}; }

Status verdict(const std::string& text, const TokenKeys& known = keys(), Timestamp at = now,
               const TokenRules& rules = {}) {
  return TokenVerifier(rules, known).verify(text, at).status();
}

std::string base64url(std::string_view text) {
  // Signing is the one public way to that spelling: the payload of a token is its middle part.
  auto signed_text = sign_jwt(parse_json(text)->as_object(), "1", test_key());
  const auto first = signed_text->find('.');
  return signed_text->substr(first + 1, signed_text->rfind('.') - first - 1);
}

// The token with another header or payload and its old signature.
std::string with_part(const std::string& text, int part, const std::string& replacement) {
  const auto first = text.find('.');
  const auto second_dot = text.rfind('.');
  std::array<std::string, 3> parts = {text.substr(0, first), text.substr(first + 1, second_dot - first - 1),
                                      text.substr(second_dot + 1)};
  parts[static_cast<std::size_t>(part)] = replacement;
  return parts[0] + "." + parts[1] + "." + parts[2];
}

TEST(Token, IsAcceptedByWhoHasTheKey) {
  auto verified = TokenVerifier({}, keys()).verify(token(), now);
  ASSERT_TRUE(verified.ok()) << verified.status().text();
  auto user = user_claims(verified->claims);
  ASSERT_TRUE(user.ok());
  EXPECT_EQ(user->name, "nadia");
  EXPECT_EQ(user->groups, std::vector<std::string>{"platform"});
  EXPECT_EQ(verified->expires.nanos, now.nanos + hour);
  // The public half in both of its forms is as good.
  EXPECT_TRUE(verdict(token(), {}, now, {{{"1", test_key()}}, false}).ok());
}

TEST(Token, CountsFromItsBeginningToItsEnd) {
  EXPECT_TRUE(verdict(token(), keys(), {now.nanos - 4 * second}).ok());
  EXPECT_EQ(verdict(token(), keys(), {now.nanos - 6 * second}).message(), "the token is not valid yet");
  EXPECT_TRUE(verdict(token(), keys(), {now.nanos + hour - second}).ok());
  EXPECT_EQ(verdict(token(), keys(), {now.nanos + hour}).message(), "the token has expired");
}

TEST(Token, WithoutEndOrIdIsRefused) {
  json::object claims{{"Name", "nadia"}, {"jti", "a"}};
  EXPECT_EQ(verdict(*sign_jwt(claims, "1", test_key())).message(), "the token has no end");
  claims = {{"Name", "nadia"}, {"exp", now.nanos / second + 60}};
  EXPECT_EQ(verdict(*sign_jwt(claims, "1", test_key())).message(), "the token has no id");
  claims["exp"] = "tomorrow";
  EXPECT_FALSE(verdict(*sign_jwt(claims, "1", test_key())).ok());
}

TEST(Token, OfAnotherKeyIsRefused) {
  EXPECT_EQ(verdict(token(), keys(test_key(1))).message(), "the token's signature is not right");
  EXPECT_EQ(verdict(token(claims_of(UserClaims{"a", {}}), "2")).message(),
            "there is no key with the id that the token names");
  for (const std::string id : {"", "../1", "-1", "+1", "1 ", " 1", "1.0", "99999999999999999999", "one"})
    EXPECT_FALSE(verdict(token(claims_of(UserClaims{"a", {}}), id)).ok()) << id;
  EXPECT_FALSE(verdict(token(claims_of(UserClaims{"a", {}}), std::string(65, '1'))).ok());
}

TEST(Token, ThatWasAlteredIsRefused) {
  const auto good = token();
  const auto payload =
      base64url(R"({"Name":"root","Groups":["mesh-system:admin"],"exp":1870000000,"nbf":1,"iat":1,"jti":"id-1"})");
  EXPECT_EQ(verdict(with_part(good, 1, payload)).message(), "the token's signature is not right");
  const auto signature = good.rfind('.') + 1;
  for (std::size_t at : {signature, signature + 7, good.size() - 2}) {
    auto altered = good;
    altered[at] = altered[at] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(verdict(altered).ok()) << at;
  }
  EXPECT_FALSE(verdict(with_part(good, 2, "")).ok());
}

TEST(Token, WithAnotherAlgorithmIsRefusedBeforeAnyKeyIsTried) {
  const auto good = token();
  for (const char* algorithm : {"none", "None", "HS256", "RS512", "ES256", "PS256", ""}) {
    const auto header = base64url(std::string(R"({"alg":")") + algorithm + R"(","kid":"1","typ":"JWT"})");
    EXPECT_EQ(verdict(with_part(good, 0, header)).message(), "only tokens signed with RS256 are accepted") << algorithm;
    EXPECT_FALSE(verdict(with_part(with_part(good, 0, header), 2, "")).ok()) << algorithm;
  }
  const auto header = base64url(R"({"alg":"RS256","kid":"1","crit":["b64"]})");
  EXPECT_EQ(verdict(with_part(good, 0, header)).message(), "the token has critical headers");
  EXPECT_FALSE(verdict(with_part(good, 0, base64url(R"({"alg":"RS256"})"))).ok());
  EXPECT_FALSE(verdict(with_part(good, 0, base64url(R"({"alg":"RS256","kid":1})"))).ok());
}

TEST(Token, ThatIsNoneIsRefused) {
  for (const std::string text : {"", ".", "..", "...", "a.b.c", "e30.e30.e30", "e30.e30", "e30.e30.e30.e30"})
    EXPECT_FALSE(verdict(text).ok()) << text;
  EXPECT_FALSE(verdict(std::string(100'000, 'a')).ok());
  EXPECT_FALSE(verdict(token() + "=").ok());
  EXPECT_FALSE(verdict(token() + "\n").ok());
}

TEST(Token, ThatIsRevokedIsRefused) {
  auto known = keys();
  known.revoked = {"id-0", "id-1"};
  EXPECT_EQ(verdict(token(), known).message(), "the token is revoked");
  known.revoked = {"id"};
  EXPECT_TRUE(verdict(token(), known).ok());
}

class CollectedKeys : public testing::Test {
 protected:
  void store(Resource resource) {
    auto entry = std::make_shared<Entry>();
    entry->key = resource.key();
    entry->revision = {++revision_};
    entry->resource = std::make_shared<const Resource>(std::move(resource));
    entry->presences.push_back({entry->revision, {}, entry->key.name, 0});
    index_.apply(entry);
  }
  TokenKeys collect(TokenKind kind, const std::string& mesh = "") const {
    return collect_token_keys(index_, {}, kind, mesh);
  }

  Index index_{Catalogue::builtin()};
  std::uint64_t revision_ = 0;
};

TEST_F(CollectedKeys, TheHighestNumberSigns) {
  store(secret("GlobalSecret", "", "user-token-signing-key-9", "nine"));
  store(secret("GlobalSecret", "", "user-token-signing-key-0010", "ten"));
  store(secret("GlobalSecret", "", "user-token-signing-key", "zero"));
  store(secret("GlobalSecret", "", "user-token-signing-keys-11", "other"));
  store(secret("GlobalSecret", "", "zone-token-signing-key-12", "zone"));
  const auto found = collect(TokenKind::user);
  ASSERT_EQ(found.keys.size(), 3U);
  EXPECT_EQ(found.keys.front().serial, 0U);
  EXPECT_EQ(found.newest()->serial, 10U);
  EXPECT_EQ(found.newest()->key, "ten");
  EXPECT_EQ(collect(TokenKind::zone).newest()->key, "zone");
  EXPECT_EQ(collect(TokenKind::dataplane, "shop").newest(), nullptr);
}

TEST_F(CollectedKeys, LeadingZerosVerifyToo) {
  store(secret("GlobalSecret", "", "user-token-signing-key-0002", test_key()));
  const auto found = collect(TokenKind::user);
  const auto text = token(claims_of(UserClaims{"a", {}}), std::to_string(found.newest()->serial));
  EXPECT_TRUE(verdict(text, found).ok());
}

TEST_F(CollectedKeys, OfUsersNeverComeFromAPeer) {
  auto copy = secret("GlobalSecret", "", "user-token-signing-key-1", test_key());
  copy.source = std::string(source_global);
  store(copy);
  EXPECT_EQ(collect(TokenKind::user).newest(), nullptr);
}

TEST_F(CollectedKeys, OfDataplanesBelongToTheirMesh) {
  store(secret("Secret", "shop", "dataplane-token-signing-key-shop-1", "shop"));
  store(secret("Secret", "shop", "dataplane-token-revocations-shop", "a"));
  store(secret("GlobalSecret", "", "dataplane-token-revocations-shop", "b,c\n"));
  const auto found = collect(TokenKind::dataplane, "shop");
  EXPECT_EQ(found.newest()->key, "shop");
  EXPECT_EQ(found.revoked, (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(collect(TokenKind::dataplane, "default").newest(), nullptr);
}

TEST_F(CollectedKeys, AnEmptyListOfRevocationsRevokesNothing) {
  store(secret("GlobalSecret", "", "user-token-revocations", "\n"));
  EXPECT_TRUE(collect(TokenKind::user).revoked.empty());
  store(secret("GlobalSecret", "", "user-token-revocations", "a, b,,c"));
  EXPECT_EQ(collect(TokenKind::user).revoked, (std::set<std::string>{"a", " b", "c"}));
}

class ZoneProofs : public CollectedKeys {
 protected:
  ZoneProofs() { store(secret("GlobalSecret", "", "zone-token-signing-key-1", test_key())); }
  Status verdict(const ZoneCredentials& credentials) const {
    return ZoneAuthenticator(rules_, index_, {}).authenticate(credentials, now).status();
  }
  static std::string zone_token(const std::string& zone, const std::vector<std::string>& scope = {"cp"},
                                const std::string& key_id = "1") {
    return token(claims_of(ZoneClaims{zone, scope}), key_id);
  }

  ZoneAuthentication rules_{ZoneProof::zone_token, {"kuma"}, {}};
};

TEST_F(ZoneProofs, AreNotAskedForUnlessConfigured) {
  rules_.proof = ZoneProof::none;
  EXPECT_TRUE(verdict({"west", "", {}}).ok());
}

TEST_F(ZoneProofs, ATokenIsForItsZoneAndForControlPlanes) {
  EXPECT_TRUE(verdict({"west", zone_token("west"), {}}).ok());
  EXPECT_EQ(verdict({"east", zone_token("west"), {}}).message(),
            "zone \"east\" is not authenticated: the token is for another zone");
  EXPECT_FALSE(verdict({"west", zone_token("west", {"ingress", "egress"}), {}}).ok());
  EXPECT_FALSE(verdict({"west", zone_token("west", {}), {}}).ok());
  EXPECT_FALSE(verdict({"west", zone_token("west", {"cp"}, "2"), {}}).ok());
  EXPECT_FALSE(verdict({"west", token(), {}}).ok());  // of a user
  EXPECT_EQ(verdict({"west", "", {}}).message(), "zone \"west\" is not authenticated: it sends no zone token");
  EXPECT_EQ(verdict({"west", "", {}}).code(), Code::denied);
}

TEST_F(ZoneProofs, RevocationEndsAToken) {
  EXPECT_TRUE(verdict({"west", zone_token("west"), {}}).ok());
  store(secret("GlobalSecret", "", "zone-token-revocations", "id-1"));
  EXPECT_FALSE(verdict({"west", zone_token("west"), {}}).ok());
}

TEST_F(ZoneProofs, ATokenThatWasAcceptedIsKnownUntilItEndsOrASecretThatCountsChanges) {
  ZoneAuthenticator authenticator(rules_, index_, {});
  const ZoneCredentials west{"west", zone_token("west"), {}};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(authenticator.authenticate(west, now).ok());
  EXPECT_EQ(authenticator.tokens_verified(), 1U);
  EXPECT_FALSE(authenticator.authenticate({"east", west.token, {}}, now).ok()) << "known, and not east's";
  EXPECT_EQ(authenticator.tokens_verified(), 1U);
  const auto changed = [&](const std::string& name) {
    return authenticator.on_change({Catalogue::builtin().find("GlobalSecret"), "", name});
  };
  for (const auto* name : {"other", "user-token-signing-key-1", "user-token-revocations", "zone-token-signing-keys-1"})
    EXPECT_FALSE(changed(name)) << name;
  EXPECT_TRUE(authenticator.authenticate(west, now).ok());
  EXPECT_EQ(authenticator.tokens_verified(), 1U);
  EXPECT_TRUE(changed("zone-token-signing-key-2"));
  EXPECT_TRUE(authenticator.authenticate(west, now).ok());
  EXPECT_EQ(authenticator.tokens_verified(), 2U);
  store(secret("GlobalSecret", "", "zone-token-revocations", "id-1"));
  EXPECT_TRUE(changed("zone-token-revocations"));
  EXPECT_FALSE(authenticator.authenticate(west, now).ok());
  EXPECT_FALSE(authenticator.authenticate(west, {now.nanos + hour}).ok());
}

TEST_F(ZoneProofs, ATokenThatWasAcceptedEndsAllTheSame) {
  ZoneAuthenticator authenticator(rules_, index_, {});
  const ZoneCredentials west{"west", zone_token("west"), {}};
  EXPECT_TRUE(authenticator.authenticate(west, {now.nanos + hour - second}).ok());
  EXPECT_FALSE(authenticator.authenticate(west, {now.nanos + hour}).ok());
}

TEST_F(ZoneProofs, TokensAreRememberedInABoundedNumber) {
  ZoneAuthenticator authenticator(rules_, index_, {}, 2);
  const auto verified_for = [&](const std::string& zone) {
    const auto before = authenticator.tokens_verified();
    EXPECT_TRUE(authenticator.authenticate({zone, zone_token(zone), {}}, now).ok());
    return authenticator.tokens_verified() - before;
  };
  for (const auto* zone : {"a", "b"}) EXPECT_EQ(verified_for(zone), 1U);
  for (const auto* zone : {"a", "b"}) EXPECT_EQ(verified_for(zone), 0U);
  EXPECT_EQ(verified_for("c"), 1U);
  EXPECT_EQ(verified_for("c"), 0U);
  EXPECT_EQ(verified_for("a"), 1U) << "forgotten with the rest";
}

TEST_F(ZoneProofs, ForgedTokensAreNotRemembered) {
  ZoneAuthenticator authenticator(rules_, index_, {});
  const auto forged = token(claims_of(ZoneClaims{"west", {"cp"}}), "1", test_key(1));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(authenticator.authenticate({"west", forged, {}}, now).ok());
  EXPECT_EQ(authenticator.tokens_verified(), 3U);
  EXPECT_FALSE(authenticator.authenticate({"west", std::string(limits::token_bytes_max + 1, 'a'), {}}, now).ok());
  EXPECT_EQ(authenticator.tokens_verified(), 3U) << "not even hashed";
}

TEST_F(ZoneProofs, SomeZonesAreBelieved) {
  EXPECT_TRUE(verdict({"kuma", "", {}}).ok());
  EXPECT_FALSE(verdict({"kuma2", "", {}}).ok());
}

TEST_F(ZoneProofs, ACertificateIsForTheZoneItNames) {
  rules_.proof = ZoneProof::client_certificate;
  EXPECT_TRUE(verdict({"west", "", {"CN west", "west"}}).ok());
  EXPECT_FALSE(verdict({"west", "", {"CN west", "east"}}).ok());
  EXPECT_FALSE(verdict({"west", "", {}}).ok());
  EXPECT_FALSE(verdict({"west", zone_token("west"), {}}).ok());
}

}  // namespace
}  // namespace kdsd::kds
