#pragma once

#include "wire/bytes.hpp"

#include <array>
#include <string_view>

namespace profiler::flow {

using wire::u64;

/// What was seen and what became of it, of one connection or of all. Sums of parts of a capture are
/// those of the whole. A new counter is a member and a line in `coverage_counters`.
struct coverage {
  u64 calls = 0;          ///< requests of protocols that are analysed, each once
  u64 answered = 0;       ///< of these, with their reply
  u64 timed = 0;          ///< of these, with all four times
  u64 bounded = 0;        ///< of these, with a time that only a gap's end bounds
  u64 unanswered = 0;     ///< expired, or outstanding when their connection ended
  u64 by_elimination = 0; ///< answered by the only reply that can have been theirs
  u64 orphan_replies = 0; ///< their call was not captured
  // Why, as far as it can be told; what is left was dropped without a trace.
  u64 unanswered_one_way = 0; ///< nothing of the other direction was captured
  u64 unanswered_in_gaps = 0; ///< replies are missing since
  u64 unanswered_expired = 0; ///< no reply for call_expiry
  u64 unanswered_at_end = 0;  ///< outstanding when the connection or the capture ended
  u64 orphans_one_way = 0;
  u64 orphans_in_gaps = 0;
  u64 orphans_before_start = 0; ///< the connection was joined in the middle
  u64 retransmitted = 0;        ///< calls seen again, before or after their reply
  u64 duplicate_replies = 0;
  u64 late_replies = 0;  ///< SMB2: their request had been given up; not orphans
  u64 payload_gaps = 0;  ///< messages that miss bytes which were never captured
  u64 cut_messages = 0;  ///< so short that even their header is incomplete
  u64 malformed = 0;     ///< whole, and not what their protocol says
  u64 lost_steps = 0;    ///< how often the start of the next message had to be searched
  u64 dropped_bytes = 0; ///< passed over in the search
  u64 evicted_calls = 0; ///< given up because too many were outstanding
  u64 moved_calls = 0;   ///< of `retransmitted`: on another connection than before
  u64 sealed_calls = 0;  ///< RPCSEC_GSS privacy: named and timed, not looked into
  u64 tls_records = 0;   ///< RPC over TLS: sized, not paired
  u64 tls_bytes = 0;
  u64 other_calls = 0;       ///< of RPC programs that are not analysed
  u64 long_waits = 0;        ///< CHANGE_NOTIFY, blocking locks
  u64 still_waiting = 0;     ///< CHANGE_NOTIFY without an answer at the end: as it should be
  u64 interim_replies = 0;   ///< STATUS_PENDING
  u64 breaks = 0;            ///< oplock and lease break notifications
  u64 lease_breaks = 0;      ///< of these
  u64 notifications = 0;     ///< SERVER_TO_CLIENT_NOTIFICATION
  u64 cancels = 0;           ///< CANCEL: has no reply
  u64 cancels_unmatched = 0; ///< of these, of a request that was not seen or is over
  u64 encrypted_messages = 0;
  u64 encrypted_bytes = 0;
  u64 decrypted_messages = 0;
  u64 decrypted_unverified = 0; ///< of these, not captured or kept whole: nothing proves the tag
  u64 encrypted_without_key = 0;
  u64 tag_failures = 0;       ///< of encrypted messages: no key fits, or they are damaged
  u64 encrypted_unpaired = 0; ///< requests without a key whose response cannot be told
  u64 compressed_messages = 0;
  u64 decompressed_messages = 0; ///< of these, looked into
  u64 smb1_messages = 0;
  u64 rdma_connections = 0; ///< SMB Direct and NFS/RDMA over TCP (iWARP)
  u64 rdma_bytes = 0;
  u64 evicted_flows = 0;            ///< pairs of UDP ports, for memory's sake
  u64 unrecognised_connections = 0; ///< on other ports, with data in which no call was found
  u64 unrecognised_bytes = 0;
  u64 hidden_parts = 0; ///< compounds of which the end was not captured or not kept

  void merge(const coverage& other) noexcept;

  /// Requests that are known to have been made and should have been answered.
  [[nodiscard]] u64 known_requests() const noexcept {
    return calls - still_waiting + orphan_replies + encrypted_unpaired;
  }

