#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <optional>
#include <unistd.h>

#include "app/cli/configuration.h"
#include "app/cli/doctor.h"

namespace kdsd::app::cli {
namespace asio = boost::asio;
namespace fs = std::filesystem;
using asio::ip::tcp;
namespace {

constexpr std::int64_t day_seconds = 24 * 60 * 60;
constexpr std::int64_t expiry_warning_days = 30;            // time enough to get a new certificate signed
constexpr std::int64_t earliest_sane_seconds = 1704067200;  // 2024-01-01: before this program existed
constexpr std::chrono::seconds connect_timeout(2);

Finding good(std::string subject, std::string text) { return {Health::ok, std::move(subject), std::move(text), {}}; }

// Seconds from `now` to the time of a certificate.
std::optional<std::int64_t> seconds_until(const ASN1_TIME* time, std::int64_t now_seconds) {
  const std::unique_ptr<ASN1_TIME, decltype(&ASN1_STRING_free)> now(ASN1_TIME_set(nullptr, now_seconds),
                                                                    ASN1_STRING_free);
  int days = 0;
  int seconds = 0;
  if (!now || ASN1_TIME_diff(&days, &seconds, now.get(), time) != 1) return std::nullopt;
  return days * day_seconds + seconds;
}

std::string date_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown day";
  constexpr std::size_t date_bytes = 32;
  char text[date_bytes];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

struct CertificateDates {
  std::int64_t until_begin = 0;
  std::int64_t until_end = 0;
  std::string begin;
  std::string end;
};

std::optional<CertificateDates> dates_of(const std::string& file, std::int64_t now_seconds) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_file(file.c_str(), "r"), BIO_free);
  if (!bio) return std::nullopt;
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr),
                                                                X509_free);
  if (!certificate) return std::nullopt;
  const auto* begin = X509_get0_notBefore(certificate.get());
  const auto* end = X509_get0_notAfter(certificate.get());
  const auto until_begin = seconds_until(begin, now_seconds);
  const auto until_end = seconds_until(end, now_seconds);
  if (!until_begin || !until_end) return std::nullopt;
  return CertificateDates{*until_begin, *until_end, date_of(begin), date_of(end)};
}

bool is_writable_directory(const fs::path& path) { return ::access(path.c_str(), W_OK | X_OK) == 0; }

tcp::endpoint endpoint_of(const std::string& address, std::uint16_t port) {
  boost::system::error_code error;
  const auto parsed = asio::ip::make_address(address, error);
  return error ? tcp::endpoint(tcp::v4(), port) : tcp::endpoint(parsed, port);
}

// Tries to listen, and lets go at once.
boost::system::error_code try_listening(const tcp::endpoint& endpoint) {
  asio::io_context io;
  tcp::acceptor acceptor(io);
  boost::system::error_code error;
  if (acceptor.open(endpoint.protocol(), error)) return error;
  if (acceptor.set_option(tcp::acceptor::reuse_address(true), error)) return error;
  acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error;
}

// Connects within the time that is allowed; the text of what went wrong, or nothing.
std::optional<std::string> try_connecting(const std::string& host, std::uint16_t port) {
  asio::io_context io;
  boost::system::error_code error;
  tcp::resolver resolver(io);
  const auto endpoints = resolver.resolve(host, std::to_string(port), error);
  if (error) return "the name cannot be resolved: " + error.message();
  boost::beast::tcp_stream stream(io);
  stream.expires_after(connect_timeout);
  stream.async_connect(endpoints, [&error](const boost::system::error_code& result, const auto&) { error = result; });
  io.run();
  if (error == boost::beast::error::timeout) return "no answer within 2 s";
  if (error) return error.message();
  return std::nullopt;
}

}  // namespace

Finding check_clock(std::int64_t now_seconds) {
  if (now_seconds >= earliest_sane_seconds) return good("clock", "set");
  return {Health::fail, "clock", "shows a time before 2024", "set the clock; certificates and tokens depend on it"};
}

Finding check_work_dir(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    if (is_writable_directory(path)) return good("work directory", path + ": writable");
    return {Health::fail, "work directory", path + ": not writable",
            "give this user the right to write, or set general.workDir"};
  }
  if (fs::exists(path, error)) {
    return {Health::fail, "work directory", path + ": is no directory", "move it away, or set general.workDir"};
  }
  auto parent = fs::absolute(path, error).parent_path();
  while (!parent.empty() && !fs::exists(parent, error) && parent != parent.root_path()) parent = parent.parent_path();
  if (is_writable_directory(parent)) return good("work directory", path + ": not there yet; the first start makes it");
  return {Health::fail, "work directory", path + ": cannot be made below " + parent.string(),
          "make it, or set general.workDir"};
}

StoreDiagnosis check_store(const Config& config) {
  StoreDiagnosis out;
  if (config.store.type == StoreType::memory) {
    out.findings.push_back(
        {Health::warn, "store", "store.type is memory: all is lost when the process ends", "set store.type to sqlite"});
    return out;
  }
  const auto& path = config.store.path;
  const auto whole = store::check_sqlite_store(path);
  if (whole.code() == Code::not_found) {
    out.findings.push_back(good("store", path + ": not there yet; the first start makes it"));
    return out;
  }
  if (whole.code() == Code::unavailable) {
    out.is_in_use = true;
    out.findings.push_back(good("store", path + ": in use by a running process, which checked it when it opened it"));
    return out;
  }
  if (!whole.ok()) {
    out.findings.push_back({Health::fail, "store", whole.message(), "restore the file from a backup"});
    return out;
  }
  out.findings.push_back(good("store", path + ": whole"));
  const auto schema = store::inspect_sqlite_store(path);
  if (!schema.ok()) {
    out.findings.push_back({Health::fail, "schema", schema.status().message(), "see the line above"});
  } else if (schema->stored > schema->known) {
    out.findings.push_back({Health::fail, "schema",
                            "version " + std::to_string(schema->stored) + " of a newer program; this one knows " +
                                std::to_string(schema->known),
                            "use the newer program, or restore a backup from before the upgrade"});
  } else if (schema->stored < schema->known) {
    out.findings.push_back(
        {Health::warn, "schema",
         "version " + std::to_string(schema->stored) + " is older than " + std::to_string(schema->known),
         "take a backup and run `kdsd migrate up`; a start does the same"});
  } else {
    out.findings.push_back(good("schema", "version " + std::to_string(schema->stored) + ", the newest"));
  }
  return out;
}

