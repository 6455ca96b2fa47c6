#pragma once

#include "wire/bytes.hpp"
#include "wire/writer.hpp"

#include <span>

namespace wire {

/// Where a core wants the next bytes of its stream.
struct reception {
  std::span<std::byte>
      place; ///< good for one read that does not wait; empty: wherever there is room
  std::size_t bytes_max = ~std::size_t{0}; ///< then no more than these at once
};

/// A message that a core wants sent: bytes that live until `transmitted` is called for it.
struct transmission {
  const writer* message = nullptr;
  u64 id = 0; ///< xid or MessageId
};

} // namespace wire
