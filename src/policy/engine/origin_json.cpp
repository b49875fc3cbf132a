#include "policy/engine/origin_json.h"

#include <boost/json/object.hpp>

namespace kdsd::policy {
namespace json = boost::json;

json::array origin_json(const std::vector<FieldOrigin>& fields,
                        const std::function<std::string(std::size_t source)>& name_of) {
  json::array out;
  for (const auto& field : fields) {
    json::array sources;
    for (const auto source : field.sources) sources.emplace_back(name_of(source));
    out.push_back(json::object{{"field", field.path}, {"origin", std::move(sources)}});
  }
  return out;
}

}  // namespace kdsd::policy
