// Tokens over REST: issuing, refusals, and what a caller with one may do (rest-api.md 2 and 11).
#include <gtest/gtest.h>

#include "kds/jwt.h"

#include "../kds/token_support.h"
#include "fake_backend.h"

namespace kdsd::api {
namespace {

const TextPairs stranger = {{"x-forwarded-for", "203.0.113.7"}};

TextPairs with_token(const std::string& token) {
  auto headers = stranger;
  headers.emplace_back("authorization", "Bearer " + token);
  return headers;
}

class Tokens : public testing::Test {
 protected:
  Tokens() {
    for (const char* kind : {"user", "zone"})
      backend_.store(kds::secret("GlobalSecret", "", std::string(kind) + "-token-signing-key-1", kds::test_key()));
    backend_.store(kds::secret("GlobalSecret", "", "other", "x"));
  }

  std::string user_token(const std::string& groups = "[]", const std::string& validity = "1h") {
    auto reply = api_.send("POST", "/tokens/user",
                           R"({"name":"nadia","groups":)" + groups + R"(,"validFor":")" + validity + R"("})");
    EXPECT_EQ(reply.status, 200) << reply.text;
    EXPECT_EQ(reply.header("content-type"), "text/plain");
    return reply.text;
  }
  int secrets_with(const std::string& token) { return api_.get("/globalsecrets", with_token(token)).status; }

