#pragma once

#include "wire/bytes.hpp"

#include <limits>
#include <string_view>

namespace wire {

/// The names that reports use; `operation` of an exchange is a number of its protocol.
enum class protocol : u8 {
  portmap,
  mount,
  nfs2,
  nfs3,
  nfsacl,
  nfs4, ///< of a minor version that could not be seen
  nfs4_0,
  nfs4_1,
  nfs4_2,
  nfs4_cb,
  nlm,
  nsm,
  rquota,
  smb2,
};
inline constexpr std::size_t protocol_count = static_cast<std::size_t>(protocol::smb2) + 1;

/// Whatever its minor version: NFSv4 from the client to the server.
[[nodiscard]] constexpr bool is_nfs4(protocol p) noexcept {
  return p >= protocol::nfs4 && p <= protocol::nfs4_2;
}

[[nodiscard]] std::string_view to_string(protocol p) noexcept;

/// A time that was not seen or does not apply.
inline constexpr nanos unknown_time{std::numeric_limits<i64>::min()};

[[nodiscard]] constexpr bool known(nanos t) noexcept {
  return t != unknown_time;
}

/// When a request passed each point, all by one clock. On the wire only q0…r1 are known.
struct exchange_times {
  nanos submitted = unknown_time; ///< the caller asked
  nanos granted = unknown_time;   ///< a slot, a credit or a window was there for it
  nanos encoded = unknown_time;   ///< encoded, signed, sealed
  nanos q0 = unknown_time;        ///< first byte of the call seen (client: handed to the socket)
  nanos q1 = unknown_time;        ///< last byte of the call
  nanos resent = unknown_time;    ///< last byte of the last attempt, when there were several
  nanos r0 = unknown_time;        ///< first byte of the reply
  nanos r1 = unknown_time;        ///< last byte of the reply
  nanos completed = unknown_time; ///< verified, decoded, given to the caller; of a call without a
                                  ///< reply: until when somebody can have waited for it
};

/// One request and its reply: what the clients time from inside and the profiler from the wire.
/// A compound gives one for each of its operations; only that with part 0 is a round trip.
struct exchange {
  protocol proto = protocol::nfs3;
  u8 version = 0;              ///< of the RPC program, where a client tells it; 0: not told
  u16 operation = 0;           ///< procedure number or SMB2 command
  u16 operations = 1;          ///< how many its compound holds
  u16 part = 0;                ///< its place in the compound; only part 0 is a round trip
  u8 attempts = 1;             ///< calls that were sent for it
  bool interim = false;        ///< SMB2: a STATUS_PENDING response came before the final one
  bool long_wait = false;      ///< waits by design (CHANGE_NOTIFY, blocking LOCK): not service time
  bool by_elimination = false; ///< the reply was named as the only one left, not by its id
  bool replied = true;         ///< false: the call was never answered
  bool q1_bounded = false;     ///< the call's end was not captured: q1 is the latest it can be
  bool r1_bounded = false;     ///< the same of the reply
  u32 connection = 0;          ///< number of the connection in its run or analysis
  u32 status = 0;              ///< nfsstat3, mountstat3, NTSTATUS, or the RPC's own refusal
  bool failed = false;         ///< the status says that it failed (not: end of data, more entries)
  u64 id = 0;                  ///< xid or MessageId
  u64 file = 0;                ///< what it worked on: a number of a file or directory, 0: none
  u64 parent = 0;              ///< the directory in which it named `file`, 0: none
  bool directory = false;      ///< `file` is known to be a directory
  u64 offset = 0;              ///< of READ and WRITE, in the file
  u32 data_bytes = 0;          ///< file data that it moved
  u32 request_bytes = 0;       ///< on the stream, prefixes included
  u32 reply_bytes = 0;
  u32 call_packet = 0;    ///< frame that completed the call
  u32 reply_packet = 0;   ///< frame that completed the reply
  nanos request_stall{0}; ///< pauses in the call that the line does not explain: part of q1 − q0
  nanos reply_stall{0};   ///< the same in the reply: part of r1 − r0
  exchange_times t;
  /// How much of r0 − q1 the way to the server and back explains, by the best estimate that whoever
  /// timed the exchange has: round trip and serialisation. Unknown: it cannot be told.
  nanos network = unknown_time;

  [[nodiscard]] bool bounded() const noexcept { return q1_bounded || r1_bounded; }
  /// r1 − q0: what a user waits for, seen from the capture point.
  [[nodiscard]] nanos latency() const noexcept { return t.r1 - t.q0; }
  /// r1 − q1: the service response time as tshark defines it.
  [[nodiscard]] nanos srt() const noexcept { return t.r1 - t.q1; }
  [[nodiscard]] bool timed() const noexcept {
    return known(t.q0) && known(t.q1) && known(t.r0) && known(t.r1);
  }
};

/// Whatever wants to see exchanges: statistics, files, timelines, findings.
class exchange_sink {
 public:
  virtual ~exchange_sink() = default;
  virtual void on_exchange(const exchange& e) = 0;

 protected:
  exchange_sink() = default;
  exchange_sink(const exchange_sink&) = default;
  exchange_sink& operator=(const exchange_sink&) = default;
};

} // namespace wire
