#include "policy/web_address_shape.h"

#include <arpa/inet.h>
#include <array>
#include <string>
#include <vector>

namespace kdsd::policy {
namespace {

using Characters = std::u32string;

constexpr char32_t first_beyond_latin = 0xA1;
constexpr char32_t last_of_plane = 0xFFFF;

// Bad bytes become characters that match nothing special.
Characters characters_of(std::string_view text) {
  Characters out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t c = size == 1 ? lead : lead & (0xFFU >> (size + 1));
    for (std::size_t k = 1; k < size && i + k < text.size(); ++k)
      c = (c << 6U) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    out.push_back(c);
    i += size;
  }
  return out;
}

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char32_t c) { return is_digit(c) || is_ascii_letter(c); }
bool is_letter(char32_t c) { return is_ascii_letter(c) || (c >= first_beyond_latin && c <= last_of_plane); }
bool is_letter_or_digit(char32_t c) { return is_letter(c) || is_digit(c); }
bool is_word_or_mark(char32_t c) { return is_word(c) || c == '-' || c == '_'; }
bool is_blank(char32_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }
bool is_no_blank(char32_t c) { return !is_blank(c); }

// Where in the text a part of the pattern may have ended. Every step takes all these places at once to those where the
// next part may end.
class Places {
 public:
  explicit Places(const Characters& text) : text_(&text), at_(text.size() + 1) { at_[0] = true; }

  bool reach_end() const { return at_.back(); }

  Places operator|(const Places& other) const {
    Places out = *this;
    for (std::size_t i = 0; i < at_.size(); ++i) out.at_[i] = at_[i] || other.at_[i];
    return out;
  }

  template <typename Is>
  Places one(const Is& is) const {
    Places out = nowhere();
    for (std::size_t i = 0; i < text_->size(); ++i) out.at_[i + 1] = at_[i] && is((*text_)[i]);
    return out;
  }

  Places one(char32_t mark) const {
    return one([mark](char32_t c) { return c == mark; });
  }

  template <typename Is>
  Places any_number(const Is& is) const {
    Places out = *this;
    for (std::size_t i = 0; i < text_->size(); ++i) {
      if (out.at_[i] && is((*text_)[i])) out.at_[i + 1] = true;
    }
    return out;
  }

  template <typename Is>
  Places some(const Is& is) const {
    return one(is).any_number(is);
  }

  Places literal(std::string_view word) const {
    Places out = *this;
    for (char c : word) out = out.one(static_cast<char32_t>(c));
    return out;
  }

  Places or_one(char32_t mark) const { return *this | one(mark); }

  // Words with at most so many marks between two of them.
  template <typename Is, typename IsMark>
  Places words(const Is& is, const IsMark& is_mark, std::size_t most_marks) const {
    Places out = nowhere();
    std::size_t marks = most_marks + 1;  // behind the last word; beyond the bound where there is none
    for (std::size_t i = 0; i < text_->size(); ++i) {
      if (is((*text_)[i])) {
        out.at_[i + 1] = at_[i] || marks <= most_marks;
        marks = out.at_[i + 1] ? 0 : most_marks + 1;
      } else {
        marks = is_mark((*text_)[i]) && marks <= most_marks ? marks + 1 : most_marks + 1;
      }
    }
    return out;
  }

  // Where a number of the text from here on, of at most three digits, is within the bounds.
  Places number(int least, int most, bool zero_in_front) const {
    Places out = nowhere();
    for (std::size_t i = 0; i < text_->size(); ++i) {
      if (!at_[i]) continue;
      int value = 0;
      for (std::size_t k = i; k < text_->size() && k < i + 3 && is_digit((*text_)[k]); ++k) {
        value = value * 10 + static_cast<int>((*text_)[k] - '0');
        const bool zero = k > i && (*text_)[i] == '0';
        if (value >= least && value <= most && (!zero || (zero_in_front && k == i + 1))) out.at_[k + 1] = true;
      }
    }
    return out;
  }

  // `[…]` around an address of version 6.
  Places ipv6_in_brackets() const {
    Places out = nowhere();
    for (std::size_t i = 0; i < text_->size(); ++i) {
      if (!at_[i] || (*text_)[i] != '[') continue;
      const auto end = text_->find(U']', i);
      if (end == Characters::npos) break;
      std::string inside;
      for (auto c : text_->substr(i + 1, end - i - 1)) inside += c < 0x80 ? static_cast<char>(c) : '?';
      if (is_ipv6_literal(inside)) out.at_[end + 1] = true;
    }
    return out;
  }

 private:
  Places nowhere() const {
    Places out = *this;
    out.at_.assign(at_.size(), false);
    return out;
  }

  const Characters* text_;
  std::vector<bool> at_;
};

Places scheme(const Places& from) {
  Places out = from;
  for (std::string_view name : {"ftp", "tcp", "udp", "ws", "wss", "http", "https"}) {
    out = out | from.literal(name).literal("://");
  }
  return out;
}

Places user(const Places& from) { return from | from.some(is_no_blank).one(U'@'); }

// The first number is that of a unicast network, with one gap; the others may have a zero in front.
Places ipv4(const Places& from) {
  const auto first = from.number(1, 223, false) | from.number(240, 255, false);
  return first.one(U'.').number(0, 255, true).one(U'.').number(0, 255, true).one(U'.').number(0, 255, true);
}

// Words with dots and dashes between them. The first has two letters at least and may have underscores inside.
Places names(const Places& from) {
  const auto is_mark = [](char32_t c) { return c == '-' || c == '.'; };
  const auto first = from.one(is_word).any_number(is_word_or_mark).one(is_word);
  return first | first.one(is_mark).words(is_word, is_mark, 1);
}

Places subdomain(const Places& from) {
  const auto is_mark = [](char32_t c) { return c == '-' || c == '_' || c == '.'; };
  return from.literal("www.") | from.words(is_word, is_mark, 1).one(is_word).one(U'.').some(is_word);
}

// Any letters, with one or two dashes between them, and a last part of letters only.
Places domain(const Places& from) {
  const auto name = from.words(
      is_letter_or_digit, [](char32_t c) { return c == '-'; }, 2);
  return name | name.one(U'.').some(is_letter);
}

Places port(const Places& from) {
  constexpr int most_digits = 5;
  Places out = from;
  Places digits = from.one(U':');
  for (int i = 0; i < most_digits; ++i) {
    digits = digits.one(is_digit);
    out = out | digits;
  }
  return out;
}

Places path(const Places& from) {
  return from | from.one([](char32_t c) { return c == '/' || c == '?' || c == '#'; }).any_number(is_no_blank);
}

}  // namespace

bool is_ipv6_literal(std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> parsed{};
  return inet_pton(AF_INET6, std::string(text).c_str(), parsed.data()) == 1;
}

bool has_web_address_shape(std::string_view text) {
  const auto characters = characters_of(text);
  const auto start = user(scheme(Places(characters)));
  const auto host = ipv4(start) | start.ipv6_in_brackets() | domain(start | names(start) | subdomain(start));
  return path(port(host.or_one(U'.'))).reach_end();
}

}  // namespace kdsd::policy
