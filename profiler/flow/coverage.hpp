#pragma once

#include "wire/bytes.hpp"

namespace profiler::flow {

using wire::u64;

/// What was seen and what became of it. Sums of parts of a capture are those of the whole.
struct coverage {
  u64 calls = 0;          ///< requests of protocols that are analysed, each once
  u64 answered = 0;       ///< of these, with their reply
  u64 timed = 0;          ///< of these, with all four times
  u64 bounded = 0;        ///< of these, with a time that only a gap's end bounds
  u64 unanswered = 0;     ///< expired, or outstanding when their connection ended
  u64 by_elimination = 0; ///< answered by the only reply that can have been theirs
  u64 orphan_replies = 0; ///< their call was not captured
  u64 retransmitted = 0;  ///< calls seen again, before or after their reply
  u64 duplicate_replies = 0;
  u64 payload_gaps = 0;    ///< messages that miss bytes which were never captured
  u64 cut_messages = 0;    ///< so short that even their header is incomplete
  u64 malformed = 0;       ///< whole, and not what their protocol says
  u64 lost_steps = 0;      ///< how often the start of the next message had to be searched
  u64 dropped_bytes = 0;   ///< passed over in the search
  u64 evicted_calls = 0;   ///< given up because too many were outstanding
  u64 other_calls = 0;     ///< of RPC programs that are not analysed
  u64 long_waits = 0;      ///< CHANGE_NOTIFY, blocking locks
  u64 still_waiting = 0;   ///< CHANGE_NOTIFY without an answer at the end: as it should be
  u64 interim_replies = 0; ///< STATUS_PENDING
  u64 breaks = 0;          ///< oplock and lease break notifications
  u64 cancels = 0;         ///< CANCEL: has no reply
  u64 encrypted_messages = 0;
  u64 encrypted_bytes = 0;
  u64 compressed_messages = 0;
  u64 smb1_messages = 0;
  u64 hidden_parts = 0; ///< compounds of which the end was not captured or not kept

  void merge(const coverage& other) noexcept {
    calls += other.calls;
    answered += other.answered;
    timed += other.timed;
    bounded += other.bounded;
    unanswered += other.unanswered;
    by_elimination += other.by_elimination;
    orphan_replies += other.orphan_replies;
    retransmitted += other.retransmitted;
    duplicate_replies += other.duplicate_replies;
    payload_gaps += other.payload_gaps;
    cut_messages += other.cut_messages;
    malformed += other.malformed;
    lost_steps += other.lost_steps;
    dropped_bytes += other.dropped_bytes;
    evicted_calls += other.evicted_calls;
    other_calls += other.other_calls;
    long_waits += other.long_waits;
    still_waiting += other.still_waiting;
    interim_replies += other.interim_replies;
    breaks += other.breaks;
    cancels += other.cancels;
    encrypted_messages += other.encrypted_messages;
    encrypted_bytes += other.encrypted_bytes;
    compressed_messages += other.compressed_messages;
    smb1_messages += other.smb1_messages;
    hidden_parts += other.hidden_parts;
  }

  /// Timed requests among all that are known to have been made: 1 is full coverage.
  [[nodiscard]] double share() const noexcept {
    const auto known = calls - still_waiting + orphan_replies;
    return known == 0 ? 1.0 : static_cast<double>(timed) / static_cast<double>(known);
  }
};

} // namespace profiler::flow
