#pragma once

#include "profiler/capture/window.hpp"

#include <optional>
#include <string_view>

namespace profiler::capture {

enum class compression : u8 { gzip, bzip2, zstd };

[[nodiscard]] std::string_view to_string(compression c) noexcept;

/// By the first bytes of a file; four are enough.
[[nodiscard]] std::optional<compression> compression_of(bytes start) noexcept;

/// Streams what `packed` holds, member after member when several were put together.
/// trouble() says when it is damaged or ends in the middle.
[[nodiscard]] std::unique_ptr<byte_source> decompress(window packed, compression c);

} // namespace profiler::capture
