// From the coroutines of the API threads to the core executor and back.
//
// The functions given run on the core executor and must not refer to anything that the coroutine owns: a server that is
// taken down may drop the coroutine while they wait. They hand over values; the coroutine goes on where it was.
#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "api/backend.h"

namespace kdsd::api {
namespace detail {

// A completion handler that may be called from another thread: it goes on in the executor of the coroutine, which has
// work to do until then.
template <typename Handler>
class Resumer {
 public:
  explicit Resumer(Handler handler)
      : shared_(std::make_shared<Shared>(Shared{boost::asio::make_work_guard(handler), std::move(handler)})) {}

  template <typename Value>
  void operator()(Value value) const {
    auto executor = shared_->work.get_executor();
    boost::asio::post(executor, [shared = shared_, value = std::move(value)]() mutable {
      shared->work.reset();
      auto handler = std::move(shared->handler);
      std::move(handler)(std::move(value));
    });
  }

 private:
  struct Shared {
    boost::asio::executor_work_guard<boost::asio::associated_executor_t<Handler>> work;
    Handler handler;
  };
  std::shared_ptr<Shared> shared_;
};

}  // namespace detail

// The value that `look` returns on the core executor.
template <typename Look, typename Value = std::invoke_result_t<Look, const kds::Core&>>
boost::asio::awaitable<Value> read_core(Backend& backend, Look look) {
  auto start = [&backend](auto handler, auto function) {
    detail::Resumer resume(std::move(handler));
    backend.read([resume, function = std::move(function)](const kds::Core& core) { resume(function(core)); });
  };
  return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&, void(Value)>(
      std::move(start), boost::asio::use_awaitable, std::move(look));
}

// The outcome of a write. `decide` runs on the core executor; an OK outcome means that it is durable and readable.
using Decide = std::function<Status(kds::Transaction&)>;
inline boost::asio::awaitable<Status> write_core(Backend& backend, Decide decide) {
  auto start = [&backend](auto handler, Decide function) {
    detail::Resumer resume(std::move(handler));
    backend.write({std::move(function), [resume](const Status& status) { resume(Status(status)); }});
  };
  return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&, void(Status)>(
      std::move(start), boost::asio::use_awaitable, std::move(decide));
}

}  // namespace kdsd::api
