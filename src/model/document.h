// Resource documents: what users write and what REST shows (rest-api.md 3 and 6.2, namespaces.md 3).
//
// Pure. Both formats are read, told apart by `apiVersion`.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "model/resource.h"
#include "model/status.h"

namespace kdsd {

struct Document {
  enum class Format { universal, kubernetes };
  Format format = Format::universal;
  const ResourceType* type = nullptr;
  std::string type_text;  // as written
  std::string mesh;       // as written; empty when missing
  bool has_mesh = false;
  std::string name;
  std::string namespace_;  // body `namespace`, or metadata.namespace
  Labels labels;
  bool has_spec = false;
  boost::json::value spec;  // flat layout: an object of the spec's members
  std::vector<std::string> warnings;
};

// Reads the envelope. `expected` is the type that the address names; without it the document's own `type` or `kind`
// decides. Code::malformed: the shape is wrong (no object, a member of the wrong kind), Code::invalid: the type is
// unknown.
Result<Document> parse_document(const Catalogue& catalogue, const boost::json::value& value,
                                const ResourceType* expected);

// Universal format, members in the documented order.
boost::json::object render(const Resource& resource);

// type, mesh, name, times, labels, kri: the members that every answer begins with.
boost::json::object render_meta(const Resource& resource, std::string_view type_name, bool with_kri);

// The spec as JSON whatever its encoding; an empty object when it does not decode.
boost::json::value spec_json(const Resource& resource);

// Where the Kubernetes format puts a resource, and how much of it is shown.
struct KubernetesPlace {
  std::string name;        // metadata.name
  std::string namespace_;  // metadata.namespace, for kinds that have one
  // Of a namespaced control plane: labels are shown, with those among them that Kubernetes keeps as annotations, and
  // the mesh stands where the kind has it. A universal one shows what Kuma shows (rest-api.md 6.2).
  bool is_native = false;
};
boost::json::object render_kubernetes(const Resource& resource, const KubernetesPlace& place);

// The bytes that are stored for a spec written as JSON.
Result<std::string> encode_spec(const ResourceType& type, const boost::json::value& spec);

// Same meaning, whatever the order of members or the spelling of the encoding.
bool same_spec(const ResourceType& type, const std::string& a, const std::string& b);
bool same_status(const std::string& a, const std::string& b);

}  // namespace kdsd
