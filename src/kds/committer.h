// Group commit: writes queue up while one commit is on its way, and the next commit takes them together.
//
// Pure; owned by the core executor. A write is a decision taken against the committed state plus the earlier writes of
// the same commit, so what it saw is what it changes. At most one commit is in flight. Duties of the caller: give the
// batch of `start` to the store, then call `finish` with the outcome.
// design.md "A change's way", step 2; promise 2.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kds/index.h"
#include "kds/outbound.h"
#include "kds/transaction.h"
#include "model/status.h"

namespace kdsd::kds {

namespace limits {
inline constexpr std::size_t writes_queued = 20'000;  // beyond it writers are told to come back later
inline constexpr std::size_t writes_per_commit = 256;
inline constexpr std::size_t resources_per_commit = 20'000;  // soft by one write
inline constexpr std::size_t presences_kept = 64;            // of one key; more raise the floor of its type
}  // namespace limits

// What becomes durable together.
struct CommitBatch {
  std::vector<EntryPtr> upserts;
  std::vector<ResourceKey> purges;
  Revision revision;
  std::map<std::string, std::string> facts;
  std::set<std::string> deleted_zones;  // not stored: for who ends their streams
};

// What a commit made of the index.
struct Committed {
  std::vector<EntryPtr> entries;
  std::vector<ResourceKey> erased;  // live resources that are gone without an entry: nobody else ever had them
};

struct Write {
  // Looks and changes through the transaction. An error leaves everything as it was and is the outcome of the write.
  std::function<Status(Transaction&)> decide;
  // Called once, after the commit, or after the refusal. May submit further writes.
  std::function<void(const Status&)> done;
};

class Committer {
 public:
  // All must outlive the committer.
  Committer(Index& index, const Sending& sending);

  // Code::exhausted when too many writes wait already; `done` is not called then. `internal` writes are bounded by the
  // streams they come from and always taken.
  Status submit(Write write, bool internal);

  // The next batch, if one is due. Writes that change nothing are done at once and need no commit.
  bool start(Timestamp now, CommitBatch& batch);

  // The outcome of the batch that is in flight. On success the index has the changes that are returned; nothing else
  // tells of them. The writes' `done` are called by `complete`.
  Committed finish(const Status& status);
  // Zones that the batch just finished deleted, also those that are there again.
  const std::set<std::string>& deleted_zones() const { return batch_.deleted_zones; }
  void complete(const Status& status);  // calls `done` of the writes of the batch just finished

  // Tombstones to drop with the next commit; they are purged from the index when that is durable.
  void purge(std::vector<EntryPtr> tombstones);

  bool in_flight() const { return in_flight_; }
  bool waiting() const { return !queue_.empty() || !purges_.empty(); }
  std::size_t queued() const { return queue_.size(); }
  std::uint64_t commits() const { return commits_; }
  const std::map<std::string, std::string>& facts() const { return facts_; }
  void load_facts(std::map<std::string, std::string> facts) { facts_ = std::move(facts); }
  // Facts without which no change may become durable: they are in every commit until one succeeds.
  void require_facts(std::map<std::string, std::string> facts) { required_ = std::move(facts); }

 private:
  void decide_queued(Staged& staged, Timestamp now);
  void build(const Staged& staged, Timestamp now, CommitBatch& batch);
  EntryPtr build_entry(const ResourceKey& key, const Staged::Item& item, Revision revision,
                       const ZoneEnabled& enabled) const;
  void take_purges(CommitBatch& batch);
  void raise_floor_over(const ResourceKey& key, CommitBatch& batch) const;

  Index& index_;
  const Sending& sending_;
  std::deque<Write> queue_;
  std::vector<std::function<void(const Status&)>> waiting_;  // for the batch in flight
  std::vector<std::pair<std::function<void(const Status&)>, Status>> refused_;
  CommitBatch batch_;
  std::vector<EntryPtr> purges_;
  std::map<std::string, std::string> facts_;
  std::map<std::string, std::string> required_;
  bool in_flight_ = false;
  std::uint64_t commits_ = 0;
};

// Whether the Zone object of that name, as the transaction sees it, is enabled (kds-protocol.md 9.1).
bool zone_enabled(const Transaction& transaction, std::string_view zone);

}  // namespace kdsd::kds
