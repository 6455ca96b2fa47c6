#include "recorder.hpp"

#include "profiler/capture/capture_reader.hpp"

#include <gtest/gtest.h>

namespace {

using profiler::capture::capture_reader;
using recorded::recorder;
using support::byte_vector;
using support::pattern;
using support::pcap_builder;
using support::pcapng_builder;
using support::timed_frame;
using wire::bytes;
using wire::nanos;
using wire::u16;
using wire::u32;
using wire::u8;

/// What an analysis saw of a capture, in one line for each thing, to compare captures by.
std::vector<std::string> told(const byte_vector& file) {
  auto reader = capture_reader::over(file, "x");
  if (!reader) return {reader.error()};
  recorder to;
  profiler::net::dispatcher d(to);
  profiler::packet p;
  while (reader->next(p))
    d.packet(p);
  d.finish();
  std::vector<std::string> out;
  for (const auto& c : to.connections) {
    out.push_back(text_of(c->key.client) + " " + text_of(c->key.server));
    out.insert(out.end(), c->events.begin(), c->events.end());
    for (const auto& s : c->streams) {
      out.emplace_back(wire::as_text(s.data));
      for (const auto& at : s.chunk_times)
        out.push_back(std::to_string(at.packet) + "@" + std::to_string(at.time.count()));
    }
    out.push_back("rtt " + std::to_string(c->facts.rtt_min.count()));
  }
  for (const auto& m : to.datagrams)
    out.push_back(text_of(m.key.client) + " " + std::string(wire::as_text(m.data)) + "@" +
                  std::to_string(m.last.time.count()));
  return out;
}

/// A handshake, calls and replies over TCP, and a datagram each way, as IP packets. Times are whole
/// microseconds.
std::vector<timed_frame> packets(bool six) {
  const auto client = six ? support::v6(1, 741) : support::v4(198, 18, 0, 1, 741);
  const auto server = six ? support::v6(2, 2049) : support::v4(198, 18, 0, 2, 2049);
  support::tcp_talk talk(client, server, {.gap_between = nanos{12'000}});
  talk.handshake(nanos{250'000}, nanos{3'000});
  for (u32 i = 0; i < 5; ++i)
    talk.to_server(pattern(150 + i * 900, i))
        .wait(nanos{400'000})
        .to_client(pattern(90 + i * 2000, i))
        .wait(nanos{1'000});
  talk.close();
  auto out = talk.frames;
  for (auto& f : out) {
    f.data.erase(f.data.begin(), f.data.begin() + 14);
    const auto length =
        six ? 40 + std::to_integer<int>(f.data[4]) * 256 + std::to_integer<int>(f.data[5])
            : std::to_integer<int>(f.data[2]) * 256 + std::to_integer<int>(f.data[3]);
    f.data.resize(static_cast<std::size_t>(length));
  }
  out.push_back({talk.now, support::udp(client, server, pattern(77)), 0});
  out.push_back({talk.now, support::udp(server, client, pattern(55)), 0});
  return out;
}

template <class Framing>
std::vector<timed_frame> framed(std::vector<timed_frame> frames, Framing framing) {
  for (auto& f : frames)
    f.data = framing(bytes(f.data));
  return frames;
}

class Invariance : public testing::TestWithParam<bool> {
 protected:
  std::vector<timed_frame> ip = packets(GetParam());
  std::vector<timed_frame> frames = framed(ip, [](bytes p) { return support::ethernet(p); });
  std::vector<std::string> want = told(pcap_builder().add(frames).file());
};

TEST_P(Invariance, HoldsForPcapsByteOrderAndPrecision) {
  ASSERT_GT(want.size(), 30u);
  for (const bool big : {false, true})
    for (const bool ns : {false, true})
      EXPECT_EQ(told(pcap_builder({.big_endian = big, .nanoseconds = ns}).add(frames).file()),
                want);
}

TEST_P(Invariance, HoldsForPcapngsByteOrderAndResolution) {
  for (const bool big : {false, true}) {
    for (const u8 resolution : {u8{6}, u8{9}}) {
      pcapng_builder b;
      b.section(big).interface({.resolution = resolution}).add(frames);
      EXPECT_EQ(told(b.file()), want);
    }
  }
}

TEST_P(Invariance, HoldsForEveryLinkLayer) {
  const auto over = [&](u32 link_type, auto framing) {
    return told(pcap_builder({.link_type = link_type}).add(framed(ip, framing)).file());
  };
  EXPECT_EQ(over(1, [](bytes p) { return support::ethernet(p, {12}); }), want);
  EXPECT_EQ(over(1, [](bytes p) { return support::ethernet(p, {100, 12}); }), want);
  EXPECT_EQ(over(113, support::linux_sll), want);
  EXPECT_EQ(over(276, support::linux_sll2), want);
  EXPECT_EQ(over(0, [](bytes p) { return support::null_loopback(p); }), want);
  EXPECT_EQ(over(108, [](bytes p) { return support::null_loopback(p, true); }), want);
  EXPECT_EQ(over(101, [](bytes p) { return byte_vector(p.begin(), p.end()); }), want);
}

TEST_P(Invariance, HoldsWhenTheInterfacesOfOneFileDiffer) {
  pcapng_builder b;
  b.section().interface({.link_type = 1}).interface({.link_type = 113, .resolution = u8{9}});
  for (std::size_t i = 0; i < ip.size(); ++i) {
    if (i % 2 == 0)
      b.add(ip[i].at, support::ethernet(ip[i].data), 0);
    else
      b.add(ip[i].at, support::linux_sll(ip[i].data), 1);
  }

  EXPECT_EQ(told(b.file()), want);
}

INSTANTIATE_TEST_SUITE_P(BothVersionsOfIp, Invariance, testing::Bool(),
                         [](const auto& x) { return x.param ? "v6" : "v4"; });

TEST(CutCaptures, TellWhatTheirWholeFramesTell) {
  const auto frames = framed(packets(false), [](bytes p) { return support::ethernet(p); });
  pcap_builder whole;
  std::vector<std::size_t> ends;
  for (const auto& f : frames) {
    whole.add(f.at, f.data);
    ends.push_back(whole.file().size());
  }
  std::size_t complete = 0;
  auto want = told(pcap_builder().file());
  for (std::size_t n = 24; n <= whole.file().size(); n += 7) {
    const byte_vector cut(whole.file().begin(),
                          whole.file().begin() + static_cast<std::ptrdiff_t>(n));
    if (complete < ends.size() && n >= ends[complete]) {
      while (complete < ends.size() && n >= ends[complete])
        ++complete;
      want = told(pcap_builder()
                      .add({frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(complete)})
                      .file());
    }
    ASSERT_EQ(told(cut), want) << n;
  }
}

TEST(DamagedCaptures, AreSurvived) {
  auto frames = framed(packets(false), [](bytes p) { return support::ethernet(p); });
  frames.resize(8);
  pcapng_builder b;
  b.section().interface({.resolution = u8{9}, .name = "eth0"}).add(frames).statistics(0, 1, 2, 3);
  for (const auto& file : {pcap_builder().add(frames).file(), b.file()}) {
    for (std::size_t n = 0; n < file.size(); ++n) {
      auto flipped = file;
      flipped[n] ^= std::byte{0xff};
      EXPECT_LT(told(flipped).size(), 200u);
    }
  }
}

} // namespace
