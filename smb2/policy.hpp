#pragma once

#include "smb2/session.hpp"

#include <string>

namespace smb2 {

/// The dialects that a session offers, the oldest first.
[[nodiscard]] std::vector<dialect> dialects_of(const session_options& options);
/// The signing algorithms that it offers on 3.1.1, the preferred one first.
[[nodiscard]] const std::vector<signing_algorithm>& algorithms_of(const session_options& options);

/// Why these options can never be met, whatever the server is: a sentence; empty when they can.
/// · source: MS-SMB2 3.2.4.1.1, 3.2.4.1.8 (guests neither sign nor seal), 3.1.4.1 and 3.1.4.3 (what
///   a dialect has), 2.2.3.1.3 (3.1.1 alone compresses)
[[nodiscard]] std::string contradiction_in(const session_options& options);

/// Every algorithm that we decompress, the fastest first.
[[nodiscard]] const std::vector<compression_algorithm>& compression_algorithms();

/// "hmac-sha256", "aes-128-gcm", "lz77": as URLs and reports have them.
[[nodiscard]] std::string_view to_string(signing_algorithm algorithm) noexcept;
[[nodiscard]] std::string_view to_string(cipher chosen) noexcept;
[[nodiscard]] std::string_view to_string(compression_algorithm algorithm) noexcept;

} // namespace smb2
