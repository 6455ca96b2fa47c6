#pragma once

#include "wire/bytes.hpp"

namespace smb2::crypto {

/// Compares secrets: the time it takes says nothing about where they differ.
[[nodiscard]] bool equal(wire::bytes a, wire::bytes b) noexcept;

} // namespace smb2::crypto
