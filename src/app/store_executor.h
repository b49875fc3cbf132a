// The thread that waits for the disk: commits one batch after the other and tells the core executor the outcome.
//
// `commit` is called on the core executor, which has at most one batch in flight, so the queue holds one.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <thread>

#include "kds/committer.h"
#include "store/store.h"

namespace kdsd::app {

class StoreExecutor {
 public:
  // `observe` gets the seconds that a commit took and the batch's resources, on the store thread.
  using Observe = std::function<void(double seconds, const store::Batch& batch)>;

  StoreExecutor(std::unique_ptr<store::Store> store, boost::asio::io_context& core, Observe observe);
  ~StoreExecutor();

  // `done` runs on the core executor.
  void commit(kds::CommitBatch batch, std::function<void(const Status&)> done);

  // Finishes what is in flight and closes the store.
  void stop();

 private:
  std::unique_ptr<store::Store> store_;
  boost::asio::io_context& core_;
  Observe observe_;
  boost::asio::io_context work_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::thread thread_;
};

}  // namespace kdsd::app
