#pragma once

#include "smb2/contexts/negotiate.hpp"
#include "smb2/limits.hpp"
#include "wire/error.hpp"

#include <expected>
#include <vector>

namespace smb2 {

/// What NEGOTIATE has settled that senders may do. No algorithm: nothing is compressed.
struct compression_agreement {
  std::vector<compression_algorithm> algorithms;
  bool chained = false;

  friend bool operator==(const compression_agreement&, const compression_agreement&) = default;
};

/// The message inside a compressed one, not chained or chained.
/// · bytes: `message` starts with its SMB2 COMPRESSION_TRANSFORM_HEADER (FC 'SMB').
/// · errors: over_limit (it says to be longer than `bytes_max`, or is longer than it says),
///   truncated, bad_offset, bad_value (an algorithm that is none, or may not stand there).
/// Nothing is allocated beyond `bytes_max`, and the work is linear in input and output.
/// · source: MS-SMB2 2.2.42, 3.1.4.4, 3.2.5.1.10
[[nodiscard]] std::expected<std::vector<std::byte>, wire::decode_error>
decompress(bytes message, u32 bytes_max = message_bytes_max);

/// The same of a message that may hold no other compression than was agreed on; "as it is" may
/// stand in every chain. · errors: as above, and bad_value of "compression that was not agreed on".
[[nodiscard]] std::expected<std::vector<std::byte>, wire::decode_error>
decompress(bytes message, const compression_agreement& agreed, u32 bytes_max);

} // namespace smb2
