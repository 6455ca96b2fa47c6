#include "cli/op.hpp"

#include "nfs/mount/client.hpp"
#include "nfs/mount/operations.hpp"
#include "nfs/status.hpp"
#include "nfs/v3/client.hpp"
#include "rpc/gss_krb5.hpp"
#include "rpc/portmap/client.hpp"
#include "rpc/portmap/rpcbind.hpp"
#include "rpc/portmap/v2.hpp"
#include "rpc/xdr_print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace cli {

namespace {

using nfs::v3::file_handle;
using rpc::error;
using wire::bytes;
using wire::u32;
using wire::u64;
using wire::net::awaitable;
using step = std::expected<void, error>;
using kind = op_argument::kind;
namespace v3 = nfs::v3;

/// What must be there before an operation can be issued.
enum class needs : wire::u8 {
  nothing,
  directory, ///< the export is mounted and the folder of the URL looked up
  object,    ///< and what `name=` names in it, or the folder itself
};

/// One `wiretrip op nfs://…`: what is open, and what the operation was given.
struct context {
  const op_request& asked;
  nfs::url url;
  op_arguments arguments;
  op_report& report;
  op_result& result;
  std::optional<v3::client> client;
  file_handle object;

  [[nodiscard]] u32 number(std::string_view name) const {
    return static_cast<u32>(arguments.number(name));
  }
  [[nodiscard]] std::string what(std::string_view procedure) const {
    const auto& name = arguments.text("name");
    return fmt::format("{} {}{}{}", procedure, url.path, name.empty() ? "" : "/", name);
  }
  /// `name=` in the folder of the URL, or what another argument calls it.
  [[nodiscard]] v3::diropargs3 entry(std::string_view argument = "name") const {
    v3::diropargs3 out;
    out.dir = client->root();
    out.name = arguments.text(argument);
    return out;
  }
};

struct operation {
  std::string_view name;
  needs before;
  std::string_view help;
  std::vector<op_argument> arguments;
  awaitable<step> (*run)(context& c);
  bool sends_input = false; ///< of --in, and nothing without it
};

template <class Op>
using answer = std::expected<rpc::reply<Op>, error>;

/// Tells what was in the call and its reply. A status that is not OK is an error.
template <class Op>
step tell(context& c, const typename Op::args& args, const answer<Op>& got) {
  c.report.detail("request", rpc::print(args));
  if (!got) return std::unexpected(got.error());
  c.report.detail("response", rpc::print(got->message));
  if constexpr (requires { got->message.status; })
    if (static_cast<u32>(got->message.status) != 0)
      return std::unexpected(
          error{make_error_code(got->message.status),
                fmt::format("{}: {}", c.what(Op::name), to_string(got->message.status))});
  return {};
}

template <class Op>
awaitable<step> issue(context& c, typename Op::args args) {
  const auto got = co_await c.client->call<Op>(args);
  co_return tell<Op>(c, args, got);
}

v3::sattr3 attributes_of(const context& c) {
  const auto optional_u32 = [&](std::string_view name) {
    return c.arguments.has(name) ? std::optional<u32>(c.number(name)) : std::nullopt;
  };
  v3::sattr3 out;
  out.mode = optional_u32("mode");
  out.uid = optional_u32("uid");
  out.gid = optional_u32("gid");
  if (c.arguments.has("size")) out.size = c.arguments.number("size");
  return out;
}

awaitable<step> open_client(context& c) {
  v3::client_settings settings;
  settings.sink = &c.report;
  settings.kerberos = rpc::krb5_source("nfs");
  auto connected = co_await v3::client::connect(c.url, settings);
  if (!connected) co_return std::unexpected(std::move(connected.error()));
  c.client.emplace(std::move(*connected));
  co_return step{};
}

/// What is open already stays: repetitions share it.
awaitable<step> prepare(context& c, const operation& op) {
  step done;
  if (op.before >= needs::directory && !c.client) done = co_await open_client(c);
  if (!done || op.before < needs::object || !c.object.empty()) co_return done;
  c.object = c.client->root();
  const auto name = c.arguments.text("name");
  if (name.empty()) co_return done;
  const auto found = co_await c.client->walk(c.object, name);
  if (!found) co_return std::unexpected(found.error());
  c.object = found->handle;
  co_return done;
}

// MOUNT and rpcbind.

struct place {
  wire::net::connect_options where;
  rpc::connection_options options;
};

place place_of(const context& c, wire::u16 port) {
  place out;
  out.where.host = c.url.host;
  out.where.port = port;
  out.options.sink = &c.report;
  return out;
}

awaitable<std::expected<rpc::portmap::client, error>> open_rpcbind(context& c) {
  const auto at = place_of(c, rpc::portmap::port);
  auto opened = co_await rpc::portmap::client::connect(at.where, at.options);
  co_return opened;
}

awaitable<std::expected<nfs::mount::client, error>> open_mount(context& c) {
  auto port = c.url.mount_port;
  if (port == 0) {
    auto rpcbind = co_await open_rpcbind(c);
    if (!rpcbind) co_return std::unexpected(std::move(rpcbind.error()));
    rpc::portmap::wanted wanted;
    wanted.program = nfs::mount::mount_program::number;
    wanted.version = nfs::mount::mount_program::version;
    const auto known = co_await rpcbind->port_of(wanted);
    if (!known) co_return std::unexpected(known.error());
    port = *known;
  }
  const auto at = place_of(c, port);
  auto opened = co_await nfs::mount::client::connect(at.where, at.options);
  co_return opened;
}

template <class Op>
awaitable<step> run_mount(context& c) {
  auto opened = co_await open_mount(c);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  const typename Op::args args{};
  const auto got = co_await opened->raw().template call<Op>(args);
  co_return tell<Op>(c, args, got);
}

awaitable<step> run_mnt(context& c) {
  auto opened = co_await open_mount(c);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  nfs::mount::mnt::args args;
  args.path = c.url.path;
  const auto got = co_await opened->raw().call<nfs::mount::mnt>(args);
  co_return tell<nfs::mount::mnt>(c, args, got);
}

awaitable<step> run_rpcbind_dump(context& c) {
  auto opened = co_await open_rpcbind(c);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  using dump = rpc::portmap::v2::dump;
  const dump::args args{};
  const auto got = co_await opened->raw().call<dump>(args);
  co_return tell<dump>(c, args, got);
}

// NFS, in the order of the procedures' numbers.

awaitable<step> run_null(context& c) {
  return issue<v3::null>(c, {});
}

awaitable<step> run_getattr(context& c) {
  v3::getattr::args args;
  args.object = c.object;
  return issue<v3::getattr>(c, args);
}

awaitable<step> run_setattr(context& c) {
  v3::setattr::args args;
  args.object = c.object;
  args.new_attributes = attributes_of(c);
  return issue<v3::setattr>(c, args);
}

awaitable<step> run_lookup(context& c) {
  v3::lookup::args args;
  args.what = c.entry();
  return issue<v3::lookup>(c, args);
}

awaitable<step> run_access(context& c) {
  v3::access::args args;
  args.object = c.object;
  args.access = c.number("access");
  return issue<v3::access>(c, args);
}

awaitable<step> run_readlink(context& c) {
  v3::readlink::args args;
  args.symlink = c.object;
  return issue<v3::readlink>(c, args);
}

awaitable<step> run_read(context& c) {
  v3::read::args args;
  args.file = c.object;
  args.offset = c.arguments.number("offset");
  args.count = c.number("count");
  const auto got = co_await c.client->call<v3::read>(args);
  if (got) c.result.output.assign(got->message.data.begin(), got->message.data.end());
  co_return tell<v3::read>(c, args, got);
}

awaitable<step> run_write(context& c) {
  v3::write::args args;
  args.file = c.object;
  args.offset = c.arguments.number("offset");
  args.count = static_cast<u32>(c.asked.input.size());
  args.stable = static_cast<v3::stable_how>(c.number("stable"));
  args.data = c.asked.input;
  return issue<v3::write>(c, args);
}

awaitable<step> run_create(context& c) {
  v3::create::args args;
  args.where = c.entry();
  args.mode = static_cast<v3::createmode3>(c.number("how"));
  args.obj_attributes = attributes_of(c);
  return issue<v3::create>(c, args);
}

awaitable<step> run_mkdir(context& c) {
  v3::mkdir::args args;
  args.where = c.entry();
  args.attributes = attributes_of(c);
  return issue<v3::mkdir>(c, args);
}

awaitable<step> run_symlink(context& c) {
  v3::symlink::args args;
  args.where = c.entry();
  args.symlink_data = c.arguments.text("target");
  return issue<v3::symlink>(c, args);
}

awaitable<step> run_mknod(context& c) {
  v3::mknod::args args;
  args.where = c.entry();
  args.type = static_cast<v3::ftype3>(c.number("type"));
  args.attributes = attributes_of(c);
  args.spec.specdata1 = c.number("major");
  args.spec.specdata2 = c.number("minor");
  return issue<v3::mknod>(c, args);
}

template <class Op>
awaitable<step> run_remove(context& c) {
  typename Op::args args;
  args.object = c.entry();
  return issue<Op>(c, args);
}

awaitable<step> run_rename(context& c) {
  v3::rename::args args;
  args.from = c.entry();
  args.to = c.entry("to");
  return issue<v3::rename>(c, args);
}

awaitable<step> run_link(context& c) {
  v3::link::args args;
  args.file = c.object;
  args.link = c.entry("to");
  return issue<v3::link>(c, args);
}

awaitable<step> run_readdir(context& c) {
  v3::readdir::args args;
  args.dir = c.object;
  args.cookie = c.arguments.number("cookie");
  args.count = c.number("count");
  return issue<v3::readdir>(c, args);
}

awaitable<step> run_readdirplus(context& c) {
  v3::readdirplus::args args;
  args.dir = c.object;
  args.cookie = c.arguments.number("cookie");
  args.dircount = c.number("count");
  args.maxcount = c.number("count");
  return issue<v3::readdirplus>(c, args);
}

/// FSSTAT and FSINFO, which name what they ask about alike.
template <class Op>
awaitable<step> run_filesystem(context& c) {
  typename Op::args args;
  args.fsroot = c.object;
  return issue<Op>(c, args);
}

awaitable<step> run_pathconf(context& c) {
  v3::pathconf::args args;
  args.object = c.object;
  return issue<v3::pathconf>(c, args);
}

awaitable<step> run_commit(context& c) {
  v3::commit::args args;
  args.file = c.object;
  args.offset = c.arguments.number("offset");
  args.count = c.number("count");
  return issue<v3::commit>(c, args);
}

std::vector<op_argument> with_name(std::vector<op_argument> more = {}) {
  more.insert(more.begin(), {"name", kind::text, ""});
  return more;
}

std::vector<op_argument> with_attributes(std::string_view mode,
                                         std::vector<op_argument> more = {}) {
  more.insert(more.end(), {{"mode", kind::word, mode},
                           {"uid", kind::word, ""},
                           {"gid", kind::word, ""},
                           {"size", kind::large, ""}});
  return with_name(std::move(more));
}

const std::vector<operation>& operations() {
  static const std::vector<op_argument> range{{"offset", kind::large, "0"},
                                              {"count", kind::word, "0"}};
  static const std::vector<op_argument> listing{{"cookie", kind::large, "0"},
                                                {"count", kind::word, "64k"}};
  static const std::vector<operation> all{
      {"NULL", needs::directory, "do nothing: a round trip", {}, run_null},
      {"GETATTR", needs::object, "attributes", with_name(), run_getattr},
      {"SETATTR", needs::object, "set those that are given", with_attributes(""), run_setattr},
      {"LOOKUP", needs::directory, "one name in the folder of the URL", with_name(), run_lookup},
      {"ACCESS", needs::object, "which rights of those asked for are granted",
       with_name({{"access", kind::word, "0x3f"}}), run_access},
      {"READLINK", needs::object, "where a symbolic link leads", with_name(), run_readlink},
      {"READ", needs::object, "read; the data goes to --out",
       with_name({{"offset", kind::large, "0"}, {"count", kind::word, "64k"}}), run_read},
      {"WRITE", needs::object, "write what --in gives; stable: 0 unstable, 1 data, 2 file",
       with_name({{"offset", kind::large, "0"}, {"stable", kind::word, "2"}}), run_write, true},
      {"CREATE", needs::directory, "how: 0 unchecked, 1 guarded, 2 exclusive",
       with_attributes("0644", {{"how", kind::word, "0"}}), run_create},
      {"MKDIR", needs::directory, "make a folder", with_attributes("0755"), run_mkdir},
      {"SYMLINK", needs::directory, "make a symbolic link", with_name({{"target", kind::text, ""}}),
       run_symlink},
      {"MKNOD", needs::directory, "type: 3 block, 4 character device, 6 socket, 7 pipe",
       with_attributes(
           "0644",
           {{"type", kind::word, "7"}, {"major", kind::word, "0"}, {"minor", kind::word, "0"}}),
       run_mknod},
      {"REMOVE", needs::directory, "remove a file", with_name(), run_remove<v3::remove>},
      {"RMDIR", needs::directory, "remove a folder", with_name(), run_remove<v3::rmdir>},
      {"RENAME", needs::directory, "in the folder of the URL", with_name({{"to", kind::text, ""}}),
       run_rename},
      {"LINK", needs::object, "give a file a second name in the folder of the URL",
       with_name({{"to", kind::text, ""}}), run_link},
      {"READDIR", needs::object, "one buffer of names", with_name(listing), run_readdir},
      {"READDIRPLUS", needs::object, "names, attributes and handles", with_name(listing),
       run_readdirplus},
      {"FSSTAT", needs::object, "space and files, free and in all", with_name(),
       run_filesystem<v3::fsstat>},
      {"FSINFO", needs::object, "sizes that the server takes", with_name(),
       run_filesystem<v3::fsinfo>},
      {"PATHCONF", needs::object, "limits of names and links", with_name(), run_pathconf},
      {"COMMIT", needs::object, "put a range on stable storage; count=0: to the end",
       with_name(range), run_commit},
      {"MNT", needs::nothing, "MOUNT: the handle of the export", {}, run_mnt},
      {"DUMP", needs::nothing, "MOUNT: who has mounted what", {}, run_mount<nfs::mount::dump>},
      {"EXPORT",
       needs::nothing,
       "MOUNT: what the server offers, and to whom",
       {},
       run_mount<nfs::mount::export_list>},
      {"PMAP_DUMP",
       needs::nothing,
       "rpcbind version 2: the programs and their ports",
       {},
       run_rpcbind_dump},
  };
  return all;
}

std::vector<op_help> list() {
  return help_of(operations());
}

/// The mount is given back whatever happened; the first error is the one that counts.
awaitable<step> run_all(context& c, const operation& op) {
  step done;
  for (unsigned i = 0; done && i < c.asked.repeat; ++i) {
    done = co_await prepare(c, op);
    if (done) done = co_await op.run(c);
  }
  if (!c.client || c.client->connection().closed()) co_return done;
  auto closed = co_await c.client->close();
  if (done) done = std::move(closed);
  co_return done;
}

op_result run(const op_request& asked, op_report& report) {
  const auto op = std::ranges::find(operations(), asked.operation, &operation::name);
  if (op == operations().end())
    return misused(fmt::format("'{}' is no NFSv3 procedure (--list shows them)", asked.operation));
  auto url = nfs::parse_url(asked.url);
  if (!url) return misused(url.error());
  if (url->version != 3)
    return misused(fmt::format("op issues operations of NFSv3, not of version {}.{}", url->version,
                               url->minor_version));
  auto given = arguments_for(*op, asked);
  if (!given) return misused(given.error());
  op_result out;
  context c{asked, std::move(*url), std::move(*given), report, out, {}, {}};
  asio::io_context io(1);
  if (auto done = wire::net::run_to_end(io, run_all(c, *op)); !done) out.error = done.error().text;
  return out;
}

std::string name_of(const wire::exchange& e) {
  switch (e.proto) {
  case wire::protocol::mount:
    return std::string(nfs::mount::operations::name(e.operation));
  case wire::protocol::portmap:
    return std::string(e.version > 2 ? rpc::portmap::v4::operations::name(e.operation)
                                     : rpc::portmap::v2::operations::name(e.operation));
  default:
    return std::string(v3::operations::name(e.operation));
  }
}

std::string status_of(const wire::exchange& e) {
  // Of MOUNT, MNT alone has a status.
  const bool has_none = e.proto == wire::protocol::portmap ||
                        (e.proto == wire::protocol::mount &&
                         e.operation != static_cast<wire::u16>(nfs::mount::mnt::procedure));
  if (has_none && !e.failed) return "answered";
  if (e.proto == wire::protocol::mount)
    return std::string(to_string(static_cast<nfs::mountstat3>(e.status)));
  return std::string(to_string(static_cast<nfs::nfsstat3>(e.status)));
}

} // namespace

op_protocol nfs3_operations() {
  return {"nfs://", {&name_of, &status_of}, nullptr, &list, &run};
}

} // namespace cli
