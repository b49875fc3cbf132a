// A console in memory, and a tiny HTTP server that keeps documents and writes down what was asked of it.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/main_command.h"

namespace kdsd::app::cli {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

// Runs a command line as `kdsd` would.
class Shell {
 public:
  std::map<std::string, std::string> environment;
  std::string input;
  bool has_colours = false;
  std::size_t watch_rounds = 1;

  Outcome run(const std::vector<std::string>& arguments) const {
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    Console console{in, out, err, environment, has_colours, std::chrono::milliseconds(1), watch_rounds};
    Outcome outcome;
    outcome.code = run_cli(arguments, console);
    outcome.out = out.str();
    outcome.err = err.str();
    return outcome;
  }
};

struct FakeRequest {
  std::string method;
  std::string target;
  std::string body;
  std::string authorization;
  std::string accept;
};

struct FakeAnswer {
  int status = 200;
  std::string body = "{}\n";
  bool closes = false;  // without telling the client, as a server does that has had enough of an idle connection
};

// Serves one connection after the other on a port of the system's choice, in a thread of its own.
class FakeServer {
 public:
  using Handler = std::function<FakeAnswer(const FakeRequest&)>;

  explicit FakeServer(Handler handler)
      : handler_(std::move(handler)),
        acceptor_(io_, {boost::asio::ip::make_address("127.0.0.1"), 0}),
        port_(acceptor_.local_endpoint().port()),
        thread_([this] { serve(); }) {}

  ~FakeServer() {
    is_stopping_ = true;
    // Wakes the thread, whether it waits for a connection or for a request on one.
    boost::system::error_code ignored;
    {
      const std::lock_guard lock(mutex_);
      if (current_ != nullptr) current_->shutdown(boost::asio::socket_base::shutdown_both, ignored);
    }
    boost::asio::io_context io;
    boost::asio::ip::tcp::socket socket(io);
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), port_}, ignored);
    thread_.join();
  }

  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }

  std::vector<FakeRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  // "PUT /meshes/default/…" for each request.
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (const auto& request : requests()) out.push_back(request.method + " " + request.target);
    return out;
  }

 private:
  void serve() {
    while (!is_stopping_) {
      boost::system::error_code error;
      boost::asio::ip::tcp::socket socket(io_);
      acceptor_.accept(socket, error);
      if (error || is_stopping_) continue;
      set_current(&socket);
      serve_connection(socket);
      set_current(nullptr);
    }
  }

  void set_current(boost::asio::ip::tcp::socket* socket) {
    const std::lock_guard lock(mutex_);
    current_ = socket;
  }

  void serve_connection(boost::asio::ip::tcp::socket& socket) {
    namespace http = boost::beast::http;
    boost::beast::flat_buffer buffer;
    for (;;) {
      boost::system::error_code error;
      http::request<http::string_body> request;
      http::read(socket, buffer, request, error);
      if (error) return;
      FakeRequest seen{std::string(request.method_string()), std::string(request.target()), request.body(),
                       std::string(request[http::field::authorization]), std::string(request[http::field::accept])};
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(seen);
      }
      const auto answer = handler_(seen);
      http::response<http::string_body> response(static_cast<http::status>(answer.status), request.version());
      response.keep_alive(request.keep_alive());
      response.body() = answer.body;
      response.prepare_payload();
      http::write(socket, response, error);
      if (error || answer.closes) return;
    }
  }

  Handler handler_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::uint16_t port_;
  std::atomic<bool> is_stopping_{false};
  mutable std::mutex mutex_;
  std::vector<FakeRequest> requests_;
  boost::asio::ip::tcp::socket* current_ = nullptr;
  std::thread thread_;
};

}  // namespace kdsd::app::cli
