#include "kds/system_namespace.h"

#include <algorithm>
#include <string>

#include "model/document.h"
#include "policy/core_name.h"
#include "policy/labels.h"

namespace kdsd::kds {
namespace {

constexpr const char* namespace_fact = "system-namespace";

class Renaming {
 public:
  Renaming(Transaction& transaction, const policy::ControlPlaneKind& control_plane, std::string before)
      : transaction_(transaction), control_plane_(control_plane), before_(std::move(before)) {}

  Status run() {
    for (const auto* type : transaction_.catalogue().types()) {
      if (!type->named_with_namespace()) continue;
      for (const auto& resource : transaction_.list(*type)) {
        if (auto status = look_at(*resource); !status.ok()) return status;
      }
    }
    return {};
  }

 private:
  Status look_at(const Resource& resource) {
    auto name = policy::split_core_name(control_plane_, *resource.type, resource.name);
    if (name.namespace_ == before_) {
      name.namespace_ = control_plane_.system_namespace;
      return move(resource, name);
    }
    // Its role is another one, now that the namespace is the mesh operator's.
    if (name.namespace_ == control_plane_.system_namespace && !resource.is_copy()) {
      Resource changed = resource;
      changed.labels = relabelled(resource, name);
      if (changed.labels != resource.labels) transaction_.put(std::move(changed));
    }
    return {};
  }

  Status move(const Resource& resource, const policy::CoreName& name) {
    Resource moved = resource;
    moved.name = name.text();
    if (transaction_.find(*moved.type, moved.mesh, moved.name)) {
      return Status(Code::conflict, "the system namespace cannot be renamed from " + before_ + " to " +
                                        control_plane_.system_namespace + ": " + moved.key().text() +
                                        " exists already");
    }
    if (!moved.is_copy()) {
      moved.labels.erase(label::namespace_);
      moved.labels = relabelled(moved, name);
      moved.modified = std::max(transaction_.now(), Timestamp{resource.modified.nanos + 1});
    }
    transaction_.move(resource.key(), std::move(moved));
    return {};
  }

  Labels relabelled(const Resource& resource, const policy::CoreName& name) const {
    return policy::complete_labels(control_plane_, *resource.type, resource.mesh, name, spec_json(resource),
                                   resource.labels);
  }

  Transaction& transaction_;
  const policy::ControlPlaneKind& control_plane_;
  const std::string before_;
};

}  // namespace

Status rename_system_namespace(Transaction& transaction, const policy::ControlPlaneKind& control_plane) {
  if (!control_plane.has_namespaces()) return {};
  const auto before = transaction.fact(namespace_fact);
  transaction.set_fact(namespace_fact, control_plane.system_namespace);
  if (before.empty() || before == control_plane.system_namespace) return {};
  return Renaming(transaction, control_plane, before).run();
}

}  // namespace kdsd::kds
