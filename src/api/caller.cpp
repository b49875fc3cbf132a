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

// A program on this machine that speaks for itself, not a relay and not a foreign web page.
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

}  // namespace

std::string Caller::text() const {
  std::string out = name + "/";
  for (std::size_t i = 0; i < groups.size(); ++i) out += (i == 0 ? "" : ",") + groups[i];
  return out;
}

std::optional<std::string_view> token_in_question(const Request& request, const Facts& facts, Tokens tokens) {
  constexpr std::string_view scheme = "Bearer ";
  const auto header = request.header("authorization");
  if (facts.client_certificate_is_admin || !header.starts_with(scheme)) return std::nullopt;
  if (tokens == Tokens::ignored || (facts.localhost_is_admin && is_local(request))) return std::nullopt;
  return header.substr(scheme.size());
}

Caller identify(const Request& request, const Facts& facts, const std::optional<kds::UserClaims>& user) {
  const bool has_certificate = facts.client_certificate_is_admin && request.client_certificate_verified;
  if (has_certificate || (facts.localhost_is_admin && is_local(request)))
    return {admin_name, {admin_name, authenticated_group}};
  if (!user) return {"mesh-system:anonymous", {"mesh-system:unauthenticated"}};
  Caller caller{user->name, user->groups};
  caller.groups.emplace_back(authenticated_group);
  return caller;
}

bool is_listed(const Caller& caller, const AccessRule& rule) {
  const auto has = [](const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  return has(rule.users, caller.name) || std::any_of(caller.groups.begin(), caller.groups.end(),
                                                     [&](const auto& group) { return has(rule.groups, group); });
}

Status denied(const Caller& caller, const std::string& what) {
  return Status(Code::denied, "user \"" + caller.text() + "\" cannot access " + what);
}

Status may_touch(const Caller& caller, const ResourceType& type, const Facts& facts) {
  if (!type.admin_only || is_listed(caller, facts.admins)) return {};
  return denied(caller, "the resource of type \"" + type.name + "\"");
}

Status may_write(const Caller& caller, const ResourceType& type, const Facts& facts) {
  if (auto status = may_touch(caller, type, facts); !status.ok()) return status;
  if (!facts.writes_need_authentication || is_listed(caller, {{}, {authenticated_group}})) return {};
  return denied(caller, "the resource of type \"" + type.name + "\" for writing");
}

Status may_see_metadata(const Caller& caller, const Facts& facts) {
  if (is_listed(caller, facts.metadata)) return {};
  return denied(caller, "control-plane metadata");
}

}  // namespace kdsd::api
