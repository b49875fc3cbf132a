// The web interface: files of a folder, and a page with the settings that they read (rest-api.md 12).
#include <array>

#include "api/endpoints.h"
#include "api/errors.h"
#include "model/json.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

constexpr const char* index_name = "index.html";

// Shown where no folder is configured.
constexpr std::string_view built_in_page = R"(<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>kdsd</title></head>
<body>
<h1>kdsd</h1>
<p>This control plane works. Its web interface is not built in: set <code>kdsd.guiDirectory</code> to a folder that holds
the files of one. Until then: <code>kdsd zones</code>, <code>kdsd get meshes</code>, <code>kumactl</code>.</p>
</body>
</html>
)";

std::string content_type_of(std::string_view path) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 15> known = {{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".gif", "image/gif"},
      {".jpg", "image/jpeg"},
      {".ico", "image/x-icon"},
      {".txt", "text/plain; charset=utf-8"},
      {".wasm", "application/wasm"},
      {".woff", "font/woff"},
      {".woff2", "font/woff2"},
  }};
  for (const auto& [ending, type] : known) {
    if (path.ends_with(ending)) return std::string(type);
  }
  return "application/octet-stream";
}

void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// The settings object, safe inside of a script element.
std::string settings_of(const Facts& facts) {
  const auto& control_plane = facts.control_plane;
  json::object out;
  out["apiUrl"] = facts.api_url;
  out["baseGuiPath"] = facts.gui_base_path;
  out["version"] = facts.version;
  out["product"] = facts.product;
  out["mode"] = control_plane.is_global() ? "global" : "zone";
  out["environment"] = control_plane.has_namespaces() ? "kubernetes" : "universal";
  out["storeType"] = facts.store_type;
  out["apiReadOnly"] = facts.read_only;
  return to_wire_json(out);
}

Response page(const Facts& facts) {
  std::string text(built_in_page);
  if (facts.gui_files) {
    const auto index = facts.gui_files->find(index_name);
    if (index != facts.gui_files->end()) text = index->second;
  }
  replace_all(text, "{{.BaseGuiPath}}", facts.gui_base_path);
  replace_all(text, "{{.}}", settings_of(facts));
  return {200, {{"content-type", "text/html; charset=utf-8"}, {"cache-control", "no-cache"}}, std::move(text)};
}

}  // namespace

// The interface has addresses of its own: what is no file is the page, which knows what to show.
Answer get_gui(Backend& backend, const Call& call) {
  const auto& facts = backend.facts();
  const auto& path = call.parameter("path");
  if (!facts.gui_files || path == index_name) co_return page(facts);
  const auto file = facts.gui_files->find(path);
  if (file == facts.gui_files->end()) co_return page(facts);
  co_return Response{200, {{"content-type", content_type_of(path)}}, file->second};
}

void add_gui_routes(Router& router, Backend& backend) {
  const auto& base = backend.facts().gui_base_path;
  if (base.empty()) return;
  const auto show = [&backend](const Call& call) { return get_gui(backend, call); };
  router.add_at_root("GET", base, show, {Content::any, Tokens::ignored});
  router.add_at_root("GET", base + "/{path...}", show, {Content::any, Tokens::ignored});
}

}  // namespace kdsd::api
