#pragma once

#include "smb2/auth/authenticator.hpp"

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace smb2::auth {

/// Who logs on; all in UTF-8.
struct credentials {
  std::string user{};
  std::string password{};    ///< NTLM's alone
  std::string domain{};      ///< empty: the server looks the user up where it likes
  std::string workstation{}; ///< empty: none is told
  bool anonymous = false;    ///< asked for; user and password do not count then
  /// NTLM's: the MD5 of the channel around SMB (MS-NLMP 2.2.2.1, RFC 2744 3.11), as over QUIC;
  /// zeros: there is none.
  std::array<std::byte, 16> channel_bindings{};
};

/// Makes a mechanism, afresh for each log-on, to be used with the server of this name. The error is
/// a sentence.
using mechanism_source = std::function<std::expected<std::unique_ptr<mechanism>, std::string>(
    const credentials& who, const std::string& server)>;

} // namespace smb2::auth
