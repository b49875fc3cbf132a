#include "kds/proxy_queries.h"

#include <algorithm>
#include <utility>

#include "model/clipped.h"

#include "kuma/mesh/v1alpha1/kds.pb.h"

namespace kdsd::kds {
namespace wire = kuma::mesh::v1alpha1;
namespace {

template <typename Message>
std::string question(const ProxyQuery& query, const std::string& id, const std::function<void(Message&)>& add) {
  Message message;
  message.set_request_id(id);
  message.set_resource_type(query.type);
  message.set_resource_name(query.name);
  message.set_resource_mesh(query.mesh);
  add(message);
  return message.SerializeAsString();
}

std::string encode_question(const ProxyQuery& query, const std::string& id) {
  const auto format = query.as_json ? wire::JSON : wire::TEXT;
  switch (query.view) {
    case ProxyView::config_dump:
      return question<wire::XDSConfigRequest>(query, id,
                                              [&](auto& message) { message.set_include_eds(query.include_endpoints); });
    case ProxyView::stats:
      return question<wire::StatsRequest>(query, id, [&](auto& message) {
        message.set_format(format);
        message.set_used_only(query.used_only);
      });
    case ProxyView::clusters:
      return question<wire::ClustersRequest>(query, id, [&](auto& message) { message.set_format(format); });
  }
  return {};
}

struct Answer {
  std::string id;
  std::string error;
  std::string bytes;
};

template <typename Message, typename Bytes>
std::optional<Answer> decode(std::string_view bytes, Bytes payload) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  return Answer{message.request_id(), message.error(), payload(message)};
}

std::optional<Answer> decode_answer(ProxyView view, std::string_view bytes) {
  switch (view) {
    case ProxyView::config_dump:
      return decode<wire::XDSConfigResponse>(bytes, [](const auto& message) { return message.config(); });
    case ProxyView::stats:
      return decode<wire::StatsResponse>(bytes, [](const auto& message) { return message.stats(); });
    case ProxyView::clusters:
      return decode<wire::ClustersResponse>(bytes, [](const auto& message) { return message.clusters(); });
  }
  return std::nullopt;
}

// What the asker wrote, cut to what a name can have.
std::string echoed(const std::string& text) { return std::string(clipped(text, limits::proxy_echoed_bytes)); }

// The id has the same number in all three kinds of questions, and so has the error in all kinds of answers.
std::optional<std::string> refusal_of(std::string_view bytes, const std::string& zone) {
  wire::ClustersRequest question;
  if (!question.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  if (question.request_id().size() > limits::proxy_query_id_bytes) return std::nullopt;
  wire::ClustersResponse answer;
  answer.set_request_id(question.request_id());
  answer.set_error("control plane " + zone + " runs no proxies: it has no Envoy to ask about " +
                   echoed(question.resource_type()) + " " + echoed(question.resource_name()));
  return answer.SerializeAsString();
}

}  // namespace

void ProxyQueries::opened(std::uint64_t stream, std::string zone, ProxyView view) {
  auto& added = streams_[stream];
  added.zone = std::move(zone);
  added.view = view;
}

void ProxyQueries::closed(std::uint64_t stream, const std::string& why) {
  auto it = streams_.find(stream);
  if (it == streams_.end()) return;
  auto waiting = std::move(it->second.waiting);
  streams_.erase(it);
  for (const auto& [id, each] : waiting) each.done(Status(Code::unavailable, "the zone's stream ended: " + why));
}

std::uint64_t ProxyQueries::ask(const ProxyQuery& query, std::string id, Timestamp now, ProxyAnswer done) {
  auto newest = streams_.end();
  for (auto it = streams_.begin(); it != streams_.end(); ++it) {
    if (it->second.zone == query.zone && it->second.view == query.view) newest = it;
  }
  if (newest == streams_.end()) {
    done(Status(Code::unavailable, "zone " + query.zone + " is not connected"));
    return 0;
  }
  auto& stream = newest->second;
  if (std::max(stream.waiting.size(), stream.outbox.size()) >= limits::proxy_queries_waiting) {
    done(Status(Code::exhausted, "too many questions to zone " + query.zone + " wait for their answers"));
    return 0;
  }
  stream.outbox.push_back({id, encode_question(query, id)});
  stream.waiting[std::move(id)] = {{now.nanos + limits::proxy_answer_nanos}, std::move(done)};
  return newest->first;
}

Status ProxyQueries::answered(std::uint64_t stream, std::string_view bytes) {
  auto& from = streams_.at(stream);
  auto answer = decode_answer(from.view, bytes);
  if (!answer) return Status(Code::malformed, "not an answer of a proxy");
  auto found = from.waiting.find(answer->id);
  if (found == from.waiting.end()) return {};
  auto done = std::move(found->second.done);
  from.waiting.erase(found);
  if (bytes.size() > message_bytes_max_) {
    done(Status(Code::exhausted, "the answer of zone " + from.zone + " has " + std::to_string(bytes.size()) +
                                     " bytes, more than the limit of " + std::to_string(message_bytes_max_)));
  } else if (answer->error.empty()) {
    done(std::move(answer->bytes));
  } else {
    done(Status(Code::invalid, answer->error));
  }
  return {};
}

Status ProxyQueries::asked(std::uint64_t stream, std::string_view bytes, Timestamp now) {
  auto& from = streams_.at(stream);
  auto answer = refusal_of(bytes, from.zone);
  if (!answer) return Status(Code::malformed, "not a question to a proxy");
  if (from.due.size() + from.outbox.size() >= limits::proxy_queries_waiting)
    return Status(Code::exhausted, "too many questions wait for their answers");
  from.due.push_back({{now.nanos + limits::proxy_answer_delay_nanos}, std::move(*answer)});
  return {};
}

void ProxyQueries::tick(Timestamp now) {
  std::vector<ProxyAnswer> late;
  for (auto& [number, stream] : streams_) {
    const auto late_before = late.size();
    for (auto it = stream.waiting.begin(); it != stream.waiting.end();) {
      const bool is_late = now >= it->second.until;
      if (is_late) late.push_back(std::move(it->second.done));
      it = is_late ? stream.waiting.erase(it) : std::next(it);
    }
    // Nobody waits for the answers any more: a zone that reads again is not asked.
    if (late.size() > late_before) {
      std::erase_if(stream.outbox,
                    [&](const Queued& each) { return !each.id.empty() && !stream.waiting.contains(each.id); });
    }
    for (; !stream.due.empty() && now >= stream.due.front().at; stream.due.pop_front())
      stream.outbox.push_back({"", std::move(stream.due.front().bytes)});
  }
  for (const auto& done : late) done(Status(Code::unavailable, "the zone gave no answer in time"));
}

std::optional<std::string> ProxyQueries::next(std::uint64_t stream) {
  auto it = streams_.find(stream);
  if (it == streams_.end() || it->second.writing || it->second.outbox.empty()) return std::nullopt;
  auto bytes = std::move(it->second.outbox.front().bytes);
  it->second.outbox.pop_front();
  it->second.writing = true;
  return bytes;
}

void ProxyQueries::written(std::uint64_t stream) {
  if (auto it = streams_.find(stream); it != streams_.end()) it->second.writing = false;
}

std::vector<std::uint64_t> ProxyQueries::streams() const {
  std::vector<std::uint64_t> out;
  for (const auto& [number, stream] : streams_) out.push_back(number);
  return out;
}

}  // namespace kdsd::kds
