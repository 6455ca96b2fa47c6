#pragma once

#include "smb2/commands/create.hpp"
#include "smb2/le.hpp"

namespace smb2 {

/// The server takes an oplock or a lease back (a notification: MessageId all ones, no request),
/// the client acknowledges (a request), the server confirms (its response). Which of the two it is
/// about, the StructureSize tells. · source: MS-SMB2 2.2.23, 2.2.24, 2.2.25
struct oplock_break {
  static constexpr u16 number = 0x12;
  static constexpr std::string_view name = "OPLOCK_BREAK";
  static constexpr u16 oplock_size = 24;
  static constexpr u16 lease_size = 36;
  static constexpr u16 lease_notification_size = 44;
  static constexpr u32 acknowledgment_required = 0x0000'0001; ///< flags of a lease's notification

  struct request {
    static constexpr std::string_view title = "OPLOCK_BREAK acknowledgment";

    u16 structure_size = oplock_size;
    u8 oplock_level = oplock::none;
    fileid file; ///< of an oplock
    u32 flags = 0;
    guid lease_key{}; ///< of a lease
    u32 lease_state = 0;
    u64 lease_duration = 0;

    static bool fields(auto& m, auto& ar) {
      if (!ar("structure_size", m.structure_size)) return false;
      if (m.structure_size == oplock_size)
        return ar("oplock_level", m.oplock_level) && ar.pad(5) && ar("file", m.file);
      if (m.structure_size != lease_size) return ar.fail(wire::errc::bad_value);
      return ar.pad(2) && ar("flags", m.flags, "lease_key", m.lease_key, "lease_state",
                             m.lease_state, "lease_duration", m.lease_duration);
    }
  };

  struct response {
    static constexpr std::string_view title = "OPLOCK_BREAK notification or response";

    u16 structure_size = oplock_size;
    u8 oplock_level = oplock::none;
    fileid file; ///< of an oplock
    u16 new_epoch = 0;
    u32 flags = 0;
    guid lease_key{};    ///< of a lease
    u32 lease_state = 0; ///< of a notification: the current one
    u32 new_lease_state = 0;
    u32 break_reason = 0;
    u32 access_mask_hint = 0;
    u32 share_mask_hint = 0;
    u64 lease_duration = 0;

    static bool fields(auto& m, auto& ar) {
      if (!ar("structure_size", m.structure_size)) return false;
      if (m.structure_size == oplock_size)
        return ar("oplock_level", m.oplock_level) && ar.pad(5) && ar("file", m.file);
      if (m.structure_size == lease_size)
        return ar.pad(2) && ar("flags", m.flags, "lease_key", m.lease_key, "lease_state",
                               m.lease_state, "lease_duration", m.lease_duration);
      if (m.structure_size != lease_notification_size) return ar.fail(wire::errc::bad_value);
      return ar("new_epoch", m.new_epoch, "flags", m.flags, "lease_key", m.lease_key, "lease_state",
                m.lease_state, "new_lease_state", m.new_lease_state, "break_reason", m.break_reason,
                "access_mask_hint", m.access_mask_hint, "share_mask_hint", m.share_mask_hint);
    }
  };
};

} // namespace smb2
