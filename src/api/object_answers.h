// Answers from the index to the questions that resolving references asks. On the core executor: takes shared pointers.
#pragma once

#include "kds/index.h"
#include "policy/object_questions.h"

namespace kdsd::api {

policy::ObjectAnswers answers_to(const policy::ObjectQuestions& questions, const kds::Index& index);

}  // namespace kdsd::api
