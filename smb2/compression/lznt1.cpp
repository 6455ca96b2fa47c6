#include "smb2/compression/decoders.hpp"
#include "wire/reader.hpp"

namespace smb2::compression {

namespace {

constexpr std::size_t chunk_bytes = 4096;
constexpr u16 compressed_chunk = 0x8000;
constexpr std::size_t shortest_match = 3;

/// How many of a token's 16 bits tell the length: fewer the further the chunk has come.
unsigned length_bits(std::size_t position) {
  unsigned bits = 12;
  for (auto reach = position - 1; reach >= 0x10; reach >>= 1)
    --bits;
  return bits;
}

wire::errc expand_chunk(bytes data, sink& out) {
  wire::reader in(data);
  const auto start = out.written();
  while (in.left() > 0) {
    u8 flags = 0;
    in.le(flags);
    for (unsigned bit = 0; bit < 8 && in.left() > 0; ++bit) {
      const auto position = out.written() - start;
      if (position >= chunk_bytes || out.full()) return wire::errc::over_limit;
      if ((flags >> bit & 1) == 0) {
        u8 literal = 0;
        in.le(literal);
        out.put(std::byte{literal});
        continue;
      }
      u16 token = 0;
      if (!in.le(token)) return wire::errc::truncated;
      if (position == 0) return wire::errc::bad_offset;
      const auto bits = length_bits(position);
      const std::size_t length = (token & ((1u << bits) - 1)) + shortest_match;
      const std::size_t distance = (token >> bits) + 1u;
      if (distance > position) return wire::errc::bad_offset;
      if (length > chunk_bytes - position) return wire::errc::over_limit;
      if (const auto code = out.match(distance, length); code != wire::errc::ok) return code;
    }
  }
  return wire::errc::ok;
}

} // namespace

wire::errc lznt1(bytes data, std::span<std::byte> to) {
  wire::reader in(data);
  sink out(to);
  while (!out.full()) {
    u16 head = 0;
    if (!in.le(head)) return wire::errc::truncated;
    if (head == 0) return wire::errc::truncated; // an end before all is there
    bytes chunk;
    if (!in.take(chunk, (head & 0x0FFFu) + 1u)) return wire::errc::truncated;
    const auto code = (head & compressed_chunk) != 0 ? expand_chunk(chunk, out) : out.put(chunk);
    if (code != wire::errc::ok) return code;
  }
  return wire::errc::ok;
}

} // namespace smb2::compression
