#pragma once

#include "smb2/le.hpp"

#include <optional>
#include <string>

/// Security descriptors: what InfoType 3 (security) queries and sets, and the CREATE context
/// "SecD".
namespace smb2 {

/// AdditionalInformation of QUERY_INFO and SET_INFO: which parts. · source: MS-SMB2 2.2.37
namespace security_information {
inline constexpr u32 owner = 0x0000'0001;
inline constexpr u32 group = 0x0000'0002;
inline constexpr u32 dacl = 0x0000'0004;
inline constexpr u32 sacl = 0x0000'0008;
} // namespace security_information

/// A user or a group: S-1-authority-sub-authorities. · bytes: 8 and 4 for each sub-authority
/// · source: MS-DTYP 2.4.2.2
struct sid {
  static constexpr std::string_view title = "SID";
  static constexpr u32 sub_authorities_max = 15;

  u8 revision = 1;
  std::array<std::byte, 6> authority{}; ///< big-endian
  std::vector<u32> sub_authorities;

  static bool fields(auto& m, auto& ar) {
    constexpr std::size_t own_slot = detail::slots_max - 1; // structs with SIDs use the others
    return ar("revision", m.revision) && ar.count8(m.sub_authorities, own_slot) &&
           ar("authority", m.authority) &&
           ar.list("sub_authorities", m.sub_authorities, own_slot, sub_authorities_max);
  }

  friend bool operator==(const sid&, const sid&) = default;
};

/// "S-1-5-32-544"
[[nodiscard]] std::string text_of(const sid& id);

/// One entry of an access list; of the types that have a mask and a SID, both.
/// · source: MS-DTYP 2.4.4
struct access_entry {
  static constexpr u8 allowed = 0;
  static constexpr u8 denied = 1;

  u8 type = allowed;
  u8 flags = 0;
  u32 mask = 0;
  sid who;
  bytes other; ///< of the other types: what stands behind the ACE's header
};

/// Self-relative form: parts that are not there are empty.
/// · source: MS-DTYP 2.4.6
struct security_descriptor {
  static constexpr u16 dacl_present = 0x0004;
  static constexpr u16 sacl_present = 0x0010;
  static constexpr u16 self_relative = 0x8000;

  u16 control = self_relative;
  std::optional<sid> owner;
  std::optional<sid> group;
  std::optional<std::vector<access_entry>>
      dacl;   ///< none while present: everybody may do everything
  bytes sacl; ///< as it stands, header included
};

/// Errors: truncated, bad_offset, bad_value, over_limit.
[[nodiscard]] std::expected<security_descriptor, wire::decode_error>
decode_security_descriptor(bytes buffer);
/// `control` gets the bits of the parts that are there.
[[nodiscard]] std::vector<std::byte>
encode_security_descriptor(const security_descriptor& descriptor);

} // namespace smb2
