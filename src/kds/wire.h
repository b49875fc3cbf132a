// Messages of the KDS streams, decoded to what the state machines need and back (kds-protocol.md 1, 3.3, 3.5, 3.6).
//
// Pure. Outgoing messages are lists of shared byte slices: the encoded resources in them are not copied per stream.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kds/outbound.h"
#include "model/status.h"

namespace kdsd::kds {

namespace limits {
// Of what a peer says about itself and us; longer texts are cut between characters.
inline constexpr std::size_t node_text_bytes = 256;  // an id, a version, the name of a feature
inline constexpr std::size_t node_features = 64;
inline constexpr std::size_t node_config_bytes = 512 << 10;  // a longer one is not kept
inline constexpr std::size_t type_name_bytes = 100;
inline constexpr std::size_t held_versions = 100'000;  // in one request
inline constexpr std::size_t error_text_bytes = 256 << 10;
}  // namespace limits

// kdsd's own additions; used only with peers that announce them (design.md, Decisions).
namespace feature {
inline constexpr std::string_view hash_suffix = "hash-suffix";
inline constexpr std::string_view zone_ping_health = "zone-ping-health";
inline constexpr std::string_view zone_token = "zone-token";
inline constexpr std::string_view multizone_generator = "hg-mz-selector";
inline constexpr std::string_view producer_policy_flow = "producer-policy-flow";
inline constexpr std::string_view optional_target_ref = "optional-top-level-target-ref";
inline constexpr std::string_view kdsd_resume = "kdsd-resume";
inline constexpr std::string_view kdsd_chunked = "kdsd-chunked-first-state";
inline constexpr std::string_view kdsd_structured_nack = "kdsd-structured-nack";
inline constexpr std::string_view kdsd_target_ref_rewrite = "kdsd-target-ref-rewrite";
}  // namespace feature

// The features this program announces in its Node metadata.
const std::vector<std::string>& own_node_features();
// Those a zone announces with each call (kds-protocol.md 2.5).
const std::vector<std::string>& own_request_features();

class Features {
 public:
  Features() = default;
  explicit Features(std::vector<std::string> names);
  bool has(std::string_view name) const;
  std::uint8_t bits() const;  // as feature_bit
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

// Where a receiver stands in the log of one sender's store; travels in `system_version_info` of responses and in the
// Node metadata of the first request (key `kdsd-resume`).
struct ResumeToken {
  std::string store_id;
  std::uint64_t epoch = 0;
  Revision revision;
  std::uint8_t feature_bits = 0;

  std::string text() const;
  static bool parse(std::string_view text, ResumeToken& token);
};

struct NodeInfo {
  std::string instance_id;
  std::string config;
  std::string kuma_version;
  std::string git_tag;
  std::string git_commit;
  std::string build_date;
  Features features;
  std::string resume;  // text of a ResumeToken, empty when there is none
};

struct RejectedResource {
  std::string type;
  std::string mesh;
  std::string name;
  std::string rule;
  std::string text;
};

struct Request {
  std::string type;
  std::string node_id;
  bool has_node = false;
  bool has_metadata = false;
  NodeInfo node;  // of first requests: what is in the metadata
  std::vector<std::string> subscribe;
  std::vector<std::string> unsubscribe;
  std::map<std::string, std::string> held;  // initial_resource_versions
  std::string nonce;
  bool is_nack = false;
  std::string error_text;
  std::vector<RejectedResource> rejected;  // from kdsd peers
};

// Why a message that is longer than allowed is refused, with its type where it is a response: for people.
std::string too_large_text(std::string_view bytes, std::size_t bytes_max, const Catalogue& catalogue);

struct ReceivedResource {
  Resource resource;    // type set, source not
  std::string version;  // the sender's version text
  Status problem;       // spec missing or not readable; nothing but the key may be used then
  // What a resource of a global-scoped type came with instead of none: it plays no part but in the name (3.7).
  std::string extra_mesh;
};

struct Response {
  std::string type;
  std::string nonce;
  std::string sender;        // control_plane.identifier
  std::string version_info;  // system_version_info
  std::vector<ReceivedResource> resources;
  std::vector<std::string> removed;
};

Result<Request> decode_request(std::string_view bytes);

// Reads the message and all resources in it. An element that is no KumaResource at all is an error of the stream;
// a resource whose spec is missing or unreadable carries a `problem`. `known`: the type of the response, or null.
Result<Response> decode_response(std::string_view bytes, const Catalogue& catalogue);

std::string encode_request(const Request& request);

// Bytes of one message, in order.
struct Message {
  std::vector<std::shared_ptr<const std::string>> parts;
  std::size_t bytes = 0;

  void append(std::shared_ptr<const std::string> part);
  void append(std::string part);
  std::string joined() const;
};

struct ResponseHead {
  std::string type;
  std::string nonce;
  std::string sender;
  std::string version_info;
  std::vector<std::string> removed;
};
std::string encode_response_head(const ResponseHead& head);

// Splits a removal at its last dot (3.7); of global-scoped types the mesh is ignored.
struct RemovedKey {
  std::string mesh;
  std::string name;
};
RemovedKey parse_removed(const ResourceType& type, std::string_view text);

}  // namespace kdsd::kds
