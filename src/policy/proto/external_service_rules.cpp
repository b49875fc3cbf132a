// ExternalService.
#include <charconv>
#include <cstdint>
#include <string>

#include "policy/proto/host_port.h"
#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"
#include "policy/text_forms.h"

namespace kdsd::policy {
namespace {

void check_port_text(const ConfValue& address, std::string_view text) {
  std::uint32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number) address.refuse("unable to parse port in address");
  if (!is_number || port < 1 || port > UINT16_MAX) address.refuse("port must be in the range [1, 65535]");
}

// What does not come apart has neither host nor port.
void check_address(const ConfValue& address) {
  if (address.text().empty()) return address.refuse("address can't be empty");
  const auto parts = split_host_port(address.text());
  if (!parts) address.refuse("unable to parse address");
  const auto host = parts ? parts->host : std::string_view();
  if (!is_ip(host) && !is_dns_name(host)) address.refuse("address has to be a valid IP address or a domain name");
  check_port_text(address, parts ? parts->port : std::string_view());
}

void check_has_content(const ConfValue& source) {
  if (!source.is_set()) return;
  for (const auto* kind : {"inline", "inlineString", "secret", "file"}) {
    if (!source.at(kind).text().empty()) return;
  }
  source.refuse("data source cannot be empty");
}

void check_tls(const ConfValue& tls) {
  const auto server_name = tls.at("serverName");
  if (server_name.is_set()) check_not_empty(server_name);
  for (const auto* source : {"caCert", "clientCert", "clientKey"}) check_has_content(tls.at(source));
}

}  // namespace

void check_external_service(const ConfValue& spec) {
  const auto networking = spec.at("networking");
  const auto address = networking.at("address");
  if (networking.is_set()) {
    check_address(address);
  } else {
    networking.refuse("should have networking");
  }
  check_tls(networking.at("tls"));
  const auto tags = spec.at("tags");
  check_tags(tags, {.service = true, .of_map = check_known_protocol});
  const auto service = under_key(tags, tag_service);
  const auto parts = split_host_port(address.text());
  if (parts && !service.text().empty() && parts->host == service.text()) {
    service.refuse("cannot be the same as networking.address");
  }
}

}  // namespace kdsd::policy
