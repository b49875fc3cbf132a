// The recorded exchanges of Kuma control planes (test/data/wire), with kdsd in the place of one side.
#include "replay.h"

#include <functional>
#include <gtest/gtest.h>

namespace kdsd::kds::replay {
namespace {

// Where kdsd does something else than Kuma 2.13 did, and the specification says so. A place is an event, a copy that
// the peer holds (`<zone>: <type> <mesh>/<display name>`), or one that kdsd stores.
struct Known {
  std::string recording;
  std::string place;
  std::string why;
};

const std::string private_half =
    "cannot be told: the private half of the key is not on the wire (kds-protocol.md 11.2)";
const std::string generator_mesh =
    "no HostnameGenerator has a mesh, nor a name that is hashed with one (kds-protocol.md 3.7, namespaces.md 4)";
const std::string zone_tags =
    "the zone tag of every kind that can have one narrows the audience (policy-semantics.md 3.3, 3.4, D-11)";
const std::string one_by_one =
    "what cannot be held is refused alone, the stream lives (docs/protocol.md, rule `decode`; 2.13: kds-protocol.md "
    "6.6)";
const std::string own_name =
    "a name of somebody else is refused alone, the stream lives (docs/protocol.md, rule `conflict`; 2.13: "
    "kds-protocol.md "
    "6.6)";
const std::string api_server = "kdsd has no API server that refuses it (kds-protocol.md 6.7, namespaces.md 0)";
const std::string unrequested = "a type that was not asked for ends the stream (kds-protocol.md 3.6, 15)";
const std::string newest_wins = "the newest connection of a zone wins (ARCHITECTURE.md; 2.13: kds-protocol.md 9.5)";
const std::string no_node = "a request without node ends its stream (kds-protocol.md 3.3; 2.13: no answer)";

const std::vector<Known> known_of_globals = {
    {"01-first-sync", "east: GlobalSecret /zone-token-signing-key-1", private_half},
    {"05-global-stopped", "east: GlobalSecret /zone-token-signing-key-1", private_half},
    {"08-global-killed", "east: GlobalSecret /zone-token-signing-key-1", private_half},
    {"09-second-zone", "west: GlobalSecret /zone-token-signing-key-1", private_half},
    {"70-kubernetes-zone-first-sync", "east: GlobalSecret /zone-token-signing-key-1", private_half},
    {"71-kubernetes-zone-resources", "west: GlobalSecret /zone-token-signing-key-1", private_half},
    {"71-kubernetes-zone-resources", "west: MeshTimeout default/tag-dp", zone_tags},
    {"71-kubernetes-zone-resources", "west: MeshTimeout default/tag-mss", zone_tags},
    {"74-kubernetes-global", "south: GlobalSecret /zone-token-signing-key-1", private_half},
    {"74-kubernetes-global", "north: GlobalSecret /zone-token-signing-key-1", private_half},
    {"74-kubernetes-global", "south: HostnameGenerator /hg", generator_mesh},
    {"74-kubernetes-global", "north: HostnameGenerator /hg", generator_mesh},
    {"25-attribution", "event 68", unrequested},
    {"25-attribution", "event 70", unrequested},
    {"28-node-features-missing", "feat2b: MeshMultiZoneService default/mz",
     "without hash-suffix a name is the stored one, never empty (2.13: kds-protocol.md 5.1, \"Side effect\")"},
    {"31-same-zone-twice", "event 12", newest_wins},
    {"31-same-zone-twice", "event 14", newest_wins},
    {"32-scope", "event 18", own_name},
    {"33-fatal-responses", "event 4", one_by_one},
    {"33-fatal-responses", "event 13", one_by_one},
    {"33-fatal-responses", "event 20", one_by_one},
    {"33-fatal-responses", "event 25", one_by_one},
    {"33-fatal-responses", "event 34", one_by_one},
    {"33-fatal-responses", "event 62", own_name},
    {"33-fatal-responses", "event 67", one_by_one},
    {"33-fatal-responses", "event 81", one_by_one},
    {"38-no-node", "event 20", no_node},
    {"38-no-node", "event 22", no_node},
    {"38-no-node", "event 57", one_by_one},
};

const std::vector<Known> known_of_zones = {
    {"71-kubernetes-zone-resources", "east: HostnameGenerator /hg", generator_mesh},
    {"72-kubernetes-zone-changes", "east: MeshTimeout payments/pay-timeouts",
     "a Mesh that is removed takes along what was made in it, at once (kds-protocol.md 13, pitfall 7, and 16.2)"},
    {"73-kubernetes-zone-reconnect", "event 11",
     "nobody can turn a copy into an own policy, so there is no conflict (namespaces.md 5; 2.13: kds-protocol.md 6.2)"},
    {"73-kubernetes-zone-reconnect", "event 25", "as event 11"},
    {"73-kubernetes-zone-reconnect", "event 38", "as event 11"},
    {"75-kubernetes-zone-refuses", "event 14", api_server},
    {"75-kubernetes-zone-refuses", "event 30", api_server},
    {"75-kubernetes-zone-refuses", "event 43", api_server},
    {"75-kubernetes-zone-refuses", "event 56", api_server},
    {"75-kubernetes-zone-refuses", "event 72", api_server},
    {"75-kubernetes-zone-refuses", "event 85",
     "a name of 254 bytes is refused alone, the stream lives (docs/protocol.md, rule `name`; 2.13: kds-protocol.md "
     "6.7)"},
    {"75-kubernetes-zone-refuses", "event 103", "both spellings of actions are accepted (policy-semantics.md 9, D-28)"},
    {"75-kubernetes-zone-refuses", "event 131", api_server},
    {"75-kubernetes-zone-refuses", "event 153", api_server},
    {"75-kubernetes-zone-refuses", "event 166", api_server},
    {"75-kubernetes-zone-refuses", "event 179", api_server},
    {"50-zone-receives", "event 92", one_by_one},
    {"57-zone-fatal", "event 15", own_name},
    {"58-zone-missing-spec", "event 15", one_by_one},
    {"58-zone-missing-spec", "event 58", one_by_one},
    {"61-postgres-zone", "event 15", "no kind of store makes a difference (kds-protocol.md 6.2; 2.13: with Postgres)"},
    {"61-postgres-zone", "event 41", own_name},
};

// Recordings that are about something else than what the sync streams say.
struct Unplayable {
  std::string recording;
  std::string why;
};

const std::vector<Unplayable> unplayable = {
    {"03-admin-streams", "admin streams only"},
    {"10-health-check", "health checks only"},
    {"20-client-id", "calls that are refused before a message"},
    {"29-half-close", "a stream that the peer half-closes has no message: the core sees none of it, net/ ends it"},
    {"34-too-large", "the messages are left out, and their length is net/'s to judge"},
    {"35-too-many-pings", "pings of HTTP/2, which gRPC counts"},
    {"53-end-g2z", "how a zone dials again; no message of the sync streams"},
    {"54-end-z2g", "how a zone dials again; no message of the sync streams"},
    {"55-end-admin", "how a zone dials again; no message of the sync streams"},
    {"56-end-healthcheck", "health checks only"},
    {"59-ping-policy", "pings of HTTP/2, which gRPC counts"},
    {"60-identity-only-server", "calls that are refused for their encoding"},
};

using Prepare = std::function<void(Replay&)>;

// One control plane, and the recordings in which kdsd takes its place.
struct Scenario {
  std::string zone;  // empty: the global
  CoreOptions options;
  std::vector<std::string> recordings;
  Prepare prepare = [](Replay&) {};
};

constexpr char local_secret[] = R"({"data":"bG9jYWw="})";

Replay::Action write(const std::string& type, const std::string& mesh, const std::string& name,
                     const std::string& spec) {
  return [=](TestPlane& plane) { EXPECT_TRUE(plane.put(type, mesh, name, spec).ok()); };
}

// What a zone sent between two recordings shows in what the second one relays.
void bring_relayed(TestPlane& global, const std::string& zone, const std::string& recording) {
  Receiving receiving;
  receiving.control_plane = global.core->options().control_plane;
  receiving.zone = zone;
  const auto events = Recording::read(recording).events();
  for (const auto& event : events) {
    if (event.kind == Event::Kind::note) break;
    if (event.kind != Event::Kind::message || !event.is_response || event.from != Side::global) continue;
    const auto response = decode_response(event.bytes, Catalogue::builtin());
    ASSERT_TRUE(response.ok());
    for (const auto& received : response->resources) {
      if (received.resource.labels.get(label::zone) == zone) global.take(received.resource, receiving);
    }
  }
}

void between_08_and_09(Replay& replay) {
  const std::string recording = "09-second-zone";
  replay.before(recording, 0, [=](TestPlane& global) { bring_relayed(global, "east", recording); });
  replay.before(recording, 230, write("Zone", "", "east", R"({"enabled":false})"));
  replay.before(recording, 237, write("Zone", "", "east", R"({"enabled":true})"));
}

const std::vector<Scenario>& globals() {
  static const std::vector<Scenario> all = {
      {"", {}, {"01-first-sync", "02-changes", "04-zone-killed"}},
      {"", {}, {"05-global-stopped", "06-nack-secret", "07-kds-sync-label"}},
      {"", {}, {"08-global-killed", "09-second-zone"}, between_08_and_09},
      {"", {}, {"21-encoding"}},
      {"", {}, {"22-request-variants"}},
      {"", {}, {"23-nonces"}},
      {"", {}, {"24-nack-from-global"}},
      {"", {}, {"25-attribution"}},
      {"", {}, {"26-chunked-first-response"}},
      {"", {}, {"27-features-missing"}},
      {"", {}, {"28-node-features-missing"}},
      {"", {}, {"30-only-z2g"}},
      {"", {}, {"31-same-zone-twice"}},
      {"", {}, {"32-scope"}},
      {"",
       {},
       {"33-fatal-responses"},
       [](Replay& replay) {
         replay.before("33-fatal-responses", 57,
                       write("MeshTimeout", "default", "mesh-timeout-all-default", timeout_spec));
       }},
      {"", {}, {"36-admin-correlation"}},
      {"", {}, {"37-zone-offline"}},
      {"", {}, {"38-no-node"}},
      {"",
       {},
       {"39-zone-deleted"},
       [](Replay& replay) {
         replay.before("39-zone-deleted", 10,
                       [](TestPlane& global) { EXPECT_TRUE(global.remove("Zone", "", "ud").ok()); });
       }},
      {"", {}, {"40-admin-answers"}},
      {"",
       {},
       {"70-kubernetes-zone-first-sync", "71-kubernetes-zone-resources", "72-kubernetes-zone-changes",
        "73-kubernetes-zone-reconnect"}},
      {"", namespaced("kuma-system"), {"74-kubernetes-global"}},
  };
  return all;
}

// A type that was not asked for ends the stream; what comes after it is replayed without.
void without_unrequested(Replay& replay) {
  replay.before("50-zone-receives", 70, write("Secret", "default", "loc", local_secret));
  replay.before("50-zone-receives", 80, write("MeshTimeout", "default", "clash", timeout_spec));
  replay.skip("50-zone-receives", 78);
}

void with_own_secrets(Replay& replay) {
  replay.before("72-kubernetes-zone-changes", 110, write("Secret", "default", "clash", local_secret));
  replay.before("72-kubernetes-zone-changes", 111, write("Secret", "default", "clash-2", local_secret));
}

void with_own_clashes(Replay& replay) {
  replay.before("61-postgres-zone", 15, write("Secret", "default", "loc", local_secret));
  replay.before("61-postgres-zone", 41, write("MeshTimeout", "default", "clash", timeout_spec));
}

const std::vector<Scenario>& zones() {
  static const std::vector<Scenario> all = {
      {"east", {}, {"01-first-sync", "02-changes"}},
      {"east",
       {},
       {"04-zone-killed", "05-global-stopped", "06-nack-secret", "07-kds-sync-label", "08-global-killed"},
       [](Replay& replay) { replay.before("06-nack-secret", 0, write("Secret", "default", "clash", local_secret)); }},
      {"west", {}, {"09-second-zone"}},
      {"north", {}, {"50-zone-receives"}, without_unrequested},
      {"south", {}, {"51-zone-sends"}},
      {"void", {}, {"52-zone-with-nothing"}},
      {"north2",
       {},
       {"57-zone-fatal"},
       [](Replay& replay) {
         replay.before("57-zone-fatal", 15, write("MeshTimeout", "default", "clash", timeout_spec));
       }},
      {"crash1", {}, {"58-zone-missing-spec"}},
      {"pgz", {}, {"61-postgres-zone"}, with_own_clashes},
      {"east",
       namespaced("kuma-system"),
       {"70-kubernetes-zone-first-sync", "71-kubernetes-zone-resources", "72-kubernetes-zone-changes",
        "73-kubernetes-zone-reconnect"},
       with_own_secrets},
      {"west", {}, {"71-kubernetes-zone-resources", "72-kubernetes-zone-changes"}},
      {"south", {}, {"74-kubernetes-global"}},
      {"north", namespaced("mesh-system"), {"74-kubernetes-global"}},
      {"north", namespaced("kuma-system"), {"75-kubernetes-zone-refuses"}},
  };
  return all;
}

// Plays the scenarios. Differences have to be known ones, known ones have to differ, no message may be passed over.
Counts play(const std::vector<Scenario>& scenarios, const std::vector<Known>& known) {
  Counts all;
  std::vector<bool> used(known.size());
  for (const auto& scenario : scenarios) {
    Replay replay(scenario.zone, scenario.options);
    scenario.prepare(replay);
    std::size_t recorded = 0;
    for (const auto& name : scenario.recordings) {
      const auto recording = Recording::read(name);
      recorded += scenario.zone.empty() ? recording.messages() : recording.messages_of_zone(scenario.zone);
      replay.play(recording);
    }
    EXPECT_EQ(replay.counts().recorded(), recorded) << scenario.recordings.front();
    all += replay.counts();
    for (const auto& difference : replay.differences()) {
      bool is_known = false;
      for (std::size_t i = 0; i < known.size(); ++i) {
        if (known[i].recording != difference.recording || known[i].place != difference.place) continue;
        is_known = true;
        used[i] = true;
      }
      EXPECT_TRUE(is_known) << difference.recording << ", " << difference.place << ": " << difference.text;
    }
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_TRUE(used[i]) << known[i].recording << ", " << known[i].place
                         << " does not differ any more: " << known[i].why;
  }
  return all;
}

TEST(Replay, RecordedZonesAreAnsweredAndToldByAGlobalAsTheyWere) {
  const auto counts = play(globals(), known_of_globals);
  EXPECT_EQ(counts.messages, 957U);
  EXPECT_EQ(counts.answers, 378U);
  EXPECT_EQ(counts.responses, 448U);
  EXPECT_EQ(counts.requests, 558U);
  EXPECT_EQ(counts.left_out, 3U);
  EXPECT_EQ(counts.skipped, 0U);
  EXPECT_EQ(counts.comparisons, 7075U);
}

TEST(Replay, RecordedGlobalsAreAnsweredAndToldByAZoneAsTheyWere) {
  const auto counts = play(zones(), known_of_zones);
  EXPECT_EQ(counts.messages, 907U);
  EXPECT_EQ(counts.answers, 473U);
  EXPECT_EQ(counts.responses, 303U);
  EXPECT_EQ(counts.requests, 841U);
  EXPECT_EQ(counts.left_out, 0U);
  EXPECT_EQ(counts.skipped, 1U);
  EXPECT_EQ(counts.comparisons, 4803U);
}

bool is_played(const std::vector<Scenario>& scenarios, const std::string& recording) {
  return std::any_of(scenarios.begin(), scenarios.end(), [&](const Scenario& scenario) {
    return std::find(scenario.recordings.begin(), scenario.recordings.end(), recording) != scenario.recordings.end();
  });
}

TEST(Replay, EveryRecordingIsPlayedOrListedWithTheReason) {
  for (const auto& name : recording_names()) {
    const auto recording = Recording::read(name);
    const bool is_playable = std::none_of(unplayable.begin(), unplayable.end(),
                                          [&](const Unplayable& entry) { return entry.recording == name; });
    // A test peer does what no control plane does; nothing could take its place.
    EXPECT_EQ(is_played(globals(), name), is_playable && !recording.is_scripted(Side::global)) << name;
    EXPECT_EQ(is_played(zones(), name), is_playable && !recording.is_scripted(Side::zone)) << name;
  }
}

// Admin streams and health checks never reach the core as messages: net/ answers them and has its own tests.
TEST(Replay, MessagesOfOtherServicesAreCounted) {
  std::map<std::string, std::size_t> others;
  for (const auto& name : recording_names()) {
    const auto recording = Recording::read(name);
    for (const auto& [rpc, count] : recording.others()) others[rpc] += count;
  }
  const std::map<std::string, std::size_t> expected = {
      {"HealthCheck", 142}, {"StreamClusters", 2}, {"StreamStats", 27}, {"StreamXDSConfigs", 4}, {"unreadable", 2}};
  EXPECT_EQ(others, expected);
}

}  // namespace
}  // namespace kdsd::kds::replay
