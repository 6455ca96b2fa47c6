#include "smb2/contexts/create.hpp"

namespace smb2 {

namespace {

/// The fixed part of one context and what it names, all inside `context`.
struct fixed_part {
  static constexpr std::string_view title = "create context";

  u32 next = 0;
  bytes name;
  bytes data;

  static bool fields(auto& m, auto& ar) {
    return ar("next", m.next) && ar.offset16(0) && ar.length16(m.name, 0) && ar.pad(2) &&
           ar.offset16(1) && ar.length32(m.data, 1) && ar.tail("name", m.name, 0, 8) &&
           ar.tail("data", m.data, 1, 8);
  }
};

} // namespace

prefix<std::vector<create_context>> decode_create_contexts(bytes chain) {
  prefix<std::vector<create_context>> out;
  u32 position = 0;
  while (!chain.empty()) {
    const auto one = decode_buffer_prefix<fixed_part>(chain);
    out.error = one.error;
    out.error.offset += position;
    if (!one.ok()) break;
    if (out.message.size() == create_contexts_max) {
      out.error = {wire::errc::over_limit, position, fixed_part::title};
      break;
    }
    out.message.push_back({one.message.name, one.message.data});
    const auto next = one.message.next;
    if (next == 0) break;
    if (next % 8 != 0 || next >= chain.size()) {
      out.error = {wire::errc::bad_offset, position, fixed_part::title};
      break;
    }
    chain = chain.subspan(next);
    position += next;
  }
  return out;
}

std::vector<std::byte> encode_create_contexts(std::span<const create_context> contexts) {
  wire::writer out;
  std::size_t last = 0;
  for (const auto& context : contexts) {
    const auto start = wire::align_up(out.size(), 8);
    if (start > 0) {
      out.zeros(start - out.size());
      wire::store_le(out.patch(last, sizeof(u32)).data(), static_cast<u32>(start - last));
    }
    fixed_part one;
    one.name = context.name;
    one.data = context.data;
    encode(one, out, start);
    last = start;
  }
  return out.flatten();
}

} // namespace smb2
