#pragma once

#include "profiler/link/layer.hpp"

namespace profiler::link {

/// What Linux' netfilter logs: family, version, resource, then attributes of which one is the
/// packet. Lengths and types of attributes are in the byte order of the host that captured.
/// · source: tcpdump.org, LINKTYPE_NFLOG
struct nflog {
  static constexpr u32 link_type = 239;
  static constexpr std::string_view name = "NFLOG";

  static std::optional<network_packet> strip(bytes frame, u32 wire_length) {
    constexpr std::size_t header_bytes = 4;
    constexpr u16 payload = 9;
    if (frame.size() < header_bytes) return std::nullopt;
    const auto family = std::to_integer<u8>(frame[0]);
    const bool big = is_big_endian(frame.subspan(header_bytes));
    for (std::size_t at = header_bytes; frame.size() - at >= 4;) {
      const auto field = [&](std::size_t i) {
        return big ? wire::load_be<u16>(frame.data() + i) : wire::load_le<u16>(frame.data() + i);
      };
      const std::size_t length = field(at);
      if (length < 4) return std::nullopt;
      if (field(at + 2) == payload) return packet_of(frame.subspan(at + 4), length - 4, family);
      const auto padded = (length + 3) / 4 * 4;
      if (padded > frame.size() - at) return std::nullopt;
      at += padded;
    }
    static_cast<void>(wire_length); // the attribute says how long the packet is
    return std::nullopt;
  }

 private:
  /// Attributes are few and small numbers: in the wrong order they are none.
  static bool is_big_endian(bytes attributes) noexcept {
    return attributes.size() >= 4 && wire::load_le<u16>(attributes.data() + 2) > 0xff;
  }

  static network_packet packet_of(bytes data, std::size_t length, u8 family) noexcept {
    constexpr u8 inet = 2;
    constexpr u8 inet6 = 10;
    return {.protocol = family == inet    ? ether_type::ipv4
                        : family == inet6 ? ether_type::ipv6
                                          : u16{0},
            .data = data.first(std::min(data.size(), length)),
            .wire_length = static_cast<u32>(length)};
  }
};

} // namespace profiler::link
