#pragma once

#include "profiler/flow/object_map.hpp"
#include "profiler/flow/path_table.hpp"
#include "wire/exchange.hpp"

#include <string_view>
#include <vector>

namespace profiler::flow {

using wire::bytes;
using wire::u16;
using wire::u32;
using wire::u64;

/// Operations that are looked at in one compound; clients send at most 16 or so, servers seldom
/// take more than 100.
inline constexpr std::size_t nfs4_operations_max = 64;

/// What an operation of a COMPOUND or CB_COMPOUND says that the analysis wants.
struct nfs4_operation {
  u16 number = 0;         ///< the specification's
  bool directory = false; ///< its results say that the object is one, or it makes one
  u32 data_bytes = 0;
  u64 handle = 0;   ///< hash: of PUTFH, in results of GETFH and GETATTR; 0: none
  u64 name = 0;     ///< name_key of the entry without its directory; 0: none, or cut
  u64 new_name = 0; ///< of RENAME
  u64 offset = 0;
};

/// The limits that a server gives a session. Source: RFC 8881 section 18.36.
struct nfs4_session {
  u32 request_bytes_max = 0;
  u32 reply_bytes_max = 0;
  u32 operations_max = 0; ///< of one COMPOUND
  u32 slots = 0;          ///< calls at once; 0: CREATE_SESSION was not seen
};

/// A name in a call, under the key that its operation has it by.
/// · lifetime: a view into the message.
struct nfs4_component {
  u64 key;
  std::string_view name;
};

struct nfs4_call {
  std::vector<nfs4_operation> operations; ///< those that could be seen
  u32 count = 0;                          ///< how many there are
  u32 minor_version = 0;
  bool readable = false; ///< the header was there
};

struct nfs4_results {
  std::vector<nfs4_operation> operations;
  u32 count = 0;  ///< operations that were executed: up to the first that failed
  u32 status = 0; ///< of the last one of them
  u32 max_read = 0;
  u32 max_write = 0;
  nfs4_session session;
  bool readable = false;
};

/// `body` is what was captured behind the RPC header. Never fails: what cannot be read is not
/// there.
[[nodiscard]] nfs4_call read_compound_call(bytes body, bool callback,
                                           std::vector<nfs4_component>& names);
[[nodiscard]] nfs4_results read_compound_results(bytes body, bool callback);

/// The place in `operations` of the one that the compound is named by. Empty lists have none: 0.
/// By rank: whatever is not in this list, then LOOKUP and LOOKUPP, ACCESS, GETATTR (VERIFY,
/// NVERIFY), GETFH, what sets the current and the saved handle, SEQUENCE. Of several of the highest
/// rank it is the first, of LOOKUPs the last, which the others only lead to.
[[nodiscard]] std::size_t main_operation(const std::vector<nfs4_operation>& operations) noexcept;

/// The name in the specification; empty for a number that it does not have.
[[nodiscard]] std::string_view nfs4_operation_name(u16 number) noexcept;
[[nodiscard]] std::string_view nfs4_callback_name(u16 number) noexcept;

/// Hands on a compound as one exchange for each operation that was executed. The first, part 0, is
/// its main operation and has the times and sizes of `whole`; the others have none. Of a call that
/// has no readable results there is only the main operation.
/// What its operations tell of names is kept in `objects` and `paths`.
/// True when all of the compound could be seen.
bool emit_compound(const nfs4_call& call, const nfs4_results& results, wire::exchange whole,
                   object_map& objects, path_table& paths, wire::exchange_sink& out);

} // namespace profiler::flow
