#include "bench/lab/link/tap.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace bench::lab::link {
namespace {

std::unexpected<std::string> failed(const std::string& what) {
  return std::unexpected(what + ": " + std::strerror(errno));
}

ifreq request_for(const std::string& name) {
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

} // namespace

std::expected<void, std::string> enter_network_namespace(const std::string& name_or_path) {
  const auto path =
      name_or_path.find('/') == std::string::npos ? "/run/netns/" + name_or_path : name_or_path;
  const file_descriptor handle{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!handle) return failed("network namespace " + path);
  if (::setns(handle.get(), CLONE_NEWNET) != 0) return failed("entering network namespace " + path);
  return {};
}

std::expected<tap, std::string> tap::open(const std::string& network_namespace,
                                          const std::string& device) {
  if (device.empty() || device.size() >= IFNAMSIZ)
    return std::unexpected("device name '" + device + "' has not 1 to 15 characters");
  if (auto entered = enter_network_namespace(network_namespace); !entered)
    return std::unexpected(entered.error());
  tap result;
  result.name_ = device;
  // The device belongs to the namespace in which /dev/net/tun was opened.
  result.device_ = file_descriptor{::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)};
  if (!result.device_) return failed("/dev/net/tun");
  ifreq request = request_for(device);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (::ioctl(result.device_.get(), TUNSETIFF, &request) != 0)
    return failed("TAP device " + device + " in " + network_namespace);
  if (::ioctl(result.device_.get(), TUNSETOFFLOAD, 0) != 0) return failed("TUNSETOFFLOAD");
  result.control_ = file_descriptor{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (!result.control_) return failed("socket");
  request = request_for(device);
  if (::ioctl(result.control_.get(), SIOCGIFFLAGS, &request) != 0) return failed("SIOCGIFFLAGS");
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  if (::ioctl(result.control_.get(), SIOCSIFFLAGS, &request) != 0) return failed("SIOCSIFFLAGS");
  if (auto stamps = departure_stamps::open(::if_nametoindex(device.c_str())); stamps)
    result.stamps_ = std::move(*stamps);
  else
    result.stamps_error_ = stamps.error();
  return result;
}

std::expected<void, std::string> tap::set_mtu(std::uint32_t mtu_bytes) {
  ifreq request = request_for(name_);
  request.ifr_mtu = static_cast<int>(mtu_bytes);
  if (::ioctl(control_.get(), SIOCSIFMTU, &request) != 0) return failed("MTU of " + name_);
  return {};
}

std::expected<std::optional<std::span<const std::byte>>, std::string>
tap::read(std::span<std::byte> buffer) {
  const auto n = ::read(device_.get(), buffer.data(), buffer.size());
  if (n > 0) return buffer.first(static_cast<std::size_t>(n));
  if (n == 0 || errno == EAGAIN || errno == EINTR) return std::nullopt;
  return failed("reading " + name_);
}

bool tap::write(std::span<const std::byte> frame) {
  return ::write(device_.get(), frame.data(), frame.size()) == static_cast<ssize_t>(frame.size());
}

} // namespace bench::lab::link
