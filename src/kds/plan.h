// What would become of documents if they were written now: refused or stored, and then the same explanation as for what
// is stored.
//
// Pure; one thread at a time. The caller fetches what is stored between the steps, which are called in the order in
// which they stand here; steps about the store are left out where there is none.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kds/explain.h"
#include "model/status.h"
#include "policy/object_questions.h"

namespace kdsd::kds {

namespace limits {
inline constexpr std::size_t plan_documents = 10'000;  // in one plan
}  // namespace limits

// One document. `refusal` says why it would not be stored; the explanations are missing then.
struct PlannedDocument {
  std::string text;  // MeshTimeout/default/slow, as far as it is known
  Status refusal;
  const ResourceType* type = nullptr;
  std::string mesh;
  std::string name;  // in the address
  boost::json::value body;

  ResourcePtr existing;            // what the write would replace
  std::optional<Resource> result;  // what would be stored
  std::vector<std::string> warnings;
  std::optional<Explanation> before;  // of `existing`
  std::optional<Explanation> after;
};

class Plan {
 public:
  // `world`: of the control plane where the documents would be written. `seen_by`: of the global that is asked about a
  // write in a zone; what exists are its copies then.
  explicit Plan(World world, std::optional<World> seen_by = std::nullopt)
      : world_(std::move(world)), seen_by_(std::move(seen_by)) {}

  // Reads the envelope. A document that is none is refused, and stays in the list.
  void add(boost::json::value document);

  std::vector<PlannedDocument>& documents() { return documents_; }
  const World& world() const { return world_; }

  // Meshes that exist; without this call every mesh counts as one.
  void set_meshes(std::set<std::string> meshes) { meshes_ = std::move(meshes); }

  // Checks every document as a write would. Documents see the meshes of earlier ones.
  void admit();

  // What the explanations will ask for.
  policy::ObjectQuestions questions() const;

  // `answers` to the questions. Documents see each other, as if all were stored already.
  void explain(policy::ObjectAnswers answers);

  // {"documents": […]} in the order of `add`.
  boost::json::object json() const;

 private:
  void admit(PlannedDocument& document);
  const char* action_of(const PlannedDocument& document) const;
  boost::json::object json_of(const PlannedDocument& document) const;

  World world_;
  std::optional<World> seen_by_;
  std::optional<std::set<std::string>> meshes_;
  std::vector<PlannedDocument> documents_;
};

}  // namespace kdsd::kds
