#pragma once

#include "nfs/v4/open_types.hpp"

namespace nfs::v4 {

/// Source: RFC 7530 section 16.16, RFC 8881 section 18.16.
struct open {
  static constexpr u32 procedure = 18;
  static constexpr std::string_view name = "OPEN";

  enum class open_type : u32 { nocreate = 0, create = 1 };
  enum class create_mode : u32 { unchecked = 0, guarded = 1, exclusive = 2, exclusive4_1 = 3 };

  struct open_how {
    open_type opentype = open_type::nocreate;
    create_mode mode = create_mode::unchecked;
    verifier createverf{}; ///< exclusive and exclusive4_1
    fattr createattrs;     ///< all but exclusive
    static bool fields(auto& m, auto& ar) {
      if (!ar("opentype", m.opentype)) return false;
      if (m.opentype == open_type::nocreate) return true;
      if (m.opentype != open_type::create) return ar.refuse();
      if (!ar("mode", m.mode)) return false;
      if (m.mode > create_mode::exclusive4_1) return ar.refuse();
      if (m.mode >= create_mode::exclusive && !ar("createverf", m.createverf)) return false;
      return m.mode == create_mode::exclusive || ar("createattrs", m.createattrs);
    }
  };

  struct open_claim {
    claim_type claim = claim_type::null;
    delegation_type delegate_type = delegation_type::none; ///< previous
    v4::stateid delegate_stateid;                          ///< delegate_cur and deleg_cur_fh
    std::string_view file;                                 ///< the name, where there is one
    static bool fields(auto& m, auto& ar) {
      if (!ar("claim", m.claim)) return false;
      switch (m.claim) {
      case claim_type::previous:
        return ar("delegate_type", m.delegate_type);
      case claim_type::deleg_cur_fh:
        return ar("delegate_stateid", m.delegate_stateid);
      case claim_type::delegate_cur:
        return ar("delegate_stateid", m.delegate_stateid) &&
               ar.text("file", m.file, component_bytes_max);
      case claim_type::null:
      case claim_type::delegate_prev:
        return ar.text("file", m.file, component_bytes_max);
      case claim_type::fh:
      case claim_type::deleg_prev_fh:
        return true;
      }
      return ar.refuse();
    }
  };

  struct args {
    u32 seqid = 0;
    u32 share_access = 0;
    u32 share_deny = 0;
    state_owner owner;
    open_how openhow;
    open_claim claim;
    static bool fields(auto& m, auto& ar) {
      return ar("seqid", m.seqid, "share_access", m.share_access, "share_deny", m.share_deny,
                "owner", m.owner, "openhow", m.openhow, "claim", m.claim);
    }
  };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    v4::stateid open_stateid;
    change_info cinfo;
    u32 rflags = 0;
    bitmap attrset;
    open_delegation delegation;
    static bool fields(auto& m, auto& ar) {
      return ar("status", m.status) &&
             (m.status != nfsstat4::ok ||
              ar("open_stateid", m.open_stateid, "cinfo", m.cinfo, "rflags", m.rflags, "attrset",
                 m.attrset, "delegation", m.delegation));
    }
  };
};

} // namespace nfs::v4
