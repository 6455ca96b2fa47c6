#include "rpc/message.hpp"

#include <fmt/format.h>

namespace rpc {

std::string_view to_string(auth_flavor flavor) noexcept {
  switch (flavor) {
  case auth_flavor::none:
    return "AUTH_NONE";
  case auth_flavor::sys:
    return "AUTH_SYS";
  case auth_flavor::short_hand:
    return "AUTH_SHORT";
  case auth_flavor::dh:
    return "AUTH_DH";
  case auth_flavor::gss:
    return "RPCSEC_GSS";
  case auth_flavor::tls:
    return "AUTH_TLS";
  }
  return "unknown";
}

std::string_view to_string(accept_stat stat) noexcept {
  switch (stat) {
  case accept_stat::success:
    return "SUCCESS";
  case accept_stat::prog_unavail:
    return "PROG_UNAVAIL";
  case accept_stat::prog_mismatch:
    return "PROG_MISMATCH";
  case accept_stat::proc_unavail:
    return "PROC_UNAVAIL";
  case accept_stat::garbage_args:
    return "GARBAGE_ARGS";
  case accept_stat::system_err:
    return "SYSTEM_ERR";
  }
  return "unknown";
}

std::string_view to_string(reject_stat stat) noexcept {
  switch (stat) {
  case reject_stat::rpc_mismatch:
    return "RPC_MISMATCH";
  case reject_stat::auth_error:
    return "AUTH_ERROR";
  }
  return "unknown";
}

std::string_view to_string(auth_stat stat) noexcept {
  switch (stat) {
  case auth_stat::ok:
    return "AUTH_OK";
  case auth_stat::bad_cred:
    return "AUTH_BADCRED";
  case auth_stat::rejected_cred:
    return "AUTH_REJECTEDCRED";
  case auth_stat::bad_verf:
    return "AUTH_BADVERF";
  case auth_stat::rejected_verf:
    return "AUTH_REJECTEDVERF";
  case auth_stat::too_weak:
    return "AUTH_TOOWEAK";
  case auth_stat::invalid_resp:
    return "AUTH_INVALIDRESP";
  case auth_stat::failed:
    return "AUTH_FAILED";
  case auth_stat::kerb_generic:
    return "AUTH_KERB_GENERIC";
  case auth_stat::time_expire:
    return "AUTH_TIMEEXPIRE";
  case auth_stat::tkt_file:
    return "AUTH_TKT_FILE";
  case auth_stat::decode:
    return "AUTH_DECODE";
  case auth_stat::net_addr:
    return "AUTH_NET_ADDR";
  case auth_stat::gss_cred_problem:
    return "RPCSEC_GSS_CREDPROBLEM";
  case auth_stat::gss_ctx_problem:
    return "RPCSEC_GSS_CTXPROBLEM";
  }
  return "unknown";
}

prefix<call_header> decode_call_header(bytes message) {
  return decode_prefix<call_header>(message, "RPC call");
}

prefix<reply_header> decode_reply_header(bytes message) {
  return decode_prefix<reply_header>(message, "RPC reply");
}

std::optional<msg_type> message_type(bytes message) noexcept {
  if (message.size() < 8) return std::nullopt;
  const auto type = wire::load_be<u32>(message.data() + 4);
  if (type > static_cast<u32>(msg_type::reply)) return std::nullopt;
  return static_cast<msg_type>(type);
}

namespace {

std::string describe_accepted(const reply_header& reply) {
  switch (reply.accepted) {
  case accept_stat::success:
    return "SUCCESS";
  case accept_stat::prog_unavail:
    return "PROG_UNAVAIL (the server does not have this program)";
  case accept_stat::prog_mismatch:
    return fmt::format("PROG_MISMATCH (the server has versions {} to {} of this program)",
                       reply.low, reply.high);
  case accept_stat::proc_unavail:
    return "PROC_UNAVAIL (the server does not have this procedure)";
  case accept_stat::garbage_args:
    return "GARBAGE_ARGS (the server could not decode the arguments)";
  case accept_stat::system_err:
    return "SYSTEM_ERR (the server failed, for instance by lack of memory)";
  }
  return fmt::format("accept_stat {}", static_cast<u32>(reply.accepted));
}

std::string_view hint(auth_stat stat) noexcept {
  switch (stat) {
  case auth_stat::too_weak:
    return " (the server wants a stronger flavour of authentication or a reserved port)";
  case auth_stat::bad_cred:
  case auth_stat::rejected_cred:
    return " (the server does not take this credential)";
  default:
    return "";
  }
}

} // namespace

std::string describe(const reply_header& reply) {
  if (reply.stat == reply_stat::accepted) return describe_accepted(reply);
  if (reply.rejected == reject_stat::rpc_mismatch)
    return fmt::format("RPC_MISMATCH (the server speaks RPC versions {} to {})", reply.low,
                       reply.high);
  const auto name = to_string(reply.auth);
  if (name == "unknown")
    return fmt::format("AUTH_ERROR, auth_stat {}", static_cast<u32>(reply.auth));
  return fmt::format("{}{}", name, hint(reply.auth));
}

} // namespace rpc
