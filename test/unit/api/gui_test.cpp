// The web interface: its files, the page with the settings, and questions to proxies (rest-api.md 10 and 12).
#include <gtest/gtest.h>

#include "model/labels.h"

#include "fake_backend.h"

namespace kdsd::api {
namespace {

class Gui : public testing::Test {
 protected:
  Gui() {
    auto files = std::make_shared<GuiFiles>();
    (*files)["index.html"] = R"(<base href="{{.BaseGuiPath}}/"><script id="c">{{.}}</script>)";
    (*files)["assets/app.js"] = "run()";
    backend_.edit_facts().gui_files = files;
    backend_.edit_facts().version = "2.13.10</script>";
  }
  FakeBackend backend_;
};

TEST_F(Gui, GetsItsFilesAndOtherwiseThePage) {
  Api api(backend_);
  auto script = api.get("/gui/assets/app.js", {{"accept", "*/*"}});
  EXPECT_EQ(script.text, "run()");
  EXPECT_EQ(script.header("content-type"), "text/javascript; charset=utf-8");
  for (const char* path : {"/gui", "/gui/", "/gui/index.html", "/gui/meshes/default/overview", "/gui/assets/none.js"}) {
    auto page = api.get(path, {{"accept", "text/html"}});
    EXPECT_EQ(page.status, 200) << path;
    EXPECT_EQ(page.header("content-type"), "text/html; charset=utf-8") << path;
    EXPECT_NE(page.text.find(R"(<base href="/gui/">)"), std::string::npos) << path;
  }
  EXPECT_EQ(api.get("/gui/../etc/passwd").status, 400);
}

TEST_F(Gui, ReadsSettingsThatCannotLeaveTheirElement) {
  Api api(backend_);
  const auto page = api.get("/gui").text;
  EXPECT_NE(page.find(R"("mode":"global")"), std::string::npos) << page;
  EXPECT_NE(page.find(R"("apiReadOnly":false)"), std::string::npos) << page;
  EXPECT_NE(page.find("2.13.10\\u003c/script\\u003e"), std::string::npos) << page;
}

TEST_F(Gui, IsNotBrokenByAStaleToken) {
  Api api(backend_);
  EXPECT_EQ(api.get("/gui/zones", {{"x-forwarded-for", "x"}, {"authorization", "Bearer old"}}).status, 200);
}

TEST_F(Gui, SwitchesTokensOffForItsOwnPagesAlone) {
  const TextPairs stale = {{"x-forwarded-for", "x"}, {"authorization", "Bearer old"}};
  for (const char* base : {"/", "/m", "/mesh", "/meshes"}) {
    backend_.edit_facts().gui_base_path = base;
    Api api(backend_);
    EXPECT_EQ(api.get("/meshes", stale).status, 401) << base;
    EXPECT_EQ(api.get("/meshes/default", stale).status, 401) << base;
    EXPECT_EQ(api.get("/who-am-i", stale).status, 401) << base;
    EXPECT_EQ(api.get("/", stale).status, 200) << base;
  }
}

TEST_F(Gui, IsNotThereWhenSwitchedOff) {
  backend_.edit_facts().gui_base_path.clear();
  Api api(backend_);
  EXPECT_EQ(api.get("/gui").status, 404);
}

class Proxies : public testing::Test {
 protected:
  Proxies() {
    api_.mesh("shop");
    Resource proxy;
    proxy.type = Catalogue::builtin().find("Dataplane");
    proxy.mesh = "shop";
    proxy.name = "web-1-x7c2";
    proxy.source = "west";
    proxy.labels.set(label::display_name, "web-1");
    proxy.labels.set(label::namespace_, "prod");
    backend_.store(std::move(proxy));
  }
  FakeBackend backend_;
  Api api_{backend_};
  const std::string path_ = "/meshes/shop/dataplanes/web-1-x7c2/";
};

TEST_F(Proxies, AreAskedByTheirNameInTheZone) {
  backend_.proxy_answer = std::string("cluster::a");
  auto reply = api_.get(path_ + "clusters");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.text, "cluster::a");
  EXPECT_EQ(reply.header("content-type"), "text/plain");
  const auto& query = backend_.queries.back();
  EXPECT_EQ(query.zone, "west");
  EXPECT_EQ(query.name, "web-1");
  EXPECT_EQ(query.mesh, "shop");
  EXPECT_EQ(query.type, "Dataplane");
}

TEST_F(Proxies, AreAskedWhatTheQuerySays) {
  EXPECT_EQ(api_.get(path_ + "xds?include_eds=true").header("content-type"), "application/json");
  EXPECT_TRUE(backend_.queries.back().include_endpoints);
  api_.get(path_ + "stats");
  EXPECT_TRUE(backend_.queries.back().used_only);
  EXPECT_EQ(api_.get(path_ + "stats?usedonly=false&format=json").header("content-type"), "application/json");
  EXPECT_FALSE(backend_.queries.back().used_only);
  EXPECT_TRUE(backend_.queries.back().as_json);
}

TEST_F(Proxies, MayFailToAnswer) {
  backend_.proxy_answer = Status(Code::invalid, "Envoy is away");
  auto reply = api_.get(path_ + "stats");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.title(), "Could not execute admin operation");
  EXPECT_EQ(find_text(reply.body, {"detail"}), "Envoy is away");
  backend_.proxy_answer = Status(Code::unavailable, "zone west is not connected");
  reply = api_.get(path_ + "stats");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.title(), "Bad Request");
  EXPECT_EQ(api_.get("/meshes/shop/dataplanes/none/stats").status, 404);
  EXPECT_EQ(api_.get("/meshes/none/dataplanes/none/stats").status, 404);
  EXPECT_EQ(api_.get(path_ + "other").status, 404);
}

TEST_F(Proxies, AreForThoseWhoMaySeeThem) {
  EXPECT_EQ(api_.get(path_ + "stats", {{"x-forwarded-for", "x"}}).status, 403);
}

}  // namespace
}  // namespace kdsd::api
