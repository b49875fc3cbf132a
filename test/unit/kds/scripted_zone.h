// A zone of one's own making on a global: it introduces itself as it is told to, and keeps the names that it is sent.
#pragma once

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>

#include "kds/wire.h"

#include "pair.h"

namespace kdsd::kds {

// A peer that says with each connection what it can do.
class ScriptedZone {
 public:
  ScriptedZone(TestPlane& global, NodeInfo node, std::string type = "MeshTimeout")
      : global_(global), type_(std::move(type)) {
    auto opened = global.core->opened({StreamKind::global_to_zone, "old", "c9", {"hash-suffix"}, false});
    EXPECT_TRUE(opened.ok());
    id_ = *opened;
    Request request;
    request.type = type_;
    request.node_id = "old";
    request.subscribe = {"*"};
    request.node = std::move(node);
    send(request);
  }
  ~ScriptedZone() {
    global_.core->closed(id_, "end");
    global_.step();
  }

  // Answers what came last, and takes what comes then.
  void acknowledge() {
    Request request;
    request.type = type_;
    request.node_id = "old";
    request.nonce = nonce_;
    send(request);
  }

  // Refuses what came last, and takes what comes then.
  void reject(const std::string& reason) {
    Request request;
    request.type = type_;
    request.node_id = "old";
    request.nonce = nonce_;
    request.is_nack = true;
    request.error_text = reason;
    send(request);
  }

  void send(const Request& request) {
    global_.step();
    global_.core->received(id_, encode_request(request));
    global_.step();
    for (const auto& sent : std::exchange(global_.outgoing, {})) {
      if (sent.stream != id_) continue;
      auto response = decode_response(sent.bytes, Catalogue::builtin());
      ASSERT_TRUE(response.ok());
      nonce_ = response->nonce;
      token = response->version_info.substr(0, response->version_info.find(' '));
      is_resumed = response->version_info.ends_with(" resumed");
      for (const auto& item : response->resources) held.insert(item.resource.name);
      for (const auto& text : response->removed) {
        held.erase(parse_removed(*Catalogue::builtin().find(type_), text).name);
      }
    }
  }

  std::set<std::string> held;
  std::string token;
  bool is_resumed = false;

 private:
  TestPlane& global_;
  std::string type_;
  std::string nonce_;
  StreamId id_ = 0;
};

}  // namespace kdsd::kds
