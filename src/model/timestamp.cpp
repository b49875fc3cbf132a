#include "model/timestamp.h"

#include <cstdio>
#include <ctime>

namespace kdsd {
namespace {

constexpr std::int64_t nanos_per_second = 1'000'000'000;

std::string seconds_text(std::int64_t seconds) {
  std::time_t at = seconds;
  std::tm parts{};
  gmtime_r(&at, &parts);
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%04d-%02d-%02dT%02d:%02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return buffer;
}

std::string format(Timestamp time, std::size_t group) {
  if (time.nanos == 0) return "0001-01-01T00:00:00Z";
  std::int64_t seconds = time.nanos / nanos_per_second;
  std::int64_t nanos = time.nanos % nanos_per_second;
  if (nanos < 0) {
    nanos += nanos_per_second;
    --seconds;
  }
  std::string out = seconds_text(seconds);
  if (nanos != 0) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%09lld", static_cast<long long>(nanos));
    std::string fraction = digits;
    while (fraction.size() >= group &&
           fraction.substr(fraction.size() - group).find_first_not_of('0') == std::string::npos) {
      fraction.resize(fraction.size() - group);
    }
    out += "." + fraction;
  }
  return out + "Z";
}

}  // namespace

std::string format_time(Timestamp time) { return format(time, 1); }
std::string format_proto_time(Timestamp time) { return format(time, 3); }

}  // namespace kdsd
