#pragma once

#include "smb2/error.hpp"
#include "smb2/types.hpp"
#include "wire/net/async.hpp"

#include <expected>

namespace smb2 {

/// Makes a session good again that the server calls expired. The session implements it; a
/// connection asks for it when a response says STATUS_NETWORK_SESSION_EXPIRED, and repeats the
/// call, which the server has not touched.
/// · source: MS-SMB2 3.2.5.1.6, 3.3.5.2.9
class session_renewal {
 public:
  virtual ~session_renewal() = default;

  /// How often the session was renewed.
  [[nodiscard]] virtual u32 generation() const noexcept = 0;

  /// Authenticates again, unless that has happened since generation() was `seen`. Several calls
  /// that expired together wait for one renewal.
  [[nodiscard]] virtual wire::net::awaitable<std::expected<void, error>> renew(u32 seen) = 0;

 protected:
  session_renewal() = default;
  session_renewal(const session_renewal&) = default;
  session_renewal& operator=(const session_renewal&) = default;
};

} // namespace smb2
