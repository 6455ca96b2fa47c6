#include "bench/lab/link/control.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>

namespace bench::lab::link {
namespace {

constexpr int answer_timeout_s = 5;

std::unexpected<std::string> failed(const std::string& what) {
  return std::unexpected(what + ": " + std::strerror(errno));
}

std::expected<sockaddr_un, std::string> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return std::unexpected("socket path '" + path + "' is empty or too long");
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

std::expected<file_descriptor, std::string> connect_to(const std::string& path) {
  const auto address = address_of(path);
  if (!address) return std::unexpected(address.error());
  file_descriptor fd{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
  if (!fd) return failed("socket");
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return failed("no relay answers on " + path);
  return fd;
}

} // namespace

std::expected<control_server, std::string> control_server::open(const std::string& path) {
  const auto address = address_of(path);
  if (!address) return std::unexpected(address.error());
  if (connect_to(path)) return std::unexpected("a relay is running on " + path);
  ::unlink(path.c_str());
  file_descriptor listener{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!listener) return failed("socket");
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return failed("control socket " + path);
  control_server server{path};
  server.listener_ = std::move(listener);
  if (::listen(server.listener_.get(), static_cast<int>(connection_limit)) != 0)
    return failed("listen");
  return server;
}

control_server::~control_server() {
  if (listener_) ::unlink(path_.c_str());
}

void control_server::add_to(std::vector<pollfd>& fds) const {
  if (connections_.size() < connection_limit) fds.push_back({listener_.get(), POLLIN, 0});
  for (const auto& connection : connections_)
    fds.push_back({connection.get(), POLLIN, 0});
}

void control_server::serve(const handler& handle) {
  while (connections_.size() < connection_limit) {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) break;
    connections_.emplace_back(fd);
  }
  std::erase_if(connections_, [&](const file_descriptor& connection) {
    return !serve_one(connection.get(), handle);
  });
}

/// False when the connection is over.
bool control_server::serve_one(int fd, const handler& handle) {
  std::array<char, message_limit_bytes + 1> buffer{};
  const auto n = ::recv(fd, buffer.data(), buffer.size(), 0);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0 || static_cast<std::size_t>(n) > message_limit_bytes) return false;
  const auto answer = handle(std::string{buffer.data(), static_cast<std::size_t>(n)});
  return ::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(answer.size());
}

std::expected<std::string, std::string> ask(const std::string& path, const std::string& request) {
  if (request.size() > control_server::message_limit_bytes)
    return std::unexpected("too many settings at once");
  const auto fd = connect_to(path);
  if (!fd) return std::unexpected(fd.error());
  const timeval limit{answer_timeout_s, 0};
  ::setsockopt(fd->get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (::send(fd->get(), request.data(), request.size(), MSG_NOSIGNAL) < 0)
    return failed("asking the relay");
  std::array<char, 64 * 1024> answer{};
  const auto n = ::recv(fd->get(), answer.data(), answer.size(), 0);
  if (n < 0) return failed("the relay does not answer");
  if (n == 0) return std::unexpected(std::string{"the relay closed the connection"});
  return std::string{answer.data(), static_cast<std::size_t>(n)};
}

} // namespace bench::lab::link
