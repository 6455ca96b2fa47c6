#include "profiler/flow/smb2_resync.hpp"

#include "smb2/direct_tcp.hpp"
#include "smb2/header.hpp"

namespace profiler::flow {

namespace {

using smb2::message_kind;
using wire::load_be;
using wire::load_le;

constexpr std::size_t prefix_bytes = smb2::direct_tcp::prefix_bytes;
constexpr u16 last_command = 0x13;
constexpr std::size_t through_message_id = 32;
constexpr std::size_t through_session_id = 48;
constexpr u32 known_flags = smb2::flags::server_to_redir | smb2::flags::async_command |
                            smb2::flags::related_operations | smb2::flags::is_signed |
                            smb2::flags::priority_mask | smb2::flags::dfs_operations |
                            smb2::flags::replay_operation;
/// The shortest body of a command: its StructureSize and two bytes.
constexpr std::size_t body_bytes_min = 2;
constexpr std::size_t smb1_header_bytes = 32;
constexpr std::size_t smb1_flags_offset = 9;

bool plausible_header(direction d, bytes message, u64 room) noexcept {
  if (message.size() < through_message_id || room < smb2::header_bytes + body_bytes_min)
    return false;
  const auto* p = message.data();
  if (load_le<u16>(p + 4) != smb2::header_bytes || load_le<u16>(p + 12) > last_command)
    return false;
  const auto flags = load_le<u32>(p + 16);
  if ((flags & ~known_flags) != 0) return false;
  if (((flags & smb2::flags::server_to_redir) != 0) != (d == direction::to_client)) return false;
  const u64 next = load_le<u32>(p + smb2::next_command_offset);
  if (next == 0) return true;
  if (next % 8 != 0 || next < smb2::header_bytes || next > room || room - next < smb2::header_bytes)
    return false;
  if (message.size() < next + 6) return true;
  return load_le<u32>(p + next) == smb2::protocol_id &&
         load_le<u16>(p + next + 4) == smb2::header_bytes;
}

bool plausible_sealed(bytes message, u64 room) noexcept {
  if (message.size() < 44) return false;
  const auto* p = message.data();
  return load_le<u16>(p + 42) == smb2::transform_header::encrypted && load_le<u16>(p + 40) == 0 &&
         load_le<u32>(p + 36) + u64{smb2::transform_header::size} == room;
}

bool plausible_compressed(bytes message, u64 room) noexcept {
  if (message.size() < smb2::compression_header::size) return false;
  const auto* p = message.data();
  const auto original = load_le<u32>(p + 4);
  const auto flags = load_le<u16>(p + 10);
  return original > 0 && original <= smb2::message_bytes_max && load_le<u16>(p + 8) <= 5 &&
         flags <= smb2::compression_header::chained &&
         (flags != 0 || load_le<u32>(p + 12) <= room - smb2::compression_header::size);
}

bool plausible_smb1(direction d, bytes message, u64 room) noexcept {
  if (message.size() <= smb1_flags_offset || room < smb1_header_bytes + 3) return false;
  const bool reply = (load_le<u8>(message.data() + smb1_flags_offset) & 0x80) != 0;
  return reply == (d == direction::to_client);
}

bool plausible(direction d, message_kind kind, bytes message, u64 room) noexcept {
  switch (kind) {
  case message_kind::smb2:
    return plausible_header(d, message, room);
  case message_kind::sealed:
    return plausible_sealed(message, room);
  case message_kind::compressed:
    return room >= smb2::compression_header::size && plausible_compressed(message, room);
  case message_kind::smb1:
    return plausible_smb1(d, message, room);
  case message_kind::keep_alive:
  case message_kind::other:
    return false;
  }
  return false;
}

enum class behind : u8 { nothing_seen, good, bad };

/// What stands where the prefix says that the next frame starts.
behind look_behind(bytes stream, u64 length) noexcept {
  const u64 end = prefix_bytes + length;
  if (stream.size() < end) return behind::nothing_seen;
  if (stream.size() == end) return behind::good;
  const auto next = stream.subspan(static_cast<std::size_t>(end));
  if (next.size() < prefix_bytes + 4)
    return next.front() == std::byte{} ? behind::nothing_seen : behind::bad;
  if (!smb2::direct_tcp::parse(load_be<u32>(next.data())).valid) return behind::bad;
  const auto kind = smb2::kind_of(next.subspan(prefix_bytes));
  return kind == message_kind::other && next.front() == std::byte{} ? behind::bad : behind::good;
}

void take_header(bytes message, smb2_start& out) noexcept {
  const auto* p = message.data();
  out.status = load_le<u32>(p + 8);
  out.command = load_le<u16>(p + 12);
  out.response = (load_le<u32>(p + 16) & smb2::flags::server_to_redir) != 0;
  out.message_id = load_le<u64>(p + 24);
  if (message.size() >= through_session_id) out.session_id = load_le<u64>(p + 40);
}

} // namespace

std::optional<smb2_start> read_start(direction d, bytes stream) {
  if (stream.size() < prefix_bytes + 4) return std::nullopt;
  const auto message = stream.subspan(prefix_bytes);
  smb2_start out;
  // First, since most bytes that are looked at are file data.
  out.kind = smb2::kind_of(message);
  if (out.kind == message_kind::other) return std::nullopt;
  const auto prefix = load_be<u32>(stream.data());
  if (prefix >> 24 != smb2::direct_tcp::session_message) return std::nullopt;
  out.length = prefix;
  if (!plausible(d, out.kind, message, prefix)) return std::nullopt;
  const auto next = look_behind(stream, prefix);
  if (next == behind::bad) return std::nullopt;
  out.ends_here = next == behind::good;
  if (out.kind == message_kind::smb2) take_header(message, out);
  if (out.kind == message_kind::sealed && message.size() >= smb2::transform_header::size)
    out.session_id = load_le<u64>(message.data() + 44);
  return out;
}

} // namespace profiler::flow
