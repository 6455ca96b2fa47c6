#pragma once

#include "profiler/net/consumer.hpp"
#include "wire/exchange.hpp"
#include "wire/framer.hpp"

namespace profiler::flow {

using net::direction;
using net::index_of;
using net::opposite;
using wire::bytes;
using wire::known;
using wire::nanos;
using wire::stamp;
using wire::u16;
using wire::u32;
using wire::u64;
using wire::u8;

/// A message with what the stream knows beyond the frame.
struct seen_message {
  wire::frame frame;
  nanos stall{0};           ///< pauses inside it above stall_min
  bool gap = false;         ///< some of its bytes were never captured
  bool end_missing = false; ///< its last byte was not: the time of its end is a bound
};

/// Bytes of one direction in which the start of a message could not be told.
struct hole {
  nanos begin{0};
  nanos end{0};
};

} // namespace profiler::flow
