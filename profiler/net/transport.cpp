#include "profiler/net/transport.hpp"

#include <algorithm>

namespace profiler::net {

namespace {

namespace option {
constexpr u8 end = 0;
constexpr u8 no_operation = 1;
constexpr u8 mss = 2;
constexpr u8 window_scale = 3;
constexpr u8 sack_permitted = 4;
constexpr u8 timestamps = 8;
} // namespace option

void take_timestamps(const std::byte* at, tcp_segment& out) noexcept {
  out.has_timestamps = true;
  out.ts_value = wire::load_be<u32>(at);
  out.ts_echo = wire::load_be<u32>(at + 4);
}

void take_option(u8 kind, bytes value, tcp_segment& out) noexcept {
  if (kind == option::mss && value.size() == 2) out.mss = wire::load_be<u16>(value.data());
  // RFC 7323 section 2.3: a shift above 14 means 14.
  if (kind == option::window_scale && value.size() == 1)
    out.window_scale = std::min<u8>(std::to_integer<u8>(value[0]), 14);
  if (kind == option::sack_permitted && value.empty()) out.sack_permitted = true;
  if (kind == option::timestamps && value.size() == 8) take_timestamps(value.data(), out);
}

void parse_options(bytes options, tcp_segment& out) noexcept {
  // What nearly every segment of a connection has: two NOPs and the timestamps.
  if (options.size() == 12 && wire::load_be<u32>(options.data()) == 0x0101080a) {
    take_timestamps(options.data() + 4, out);
    return;
  }
  while (!options.empty()) {
    const auto kind = std::to_integer<u8>(options[0]);
    if (kind == option::end) return;
    if (kind == option::no_operation) {
      options = options.subspan(1);
      continue;
    }
    if (options.size() < 2) return;
    const auto length = std::to_integer<std::size_t>(options[1]);
    if (length < 2 || length > options.size()) return;
    take_option(kind, options.subspan(2, length - 2), out);
    options = options.subspan(length);
  }
}

} // namespace

header_state parse_tcp(bytes data, u32 wire_length, tcp_segment& out) noexcept {
  constexpr std::size_t header_bytes_min = 20;
  if (wire_length < header_bytes_min) return header_state::bad;
  if (data.size() < header_bytes_min) return header_state::cut;
  const auto* h = data.data();
  const std::size_t header_bytes = (std::to_integer<std::size_t>(h[12]) >> 4) * 4;
  if (header_bytes < header_bytes_min || header_bytes > wire_length) return header_state::bad;
  out.source_port = wire::load_be<u16>(h);
  out.destination_port = wire::load_be<u16>(h + 2);
  out.seq = wire::load_be<u32>(h + 4);
  out.ack = wire::load_be<u32>(h + 8);
  out.flags = std::to_integer<u8>(h[13]);
  out.window = wire::load_be<u16>(h + 14);
  out.checksum = wire::load_be<u16>(h + 16);
  const auto header_captured = std::min(header_bytes, data.size());
  parse_options(data.subspan(header_bytes_min, header_captured - header_bytes_min), out);
  out.payload = data.subspan(header_captured);
  out.payload_wire_length = wire_length - static_cast<u32>(header_bytes);
  return header_state::ok;
}

header_state parse_udp(bytes data, u32 wire_length, udp_datagram& out) noexcept {
  constexpr u32 header_bytes = 8;
  constexpr u32 padding_max = 64;
  if (wire_length < header_bytes) return header_state::bad;
  if (data.size() < header_bytes) return header_state::cut;
  const auto* h = data.data();
  out.checksum = wire::load_be<u16>(h + 6);
  u32 length = wire::load_be<u16>(h + 4);
  constexpr u32 length_max = 65535;
  // Larger than the field can say: what stands there is the rest of a division, or 0.
  if (wire_length > length_max + padding_max) length = 0;
  if (length != 0 && (length < header_bytes || length > wire_length)) return header_state::bad;
  out.source_port = wire::load_be<u16>(h);
  out.destination_port = wire::load_be<u16>(h + 2);
  out.payload_wire_length = (length == 0 ? wire_length : length) - header_bytes;
  out.payload = data.subspan(
      header_bytes, std::min<std::size_t>(data.size() - header_bytes, out.payload_wire_length));
  return header_state::ok;
}

} // namespace profiler::net
