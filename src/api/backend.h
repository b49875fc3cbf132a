// What the REST adapters need from the rest of the program; `app` implements it.
//
// Threads: handlers run on the API threads. `read` and `write` hand a function to the core executor and return at once;
// the function runs there, in order, and must be short: it collects shared pointers, the caller renders them.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "kds/core.h"
#include "policy/control_plane.h"

namespace kdsd::api {

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
  std::string gui_path = "/gui";  // empty: no GUI offered
  std::string root_url;
  std::vector<std::string> cors_domains;
  std::vector<std::string> admin_users;  // access.static.adminResources
  std::vector<std::string> admin_groups;
  std::vector<std::string> metadata_users;  // access.static.controlPlaneMetadata
  std::vector<std::string> metadata_groups;
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
  // Prometheus text of all metrics; callable on API threads.
  virtual std::string metrics_text() = 0;
  // Empty when ready, else what is not.
  virtual std::vector<std::string> not_ready() = 0;
};

}  // namespace kdsd::api
