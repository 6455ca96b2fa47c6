#include "profiler/capture/route.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace profiler::capture {

namespace {

/// Any port does: connecting a datagram socket only looks the route up.
constexpr const char* any_port = "9";

bool same_address(const sockaddr* a, const sockaddr* b) noexcept {
  if (a == nullptr || b == nullptr || a->sa_family != b->sa_family) return false;
  if (a->sa_family == AF_INET) {
    sockaddr_in x{};
    sockaddr_in y{};
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    return x.sin_addr.s_addr == y.sin_addr.s_addr;
  }
  if (a->sa_family != AF_INET6) return false;
  sockaddr_in6 x{};
  sockaddr_in6 y{};
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return std::memcmp(&x.sin6_addr, &y.sin6_addr, sizeof x.sin6_addr) == 0;
}

std::expected<sockaddr_storage, std::string> source_for(const addrinfo& to,
                                                        const std::string& address) {
  const int s = ::socket(to.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (s < 0) return std::unexpected("No socket: " + std::generic_category().message(errno) + ".");
  sockaddr_storage source{};
  socklen_t length = sizeof source;
  const bool ok = ::connect(s, to.ai_addr, to.ai_addrlen) == 0 &&
                  ::getsockname(s, reinterpret_cast<sockaddr*>(&source), &length) == 0;
  const int error = errno;
  ::close(s);
  if (!ok)
    return std::unexpected("There is no route to " + address + ": " +
                           std::generic_category().message(error) + ".");
  return source;
}

} // namespace

std::expected<std::string, std::string> interface_towards(const std::string& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), any_port, &hints, &found) != 0)
    return std::unexpected(address + " is no IP address.");
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> to(found, &::freeaddrinfo);
  const auto source = source_for(*to, address);
  if (!source) return std::unexpected(source.error());
  const auto* from = reinterpret_cast<const sockaddr*>(&*source);

  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0)
    return std::unexpected(
        "The interfaces cannot be listed: " + std::generic_category().message(errno) + ".");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(list, &::freeifaddrs);
  // Traffic to an address of our own goes over the loopback, whichever interface has the address.
  const bool to_ourselves = same_address(from, to->ai_addr);
  for (const auto* i = all.get(); i != nullptr; i = i->ifa_next) {
    const bool loopback = (i->ifa_flags & IFF_LOOPBACK) != 0;
    if (to_ourselves ? loopback : same_address(i->ifa_addr, from)) return std::string(i->ifa_name);
  }
  return std::unexpected("No interface has the address from which " + address + " is reached.");
}

} // namespace profiler::capture
