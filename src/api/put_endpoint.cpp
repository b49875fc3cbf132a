#include <memory>

#include "api/answers.h"
#include "api/await.h"
#include "api/copies.h"
#include "api/endpoints.h"
#include "api/errors.h"
#include "api/mesh_creation.h"
#include "api/reading.h"
#include "kds/outbound.h"
#include "kds/unique_name.h"
#include "model/document.h"
#include "model/json.h"
#include "policy/admission.h"
#include "policy/core_name.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

// One PUT on its way: what the request says, and what became of it. The coroutine and the core executor share it, one
// after the other.
struct Put {
  const Facts* facts = nullptr;
  const ResourceType* type = nullptr;
  std::string mesh;
  std::string name;
  json::value body;
  std::string signing_key_pem;  // for a mesh that did not exist a moment ago

  Operation operation = Operation::mesh;
  bool created = false;
  std::vector<std::string> warnings;
};

Operation operation_of(policy::Stage stage) {
  switch (stage) {
    case policy::Stage::labels:
      return Operation::labels;
    case policy::Stage::create:
      return Operation::create;
    case policy::Stage::update:
      return Operation::update;
    case policy::Stage::none:
    case policy::Stage::process:
      break;
  }
  return Operation::process;
}

Status decide(Put& put, kds::Transaction& transaction) {
  const auto* mesh_type = transaction.catalogue().find("Mesh");
  if (!put.mesh.empty() && !transaction.find(*mesh_type, "", put.mesh)) return Status(Code::not_found, "");

  const auto existing = transaction.find(*put.type, put.mesh, put.name);
  policy::Request request;
  request.catalogue = &transaction.catalogue();
  request.type = put.type;
  request.mesh = put.mesh;
  request.name = put.name;
  request.body = &put.body;
  request.existing = existing.get();
  auto admission = policy::admit(put.facts->control_plane, request);
  put.operation = operation_of(admission.stage);
  if (!admission.result.ok()) return admission.result.status();
  auto& admitted = *admission.result;
  // Label rules refuse most edits of copies; what they let through would be undone by the sender.
  if (existing && existing->is_copy()) return managed_elsewhere(*existing, put.facts->control_plane);

  Resource resource;
  resource.type = put.type;
  resource.mesh = put.mesh;
  resource.name = admitted.name;
  resource.labels = std::move(admitted.labels);
  resource.spec = std::move(admitted.spec_bytes);
  if (existing) resource.status = existing->status;
  put.operation = Operation::process;
  const kds::Sending sending{put.facts->control_plane, put.facts->skip_label_prefixes};
  if (auto status = kds::check_unique_name(transaction, resource, sending); !status.ok()) return status;

  put.created = admitted.created;
  put.warnings = std::move(admitted.warnings);
  put.operation = put.created ? Operation::create : Operation::update;
  const bool with_defaults = put.created && put.type == mesh_type && creates_mesh_defaults(put.facts->control_plane);
  if (!with_defaults) {
    transaction.put(std::move(resource));
    return {};
  }
  if (put.signing_key_pem.empty()) {
    return Status(Code::conflict, "resource conflict: type=\"Mesh\" name=\"" + put.name + "\" mesh=\"\"");
  }
  const auto mesh_spec = spec_json(resource);
  transaction.put(std::move(resource));
  return create_mesh_companions(transaction, put.facts->control_plane, put.name, mesh_spec, put.signing_key_pem,
                                put.facts->create_routing_resources);
}

Result<json::value> parse_body(const Request& request, const ResourceType& type) {
  auto body = parse_json(request.body);
  if (body.ok()) return body;
  return Status(Code::malformed, "invalid " + type.name + " object: " + body.status().message());
}

Response success(const Put& put) {
  json::object body;
  if (!put.warnings.empty()) body["warnings"] = json::array(put.warnings.begin(), put.warnings.end());
  return json_response(put.created ? 201 : 200, body);
}

// Making a key takes long, so it is made before the write, and only where the write will create a mesh.
boost::asio::awaitable<Status> prepare_signing_key(Backend& backend, Put& put) {
  if (put.type->name != "Mesh" || !creates_mesh_defaults(put.facts->control_plane)) co_return Status();
  auto look = [name = put.name](const kds::Core& core) { return has_mesh(core.index(), name); };
  if (co_await read_core(backend, std::move(look))) co_return Status();
  auto key = backend.new_signing_key();
  if (!key.ok()) co_return Status(Code::internal, key.status().text());
  put.signing_key_pem = std::move(*key);
  co_return Status();
}

}  // namespace

Answer put_resource(Backend& backend, const ResourceType& type, const Call& call) {
  const auto& facts = backend.facts();
  auto allowed = policy::writable(type, facts.control_plane, facts.read_only);
  // Earlier than in Kuma, where a stranger's document is validated before the stranger is sent away.
  if (allowed.ok()) allowed = may_write(call.caller, type, facts);
  if (!allowed.ok()) co_return error_response(allowed, Operation::process);

  auto put = std::make_shared<Put>();
  put->facts = &facts;
  put->type = &type;
  put->mesh = call.parameter("mesh");
  put->name = policy::core_name(facts.control_plane, type, call.parameter("name"));
  auto body = parse_body(call.request, type);
  if (!body.ok()) {
    auto look = [mesh = put->mesh](const kds::Core& core) { return has_mesh(core.index(), mesh); };
    const bool mesh_found = co_await read_core(backend, std::move(look));
    if (!mesh_found) co_return error_response(Status(Code::not_found, ""), Operation::mesh);
    co_return error_response(body.status(), Operation::process);
  }
  put->body = std::move(*body);
  auto prepared = co_await prepare_signing_key(backend, *put);
  if (!prepared.ok()) co_return error_response(prepared, Operation::process);

  // Named: GCC 12 destroys a closure that is a temporary of a co_await expression twice.
  Decide write = [put](kds::Transaction& transaction) { return decide(*put, transaction); };
  auto status = co_await write_core(backend, std::move(write));
  if (!status.ok()) co_return error_response(status, put->operation);
  co_return success(*put);
}

}  // namespace kdsd::api
