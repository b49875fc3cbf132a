// Decimal numbers of any size as texts and JSON numbers have them: as far as rules compare them.
//
// Pure.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string_view>

namespace kdsd::policy {

struct Decimal {
  int sign = 0;            // -1, 0, 1
  bool above_100 = false;  // the number without its sign

  bool is_percentage() const { return sign >= 0 && !above_100; }
};

// `12.5`, `.5`, `-3`, `1e2`; nothing where the text is no number.
std::optional<Decimal> parse_decimal(std::string_view text);

// Of a text or a whole number.
std::optional<Decimal> decimal_of(const boost::json::value& value);

}  // namespace kdsd::policy
