#include "smb2/compression/message.hpp"

#include "smb2/compression/decoders.hpp"
#include "smb2/transform.hpp"

#include <algorithm>

namespace smb2 {

namespace {

using result = std::expected<std::vector<std::byte>, wire::decode_error>;

/// ProtocolId and OriginalCompressedSegmentSize; chained payloads follow at once.
constexpr std::size_t chained_header_bytes = 8;

wire::decode_error wrong(wire::errc code, std::size_t at) {
  return {code, static_cast<u32>(at), compression_header::title};
}

/// What may be decompressed: nullptr for everything.
using agreement = const compression_agreement*;

wire::decode_error not_agreed(std::size_t at) {
  return {wire::errc::bad_value, static_cast<u32>(at), "compression that was not agreed on"};
}

bool allows(agreement agreed, compression_algorithm algorithm) {
  if (agreed == nullptr || algorithm == compression_algorithm::none) return true;
  return std::ranges::find(agreed->algorithms, algorithm) != agreed->algorithms.end();
}

wire::errc expand(compression_algorithm algorithm, bytes in, std::span<std::byte> out) {
  switch (algorithm) {
  case compression_algorithm::lznt1:
    return compression::lznt1(in, out);
  case compression_algorithm::lz77:
    return compression::lz77(in, out);
  case compression_algorithm::lz77_huffman:
    return compression::lz77_huffman(in, out);
  case compression_algorithm::lz4:
    return compression::lz4(in, out);
  case compression_algorithm::none:
  case compression_algorithm::pattern_v1:
    break;
  }
  return wire::errc::bad_value;
}

result decompress_one(bytes message, const compression_header& head, u32 bytes_max,
                      agreement agreed) {
  const auto algorithm = static_cast<compression_algorithm>(head.algorithm);
  if (!allows(agreed, algorithm)) return std::unexpected(not_agreed(8));
  const auto rest = message.subspan(compression_header::size);
  if (head.offset > rest.size()) return std::unexpected(wrong(wire::errc::bad_offset, 12));
  if (head.offset > bytes_max || head.original_segment_size > bytes_max - head.offset)
    return std::unexpected(wrong(wire::errc::over_limit, 4));
  std::vector<std::byte> out(std::size_t{head.offset} + head.original_segment_size);
  std::ranges::copy(rest.first(head.offset), out.begin());
  const auto code =
      expand(algorithm, rest.subspan(head.offset), std::span(out).subspan(head.offset));
  if (code != wire::errc::ok)
    return std::unexpected(wrong(code, compression_header::size + head.offset));
  return out;
}

/// SMB2_COMPRESSION_CHAINED_PAYLOAD_HEADER, 2.2.42.2.1
struct payload_header {
  static constexpr std::string_view title = "compressed payload";

  compression_algorithm algorithm{};
  u16 flags = 0;
  u32 length = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("algorithm", m.algorithm, "flags", m.flags, "length", m.length);
  }
};

/// SMB2_COMPRESSION_PATTERN_PAYLOAD_V1, 2.2.42.2.2
struct pattern_payload {
  static constexpr std::string_view title = "pattern payload";

  u8 pattern = 0;
  u32 repetitions = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("pattern", m.pattern) && ar.pad(3) && ar("repetitions", m.repetitions);
  }
};

wire::errc expand_pattern(bytes payload, std::span<std::byte> out, std::size_t& used) {
  const auto m = decode_buffer<pattern_payload>(payload);
  if (!m) return m.error().code;
  if (m->repetitions > out.size()) return wire::errc::over_limit;
  used = m->repetitions;
  std::ranges::fill(out.first(used), std::byte{m->pattern});
  return wire::errc::ok;
}

wire::errc expand_payload(compression_algorithm algorithm, bytes payload, std::span<std::byte> out,
                          std::size_t& used) {
  if (algorithm == compression_algorithm::pattern_v1) return expand_pattern(payload, out, used);
  if (algorithm == compression_algorithm::none) {
    if (payload.size() > out.size()) return wire::errc::over_limit;
    std::ranges::copy(payload, out.begin());
    used = payload.size();
    return wire::errc::ok;
  }
  // The others have their original size before them, and Length counts it.
  if (payload.size() < sizeof(u32)) return wire::errc::truncated;
  used = wire::load_le<u32>(payload.data());
  if (used > out.size()) return wire::errc::over_limit;
  return expand(algorithm, payload.subspan(sizeof(u32)), out.first(used));
}

result decompress_chain(bytes message, u32 original_size, u32 bytes_max, agreement agreed) {
  if (agreed != nullptr && !agreed->chained) return std::unexpected(not_agreed(10));
  if (original_size > bytes_max) return std::unexpected(wrong(wire::errc::over_limit, 4));
  std::vector<std::byte> out(original_size);
  std::size_t filled = 0;
  std::size_t at = chained_header_bytes;
  while (at < message.size()) {
    le_reader in(message, at);
    payload_header head;
    if (!payload_header::fields(head, in)) return std::unexpected(in.error(payload_header::title));
    if (!allows(agreed, head.algorithm)) return std::unexpected(not_agreed(at));
    const auto start = in.cursor().position();
    if (head.length > message.size() - start)
      return std::unexpected(wrong(wire::errc::truncated, at));
    std::size_t used = 0;
    const auto code = expand_payload(head.algorithm, message.subspan(start, head.length),
                                     std::span(out).subspan(filled), used);
    if (code != wire::errc::ok) return std::unexpected(wrong(code, at));
    filled += used;
    at = start + head.length;
  }
  if (filled != out.size()) return std::unexpected(wrong(wire::errc::truncated, at));
  return out;
}

result decompress_as(bytes message, u32 bytes_max, agreement agreed) {
  const auto head = decode_buffer<compression_header>(message);
  if (!head) return std::unexpected(head.error());
  if (kind_of(message) != message_kind::compressed)
    return std::unexpected(wrong(wire::errc::bad_value, 0));
  if (head->flags == compression_header::chained)
    return decompress_chain(message, head->original_segment_size, bytes_max, agreed);
  if (head->flags != 0) return std::unexpected(wrong(wire::errc::bad_value, 10));
  return decompress_one(message, *head, bytes_max, agreed);
}

} // namespace

result decompress(bytes message, u32 bytes_max) {
  return decompress_as(message, bytes_max, nullptr);
}

result decompress(bytes message, const compression_agreement& agreed, u32 bytes_max) {
  return decompress_as(message, bytes_max, &agreed);
}

} // namespace smb2
