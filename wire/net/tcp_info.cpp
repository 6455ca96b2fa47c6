// Apart from stream.cpp: Asio includes <netinet/tcp.h>, whose tcp_info is shorter than the kernel's
// and cannot stand beside it.
#include "wire/net/tcp_info.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>

namespace wire::net {

std::optional<nanos> tcp_round_trip_min(int socket) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  const bool known = getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
                     size >= offsetof(tcp_info, tcpi_min_rtt) + sizeof info.tcpi_min_rtt;
  // The kernel says ~0 as long as it has no sample.
  if (!known || info.tcpi_min_rtt == ~0u) return std::nullopt;
  return std::chrono::microseconds(info.tcpi_min_rtt);
}

} // namespace wire::net
