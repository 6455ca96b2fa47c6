#include "smb2/compression/decoders.hpp"
#include "wire/reader.hpp"

namespace smb2::compression {

namespace {

constexpr std::size_t shortest_match = 3;

/// A length that does not fit in the three bits of the token goes on in a nibble (two tokens share
/// a byte of them), then in a byte, in two, in four.
class length_reader {
 public:
  wire::errc take(wire::reader& in, std::size_t& length) {
    constexpr std::size_t in_token = 7;
    constexpr std::size_t in_nibble = 15;
    if (length < in_token) return wire::errc::ok;
    u8 nibble = 0;
    if (half_left_) {
      nibble = shared_ >> 4;
    } else {
      if (!in.le(shared_)) return wire::errc::truncated;
      nibble = shared_ & 0x0F;
    }
    half_left_ = !half_left_;
    length = in_token + nibble;
    if (nibble < in_nibble) return wire::errc::ok;
    return take_long(in, in_token + in_nibble, length);
  }

 private:
  static wire::errc take_long(wire::reader& in, std::size_t base, std::size_t& length) {
    u8 more = 0;
    if (!in.le(more)) return wire::errc::truncated;
    length = base + more;
    if (more < 0xFF) return wire::errc::ok;
    u16 two = 0;
    if (!in.le(two)) return wire::errc::truncated;
    u32 whole = two;
    if (two == 0 && !in.le(whole)) return wire::errc::truncated;
    if (whole < base) return wire::errc::bad_value;
    length = whole;
    return wire::errc::ok;
  }

  u8 shared_ = 0;
  bool half_left_ = false; ///< the upper half of `shared_` is the next nibble
};

} // namespace

wire::errc lz77(bytes data, std::span<std::byte> to) {
  wire::reader in(data);
  sink out(to);
  length_reader lengths;
  u32 flags = 0;
  unsigned flags_left = 0;
  while (!out.full()) {
    if (flags_left == 0) {
      if (!in.le(flags)) return wire::errc::truncated;
      flags_left = 32;
    }
    --flags_left;
    if ((flags >> flags_left & 1) == 0) {
      u8 literal = 0;
      if (!in.le(literal)) return wire::errc::truncated;
      out.put(std::byte{literal});
      continue;
    }
    u16 token = 0;
    if (!in.le(token)) return wire::errc::truncated;
    std::size_t length = token % 8u;
    if (const auto code = lengths.take(in, length); code != wire::errc::ok) return code;
    const auto code = out.match(token / 8u + 1u, length + shortest_match);
    if (code != wire::errc::ok) return code;
  }
  return wire::errc::ok;
}

} // namespace smb2::compression
