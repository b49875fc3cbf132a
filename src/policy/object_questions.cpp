#include "policy/object_questions.h"

#include <utility>

namespace kdsd::policy {

ObjectLookup ObjectQuestions::noting() {
  ObjectLookup lookup;
  lookup.each = [this](const ResourceType& kind, const std::string& mesh, const ObjectLookup::Visit&) {
    all_.insert({&kind, mesh});
  };
  lookup.named = [this](const ResourceType& kind, const std::string& mesh, const std::string& name,
                        const ObjectLookup::Visit&) {
    named_[{&kind, mesh}].insert(name);
  };
  return lookup;
}

void ObjectAnswers::add_named(const ObjectQuestions::OfKind& kind, const std::string& name, ResourcePtr object) {
  named_[{kind, name}].push_back(std::move(object));
}

void ObjectAnswers::add(const ObjectQuestions::OfKind& kind, ResourcePtr object) {
  all_[kind].push_back(std::move(object));
}

void ObjectAnswers::overlay(const std::string& name, ResourcePtr object) {
  const ObjectQuestions::OfKind kind{object->type, object->mesh};
  auto& newest = replaced_[object->key()];
  newest = object;
  planned_[{kind, name}].push_back(std::move(object));
}

// By another version of the same key, planned later.
bool ObjectAnswers::is_replaced(const Resource& object) const {
  if (replaced_.empty()) return false;
  const auto it = replaced_.find(object.key());
  return it != replaced_.end() && it->second.get() != &object;
}

ObjectLookup ObjectAnswers::lookup() const {
  ObjectLookup lookup;
  lookup.each = [this](const ResourceType& kind, const std::string& mesh, const ObjectLookup::Visit& visit) {
    if (const auto it = all_.find({&kind, mesh}); it != all_.end()) {
      for (const auto& object : it->second) {
        if (!is_replaced(*object)) visit(*object);
      }
    }
    for (const auto& [key, object] : replaced_) {
      if (key.type == &kind && key.mesh == mesh) visit(*object);
    }
  };
  lookup.named = [this](const ResourceType& kind, const std::string& mesh, const std::string& name,
                        const ObjectLookup::Visit& visit) {
    const std::pair<ObjectQuestions::OfKind, std::string> key{{&kind, mesh}, name};
    for (const auto* objects : {&named_, &planned_}) {
      const auto it = objects->find(key);
      if (it == objects->end()) continue;
      for (const auto& object : it->second) {
        if (!is_replaced(*object)) visit(*object);
      }
    }
  };
  return lookup;
}

}  // namespace kdsd::policy
