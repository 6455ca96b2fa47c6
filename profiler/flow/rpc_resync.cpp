#include "profiler/flow/rpc_resync.hpp"

#include "profiler/flow/rpc_programs.hpp"
#include "rpc/auth.hpp"
#include "rpc/record_mark.hpp"

#include <algorithm>
#include <array>

namespace profiler::flow {

namespace {

using wire::load_be;

constexpr std::size_t mark_bytes = 4;
/// xid, msg_type, and what tells a call or a reply from noise.
constexpr std::size_t numbers_min = 12;
/// xid to proc, flavour and length of the credential.
constexpr std::size_t numbers_max = 32;
/// xid, msg_type, reply_stat, verifier (flavour, length), accept_stat
constexpr u64 reply_bytes_min = 20;
/// xid to proc, credential and verifier of AUTH_NONE
constexpr u64 call_bytes_min = 40;
/// Fragments that are looked through for the first bytes.
constexpr int fragments_max = 8;

/// The first bytes of a message, put together from its fragments.
struct message_start {
  std::array<std::byte, numbers_max> data;
  std::size_t have = 0; ///< of `data`
  u64 length = 0;       ///< of the message, as far as the marks were seen
  bool length_known = false;
  std::size_t end = 0; ///< where the record ends in the stream; 0: beyond what there is of it

  [[nodiscard]] u32 number(std::size_t at) const noexcept { return load_be<u32>(data.data() + at); }
};

/// Nothing when the marks cannot be any: too long, or several fragments of 0 bytes in a row, which
/// nobody sends and zeros in a file look like.
std::optional<message_start> gather(bytes stream) noexcept {
  message_start out;
  std::size_t at = 0;
  bool was_empty = false;
  for (int i = 0; i < fragments_max; ++i) {
    if (stream.size() - at < mark_bytes) return out;
    const auto mark = rpc::record_mark::parse(load_be<u32>(stream.data() + at));
    if (mark.length > rpc::record_mark::frame_bytes_max - out.length) return std::nullopt;
    const bool empty = mark.length == 0 && !mark.last;
    if (empty && was_empty) return std::nullopt;
    was_empty = empty;
    at += mark_bytes;
    out.length += mark.length;
    const auto here = std::min<std::size_t>(mark.length, stream.size() - at);
    const auto taken = std::min(here, numbers_max - out.have);
    std::copy_n(stream.data() + at, taken, out.data.data() + out.have);
    out.have += taken;
    out.length_known = mark.last;
    if (here < mark.length) return out;
    at += here;
    if (mark.last) {
      out.end = at;
      return out;
    }
  }
  return out;
}

bool plausible_flavor(u32 flavor) noexcept {
  constexpr auto dh = static_cast<u32>(rpc::auth_flavor::dh);
  constexpr auto gss = static_cast<u32>(rpc::auth_flavor::gss);
  constexpr auto tls = static_cast<u32>(rpc::auth_flavor::tls);
  return flavor <= dh || flavor == gss || flavor == tls;
}

bool plausible_call(const message_start& m) noexcept {
  constexpr u32 versions_max = 16;
  constexpr std::size_t through_version = 20;
  constexpr std::size_t through_procedure = 24;
  constexpr u32 procedures_max = 256;
  if (m.have < through_procedure || m.number(8) != rpc::rpc_version ||
      !plausible_program(m.number(12)) || m.number(through_version - 4) >= versions_max ||
      m.number(through_procedure - 4) >= procedures_max)
    return false;
  if (m.length_known && m.length < call_bytes_min) return false;
  if (m.have < numbers_max) return true;
  return plausible_flavor(m.number(24)) && m.number(28) <= rpc::auth_body_bytes_max;
}

bool plausible_reply(const message_start& m) noexcept {
  return m.number(8) <= 1 && (!m.length_known || m.length >= reply_bytes_min);
}

/// Accepted, with a verifier that can be one: all that can be said without its call.
bool accepted(const message_start& m) noexcept {
  if (m.have < reply_bytes_min || m.number(8) != 0) return false;
  const auto flavor = m.number(12);
  return plausible_flavor(flavor) && m.number(16) <= (flavor == 0 ? 0 : rpc::auth_body_bytes_max);
}

/// Nothing of what can be seen speaks against a record here.
bool may_start_record(bytes stream) noexcept {
  const auto m = gather(stream);
  if (!m) return false;
  if (m->length_known && m->length < reply_bytes_min) return false;
  if (m->have < 8) return true;
  const auto type = m->number(4);
  if (type > 1) return false;
  if (m->have < numbers_min) return true;
  return type == 1 ? m->number(8) <= 1 : m->number(8) == rpc::rpc_version;
}

/// Most of what is looked at is file data: this says so of nearly all of it, and soon.
bool is_noise(bytes stream) noexcept {
  const auto mark = rpc::record_mark::parse(load_be<u32>(stream.data()));
  if (mark.length > rpc::record_mark::frame_bytes_max) return true;
  const auto next = load_be<u32>(stream.data() + mark_bytes);
  if (mark.length == 0) return mark.last || next == 0;
  return mark.length >= 8 && load_be<u32>(stream.data() + mark_bytes + 4) > 1;
}

} // namespace

std::optional<record_start> read_record_start(bytes stream) noexcept {
  if (stream.size() < mark_bytes + numbers_min || is_noise(stream)) return std::nullopt;
  const auto m = gather(stream);
  if (!m || m->have < numbers_min) return std::nullopt;
  const auto type = m->number(4);
  if (type > 1) return std::nullopt;
  record_start out{.xid = m->number(0), .reply = type == 1};
  if (!(out.reply ? plausible_reply(*m) : plausible_call(*m))) return std::nullopt;
  out.certain_form = out.reply && accepted(*m);
  if (m->end == 0) return out;
  const auto behind = stream.subspan(m->end);
  if (!may_start_record(behind)) return std::nullopt;
  out.ends_well = behind.empty() || behind.size() >= mark_bytes + numbers_min;
  return out;
}

bool near_xid(u64 a, u64 b) noexcept {
  constexpr u32 far = 1u << 16;
  const auto close = [](u32 p, u32 q) { return p - q < far || q - p < far; };
  const auto swapped = [](u32 n) {
    std::array<std::byte, sizeof(n)> raw;
    wire::store_be(raw.data(), n);
    return wire::load_le<u32>(raw.data());
  };
  const auto x = static_cast<u32>(a);
  const auto y = static_cast<u32>(b);
  return close(x, y) || close(swapped(x), swapped(y));
}

} // namespace profiler::flow
