#pragma once

#include "nfs/v4/open_types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.49.
struct want_delegation {
  static constexpr u32 procedure = 56;
  static constexpr std::string_view name = "WANT_DELEGATION";

  struct args {
    u32 want = 0;
    claim_type claim = claim_type::fh;                     ///< fh, deleg_prev_fh or previous
    delegation_type delegate_type = delegation_type::none; ///< previous
    static bool fields(auto& m, auto& ar) {
      if (!ar("want", m.want, "claim", m.claim)) return false;
      if (m.claim == claim_type::previous) return ar("delegate_type", m.delegate_type);
      return m.claim == claim_type::fh || m.claim == claim_type::deleg_prev_fh || ar.refuse();
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    open_delegation delegation;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) && (m.status != nfsstat4::ok || ar("delegation", m.delegation));
    }
  };
};

} // namespace nfs::v4
