#include "rpc/portmap/client.hpp"

#include "rpc/portmap/rpcbind.hpp"
#include "rpc/portmap/v2.hpp"

#include <fmt/format.h>

namespace rpc::portmap {

namespace {

std::string_view netid(transport over, bool v6) noexcept {
  if (over == transport::udp) return v6 ? "udp6" : "udp";
  return v6 ? "tcp6" : "tcp";
}

} // namespace

awaitable<std::expected<client, error>> client::connect(wire::net::connect_options where,
                                                        connection_options options) {
  auto opened = co_await connection::connect(std::move(where), std::move(options));
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  co_return client(std::move(*opened));
}

awaitable<std::expected<wire::u16, error>> client::getport(wanted program) {
  mapping m;
  m.program = program.program;
  m.version = program.version;
  m.protocol = program.over == transport::udp ? protocol_udp : protocol_tcp;
  auto r = co_await connection_.call<v2::getport>(m);
  if (!r) co_return std::unexpected(std::move(r.error()));
  const auto number = r->message.value;
  co_return number > 0xffff ? wire::u16{0} : static_cast<wire::u16>(number);
}

template <class Version>
awaitable<std::expected<wire::u16, error>> client::getaddr(wanted program) {
  const auto remote = connection_.remote_endpoint();
  const auto host = remote.address().to_string();
  const auto address = to_universal({host, port});
  rpcb args;
  args.program = program.program;
  args.version = program.version;
  args.netid = netid(program.over, remote.address().is_v6());
  args.address = address;
  auto r = co_await connection_.call<typename Version::getaddr>(args);
  if (!r) co_return std::unexpected(std::move(r.error()));
  const auto found = from_universal(r->message.value);
  co_return found ? found->port : wire::u16{0};
}

awaitable<std::expected<wire::u16, error>> client::port_of(wanted program) {
  auto found = co_await getport(program);
  if (found && *found != 0) co_return found;
  if (!found && found.error().code != errc::refused) co_return found;
  auto modern = co_await getaddr<v4>(program);
  if (!modern && modern.error().code == errc::refused) modern = co_await getaddr<v3>(program);
  if (modern && *modern != 0) co_return modern;
  if (!found && !modern) co_return found;
  error e;
  e.code = errc::not_registered;
  e.text =
      fmt::format("rpcbind on {} does not list program {} version {} over {}", connection_.server(),
                  program.program, program.version, program.over == transport::udp ? "UDP" : "TCP");
  co_return std::unexpected(std::move(e));
}

} // namespace rpc::portmap
