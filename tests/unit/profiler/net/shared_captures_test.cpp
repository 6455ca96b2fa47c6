#include "profiler/capture/capture_reader.hpp"
#include "recorder.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using profiler::capture::capture_reader;
using profiler::net::flow_key;
using profiler::net::stamp;
using profiler::net::tcp_facts;
using wire::bytes;
using wire::nanos;
using wire::u32;
using wire::u64;

/// Public captures stand beside the repository where somebody put them; see their README.
const std::filesystem::path folder =
    std::filesystem::path(WIRETRIP_SOURCE_DIR).parent_path() / "shared" / "captures";

/// Counts without keeping anything: some of the captures are large.
class counter final : public profiler::net::transport_consumer {
 public:
  u64 stream_bytes = 0;
  u64 gap_bytes = 0;
  u64 datagrams = 0;
  u64 ends = 0;
  nanos zero_window{0};

  std::unique_ptr<profiler::net::stream_consumer> open(const flow_key&, const tcp_facts& facts,
                                                       bool, stamp) override {
    return std::make_unique<stream>(*this, facts);
  }
  void datagram(const flow_key&, profiler::net::direction, bytes data, u32 wire_length,
                stamp) override {
    EXPECT_LE(data.size(), wire_length);
    ++datagrams;
  }

 private:
  class stream final : public profiler::net::stream_consumer {
   public:
    stream(counter& c, const tcp_facts& facts) : c_(c), facts_(facts) {}
    void chunk(profiler::net::direction, bytes data, u32 wire_length, stamp) override {
      EXPECT_LE(data.size(), wire_length);
      c_.stream_bytes += wire_length;
    }
    void gap(profiler::net::direction, u64 n, stamp) override { c_.gap_bytes += n; }
    void end(stamp) override {
      ++c_.ends;
      c_.zero_window += facts_.zero_window;
    }

   private:
    counter& c_;
    const tcp_facts& facts_;
  };
};

struct result {
  counter seen;
  profiler::net::counters counts;
  profiler::capture::capture_summary summary;
};

result analysed(const std::string& path) {
  result out;
  auto reader = capture_reader::open((folder / path).string());
  EXPECT_TRUE(reader) << reader.error();
  profiler::net::dispatcher d(out.seen);
  profiler::packet p;
  while (reader && reader->next(p))
    d.packet(p);
  d.finish();
  out.counts = d.counts();
  if (reader) out.summary = reader->summary();
  return out;
}

/// Paths (first column) and numbers of packets (sixth) of INDEX.tsv.
std::vector<std::pair<std::string, u64>> index() {
  std::vector<std::pair<std::string, u64>> out;
  std::ifstream in(folder / "INDEX.tsv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream columns(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(columns, cell, '\t');)
      cells.push_back(cell);
    if (cells.size() > 5) out.emplace_back(cells[0], std::stoull(cells[5]));
  }
  return out;
}

class SharedCaptures : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no public captures at " << folder;
  }
};

TEST_F(SharedCaptures, HaveAsManyPacketsAsTsharkCounts) {
  const auto all = index();
  EXPECT_GT(all.size(), 40u);
  for (const auto& [path, packets] : all) {
    const auto r = analysed(path);

    // tshark guesses that this file, damaged on purpose, has patched record headers and finds one
    // frame more of 1 byte; by its magic the second frame has 1409179648 bytes.
    const bool guessed = path == "OISF-suricata-verify/bug-6875-01-fuzz.pcap";
    EXPECT_EQ(r.summary.packets, guessed ? 1 : packets) << path;
    EXPECT_EQ(r.counts.frames, r.summary.packets) << path;
    EXPECT_EQ(r.seen.ends, r.counts.connections) << path;
    EXPECT_EQ(r.seen.gap_bytes, r.counts.gap_bytes) << path;
    const auto& c = r.counts;
    // Every frame is counted once; a datagram of several fragments has no frame of its own.
    EXPECT_EQ(c.tcp_segments + c.udp_datagrams + c.unknown_link_type + c.headers_cut + c.not_ip +
                  c.bad_ip + c.other_transport + c.bad_transport + c.ignored_segments +
                  c.segments_after_end + c.fragments + c.fragments_of_other_transport -
                  c.fragmented_datagrams + c.duplicated_frames + c.encrypted_frames +
                  c.roce_frames + c.quic_datagrams + c.bad_tunnels + c.tunnels_too_deep,
              c.frames)
        << path;
  }
}

TEST_F(SharedCaptures, HaveAsManyWholeDatagramsAsTsharkReassembles) {
  // tshark -r FILE -Y 'ip.fragment.count && udp' | wc -l
  EXPECT_EQ(analysed("seladb-PcapPlusPlus/ip-frag.pcap").counts.fragmented_datagrams, 190u);
  EXPECT_EQ(analysed("seladb-PcapPlusPlus/ip4_fragments.pcap").counts.fragmented_datagrams, 6u);
  EXPECT_EQ(
      analysed("epam-nfstrace/eth-ipv4-udp-nfsv3-dup-retransm.pcap").counts.fragmented_datagrams,
      15u);
}

TEST_F(SharedCaptures, ShowTheZeroWindowsOfASlowServer) {
  // 1,254 intervals that last 5.62 s of 12.00 s altogether, summed up from tshark's fields.
  const auto r = analysed("epam-nfstrace/eth-ipv4-tcp-nfsv3.pcap.bz2");

  EXPECT_NEAR(static_cast<double>(r.seen.zero_window.count()) * 1e-9, 5.62, 0.005);
  EXPECT_EQ(r.counts.gaps, 0u);
}

TEST_F(SharedCaptures, HaveWholeStreamsWhereNothingIsMissing) {
  // tshark -r FILE -z conv,tcp, less the headers: payload bytes of both directions.
  const auto r = analysed("zeek-zeek/smb2.pcap");

  EXPECT_EQ(r.seen.stream_bytes, 1'516'006u + 6'125u);
  EXPECT_EQ(r.counts.gaps, 0u);
}

} // namespace
