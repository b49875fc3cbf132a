// What the store's tests share: a directory of their own, entries, and a comparison of two stores' contents.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <memory>
#include <stdlib.h>
#include <string>
#include <vector>

#include "model/catalogue.h"
#include "store/store.h"

namespace kdsd::store::testing {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kdsd-store-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

  std::string file(const std::string& name = "kdsd.db") const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Every file but the lock, with its bytes.
inline std::map<std::string, std::string> contents_of(const std::filesystem::path& directory) {
  std::map<std::string, std::string> contents;
  for (const auto& item : std::filesystem::directory_iterator(directory)) {
    if (item.path().extension() != ".lock") contents[item.path().filename()] = bytes_of(item.path());
  }
  return contents;
}

inline const ResourceType* type(std::string_view name) { return Catalogue::builtin().find(name); }

inline SqliteOptions options_for(const std::string& path, Purpose purpose = {"zone", "east", "universal"}) {
  SqliteOptions options;
  options.path = path;
  options.purpose = std::move(purpose);
  options.catalogue = &Catalogue::builtin();
  return options;
}

inline EntryPtr live_entry(std::uint64_t revision, const std::string& name, const std::string& spec = "{}",
                           std::string_view type_name = "MeshTimeout") {
  auto resource = std::make_shared<Resource>();
  resource->type = type(type_name);
  resource->mesh = "default";
  resource->name = name;
  resource->labels = {{"kuma.io/mesh", "default"}, {"team", "shop"}};
  resource->spec = spec;
  resource->created = Timestamp{1'700'000'000'123'456'789};
  resource->modified = Timestamp{1'700'000'001'000'000'001};
  auto entry = std::make_shared<Entry>();
  entry->key = resource->key();
  entry->revision = Revision{revision};
  entry->presences = {{Revision{revision}, {Audience::Kind::everybody, ""}, name + "-wire"}};
  entry->resource = std::move(resource);
  return entry;
}

inline EntryPtr tombstone(std::uint64_t revision, const std::string& name) {
  auto entry = std::make_shared<Entry>();
  entry->key = {type("MeshTimeout"), "default", name};
  entry->revision = Revision{revision};
  entry->presences = {{Revision{1}, {Audience::Kind::everybody, ""}, name},
                      {Revision{revision}, {Audience::Kind::nobody, ""}, ""}};
  return entry;
}

inline Batch batch_of(std::vector<EntryPtr> upserts) {
  Batch batch;
  batch.upserts = std::move(upserts);
  if (!batch.upserts.empty()) batch.revision = batch.upserts.back()->revision;
  return batch;
}

// All fields of a loaded state in one text, so that a difference shows itself in the failure's message.
inline std::string described(const Entry& entry) {
  std::string out = std::to_string(entry.revision.value) + " " + entry.key.text() + " [";
  for (const auto& presence : entry.presences) {
    out += std::to_string(presence.since.value) + "/" + presence.audience.text() + "/" + presence.wire_name + ";";
  }
  out += "]";
  if (!entry.resource) return out + " deleted";
  const Resource& resource = *entry.resource;
  for (const auto& [key, value] : resource.labels) out += " " + key + "=" + value;
  out += " spec=" + resource.spec + " status=" + resource.status + " source=" + resource.source + "/" +
         resource.source_version + " times=" + std::to_string(resource.created.nanos) + "/" +
         std::to_string(resource.modified.nanos);
  return out;
}

inline std::string described(const Loaded& loaded) {
  std::string out = "revision " + std::to_string(loaded.revision.value) + "\n";
  for (const auto& [name, value] : loaded.facts) out += name + "=" + value + "\n";
  for (const auto& entry : loaded.entries) out += described(*entry) + "\n";
  return out;
}

// Opens, loads, closes: what a start would find.
inline std::string stored_in(const std::string& path) {
  auto store = open_sqlite_store(options_for(path));
  if (!store.ok()) return "not opened: " + store.status().text();
  auto loaded = (*store)->load();
  return loaded.ok() ? described(*loaded) : "not loaded: " + loaded.status().text();
}

}  // namespace kdsd::store::testing
