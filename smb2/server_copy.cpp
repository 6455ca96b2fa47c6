#include "smb2/server_copy.hpp"

#include "smb2/file_control.hpp"

#include <fmt/format.h>

namespace smb2 {

namespace {

constexpr std::string_view name = "SRV_COPYCHUNK_WRITE";

awaitable<std::expected<resume_key, error>> request_resume_key(file source) {
  constexpr u32 output_max = 64;
  constexpr std::string_view what = "SRV_REQUEST_RESUME_KEY";
  std::vector<std::byte> none;
  auto got = co_await control(source, fsctl::srv_request_resume_key, std::move(none), output_max);
  if (!got) co_return std::unexpected(std::move(got.error()));
  if (got->status != status::success)
    co_return std::unexpected(detail::control_error(what, source, got->status));
  const auto key = decode_buffer<srv_request_resume_key_response>(got->message.output);
  if (!key) co_return std::unexpected(detail::bad_control(what, source, key.error()));
  co_return key->key;
}

/// As much as one request may ask for.
srv_copychunk_copy next_request(const resume_key& key, u64 source, u64 target, u64 left,
                                const copy_limits& limits) {
  srv_copychunk_copy out;
  out.source_key = key;
  u64 total = limits.total_bytes;
  while (left > 0 && total > 0 && out.chunks.size() < limits.chunks) {
    const auto here = static_cast<u32>(std::min<u64>({left, total, limits.chunk_bytes}));
    out.chunks.push_back({source, target, here});
    source += here;
    target += here;
    left -= here;
    total -= here;
  }
  return out;
}

u64 bytes_of(const srv_copychunk_copy& request) {
  u64 out = 0;
  for (const auto& chunk : request.chunks)
    out += chunk.length;
  return out;
}

/// A refusal may be an IOCTL response with the limits, or an ERROR response without them.
std::optional<copy_limits> limits_of(const reply<ioctl>& refused) {
  const auto body = decode<ioctl::response>(refused.body);
  if (!body) return std::nullopt;
  const auto said = decode_buffer<srv_copychunk_response>(body->output);
  if (!said) return std::nullopt;
  copy_limits out;
  out.chunks = std::min(said->chunks_written, copychunks_max);
  out.chunk_bytes = said->chunk_bytes_written;
  out.total_bytes = said->total_bytes_written;
  return out;
}

/// Whether the server's limits let us go on: all above 0, and one below ours.
bool tightens(const copy_limits& theirs, const copy_limits& ours) {
  if (theirs.chunks == 0 || theirs.chunk_bytes == 0 || theirs.total_bytes == 0) return false;
  return theirs.chunks < ours.chunks || theirs.chunk_bytes < ours.chunk_bytes ||
         theirs.total_bytes < ours.total_bytes;
}

copy_limits tighter(const copy_limits& a, const copy_limits& b) {
  copy_limits out;
  out.chunks = std::min(a.chunks, b.chunks);
  out.chunk_bytes = std::min(a.chunk_bytes, b.chunk_bytes);
  out.total_bytes = std::min(a.total_bytes, b.total_bytes);
  return out;
}

} // namespace

awaitable<std::expected<copied, error>> server_copy(file source, u64 source_offset, file target,
                                                    u64 target_offset, u64 length,
                                                    copy_limits limits) {
  copied done;
  done.limits = limits;
  done.limits.chunks = std::min(limits.chunks, copychunks_max);
  const auto key = co_await request_resume_key(source);
  if (!key) co_return std::unexpected(key.error());
  while (done.bytes < length) {
    const auto request = next_request(*key, source_offset + done.bytes, target_offset + done.bytes,
                                      length - done.bytes, done.limits);
    auto input = encode_buffer(request);
    constexpr u32 output_max = 12;
    auto got = co_await control(target, fsctl::srv_copychunk_write, std::move(input), output_max);
    if (!got) co_return std::unexpected(std::move(got.error()));
    ++done.requests;
    if (got->status != status::success) {
      const auto theirs = got->status == status::invalid_parameter ? limits_of(*got) : std::nullopt;
      if (!theirs || !tightens(*theirs, done.limits))
        co_return std::unexpected(detail::control_error(name, target, got->status));
      done.limits = tighter(*theirs, done.limits);
      continue;
    }
    const auto said = decode_buffer<srv_copychunk_response>(got->message.output);
    if (!said) co_return std::unexpected(detail::bad_control(name, target, said.error()));
    const auto asked = bytes_of(request);
    if (said->total_bytes_written == 0 || said->total_bytes_written > asked) {
      error e;
      e.code = errc::bad_response;
      e.text = fmt::format("IOCTL {} {}: the server copied {} of {} bytes", name, target.path(),
                           said->total_bytes_written, asked);
      co_return std::unexpected(std::move(e));
    }
    done.bytes += said->total_bytes_written;
  }
  co_return done;
}

} // namespace smb2
