#pragma once

#include "rpc/auth.hpp"
#include "rpc/record_mark.hpp"
#include "rpc/xdr.hpp"

/// The messages of RPCSEC_GSS version 1. Source: RFC 2203 section 5.
namespace rpc {

inline constexpr u32 gss_version = 1;

/// Sequence numbers stay below it; a context that has used them up is of no more use.
/// Source: RFC 2203 section 5.3.3.1.
inline constexpr u32 gss_sequence_max = 0x80000000;

inline constexpr u32 gss_token_bytes_max = 64u << 10; ///< a ticket with the groups of its user
inline constexpr u32 gss_checksum_bytes_max = 1024;
/// What is left in a credential of 400 bytes.
inline constexpr u32 gss_handle_bytes_max = auth_body_bytes_max - 5 * sizeof(u32);
/// Of results with their sequence number, sealed or not.
inline constexpr u32 gss_body_bytes_max = record_bytes_max;

enum class gss_proc : u32 { data = 0, init = 1, continue_init = 2, destroy = 3 };

/// What is done to arguments and results; the header is always protected.
enum class gss_service : u32 { none = 1, integrity = 2, privacy = 3 };

/// Those of gss_major by which a context is made. Source: RFC 2743.
inline constexpr u32 gss_complete = 0;
inline constexpr u32 gss_continue_needed = 1;

/// The body of an RPCSEC_GSS credential.
struct gss_credential {
  gss_proc proc = gss_proc::data;
  u32 seq_num = 0; ///< of data and destroy
  gss_service service = gss_service::none;
  bytes handle; ///< the server's name of the context; empty in init

  static bool fields(auto& m, auto& ar) {
    return ar.constant("version", gss_version) &&
           ar("gss_proc", m.proc, "seq_num", m.seq_num, "service", m.service) &&
           ar.opaque("handle", m.handle, gss_handle_bytes_max);
  }
};

/// Arguments of init and continue_init.
struct gss_init_arg {
  bytes token;

  static bool fields(auto& m, auto& ar) {
    return ar.opaque("gss_token", m.token, gss_token_bytes_max);
  }
};

/// Results of init and continue_init.
struct gss_init_res {
  bytes handle;
  u32 major = 0; ///< of the server's GSSAPI, as is `minor`
  u32 minor = 0;
  u32 seq_window = 0; ///< calls that may be in flight
  bytes token;

  static bool fields(auto& m, auto& ar) {
    return ar.opaque("handle", m.handle, gss_handle_bytes_max) &&
           ar("gss_major", m.major, "gss_minor", m.minor, "seq_window", m.seq_window) &&
           ar.opaque("gss_token", m.token, gss_token_bytes_max);
  }
};

/// Arguments or results under gss_service::integrity. `databody` is the sequence number of the call
/// and then what would stand here without RPCSEC_GSS.
struct gss_integ_data {
  bytes databody;
  bytes checksum; ///< GSS_GetMIC of databody

  static bool fields(auto& m, auto& ar) {
    return ar.payload("databody_integ", m.databody, gss_body_bytes_max) &&
           ar.opaque("checksum", m.checksum, gss_checksum_bytes_max);
  }
};

/// Arguments or results under gss_service::privacy.
struct gss_priv_data {
  bytes databody; ///< GSS_Wrap of the same as in gss_integ_data

  static bool fields(auto& m, auto& ar) {
    return ar.payload("databody_priv", m.databody, gss_body_bytes_max);
  }
};

} // namespace rpc
