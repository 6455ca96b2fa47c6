#pragma once

#include "profiler/flow/nfs4_compound.hpp"
#include "rpc/message.hpp"
#include "wire/exchange.hpp"

#include <string_view>

namespace profiler::flow {

using wire::bytes;
using wire::u16;
using wire::u32;
using wire::u64;

/// What a call says that the analysis wants.
struct rpc_call {
  wire::protocol proto = wire::protocol::nfs3;
  u16 operation = 0;
  bool analysed = false; ///< false: of a program that is counted and no more
  bool opaque = false;   ///< sealed by RPCSEC_GSS, or cut: arguments and results are not looked at
  bool names = false;    ///< works on an entry of a directory
  u32 program = 0;
  u32 version = 0;
  u32 procedure = 0;
  u64 object = 0;   ///< hash of the handle it works on, or of the directory; 0: none
  u64 name = 0;     ///< name_key of the entry; 0: none, or cut
  u64 new_name = 0; ///< of RENAME
  u64 offset = 0;
  u32 data_bytes = 0;
  nfs4_call compound;

  [[nodiscard]] bool same_procedure(const rpc_call& other) const noexcept {
    return program == other.program && version == other.version && procedure == other.procedure;
  }
};

/// What the results say.
struct rpc_results {
  u32 status = 0;
  bool failed = false;
  bool directory = false; ///< the attributes say that the object is one
  u64 handle = 0;         ///< hash of the handle that the reply gives; 0: none
  u32 data_bytes = 0;
  u32 max_read = 0; ///< FSINFO
  u32 max_write = 0;
  nfs4_results compound;
};

/// `message` may be cut behind its 24th byte; errors: truncated, bad_value.
[[nodiscard]] std::expected<rpc_call, wire::decode_error> read_call(bytes message);

/// `results` is what stands behind the reply's header, as far as it was captured.
[[nodiscard]] rpc_results read_results(const rpc_call& call, bytes results);

/// rpcbind 3 and 4 share their numbers with the port mapper of version 2 and have other names; as
/// `operation` of an exchange they come behind these.
inline constexpr u16 rpcbind_operations = 32;

/// Programs whose calls look like calls of NFS and its helpers: used to find calls in a stream.
[[nodiscard]] bool plausible_program(u32 program) noexcept;

/// "LOOKUP"; empty for a number that the program does not have. SMB2 is not asked here.
[[nodiscard]] std::string_view rpc_operation_name(wire::protocol proto, u16 operation) noexcept;

} // namespace profiler::flow
