#include "api/object_answers.h"

namespace kdsd::api {

policy::ObjectAnswers answers_to(const policy::ObjectQuestions& questions, const kds::Index& index) {
  policy::ObjectAnswers answers;
  for (const auto& [kind, names] : questions.named()) {
    for (const auto& name : names) {
      if (auto found = index.find_by_wire_name(*kind.kind, kind.mesh, name)) {
        answers.add_named(kind, name, std::move(found));
      }
    }
  }
  for (const auto& kind : questions.all()) {
    index.each_in_mesh(*kind.kind, kind.mesh, [&](const ResourcePtr& object) { answers.add(kind, object); });
  }
  return answers;
}

}  // namespace kdsd::api
