#include "workload.h"

namespace kdsd::sim {

std::string Content::text() const {
  if (!exists) return "absent";
  std::string out;
  for (const auto& [key, value] : labels) out += key + "=" + value + " ";
  return out + "spec[" + std::to_string(spec.size()) + "]" + (spec.starts_with("{") ? spec : std::string());
}

Content content_of(const ResourcePtr& resource) {
  return resource ? Content{true, resource->labels, resource->spec} : Content{};
}

Ledger::Ticket Ledger::attempt(const ResourceKey& key, Content content) {
  accounts_[key].attempts.push_back({++last_, std::move(content)});
  return last_;
}

void Ledger::acknowledged(const ResourceKey& key, Ticket ticket) {
  auto& account = accounts_[key];
  for (std::size_t i = 0; i < account.attempts.size(); ++i) {
    if (account.attempts[i].ticket != ticket) continue;
    account.acknowledged = account.attempts[i].content;
    account.attempts.erase(account.attempts.begin(), account.attempts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return;
  }
}

void Ledger::refused(const ResourceKey& key, Ticket ticket) {
  std::erase_if(accounts_[key].attempts, [&](const Attempt& attempt) { return attempt.ticket == ticket; });
}

void Ledger::settle(const ResourceKey& key, const Content& found) {
  auto& account = accounts_[key];
  account.acknowledged = found;
  account.attempts.clear();
}

void Ledger::rename_namespace(const std::string& before, const std::string& after) {
  std::map<ResourceKey, Account> renamed;
  const auto suffix = "." + before;
  const auto relabel = [&](Content& content) {
    if (content.exists) content.labels.set("k8s.kuma.io/namespace", after);
  };
  for (auto& [key, account] : accounts_) {
    auto now = key;
    if (key.type->named_with_namespace() && key.name.ends_with(suffix)) {
      now.name = key.name.substr(0, key.name.size() - suffix.size()) + "." + after;
      relabel(account.acknowledged);
      for (auto& attempt : account.attempts) relabel(attempt.content);
    }
    renamed[now] = std::move(account);
  }
  accounts_ = std::move(renamed);
}

bool Ledger::allows(const ResourceKey& key, const Content& found) const {
  auto it = accounts_.find(key);
  if (it == accounts_.end()) return false;
  if (it->second.acknowledged == found) return true;
  for (const auto& attempt : it->second.attempts) {
    if (attempt.content == found) return true;
  }
  return false;
}

std::string Ledger::expectation(const ResourceKey& key) const {
  auto it = accounts_.find(key);
  if (it == accounts_.end()) return "nothing";
  std::string out = it->second.acknowledged.text();
  for (const auto& attempt : it->second.attempts) out += " or " + attempt.content.text();
  return out;
}

std::vector<ResourceKey> Ledger::keys() const {
  std::vector<ResourceKey> out;
  for (const auto& [key, account] : accounts_) out.push_back(key);
  return out;
}

}  // namespace kdsd::sim
