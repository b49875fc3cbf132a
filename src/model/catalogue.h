// The resource catalogue: what is known about each type. It is data (schema/types/*.json, one file a type), so that a
// new policy type needs a file and no code. Flags and columns: kds-protocol.md appendix A, rest-api.md 5.
//
// Immutable after loading; shared by all threads.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/status.h"

namespace kdsd {

enum class SpecEncoding {
  proto,  // binary of `proto_message`; flat layout in documents
  json,   // JSON text; `spec` and `status` objects in documents
};

// What an element of `to` says, and how several are merged (policy-semantics.md 8.2).
enum class ToConf {
  ordinary,  // its `default`
  routes,    // its `rules` and `hostnames`, merged by matches
  rule,      // its first rule
};

// How the type looks as a Kubernetes object (namespaces.md 3).
struct KubernetesForm {
  bool exists = false;
  std::string kind;
  std::string api_version;
  bool namespaced = false;     // crdScope
  bool native = false;         // Secret, ConfigMap: a core object, not a custom resource
  std::string secret_type;     // `system.kuma.io/secret` …
  std::string payload_field;   // where the spec stands
  bool mesh_in_label = false;  // else a top-level field
};

struct ResourceType {
  std::string name;
  bool mesh_scoped = false;

  // KDS flags
  bool consumed_by_zone = false;
  bool consumed_by_global = false;
  bool provided_by_zone = false;
  bool provided_by_global = false;
  bool across_zones = false;
  bool hashed = false;  // renamed on the way from the global to a zone; on the way up always

  bool has_status = false;
  bool is_policy = false;
  bool is_target_ref_policy = false;
  bool is_plugin = false;  // "plugin originated": JSON spec, registered under its own switch
  bool has_to = false;
  bool has_from = false;
  bool has_rules = false;
  bool from_as_rules = false;
  ToConf to_conf = ToConf::ordinary;
  bool read_only = false;   // insights
  bool admin_only = false;  // secrets
  bool is_proxy = false;
  bool is_destination = false;
  bool experimental = false;
  bool allow_inspect = false;
  bool system_namespace_only = false;
  bool include_in_federation = false;

  std::string path;      // REST segment, empty when REST does not show the type
  std::string alt_path;  // second spelling of the segment
  std::string short_name;
  std::string singular;
  std::string plural;
  std::string kumactl_arg;
  std::string insight_type;
  std::string overview_type;

  SpecEncoding encoding = SpecEncoding::json;
  std::string proto_message;
  std::string any_type_url;  // empty for JSON specs
  KubernetesForm kubernetes;

  boost::json::value schema;         // JSON Schema of the spec, null when there is none
  boost::json::value status_schema;  // null when there is none
  std::string empty_status;          // what the global puts in place of a status on its way to zones
  boost::json::value target_refs;    // rules of policy-target-refs.md, null when the type is no target-ref policy

  bool global_to_zone() const { return consumed_by_zone && provided_by_global; }
  bool zone_to_global() const { return consumed_by_global && provided_by_zone; }
  bool is_plugin_policy() const { return is_plugin && is_policy; }
  // Whether names of the type carry a namespace where there are any; Secrets and Configs live in the system namespace
  // without saying so (namespaces.md 2).
  bool named_with_namespace() const { return kubernetes.exists && kubernetes.namespaced && !kubernetes.native; }
  bool wanted_by_zone() const { return global_to_zone() || across_zones; }
};

class Catalogue {
 public:
  // The catalogue compiled into the program.
  static const Catalogue& builtin();
  // From the text of type files; for tests and tools.
  static Result<std::unique_ptr<Catalogue>> parse(const std::vector<std::string>& files);

  const ResourceType* find(std::string_view name) const;
  const ResourceType* by_path(std::string_view segment) const;  // either spelling
  const ResourceType* by_short_name(std::string_view name) const;
  // Sorted by name. Pointers stay valid as long as the catalogue.
  const std::vector<const ResourceType*>& types() const { return sorted_; }

 private:
  std::map<std::string, std::unique_ptr<ResourceType>, std::less<>> types_;
  std::map<std::string, const ResourceType*, std::less<>> by_path_;
  std::map<std::string, const ResourceType*, std::less<>> by_short_;
  std::vector<const ResourceType*> sorted_;
};

}  // namespace kdsd
