#include "smb2/le_print.hpp"

#include "wire/hex.hpp"

#include <fmt/format.h>

namespace smb2 {

void le_print::label(const char* name) {
  if (!out_->empty() && out_->back() != '{' && out_->back() != '[') out_->push_back(' ');
  out_->append(name);
  out_->push_back('=');
}

/// Counts are read in decimal, flags and ids in hex: what is short is given in decimal.
void le_print::number(u64 n) {
  constexpr u64 readable_max = 0xFF'FFFF;
  out_->append(n <= readable_max ? fmt::format("{}", n) : fmt::format("0x{:x}", n));
}

void le_print::opaque(bytes data, u64 length) {
  constexpr std::size_t shown_bytes = 16;
  if (data.size() <= shown_bytes && length == data.size()) {
    out_->append(data.empty() ? "-" : wire::to_hex(data));
    return;
  }
  out_->append(fmt::format("{}...({} bytes)",
                           wire::to_hex(data.first(std::min(data.size(), shown_bytes))), length));
}

void le_print::quoted(const utf16_view& text) {
  out_->push_back('"');
  for (const char c : text.text()) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out_->append(fmt::format("\\x{:02x}", static_cast<unsigned char>(c)));
    else
      out_->push_back(c);
  }
  out_->push_back('"');
}

} // namespace smb2
