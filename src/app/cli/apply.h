// What `kdsd apply` decides about one document: is it readable, where does it belong, is it already there.
//
// The local checks are pure; `Applier` talks to one server and remembers what kind of control plane it is.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/rest_client.h"
#include "model/document.h"
#include "model/status.h"

namespace kdsd::app::cli {

// A document that passed the local reading.
struct Prepared {
  Document document;
  boost::json::value body;  // as written
  std::string mesh;         // `default` where a mesh-scoped document names none; empty for global scope

  std::string text(const std::string& name) const;  // MeshTimeout/default/slow
};

Result<Prepared> prepare(const Catalogue& catalogue, boost::json::value value);

// Shape, values and names, as far as they can be judged without knowing the control plane.
Status check_locally(const Prepared& prepared);

// Whether a PUT would change nothing: the same spec by value, and the labels that the file gives, while every other
// label that is there is one that control planes compute.
bool is_unchanged(const Prepared& prepared, const boost::json::value& existing);

enum class Verdict { created, updated, unchanged, deleted };
std::string_view verdict_text(Verdict verdict);

struct Applied {
  Verdict verdict = Verdict::unchanged;
  std::vector<std::string> warnings;
};

class Applier {
 public:
  // `client` must outlive it.
  explicit Applier(RestClient& client) : client_(client) {}

  // The name in the address. A Kubernetes document says name and namespace; only a control plane with namespaces has
  // both in its names, so the first such document asks the server which kind it is.
  Result<std::string> name_in_address(const Prepared& prepared);

  // Code::unavailable: the server cannot be reached, and further documents would fail in the same way.
  Result<Applied> apply(const Prepared& prepared, const std::string& name);
  Status remove(const ResourceType& type, const std::string& mesh, const std::string& name);

 private:
  struct ControlPlane {
    bool has_namespaces = false;
    std::string system_namespace;
  };
  Status learn_control_plane();

  RestClient& client_;
  std::optional<ControlPlane> control_plane_;
};

}  // namespace kdsd::app::cli
