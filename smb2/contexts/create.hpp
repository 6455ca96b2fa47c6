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

/// SMB2_CREATE_QUERY_MAXIMAL_ACCESS_RESPONSE, 2.2.14.2.5 ("MxAc"; the request may have no data).
struct maximal_access {
  static constexpr std::string_view title = "MxAc context";
  static constexpr std::string_view context_name = "MxAc";

  u32 query_status = 0; ///< NTSTATUS
  u32 access = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("query_status", m.query_status, "access", m.access);
  }
};

/// SMB2_CREATE_QUERY_ON_DISK_ID, 2.2.14.2.9 ("QFid"; the request has no data).
struct on_disk_id {
  static constexpr std::string_view title = "QFid context";
  static constexpr std::string_view context_name = "QFid";

  u64 disk_file_id = 0;
  u64 volume_id = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("disk_file_id", m.disk_file_id, "volume_id", m.volume_id) && ar.pad(16);
  }
};

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
