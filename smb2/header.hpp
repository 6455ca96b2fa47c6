#pragma once

#include "smb2/le.hpp"
#include "smb2/signer.hpp"
#include "smb2/types.hpp"
#include "wire/error.hpp"
#include "wire/writer.hpp"

#include <expected>

namespace smb2 {

/// Flags of the SMB2 header, MS-SMB2 2.2.1.
namespace flags {
inline constexpr u32 server_to_redir = 0x0000'0001; ///< a response
inline constexpr u32 async_command = 0x0000'0002;   ///< AsyncId stands where TreeId would
inline constexpr u32 related_operations = 0x0000'0004;
inline constexpr u32 is_signed = 0x0000'0008;
inline constexpr u32 priority_mask = 0x0000'0070;
inline constexpr u32 dfs_operations = 0x1000'0000;
inline constexpr u32 replay_operation = 0x2000'0000;
} // namespace flags

/// MessageId of what the server sends on its own: an oplock or lease break (2.2.1.2).
inline constexpr u64 unsolicited_message_id = ~u64{0};

/// The SMB2 header, synchronous and asynchronous form.
/// · bytes: 64, little-endian; a message of a compound starts at a multiple of 8.
/// · source: MS-SMB2 2.2.1.1, 2.2.1.2
struct header {
  u16 credit_charge = 0;
  u32 status = 0; ///< NTSTATUS; in requests of 3.x ChannelSequence and reserved
  u16 command = 0;
  u16 credits = 0; ///< requested, or granted
  u32 flags = 0;
  u32 next_command = 0; ///< from this header to the next one; 0: the last
  u64 message_id = 0;
  u64 async_id = 0; ///< asynchronous form only
  u32 tree_id = 0;  ///< synchronous form only
  u64 session_id = 0;
  smb2::signature signature{};

  [[nodiscard]] bool response() const noexcept { return (flags & flags::server_to_redir) != 0; }
  [[nodiscard]] bool async() const noexcept { return (flags & flags::async_command) != 0; }
  [[nodiscard]] bool related() const noexcept { return (flags & flags::related_operations) != 0; }
  [[nodiscard]] bool is_signed() const noexcept { return (flags & flags::is_signed) != 0; }

  friend bool operator==(const header&, const header&) = default;
};

inline constexpr u32 protocol_id = 0x424D'53FE; ///< FE 'S' 'M' 'B' as a little-endian number
inline constexpr std::size_t signature_offset = 48;
inline constexpr std::size_t next_command_offset = 20;

/// Up to the end of MessageId: enough to find a response's request.
inline constexpr std::size_t header_numbers_bytes = 32;

/// Of a header of which only the start was captured: what lies behind MessageId is 0.
/// Errors: truncated (fewer than 32 bytes), bad_value (no SMB2 header, StructureSize not 64).
[[nodiscard]] inline std::expected<header, wire::decode_error> decode_header_start(bytes message) {
  using wire::load_le;
  if (message.size() < header_numbers_bytes)
    return std::unexpected(
        wire::decode_error{wire::errc::truncated, static_cast<u32>(message.size()), "SMB2 header"});
  const auto* p = message.data();
  if (load_le<u32>(p) != protocol_id || load_le<u16>(p + 4) != header_bytes)
    return std::unexpected(wire::decode_error{wire::errc::bad_value, 0, "SMB2 header"});
  header h;
  h.credit_charge = load_le<u16>(p + 6);
  h.status = load_le<u32>(p + 8);
  h.command = load_le<u16>(p + 12);
  h.credits = load_le<u16>(p + 14);
  h.flags = load_le<u32>(p + 16);
  h.next_command = load_le<u32>(p + next_command_offset);
  h.message_id = load_le<u64>(p + 24);
  return h;
}

/// Errors: truncated (fewer than 64 bytes), bad_value (no SMB2 header, StructureSize not 64).
[[nodiscard]] inline std::expected<header, wire::decode_error> decode_header(bytes message) {
  using wire::load_le;
  if (message.size() < header_bytes)
    return std::unexpected(
        wire::decode_error{wire::errc::truncated, static_cast<u32>(message.size()), "SMB2 header"});
  auto h = decode_header_start(message);
  if (!h) return h;
  const auto* p = message.data();
  if (h->async())
    h->async_id = load_le<u64>(p + 32);
  else
    h->tree_id = load_le<u32>(p + 36);
  h->session_id = load_le<u64>(p + 40);
  std::memcpy(h->signature.data(), p + signature_offset, h->signature.size());
  return h;
}

/// Writes the 64 bytes over `to`.
inline void store_header(const header& h, std::span<std::byte, header_bytes> to) {
  using wire::store_le;
  auto* p = to.data();
  store_le(p, protocol_id);
  store_le(p + 4, static_cast<u16>(header_bytes));
  store_le(p + 6, h.credit_charge);
  store_le(p + 8, h.status);
  store_le(p + 12, h.command);
  store_le(p + 14, h.credits);
  store_le(p + 16, h.flags);
  store_le(p + next_command_offset, h.next_command);
  store_le(p + 24, h.message_id);
  store_le(p + 32, h.async() ? h.async_id : u64{h.tree_id} << 32);
  store_le(p + 40, h.session_id);
  std::memcpy(p + signature_offset, h.signature.data(), h.signature.size());
}

/// Appends the 64 bytes.
inline void encode_header(const header& h, wire::writer& out) {
  std::array<std::byte, header_bytes> raw;
  store_header(h, raw);
  out.put(raw);
}

} // namespace smb2
