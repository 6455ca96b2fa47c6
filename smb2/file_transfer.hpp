#pragma once

#include "smb2/file.hpp"

namespace smb2::detail {

/// The share as each channel of a session has it; at least one.
using transfer_lanes = std::vector<std::shared_ptr<tree_state>>;

/// Reads into `into` with as many READs at once as window and credits allow, on all lanes; returns
/// the bytes that are there from `offset` on without a hole. What a lane had under way when its
/// connection was lost, goes out on another one.
[[nodiscard]] awaitable<std::expected<u64, error>> read_window(transfer_lanes lanes, fileid id,
                                                               u64 offset,
                                                               std::span<std::byte> into,
                                                               transfer_options options);

[[nodiscard]] awaitable<std::expected<void, error>>
write_window(transfer_lanes lanes, fileid id, u64 offset, bytes data, transfer_options options);

/// Whether a transfer ended because the session had expired, and it is renewed now: a transfer
/// names its offsets, so all of it can be repeated. `seen` is the generation when it began.
[[nodiscard]] awaitable<bool> renewed(std::shared_ptr<session_state> session, error& problem,
                                      u32 seen);

/// · units: bytes. What one READ or WRITE of such a transfer can hold.
[[nodiscard]] u64 read_max(const tree_state& tree, const transfer_options& options);
[[nodiscard]] u64 write_max(const tree_state& tree, const transfer_options& options);

/// The same of more than should be in memory at once.
[[nodiscard]] awaitable<std::expected<u64, error>> read_streamed(std::shared_ptr<tree_state> tree,
                                                                 fileid id, u64 offset, u64 size,
                                                                 chunk_taker take,
                                                                 transfer_options options);

[[nodiscard]] awaitable<std::expected<u64, error>> write_streamed(std::shared_ptr<tree_state> tree,
                                                                  fileid id, u64 offset, u64 size,
                                                                  chunk_filler fill,
                                                                  transfer_options options);

} // namespace smb2::detail
