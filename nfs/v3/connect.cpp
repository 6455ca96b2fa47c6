#include "nfs/connecting.hpp"
#include "nfs/mount/client.hpp"
#include "nfs/v3/client.hpp"
#include "rpc/portmap/client.hpp"

#include <fmt/format.h>

#include <algorithm>

/// How a client comes to be: rpcbind, MOUNT, NFS, FSINFO.
namespace nfs::v3 {

namespace {

using wire::u16;

struct ports {
  u16 mount = 0;
  u16 nfs = 0;
};

rpc::connection_options options_for(const url& where, const client_settings& settings, u32 number) {
  rpc::connection_options out;
  out.credential = credential_of(where);
  out.timeout = settings.timeout;
  out.sink = settings.sink;
  out.number = settings.connection_number + number;
  return out;
}

wire::net::connect_options endpoint(const url& where, const client_settings& settings, u16 port) {
  return place_of(where, settings.connect_timeout, port);
}

constexpr u32 nfs_number = 0;
constexpr u32 mount_number = 1;
constexpr u32 rpcbind_number = 2;

result<u16> port_of(rpc::portmap::client& rpcbind, u32 program, u32 version,
                    std::string_view option, rpc::transport over = rpc::transport::tcp) {
  rpc::portmap::wanted wanted;
  wanted.program = program;
  wanted.version = version;
  wanted.over = over;
  auto port = co_await rpcbind.port_of(wanted);
  if (!port) port.error().text += fmt::format("; {} in the URL does without rpcbind", option);
  co_return port;
}

/// Asks rpcbind for what the URL does not say.
result<ports> find_ports(url where, client_settings settings) {
  ports out;
  out.mount = where.mount_port;
  out.nfs = where.port;
  if (out.mount != 0 && out.nfs != 0) co_return out;
  auto place = endpoint(where, settings, rpc::portmap::port);
  auto options = options_for(where, settings, rpcbind_number);
  options.credential.reset();
  auto rpcbind = co_await rpc::portmap::client::connect(std::move(place), std::move(options));
  if (!rpcbind) {
    auto e = std::move(rpcbind.error());
    e.text = fmt::format("rpcbind of {} (which knows the ports of MOUNT and NFS): {}; with "
                         ":PORT and mountport=PORT in the URL it is not needed",
                         where.host, e.text);
    co_return std::unexpected(std::move(e));
  }
  if (out.mount == 0) {
    auto port = co_await port_of(*rpcbind, mount::mount_program::number,
                                 mount::mount_program::version, "mountport=PORT");
    if (!port) co_return std::unexpected(std::move(port.error()));
    out.mount = *port;
  }
  if (out.nfs == 0) {
    auto port = co_await port_of(*rpcbind, nfs_program::number, nfs_program::version, ":PORT",
                                 where.transport);
    if (!port) co_return std::unexpected(std::move(port.error()));
    out.nfs = *port;
  }
  co_return out;
}

result<mount::mounted> mount_export(url where, client_settings settings, u16 port) {
  auto place = endpoint(where, settings, port);
  auto options = options_for(where, settings, mount_number);
  auto mounter = co_await connect_reserved<mount::client>(std::move(place), std::move(options));
  if (!mounter) {
    auto e = std::move(mounter.error());
    e.text = "MOUNT: " + e.text;
    co_return std::unexpected(std::move(e));
  }
  auto mounted = co_await mounter->mount(where.path, where.sec);
  co_return mounted;
}

constexpr u32 datagram_data_max = 60u << 10; ///< leaves room for headers, verifiers and seals

/// What the URL asks for, else what the server prefers up to 1 MiB, which is where Linux stops too:
/// some servers prefer all that they can do (16 MiB), and one such call holds up all others.
/// Over UDP 32 KiB, as Linux servers do: each message is one datagram, in fragments of the MTU.
u32 choose_size(u32 wanted, u32 preferred, u32 most, rpc::transport over) {
  const bool udp = over == rpc::transport::udp;
  const u32 unasked_max = udp ? 32u << 10 : 1u << 20;
  const u32 ours = udp ? datagram_data_max : data_bytes_max;
  constexpr u32 fallback = 32u << 10; // a server that names no size at all
  if (most == 0) most = preferred != 0 ? preferred : fallback;
  if (preferred == 0) preferred = most;
  return std::min({wanted != 0 ? wanted : std::min(preferred, unasked_max), most, ours});
}

} // namespace

client::client(rpc::connection c, client_settings settings, url where)
    : connection_(std::move(c)), settings_(settings), where_(std::move(where)) {}

result<client> client::connect(url where, client_settings settings) {
  auto gss = gss_for(where.sec, where.host, settings.kerberos);
  if (!gss) {
    error e;
    e.code = rpc::errc::unsupported;
    e.text = std::move(gss.error());
    co_return std::unexpected(std::move(e));
  }
  auto found_ports = co_await find_ports(where, settings);
  if (!found_ports) co_return std::unexpected(std::move(found_ports.error()));
  auto mounted = co_await mount_export(where, settings, found_ports->mount);
  if (!mounted) co_return std::unexpected(std::move(mounted.error()));

  auto place = endpoint(where, settings, found_ports->nfs);
  auto options = options_for(where, settings, nfs_number);
  options.gss = std::move(*gss);
  options.over = where.transport;
  auto opened = co_await connect_reserved<rpc::connection>(std::move(place), std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));

  client out(std::move(*opened), settings, std::move(where));
  out.mount_port_ = found_ports->mount;
  out.export_path_ = mounted->path;
  out.root_ = mounted->root;
  if (!mounted->below.empty()) {
    auto below = co_await out.walk(mounted->root, mounted->below);
    if (!below) {
      auto e = std::move(below.error());
      e.text = fmt::format("{} is not there ({} was mounted): {}", out.where_.path, mounted->path,
                           e.text);
      co_return std::unexpected(std::move(e));
    }
    out.root_ = below->handle;
  }
  auto limits = co_await out.set_limits();
  if (!limits) co_return std::unexpected(std::move(limits.error()));
  co_return out;
}

result<void> client::set_limits() {
  auto info = co_await fsinfo_of(root_);
  if (!info) co_return std::unexpected(std::move(info.error()));
  limits_.rsize = choose_size(where_.rsize, info->rtpref, info->rtmax, where_.transport);
  limits_.wsize = choose_size(where_.wsize, info->wtpref, info->wtmax, where_.transport);
  limits_.dtpref = std::min(
      info->dtpref, where_.transport == rpc::transport::udp ? datagram_data_max : data_bytes_max);
  limits_.maxfilesize = info->maxfilesize;
  co_return std::expected<void, error>{};
}

result<void> client::close() {
  connection_.close();
  auto place = endpoint(where_, settings_, mount_port_);
  auto options = options_for(where_, settings_, mount_number);
  auto mounter = co_await connect_reserved<mount::client>(std::move(place), std::move(options));
  if (!mounter) co_return std::unexpected(std::move(mounter.error()));
  auto unmounted = co_await mounter->unmount(export_path_);
  co_return unmounted;
}

} // namespace nfs::v3
