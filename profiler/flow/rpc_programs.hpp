#pragma once

#include "profiler/flow/nfs4_compound.hpp"
#include "rpc/message.hpp"
#include "wire/exchange.hpp"

#include <string_view>
#include <vector>

namespace profiler::flow {

using wire::bytes;
using wire::u16;
using wire::u32;
using wire::u64;
using wire::u8;

/// What protects a call and its reply, as its credential says. RPCSEC_GSS comes with Kerberos 5
/// wherever NFS uses it: mount's sec=krb5, krb5i and krb5p.
enum class rpc_security : u8 {
  none,
  sys,
  authentication, ///< RPCSEC_GSS without more: krb5
  integrity,      ///< krb5i: in the clear, with checksums
  privacy,        ///< krb5p: sealed
  negotiation,    ///< makes or destroys an RPCSEC_GSS context
};

/// "sys", "krb5", "krb5i", "krb5p"; "none" also for what only makes a context.
[[nodiscard]] std::string_view to_string(rpc_security s) noexcept;

/// What a call says that the analysis wants.
struct rpc_call {
  wire::protocol proto = wire::protocol::nfs3;
  u16 operation = 0;
  bool analysed = false; ///< false: of a program that is counted and no more
  bool opaque = false;   ///< sealed, or cut: arguments and results are not looked at
  rpc_security security = rpc_security::none;
  bool names = false; ///< works on an entry of a directory
  u32 program = 0;
  u32 version = 0;
  u32 procedure = 0;
  u64 object = 0;   ///< hash of the handle it works on, or of the directory; 0: none
  u64 name = 0;     ///< name_key of the entry; 0: none, or cut
  u64 new_name = 0; ///< of RENAME
  u64 offset = 0;
  u32 data_bytes = 0;
  u64 digest = 0; ///< NFSv4: of what all its operations ask for
  nfs4_call compound;

  [[nodiscard]] bool same_procedure(const rpc_call& other) const noexcept {
    return program == other.program && version == other.version && procedure == other.procedure;
  }
  /// As far as the arguments were read.
  [[nodiscard]] bool same_call(const rpc_call& other) const noexcept {
    return same_procedure(other) && object == other.object && name == other.name &&
           new_name == other.new_name && offset == other.offset && data_bytes == other.data_bytes &&
           digest == other.digest;
  }
};

/// The names in a call. · lifetime: views into the message.
struct call_names {
  bytes entry;                              ///< what rpc_call::name is the key of
  bytes new_entry;                          ///< of RENAME
  u64 new_parent = 0;                       ///< hash of the handle of the directory that it goes to
  std::vector<nfs4_component> components{}; ///< of an NFSv4 compound
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
[[nodiscard]] std::expected<rpc_call, wire::decode_error> read_call(bytes message,
                                                                    call_names& names);

/// `body` is what stands behind the reply's header, as far as it was captured.
[[nodiscard]] rpc_results read_results(const rpc_call& call, bytes body);

/// An entry of a listed directory; `handle` is its hash, 0: the server did not give one.
struct listed_entry {
  bytes name;
  u64 handle = 0;
  bool directory = false;
};

/// Whether its reply has such entries that can be read.
[[nodiscard]] bool lists_entries(const rpc_call& call) noexcept;

/// What READDIRPLUS tells of names and handles, as far as it was captured.
/// · lifetime: names are views into `body`.
[[nodiscard]] std::vector<listed_entry> listed_entries(const rpc_call& call, bytes body);

/// rpcbind 3 and 4 share their numbers with the port mapper of version 2 and have other names; as
/// `operation` of an exchange they come behind these.
inline constexpr u16 rpcbind_operations = 32;

/// Programs whose calls look like calls of NFS and its helpers: used to find calls in a stream.
[[nodiscard]] bool plausible_program(u32 program) noexcept;

/// "LOOKUP"; empty for a number that the program does not have. SMB2 is not asked here.
[[nodiscard]] std::string_view rpc_operation_name(wire::protocol proto, u16 operation) noexcept;

} // namespace profiler::flow
