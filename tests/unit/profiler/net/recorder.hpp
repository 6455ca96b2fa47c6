#pragma once

#include "profiler/net/dispatcher.hpp"
#include "tests/support/pcap_builder.hpp"

#include <map>

/// A transport_consumer that writes down what it is given.
namespace recorded {

using profiler::net::direction;
using profiler::net::flow_key;
using profiler::net::stamp;
using profiler::net::tcp_facts;
using support::byte_vector;
using wire::bytes;
using wire::nanos;
using wire::u32;
using wire::u64;

/// Larger gaps are told in `gaps` only.
inline constexpr u64 gap_bytes_shown = 1 << 20;

/// One direction as it was delivered. `known[i]` is 0 where byte i was missing or cut.
struct stream {
  byte_vector data;
  std::vector<bool> known;
  std::vector<u64> gaps;
  std::vector<stamp> chunk_times;
  u64 chunks = 0;

  [[nodiscard]] u64 gap_bytes() const {
    u64 sum = 0;
    for (const auto n : gaps)
      sum += n;
    return sum;
  }
};

struct connection {
  flow_key key;
  bool mid_stream = false;
  std::array<stream, 2> streams; ///< by direction
  std::vector<std::string> events;
  tcp_facts facts; ///< as they were at the end
  int ends = 0;
  stamp end_at;

  [[nodiscard]] const stream& to_server() const { return streams[0]; }
  [[nodiscard]] const stream& to_client() const { return streams[1]; }
};

struct message {
  flow_key key;
  direction way{};
  byte_vector data;
  u32 wire_length = 0;
  stamp first;
  stamp last;
};

class recorder final : public profiler::net::transport_consumer {
 public:
  /// No consumer for connections with this port.
  profiler::net::u16 unwanted_port = 0;
  std::vector<std::shared_ptr<connection>> connections;
  std::vector<message> datagrams;

  std::unique_ptr<profiler::net::stream_consumer> open(const flow_key& key, const tcp_facts& facts,
                                                       bool mid_stream, stamp) override {
    if (unwanted_port != 0 && key.server.port == unwanted_port) return nullptr;
    connections.push_back(std::make_shared<connection>());
    connections.back()->key = key;
    connections.back()->mid_stream = mid_stream;
    return std::make_unique<tape>(*connections.back(), facts);
  }

  void datagram(const flow_key& key, direction d, bytes data, u32 wire_length, stamp at) override {
    datagrams.push_back({key, d, {data.begin(), data.end()}, wire_length, at, at});
  }

  void fragmented_datagram(const flow_key& key, direction d, bytes data, u32 wire_length,
                           stamp first, stamp last) override {
    datagrams.push_back({key, d, {data.begin(), data.end()}, wire_length, first, last});
  }

 private:
  class tape final : public profiler::net::stream_consumer {
   public:
    tape(connection& c, const tcp_facts& facts) : c_(c), facts_(facts) {}

    void chunk(direction d, bytes data, u32 wire_length, stamp at) override {
      auto& s = c_.streams[static_cast<std::size_t>(d)];
      s.data.insert(s.data.end(), data.begin(), data.end());
      s.known.insert(s.known.end(), data.size(), true);
      s.data.resize(s.data.size() + (wire_length - data.size()));
      s.known.resize(s.data.size(), false);
      s.chunk_times.push_back(at);
      ++s.chunks;
      c_.events.push_back((d == direction::to_server ? "> " : "< ") + std::to_string(wire_length));
    }

    void gap(direction d, u64 n, stamp) override {
      auto& s = c_.streams[static_cast<std::size_t>(d)];
      s.gaps.push_back(n);
      if (n <= gap_bytes_shown) {
        s.data.resize(s.data.size() + n);
        s.known.resize(s.data.size(), false);
      }
      c_.events.push_back((d == direction::to_server ? "> gap " : "< gap ") + std::to_string(n));
    }

    void end(stamp at) override {
      ++c_.ends;
      c_.end_at = at;
      c_.facts = facts_;
      c_.events.push_back("end");
    }

   private:
    connection& c_;
    const tcp_facts& facts_;
  };
};

/// Gives the frames to a dispatcher, numbered from 1, and finishes it.
inline profiler::net::counters play(const std::vector<support::timed_frame>& frames, recorder& to,
                                    const profiler::net::limits& l = {}, u32 link_type = 1) {
  profiler::net::dispatcher d(to, l);
  u32 number = 0;
  for (const auto& f : frames) {
    profiler::packet p;
    p.data = f.data;
    p.wire_length = std::max<u32>(f.wire_length, static_cast<u32>(f.data.size()));
    p.at = {f.at, ++number};
    p.link_type = link_type;
    d.packet(p);
  }
  d.finish();
  return d.counts();
}

} // namespace recorded
