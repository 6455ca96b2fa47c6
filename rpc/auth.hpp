#pragma once

#include "rpc/xdr.hpp"

#include <string_view>
#include <vector>

namespace rpc {

/// Source: RFC 5531 section 8.2, RFC 2203, RFC 9289.
enum class auth_flavor : u32 { none = 0, sys = 1, short_hand = 2, dh = 3, gss = 6, tls = 7 };

[[nodiscard]] std::string_view to_string(auth_flavor flavor) noexcept;

/// Source: RFC 5531 section 8.2.
inline constexpr u32 auth_body_bytes_max = 400;

/// A credential or verifier; the flavour says what its body holds.
struct opaque_auth {
  auth_flavor flavor = auth_flavor::none;
  bytes body;

  static bool fields(auto& m, auto& ar) {
    return ar("flavor", m.flavor) && ar.opaque("body", m.body, auth_body_bytes_max);
  }
};

/// The body of an AUTH_SYS credential.
/// · bytes: at most 16 supplementary groups and 255 bytes of machine name.
/// · source: RFC 5531 appendix A
struct auth_sys_parms {
  static constexpr u32 machine_name_bytes_max = 255;
  static constexpr u32 groups_max = 16;

  u32 stamp = 0;
  std::string_view machine_name;
  u32 uid = 0;
  u32 gid = 0;
  std::vector<u32> gids;

  static bool fields(auto& m, auto& ar) {
    return ar("stamp", m.stamp) && ar.text("machinename", m.machine_name, machine_name_bytes_max) &&
           ar("uid", m.uid, "gid", m.gid) && ar.array("gids", m.gids, groups_max);
  }
};

} // namespace rpc
