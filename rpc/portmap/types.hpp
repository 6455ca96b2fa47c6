#pragma once

#include "rpc/record_mark.hpp"
#include "rpc/xdr.hpp"
#include "wire/exchange.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

/// The program that knows the ports of all others. Source: RFC 1833.
namespace rpc::portmap {

inline constexpr u32 program_number = 100000;
inline constexpr wire::u16 port = 111;

inline constexpr u32 protocol_tcp = 6;
inline constexpr u32 protocol_udp = 17;

/// The RFC has no limits. Universal addresses and netids are short ("tcp6", 46 characters of
/// address and 8 of port); a server registers tens of programs, and a list of 4096 is no list.
inline constexpr u32 text_bytes_max = 256;
inline constexpr u32 mappings_max = 4096;

template <u32 Version>
struct program {
  static constexpr u32 number = program_number;
  static constexpr u32 version = Version;
  static constexpr auto protocol = wire::protocol::portmap;
};

/// Source: RFC 1833 section 3.1 (struct mapping).
struct mapping {
  u32 program = 0;
  u32 version = 0;
  u32 protocol = 0;
  u32 port = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("prog", m.program, "vers", m.version, "prot", m.protocol, "port", m.port);
  }
};

/// Source: RFC 1833 section 2.1 (struct rpcb).
struct rpcb {
  u32 program = 0;
  u32 version = 0;
  std::string_view netid;   ///< "tcp", "udp", "tcp6", "udp6"
  std::string_view address; ///< universal address: "198.18.1.2.8.1"
  std::string_view owner;

  static bool fields(auto& m, auto& ar) {
    return ar("prog", m.program, "vers", m.version) && ar.text("netid", m.netid, text_bytes_max) &&
           ar.text("addr", m.address, text_bytes_max) && ar.text("owner", m.owner, text_bytes_max);
  }
};

struct word_result {
  u32 value = 0;
  static bool fields(auto& m, auto& ar) { return ar("value", m.value); }
};

struct bool_result {
  bool value = false;
  static bool fields(auto& m, auto& ar) { return ar("value", m.value); }
};

struct text_result {
  std::string_view value;
  static bool fields(auto& m, auto& ar) { return ar.text("value", m.value, text_bytes_max); }
};

/// An address and a port in the universal form of RFC 5665 section 5.2.3: two more numbers behind
/// the address, the port's high and low byte.
struct endpoint {
  std::string host;
  wire::u16 port = 0;

  friend bool operator==(const endpoint&, const endpoint&) = default;
};

[[nodiscard]] std::string to_universal(const endpoint& e);
[[nodiscard]] std::expected<endpoint, wire::errc> from_universal(std::string_view text);

} // namespace rpc::portmap
