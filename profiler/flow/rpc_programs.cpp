#include "profiler/flow/rpc_programs.hpp"

#include "nfs/mount/operations.hpp"
#include "nfs/v3/operations.hpp"
#include "nfs/v4/compound.hpp"
#include "profiler/flow/object_map.hpp"
#include "rpc/portmap/rpcbind.hpp"
#include "rpc/portmap/v2.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace profiler::flow {

namespace {

using wire::protocol;

constexpr u32 program_portmap = rpc::portmap::program_number;
constexpr u32 program_nfs = 100003;
constexpr u32 program_mount = 100005;
constexpr u32 program_rquota = 100011;
constexpr u32 program_nlm = 100021;
constexpr u32 program_nsm = 100024;
constexpr u32 program_nfsacl = 100227;

constexpr u32 compound = nfs::v4::compound_procedure;

/// NFSv4 operations are numbered from 3: these two are what a compound is counted as when nobody
/// can look into it.
constexpr std::array<std::string_view, 2> nfs4_names{"NULL", "COMPOUND"};
constexpr std::array<std::string_view, 2> nfs4_cb_names{"CB_NULL", "CB_COMPOUND"};

/// RFC 1094 section 2.2
constexpr std::array<std::string_view, 18> nfs2_names{
    "NULL",   "GETATTR", "SETATTR", "ROOT", "LOOKUP",  "READLINK", "READ",  "WRITECACHE", "WRITE",
    "CREATE", "REMOVE",  "RENAME",  "LINK", "SYMLINK", "MKDIR",    "RMDIR", "READDIR",    "STATFS"};

/// X/Open XNFS version 3W, chapter 11
constexpr std::array<std::string_view, 7> nsm_names{"NULL",      "STAT",       "MON",   "UNMON",
                                                    "UNMON_ALL", "SIMU_CRASH", "NOTIFY"};

/// De facto, from Solaris and its rquota.x; there is no RFC.
constexpr std::array<std::string_view, 5> rquota_names{"NULL", "GETQUOTA", "GETACTIVEQUOTA",
                                                       "SETQUOTA", "SETACTIVEQUOTA"};

/// De facto, from Solaris; there is no RFC.
constexpr std::array<std::string_view, 6> nfsacl_names{"NULL",    "GETACL", "SETACL",
                                                       "GETATTR", "ACCESS", "GETXATTRDIR"};

/// X/Open XNFS version 3W, chapter 10 (NLM versions 1 to 4 have the same numbers).
constexpr std::array<std::string_view, 24> nlm_names{
    "NULL",        "TEST",     "LOCK",     "CANCEL",     "UNLOCK",
    "GRANTED",     "TEST_MSG", "LOCK_MSG", "CANCEL_MSG", "UNLOCK_MSG",
    "GRANTED_MSG", "TEST_RES", "LOCK_RES", "CANCEL_RES", "UNLOCK_RES",
    "GRANTED_RES", "",         "",         "",           "",
    "SHARE",       "UNSHARE",  "NM_LOCK",  "FREE_ALL"};

template <class Op>
concept names_entry = requires(const typename Op::args& a) {
  Op::entry_name(a);
};

template <class Op>
concept has_object = requires(const typename Op::args& a) {
  Op::object(a);
};

template <class Op>
concept gives_handle = requires(const typename Op::reply& r) {
  Op::result(r);
};

/// Of text that was cut the view ends where the capture does.
bool complete(bytes part, bytes message, bool whole) noexcept {
  return whole || part.data() + part.size() < message.data() + message.size();
}

template <class Op>
void describe_args(bytes body, rpc_call& out, call_names& names) {
  if constexpr (names_entry<Op> || has_object<Op>) {
    const auto args = rpc::decode_prefix<typename Op::args>(body);
    if constexpr (has_object<Op>)
      if (const auto& object = Op::object(args.message); !object.empty())
        out.object = object.hash();
    if constexpr (names_entry<Op>) {
      out.names = true;
      const bytes entry = Op::entry_name(args.message);
      if (!entry.empty() && complete(entry, body, args.ok())) {
        out.name = name_key(out.object, entry);
        names.entry = entry;
      }
    }
    if constexpr (requires { Op::offset(args.message); }) out.offset = Op::offset(args.message);
    if constexpr (requires { Op::data_bytes(args.message); })
      out.data_bytes = Op::data_bytes(args.message);
    if constexpr (std::is_same_v<Op, nfs::v3::rename>)
      if (args.ok()) {
        names.new_parent = args.message.to.dir.hash();
        names.new_entry = wire::as_bytes(args.message.to.name);
        out.new_name = name_key(names.new_parent, names.new_entry);
      }
  }
}

/// What is mounted stands for itself: it is named in no directory.
void describe_export(bytes body, rpc_call& out, call_names& names) {
  const auto args = rpc::decode_prefix<nfs::mount::mnt::args>(body);
  if (!args.ok()) return;
  names.entry = wire::as_bytes(args.message.path);
  out.name = name_key(0, names.entry);
}

bool says_directory(const nfs::v3::post_op_attr& a) noexcept {
  return a && a->type == nfs::v3::ftype3::dir;
}

template <class Reply>
bool says_directory(const Reply& r) noexcept {
  if constexpr (requires { r.obj_attributes.type; })
    return r.obj_attributes.type == nfs::v3::ftype3::dir;
  else if constexpr (requires { r.obj_attributes->type; })
    return r.obj_attributes && r.obj_attributes->type == nfs::v3::ftype3::dir;
  else
    return false;
}

template <class Op>
void describe_results(bytes body, rpc_results& out) {
  using reply_type = typename Op::reply;
  if constexpr (requires(const reply_type& r) { r.status; }) {
    if (body.size() < sizeof(u32)) return;
    out.status = wire::load_be<u32>(body.data());
    out.failed = out.status != 0;
    if (out.failed) return;
    if constexpr (
        gives_handle<Op> || requires(const reply_type& r) { r.obj_attributes; } ||
        requires(const reply_type& r) { Op::data_bytes(r); }) {
      const auto reply = rpc::decode_prefix<reply_type>(body);
      const auto& r = reply.message;
      out.directory = says_directory(r);
      if constexpr (gives_handle<Op>)
        if (const auto* handle = Op::result(r)) out.handle = handle->hash();
      if constexpr (requires { Op::data_bytes(r); }) out.data_bytes = Op::data_bytes(r);
      if constexpr (requires { r.rtmax; }) {
        out.max_read = r.rtmax;
        out.max_write = r.wtmax;
      }
    }
  }
}

/// How the credential says that arguments and results are protected.
rpc_security security_of(const rpc::opaque_auth& credential) noexcept {
  switch (credential.flavor) {
  case rpc::auth_flavor::gss:
    break;
  case rpc::auth_flavor::sys:
    return rpc_security::sys;
  default:
    return rpc_security::none;
  }
  // RFC 2203 section 5: version, gss_proc (0: data), seq_num, service.
  if (credential.body.size() < 16) return rpc_security::privacy;
  if (wire::load_be<u32>(credential.body.data() + 4) != 0) return rpc_security::negotiation;
  switch (wire::load_be<u32>(credential.body.data() + 12)) {
  case 1:
    return rpc_security::authentication;
  case 2:
    return rpc_security::integrity;
  default:
    return rpc_security::privacy;
  }
}

/// What stands there in the clear: behind the length and the sequence number that come first in
/// data with a checksum (RFC 2203 section 5.3.2.2), nothing of what is sealed.
std::optional<bytes> clear_text(rpc_security how, bytes body) noexcept {
  constexpr std::size_t integrity_header_bytes = 8;
  switch (how) {
  case rpc_security::privacy:
  case rpc_security::negotiation:
    return std::nullopt;
  case rpc_security::integrity:
    if (body.size() < integrity_header_bytes) return std::nullopt;
    return body.subspan(integrity_header_bytes);
  default:
    return body;
  }
}

/// NFSv4 callbacks come under a number of the transient range (RFC 5531 section 8.3), version 1.
bool is_callback(u32 program) noexcept {
  return program >> 16 == 0x4000;
}

void classify(rpc_call& c) noexcept {
  c.analysed = true;
  c.operation = static_cast<u16>(std::min<u32>(c.procedure, 0xFFFF));
  if (c.program == program_nfs && c.version == 3) {
    c.proto = protocol::nfs3;
  } else if (c.program == program_nfs && c.version == 2) {
    c.proto = protocol::nfs2;
  } else if (c.program == program_nfs && c.version == 4) {
    c.proto = protocol::nfs4;
  } else if (c.program == program_mount) {
    c.proto = protocol::mount;
  } else if (c.program == program_portmap) {
    c.proto = protocol::portmap;
    if (c.version > 2) c.operation = static_cast<u16>(c.operation + rpcbind_operations);
  } else if (c.program == program_nlm) {
    c.proto = protocol::nlm;
  } else if (c.program == program_nfsacl) {
    c.proto = protocol::nfsacl;
  } else if (c.program == program_nsm) {
    c.proto = protocol::nsm;
  } else if (c.program == program_rquota) {
    c.proto = protocol::rquota;
  } else if (is_callback(c.program) && c.version == 1 && c.procedure <= 1) {
    c.proto = protocol::nfs4_cb;
  } else {
    c.analysed = false;
  }
}

/// The minor version is told by the arguments only.
wire::protocol nfs4_of(const nfs4_call& c) noexcept {
  if (!c.readable || c.minor_version > 2) return protocol::nfs4;
  constexpr std::array versions{protocol::nfs4_0, protocol::nfs4_1, protocol::nfs4_2};
  return versions[c.minor_version];
}

void look_into_compound(bytes body, rpc_call& out, call_names& names) {
  const bool callback = out.proto == protocol::nfs4_cb;
  out.compound = read_compound_call(body, callback, names.components);
  if (!callback) out.proto = nfs4_of(out.compound);
  for (const auto& op : out.compound.operations) {
    const std::array<u64, 5> parts{op.number, op.handle, op.name, op.new_name, op.offset};
    out.digest = name_key(out.digest, std::as_bytes(std::span(parts)));
  }
}

bool is_compound(const rpc_call& c) noexcept {
  return c.procedure == compound && (is_nfs4(c.proto) || c.proto == protocol::nfs4_cb);
}

template <std::size_t N>
std::string_view name_in(const std::array<std::string_view, N>& names, u16 n) noexcept {
  return n < N ? names[n] : std::string_view{};
}

} // namespace

