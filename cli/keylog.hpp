#pragma once

#include "smb2/key_sink.hpp"

#include <expected>
#include <memory>
#include <string>

namespace cli {

/// Appends the secrets of each SMB session to a file, as `wiretrip analyze --keys` and Wireshark's
/// smb2_seskey_list take them: session id in the order of its bytes, session key, server-to-client
/// key, client-to-server key, in hex with commas between. Of a session key of Kerberos the first 16
/// bytes, or under AES-256 none: Wireshark takes no more. A line is in the file before the session
/// is used. Who reads the file reads the captures: it is made for its owner alone.
/// Errors: "keys.txt: Permission denied".
[[nodiscard]] std::expected<std::unique_ptr<smb2::key_sink>, std::string>
open_keylog(const std::string& path);

} // namespace cli
