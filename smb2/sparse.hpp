#pragma once

#include "smb2/file.hpp"
#include "smb2/ioctls/sparse.hpp"

/// Sparse files: which ranges have blocks of their own. · units: bytes
namespace smb2 {

/// Holes may be made from then on; or may not.
[[nodiscard]] awaitable<std::expected<void, error>> set_sparse(file where, bool sparse = true);

/// Makes [offset, end) zeros; of a sparse file it may become a hole.
[[nodiscard]] awaitable<std::expected<void, error>> zero_data(file where, u64 offset, u64 end);

/// The ranges of [offset, offset + length) that have blocks, in order; in as many calls as it
/// takes.
[[nodiscard]] awaitable<std::expected<std::vector<file_allocated_range_buffer>, error>>
allocated_ranges(file where, u64 offset, u64 length);

} // namespace smb2
