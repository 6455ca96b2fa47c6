#pragma once

#include "wire/bytes.hpp"

#include <array>
#include <map>

namespace profiler::flow {

using wire::u16;
using wire::u64;
using wire::u8;

/// One session of which sealed messages were seen; on all its connections.
struct smb2_sealed_session {
  u64 messages = 0;  ///< behind a TRANSFORM header
  u64 decrypted = 0; ///< of these
  u64 without_key = 0;
  u64 tag_failures = 0;      ///< no key fits, or the message is damaged
  u16 cipher = 0;            ///< of the key that fits; 0: none does
  bool hash_missing = false; ///< 3.1.1, its session key is known, NEGOTIATE or SESSION_SETUP not

  void merge(const smb2_sealed_session& other) noexcept {
    messages += other.messages;
    decrypted += other.decrypted;
    without_key += other.without_key;
    tag_failures += other.tag_failures;
    if (other.cipher != 0) cipher = other.cipher;
    hash_missing |= other.hash_missing;
  }
};

/// What is counted of SMB beyond the requests that are timed.
struct smb_facts {
  static constexpr std::size_t sessions_max = 4096;

  struct both_ways {
    u64 requests = 0;
    u64 responses = 0;
  };

  std::array<both_ways, 256> smb1{};           ///< by command
  std::array<u64, 8> compressed{};             ///< messages by algorithm; 7: numbers that are none
  u64 uncompressed_bytes = 0;                  ///< OriginalCompressedSegmentSize of these, added up
  u64 compressed_inside = 0;                   ///< of these, inside encrypted ones
  std::map<u64, smb2_sealed_session> sessions; ///< by SessionId; the first sessions_max of them
  u64 sessions_not_listed = 0;                 ///< messages of further ones
  // Session service of NetBIOS, RFC 1002 section 4.3.
  u64 netbios_requests = 0;
  u64 netbios_accepted = 0;
  u64 netbios_refused = 0;
  u64 netbios_retargeted = 0;
  u64 keep_alives = 0;

  void merge(const smb_facts& other);
};

} // namespace profiler::flow
