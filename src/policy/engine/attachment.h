// Policy attachment with defaults and overrides down a hierarchy, and what it could not reconcile (policy-semantics.md
// 11).
//
// Pure.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "model/resource.h"
#include "policy/engine/conf.h"

namespace kdsd::policy {

// An object that a request passes. The caller gives them highest first.
struct ChainElement {
  std::string group;  // `core` and empty text mean the same
  std::string kind;
  std::string name;
  std::string namespace_;   // empty: cluster-scoped, or virtual
  bool is_virtual = false;  // no object of it has to exist
};

struct AttachedPolicy {
  std::string name;
  std::string namespace_;  // empty: cluster-scoped
  Timestamp created;
  ChainElement target;  // an empty namespace means that of the policy
  bool has_override = false;
  bool has_default = false;
  boost::json::value override_;
  boost::json::value default_;

  std::string text() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
};

struct AttachedSection {
  std::size_t policy = 0;  // position among the policies given
  bool is_override = false;
  std::string text;  // `shop/retries default`
};

// A field that two policies of one target set differently, in sections of one kind.
struct AttachmentConflict {
  std::string path;
  std::size_t winner = 0;  // position in AttachedResult::highest_to_lowest
  std::size_t loser = 0;
};

struct AttachedResult {
  boost::json::value effective;
  std::vector<AttachedSection> highest_to_lowest;
  std::vector<FieldOrigin> fields;  // sources are positions in `highest_to_lowest`
  std::vector<AttachmentConflict> conflicts;
};

// `request_namespace`: of the caller, where the mesh rule holds (D-39); empty: it does not.
AttachedResult attach(const std::vector<ChainElement>& chain, const std::vector<AttachedPolicy>& policies,
                      const std::string& request_namespace);

}  // namespace kdsd::policy
