// What the app has to offer to the gRPC adapters: an executor and a receiver of events.
//
// Everything here runs on the core executor: the single thread on which the closures given to `Post` run, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kds/core.h"
#include "model/status.h"

namespace kdsd::net {

// Runs a closure on the core executor, later, in the order of the calls. Callable from any thread. It must not run the
// closure before it returns, and must leave no copy of it behind on the calling thread. No closure is posted after
// KdsServer::stop or KdsClient::stop has returned.
using Post = std::function<void(std::function<void()>)>;

class StreamEvents {
 public:
  virtual ~StreamEvents() = default;

  // A stream began. Returns the id under which it is known from now on, or the error with which it is ended.
  // `send`, `allow_read` and `close` may be called for the id before this returns.
  virtual Result<std::uint64_t> opened(const kds::StreamOpened& stream) = 0;

  // One message, after one `allow_read`.
  virtual void received(std::uint64_t stream, std::string bytes) = 0;

  // The message given to `send` is on its way; the next one may follow.
  virtual void written(std::uint64_t stream) = 0;

  // The stream is gone, whoever ended it; the last event of the stream. Also comes for streams that the core closed.
  virtual void closed(std::uint64_t stream, const std::string& why) = 0;

  // A health ping of a zone; an error ends the call with it.
  virtual Status pinged(const kds::ZoneCredentials& zone) = 0;
};

}  // namespace kdsd::net