std::string_view to_string(rpc_security s) noexcept {
  switch (s) {
  case rpc_security::none:
  case rpc_security::negotiation:
    return "none";
  case rpc_security::sys:
    return "sys";
  case rpc_security::authentication:
    return "krb5";
  case rpc_security::integrity:
    return "krb5i";
  case rpc_security::privacy:
    return "krb5p";
  }
  return "none";
}

std::expected<rpc_call, wire::decode_error> read_call(bytes message, call_names& names) {
  const auto header = rpc::decode_call_header(message);
  // xid, msg_type, rpcvers, prog, vers, proc
  constexpr std::size_t numbers = 24;
  if (message.size() < numbers || header.error.code == wire::errc::bad_value ||
      header.error.code == wire::errc::over_limit)
    return std::unexpected(header.error);
  rpc_call out;
  out.program = header.message.program;
  out.version = header.message.version;
  out.procedure = header.message.procedure;
  classify(out);
  out.opaque = true;
  if (!header.ok()) return out;
  out.security = security_of(header.message.credential);
  const auto body = clear_text(out.security, message.subspan(header.size));
  if (!body) return out;
  out.opaque = false;
  const auto describe = [&]<class Op>() { describe_args<Op>(*body, out, names); };
  if (out.proto == protocol::nfs3) nfs::v3::operations::visit(out.procedure, describe);
  if (out.proto == protocol::mount && out.procedure == nfs::mount::mnt::procedure)
    describe_export(*body, out, names);
  if (is_compound(out)) look_into_compound(*body, out, names);
  return out;
}

