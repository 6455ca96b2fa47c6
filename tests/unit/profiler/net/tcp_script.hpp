#pragma once

#include "recorder.hpp"

/// TCP connections told segment by segment.
namespace tcp_script {

using std::chrono::milliseconds;
using std::chrono::seconds;
using support::pattern;
using support::tcp_fields;
using support::timed_frame;
using wire::nanos;
using wire::u16;
using wire::u32;
using wire::u8;
namespace flag = support::tcp_flag;

inline const auto client = support::v4(198, 18, 0, 1, 741);
inline const auto server = support::v4(198, 18, 0, 2, 2049);

/// Frames written one by one: `c` from the client, `s` from the server, each a millisecond later.
struct script {
  std::vector<timed_frame> frames;
  nanos now{seconds(1000)};
  u16 ip_id = 0;

  script& c(u32 seq, u32 ack, std::size_t n, u8 flags = flag::ack, tcp_fields f = {}) {
    return add(client, server, seq, ack, n, flags, f);
  }
  script& s(u32 seq, u32 ack, std::size_t n, u8 flags = flag::ack, tcp_fields f = {}) {
    return add(server, client, seq, ack, n, flags, f);
  }
  script& wait(nanos t) {
    now += t;
    return *this;
  }
  script& again() {
    frames.push_back(frames.back());
    frames.back().at += nanos{20'000};
    return *this;
  }

 private:
  script& add(const support::endpoint& from, const support::endpoint& to, u32 seq, u32 ack,
              std::size_t n, u8 flags, tcp_fields f) {
    f.seq = seq;
    f.ack = ack;
    f.flags = flags;
    f.ip.id = ++ip_id;
    frames.push_back({now, support::ethernet(support::tcp(from, to, f, pattern(n, seq))), 0});
    now += milliseconds(1);
    return *this;
  }
};

/// Joined in the middle, the first bytes being 100 of the client's and 50 of the server's.
inline script joined() {
  script x;
  x.c(1000, 5000, 100).s(5000, 1100, 50);
  return x;
}

} // namespace tcp_script
