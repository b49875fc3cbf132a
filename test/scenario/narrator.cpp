#include "runner.h"

namespace kdsd::scenario {

std::string Narrator::name_of(const std::string& type, const std::string& wire) const {
  auto it = names_.find({type, wire});
  return it == names_.end() ? wire : it->second;
}

void Narrator::on_response(const sim::ControlPlane& from, const sim::Handle& handle, const std::string& zone,
                           const kds::Response& response) {
  const bool is_first = out_.insert_or_assign({handle, response.type}, Out{response.nonce, "", 0}).second;
  if (!shown_.contains(response.type)) return;
  const auto& type = world_.type(response.type);
  const auto link = from.is_global() ? "global > " + zone : zone + " > global";
  std::string line = response.type;
  for (const auto& item : response.resources) {
    const auto& shown = item.resource.labels.get("kuma.io/display-name");
    names_[{response.type, item.resource.name}] = shown.empty() ? item.resource.name : shown;
    line += " +" + name_of(response.type, item.resource.name);
  }
  for (const auto& text : response.removed) line += " -" + name_of(response.type, kds::parse_removed(type, text).name);
  if (is_first && response.version_info.find("resumed") == std::string::npos) line += " full";
  if (response.resources.empty() && response.removed.empty()) return;
  auto& lines = lines_[link];
  lines.push_back(line);
  out_[{handle, response.type}] = {response.nonce, link, lines.size()};
}

void Narrator::on_request(const sim::ControlPlane& from, const sim::Handle& handle, const std::string& zone,
                          const kds::Request& request) {
  if (!shown_.contains(request.type)) return;
  if (request.nonce.empty()) {
    if (request.node.resume.empty()) return;
    lines_[from.is_global() ? "global > " + zone : zone + " > global"].push_back("hello " + request.type + " resumes");
    return;
  }
  auto it = out_.find({handle, request.type});
  if (it == out_.end() || it->second.nonce != request.nonce || it->second.line == 0) return;
  auto& line = lines_[it->second.link][it->second.line - 1];
  std::string answer = " ack";
  if (request.is_nack) {
    answer = " nack: " + request.error_text;
    for (auto& letter : answer) {
      if (letter == '\n') letter = ' ';
    }
    while (answer.ends_with(' ')) answer.pop_back();
  }
  line += answer;
  it->second.line = 0;
}

std::vector<std::string> Narrator::take() {
  std::vector<std::string> out;
  for (const auto& [link, lines] : lines_) {
    for (const auto& line : lines)
      out.push_back(link + std::string(link.size() < 16 ? 16 - link.size() : 1, ' ') + line);
  }
  lines_.clear();
  for (auto& [stream, response] : out_) response.line = 0;
  return out;
}

}  // namespace kdsd::scenario
