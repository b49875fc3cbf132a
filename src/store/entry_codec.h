// Labels and presences as the JSON texts that the SQLite store keeps in a column.
//
// Pure. Whatever was encoded is decoded to the same value, also where a text is no valid UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/labels.h"
#include "model/resource.h"

namespace kdsd::store {

std::string encode_labels(const Labels& labels);                       // {"key":"value"}
std::string encode_presences(const std::vector<Presence>& presences);  // [[since,"audience","wire name"]]

// Nothing where the text is none of ours: the file is damaged.
std::optional<Labels> decode_labels(std::string_view text);
std::optional<std::vector<Presence>> decode_presences(std::string_view text);

}  // namespace kdsd::store
