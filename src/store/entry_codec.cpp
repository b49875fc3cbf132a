#include "store/entry_codec.h"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace kdsd::store {
namespace {

namespace json = boost::json;

// Room on the stack for the parsed form of a usual column; larger ones go on to the heap.
constexpr std::size_t scratch_bytes = 4096;

json::value parse(std::string_view text, json::storage_ptr storage) {
  json::parse_options options;
  options.allow_invalid_utf8 = true;  // a start must not fail over what a commit accepted
  json::error_code failure;
  json::value value = json::parse(json::string_view(text.data(), text.size()), failure, std::move(storage), options);
  return failure ? json::value() : value;
}

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

std::optional<Presence> decode_presence(const json::value& value) {
  const json::array* parts = value.if_array();
  if (!parts || parts->size() != 3) return std::nullopt;
  const json::string* audience = (*parts)[1].if_string();
  const json::string* wire_name = (*parts)[2].if_string();
  if (!audience || !wire_name) return std::nullopt;
  json::error_code failure;
  const auto since = (*parts)[0].to_number<std::uint64_t>(failure);
  if (failure) return std::nullopt;
  Presence presence{Revision{since}, Audience::parse(view(*audience)), std::string(view(*wire_name))};
  // An unknown audience reads as nobody: a text that does not come back the same is not ours.
  if (presence.audience.text() != view(*audience)) return std::nullopt;
  return presence;
}

}  // namespace

std::string encode_labels(const Labels& labels) {
  if (labels.empty()) return "{}";
  json::object object;
  for (const auto& [key, value] : labels) object.emplace(key, value);
  return json::serialize(object);
}

std::string encode_presences(const std::vector<Presence>& presences) {
  json::array list;
  for (const auto& presence : presences) {
    list.push_back(json::array{presence.since.value, presence.audience.text(), presence.wire_name});
  }
  return json::serialize(list);
}

std::optional<Labels> decode_labels(std::string_view text) {
  if (text == "{}") return Labels();
  unsigned char scratch[scratch_bytes];
  json::monotonic_resource memory(scratch, sizeof scratch);
  const json::value parsed = parse(text, &memory);
  const json::object* object = parsed.if_object();
  if (!object) return std::nullopt;
  std::vector<Labels::Entry> entries;
  entries.reserve(object->size());
  for (const auto& member : *object) {
    const json::string* value = member.value().if_string();
    if (!value) return std::nullopt;
    entries.emplace_back(std::string(member.key()), view(*value));
  }
  return Labels(std::move(entries));
}

std::optional<std::vector<Presence>> decode_presences(std::string_view text) {
  unsigned char scratch[scratch_bytes];
  json::monotonic_resource memory(scratch, sizeof scratch);
  const json::value parsed = parse(text, &memory);
  const json::array* list = parsed.if_array();
  if (!list || list->empty()) return std::nullopt;
  std::vector<Presence> presences;
  presences.reserve(list->size());
  for (const auto& item : *list) {
    auto presence = decode_presence(item);
    if (!presence) return std::nullopt;
    presences.push_back(*std::move(presence));
  }
  return presences;
}

}  // namespace kdsd::store
