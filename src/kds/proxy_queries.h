// Questions to the proxies of a zone, which travel from the global over the zone's admin streams (kds-protocol.md 10).
//
// Pure; owned by the core executor. On the global it numbers questions, keeps who waits for an answer and for how long.
// On a zone it answers: a zone of this program runs no proxies, so each question is answered with an error in the shape
// that a Kuma global understands.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/resource.h"
#include "model/status.h"

namespace kdsd::kds {

namespace limits {
// Of one stream: questions that wait for their answers, and answers that wait to be read; more are refused.
inline constexpr std::size_t proxy_queries_waiting = 64;
inline constexpr std::size_t proxy_query_id_bytes = 256;            // Kuma's are UUIDs
inline constexpr std::size_t proxy_echoed_bytes = 253;              // of a name in an answer, as long as names may be
inline constexpr std::int64_t proxy_answer_nanos = 15'000'000'000;  // a Kuma zone allows its proxy 10 s
inline constexpr std::int64_t proxy_answer_delay_nanos = 100'000'000;  // a Kuma global takes no answer before that
}  // namespace limits

enum class ProxyView { config_dump, stats, clusters };

struct ProxyQuery {
  std::string zone;
  ProxyView view = ProxyView::config_dump;
  std::string type;  // Dataplane, ZoneIngress, ZoneEgress
  std::string mesh;
  std::string name;  // in the zone
  bool include_endpoints = false;
  bool as_json = false;
  bool used_only = false;
};

// The bytes that the proxy gave. Code::unavailable: the zone has no such stream, or it ended; or no answer came in
// time. Code::exhausted: too many questions wait, or the answer is longer than a message may be. Code::invalid: what
// the zone says went wrong.
using ProxyAnswer = std::function<void(const Result<std::string>&)>;

// A message for a stream of this kind.
struct ProxyMessage {
  std::uint64_t stream = 0;
  std::string bytes;
};

class ProxyQueries {
 public:
  explicit ProxyQueries(std::size_t message_bytes_max) : message_bytes_max_(message_bytes_max) {}

  // On the global: a stream of the zone for this view; the newest of a zone is asked. On a zone: the one to its global.
  void opened(std::uint64_t stream, std::string zone, ProxyView view);
  bool knows(std::uint64_t stream) const { return streams_.contains(stream); }
  // Whoever waits for it is told.
  void closed(std::uint64_t stream, const std::string& why);

  // `id`: a new one for each question. The stream that has something to write now; 0: none.
  std::uint64_t ask(const ProxyQuery& query, std::string id, Timestamp now, ProxyAnswer done);

  // On the global: an answer. Code::malformed for what is none; an answer that nobody waits for (any more) is dropped,
  // and whoever waits for one that is too long is told so.
  Status answered(std::uint64_t stream, std::string_view bytes);
  // On a zone: a question, to be answered with an error later. Code::malformed for what is none; Code::exhausted when
  // the global asks and does not read.
  Status asked(std::uint64_t stream, std::string_view bytes, Timestamp now);

  // Ends waiting that took too long, and answers what is due.
  void tick(Timestamp now);

  // The next message of a stream on which nothing is being written; marks it as written to until `written`.
  std::optional<std::string> next(std::uint64_t stream);
  void written(std::uint64_t stream);
  std::vector<std::uint64_t> streams() const;

 private:
  struct Waiting {
    Timestamp until;
    ProxyAnswer done;
  };
  struct Due {
    Timestamp at;
    std::string bytes;
  };
  struct Queued {
    std::string id;  // of a question; empty: an answer
    std::string bytes;
  };
  struct Stream {
    std::string zone;
    ProxyView view = ProxyView::config_dump;
    bool writing = false;
    std::deque<Queued> outbox;               // together with `due`, and of questions, not more than may wait
    std::map<std::string, Waiting> waiting;  // by id of the question
    std::deque<Due> due;
  };

  std::size_t message_bytes_max_;
  std::map<std::uint64_t, Stream> streams_;
};

}  // namespace kdsd::kds
