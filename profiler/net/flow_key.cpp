#include "profiler/net/flow_id.hpp"

#include <algorithm>

#include <arpa/inet.h>

namespace profiler::net {

namespace {

constexpr std::array<u8, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/// The ports that our protocols' servers listen on: portmap, NetBIOS session, SMB, NFS, mount.
constexpr std::array<u16, 5> service_ports{111, 139, 445, 2049, 20048};

} // namespace

bool is_service_port(u16 port) noexcept {
  return std::find(service_ports.begin(), service_ports.end(), port) != service_ports.end();
}

std::string text_of(const endpoint& e) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool v4 = std::equal(mapped_prefix.begin(), mapped_prefix.end(), e.address.begin());
  const auto* from = e.address.data() + (v4 ? mapped_prefix.size() : 0);
  const std::string address = ::inet_ntop(v4 ? AF_INET : AF_INET6, from, text.data(), text.size());
  return (v4 ? address : "[" + address + "]") + ":" + std::to_string(e.port);
}

bool is_client_by_port(const endpoint& e, const endpoint& peer) noexcept {
  if (is_service_port(e.port) != is_service_port(peer.port)) return is_service_port(peer.port);
  return e.port != peer.port ? e.port > peer.port : e.address < peer.address;
}

} // namespace profiler::net
