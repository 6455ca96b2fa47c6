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
using wire::nanos;
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

/// A handshake, calls and replies over TCP, and a datagram each way.
std::vector<timed_frame> frames_of_both() {
  const auto client = support::v4(198, 18, 0, 1, 741);
  const auto server = support::v4(198, 18, 0, 2, 2049);
  support::tcp_talk talk(client, server, {.gap_between = nanos{12'000}});
  talk.handshake(nanos{250'000}, nanos{3'000});
  for (u32 i = 0; i < 5; ++i)
    talk.to_server(pattern(150 + i * 900, i))
        .wait(nanos{400'000})
        .to_client(pattern(90 + i * 2000, i))
        .wait(nanos{1'000});
  talk.close();
  for (const auto& packet :
       {support::udp(client, server, pattern(77)), support::udp(server, client, pattern(55))})
    talk.frames.push_back({talk.now, support::ethernet(packet), 0});
  return talk.frames;
}

TEST(CutCaptures, TellWhatTheirWholeFramesTell) {
  const auto frames = frames_of_both();
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
  auto frames = frames_of_both();
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
