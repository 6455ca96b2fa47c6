#pragma once

#include "wire/bytes.hpp"

#include <asio/error.hpp>

#include <random>
#include <system_error>

namespace wire::net {

/// Asio has a system category of its own that std::errc does not compare with.
[[nodiscard]] inline std::error_code standard(std::error_code error) noexcept {
  if (error.category() != asio::error::get_system_category()) return error;
  return {error.value(), std::system_category()};
}

/// Reserved ports by RFC 1813's servers are 1…1023; 600 up keeps clear of well-known ones.
template <class Socket>
std::error_code bind_reserved(Socket& socket, const typename Socket::protocol_type& version) {
  constexpr unsigned lowest = 600;
  constexpr unsigned count = 1024 - lowest;
  const unsigned start = std::random_device{}() % count;
  std::error_code error;
  for (unsigned i = 0; i < count; ++i) {
    const auto port = static_cast<u16>(lowest + (start + i) % count);
    error.clear();
    socket.bind(typename Socket::endpoint_type(version, port), error);
    if (error != asio::error::address_in_use) return error;
  }
  return error;
}

} // namespace wire::net
