#pragma once

#include "smb2/le.hpp"

#include <optional>

/// The contexts of CREATE: a chain of (name, data) pairs.
/// · bytes: Next (4), NameOffset (2), NameLength (2), reserved (2), DataOffset (2), DataLength (4),
///   then name and data, each at a multiple of 8; offsets count from the context's own start.
/// · source: MS-SMB2 2.2.13.2, 2.2.14.2
namespace smb2 {

/// · lifetime: views into the message.
struct create_context {
  bytes name; ///< "MxAc", "QFid", "RqLs", ... or a GUID of 16 bytes
  bytes data;

  [[nodiscard]] bool is(std::string_view wanted) const noexcept {
    return wire::as_text(name) == wanted;
  }
};

/// Those before the first error, and the error: truncated, bad_offset, over_limit.
[[nodiscard]] prefix<std::vector<create_context>> decode_create_contexts(bytes chain);

[[nodiscard]] std::vector<std::byte>
encode_create_contexts(std::span<const create_context> contexts);

/// The first context of T's name; nothing when there is none or it does not decode.
template <class T>
[[nodiscard]] std::optional<T> find_context(std::span<const create_context> list) {
  for (const auto& context : list) {
    if (!context.is(T::context_name)) continue;
    auto found = decode_buffer<T>(context.data);
    if (found) return *found;
  }
  return std::nullopt;
}

} // namespace smb2
