#pragma once

#include "rpc/auth.hpp"
#include "rpc/xdr.hpp"

#include <optional>
#include <string_view>

/// Calls and replies. Source: RFC 5531 section 9.
namespace rpc {

enum class msg_type : u32 { call = 0, reply = 1 };
enum class reply_stat : u32 { accepted = 0, denied = 1 };

enum class accept_stat : u32 {
  success = 0,
  prog_unavail = 1,
  prog_mismatch = 2,
  proc_unavail = 3,
  garbage_args = 4,
  system_err = 5,
};

enum class reject_stat : u32 { rpc_mismatch = 0, auth_error = 1 };

enum class auth_stat : u32 {
  ok = 0,
  bad_cred = 1,
  rejected_cred = 2,
  bad_verf = 3,
  rejected_verf = 4,
  too_weak = 5,
  invalid_resp = 6,
  failed = 7,
  kerb_generic = 8,
  time_expire = 9,
  tkt_file = 10,
  decode = 11,
  net_addr = 12,
  gss_cred_problem = 13,
  gss_ctx_problem = 14,
};

/// The specification's names, "PROG_MISMATCH"; "unknown" for numbers that it does not have.
[[nodiscard]] std::string_view to_string(accept_stat stat) noexcept;
[[nodiscard]] std::string_view to_string(reject_stat stat) noexcept;
[[nodiscard]] std::string_view to_string(auth_stat stat) noexcept;

inline constexpr u32 rpc_version = 2;

/// What stands before the arguments of a call.
struct call_header {
  u32 xid = 0;
  u32 program = 0;
  u32 version = 0;
  u32 procedure = 0;
  opaque_auth credential;
  opaque_auth verifier;

  static bool fields(auto& m, auto& ar) {
    return ar("xid", m.xid) && ar.constant("msg_type", static_cast<u32>(msg_type::call)) &&
           ar.constant("rpcvers", rpc_version) &&
           ar("prog", m.program, "vers", m.version, "proc", m.procedure, "cred", m.credential,
              "verf", m.verifier);
  }
};

/// What stands before the results of a reply. Results follow only when succeeded().
/// `low` and `high` are the versions that the server has (PROG_MISMATCH, RPC_MISMATCH).
struct reply_header {
  u32 xid = 0;
  reply_stat stat = reply_stat::accepted;
  opaque_auth verifier;
  accept_stat accepted = accept_stat::success;
  reject_stat rejected = reject_stat::rpc_mismatch;
  auth_stat auth = auth_stat::ok;
  u32 low = 0;
  u32 high = 0;

  [[nodiscard]] bool succeeded() const noexcept {
    return stat == reply_stat::accepted && accepted == accept_stat::success;
  }

  static bool fields(auto& m, auto& ar) {
    if (!ar("xid", m.xid) || !ar.constant("msg_type", static_cast<u32>(msg_type::reply)) ||
        !ar("reply_stat", m.stat))
      return false;
    if (m.stat == reply_stat::accepted) {
      if (!ar("verf", m.verifier, "accept_stat", m.accepted)) return false;
      return m.accepted != accept_stat::prog_mismatch || ar("low", m.low, "high", m.high);
    }
    if (m.stat != reply_stat::denied) return ar.refuse();
    if (!ar("reject_stat", m.rejected)) return false;
    if (m.rejected == reject_stat::rpc_mismatch) return ar("low", m.low, "high", m.high);
    if (m.rejected == reject_stat::auth_error) return ar("auth_stat", m.auth);
    return ar.refuse();
  }
};

/// The header and where its body starts: arguments or results are `message.subspan(size)`.
/// Of a call that is cut in its credential the numbers before it are there.
[[nodiscard]] prefix<call_header> decode_call_header(bytes message);
[[nodiscard]] prefix<reply_header> decode_reply_header(bytes message);

/// Call or reply; nothing for bytes that are neither, or fewer than the eight that say so.
[[nodiscard]] std::optional<msg_type> message_type(bytes message) noexcept;

/// "PROG_MISMATCH (the server has versions 3 to 4 of this program)": what a refusal says.
[[nodiscard]] std::string describe(const reply_header& reply);

} // namespace rpc
