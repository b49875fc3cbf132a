#include "app/store_executor.h"

#include <boost/asio/post.hpp>
#include <chrono>

namespace kdsd::app {

StoreExecutor::StoreExecutor(std::unique_ptr<store::Store> store, boost::asio::io_context& core, Observe observe)
    : store_(std::move(store)),
      core_(core),
      observe_(std::move(observe)),
      guard_(work_.get_executor()),
      thread_([this] { work_.run(); }) {}

StoreExecutor::~StoreExecutor() { stop(); }

void StoreExecutor::commit(kds::CommitBatch batch, std::function<void(const Status&)> done) {
  boost::asio::post(work_, [this, batch = std::move(batch), done = std::move(done)]() mutable {
    store::Batch out{std::move(batch.upserts), std::move(batch.purges), batch.revision, std::move(batch.facts)};
    const auto started = std::chrono::steady_clock::now();
    auto status = store_->commit(out);
    observe_(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(), out);
    boost::asio::post(core_, [done = std::move(done), status = std::move(status)] { done(status); });
  });
}

void StoreExecutor::stop() {
  if (!thread_.joinable()) return;
  guard_.reset();
  thread_.join();
  store_.reset();
}

}  // namespace kdsd::app
