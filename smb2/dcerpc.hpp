#pragma once

#include "smb2/types.hpp"
#include "wire/error.hpp"

#include <expected>
#include <vector>

/// DCE/RPC 5.0 as far as one call over a named pipe takes it: bind, its answer, a request and its
/// response, each in one fragment; little-endian, no authentication of its own.
/// · source: C706 chapter 12, MS-RPCE 2.2.2
namespace smb2::dcerpc {

/// An interface or a transfer syntax: UUID in the byte order of the wire, and version.
struct syntax {
  guid uuid{};
  u32 version = 0; ///< major in the low half, minor in the high one

  friend bool operator==(const syntax&, const syntax&) = default;
};

/// The transfer syntax NDR 2.0.
[[nodiscard]] const syntax& ndr() noexcept;

inline constexpr u16 fragment_bytes_max = 4280;

enum class packet_type : u8 {
  request = 0,
  response = 2,
  fault = 3,
  bind = 11,
  bind_ack = 12,
  bind_nak = 13
};

struct header {
  packet_type type{};
  u8 flags = 0;
  u16 fragment_length = 0;
  u32 call_id = 0;

  static constexpr std::size_t size = 16;
  static constexpr u8 first_fragment = 0x01;
  static constexpr u8 last_fragment = 0x02;
};

/// Errors: truncated, bad_value (another version, or big-endian), bad_offset (a fragment shorter
/// than its header).
[[nodiscard]] std::expected<header, wire::decode_error> decode_header(bytes packet);

[[nodiscard]] std::vector<std::byte> encode_bind(u32 call_id, const syntax& interface);

struct bind_ack {
  u16 max_transmit = 0;
  u16 max_receive = 0;
  u16 result = 0; ///< 0: accepted
  u16 reason = 0;
};

/// Errors: truncated, bad_value (another packet, or no result in it).
[[nodiscard]] std::expected<bind_ack, wire::decode_error> decode_bind_ack(bytes packet);

[[nodiscard]] std::vector<std::byte> encode_request(u32 call_id, u16 operation, bytes stub);

/// What one fragment of a response brings, or the status of a fault.
struct response {
  bytes stub; ///< a view into the packet
  bool last = true;
  u32 fault = 0; ///< 0: none
};

/// Errors: truncated, bad_value (another packet).
[[nodiscard]] std::expected<response, wire::decode_error> decode_response(bytes packet);

} // namespace smb2::dcerpc
