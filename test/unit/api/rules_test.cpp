// Rules of requests that need no backend: targets, headers, callers.
#include <gtest/gtest.h>

#include "api/caller.h"
#include "api/content_rules.h"
#include "api/list_query.h"
#include "api/url.h"

namespace kdsd::api {
namespace {

TEST(Path, IsSplitIntoDecodedParts) {
  auto parts = split_path("/meshes/default/meshtimeouts/a%20b/");
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ(*parts, (std::vector<std::string>{"meshes", "default", "meshtimeouts", "a b"}));
  EXPECT_TRUE(split_path("/")->empty());
}

TEST(Path, RefusesWhateverCouldMeanAnotherPath) {
  for (const char* path : {"/a/%2f", "/a%2Fb", "/a/..", "/a/%2e%2e/b", "/.", "/a%00", "/a%0a", "/a%ff", "/a%c0%af",
                           "/a%", "/a%4", "/a%zz", "/a%5c", "a", "", "/%ed%a0%80"}) {
    EXPECT_FALSE(split_path(path).ok()) << path;
  }
}

TEST(Query, KeepsOrderAndDecodesPlus) {
  auto pairs = parse_query("b=1+2&a&&filter%5Blabels.x%5D=%41");
  ASSERT_TRUE(pairs.ok());
  EXPECT_EQ(*pairs, (TextPairs{{"b", "1 2"}, {"a", ""}, {"filter[labels.x]", "A"}}));
  EXPECT_EQ(format_query(*pairs), "a=&b=1+2&filter%5Blabels.x%5D=A");
  EXPECT_FALSE(parse_query("a=%ff").ok());
  EXPECT_FALSE(parse_query("a=%00").ok());
  EXPECT_FALSE(parse_query("a=%1").ok());
}

TEST(Accept, CoversJson) {
  for (const char* accept :
       {"", "*/*", "application/json", "text/html, application/*;q=0.5", "Application/JSON; charset=utf-8"}) {
    EXPECT_TRUE(accepts_json(accept)) << accept;
  }
  for (const char* accept : {"text/html", "application/json;q=0", "application/yaml"})
    EXPECT_FALSE(accepts_json(accept)) << accept;
}

TEST(ContentType, OfBodiesIsJsonOrMissing) {
  EXPECT_TRUE(is_json(""));
  EXPECT_TRUE(is_json("application/json; charset=utf-8"));
  EXPECT_FALSE(is_json("application/yaml"));
}

TEST(CrossOrigin, IsAllowedForListedDomainsOnly) {
  Cors cors({"https://a.example", R"(https://.*\.b\.example)", "(broken"});
  EXPECT_TRUE(cors.allows("https://a.example"));
  EXPECT_TRUE(cors.allows("https://x.b.example"));
  EXPECT_FALSE(cors.allows("https://x.b.example.evil.example"));
  EXPECT_FALSE(cors.allows("https://" + std::string(5000, 'x') + ".b.example"));
  EXPECT_FALSE(cors.allows(""));
  Request preflight;
  preflight.method = "OPTIONS";
  preflight.headers = {{"origin", "https://a.example"}, {"access-control-request-method", "PUT"}};
  EXPECT_TRUE(cors.preflight(preflight).has_value());
  preflight.headers[0].second = "https://c.example";
  EXPECT_FALSE(cors.preflight(preflight).has_value());
}

Request local_request(TextPairs headers = {}, const std::string& host = "localhost:5681") {
  Request request;
  request.peer_is_loopback = true;
  request.headers = std::move(headers);
  request.headers.emplace_back("host", host);
  return request;
}

std::string name_of(const Request& request, const Facts& facts = {}) {
  return identify(request, facts, std::nullopt).name;
}

TEST(LocalCaller, IsTheAdministrator) {
  EXPECT_EQ(name_of(local_request()), "mesh-system:admin");
  EXPECT_EQ(name_of(local_request({}, "LOCALHOST.")), "mesh-system:admin");
  EXPECT_EQ(name_of(local_request({}, "[::1]:5681")), "mesh-system:admin");
  EXPECT_EQ(name_of(local_request({{"origin", "http://localhost:5681"}})), "mesh-system:admin");
  EXPECT_EQ(name_of(local_request({{"authorization", "Bearer broken"}})), "mesh-system:admin");
}

TEST(LocalCaller, IsNobodyWhenARelayOrAForeignPageStandsBetween) {
  const std::string anonymous = "mesh-system:anonymous";
  for (const char* relay : {"forwarded", "x-forwarded-for", "x-real-ip"})
    EXPECT_EQ(name_of(local_request({{relay, "x"}})), anonymous);
  EXPECT_EQ(name_of(local_request({}, "cp.example:5681")), anonymous);
  EXPECT_EQ(name_of(local_request({}, "127.0.0.1.example")), anonymous);
  EXPECT_EQ(name_of(local_request({{"sec-fetch-site", "cross-site"}})), anonymous);
  EXPECT_EQ(name_of(local_request({{"origin", "http://localhost:8080"}})), anonymous);
  EXPECT_EQ(name_of(local_request({{"origin", "null"}})), anonymous);
  Request remote = local_request();
  remote.peer_is_loopback = false;
  EXPECT_EQ(name_of(remote), anonymous);
  Facts facts;
  facts.localhost_is_admin = false;
  EXPECT_EQ(name_of(local_request(), facts), anonymous);
}

TEST(RemoteCaller, IsKnownByItsTokenWhereNothingElseDecides) {
  Request request = local_request({{"authorization", "Bearer abc"}});
  EXPECT_FALSE(token_in_question(request, {}, Tokens::checked));
  request.peer_is_loopback = false;
  EXPECT_EQ(token_in_question(request, {}, Tokens::checked), "abc");
  EXPECT_FALSE(token_in_question(request, {}, Tokens::ignored));
  Facts certificates;
  certificates.client_certificate_is_admin = true;
  EXPECT_FALSE(token_in_question(request, certificates, Tokens::checked));
  request.headers[0].second = "bearer abc";
  EXPECT_FALSE(token_in_question(request, {}, Tokens::checked));
}

TEST(RemoteCaller, IsWhoTheTokenSays) {
  Request request = local_request();
  request.peer_is_loopback = false;
  const auto caller = identify(request, {}, kds::UserClaims{"nadia", {"platform"}});
  EXPECT_EQ(caller.text(), "nadia/platform,mesh-system:authenticated");
}

TEST(RemoteCaller, WritesUnlessThatNeedsAuthentication) {
  Facts facts;
  facts.admins.groups = {"mesh-system:admin"};
  Request request = local_request();
  request.peer_is_loopback = false;
  const auto nobody = identify(request, facts, std::nullopt);
  const auto nadia = identify(request, facts, kds::UserClaims{"nadia", {}});
  const auto& policy = *Catalogue::builtin().find("MeshTimeout");
  const auto& secret = *Catalogue::builtin().find("Secret");
  EXPECT_TRUE(may_write(nobody, policy, facts).ok());
  EXPECT_EQ(may_touch(nobody, secret, facts).message(),
            "user \"mesh-system:anonymous/mesh-system:unauthenticated\" cannot access the resource of type \"Secret\"");
  facts.writes_need_authentication = true;
  EXPECT_EQ(may_write(nobody, policy, facts).code(), Code::denied);
  EXPECT_TRUE(may_touch(nobody, policy, facts).ok());
  EXPECT_TRUE(may_write(nadia, policy, facts).ok());
  EXPECT_EQ(may_write(nadia, secret, facts).code(), Code::denied);
}

TEST(Page, CursorSurvivesRemovedAndAddedNames) {
  std::vector<std::string> names{"a", "b", "c", "d"};
  auto key = [&](std::size_t i) { return std::pair<std::string_view, std::string_view>("m", names[i]); };
  PageQuery page;
  page.size = 2;
  auto first = take_page(page, names.size(), key);
  EXPECT_EQ(first.end, 2U);
  Request next;
  next.query = {{"offset", first.next}, {"size", "2"}};
  auto second = parse_page_query(next);
  ASSERT_TRUE(second.ok());
  names = {"a", "aa", "c", "d"};
  auto slice = take_page(*second, names.size(), key);
  EXPECT_EQ(names[slice.begin], "c");
  EXPECT_TRUE(slice.next.empty());
  next.query[0].second = "3";
  EXPECT_EQ(take_page(*parse_page_query(next), names.size(), key).begin, 3U);
  next.query[0].second = "99999";
  EXPECT_EQ(take_page(*parse_page_query(next), names.size(), key).begin, 4U);
}

}  // namespace
}  // namespace kdsd::api
