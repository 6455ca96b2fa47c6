#pragma once

#include "smb2/commands/error.hpp"

#include <span>

/// What an ERROR response says of its error.
namespace smb2 {

/// One error context of 3.1.1; before it, and with a count of 0, the data is that of the error.
/// · lifetime: a view into the message. · source: MS-SMB2 2.2.2.1
struct error_context {
  static constexpr u32 default_id = 0;
  static constexpr u32 share_redirect_id = 0x7264'5253; ///< "SRdr"

  u32 id = default_id;
  bytes data;
};

/// Errors: truncated (less than `count` of them).
[[nodiscard]] std::expected<std::vector<error_context>, wire::decode_error>
decode_error_contexts(bytes data, u8 count);
[[nodiscard]] std::vector<std::byte> encode_error_contexts(std::span<const error_context> contexts);

/// The data of the error itself: that of the default context, or all of it when there is none.
/// Empty when the contexts are broken or there is no such one.
[[nodiscard]] bytes error_data(const error_response& response);

/// STATUS_STOPPED_ON_SYMLINK: where the link leads. · source: MS-SMB2 2.2.2.2.1
struct symbolic_link_error {
  static constexpr std::string_view title = "Symbolic Link Error";
  static constexpr u32 symlink_tag = 0x4C4D'5953; ///< "SYML"
  static constexpr u32 relative = 0x0000'0001;    ///< flags: to where the link stands

  u32 link_length = 0; ///< bytes behind it
  u32 error_tag = symlink_tag;
  u32 reparse_tag = 0xA000'000C;
  u16 reparse_data_length = 0;
  u16 unparsed_path_length = 0; ///< bytes of the path, at its end, that lie behind the link
  u16 substitute_name_offset = 0;
  u16 substitute_name_length = 0;
  u16 print_name_offset = 0;
  u16 print_name_length = 0;
  u32 flags = 0;
  bytes path_buffer;

  static bool fields(auto& m, auto& ar) {
    return ar("link_length", m.link_length, "error_tag", m.error_tag, "reparse_tag", m.reparse_tag,
              "reparse_data_length", m.reparse_data_length, "unparsed_path_length",
              m.unparsed_path_length, "substitute_name_offset", m.substitute_name_offset,
              "substitute_name_length", m.substitute_name_length, "print_name_offset",
              m.print_name_offset, "print_name_length", m.print_name_length, "flags", m.flags) &&
           ar.rest("path_buffer", m.path_buffer);
  }

  /// Empty when they lie outside the buffer.
  [[nodiscard]] utf16_view substitute_name() const {
    return name_at(substitute_name_offset, substitute_name_length);
  }
  [[nodiscard]] utf16_view print_name() const {
    return name_at(print_name_offset, print_name_length);
  }

 private:
  [[nodiscard]] utf16_view name_at(std::size_t offset, std::size_t length) const {
    if (offset > path_buffer.size() || length > path_buffer.size() - offset || length % 2 != 0)
      return {};
    return utf16_view(path_buffer.subspan(offset, length));
  }
};

/// Where a share of a cluster has moved to. · source: MS-SMB2 2.2.2.2.2
struct share_redirect_error {
  static constexpr std::string_view title = "Share Redirect Error";
  static constexpr u32 addresses_max = 256; ///< ours

  /// · bytes: 24
  struct move_address {
    static constexpr u32 ipv4 = 1;
    static constexpr u32 ipv6 = 2;

    u32 type = ipv4;
    std::array<std::byte, 16> address{}; ///< IPv4: the first 4

    static bool fields(auto& m, auto& ar) {
      return ar("type", m.type) && ar.pad(4) && ar("address", m.address);
    }
  };

  u32 structure_size = 48;
  u32 notification_type = 3;
  u16 target_type = 0;
  std::vector<move_address> addresses;
  utf16_view resource_name;

  static bool fields(auto& m, auto& ar) {
    return ar("structure_size", m.structure_size, "notification_type", m.notification_type) &&
           ar.offset32(0) && ar.length32(m.resource_name, 0) && ar.pad(2) &&
           ar("target_type", m.target_type) && ar.count32(m.addresses, 1) &&
           ar.list("addresses", m.addresses, 1, addresses_max) &&
           ar.tail("resource_name", m.resource_name, 0);
  }
};

/// STATUS_BUFFER_TOO_SMALL: what would do. · bytes: 4 · source: MS-SMB2 2.2.2
struct buffer_too_small_error {
  static constexpr std::string_view title = "Buffer Too Small error";

  u32 minimum_buffer_length = 0;

  static bool fields(auto& m, auto& ar) {
    return ar("minimum_buffer_length", m.minimum_buffer_length);
  }
};

} // namespace smb2