rpc_results read_results(const rpc_call& call, bytes body) {
  rpc_results out;
  const auto clear = call.opaque ? std::nullopt : clear_text(call.security, body);
  if (!clear) return out;
  const auto results = *clear;
  const auto describe = [&]<class Op>() { describe_results<Op>(results, out); };
  if (call.proto == protocol::nfs3) {
    nfs::v3::operations::visit(call.procedure, describe);
  } else if (call.proto == protocol::mount && call.version == 3) {
    nfs::mount::operations::visit(call.procedure, describe);
  } else if (is_compound(call)) {
    out.compound = read_compound_results(results, call.proto == protocol::nfs4_cb);
    out.status = out.compound.status;
    out.failed = out.status != 0;
    out.max_read = out.compound.max_read;
    out.max_write = out.compound.max_write;
  }
  return out;
}

bool lists_entries(const rpc_call& call) noexcept {
  return call.proto == protocol::nfs3 && call.procedure == nfs::v3::readdirplus::procedure &&
         !call.opaque;
}

std::vector<listed_entry> listed_entries(const rpc_call& call, bytes body) {
  using nfs::v3::readdirplus;
  std::vector<listed_entry> out;
  if (!lists_entries(call)) return out;
  const auto clear = clear_text(call.security, body);
  if (!clear) return out;
  const auto reply = rpc::decode_prefix<readdirplus::reply>(*clear);
  for (const auto& e : reply.message.entries) {
    if (!e.name_handle || e.name.empty() || e.name == "." || e.name == "..") continue;
    out.push_back({.name = wire::as_bytes(e.name),
                   .handle = e.name_handle->hash(),
                   .directory = says_directory(e.name_attributes)});
  }
  // The last one may be cut.
  if (!reply.ok() && !out.empty()) out.pop_back();
  return out;
}

