#include "recorder.hpp"

#include <random>

#include <gtest/gtest.h>

namespace {

using recorded::play;
using recorded::recorder;
using support::byte_vector;
using support::ethernet;
using support::pattern;
using support::tcp;
using support::tcp_fields;
using support::timed_frame;
using support::v4;
using wire::nanos;
using wire::u32;
using wire::u64;

const auto client = v4(198, 18, 0, 1, 741);
const auto server = v4(198, 18, 0, 2, 2049);

/// Some bytes of one direction, as a segment carries them.
struct piece {
  u32 begin;
  u32 end;
};

/// Cuts [0, size) at random, then sends some pieces again, alone or together with their
/// neighbours, and moves pieces behind later ones.
std::vector<piece> scramble(u32 size, std::mt19937& random) {
  std::vector<piece> out;
  for (u32 at = 0; at < size;) {
    const auto n = std::min(size - at, 1 + static_cast<u32>(random() % 1448));
    out.push_back({at, at + n});
    at += n;
  }
  const auto cut = out;
  for (std::size_t i = 0; i < cut.size() / 4; ++i) {
    const auto first = random() % cut.size();
    const auto last = std::min<std::size_t>(cut.size() - 1, first + random() % 3);
    // Never before its first copy could have been sent: insert behind it.
    const auto place = first + random() % (out.size() - first) + 1;
    const auto from = cut[first].begin + random() % (cut[first].end - cut[first].begin);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(std::min(place, out.size())),
               {static_cast<u32>(from), cut[last].end});
  }
  for (std::size_t i = 0; i < out.size() / 3; ++i) {
    const auto from = random() % out.size();
    const auto to = std::min<std::size_t>(out.size() - 1, from + random() % 8);
    std::rotate(out.begin() + static_cast<std::ptrdiff_t>(from),
                out.begin() + static_cast<std::ptrdiff_t>(from) + 1,
                out.begin() + static_cast<std::ptrdiff_t>(to) + 1);
  }
  return out;
}

/// A client's stream as frames, with the server's acknowledgements in between. Pieces for which
/// `captured` says no reach the server, but leave no frame.
struct story {
  u32 isn;
  byte_vector data;
  std::vector<piece> pieces;
  std::vector<bool> captured;
  std::size_t snap_length = 65536;

  [[nodiscard]] std::vector<timed_frame> frames() const {
    std::vector<timed_frame> out;
    nanos now{1'000'000'000};
    const auto add = [&](const byte_vector& frame) {
      timed_frame f{now, frame, static_cast<u32>(frame.size())};
      f.data.resize(std::min(f.data.size(), snap_length));
      out.push_back(std::move(f));
      now += nanos{1000};
    };
    add(ethernet(tcp(client, server, {.seq = isn, .flags = support::tcp_flag::syn})));
    std::vector<bool> received(data.size(), false);
    u32 acked = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto [begin, end] = pieces[i];
      std::fill(received.begin() + begin, received.begin() + end, true);
      if (captured.empty() || captured[i])
        add(ethernet(tcp(client, server, {.seq = isn + 1 + begin, .ack = 1},
                         wire::bytes(data).subspan(begin, end - begin))));
      while (acked < data.size() && received[acked])
        ++acked;
      add(ethernet(tcp(server, client, {.seq = 1, .ack = isn + 1 + acked})));
    }
    now += std::chrono::seconds(1);
    add(ethernet(tcp(server, client, {.seq = 1, .ack = isn + 1 + acked})));
    return out;
  }
};

/// Starts of streams: small, in the middle, and such that the sequence number wraps.
constexpr u32 start_of(unsigned seed) {
  constexpr std::array<u32, 4> starts{1, 0x7fff'f000, 0xffff'f000, 0xffff'ffff};
  return starts[seed % starts.size()];
}

TEST(TcpStreams, GiveTheSameBytesWhateverTheSegmentation) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const auto data = pattern(20'000 + random() % 20'000, seed);
    const story s{start_of(seed), data, scramble(static_cast<u32>(data.size()), random), {}};

    recorder to;
    const auto counts = play(s.frames(), to);

    ASSERT_EQ(to.connections.size(), 1u) << seed;
    const auto& got = to.connections[0]->to_server();
    EXPECT_EQ(got.data, data) << seed;
    EXPECT_TRUE(got.gaps.empty()) << seed;
    EXPECT_EQ(counts.gaps, 0u) << seed;
    EXPECT_EQ(to.connections[0]->ends, 1) << seed;
  }
}

