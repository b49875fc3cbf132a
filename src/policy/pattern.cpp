#include "policy/pattern.h"

#include <re2/re2.h>

namespace kdsd::policy {
namespace {

std::string_view go_error_name(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "regexp/syntax: internal error";
  }
}

// Go reads both spellings of a named group, RE2 only the longer one.
std::string with_long_group_names(std::string_view pattern) {
  std::string out(pattern);
  constexpr std::string_view group = "(?<";
  for (auto at = out.find(group); at != std::string::npos; at = out.find(group, at + group.size())) {
    out.insert(at + 2, "P");
  }
  return out;
}

}  // namespace

std::string pattern_problem(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  const re2::RE2 compiled(with_long_group_names(pattern), options);
  if (compiled.ok()) return {};
  return "error parsing regexp: " + std::string(go_error_name(compiled.error_code())) + ": `" + compiled.error_arg() +
         "`";
}

}  // namespace kdsd::policy
