#include "api/object_answers.h"

#include "model/hash.h"

namespace kdsd::api {

policy::ObjectAnswers answers_to(const policy::ObjectQuestions& questions, const kds::Index& index) {
  policy::ObjectAnswers answers;
  for (const auto& [kind, names] : questions.named()) {
    for (const auto& name : names) {
      auto on_the_wire = index.find_by_wire_name(*kind.kind, kind.mesh, name);
      // A copy that somebody wrote here by hand has its canonical name in the store, and would be sent under another
      // one.
      auto stored = index.find(*kind.kind, kind.mesh, name);
      if (stored && stored != on_the_wire && canonical_name(stored->mesh, stored->name, stored->labels) == name)
        answers.add_named(kind, name, std::move(stored));
      if (on_the_wire) answers.add_named(kind, name, std::move(on_the_wire));
    }
  }
  for (const auto& kind : questions.all()) {
    index.each_in_mesh(*kind.kind, kind.mesh, [&](const ResourcePtr& object) { answers.add(kind, object); });
  }
  return answers;
}

}  // namespace kdsd::api
