#pragma once

#include "smb2/file.hpp"

namespace smb2 {

/// Opens a named pipe of IPC$ ("srvsvc").
[[nodiscard]] awaitable<std::expected<file, error>> open_pipe(tree ipc, std::string name);

/// Writes a message and reads the answer in one round trip: FSCTL_PIPE_TRANSCEIVE. What does not
/// fit in `bytes_max` is read after it, up to `message_bytes_max` in all.
[[nodiscard]] awaitable<std::expected<std::vector<std::byte>, error>>
transceive(file pipe, std::vector<std::byte> message, u32 bytes_max = 4280);

/// The same by a WRITE and READs.
[[nodiscard]] awaitable<std::expected<std::vector<std::byte>, error>>
write_and_read(file pipe, std::vector<std::byte> message, u32 bytes_max = 4280);

/// The next message of the pipe; waits for it. A message is read to its end, in as many READs as
/// that takes.
[[nodiscard]] awaitable<std::expected<std::vector<std::byte>, error>>
read_pipe(file pipe, u32 bytes_max = 4280);

} // namespace smb2
