// What the REST adapters need from the rest of the program; `app` implements it.
//
// Threads: handlers run on the API threads. `read` and `write` hand a function to the core executor and return at once;
// the function runs there, in order, and must be short: it collects shared pointers, the caller renders them.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kds/core.h"
#include "kds/tokens.h"
#include "policy/control_plane.h"

namespace kdsd::api {

// Who may do something: a caller passes when it is one of the users or in one of the groups.
struct AccessRule {
  std::vector<std::string> users;
  std::vector<std::string> groups;
};

// The files of the web interface by their path below its folder: `assets/index.js`. Immutable.
using GuiFiles = std::map<std::string, std::string, std::less<>>;

// Fixed for the life of the process.
struct Facts {
  policy::ControlPlaneKind control_plane;
  std::string product = "Kuma";
  std::string version = "2.13.10";  // the compatible Kuma version
  std::string kdsd_version;
  std::string hostname;
  std::string instance_id;
  std::string effective_config;  // compact JSON, secrets masked
  std::set<std::string> disabled_types;
  std::vector<std::string> skip_label_prefixes;  // of what is sent; names on the wire depend on them
  bool read_only = false;
  bool unsafe_delete = false;
  bool localhost_is_admin = true;
  bool client_certificate_is_admin = false;  // apiServer.authn.type: adminClientCerts
  bool create_routing_resources = false;     // defaults.createMeshRoutingResources
  std::string base_path = "/";
  std::string gui_path = "/gui";            // as clients are told, a path or a whole address; empty: no GUI offered
  std::string gui_base_path = "/gui";       // where it is served; empty: not at all
  std::string api_url;                      // for the GUI; empty: the address it came from
  std::string service_suffix = ".mesh:80";  // behind a service's name: its address for clients (dnsServer.*)
  std::string store_type = "memory";
  std::shared_ptr<const GuiFiles> gui_files;  // null: the page that says that there is none
  std::string root_url;
  std::vector<std::string> cors_domains;
  AccessRule admins;        // access.static.adminResources
  AccessRule metadata;      // access.static.controlPlaneMetadata
  AccessRule config_dumps;  // access.static.viewConfigDump
  AccessRule stats;
  AccessRule clusters;
  AccessRule user_token_issuing;
  AccessRule zone_token_issuing;
  AccessRule dataplane_token_issuing;
  bool issues_user_tokens = true;
  bool issues_zone_tokens = true;
  bool issues_dataplane_tokens = true;
  kds::TokenRules user_token_rules;
  bool writes_need_authentication = false;  // kdsd.writesNeedAuthentication
  std::size_t body_bytes_max = 4 << 20;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const Facts& facts() const = 0;
  virtual Timestamp now() const = 0;
  // Runs `fn` on the core executor, after the writes that were submitted before it and are done.
  virtual void read(std::function<void(const kds::Core&)> fn) = 0;
  // Submits a write there. `write.done` is called on the core executor, also with the refusal of a full queue.
  virtual void write(kds::Write write) = 0;
  // An RSA key pair as PEM `RSA PRIVATE KEY` (2048 bits); takes tens of milliseconds, callable on API threads.
  virtual Result<std::string> new_signing_key() = 0;
  // Random, by which a token can be revoked; callable on API threads.
  virtual std::string new_token_id() = 0;
  // Asks a proxy of a zone (kds-protocol.md 10). `done` is called on the core executor.
  virtual void ask_proxy(kds::ProxyQuery query, kds::ProxyAnswer done) = 0;
  // Prometheus text of all metrics; callable on API threads.
  virtual std::string metrics_text() = 0;
  // Empty when ready, else what is not.
  virtual std::vector<std::string> not_ready() = 0;
};

}  // namespace kdsd::api
