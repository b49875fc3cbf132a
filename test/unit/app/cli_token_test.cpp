// `kdsd token`, `kdsd export` and `kdsd import`: what they ask of a server, and signing without one.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

#include "app/certificates.h"
#include "kds/jwt.h"
#include "model/json.h"

#include "cli_support.h"

namespace kdsd::app::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TokenCommand, AsksTheServer) {
  FakeServer server([](const FakeRequest&) { return FakeAnswer{200, "a.b.c"}; });
  Shell shell;
  const auto user = shell.run({"token", "user", "--name", "nadia", "--group", "a", "--group", "b", "--valid-for", "1h",
                               "--address", server.address()});
  EXPECT_EQ(user.code, 0) << user.err;
  EXPECT_EQ(user.out, "a.b.c\n");
  shell.run({"token", "zone", "--zone", "west", "--scope", "cp", "--valid-for", "1h", "--address", server.address()});
  shell.run({"token", "dataplane", "-m", "shop", "--tag", "a=1", "--tag", "a=2", "--valid-for", "1h", "--address",
             server.address()});
  EXPECT_THAT(server.lines(), ElementsAre("POST /tokens/user", "POST /tokens/zone", "POST /tokens/dataplane"));
  const auto requests = server.requests();
  EXPECT_EQ(requests[0].body, R"({"name":"nadia","groups":["a","b"],"validFor":"1h"})");
  EXPECT_EQ(requests[1].body, R"({"zone":"west","scope":["cp"],"validFor":"1h"})");
  EXPECT_THAT(requests[2].body, HasSubstr(R"("tags":{"a":["1","2"]})"));
}

