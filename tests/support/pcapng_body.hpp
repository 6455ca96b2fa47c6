#pragma once

#include "tests/support/pcap_builder.hpp"
#include "wire/hex.hpp"

namespace support {

/// The body of a pcapng block, field by field, for pcapng_builder::block().
class pcapng_body {
 public:
  explicit pcapng_body(bool big_endian = false) : big_endian_(big_endian) {}

  template <class T>
  pcapng_body& put(T value) {
    detail::put(out_, value, big_endian_);
    return *this;
  }
  pcapng_body& raw(bytes data) {
    detail::append(out_, data);
    out_.resize(wire::align_up(out_.size(), 4));
    return *this;
  }
  pcapng_body& option(u16 code, bytes value) {
    put(code).put(static_cast<u16>(value.size()));
    return raw(value);
  }
  pcapng_body& option(u16 code, std::string_view text) {
    return option(code, wire::as_bytes(text));
  }
  template <class T>
  pcapng_body& number(u16 code, T value) {
    byte_vector field;
    detail::put(field, value, big_endian_);
    return option(code, field);
  }
  pcapng_body& end() { return option(0, bytes{}); }

  operator bytes() const { return out_; } // NOLINT: a body is its bytes

 private:
  bool big_endian_;
  byte_vector out_;
};

/// A file with every kind of block that a capture program writes, and some that none does.
inline void add_every_block(pcapng_builder& b, bool big_endian) {
  const auto when = nanos{1'700'000'000'000'000'000};
  const auto body = [&] { return pcapng_body(big_endian); };
  const auto named = wire::from_hex("0a010203 6100").value();
  b.section(big_endian).interface({.name = "eth0"}).interface({.link_type = 113});
  b.block(4, body().put(u16{1}).put(u16{6}).raw(named).put(u32{0}));
  b.block(10, body().put(u32{0x544c534b}).put(u32{6}).raw(wire::as_bytes("SECRET")));
  b.add(when, pattern(61), 0, "a comment").add(when, pattern(100), 1);
  b.block(9, pattern(33)).block(0x204, pattern(40));
  b.add_simple(pattern(70)).add_old(when, pattern(80));
  b.block(0xbad, pattern(100)).block(0x40000bad, pattern(33)).block(0x12345678, pattern(20));
  b.add(when, pattern(5)).statistics(0, 10, 1, 2).statistics(1, 20, 3, 4);
}

} // namespace support
