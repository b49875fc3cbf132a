#include "app/config/settings.h"

#include <cstdio>
#include <cstdlib>

namespace kdsd::app {

Settings::Settings() {
  for (const auto& key : all_keys()) settings_.push_back({&key, default_value(key)});
}

const Setting& Settings::at(std::string_view path) const {
  const Key* key = find_key(path);
  if (key == nullptr) {
    std::fprintf(stderr, "configuration key %.*s is not in the table\n", static_cast<int>(path.size()), path.data());
    std::abort();
  }
  return settings_[static_cast<std::size_t>(key - all_keys().data())];
}

Setting& Settings::at(std::string_view path) { return const_cast<Setting&>(std::as_const(*this).at(path)); }

void Settings::set(const Key& key, Value value, std::string source) {
  Setting& setting = at(key.path);
  setting.value = std::move(value);
  setting.source = std::move(source);
  setting.is_explicit = true;
}

const std::string& Settings::text(std::string_view path) const { return std::get<std::string>(at(path).value); }
bool Settings::flag(std::string_view path) const { return std::get<bool>(at(path).value); }
std::int64_t Settings::number(std::string_view path) const { return std::get<std::int64_t>(at(path).value); }

const std::vector<std::string>& Settings::list(std::string_view path) const {
  return std::get<std::vector<std::string>>(at(path).value);
}

const std::vector<PublicKey>& Settings::public_keys(std::string_view path) const {
  return std::get<std::vector<PublicKey>>(at(path).value);
}

std::string refusal(const Key& key, std::string_view value, std::string_view source, std::string_view accepted) {
  const std::string_view shown = key.is_secret ? "*****" : value;
  return "\"" + std::string(shown) + "\" (" + std::string(source) + ") is not accepted, want " + std::string(accepted);
}

std::string refusal(const Setting& setting, std::string_view accepted) {
  return refusal(*setting.key, show_text(*setting.key, setting.value), setting.source, accepted);
}

void warn_without_effect(const Settings& settings, Findings& findings) {
  for (const auto& setting : settings.all()) {
    if (!setting.is_explicit || setting.key->decision != Decision::warn) continue;
    if (setting.value == default_value(*setting.key)) continue;
    findings.warn(std::string(setting.key->path) + ": \"" + show_text(*setting.key, setting.value) + "\" (" +
                  setting.source + ") has no effect here: " + std::string(setting.key->meaning));
  }
}

}  // namespace kdsd::app
