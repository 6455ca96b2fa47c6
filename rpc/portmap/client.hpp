#pragma once

#include "rpc/connection.hpp"
#include "rpc/portmap/types.hpp"

#include <string>

namespace rpc::portmap {

struct wanted {
  u32 program = 0;
  u32 version = 0;
  transport over = transport::tcp;
};

/// Asks one server's rpcbind for ports, over one connection.
class client {
 public:
  explicit client(connection c) noexcept : connection_(std::move(c)) {}

  [[nodiscard]] static awaitable<std::expected<client, error>>
  connect(wire::net::connect_options where, connection_options options);

  /// The port of a program over that transport: version 2 GETPORT; where the server does not have
  /// version 2, or does not list the program there (programs on IPv6 alone), GETADDR of versions 4
  /// and 3. Errors: not_registered, and those of calls.
  [[nodiscard]] awaitable<std::expected<wire::u16, error>> port_of(wanted program);

  [[nodiscard]] connection& raw() noexcept { return connection_; }

 private:
  [[nodiscard]] awaitable<std::expected<wire::u16, error>> getport(wanted program);
  template <class Version>
  [[nodiscard]] awaitable<std::expected<wire::u16, error>> getaddr(wanted program);

  connection connection_;
};

} // namespace rpc::portmap
