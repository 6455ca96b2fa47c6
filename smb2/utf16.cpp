#include "smb2/utf16.hpp"

#include <algorithm>

namespace smb2 {

namespace {

constexpr char32_t replacement = 0xFFFD;

void append_utf8(std::string& out, char32_t c) {
  const auto tail = [&](int shift) {
    out.push_back(static_cast<char>(0x80 | ((c >> shift) & 0x3F)));
  };
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (c >> 6)));
    tail(0);
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (c >> 12)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0 | (c >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

constexpr bool high_surrogate(char32_t c) {
  return c >= 0xD800 && c < 0xDC00;
}
constexpr bool low_surrogate(char32_t c) {
  return c >= 0xDC00 && c < 0xE000;
}

struct utf8_cursor {
  std::string_view text;

  /// Length, payload bits and smallest value of a sequence by its first byte; length 0: not one.
  struct lead {
    std::size_t length;
    char32_t bits;
    char32_t least;
  };

  static constexpr lead lead_of(unsigned char c) {
    if (c < 0x80) return {1, c, 0};
    if (c >= 0xC2 && c < 0xE0) return {2, c & 0x1Fu, 0x80};
    if (c >= 0xE0 && c < 0xF0) return {3, c & 0x0Fu, 0x800};
    if (c >= 0xF0 && c < 0xF5) return {4, c & 0x07u, 0x10000};
    return {0, 0, 0};
  }

  bool take(char32_t& out) {
    const auto first = lead_of(static_cast<unsigned char>(text.front()));
    if (first.length == 0 || first.length > text.size()) return false;
    out = first.bits;
    for (std::size_t i = 1; i < first.length; ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if ((c & 0xC0) != 0x80) return false;
      out = (out << 6) | (c & 0x3Fu);
    }
    text.remove_prefix(first.length);
    return out >= first.least && out <= 0x10FFFF && !high_surrogate(out) && !low_surrogate(out);
  }
};

void append_unit(std::vector<std::byte>& out, char32_t unit) {
  out.push_back(static_cast<std::byte>(unit & 0xFF));
  out.push_back(static_cast<std::byte>(unit >> 8));
}

} // namespace

std::string utf16_view::text() const {
  std::string out;
  out.reserve(data.size() / 2);
  const auto units = data.size() / 2;
  for (std::size_t i = 0; i < units; ++i) {
    char32_t c = wire::load_le<u16>(data.data() + 2 * i);
    if (high_surrogate(c) && i + 1 < units) {
      const char32_t second = wire::load_le<u16>(data.data() + 2 * (i + 1));
      if (low_surrogate(second)) {
        c = 0x10000 + ((c - 0xD800) << 10) + (second - 0xDC00);
        ++i;
      }
    }
    append_utf8(out, high_surrogate(c) || low_surrogate(c) ? replacement : c);
  }
  return out;
}

bool operator==(const utf16_view& a, const utf16_view& b) noexcept {
  return std::ranges::equal(a.data, b.data);
}

std::expected<utf16_string, std::string> to_utf16(std::string_view utf8) {
  utf16_string out;
  out.data.reserve(utf8.size() * 2);
  utf8_cursor in{utf8};
  while (!in.text.empty()) {
    char32_t c = 0;
    if (!in.take(c)) return std::unexpected("a name that is not valid UTF-8");
    if (c >= 0x10000) {
      append_unit(out.data, 0xD800 + ((c - 0x10000) >> 10));
      c = 0xDC00 + ((c - 0x10000) & 0x3FF);
    }
    append_unit(out.data, c);
  }
  return out;
}

} // namespace smb2
