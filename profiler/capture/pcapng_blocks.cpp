#include "profiler/capture/pcapng_blocks.hpp"

#include <array>

namespace profiler::capture {

namespace {

struct named_type {
  u32 first;
  u32 last;
  std::string_view name;
};

/// The registry of the draft, and what is met besides.
constexpr std::array named_types{
    named_type{block_type::section, block_type::section, "section header"},
    named_type{1, 1, "interface description"},
    named_type{2, 2, "packet (obsolete)"},
    named_type{3, 3, "simple packet"},
    named_type{4, 4, "name resolution"},
    named_type{5, 5, "interface statistics"},
    named_type{6, 6, "enhanced packet"},
    named_type{7, 7, "IRIG timestamp"},
    named_type{8, 8, "ARINC 429"},
    named_type{9, 9, "systemd journal export"},
    named_type{10, 10, "decryption secrets"},
    named_type{0x101, 0x102, "Hone project"},
    named_type{0x201, 0x221, "sysdig"},
    named_type{0xbad, 0xbad, "custom"},
    named_type{0x40000bad, 0x40000bad, "custom (not to be copied)"},
    named_type{0x80000001, 0x80000001, "Apple process event"},
};

/// The length of the UTF-8 character at the start of `text` that may be printed; 0: there is none.
std::size_t printable(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<u8>(text[i]); };
  const auto lead = at(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const std::size_t n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, what is above U+10FFFF, and the control characters of C1.
  if (lead == 0xe0 && at(1) < 0xa0) return 0;
  if (lead == 0xed && at(1) > 0x9f) return 0;
  if (lead == 0xf0 && at(1) < 0x90) return 0;
  if (lead == 0xf4 && at(1) > 0x8f) return 0;
  if (lead == 0xc2 && at(1) < 0xa0) return 0;
  return n;
}

} // namespace

std::string_view block_name(u32 type) noexcept {
  for (const auto& t : named_types)
    if (type >= t.first && type <= t.last) return t.name;
  return {};
}

std::string hex_of(u32 value) {
  std::string out;
  for (int shift = 28; shift >= 0; shift -= 4)
    out += "0123456789abcdef"[value >> shift & 15];
  return out;
}

std::string clean_text(bytes raw, std::size_t bytes_max) {
  constexpr std::string_view replacement = "\xef\xbf\xbd";
  auto text = wire::as_text(raw);
  while (!text.empty() && text.back() == '\0')
    text.remove_suffix(1);
  std::string out;
  while (!text.empty()) {
    const bool line_break = text[0] == '\n' || text[0] == '\t';
    const auto n = line_break ? 1 : printable(text);
    const auto piece = line_break ? std::string_view(" ")
                       : n == 0   ? replacement
                                  : text.substr(0, n);
    if (piece.size() > bytes_max - out.size()) break;
    out += piece;
    text.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return out;
}

} // namespace profiler::capture
