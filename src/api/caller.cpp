#include "api/caller.h"

#include <algorithm>
#include <array>

namespace kdsd::api {
namespace {

constexpr const char* admin_name = "mesh-system:admin";
constexpr const char* authenticated_group = "mesh-system:authenticated";

bool is_ipv4_loopback(std::string_view host) {
  if (!host.starts_with("127.")) return false;
  int dots = 0;
  std::size_t digits = 0;
  for (char c : host) {
    if (c == '.') {
      if (digits == 0) return false;
      ++dots;
      digits = 0;
    } else if (c < '0' || c > '9' || ++digits > 3) {
      return false;
    }
  }
  return dots == 3 && digits > 0;
}

// A host as it stands in `Host`: perhaps with a port, in brackets, with a trailing dot.
struct HostPort {
  std::string host;
  std::string port;
};

HostPort split_host(std::string_view text) {
  HostPort out;
  std::string_view host = text;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return out;
    host = text.substr(1, end - 1);
    const auto rest = text.substr(end + 1);
    if (rest.starts_with(':')) out.port = rest.substr(1);
  } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    out.port = text.substr(colon + 1);
  }
  if (host.ends_with('.')) host.remove_suffix(1);
  out.host = host;
  std::transform(out.host.begin(), out.host.end(), out.host.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

bool is_loopback_host(const std::string& host) {
  return host == "localhost" || host == "::1" || is_ipv4_loopback(host);
}

// An origin that is this very server, as a page that it served itself has.
bool is_own_origin(std::string_view origin, const HostPort& host) {
  std::string default_port;
  if (origin.starts_with("http://")) {
    default_port = "80";
    origin.remove_prefix(7);
  } else if (origin.starts_with("https://")) {
    default_port = "443";
    origin.remove_prefix(8);
  } else {
    return false;
  }
  auto there = split_host(origin);
  auto here = host;
  if (there.port.empty()) there.port = default_port;
  if (here.port.empty()) here.port = default_port;
  return is_loopback_host(there.host) && there.host == here.host && there.port == here.port;
}

bool is_local(const Request& request) {
  if (!request.peer_is_loopback) return false;
  for (auto relay : {"forwarded", "x-forwarded-for", "x-real-ip"}) {
    if (request.has_header(relay)) return false;
  }
  const auto host = split_host(request.host());
  if (!is_loopback_host(host.host)) return false;
  if (request.has_header("sec-fetch-site")) {
    const auto site = request.header("sec-fetch-site");
    if (site != "same-origin" && site != "none") return false;
  }
  return !request.has_header("origin") || is_own_origin(request.header("origin"), host);
}

bool is_listed(const Caller& caller, const std::vector<std::string>& users, const std::vector<std::string>& groups) {
  if (std::find(users.begin(), users.end(), caller.name) != users.end()) return true;
  return std::any_of(caller.groups.begin(), caller.groups.end(), [&](const std::string& group) {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  });
}

Status denied(const Caller& caller, const std::string& what) {
  return Status(Code::denied, "user \"" + caller.text() + "\" cannot access " + what);
}

}  // namespace

std::string Caller::text() const {
  std::string out = name + "/";
  for (std::size_t i = 0; i < groups.size(); ++i) out += (i == 0 ? "" : ",") + groups[i];
  return out;
}

std::optional<Caller> identify(const Request& request, const Facts& facts, bool index) {
  Caller caller;
  caller.is_local = is_local(request);
  const Caller admin{admin_name, {admin_name, authenticated_group}, caller.is_local};
  if (caller.is_local && facts.localhost_is_admin) return admin;
  if (!facts.client_certificate_is_admin) {
    // No token can be valid as long as none is issued here.
    if (!index && request.header("authorization").starts_with("Bearer ")) return std::nullopt;
  } else if (request.client_certificate_verified) {
    return admin;
  }
  caller.name = "mesh-system:anonymous";
  caller.groups = {"mesh-system:unauthenticated"};
  return caller;
}

Status may_touch(const Caller& caller, const ResourceType& type, const Facts& facts) {
  if (!type.admin_only || is_listed(caller, facts.admin_users, facts.admin_groups)) return {};
  return denied(caller, "the resource of type \"" + type.name + "\"");
}

Status may_write(const Caller& caller, const ResourceType& type, const Facts& facts) {
  if (auto status = may_touch(caller, type, facts); !status.ok()) return status;
  if (caller.is_local || is_listed(caller, facts.admin_users, facts.admin_groups)) return {};
  return denied(caller, "the resource of type \"" + type.name + "\" for writing");
}

Status may_see_metadata(const Caller& caller, const Facts& facts) {
  if (is_listed(caller, facts.metadata_users, facts.metadata_groups)) return {};
  return denied(caller, "control-plane metadata");
}

}  // namespace kdsd::api
