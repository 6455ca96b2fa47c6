#include "rpc/xdr_print.hpp"

#include "wire/hex.hpp"

#include <fmt/format.h>

#include <iterator>

namespace rpc::detail {

namespace {

constexpr std::size_t shown_bytes_max = 64; ///< a whole file handle

} // namespace

void print_number(std::string& out, u64 value) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}

void print_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20 || code == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", code);
    } else {
      out += c;
    }
  }
  out += '"';
}

void print_opaque(std::string& out, bytes data) {
  out += wire::to_hex(data.first(std::min(data.size(), shown_bytes_max)));
  if (data.size() > shown_bytes_max)
    fmt::format_to(std::back_inserter(out), "…({} bytes)", data.size());
}

} // namespace rpc::detail
