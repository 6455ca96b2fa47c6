#pragma once

#include "profiler/net/lru_table.hpp"
#include "profiler/net/tcp_connection.hpp"

namespace profiler::net {

/// All TCP connections of a capture. Of one that ended its ends are remembered for a while, so that
/// late packets do not open another one; a SYN with another initial sequence number does.
class tcp_table {
 public:
  tcp_table(transport_consumer& to, const limits& l, duplicate_filter& duplicates, counters& c)
      : to_(to), limits_(l), duplicates_(duplicates), counters_(c) {}
  tcp_table(const tcp_table&) = delete;
  tcp_table& operator=(const tcp_table&) = delete;

  void segment(const endpoint& from, const endpoint& to, const tcp_segment& s,
               const segment_envelope& e, const stamp& at);

  /// Ends all connections, in the order of their last packets.
  void finish(stamp at);

  /// Bytes that wait behind holes, all streams together.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }

 private:
  /// The initial sequence number of each side whose SYN was seen, by direction.
  using isns = std::array<std::optional<u32>, 2>;

  struct entry {
    std::unique_ptr<tcp_connection> connection;
    bool client_is_first = false;
    isns isn;
    stamp last;
  };
  /// One that nobody is interested in, or that has ended: just enough to know its late packets.
  struct aside {
    bool ended = false;
    bool client_is_first = false;
    isns isn;
  };
  template <class Entry>
  using table = lru_table<flow_id, Entry, flow_id_hash>;

  template <class Entry>
  static direction direction_of(const oriented_flow& flow, const Entry& x) noexcept {
    return flow.from_first == x.client_is_first ? direction::to_server : direction::to_client;
  }

  bool brings_news(const oriented_flow& flow, u32 slot, const tcp_segment& s) noexcept;
  bool is_duplicate(u32 slot, const packet_print& print, nanos at) noexcept;
  bool known_aside(const oriented_flow& flow, const tcp_segment& s);
  u32 open(const oriented_flow& flow, const endpoint& from, const endpoint& to,
           const tcp_segment& s, stamp at);
  void put_aside(const flow_id& id, const aside& x);
  void close(u32 slot, stamp at);
  void expire(stamp at);
  void free_memory(stamp at);

  transport_consumer& to_;
  limits limits_;
  duplicate_filter& duplicates_;
  counters& counters_;
  std::size_t held_bytes_ = 0; ///< before the connections, whose streams count in it
  table<entry> followed_;
  table<aside> aside_;
  nanos next_expiry_{0};
};

} // namespace profiler::net
