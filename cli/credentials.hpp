#pragma once

#include <expected>
#include <string>

namespace cli {

/// The password: from a credentials file (the form of mount.cifs: lines `password=…`, refused when
/// others than its owner can read it), else from WIRETRIP_PASSWORD, else asked for on the terminal.
[[nodiscard]] std::expected<std::string, std::string>
find_password(const std::string& credentials_file);

} // namespace cli
