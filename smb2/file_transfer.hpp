#pragma once

#include "smb2/file.hpp"

namespace smb2::detail {

/// Reads into `into` with as many READs at once as window and credits allow; returns the bytes that
/// are there from `offset` on without a hole.
[[nodiscard]] awaitable<std::expected<u64, error>> read_window(std::shared_ptr<tree_state> tree,
                                                               fileid id, u64 offset,
                                                               std::span<std::byte> into,
                                                               transfer_options options);

[[nodiscard]] awaitable<std::expected<void, error>> write_window(std::shared_ptr<tree_state> tree,
                                                                 fileid id, u64 offset, bytes data,
                                                                 transfer_options options);

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
