#include "world.h"

#include <cstdio>

#include "kuma_zone.h"
#include "node.h"

namespace kdsd::sim {
namespace {

constexpr std::size_t trace_kept = 400;      // lines of the shortened trace
constexpr std::size_t violations_kept = 20;  // the first one is what counts

// What a zone tells in request metadata (kds-protocol.md 2.5).
const std::vector<std::string> stream_features = {"zone-token", "hash-suffix", "zone-ping-health"};

}  // namespace

World::World(WorldOptions options)
    : options_(std::move(options)),
      random_(options_.seed),
      network_(schedule_, random_, options_.link),
      started_(schedule_.now()) {}

World::~World() = default;

void World::add_global(const std::string& system_namespace) {
  Place place;
  place.is_kubernetes = !system_namespace.empty();
  if (place.is_kubernetes) place.system_namespace = system_namespace;
  parties_.push_back(std::make_unique<Node>(*this, place, "global"));
  network_.set_global(parties_.back().get());
}

void World::add_zone(const std::string& name, const std::string& system_namespace) {
  const auto& all = kds::own_node_features();
  Place place;
  place.zone = name;
  place.is_kubernetes = !system_namespace.empty();
  if (place.is_kubernetes) place.system_namespace = system_namespace;
  place.features = {all.begin(), all.end()};
  parties_.push_back(std::make_unique<Node>(*this, place, name));
  network_.add_zone(name, parties_.back().get(), stream_features);
}

void World::add_kuma_zone(const std::string& name, std::vector<std::string> features) {
  Place place;
  place.zone = name;
  place.features = {features.begin(), features.end()};
  parties_.push_back(std::make_unique<KumaZone>(*this, place, name));
  network_.add_zone(name, parties_.back().get(), stream_features);
}

void World::start() {
  for (auto& party : parties_) party->start();
  for (std::size_t i = 0; i < parties_.size(); ++i) tick(i);
  for (const auto& name : zone_names()) network_.join(name);
}

void World::tick(std::size_t index) {
  schedule_.after(second, [this, index] { tick(index); });
  if (parties_[index]->alive()) parties_[index]->tick();
}

void World::run_for(std::int64_t duration) {
  const auto until = schedule_.now() + duration;
  while (violations_.empty() && schedule_.run_next(until)) {
  }
}

ControlPlane& World::party(const std::string& name) {
  for (auto& party : parties_) {
    if (party->name() == name) return *party;
  }
  return *parties_.front();
}

std::vector<std::string> World::zone_names() const {
  std::vector<std::string> out;
  for (const auto& party : parties_) {
    if (!party->is_global()) out.push_back(party->name());
  }
  return out;
}

void World::crash(ControlPlane& party, bool silently) {
  if (!party.alive()) return;
  if (tracing()) trace("crash " + party.name() + (silently ? " silently" : ""));
  party.crash();
  network_.crashed(party.side(), party.name(), silently);
}

void World::restart(ControlPlane& party) {
  if (party.alive()) return;
  if (tracing()) trace("restart " + party.name());
  party.start();
  if (!party.is_global() && network_.wants_connection(party.name())) network_.join(party.name());
}

void World::sent(ControlPlane& from, const Handle& handle, const std::string& zone, std::string bytes) {
  const bool is_response = from.is_global() == (handle.flow == Flow::global_to_zone);
  if (is_response) {
    auto response = kds::decode_response(bytes, catalogue());
    if (!response.ok()) {
      violation("wire", from.name() + " sent an unreadable response: " + response.status().text());
    } else {
      if (tracing()) {
        std::string line = from.name() + " -> " + zone + " " + text(handle.flow) + "#" +
                           std::to_string(handle.connection) + " " + response->type + " nonce=" + response->nonce +
                           " [" + response->version_info + "]";
        for (const auto& item : response->resources) line += " +" + item.resource.name;
        for (const auto& name : response->removed) line += " -" + name;
        trace(line);
      }
      for (auto* observer : observers_) observer->on_response(from, handle, zone, *response);
    }
  } else if (auto request = kds::decode_request(bytes); request.ok()) {
    if (tracing() && (!request->nonce.empty() || !request->node.resume.empty())) {
      trace(from.name() + " -> " + text(handle.flow) + "#" + std::to_string(handle.connection) + " " + zone + " " +
            request->type +
            (request->nonce.empty()
                 ? " resume " + request->node.resume
                 : (request->is_nack ? " nack " : " ack ") + request->nonce + " " + request->error_text));
    }
    for (auto* observer : observers_) observer->on_request(from, handle, zone, *request);
  }
  network_.send(handle, from.side(), std::move(bytes));
}

void World::violation(const std::string& checker, const std::string& text) {
  if (tracing()) trace("VIOLATION " + checker + ": " + text);
  if (violations_.size() < violations_kept) violations_.push_back(checker + ": " + text);
}

void World::trace(const std::string& line) {
  auto full = time_text() + " " + line;
  if (printing_) std::printf("%s\n", full.c_str());
  trace_.push_back(std::move(full));
  if (trace_.size() > trace_kept) trace_.pop_front();
}

std::string World::time_text() const {
  char out[32];
  std::snprintf(out, sizeof out, "%10.6f",
                static_cast<double>(schedule_.now() - started_) / static_cast<double>(second));
  return out;
}

}  // namespace kdsd::sim
