#include "policy/engine/evaluation_input.h"

#include <algorithm>
#include <boost/json/object.hpp>

#include "model/document.h"
#include "model/json.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

const json::value nothing = json::object();

std::string list_of(std::initializer_list<std::string_view> words) {
  std::string out;
  for (const auto word : words) out += (out.empty() ? "'" : ", '") + std::string(word) + "'";
  return out;
}

void check_items(const AppliedPolicy& policy, std::string_view section, const std::string& path, Outcome& outcome) {
  const auto* items = find(policy.spec, {section});
  if (items == nullptr || items->is_null()) return;
  const auto section_path = member(path, section);
  if (!items->is_array()) return outcome.refuse(section_path, "must be a list");
  for (std::size_t i = 0; i < items->get_array().size(); ++i) {
    const auto& item = items->get_array()[i];
    const auto item_path = element(section_path, i);
    if (!item.is_object()) {
      outcome.refuse(item_path, "must be an object");
      continue;
    }
    const auto* ref = find(item, {"targetRef"});
    if (section == "rules") continue;
    if (ref == nullptr || !ref->is_object()) {
      outcome.refuse(member(item_path, "targetRef"), "must be an object");
    } else if (kind_rank(find_text(*ref, {"kind"})) == 0) {
      outcome.refuse(member(member(item_path, "targetRef"), "kind"), "must be a kind of reference");
    }
  }
}

}  // namespace

InputReader::InputReader(const json::value& value, std::string path, Outcome& outcome)
    : value_(value.is_object() ? value : nothing), path_(std::move(path)), outcome_(outcome) {
  if (!value.is_object()) outcome_.refuse(path_, "must be an object");
}

void InputReader::allow_only(std::initializer_list<std::string_view> names) {
  for (const auto& entry : value_.get_object()) {
    const std::string_view key(entry.key().data(), entry.key().size());
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      refuse(key, "is not known; known are " + list_of(names));
    }
  }
}

const json::value* InputReader::member(std::string_view name) const {
  const auto* found = find(value_, {name});
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string InputReader::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : policy::member(path_, name);
}

void InputReader::refuse(std::string_view name, std::string reason) {
  outcome_.refuse(path_of(name), std::move(reason));
}

std::string InputReader::text(std::string_view name, std::string_view otherwise) {
  const auto* found = member(name);
  if (found == nullptr) return std::string(otherwise);
  if (!found->is_string()) {
    refuse(name, "must be a text");
    return std::string(otherwise);
  }
  return std::string(find_text(value_, {name}));
}

std::string InputReader::required_text(std::string_view name) {
  if (member(name) == nullptr) refuse(name, "must be set");
  auto out = text(name);
  const auto* found = member(name);
  if (found != nullptr && found->is_string() && out.empty()) refuse(name, "must not be empty");
  return out;
}

bool InputReader::flag(std::string_view name, bool otherwise) {
  const auto* found = member(name);
  if (found == nullptr) return otherwise;
  if (found->is_bool()) return found->get_bool();
  refuse(name, "must be true or false");
  return otherwise;
}

std::string_view InputReader::word(std::string_view name, std::initializer_list<std::string_view> words) {
  if (member(name) == nullptr) return *words.begin();
  const auto written = find_text(value_, {name});
  const auto found = std::find(words.begin(), words.end(), written);
  if (found != words.end()) return *found;
  refuse(name, "must be one of " + list_of(words));
  return *words.begin();
}

const json::array& InputReader::list(std::string_view name, bool is_required, std::size_t items_max) {
  static const json::array none;
  const auto* found = member(name);
  if (found == nullptr) {
    if (is_required) refuse(name, "must be set");
    return none;
  }
  if (!found->is_array()) {
    refuse(name, "must be a list");
    return none;
  }
  if (found->get_array().size() <= items_max) return found->get_array();
  refuse(name, "must have at most " + std::to_string(items_max) + " items");
  return none;
}

