#include "smb2/compression/decoders.hpp"
#include "wire/reader.hpp"

#include <vector>

namespace smb2::compression {

namespace {

constexpr std::size_t symbols = 512;
constexpr unsigned code_bits_max = 15;
constexpr std::size_t block_bytes = 65'536;
constexpr std::size_t shortest_match = 3;

/// From the next 15 bits to the symbol that they start with. A length of 0: no symbol does.
class code_table {
 public:
  /// The lengths of all codes, a nibble each; the codes themselves follow from them.
  wire::errc fill(bytes nibbles) {
    entries_.assign(std::size_t{1} << code_bits_max, entry{});
    std::size_t at = 0;
    for (unsigned bits = 1; bits <= code_bits_max; ++bits) {
      const std::size_t share = std::size_t{1} << (code_bits_max - bits);
      for (std::size_t symbol = 0; symbol < symbols; ++symbol) {
        const auto pair = std::to_integer<unsigned>(nibbles[symbol / 2]);
        if ((symbol % 2 == 0 ? pair & 0x0Fu : pair >> 4) != bits) continue;
        if (share > entries_.size() - at) return wire::errc::bad_value;
        std::fill_n(entries_.begin() + static_cast<std::ptrdiff_t>(at), share,
                    entry{static_cast<u16>(symbol), static_cast<u16>(bits)});
        at += share;
      }
    }
    return wire::errc::ok;
  }

  struct entry {
    u16 symbol = 0;
    u16 bits = 0;
  };

  [[nodiscard]] entry find(u32 next_15_bits) const { return entries_[next_15_bits]; }

 private:
  std::vector<entry> entries_;
};

/// Bits in words of 16, the first in the highest place, two words ahead; bytes of long lengths
/// stand between the words. Behind the end there are zeros: the last codes may need no more bits
/// than are there.
class bit_reader {
 public:
  explicit bit_reader(wire::reader& in) : in_(&in) {
    bits_ = word() << 16;
    bits_ |= word();
  }

  [[nodiscard]] u32 peek(unsigned n) const { return n == 0 ? 0 : bits_ >> (32 - n); }

  void skip(unsigned n) {
    bits_ <<= n;
    extra_ -= static_cast<int>(n);
    if (extra_ >= 0) return;
    bits_ |= word() << -extra_;
    extra_ += 16;
  }

 private:
  u32 word() {
    u16 out = 0;
    if (in_->left() >= sizeof out) in_->le(out);
    return out;
  }

  wire::reader* in_;
  u32 bits_ = 0;
  int extra_ = 16;
};

wire::errc take_length(wire::reader& in, std::size_t& length) {
  constexpr std::size_t in_symbol = 15;
  if (length < in_symbol) return wire::errc::ok;
  u8 more = 0;
  if (!in.le(more)) return wire::errc::truncated;
  length = in_symbol + more;
  if (more < 0xFF) return wire::errc::ok;
  u16 two = 0;
  if (!in.le(two)) return wire::errc::truncated;
  u32 whole = two;
  if (two == 0 && !in.le(whole)) return wire::errc::truncated;
  if (whole < in_symbol) return wire::errc::bad_value;
  length = whole;
  return wire::errc::ok;
}

wire::errc expand_match(unsigned symbol, wire::reader& in, bit_reader& bits, sink& out) {
  std::size_t length = symbol % 16;
  const unsigned distance_bits = symbol / 16;
  if (const auto code = take_length(in, length); code != wire::errc::ok) return code;
  const std::size_t distance = (std::size_t{1} << distance_bits) + bits.peek(distance_bits);
  bits.skip(distance_bits);
  return out.match(distance, length + shortest_match);
}

/// One code table and what comes of it; the last match may reach into the next block.
wire::errc expand_block(wire::reader& in, code_table& table, sink& out) {
  bytes lengths;
  if (!in.take(lengths, symbols / 2)) return wire::errc::truncated;
  if (const auto code = table.fill(lengths); code != wire::errc::ok) return code;
  bit_reader bits(in);
  const auto start = out.written();
  while (!out.full() && out.written() - start < block_bytes) {
    const auto [symbol, used] = table.find(bits.peek(code_bits_max));
    if (used == 0) return wire::errc::bad_value;
    bits.skip(used);
    constexpr u16 first_match = 256;
    if (symbol < first_match) {
      out.put(static_cast<std::byte>(symbol));
      continue;
    }
    const auto code = expand_match(symbol - 256u, in, bits, out);
    if (code != wire::errc::ok) return code;
  }
  return wire::errc::ok;
}

} // namespace

wire::errc lz77_huffman(bytes data, std::span<std::byte> to) {
  wire::reader in(data);
  sink out(to);
  code_table table;
  while (!out.full())
    if (const auto code = expand_block(in, table, out); code != wire::errc::ok) return code;
  return wire::errc::ok;
}

} // namespace smb2::compression
