#include "kds/receiver.h"

#include <algorithm>

namespace kdsd::kds {

Receiver::Receiver(ReceiverOptions options, const Catalogue& catalogue)
    : options_(std::move(options)), catalogue_(catalogue) {
  for (const auto* type : options_.wanted) types_[type->name].type = type;
}

std::vector<std::string> Receiver::start() {
  std::vector<std::string> out;
  for (const auto* type : options_.wanted) {
    Request request;
    request.type = type->name;
    request.node_id = options_.node_id;
    request.node = options_.node;
    request.subscribe = {"*"};
    auto token = options_.resume.find(type->name);
    if (token != options_.resume.end()) request.node.resume = token->second;
    out.push_back(encode_request(request));
  }
  return out;
}

Result<Incoming> Receiver::accept(std::string_view bytes) {
  auto response = decode_response(bytes, catalogue_);
  if (!response.ok()) return response.status();
  auto it = types_.find(response->type);
  if (it == types_.end()) return Status(Code::invalid, "type " + response->type + " was not asked for");
  auto& state = it->second;
  ++responses_;

  Incoming incoming;
  incoming.type = state.type;
  // `<token>[ resumed][ more]`, from kdsd peers only.
  std::string_view info = response->version_info;
  const auto words = info.find(' ');
  incoming.resume_token = std::string(info.substr(0, words));
  const auto rest = words == std::string_view::npos ? std::string_view() : info.substr(words);
  const bool resumed = rest.find(" resumed") != std::string_view::npos;
  incoming.more = !state.done && !resumed && rest.find(" more") != std::string_view::npos;

  if (!state.done && !resumed) {
    for (const auto& received : response->resources) state.seen.emplace(received.resource.mesh, received.resource.name);
    if (!incoming.more) {
      incoming.is_full = true;
      incoming.seen = std::move(state.seen);
      state.seen.clear();
    }
  }
  if (!incoming.more) state.done = true;
  // Between the parts of a full state only the last one's token says that everything up to it is held.
  if (incoming.more || state.rejected) incoming.resume_token.clear();
  incoming.response = std::move(*response);
  return incoming;
}

bool Receiver::has_every_type() const {
  return std::all_of(types_.begin(), types_.end(), [](const auto& each) { return each.second.done; });
}

std::string Receiver::answer(const Incoming& incoming, const std::vector<RejectedResource>& rejected,
                             const std::string& text) const {
  Request request;
  request.type = incoming.type->name;
  request.node_id = options_.node_id;
  request.nonce = incoming.response.nonce;
  if (!rejected.empty() || !text.empty()) {
    request.is_nack = true;
    request.subscribe = {"*"};
    request.error_text = text;
    if (peer_.has(feature::kdsd_structured_nack)) request.rejected = rejected;
  }
  return encode_request(request);
}

}  // namespace kdsd::kds