InputReader InputReader::object(std::string_view name, bool is_required) {
  const auto* found = member(name);
  if (found != nullptr) return {*found, path_of(name), outcome_};
  if (is_required) refuse(name, "must be set");
  return {nothing, path_of(name), outcome_};
}

InputReader InputReader::element(std::string_view name, std::size_t index) {
  return {find_list(value_, {name})[index], policy::element(path_of(name), index), outcome_};
}

Labels InputReader::texts(std::string_view name) {
  const auto* found = member(name);
  if (found == nullptr) return {};
  if (!found->is_object()) {
    refuse(name, "must be a map of texts");
    return {};
  }
  for (const auto& entry : found->get_object()) {
    const std::string_view key(entry.key().data(), entry.key().size());
    if (!entry.value().is_string()) outcome_.refuse(keyed(path_of(name), key), "must be a text");
  }
  return texts_at(value_, name);
}

ResourcePtr read_resource(InputReader reader, const Catalogue& catalogue) {
  reader.allow_only({"type", "mesh", "name", "namespace", "labels", "spec", "creationTime", "modificationTime", "kri"});
  auto out = std::make_shared<Resource>();
  const auto type = reader.required_text("type");
  out->type = catalogue.find(type);
  if (out->type == nullptr && !type.empty()) reader.refuse("type", "'" + type + "' is no type of resource");
  out->mesh = reader.text("mesh", "default");
  out->name = reader.required_text("name");
  out->labels = reader.texts("labels");
  if (const auto namespace_ = reader.text("namespace"); !namespace_.empty()) {
    out->labels.set_default(label::namespace_, namespace_);
  }
  static const json::value no_spec = json::object();
  const auto* spec = reader.member("spec");
  if (spec != nullptr && !spec->is_object()) reader.refuse("spec", "must be an object");
  if (out->type == nullptr) return nullptr;
  if (out->type->encoding == SpecEncoding::json) {
    out->spec = to_compact_json(spec == nullptr ? no_spec : *spec);
  } else if (spec != nullptr && spec->is_object()) {
    auto encoded = encode_spec(*out->type, *spec);
    if (!encoded.ok()) reader.refuse("spec", encoded.status().message());
    if (encoded.ok()) out->spec = std::move(*encoded);
  }
  return out;
}

AppliedPolicies read_policies(InputReader& input, const Catalogue& catalogue, bool with_shadow,
                              const PolicyCheck& check) {
  AppliedPolicies out;
  const ResourceType* type = nullptr;
  const auto& list = input.list("policies", true, limits::evaluated_documents);
  Outcome problems;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto reader = input.element("policies", i);
    const auto resource = read_resource(reader, catalogue);
    if (resource == nullptr) continue;
    if (type == nullptr) type = resource->type;
    if (!resource->type->is_target_ref_policy) {
      reader.refuse("type", "'" + resource->type->name + "' is no policy with a targetRef");
      continue;
    }
    if (resource->type != type) {
      reader.refuse("type", "must be '" + type->name + "' as in the first policy");
      continue;
    }
    const auto spec = spec_json(*resource);
    const auto* target = find(spec, {"targetRef"});
    if (target != nullptr && !target->is_null() && kind_rank(find_text(*target, {"kind"})) == 0) {
      reader.refuse("spec.targetRef.kind", "must be a kind of reference");
    }
    auto policy = apply_policy(*resource, {});
    const auto path = reader.path_of("spec");
    for (std::string_view name : {"to", "from", "rules"}) check_items(*policy, name, path, problems);
    if (check) check(*policy, path, problems);
    if (with_shadow || !policy->is_shadow) out.push_back(std::move(policy));
  }
  for (auto& problem : problems.violations) input.refuse(problem.field, std::move(problem.reason));
  return out;
}

Status refusal_of_input(const Outcome& outcome) {
  if (outcome.ok()) return {};
  auto named = outcome.violations;
  if (named.size() > limits::violations_named) named.resize(limits::violations_named);
  return {Code::invalid, "The input cannot be evaluated", std::move(named)};
}

}  // namespace kdsd::policy
