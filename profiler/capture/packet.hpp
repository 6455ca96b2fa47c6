#pragma once

#include "wire/bytes.hpp"

namespace profiler {

/// One captured frame. `data` lives until the reader's next call.
struct packet {
  wire::bytes data;          ///< what was captured of it, from the link header on
  wire::u32 wire_length = 0; ///< its length on the wire, ≥ data.size()
  wire::stamp at; ///< Unix time as precise as the file; frame number from 1 as in Wireshark
  wire::u32 link_type = 0; ///< LINKTYPE_… value of its interface (1: Ethernet)
};

} // namespace profiler