TEST(TokenCommand, PrintsARefusal) {
  FakeServer server([](const FakeRequest&) {
    return FakeAnswer{403, R"({"title":"Access Denied","detail":"action not allowed"})"};
  });
  const auto outcome =
      Shell().run({"token", "user", "--name", "a", "--valid-for", "1h", "--address", server.address()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("Access Denied (action not allowed)"));
}

TEST(TokenCommand, IsForPositiveTimesAndKnownScopes) {
  Shell shell;
  EXPECT_EQ(shell.run({"token", "user", "--name", "a", "--valid-for", "soon"}).code, 2);
  EXPECT_EQ(shell.run({"token", "user", "--name", "a", "--valid-for", "-1h"}).code, 2);
  EXPECT_EQ(shell.run({"token", "user", "--name", "a"}).code, 2);
  EXPECT_EQ(shell.run({"token", "zone", "--zone", "a", "--scope", "all", "--valid-for", "1h"}).code, 2);
  EXPECT_EQ(shell.run({"token", "dataplane", "--tag", "a", "--valid-for", "1h"}).code, 2);
  EXPECT_EQ(shell.run({"token", "user", "--name", "a", "--valid-for", "1h", "--kid", "1"}).code, 2);
}

TEST(TokenCommand, SignsWithoutAServer) {
  const auto file = std::filesystem::temp_directory_path() / ("kdsd-token-" + std::to_string(::getpid()) + ".pem");
  const auto key = new_rsa_key_pem();
  ASSERT_TRUE(key.ok());
  std::ofstream(file) << *key;
  const auto outcome = Shell().run(
      {"token", "zone", "--zone", "west", "--valid-for", "1h", "--kid", "7", "--signing-key", file.string()});
  std::filesystem::remove(file);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto token = kds::parse_jwt(outcome.out.substr(0, outcome.out.size() - 1));
  ASSERT_TRUE(token.ok()) << token.status().text();
  EXPECT_EQ(token->key_id, "7");
  EXPECT_TRUE(kds::check_signature(*token, *kds::read_public_key(*key)).ok());
  EXPECT_EQ(to_compact_json(token->claims.at("Scope")), R"(["cp","ingress","egress"])");
  EXPECT_EQ(token->claims.at("exp").as_int64() - token->claims.at("iat").as_int64(), 3605);
}

// A global with one mesh, one secret of it, a policy of a zone and one of its own.
FakeAnswer content(const FakeRequest& request) {
  if (request.target == "/config") return {200, R"({"mode":"global"})"};
  const auto items = [](const std::string& text) {
    return FakeAnswer{200, R"({"total":1,"items":[)" + text + R"(],"next":null})"};
  };
  if (request.target.starts_with("/meshes?")) return items(R"({"type":"Mesh","name":"shop","creationTime":"x"})");
  if (request.target.starts_with("/secrets?"))
    return items(R"({"type":"Secret","mesh":"shop","name":"key","data":"YQ=="})");
  if (request.target.starts_with("/meshtimeouts?")) {
    return items(
        R"({"type":"MeshTimeout","mesh":"shop","name":"own","spec":{"targetRef":{"kind":"Mesh"}}},)"
        R"({"type":"MeshTimeout","mesh":"shop","name":"of-zone","labels":{"kuma.io/origin":"zone"},"spec":{}})");
  }
  return FakeAnswer{200, R"({"total":0,"items":[],"next":null})"};
}

TEST(Export, WritesWhatBelongsToTheControlPlaneMeshesFirst) {
  FakeServer server(content);
  const auto outcome = Shell().run({"export", "--address", server.address()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("type: Mesh\nname: shop\n---\n")) << outcome.out;
  EXPECT_LT(outcome.out.find("type: Secret"), outcome.out.find("name: own"));
  EXPECT_EQ(outcome.out.find("of-zone"), std::string::npos);
  EXPECT_EQ(outcome.out.find("creationTime"), std::string::npos);
  EXPECT_THAT(outcome.err, HasSubstr("exported 3 resources"));
  for (const auto& line : server.lines()) EXPECT_EQ(line.find("insight"), std::string::npos) << line;
}

TEST(Export, MakesFilesThatNobodyElseCanRead) {
  std::string made = (std::filesystem::temp_directory_path() / "kdsd-export-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(made.data());
  const auto file = folder / "content.yaml";
  const auto link = folder / "link.yaml";
  std::ofstream(file) << "old";
  std::filesystem::permissions(file, std::filesystem::perms(0644));
  std::filesystem::create_symlink(file, link);
  std::ifstream reader(file);
  FakeServer server(content);
  const auto write_to = [&](const std::filesystem::path& target) {
    return Shell().run({"export", "-o", target.string(), "--address", server.address()});
  };
  const auto text_of = [](std::istream& in) { return std::string(std::istreambuf_iterator<char>(in), {}); };
  const auto mode_of = [](const std::filesystem::path& path) {
    return static_cast<int>(std::filesystem::status(path).permissions());
  };

  EXPECT_THAT(write_to(link).err, HasSubstr("no regular file"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_NE(write_to(folder / "none" / "content.yaml").code, 0);
  ASSERT_EQ(write_to(file).code, 0);
  EXPECT_EQ(mode_of(file), 0600);
  EXPECT_EQ(text_of(reader), "old") << "a file that others may have open is not written into";
  std::ifstream written(file);
  EXPECT_THAT(text_of(written), HasSubstr("type: Secret"));

  ASSERT_EQ(write_to(folder / "types/").code, 0);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "types")) {
    EXPECT_EQ(mode_of(entry.path()), 0600) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 3);
  std::filesystem::remove_all(folder);
}

TEST(Import, MakesMeshesBareThenTheRestThenTheMeshes) {
  FakeServer server([](const FakeRequest& request) {
    if (request.target == "/config") return FakeAnswer{200, R"({"mode":"global"})"};
    return FakeAnswer{request.method == "GET" ? 404 : 201, "{}"};
  });
  Shell shell;
  shell.input =
      "type: MeshTimeout\nmesh: shop\nname: own\nspec:\n  targetRef:\n    kind: Mesh\n---\n"
      "type: Mesh\nname: shop\n---\n"
      "type: Dataplane\nmesh: shop\nname: dp\nlabels:\n  kuma.io/origin: zone\n---\n"
      "type: Secret\nmesh: shop\nname: key\ndata: YQ==\n";
  const auto outcome = shell.run({"import", "-f", "-", "--address", server.address()});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  std::vector<std::string> puts;
  for (const auto& request : server.requests()) {
    if (request.method == "PUT") puts.push_back(request.target + " " + request.body);
  }
  ASSERT_EQ(puts.size(), 4U);
  EXPECT_EQ(puts[0], R"(/meshes/shop {"type":"Mesh","name":"shop","skipCreatingInitialPolicies":["*"]})");
  EXPECT_TRUE(puts[1].starts_with("/meshes/shop/secrets/key")) << puts[1];
  EXPECT_TRUE(puts[2].starts_with("/meshes/shop/meshtimeouts/own")) << puts[2];
  EXPECT_EQ(puts[3], R"(/meshes/shop {"type":"Mesh","name":"shop"})");
  EXPECT_EQ(outcome.out, "imported 3, unchanged 0, skipped 1, refused 0\n");
}

}  // namespace
}  // namespace kdsd::app::cli
