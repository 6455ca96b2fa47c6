#include "nfs/connecting.hpp"

#include <asio/steady_timer.hpp>

#include <fmt/format.h>

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>

namespace nfs {

namespace {

std::string machine_name() {
  std::string name(256, '\0');
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  name.resize(std::min(name.find('\0'), name.size()));
  return name.empty() ? "localhost" : name;
}

} // namespace

rpc::auth_sys credential_of(const url& where) {
  rpc::auth_sys out;
  out.uid = where.uid.value_or(::geteuid());
  out.gid = where.gid.value_or(::getegid());
  out.machine_name = machine_name();
  if (where.uid || where.gid) return out; // our own groups are not those of another user
  std::vector<::gid_t> groups(rpc::auth_sys_parms::groups_max * 16);
  const int n = ::getgroups(static_cast<int>(groups.size()), groups.data());
  if (n > 0) out.gids.assign(groups.begin(), groups.begin() + n);
  return out;
}

rpc::error operation_error(std::string_view operation, std::string_view name,
                           std::string_view server, std::error_code status) {
  auto text = name.empty()
                  ? fmt::format("{} on {}: {}", operation, server, status.message())
                  : fmt::format("{} of '{}' on {}: {}", operation, name, server, status.message());
  return {status, std::move(text)};
}

wire::net::awaitable<void> back_off(wire::u32 tries) {
  const auto executor = co_await asio::this_coro::executor;
  const auto wait = std::chrono::milliseconds(10) * (1u << std::min(tries - 1, 7u));
  asio::steady_timer timer(executor, wait);
  auto [error] = co_await timer.async_wait(wire::net::as_result);
  static_cast<void>(error);
}

wire::net::connect_options place_of(const url& where, wire::nanos timeout, wire::u16 port) {
  wire::net::connect_options out;
  out.host = where.host;
  out.port = port;
  out.timeout = timeout;
  return out;
}

} // namespace nfs
