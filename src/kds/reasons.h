// The words that say why a resource is or is not somewhere, each with its sentence (policy-semantics.md 3 and 12.5).
//
// Pure. The words are what `audience_of` and `explain` answer; here is the only place that spells them out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kdsd::kds {

// One sentence without a full stop; the word itself where nobody ever says it.
std::string sentence_of(std::string_view reason);

// Every word with a sentence; those that end in `-` or `:` are followed by a value.
std::vector<std::string_view> reason_words();

}  // namespace kdsd::kds
