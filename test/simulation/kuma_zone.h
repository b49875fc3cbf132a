// A plain Kuma zone as a peer: no resume, no parts, full first state, one conflict rule. Written from
// kds-protocol.md 3.4, 3.6 and 6.2 to 6.4, so that the global is tried against something that was not made for it.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "world.h"

namespace kdsd::sim {

class KumaZone : public ControlPlane {
 public:
  KumaZone(World& world, Place place, std::string name);

  bool alive() const override { return alive_; }
  bool stream_opened(const Handle& handle, const std::string& zone, const std::string& connection,
                     const std::vector<std::string>& features) override;
  void message(const Handle& handle, const std::string& bytes) override;
  void stream_closed(const Handle& handle, const std::string& why) override;

  const Resources& resources() const override { return store_.live(); }
  bool is_kdsd() const override { return false; }
  void start() override;
  void tick() override { refresh(); }
  void crash() override;
  void submit(kds::Write write) override;

 private:
  struct Item {
    std::string bytes;  // encoded KumaResource
    std::string version;
  };
  using Snapshot = std::map<std::string, Item>;  // by <name>.<mesh>
  struct SenderType {
    std::map<std::string, std::string> returned;
    bool parked = false;
  };

  void on_request(const std::string& bytes);
  void on_response(const std::string& bytes);
  void refresh();
  Snapshot snapshot(const ResourceType& type) const;
  // Sends the difference; with none only if `forced`. False: nothing was sent.
  bool consider(const std::string& type, SenderType& state, bool forced);
  void request_all();
  bool store(const kds::Response& response, bool initial, std::string& conflicts);

  SimStore store_;
  kds::Sending sending_;
  std::unique_ptr<kds::Index> database_;
  std::unique_ptr<kds::Committer> committer_;
  bool alive_ = false;
  std::optional<Handle> down_;  // global to zone: receives
  std::optional<Handle> up_;    // zone to global: sends
  std::map<std::string, SenderType> sending_types_;
  std::uint64_t nonce_ = 0;
  std::map<std::string, bool> done_;
};

}  // namespace kdsd::sim
