#pragma once

#include "nfs/url.hpp"
#include "rpc/connection.hpp"

/// What the clients of all versions do to reach a server.
namespace nfs {

inline constexpr wire::u16 nfs_port =
    2049; ///< of NFSv4, which needs no rpcbind: RFC 8881 section 2.9.3

/// AUTH_SYS: this process, or whom the URL names; then without our own groups.
[[nodiscard]] rpc::auth_sys credential_of(const url& where);

[[nodiscard]] wire::net::connect_options place_of(const url& where, wire::nanos timeout,
                                                  wire::u16 port);

/// "LOOKUP of 'x' on 198.18.1.2:2049: NFS3ERR_NOENT (no such file or directory)"; `name` may be
/// empty.
[[nodiscard]] rpc::error operation_error(std::string_view operation, std::string_view name,
                                         std::string_view server, std::error_code status);

/// What a server wants later (NFS3ERR_JUKEBOX, NFS4ERR_DELAY) is asked for so often.
inline constexpr wire::u32 delay_tries_max = 8;

/// Waits 10 ms after the first try, each time twice as long as before.
[[nodiscard]] wire::net::awaitable<void> back_off(wire::u32 tries);

/// From a reserved port where we may, since most exports want that.
template <class Client>
wire::net::awaitable<std::expected<Client, rpc::error>>
connect_reserved(wire::net::connect_options place, rpc::connection_options options) {
  place.reserved_port = true;
  auto opened = co_await Client::connect(place, options);
  if (!opened && (opened.error().code == std::errc::permission_denied ||
                  opened.error().code == std::errc::address_in_use)) {
    place.reserved_port = false;
    opened = co_await Client::connect(place, options);
  }
  co_return opened;
}

} // namespace nfs
