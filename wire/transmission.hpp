#pragma once

#include "wire/bytes.hpp"
#include "wire/writer.hpp"

namespace wire {

/// A message that a core wants sent: bytes that live until `transmitted` is called for it.
struct transmission {
  const writer* message = nullptr;
  u64 id = 0; ///< xid or MessageId
};

} // namespace wire