bool plausible_program(u32 program) noexcept {
  return program == program_nfs || program == program_mount || program == program_portmap ||
         program == program_nlm || program == program_nfsacl || program == program_nsm ||
         program == program_rquota || is_callback(program);
}

std::string_view rpc_operation_name(wire::protocol proto, u16 operation) noexcept {
  switch (proto) {
  case protocol::nfs3:
    return nfs::v3::operations::name(operation);
  case protocol::mount:
    return nfs::mount::operations::name(operation);
  case protocol::portmap:
    return operation < rpcbind_operations
               ? rpc::portmap::v2::operations::name(operation)
               : rpc::portmap::v3::operations::name(operation - rpcbind_operations);
  case protocol::nfsacl:
    return name_in(nfsacl_names, operation);
  case protocol::nfs4:
  case protocol::nfs4_0:
  case protocol::nfs4_1:
  case protocol::nfs4_2:
    return operation < nfs4_names.size() ? nfs4_names[operation] : nfs4_operation_name(operation);
  case protocol::nfs4_cb:
    return operation < nfs4_cb_names.size() ? nfs4_cb_names[operation]
                                            : nfs4_callback_name(operation);
  case protocol::nfs2:
    return name_in(nfs2_names, operation);
  case protocol::nsm:
    return name_in(nsm_names, operation);
  case protocol::rquota:
    return name_in(rquota_names, operation);
  case protocol::nlm:
    return name_in(nlm_names, operation);
  case protocol::smb2:
    return {};
  }
  return {};
}

} // namespace profiler::flow
