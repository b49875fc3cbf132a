// The server over real sockets on loopback.
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <thread>

#include "api/api_server.h"

#include "fake_backend.h"

namespace kdsd::api {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(context_) { socket_.connect({asio::ip::address_v4::loopback(), port}); }

  void send(const std::string& text) {
    boost::system::error_code ignored;  // the server may have closed already
    asio::write(socket_, asio::buffer(text), ignored);
  }
  // Everything until the server closes.
  std::string read_all() {
    std::string out;
    boost::system::error_code error;
    asio::read(socket_, asio::dynamic_buffer(out), error);
    return out;
  }
  // Until `text` has been seen.
  std::string read_until(const std::string& text) {
    std::string out;
    char buffer[4096];
    boost::system::error_code error;
    while (!error && out.find(text) == std::string::npos)
      out.append(buffer, socket_.read_some(asio::buffer(buffer), error));
    return out;
  }

 private:
  asio::io_context context_;
  tcp::socket socket_;
};

std::string request(const std::string& line, const std::string& headers = "", const std::string& body = "") {
  return line + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" + body;
}
std::string close_after(const std::string& line) { return request(line, "Connection: close\r\n"); }

// A plain server with a handler that echoes, on its own thread.
class Server {
 public:
  explicit Server(HttpServerOptions options = {}, RequestHandler handler = echo())
      : server_(context_, std::move(options), std::move(handler)) {
    auto status = server_.start();
    EXPECT_TRUE(status.ok()) << status.text();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Server() {
    server_.stop();
    thread_.join();
  }
  HttpServer& operator*() { return server_; }
  std::uint16_t port() const { return server_.port(); }

  static RequestHandler echo() {
    return [](const Request& request) -> asio::awaitable<Response> {
      if (request.path == "/throw") throw std::runtime_error("on purpose");
      co_return Response{200, {}, request.method + " " + request.path + " " + request.body};
    };
  }

 private:
  asio::io_context context_;
  HttpServer server_;
  std::thread thread_;
};

TEST(HttpServer, AnswersSeveralRequestsOnOneConnection) {
  Server server;
  Client client(server.port());
  client.send(request("PUT /a", "", "one") + close_after("GET /b"));
  const auto text = client.read_all();
  EXPECT_NE(text.find("PUT /a one"), std::string::npos) << text;
  EXPECT_NE(text.find("GET /b "), std::string::npos) << text;
}

TEST(HttpServer, RefusesOversizedBodiesAndStillAnswers) {
  HttpServerOptions options;
  options.body_bytes_max = 1000;
  options.stop_time = std::chrono::milliseconds(200);
  Server server(options);
  Client client(server.port());
  client.send(request("PUT /a", "", std::string(300'000, 'x')));
  EXPECT_TRUE(client.read_until("\r\n").starts_with("HTTP/1.1 413"));
  Client chunked(server.port());
  chunked.send(request("PUT /a", "Transfer-Encoding: chunked\r\n") + "800\r\n" + std::string(0x800, 'x') +
               "\r\n0\r\n\r\n");
  EXPECT_TRUE(chunked.read_until("\r\n").starts_with("HTTP/1.1 413"));
}

TEST(HttpServer, RefusesHugeHeadersAndNonsense) {
  HttpServerOptions options;
  options.stop_time = std::chrono::milliseconds(200);
  Server server(options);
  Client huge(server.port());
  huge.send(request("GET /", "X: " + std::string(200'000, 'x') + "\r\n"));
  EXPECT_TRUE(huge.read_until("\r\n").starts_with("HTTP/1.1 431"));
  for (const std::string text :
       {"\x16\x03\x01 nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /?a=%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"}) {
    Client client(server.port());
    client.send(text);
    EXPECT_TRUE(client.read_until("\r\n").starts_with("HTTP/1.1 400")) << text;
  }
}

TEST(HttpServer, TurnsExceptionsOfHandlersIntoAnAnswer) {
  Server server;
  Client client(server.port());
  client.send(request("GET /throw") + close_after("GET /b"));
  const auto text = client.read_all();
  EXPECT_TRUE(text.starts_with("HTTP/1.1 500")) << text;
  EXPECT_NE(text.find("GET /b"), std::string::npos);
}

TEST(HttpServer, LogsTheCallersTextInsideItsField) {
  std::string logged;  // read when the server's thread is over
  {
    HttpServerOptions options;
    options.log = [&](std::string_view line) { logged = line; };
    Server server(options, [](const Request&) -> asio::awaitable<Response> {
      throw std::runtime_error("no \"x\"");
      co_return Response{};
    });
    Client client(server.port());
    client.send(close_after("GET /a\"=b"));
    EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 500"));
  }
  EXPECT_EQ(logged, "component=api method=GET path=\"/a\\\"=b\" result=failed reason=\"no \\\"x\\\"\"");
}

TEST(HttpServer, AsksForTheBodyOfAClientThatWaits) {
  Server server;
  Client client(server.port());
  client.send("PUT /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 100"));
  client.send("abc");
  EXPECT_NE(client.read_all().find("PUT /a abc"), std::string::npos);
}

TEST(HttpServer, EndsConnectionsThatDawdle) {
  HttpServerOptions options;
  options.header_time = std::chrono::milliseconds(50);
  options.idle_time = std::chrono::milliseconds(50);
  Server server(options);
  Client half(server.port());
  half.send("GET / HT");
  EXPECT_EQ(half.read_all(), "");
  Client silent(server.port());
  EXPECT_EQ(silent.read_all(), "");
}

// Guards: what followed was served as the next request.
TEST(HttpServer, RefusesBodiesOfACodingThatItDoesNotKnow) {
  HttpServerOptions options;
  options.stop_time = std::chrono::milliseconds(200);
  options.refusal = [](int status, std::string_view detail) { return Response{status, {}, std::string(detail)}; };
  Server server(options);
  for (const std::string headers :
       {"Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: identity\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: \x0b"
        "chunked\r\n",
        "Transfer-Encoding:\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: identity\r\nContent-Length: 4\r\n"}) {
    Client client(server.port());
    client.send(request("PUT /a", headers) + "0\r\n\r\n" + request("GET /inner"));
    const auto text = client.read_all();
    EXPECT_TRUE(text.starts_with("HTTP/1.1 400")) << headers << text;
    EXPECT_EQ(text.find("GET /inner"), std::string::npos) << headers << text;
    EXPECT_NE(text.find("Connection: close"), std::string::npos) << headers << text;
  }
  Client client(server.port());
  client.send(request("PUT /a", "Transfer-Encoding: Chunked\r\nConnection: close\r\n") + "3\r\nabc\r\n0\r\n\r\n");
  EXPECT_NE(client.read_all().find("PUT /a abc"), std::string::npos);
}

TEST(HttpServer, EndsConnectionsThatNeverBegin) {
  HttpServerOptions options;
  options.first_byte_time = std::chrono::milliseconds(50);
  Server server(options);
  Client known(server.port());
  known.send(request("GET /a"));
  known.read_until("GET /a");
  Client silent(server.port());
  EXPECT_EQ(silent.read_all(), "");
  known.send(request("GET /b"));
  EXPECT_NE(known.read_until("GET /b").find("GET /b"), std::string::npos) << "between requests there is more time";
}

TEST(HttpServer, ConnectionThatIsIdleTheLongestMakesRoom) {
  HttpServerOptions options;
  options.connections_max = 2;
  Server server(options);
  Client first(server.port());
  first.send(request("GET /a"));
  first.read_until("GET /a");
  Client second(server.port());
  second.send(request("GET /b"));
  second.read_until("GET /b");
  Client third(server.port());
  third.send(request("GET /c"));
  EXPECT_NE(third.read_until("GET /c").find("GET /c"), std::string::npos);
  EXPECT_EQ(first.read_all(), "");
  second.send(close_after("GET /d"));
  EXPECT_NE(second.read_all().find("GET /d"), std::string::npos);
}

TEST(HttpServer, SilentConnectionsKeepNobodyOut) {
  HttpServerOptions options;
  options.connections_max = 4;
  Server server(options);
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(std::make_unique<Client>(server.port()));
  Client client(server.port());
  client.send(request("GET /a"));
  EXPECT_NE(client.read_until("GET /a").find("GET /a"), std::string::npos);
  EXPECT_LE((*server).connections(), options.connections_max);
  EXPECT_EQ(silent.front()->read_all(), "");
}

TEST(HttpServer, RequestThatDoesNotEndMakesRoomWhereNobodyIsIdle) {
  HttpServerOptions options;
  options.connections_max = 1;
  Server server(options);
  Client dawdling(server.port());
  dawdling.send("PUT /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_TRUE(dawdling.read_until("\r\n\r\n").starts_with("HTTP/1.1 100"));
  Client client(server.port());
  client.send(request("GET /b"));
  EXPECT_NE(client.read_until("GET /b").find("GET /b"), std::string::npos);
  EXPECT_EQ(dawdling.read_all(), "");
}

TEST(HttpServer, ConnectionThatIsAnsweredMakesNoRoom) {
  std::promise<void> begun;
  std::atomic<bool> may_end = false;
  HttpServerOptions options;
  options.connections_max = 1;
  Server server(options, [&](const Request& request) -> asio::awaitable<Response> {
    begun.set_value();
    const auto executor = co_await asio::this_coro::executor;
    while (!may_end) co_await asio::post(executor, asio::use_awaitable);
    co_return Response{200, {}, "answer to " + request.path};
  });
  Client first(server.port());
  first.send(close_after("GET /a"));
  begun.get_future().wait();
  Client second(server.port());
  EXPECT_EQ(second.read_all(), "");
  may_end = true;
  EXPECT_NE(first.read_all().find("answer to /a"), std::string::npos);
}

TEST(HttpServer, StopClosesIdleConnectionsAndItsPort) {
  auto server = std::make_unique<Server>();
  Client idle(server->port());
  idle.send(request("GET /a"));
  idle.read_until("GET /a");
  (**server).stop();
  EXPECT_EQ(idle.read_all(), "");
  server.reset();  // returns, so nothing is left to do
}

TEST(HttpServer, SaysWhyItCannotListen) {
  Server taken;
  asio::io_context context;
  HttpServerOptions options;
  options.port = taken.port();
  HttpServer second(context, options, Server::echo());
  EXPECT_EQ(second.start().code(), Code::unavailable);
  options.address = "nowhere";
  HttpServer third(context, options, Server::echo());
  EXPECT_EQ(third.start().code(), Code::invalid);
}

std::string pem_of(const std::function<void(BIO*)>& write) {
  BIO* memory = BIO_new(BIO_s_mem());
  write(memory);
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  std::string out(data, static_cast<std::size_t>(size));
  BIO_free(memory);
  return out;
}

TlsOptions self_signed() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  const unsigned char name[] = "localhost";
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC, name, -1, -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  X509_sign(certificate, key, EVP_sha256());
  TlsOptions options;
  options.certificate_pem = pem_of([&](BIO* out) { PEM_write_bio_X509(out, certificate); });
  options.key_pem =
      pem_of([&](BIO* out) { PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr); });
  X509_free(certificate);
  EVP_PKEY_free(key);
  return options;
}

std::string get_over_tls(std::uint16_t port, const TlsOptions& trusted, const std::string& path,
                         bool with_certificate = false) {
  asio::io_context context;
  asio::ssl::context tls(asio::ssl::context::tls_client);
  tls.add_certificate_authority(asio::buffer(trusted.certificate_pem));
  tls.set_verify_mode(asio::ssl::verify_peer);
  if (with_certificate) {
    tls.use_certificate_chain(asio::buffer(trusted.certificate_pem));
    tls.use_private_key(asio::buffer(trusted.key_pem), asio::ssl::context::pem);
  }
  asio::ssl::stream<tcp::socket> stream(context, tls);
  stream.lowest_layer().connect({asio::ip::address_v4::loopback(), port});
  boost::system::error_code error;
  stream.handshake(asio::ssl::stream_base::client, error);
  std::string out;
  asio::write(stream, asio::buffer(close_after("GET " + path)), error);
  asio::read(stream, asio::dynamic_buffer(out), error);
  return out;
}

TEST(HttpServer, DemandsClientCertificatesWhereItIsTold) {
  HttpServerOptions options;
  options.tls = self_signed();
  options.tls->client_certificates = ClientCertificates::demand;
  options.tls->client_ca_pem = options.tls->certificate_pem;
  Server server(options);
  EXPECT_EQ(get_over_tls(server.port(), *options.tls, "/a"), "");
  EXPECT_TRUE(get_over_tls(server.port(), *options.tls, "/a", true).starts_with("HTTP/1.1 200"));
}

TEST(HttpServer, RefusesTlsSettingsThatMakeNoSense) {
  asio::io_context context;
  const auto start = [&](const std::function<void(TlsOptions&)>& spoil) {
    HttpServerOptions options;
    options.tls = self_signed();
    spoil(*options.tls);
    return HttpServer(context, options, Server::echo()).start().code();
  };
  EXPECT_EQ(start([](TlsOptions& tls) { tls.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"}; }), Code::ok);
  EXPECT_EQ(start([](TlsOptions& tls) { tls.cipher_suites = {"TLS_NOTHING"}; }), Code::invalid);
  EXPECT_EQ(start([](TlsOptions& tls) { tls.min_version = "TLSv9"; }), Code::invalid);
  EXPECT_EQ(start([](TlsOptions& tls) { tls.max_version = "TLSv1_1"; }), Code::invalid);
  EXPECT_EQ(start([](TlsOptions& tls) { tls.key_pem = "x"; }), Code::invalid);
  EXPECT_EQ(start([](TlsOptions& tls) { tls.key_pem = self_signed().key_pem; }), Code::invalid);
}

TEST(ApiServer, ServesTheSameOverBothListenersAndTellsTheObserver) {
  FakeBackend backend;
  asio::io_context context;
  std::vector<std::string> seen;
  ApiServerOptions options;
  const auto tls = self_signed();
  const ApiListeners listeners{ListenerOptions{"127.0.0.1", 0, {}}, ListenerOptions{"127.0.0.1", 0, tls}};
  options.diagnostics = ListenerOptions{"127.0.0.1", 0, {}};
  options.observer = [&](const RequestObservation& observation) {
    seen.push_back(std::string(observation.method) + " " + std::string(observation.route) + " " +
                   std::to_string(observation.status));
  };
  ApiServer server(context, backend, options);
  ASSERT_TRUE(server.start_diagnostics().ok());
  backend.missing = {"store"};
  std::thread thread([&] { context.run(); });
  {
    Client early(server.diagnostics_port());
    early.send(close_after("GET /ready"));
    const auto answer = early.read_all();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 503")) << answer;
    EXPECT_NE(answer.find("\"store\""), std::string::npos) << answer;
    EXPECT_EQ(server.http_port(), 0);
  }
  backend.missing.clear();
  ASSERT_TRUE(server.start(listeners).ok());
  const auto over_tls = get_over_tls(server.https_port(), tls, "/meshes/none/meshtimeouts/a");
  EXPECT_TRUE(over_tls.starts_with("HTTP/1.1 404")) << over_tls;
  for (const auto& [path, start] : std::vector<std::pair<std::string, std::string>>{{"/healthy", "HTTP/1.1 200"},
                                                                                    {"/metrics", "HTTP/1.1 200"},
                                                                                    {"/ready", "HTTP/1.1 200"},
                                                                                    {"/meshes", "HTTP/1.1 404"}}) {
    Client client(server.diagnostics_port());
    client.send(close_after("GET " + path));
    EXPECT_TRUE(client.read_all().starts_with(start)) << path;
  }
  Client plain(server.http_port());
  plain.send(request("GET /meshes") + request("X1 /meshes") + request("OPTIONS /meshes") + close_after("X2 /"));
  EXPECT_NE(plain.read_all().find("\"items\": []"), std::string::npos);
  server.stop();
  thread.join();
  EXPECT_EQ(seen, (std::vector<std::string>{"GET /meshes/{mesh}/meshtimeouts/{name} 404", "GET /meshes 200",
                                            "OTHER /meshes 405", "OPTIONS /meshes 405", "OTHER / 405"}));
}

}  // namespace
}  // namespace kdsd::api
