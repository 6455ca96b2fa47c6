#include "smb2/contexts/error.hpp"

namespace smb2 {

namespace {

/// Length (4), id (4), data; the next one stands at a multiple of 8.
constexpr std::size_t context_header_bytes = 8;

} // namespace

std::expected<std::vector<error_context>, wire::decode_error> decode_error_contexts(bytes data,
                                                                                    u8 count) {
  std::vector<error_context> out;
  std::size_t at = 0;
  for (u8 i = 0; i < count; ++i) {
    at = wire::align_up(at, 8);
    if (at > data.size() || data.size() - at < context_header_bytes)
      return std::unexpected(
          wire::decode_error{wire::errc::truncated, static_cast<u32>(at), "error context"});
    const std::size_t length = wire::load_le<u32>(data.data() + at);
    const auto id = wire::load_le<u32>(data.data() + at + 4);
    at += context_header_bytes;
    if (length > data.size() - at)
      return std::unexpected(
          wire::decode_error{wire::errc::truncated, static_cast<u32>(at), "error context"});
    out.push_back({id, data.subspan(at, length)});
    at += length;
  }
  return out;
}

std::vector<std::byte> encode_error_contexts(std::span<const error_context> contexts) {
  wire::writer out;
  for (const auto& context : contexts) {
    out.zeros(wire::align_up(out.size(), 8) - out.size());
    out.le(static_cast<u32>(context.data.size()));
    out.le(context.id);
    out.put(context.data);
  }
  return out.flatten();
}

bytes error_data(const error_response& response) {
  if (response.context_count == 0) return response.data;
  const auto contexts = decode_error_contexts(response.data, response.context_count);
  if (!contexts) return {};
  for (const auto& context : *contexts)
    if (context.id == error_context::default_id) return context.data;
  return {};
}

} // namespace smb2