Finding check_certificate(const std::string& subject, const std::string& file, bool is_made_at_start,
                          std::int64_t now_seconds) {
  std::error_code error;
  if (!fs::exists(file, error) && is_made_at_start)
    return good(subject, file + ": not there yet; the first start makes it");
  const auto dates = dates_of(file, now_seconds);
  if (!dates)
    return {Health::fail, subject, file + ": is no readable PEM certificate",
            "put the certificate there, or correct the path"};
  if (dates->until_begin > 0) {
    return {Health::fail, subject, file + ": not valid before " + dates->begin,
            "set the clock, or use another certificate"};
  }
  const std::string renew =
      is_made_at_start ? "remove the pair; the next start makes a new one" : "renew it, then send SIGHUP";
  if (dates->until_end <= 0) return {Health::fail, subject, file + ": expired on " + dates->end, renew};
  if (dates->until_end < expiry_warning_days * day_seconds) {
    return {Health::warn, subject, file + ": expires on " + dates->end, renew};
  }
  return good(subject, file + ": valid until " + dates->end);
}

Diagnosis check_certificates(const Config& config, std::int64_t now_seconds) {
  Diagnosis out;
  const auto add = [&](const std::string& subject, const std::string& file, bool is_made) {
    if (!file.empty()) out.push_back(check_certificate(subject, file, is_made, now_seconds));
  };
  const auto add_server = [&](const std::string& subject, const ServerTls& tls) {
    add(subject, tls.cert_file, tls.is_work_dir_pair);
  };
  if (config.api_server.https.enabled) add_server("API certificate", config.api_server.tls);
  if (config.is_global() && config.kds_server.tls_enabled) add_server("KDS certificate", config.kds_server.tls);
  if (config.diagnostics.tls_enabled) add_server("diagnostics certificate", config.diagnostics.tls);
  if (config.is_federated_zone()) add("authority of the global", config.kds_client.root_ca_file, false);
  if (config.is_federated_zone()) add("zone certificate", config.zone_identity.cert_file, false);
  if (config.is_global()) add("authority of the zones", config.zone_auth.client_ca_file, false);
  if (config.api_server.https.enabled) add("authority of API clients", config.api_server.client_ca_file, false);
  return out;
}

Finding check_port(const std::string& subject, const std::string& address, std::uint16_t port, bool is_running) {
  const auto endpoint = endpoint_of(address, port);
  const auto where = "port " + std::to_string(port);
  if (port == 0) return good(subject, "the system chooses the port");
  const auto error = try_listening(endpoint);
  if (!error) {
    if (!is_running) return good(subject, where + " is free");
    return {Health::warn, subject, where + " is free although the store is in use",
            "see the log of the running process"};
  }
  if (error != asio::error::address_in_use) {
    return {Health::fail, subject, where + ": " + error.message(), "choose another port or address"};
  }
  const auto host = endpoint.address().is_unspecified()
                        ? std::string(endpoint.protocol() == tcp::v6() ? "::1" : "127.0.0.1")
                        : endpoint.address().to_string();
  if (const auto problem = try_connecting(host, port)) {
    return {Health::fail, subject, where + " is taken and does not answer: " + *problem,
            "end the process that holds it"};
  }
  if (is_running) return good(subject, where + " answers");
  return {Health::fail, subject, where + " is taken by another program", "end that program, or choose another port"};
}

Diagnosis check_ports(const Config& config, bool is_running) {
  Diagnosis out;
  const auto& api = config.api_server;
  if (api.http.enabled) out.push_back(check_port("API over HTTP", api.http.bind_address, api.http.port, is_running));
  if (api.https.enabled)
    out.push_back(check_port("API over HTTPS", api.https.bind_address, api.https.port, is_running));
  if (config.is_global()) {
    out.push_back(check_port("KDS", config.kds_server.bind_address, config.kds_server.port, is_running));
  }
  out.push_back(check_port("diagnostics", config.diagnostics.bind_address, config.diagnostics.port, is_running));
  return out;
}

Finding check_global(const GlobalAddress& global) {
  const auto where = global.host + ":" + std::to_string(global.port);
  const auto problem = try_connecting(global.host, global.port);
  if (!problem) return good("global", where + " can be reached");
  return {Health::fail, "global", where + ": " + *problem,
          "start the global, open the way to its port, or correct multizone.zone.globalAddress"};
}

Diagnosis examine(const Config& config, std::int64_t now_seconds) {
  Diagnosis out = {check_clock(now_seconds), check_work_dir(config.general.work_dir)};
  const auto add = [&out](Diagnosis findings) { std::move(findings.begin(), findings.end(), std::back_inserter(out)); };
  auto store = check_store(config);
  add(std::move(store.findings));
  add(check_certificates(config, now_seconds));
  add(check_ports(config, store.is_in_use));
  if (config.is_federated_zone()) out.push_back(check_global(*config.kds_client.global));
  return out;
}

}  // namespace kdsd::app::cli
