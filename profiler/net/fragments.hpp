#pragma once

#include "profiler/net/counters.hpp"
#include "profiler/net/ip.hpp"
#include "profiler/net/limits.hpp"
#include "profiler/net/lru_table.hpp"

#include <optional>

namespace profiler::net {

/// A datagram that was put together from IP fragments.
struct whole_datagram {
  std::vector<std::byte> data; ///< its captured bytes up to the first that is missing
  u32 wire_length = 0;
  stamp first; ///< the earliest fragment
  stamp last;
};

/// Puts fragmented IP packets together. Of overlapping bytes the first copy stays. Fragments that
/// the snap length cut count with their wire length; the datagram's data ends at the first cut.
/// · source: RFC 815, RFC 8200 section 4.5
class fragment_table {
 public:
  fragment_table(const limits& l, counters& c) : limits_(l), counters_(c) {}

  /// The datagram, when `fragment` was its last missing piece.
  [[nodiscard]] std::optional<whole_datagram> add(const ip_packet& fragment, stamp at);

  /// Gives up everything that is still incomplete.
  void finish();

 private:
  struct key {
    endpoint from;
    endpoint to;
    u32 id = 0;
    u8 protocol = 0;

    friend bool operator==(const key&, const key&) = default;
  };
  struct key_hash {
    u64 operator()(const key& k) const noexcept;
  };
  /// Bytes [begin, end) of the datagram, of which [begin, captured) are there.
  struct piece {
    u32 begin;
    u32 end;
    u32 captured;
  };
  struct entry {
    std::vector<std::byte> data; ///< by position in the datagram
    std::vector<piece> pieces;   ///< in order, not overlapping
    std::optional<u32> length;   ///< known with the last fragment
    stamp first;
    stamp last;
  };

  void drop(u32 slot, u64& counter);
  void make_room(nanos now);
  bool store(entry& e, const ip_packet& fragment);
  void fill(entry& e, u32 begin, u32 end, const ip_packet& fragment);
  [[nodiscard]] static bool complete(const entry& e) noexcept;
  [[nodiscard]] static whole_datagram take(entry& e);

  limits limits_;
  counters& counters_;
  lru_table<key, entry, key_hash> entries_;
  std::size_t bytes_ = 0; ///< held by all entries
};

} // namespace profiler::net