  FakeBackend backend_;
  Api api_{backend_};
};

TEST_F(Tokens, OpenWhatTheGroupsMaySee) {
  EXPECT_EQ(secrets_with(user_token(R"(["mesh-system:admin"])")), 200);
  const auto plain = user_token(R"(["platform"])");
  EXPECT_EQ(secrets_with(plain), 403);
  const auto who = api_.get("/who-am-i", with_token(plain)).body;
  EXPECT_EQ(to_compact_json(who), R"({"name":"nadia","groups":["platform","mesh-system:authenticated"]})");
  EXPECT_EQ(secrets_with("broken"), 401);
  EXPECT_EQ(secrets_with(user_token("[]", "-1h")), 401);
  EXPECT_EQ(api_.get("/", with_token("broken")).status, 200);
}

TEST_F(Tokens, OfThisMachineAreNotLookedAt) {
  EXPECT_EQ(api_.get("/globalsecrets", {{"authorization", "Bearer broken"}}).status, 200);
}

TEST_F(Tokens, AreRevokedAtOnce) {
  const auto token = user_token(R"(["mesh-system:admin"])");
  const auto other = user_token(R"(["mesh-system:admin"])");
  const auto id = std::string(find_text(kds::parse_jwt(token)->claims, {"jti"}));
  backend_.store(kds::secret("GlobalSecret", "", "user-token-revocations", id + "\n"));
  EXPECT_EQ(secrets_with(token), 401);
  EXPECT_EQ(secrets_with(other), 200);
}

TEST_F(Tokens, SurviveAndFollowTheRotationOfKeys) {
  const auto old = user_token(R"(["mesh-system:admin"])");
  backend_.store(kds::secret("GlobalSecret", "", "user-token-signing-key-2", kds::test_key(1)));
  const auto fresh = user_token(R"(["mesh-system:admin"])");
  EXPECT_EQ(kds::parse_jwt(fresh)->key_id, "2");
  EXPECT_EQ(secrets_with(old), 200);
  EXPECT_EQ(api_.remove("/globalsecrets/user-token-signing-key-1").status, 200);
  EXPECT_EQ(secrets_with(old), 401);
  EXPECT_EQ(secrets_with(fresh), 200);
}

TEST_F(Tokens, OfZonesAndDataplanesSayWhatWasAskedFor) {
  auto reply = api_.send("POST", "/tokens/zone", R"({"zone":"west","scope":["cp"],"validFor":"1h"})");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(find_text(kds::parse_jwt(reply.text)->claims, {"Zone"}), "west");
  api_.mesh("shop");
  backend_.store(kds::secret("Secret", "shop", "dataplane-token-signing-key-shop-1", kds::test_key()));
  reply = api_.send("POST", "/tokens/dataplane", R"({"mesh":"shop","tags":{"kuma.io/service":["ledger"]}})");
  ASSERT_EQ(reply.status, 200) << reply.text;
  const auto claims = kds::parse_jwt(reply.text)->claims;
  EXPECT_EQ(to_compact_json(claims.at("Tags")), R"({"kuma.io/service":["ledger"]})");
  EXPECT_EQ(claims.at("exp").as_int64() - claims.at("iat").as_int64(), 10LL * 365 * 24 * 3600 + 5);
}

TEST_F(Tokens, WithoutTheirValuesAreRefused) {
  const auto violations = [&](const std::string& path, const std::string& body) {
    auto reply = api_.send("POST", path, body);
    EXPECT_EQ(reply.status, 400) << path << body;
    EXPECT_EQ(reply.title(), "Invalid request");
    return reply.violations();
  };
  EXPECT_EQ(violations("/tokens/user", R"({"groups":[]})"), "name=cannot be empty;validFor=cannot be empty");
  EXPECT_EQ(violations("/tokens/user", R"({"name":"a","validFor":"0s"})"), "validFor=cannot be empty or nil");
  EXPECT_EQ(violations("/tokens/zone", R"({"zone":"a"})"), "scope=cannot be empty");
  EXPECT_EQ(violations("/tokens/dataplane", R"({"name":"a","type":"x"})"),
            "mesh=cannot be empty;type=x is not a valid proxy type");
  EXPECT_TRUE(violations("/tokens/zone", R"({"scope":[],"validFor":"soon"})").starts_with("validFor=is invalid: "));
  for (const char* body : {"", "{", "[]", R"({"name":1})", R"({"groups":"a"})", R"({"groups":[1]})"}) {
    auto reply = api_.send("POST", "/tokens/user", body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_EQ(reply.text, "") << body;
  }
}

TEST_F(Tokens, AreNotForEverybodyToIssue) {
  auto reply = api_.send("POST", "/tokens/user", R"({"name":"a","validFor":"1h"})", stranger);
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(find_text(reply.body, {"detail"}), "action not allowed");
  reply = api_.send("POST", "/tokens/zone", R"({"zone":"west","scope":[]})", stranger);
  EXPECT_EQ(find_text(reply.body, {"detail"}),
            "user \"mesh-system:anonymous/mesh-system:unauthenticated\" cannot access generate zone token for zone "
            "'west'");
  EXPECT_EQ(api_.send("POST", "/tokens/dataplane", R"({"mesh":"shop"})", stranger).status, 403);
}

TEST_F(Tokens, NeedAKeyAndTheSwitch) {
  auto reply = api_.send("POST", "/tokens/dataplane", R"({"mesh":"shop"})");
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.title(), "Signing Key not found");
  EXPECT_NE(std::string(find_text(reply.body, {"detail"})).find("dataplane-token-signing-key-shop-1"),
            std::string::npos);
  backend_.edit_facts().issues_user_tokens = false;
  reply = api_.send("POST", "/tokens/user", R"({"name":"a","validFor":"1h"})");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.title(), "Could not issue a token");
}

TEST_F(Tokens, CanBeSignedElsewhere) {
  backend_.edit_facts().user_token_rules = {{{"offline", kds::test_key(2)}}, false};
  const kds::TokenLife life{backend_.now(), 3600'000'000'000, "a"};
  const auto claims = kds::claims_of(kds::UserClaims{"nadia", {"mesh-system:admin"}});
  EXPECT_EQ(secrets_with(*kds::issue_token(claims, life, "offline", kds::test_key(2))), 200);
  EXPECT_EQ(secrets_with(user_token(R"(["mesh-system:admin"])")), 401);
}

TEST_F(Tokens, AreIssuedAtTheRootWhateverTheBasePathIs) {
  backend_.edit_facts().base_path = "/mesh";
  Api api(backend_);
  const std::string body = R"({"name":"a","validFor":"1h"})";
  EXPECT_EQ(api.send("POST", "/tokens/user", body).status, 200);
  EXPECT_EQ(api.send("POST", "/mesh/tokens/user", body).status, 200);
  EXPECT_EQ(api.send("POST", "/tokens/zone", "{}").status, 404);
}

}  // namespace
}  // namespace kdsd::api
