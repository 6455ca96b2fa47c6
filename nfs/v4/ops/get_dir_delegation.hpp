#pragma once

#include "nfs/v4/types.hpp"

namespace nfs::v4 {

/// Source: RFC 8881 section 18.39.
struct get_dir_delegation {
  static constexpr u32 procedure = 46;
  static constexpr std::string_view name = "GET_DIR_DELEGATION";

  struct args {
    bool signal_deleg_avail = false;
    bitmap notification_types;
    nfstime child_attr_delay;
    nfstime dir_attr_delay;
    bitmap child_attributes;
    bitmap dir_attributes;
    static bool fields(auto& m, auto& ar) {
      return ar("signal_deleg_avail", m.signal_deleg_avail, "notification_types",
                m.notification_types, "child_attr_delay", m.child_attr_delay, "dir_attr_delay",
                m.dir_attr_delay, "child_attributes", m.child_attributes, "dir_attributes",
                m.dir_attributes);
    }
  };

  enum class answer : u32 { ok = 0, unavail = 1 };

  struct reply {
    nfsstat4 status = nfsstat4::ok;
    answer nf_status = answer::ok;
    verifier cookieverf{};
    v4::stateid stateid;
    bitmap notification;
    bitmap child_attributes;
    bitmap dir_attributes;
    bool will_signal_deleg_avail = false; ///< unavail
    static bool fields(auto& m, auto& ar) {
      if (!ar("status", m.status)) return false;
      if (m.status != nfsstat4::ok) return true;
      if (!ar("nf_status", m.nf_status)) return false;
      if (m.nf_status == answer::unavail)
        return ar("will_signal_deleg_avail", m.will_signal_deleg_avail);
      if (m.nf_status != answer::ok) return ar.refuse();
      return ar("cookieverf", m.cookieverf, "stateid", m.stateid, "notification", m.notification,
                "child_attributes", m.child_attributes, "dir_attributes", m.dir_attributes);
    }
  };
};

} // namespace nfs::v4
