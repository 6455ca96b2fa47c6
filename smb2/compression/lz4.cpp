#include "smb2/compression/decoders.hpp"
#include "wire/reader.hpp"

namespace smb2::compression {

namespace {

constexpr std::size_t in_token = 15;
constexpr std::size_t shortest_match = 4;

/// A length of 15 goes on in bytes, up to the first that is not 255. `most` ends it early.
wire::errc take_length(wire::reader& in, std::size_t most, std::size_t& length) {
  if (length < in_token) return wire::errc::ok;
  u8 more = 0xFF;
  while (more == 0xFF) {
    if (!in.le(more)) return wire::errc::truncated;
    length += more;
    if (length > most) return wire::errc::over_limit;
  }
  return wire::errc::ok;
}

} // namespace

wire::errc lz4(bytes data, std::span<std::byte> to) {
  wire::reader in(data);
  sink out(to);
  while (!out.full()) {
    u8 token = 0;
    if (!in.le(token)) return wire::errc::truncated;
    std::size_t literals = token >> 4;
    if (const auto code = take_length(in, out.room(), literals); code != wire::errc::ok)
      return code;
    bytes run;
    if (!in.take(run, literals)) return wire::errc::truncated;
    if (const auto code = out.put(run); code != wire::errc::ok) return code;
    if (out.full()) break; // the last sequence has no match
    u16 distance = 0;
    if (!in.le(distance)) return wire::errc::truncated;
    std::size_t length = token & 0x0Fu;
    if (const auto code = take_length(in, out.room(), length); code != wire::errc::ok) return code;
    if (const auto code = out.match(distance, length + shortest_match); code != wire::errc::ok)
      return code;
  }
  return wire::errc::ok;
}

} // namespace smb2::compression
