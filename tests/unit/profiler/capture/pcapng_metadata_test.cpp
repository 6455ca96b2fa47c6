#include "profiler/capture/pcapng_blocks.hpp"
#include "reading.hpp"
#include "tests/support/pcapng_body.hpp"

namespace {

using namespace reading;
using profiler::capture::capture_summary;
using profiler::capture::clean_text;
using support::pcapng_body;
using support::pcapng_builder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using wire::u16;
using wire::u8;

constexpr u32 tls_key_log = 0x544c534b;

class PcapngMetadata : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] static pcapng_body body() { return pcapng_body(GetParam()); }

  static pcapng_body section_body() {
    return body().put(u32{0x1a2b3c4d}).put(u16{1}).put(u16{0}).put(~u64{0});
  }

  static capture_summary summary_of(const pcapng_builder& b) { return read_all(b.file()).summary; }
};
INSTANTIATE_TEST_SUITE_P(BothByteOrders, PcapngMetadata, testing::Bool());

TEST_P(PcapngMetadata, TellsWhoCapturedAndWhere) {
  pcapng_builder b;
  b.section(GetParam());
  b.block(0x0a0d0d0a, section_body()
                          .option(2, "x86-64")
                          .option(3, "Linux 6.1")
                          .option(4, "dumpcap 4.0")
                          .option(1, "for the file")
                          .end());
  b.block(1, body()
                 .put(u16{276})
                 .put(u16{0})
                 .put(u32{96})
                 .option(2, "any")
                 .option(3, "all of them")
                 .number(8, u64{10'000'000'000})
                 .number(9, u8{9})
                 .option(11, std::string_view("\0port 2049", 10))
                 .option(12, "FreeBSD")
                 .option(15, "NIC")
                 .end());

  const auto s = summary_of(b);

  EXPECT_EQ(s.sections, 2u);
  EXPECT_EQ(s.hardware, "x86-64");
  EXPECT_EQ(s.system, "Linux 6.1");
  EXPECT_EQ(s.application, "dumpcap 4.0");
  EXPECT_EQ(s.comments, 1u);
  ASSERT_THAT(s.interfaces, SizeIs(1));
  const auto& i = s.interfaces[0];
  EXPECT_EQ(i.name, "any");
  EXPECT_EQ(i.description, "all of them");
  EXPECT_EQ(i.speed_bits_s, 10'000'000'000u);
  EXPECT_EQ(i.resolution, nanos{1});
  EXPECT_EQ(i.filter, "port 2049");
  EXPECT_EQ(i.system, "FreeBSD");
  EXPECT_EQ(i.hardware, "NIC");
  EXPECT_EQ(i.link_type, 276u);
  EXPECT_EQ(i.snap_length, 96u);
}

TEST_P(PcapngMetadata, KeepsSecretsWithinABound) {
  pcapng_builder b;
  b.section(GetParam());
  const auto secret = support::pattern(300'001);
  for (int i = 0; i < 5; ++i)
    b.block(10, body().put(tls_key_log).put(u32{300'001}).raw(secret));
  b.block(10, body().put(u32{0x57474b4c}).put(u32{3}).raw(wire::as_bytes("abc")));
  b.block(10, body().put(u32{1}).put(u32{30}).raw(wire::as_bytes("too short")));

  const auto s = summary_of(b);

  EXPECT_EQ(s.secrets, 7u);
  ASSERT_THAT(s.keys, SizeIs(4));
  EXPECT_EQ(s.keys[0].type, tls_key_log);
  EXPECT_EQ(s.keys[2].data, secret);
  EXPECT_EQ(wire::as_text(s.keys[3].data), "abc");
  EXPECT_EQ(profiler::capture::secrets_name(s.keys[3].type), "WireGuard key log");
  EXPECT_EQ(profiler::capture::secrets_name(0x12345678), "secrets of type 12345678");
}

TEST_P(PcapngMetadata, KeepsNamesOfAddresses) {
  const auto v4 = wire::from_hex("0a010203 6e617300 6e61732e6c616200").value(); // nas, nas.lab
  const auto v6 = wire::from_hex("fd000000000000000000000000000001 6800").value();
  pcapng_builder b;
  b.section(GetParam());
  b.block(4, body().option(1, v4).option(2, v6).end().option(1, "names").end());

  const auto s = summary_of(b);

  EXPECT_EQ(s.names, 3u);
  ASSERT_THAT(s.name_records, SizeIs(3));
  EXPECT_EQ(s.name_records[0].name, "nas");
  EXPECT_FALSE(s.name_records[0].v6);
  EXPECT_EQ(s.name_records[0].address[3], std::byte{3});
  EXPECT_EQ(s.name_records[1].name, "nas.lab");
  EXPECT_EQ(s.name_records[2].name, "h");
  EXPECT_TRUE(s.name_records[2].v6);
  EXPECT_EQ(s.name_records[2].address[15], std::byte{1});
  ASSERT_THAT(s.comment_texts, SizeIs(1));
  EXPECT_EQ(s.comment_texts[0].text, "names");
}

TEST_P(PcapngMetadata, BoundsNamesAndComments) {
  pcapng_builder b;
  b.section(GetParam()).interface({});
  auto records = body();
  for (int i = 0; i < 3000; ++i)
    records.option(1, wire::from_hex("0a010203 6e00").value());
  b.block(4, records.end());
  const std::string long_comment(5000, 'x');
  for (int i = 0; i < 100; ++i)
    b.add(when, support::pattern(20), 0, long_comment);

  const auto s = summary_of(b);

  EXPECT_EQ(s.names, 3000u);
  EXPECT_THAT(s.name_records, SizeIs(1024));
  EXPECT_EQ(s.comments, 100u);
  ASSERT_THAT(s.comment_texts, SizeIs(64));
  EXPECT_EQ(s.comment_texts[63].frame, 64u);
  EXPECT_EQ(s.comment_texts[0].text, std::string(200, 'x'));
}

TEST_P(PcapngMetadata, TakesFlagsAndLossesFromPackets) {
  pcapng_builder b;
  b.section(GetParam()).interface({}).interface({});
  const auto packet = [&](u32 interface, u32 flags, u64 lost) {
    b.block(6, body()
                   .put(interface)
                   .put(u64{0})
                   .put(u32{4})
                   .put(u32{4})
                   .raw(support::pattern(4))
                   .number(2, flags)
                   .number(4, lost)
                   .end());
  };
  packet(0, 1, 0);
  packet(0, 2, 3);
  packet(1, 2 | 1u << 24, 4);
  b.statistics(1, 100, 10, 0);

  const auto s = summary_of(b);

  EXPECT_EQ(s.inbound, 1u);
  EXPECT_EQ(s.outbound, 2u);
  EXPECT_EQ(s.link_errors, 1u);
  EXPECT_EQ(s.interfaces[0].dropped(), 3u);
  // The statistics count what the packets say too.
  EXPECT_EQ(s.interfaces[1].lost_between_packets, 4u);
  EXPECT_EQ(s.interfaces[1].dropped(), 10u);
  EXPECT_EQ(s.dropped(), 13u);
}

TEST_P(PcapngMetadata, NamesTheBlocksThatSayNothingAboutPackets) {
  pcapng_builder b;
  b.section(GetParam()).interface({});
  for (const u32 type : {9u, 9u, 9u, 0xbadu, 0x40000badu, 0x204u, 0x205u, 0x12345678u})
    b.block(type, support::pattern(16));

  const auto s = summary_of(b);

  EXPECT_EQ(s.skipped_blocks, 8u);
  std::vector<std::pair<std::string, u64>> kinds;
  for (const auto& k : s.skipped_kinds)
    kinds.emplace_back(k.name, k.count);
  EXPECT_THAT(kinds, ElementsAre(std::pair{"systemd journal export", 3}, std::pair{"custom", 1},
                                 std::pair{"custom (not to be copied)", 1}, std::pair{"sysdig", 2},
                                 std::pair{"block type 12345678", 1}));
}

TEST_P(PcapngMetadata, BoundsTheKindsOfBlocks) {
  pcapng_builder b;
  b.section(GetParam());
  for (u32 i = 0; i < 1000; ++i)
    b.block(0x10000 + i, support::pattern(4));

  const auto s = summary_of(b);

  EXPECT_EQ(s.skipped_blocks, 1000u);
  EXPECT_THAT(s.skipped_kinds, SizeIs(32));
}

TEST(CleanText, IsUtf8WithoutControlCharacters) {
  const auto clean = [](std::string_view text, std::size_t max = 100) {
    return clean_text(wire::as_bytes(text), max);
  };
  EXPECT_EQ(clean("eth0"), "eth0");
  EXPECT_EQ(clean({"eth0\0\0", 6}), "eth0");
  EXPECT_EQ(clean("grüße €𝄞"), "grüße €𝄞");
  EXPECT_EQ(clean("a\nb\tc"), "a b c");
  EXPECT_EQ(clean("\x1b[31m"), "\uFFFD[31m");
  EXPECT_EQ(clean("\xff\xc0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(clean("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD"); // a surrogate
  EXPECT_EQ(clean("\xe2\x82"), "\uFFFD\uFFFD");
  EXPECT_EQ(clean("€€€", 7), "€€"); // whole characters only
}

} // namespace
