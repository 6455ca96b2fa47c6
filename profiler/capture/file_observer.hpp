#pragma once

#include "wire/bytes.hpp"

namespace profiler::capture {

using wire::bytes;
using wire::u32;
using wire::u64;

/// A piece of a capture file as it stands there. The pieces of a file in their order are the file
/// up to where it was read, so that a writer can copy all of it, what we do not understand too.
struct file_piece {
  enum class kind {
    header, ///< of a pcap file
    record, ///< of a pcap file: its header and the frame
    block,  ///< of a pcapng file
    damage, ///< bytes that were passed over because nothing can be made of them
  };
  kind what = kind::damage;
  u32 type = 0;            ///< of a block
  bool big_endian = false; ///< the numbers in it
  bool whole = true;       ///< false: more of it follows, as it is too large for memory
  bytes data;
};

/// Is handed each piece before the packet that is in it is given out; both live equally long.
class file_observer {
 public:
  virtual ~file_observer() = default;
  virtual void piece(const file_piece& p) = 0;
};

} // namespace profiler::capture
