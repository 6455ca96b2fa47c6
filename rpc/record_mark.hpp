#pragma once

#include "wire/framer.hpp"

namespace rpc {

/// No message of ours or of a server that we know is longer: 16 MiB of file data and its header.
inline constexpr wire::u32 data_bytes_max = 16u << 20;
inline constexpr wire::u32 record_bytes_max = data_bytes_max + (64u << 10);

/// Record marking: a record is sent as fragments, each behind a word that holds its length and, in
/// the highest bit, whether it is the last one. Source: RFC 5531 section 11.
struct record_mark {
  static constexpr wire::u32 last_fragment = 1u << 31;
  static constexpr wire::u64 frame_bytes_max = record_bytes_max;

  [[nodiscard]] static constexpr wire::frame_prefix parse(wire::u32 prefix) noexcept {
    return {
        .length = prefix & ~last_fragment, .last = (prefix & last_fragment) != 0, .valid = true};
  }
};

using record_framer = wire::framer<record_mark>;

} // namespace rpc