  /// Timed requests among these: 1 is full coverage.
  [[nodiscard]] double share() const noexcept {
    const auto known = known_requests();
    return known == 0 ? 1.0 : static_cast<double>(timed) / static_cast<double>(known);
  }
};

struct coverage_counter {
  u64 coverage::*count;
  std::string_view key;    ///< in JSON documents
  std::string_view remark; ///< behind the number, in text: what is missing; empty: nothing is
  u64 coverage::*part_of = nullptr; ///< one of the reasons of another counter
};

/// Every counter, those that weigh most first.
inline constexpr std::array coverage_counters{
    coverage_counter{&coverage::calls, "calls", ""},
    coverage_counter{&coverage::timed, "timed", ""},
    coverage_counter{&coverage::unanswered, "unanswered", "calls without a reply"},
    coverage_counter{&coverage::orphan_replies, "orphan_replies",
                     "replies whose call was not captured"},
    coverage_counter{&coverage::unanswered_one_way, "unanswered_one_direction",
                     "in one direction alone", &coverage::unanswered},
    coverage_counter{&coverage::unanswered_in_gaps, "unanswered_in_gaps", "in gaps",
                     &coverage::unanswered},
    coverage_counter{&coverage::unanswered_expired, "unanswered_expired", "given up after 120 s",
                     &coverage::unanswered},
    coverage_counter{&coverage::unanswered_at_end, "unanswered_at_end", "outstanding at the end",
                     &coverage::unanswered},
    coverage_counter{&coverage::orphans_one_way, "orphans_one_direction", "in one direction alone",
                     &coverage::orphan_replies},
    coverage_counter{&coverage::orphans_in_gaps, "orphans_in_gaps", "in gaps",
                     &coverage::orphan_replies},
    coverage_counter{&coverage::orphans_before_start, "orphans_before_start",
                     "called before the capture began", &coverage::orphan_replies},
    coverage_counter{&coverage::bounded, "bounded", "requests of which a gap bounds the times"},
    coverage_counter{&coverage::by_elimination, "by_elimination", "replies named by elimination"},
    coverage_counter{&coverage::answered, "answered", ""},
    coverage_counter{&coverage::retransmitted, "retransmitted_calls", "calls sent again"},
    coverage_counter{&coverage::moved_calls, "moved_calls",
                     "calls sent again on another connection"},
    coverage_counter{&coverage::sealed_calls, "sealed_calls",
                     "calls sealed by RPCSEC_GSS, timed and not looked into"},
    coverage_counter{&coverage::tls_records, "tls_records", "TLS records, not looked into"},
    coverage_counter{&coverage::tls_bytes, "tls_bytes", ""},
    coverage_counter{&coverage::duplicate_replies, "duplicate_replies", "replies twice"},
    coverage_counter{&coverage::late_replies, "late_replies",
                     "replies to requests that had been given up"},
    coverage_counter{&coverage::long_waits, "long_waits",
                     "requests that wait by design, kept out of the latencies"},
    coverage_counter{&coverage::encrypted_without_key, "encrypted_without_key",
                     "encrypted messages without a key, not looked into"},
    coverage_counter{&coverage::tag_failures, "tag_failures",
                     "encrypted messages that no key fits"},
    coverage_counter{&coverage::encrypted_unpaired, "encrypted_unpaired",
                     "encrypted requests whose response cannot be told"},
    coverage_counter{&coverage::encrypted_messages, "encrypted_messages", ""},
    coverage_counter{&coverage::encrypted_bytes, "encrypted_bytes", ""},
    coverage_counter{&coverage::decrypted_messages, "decrypted_messages", ""},
    coverage_counter{&coverage::decrypted_unverified, "decrypted_unverified",
                     "messages decrypted without a check of their tag"},
    coverage_counter{&coverage::compressed_messages, "compressed_messages", "compressed messages"},
    coverage_counter{&coverage::decompressed_messages, "decompressed_messages", ""},
    coverage_counter{&coverage::smb1_messages, "smb1_messages", ""},
    coverage_counter{&coverage::rdma_connections, "rdma_connections",
                     "connections with RDMA (iWARP), not looked into"},
    coverage_counter{&coverage::rdma_bytes, "rdma_bytes", ""},
    coverage_counter{&coverage::other_calls, "other_rpc_calls",
                     "calls of RPC programs that are not analysed"},
    coverage_counter{&coverage::payload_gaps, "payload_gaps",
                     "messages with bytes that were not captured"},
    coverage_counter{&coverage::lost_steps, "lost_steps",
                     "times the start of a message had to be searched"},
    coverage_counter{&coverage::dropped_bytes, "dropped_bytes", ""},
    coverage_counter{&coverage::malformed, "malformed_messages",
                     "messages that are not what their protocol says"},
    coverage_counter{&coverage::cut_messages, "cut_messages", "messages cut inside their header"},
    coverage_counter{&coverage::evicted_calls, "evicted_calls",
                     "calls given up because too many were outstanding"},
    coverage_counter{&coverage::evicted_flows, "evicted_flows",
                     "pairs of UDP ports given up for memory's sake"},
    coverage_counter{&coverage::unrecognised_connections, "unrecognised_connections",
                     "connections in which no NFS or SMB2 was found"},
    coverage_counter{&coverage::unrecognised_bytes, "unrecognised_bytes", ""},
    coverage_counter{&coverage::still_waiting, "still_waiting", ""},
    coverage_counter{&coverage::interim_replies, "interim_replies", ""},
    coverage_counter{&coverage::breaks, "breaks", ""},
    coverage_counter{&coverage::lease_breaks, "lease_breaks", ""},
    coverage_counter{&coverage::notifications, "notifications", ""},
    coverage_counter{&coverage::cancels, "cancels", ""},
    coverage_counter{&coverage::cancels_unmatched, "cancels_unmatched", ""},
    coverage_counter{&coverage::hidden_parts, "hidden_compound_parts",
                     "compounds whose end was not captured"},
};
static_assert(coverage_counters.size() * sizeof(u64) == sizeof(coverage));

inline void coverage::merge(const coverage& other) noexcept {
  for (const auto& c : coverage_counters)
    this->*c.count += other.*c.count;
}

} // namespace profiler::flow