TEST(TcpStreams, ReportExactlyTheMissingBytesAsGaps) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const auto data = pattern(20'000 + random() % 20'000, seed);
    story s{start_of(seed), data, scramble(static_cast<u32>(data.size()), random), {}};
    std::vector<bool> seen(data.size(), false);
    for (const auto& p : s.pieces) {
      s.captured.push_back(random() % 5 != 0);
      if (s.captured.back()) std::fill(seen.begin() + p.begin, seen.begin() + p.end, true);
    }

    recorder to;
    const auto counts = play(s.frames(), to);

    ASSERT_EQ(to.connections.size(), 1u) << seed;
    const auto& got = to.connections[0]->to_server();
    ASSERT_EQ(got.data.size(), data.size()) << seed;
    u64 missing = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      // A copy that comes after the gap was told is of no use any more; the stream went on.
      ASSERT_TRUE(seen[i] || !got.known[i]) << seed << " byte " << i;
      ASSERT_TRUE(!got.known[i] || got.data[i] == data[i]) << seed << " byte " << i;
      if (!got.known[i]) ++missing;
    }
    EXPECT_EQ(got.gap_bytes(), missing) << seed;
    EXPECT_EQ(counts.gap_bytes, missing) << seed;
    EXPECT_EQ(to.connections[0]->facts.gap_bytes, missing) << seed;
  }
}

TEST(TcpStreams, LoseNothingThatWasCapturedOnceWhenNothingWasSentTwice) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const auto data = pattern(30'000, seed);
    story s{start_of(seed), data, {}, {}};
    std::vector<bool> seen(data.size(), false);
    for (u32 at = 0; at < data.size(); at += 500) {
      s.pieces.push_back({at, at + 500});
      s.captured.push_back(random() % 4 != 0);
      if (s.captured.back()) std::fill(seen.begin() + at, seen.begin() + at + 500, true);
    }

    recorder to;
    play(s.frames(), to);

    const auto& got = to.connections.at(0)->to_server();
    EXPECT_EQ(got.known, seen) << seed;
  }
}

TEST(TcpStreams, HaveTheSameLengthsAndTimesUnderAnySnapLength) {
  std::mt19937 random(7);
  const auto data = pattern(30'000);
  story s{5000, data, scramble(static_cast<u32>(data.size()), random), {}};
  recorder whole;
  play(s.frames(), whole);
  for (const std::size_t snap : {54u, 60u, 96u, 256u, 1000u}) {
    s.snap_length = snap;

    recorder cut;
    const auto counts = play(s.frames(), cut);

    const auto& a = whole.connections.at(0)->to_server();
    const auto& b = cut.connections.at(0)->to_server();
    EXPECT_EQ(cut.connections[0]->events, whole.connections[0]->events) << snap;
    ASSERT_EQ(a.chunk_times.size(), b.chunk_times.size()) << snap;
    for (std::size_t i = 0; i < a.chunk_times.size(); ++i)
      EXPECT_EQ(a.chunk_times[i].time, b.chunk_times[i].time);
    for (std::size_t i = 0; i < data.size(); ++i)
      ASSERT_TRUE(!b.known[i] || b.data[i] == data[i]) << snap;
    EXPECT_EQ(counts.headers_cut, 0u);
  }
}

TEST(TcpStreams, StayWithinTheirMemoryWhenNobodyAcknowledges) {
  profiler::net::limits l;
  l.stream_bytes = 64 * 1024;
  l.all_streams_bytes = 128 * 1024;
  recorder to;
  profiler::net::dispatcher d(to, l);
  const auto data = pattern(1000);
  nanos now{0};
  // Every other segment of ten streams is missing for ever.
  for (u32 i = 0; i < 4000; ++i) {
    const auto from = v4(198, 18, 0, 1, static_cast<wire::u16>(700 + i % 10));
    const auto frame = ethernet(tcp(from, server, {.seq = 1 + i / 10 * 2000}, data));
    profiler::packet p{frame, static_cast<u32>(frame.size()), {now, i + 1}, 1};
    d.packet(p);
    now += nanos{10};
  }
  d.finish();

  EXPECT_GT(d.counts().gaps_by_limit, 0u);
  for (const auto& c : to.connections) {
    const auto& s = c->to_server();
    EXPECT_EQ(s.data.size(), 399u * 2000 + 1000);
    EXPECT_EQ(s.gap_bytes(), 399u * 1000);
  }
}

} // namespace
