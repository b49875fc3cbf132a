#include "api/list_query.h"

#include <algorithm>
#include <charconv>

#include "api/answers.h"
#include "api/url.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"
#include "kuma/mesh/v1alpha1/external_service.pb.h"

namespace kdsd::api {
namespace json = boost::json;
namespace proto = kuma::mesh::v1alpha1;
namespace {

using TagMap = google::protobuf::Map<std::string, std::string>;
constexpr std::string_view label_filter = "filter[labels.";

std::optional<std::size_t> parse_number(std::string_view text) {
  std::size_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A cursor: `after-`, then mesh and name in hexadecimal with a dot between them.
constexpr std::string_view cursor_prefix = "after-";

std::string to_hex(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (char c : text) {
    out += digits[static_cast<unsigned char>(c) >> 4U];
    out += digits[static_cast<unsigned char>(c) & 0x0fU];
  }
  return out;
}

std::optional<std::string> from_hex(std::string_view text) {
  std::string out;
  if (text.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned byte = 0;
    auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (error != std::errc() || end != text.data() + i + 2) return std::nullopt;
    out += static_cast<char>(byte);
  }
  return out;
}

bool parse_cursor(std::string_view text, PageQuery& page) {
  if (!text.starts_with(cursor_prefix)) return false;
  text.remove_prefix(cursor_prefix.size());
  const auto dot = text.find('.');
  if (dot == std::string_view::npos) return false;
  auto mesh = from_hex(text.substr(0, dot));
  auto name = from_hex(text.substr(dot + 1));
  if (!mesh || !name) return false;
  page.after.emplace(std::move(*mesh), std::move(*name));
  return true;
}

Status bad_size(std::string reason) {
  return Status(Code::invalid, "Invalid page size", {{"size", std::move(reason)}});
}

// `filter[labels.<key>]`
Status take_filter(std::string_view route, const std::string& key, const std::string& value, ListQuery& query) {
  const auto field = std::string(route) + "." + key;
  const auto refuse = [&](std::string reason) {
    return Status(Code::invalid, "Resource is not valid", {{field, std::move(reason)}});
  };
  const auto close = key.find(']');
  if (close == std::string::npos) return refuse("a filter ends with a bracket");
  if (!key.starts_with(label_filter)) return refuse("filters are only supported on labels");
  if (close + 1 != key.size()) return refuse("advanced filters are not supported");
  query.labels.emplace_back(key.substr(label_filter.size(), close - label_filter.size()), value);
  return {};
}

Status take_gateway(const std::string& value, ListQuery& query) {
  if (value == "true") {
    query.gateway = GatewayFilter::any;
  } else if (value == "false") {
    query.gateway = GatewayFilter::no;
  } else if (value == "builtin") {
    query.gateway = GatewayFilter::builtin;
  } else if (value == "delegated") {
    query.gateway = GatewayFilter::delegated;
  } else {
    return Status(Code::invalid, "Resource is not valid",
                  {{"gateway", "must be one of [\"true\", \"false\", \"builtin\", \"delegated\"]"}});
  }
  return {};
}

bool has_tags(const TagMap& set, const TextPairs& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& tag) {
    auto it = set.find(tag.first);
    return it != set.end() && (tag.second == "*" || it->second.find(tag.second) != std::string::npos);
  });
}

bool is_wanted_gateway(GatewayFilter filter, const proto::Dataplane::Networking& networking) {
  const bool is_gateway = networking.has_gateway();
  const bool is_builtin = is_gateway && networking.gateway().type() == proto::Dataplane::Networking::Gateway::BUILTIN;
  switch (filter) {
    case GatewayFilter::none:
      return true;
    case GatewayFilter::any:
      return is_gateway;
    case GatewayFilter::builtin:
      return is_builtin;
    case GatewayFilter::delegated:
      return is_gateway && !is_builtin;
    case GatewayFilter::no:
      return !is_gateway;
  }
  return false;
}

bool keeps_dataplane(const ListQuery& query, const Resource& resource) {
  proto::Dataplane dataplane;
  if (!dataplane.ParseFromString(resource.spec)) return false;
  const auto& networking = dataplane.networking();
  if (!is_wanted_gateway(query.gateway, networking)) return false;
  if (query.tags.empty() || has_tags(networking.gateway().tags(), query.tags)) return true;
  return std::any_of(networking.inbound().begin(), networking.inbound().end(),
                     [&](const auto& inbound) { return has_tags(inbound.tags(), query.tags); });
}

}  // namespace

Result<PageQuery> parse_page_query(const Request& request) {
  PageQuery page;
  if (const auto size = request.query_value("size"); !size.empty()) {
    const auto number = parse_number(size);
    if (!number) return bad_size("invalid format");
    if (*number > limits::page_items_max) {
      return bad_size("invalid page size of " + std::to_string(*number) + ". Maximum page size is " +
                      std::to_string(limits::page_items_max));
    }
    page.size = *number;
  }
  if (const auto offset = request.query_value("offset"); !offset.empty()) {
    if (const auto number = parse_number(offset)) {
      page.index = *number;
    } else if (!parse_cursor(offset, page)) {
      return Status(Code::invalid, "invalid offset: neither a number nor the offset of a next page");
    }
  }
  return page;
}

Result<ListQuery> parse_list_query(const Request& request, std::string_view route, const ResourceType& type) {
  ListQuery query;
  auto page = parse_page_query(request);
  if (!page.ok()) return page.status();
  query.page = std::move(*page);
  query.name = request.query_value("name");
  const bool is_dataplane = type.name == "Dataplane";
  const bool has_tags = is_dataplane || type.name == "ExternalService";
  for (const auto& [key, value] : request.query) {
    Status status;
    if (key.starts_with("filter[")) {
      status = take_filter(route, key, value, query);
    } else if (key == "gateway" && is_dataplane) {
      status = take_gateway(value, query);
    } else if (key == "tag" && has_tags) {
      const auto colon = value.find(':');
      if (colon != std::string::npos) query.tags.emplace_back(value.substr(0, colon), value.substr(colon + 1));
    }
    if (!status.ok()) return status;
  }
  return query;
}

bool keeps(const ListQuery& query, const Resource& resource) {
  if (resource.name.find(query.name) == std::string::npos) return false;
  for (const auto& [key, value] : query.labels) {
    if (!resource.labels.has(key) || resource.labels.get(key) != value) return false;
  }
  if (query.tags.empty() && query.gateway == GatewayFilter::none) return true;
  if (resource.type->name == "Dataplane") return keeps_dataplane(query, resource);
  proto::ExternalService service;
  return service.ParseFromString(resource.spec) && has_tags(service.tags(), query.tags);
}

Slice take_page(const PageQuery& page, std::size_t total, const KeyOf& key_of) {
  Slice slice;
  slice.begin = std::min(page.index, total);
  if (page.after) {
    const std::pair<std::string_view, std::string_view> after(page.after->first, page.after->second);
    std::size_t low = 0;
    std::size_t high = total;
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      if (key_of(middle) <= after) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    slice.begin = low;
  }
  slice.end = page.size == 0 ? total : std::min(total, slice.begin + page.size);
  if (slice.end < total && slice.end > slice.begin) {
    const auto [mesh, name] = key_of(slice.end - 1);
    slice.next = std::string(cursor_prefix) + to_hex(mesh) + "." + to_hex(name);
  }
  return slice;
}

Response list_response(const Request& request, std::size_t total, json::array items, const std::string& next) {
  json::object body;
  body["total"] = total;
  body["items"] = std::move(items);
  body["next"] = nullptr;
  if (!next.empty()) {
    TextPairs query;
    for (const auto& pair : request.query) {
      if (pair.first != "offset") query.push_back(pair);
    }
    query.emplace_back("offset", next);
    body["next"] = std::string(request.is_tls ? "https://" : "http://") + std::string(request.host()) + request.path +
                   "?" + format_query(std::move(query));
  }
  return json_response(200, body);
}

}  // namespace kdsd::api
