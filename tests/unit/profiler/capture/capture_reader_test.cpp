#include "profiler/capture/capture_reader.hpp"
#include "profiler/capture/pcap_writer.hpp"
#include "tests/support/pcap_builder.hpp"
#include "wire/hex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using profiler::packet;
using profiler::capture::capture_reader;
using support::byte_vector;
using support::pcap_builder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using wire::bytes;
using wire::nanos;
using wire::u32;
using wire::u64;

struct kept_packet {
  nanos at;
  byte_vector data;
  u32 wire_length;
  u32 number;
  u32 link_type;

  friend bool operator==(const kept_packet&, const kept_packet&) = default;
};

std::vector<kept_packet> all(capture_reader& reader) {
  std::vector<kept_packet> out;
  packet p;
  while (reader.next(p))
    out.push_back(
        {p.at.time, {p.data.begin(), p.data.end()}, p.wire_length, p.at.packet, p.link_type});
  return out;
}

byte_vector hex(std::string_view text) {
  return wire::from_hex(text).value();
}

/// Two frames: de ad be ef, whole, and 01 02 of 60 bytes. Written by Wireshark's editcap 4.0.17.
constexpr std::string_view two_frames_us =
    "d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000 # 2.4, snap length 65535, Ethernet\n"
    "00f15365 40e20100 04000000 04000000 deadbeef           # 1700000000.123456\n"
    "01f15365 07000000 02000000 3c000000 0102               # 1700000001.000007\n";
constexpr std::string_view two_frames_ns =
    "4d3cb2a1 0200 0400 00000000 00000000 ffff0000 01000000\n"
    "00f15365 00ca5b07 04000000 04000000 deadbeef           # 1700000000.123456000\n"
    "01f15365 581b0000 02000000 3c000000 0102               # 1700000001.000007000\n";
constexpr std::string_view two_frames_big_endian =
    "a1b2c3d4 0002 0004 00000000 00000000 0000ffff 00000001\n"
    "6553f100 0001e240 00000004 00000004 deadbeef\n"
    "6553f101 00000007 00000002 0000003c 0102\n";
constexpr std::string_view two_frames_patched =
    "34cdb2a1 0200 0400 00000000 00000000 ffff0000 01000000\n"
    "00f15365 40e20100 04000000 04000000 00000000 0000 00 00 deadbeef # interface, protocol, type\n"
    "01f15365 07000000 02000000 3c000000 00000000 0000 00 00 0102\n";
constexpr std::string_view two_frames_pcapng =
    "0a0d0d0a 6c000000 4d3c2b1a 0100 0000 ffffffffffffffff   # section, little-endian\n"
    "0400 4500 45646974636170202857697265736861726b2920342e302e3137202847\n"
    "69742076342e302e3137207061636b6167656420617320342e302e31372d302b6465623132753329 000000\n"
    "0000 0000 6c000000\n"
    "01000000 14000000 0100 0000 ffff0000 14000000           # interface: Ethernet, 65535\n"
    "06000000 24000000 00000000 240a0600 40222018 04000000 04000000 deadbeef 24000000\n"
    "06000000 24000000 00000000 240a0600 47822d18 02000000 3c000000 0102 0000 24000000\n";
/// two_frames_us, packed by gzip 1.12, bzip2 1.0.8, zstd 1.5.4.
constexpr std::string_view packed_gzip =
    "1f8b0800000000000203bb7278d3422606160618f8ff9f818111c4f8189ceaf088112c03c2f7d6ee7bcf08146307"
    "b29980d80688199900410a79213e000000";
constexpr std::string_view packed_bzip2 =
    "425a6839314159265359fd5afffc000019cf1ff680000440000800020020021001080004011000a000a00021a9e8"
    "a6d4347a8d36d50a069a1919310bb443bdd991160f0c2da346766024943c1955a53cd2edf2bf177245385090fd5a"
    "fffc";
constexpr std::string_view packed_zstd =
    "28b52ffd243eb5010062830b15d0670c0019e3c7e9ba380ae051225401d024943205787ff8f107abec9621e9cf3f"
    "3f2556d9ff7d6be738ca4101010004e0025bf6f4ba";

std::vector<kept_packet> two_frames() {
  return {{nanos{1700000000'123456000}, hex("deadbeef"), 4, 1, 1},
          {nanos{1700000001'000007000}, hex("0102"), 60, 2, 1}};
}

TEST(CaptureReader, ReadsEveryFormatAlike) {
  const std::vector<std::pair<std::string_view, std::string>> files{
      {two_frames_us, "pcap, µs"},         {two_frames_ns, "pcap, ns"},
      {two_frames_big_endian, "pcap, µs"}, {two_frames_patched, "pcap, µs, patched record headers"},
      {two_frames_pcapng, "pcapng"},       {packed_gzip, "pcap, µs, gzip"},
      {packed_bzip2, "pcap, µs, bzip2"},   {packed_zstd, "pcap, µs, zstd"}};
  for (const auto& [text, format] : files) {
    const auto file = hex(text);
    auto reader = capture_reader::over(file, "x.pcap");
    ASSERT_TRUE(reader) << format << ": " << reader.error();

    EXPECT_EQ(all(*reader), two_frames()) << format;

    const auto& s = reader->summary();
    EXPECT_EQ(s.format, format);
    EXPECT_EQ(s.packets, 2u);
    EXPECT_EQ(s.captured_bytes, 6u);
    EXPECT_EQ(s.wire_bytes, 64u);
    EXPECT_EQ(s.cut_packets, 1u);
    EXPECT_EQ(s.first, nanos{1700000000'123456000});
    EXPECT_EQ(s.last, nanos{1700000001'000007000});
    EXPECT_EQ(s.snap_length(), 65535u);
    EXPECT_THAT(s.link_types(), ElementsAre(1u));
  }
}

TEST(CaptureReader, SaysThatRecordHeadersArePatched) {
  const auto file = hex(two_frames_patched);

  auto reader = capture_reader::over(file, "x.pcap");

  ASSERT_TRUE(reader);
  EXPECT_THAT(reader->summary().warnings, ElementsAre(HasSubstr("a1b2cd34")));
}

TEST(CaptureReader, TakesSwappedLengthsFromFilesBeforeVersion23) {
  const auto file = hex("d4c3b2a1 0200 0200 00000000 00000000 ffff0000 01000000"
                        "00f15365 40e20100 3c000000 04000000 deadbeef");

  auto reader = capture_reader::over(file, "x.pcap");

  ASSERT_TRUE(reader);
  EXPECT_THAT(all(*reader),
              ElementsAre(kept_packet{nanos{1700000000'123456000}, hex("deadbeef"), 60, 1, 1}));
}

TEST(CaptureReader, PutsPackedMembersTogether) {
  for (const auto member : {packed_gzip, packed_bzip2, packed_zstd}) {
    auto file = hex(member);
    // The second member is a whole capture too.
    const auto again = file;
    file.insert(file.end(), again.begin(), again.end());

    auto reader = capture_reader::over(file, "x.pcap");

    ASSERT_TRUE(reader);
    EXPECT_THAT(all(*reader), SizeIs(4));
    EXPECT_THAT(reader->summary().warnings, ElementsAre(HasSubstr("byte 62, behind frame 2")));
  }
}

TEST(CaptureReader, ReadsPcapFilesBehindEachOther) {
  for (const bool big_endian : {false, true}) {
    auto file = pcap_builder({.big_endian = big_endian}).add(nanos{5000}, hex("01")).file();
    const auto second =
        pcap_builder({.big_endian = big_endian, .link_type = 113, .snap_length = 96})
            .add(nanos{6000}, hex("02"))
            .file();
    file.insert(file.end(), second.begin(), second.end());

    auto reader = capture_reader::over(file, "x.pcap");

    ASSERT_TRUE(reader);
    EXPECT_THAT(all(*reader), ElementsAre(kept_packet{nanos{5000}, hex("01"), 1, 1, 1},
                                          kept_packet{nanos{6000}, hex("02"), 1, 2, 113}));
    ASSERT_THAT(reader->summary().interfaces, SizeIs(2));
    EXPECT_EQ(reader->summary().interfaces[1].packets, 1u);
    EXPECT_EQ(reader->summary().interfaces[1].snap_length, 96u);
  }
}

TEST(CaptureReader, PassesOverWhatStandsBehindAPackedMember) {
  for (const auto member : {packed_gzip, packed_bzip2, packed_zstd}) {
    auto file = hex(member);
    file.resize(file.size() + 100);

    auto reader = capture_reader::over(file, "x.pcap");

    ASSERT_TRUE(reader);
    EXPECT_THAT(all(*reader), SizeIs(2));
    EXPECT_THAT(reader->summary().warnings, SizeIs(0));
  }
}

TEST(CaptureReader, SaysWherePackedDataEnd) {
  for (const auto member : {packed_gzip, packed_bzip2, packed_zstd}) {
    const auto file = hex(member);
    for (std::size_t n = 4; n < file.size(); ++n) {
      auto reader = capture_reader::over(bytes(file).first(n), "x.pcap");
      if (!reader) {
        EXPECT_THAT(reader.error(), testing::AnyOf(HasSubstr("in the middle"), HasSubstr("damaged"),
                                                   HasSubstr("cut")))
            << n;
        continue;
      }
      const auto got = all(*reader);
      EXPECT_LE(got.size(), 2u);
      // The last bytes are a checksum: all frames may have come before they are missed.
      EXPECT_TRUE(got.size() == 2 || reader->summary().warnings.size() == 1) << n;
    }
  }
}

TEST(CaptureReader, SaysThatPackedDataAreDamaged) {
  for (const auto member : {packed_gzip, packed_bzip2, packed_zstd}) {
    auto file = hex(member);
    for (std::size_t i = 20; i < 40; ++i)
      file[i] = std::byte{0xff};

    auto reader = capture_reader::over(file, "x.pcap");

    const auto said = reader ? (all(*reader), reader->summary().warnings.at(0)) : reader.error();
    // bzip2 finds some damage only where its data ought to end.
    EXPECT_THAT(said, testing::AnyOf(HasSubstr("data are damaged"), HasSubstr("in the middle")));
  }
}

TEST(CaptureReader, KeepsWhatCameBeforeACut) {
  for (const auto text : {two_frames_us, two_frames_ns, two_frames_big_endian, two_frames_patched,
                          two_frames_pcapng}) {
    const auto file = hex(text);
    std::size_t reached = 0;
    for (std::size_t n = 0; n < file.size(); ++n) {
      const byte_vector cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n));
      auto reader = capture_reader::over(cut, "x.pcap");
      if (!reader) {
        EXPECT_THAT(reader.error(), HasSubstr("x.pcap")) << n;
        EXPECT_EQ(reached, 0u) << "open() fails at " << n << " but not before";
        continue;
      }
      const auto got = all(*reader);
      ASSERT_LE(got.size(), 1u) << n;
      ASSERT_GE(got.size(), reached) << n;
      reached = got.size();
      EXPECT_TRUE(got.empty() || got[0] == two_frames()[0]);
      const auto& warnings = reader->summary().warnings;
      const bool patched = text == two_frames_patched;
      if (warnings.size() == (patched ? 1u : 0u)) continue;
      EXPECT_THAT(warnings.back(),
                  testing::AllOf(HasSubstr("is cut"), HasSubstr("byte "),
                                 HasSubstr("behind frame " + std::to_string(got.size()))));
    }
    EXPECT_EQ(reached, 1u);
  }
}

TEST(CaptureReader, StopsAtAnAbsurdLengthAndSaysWhere) {
  auto file = hex(two_frames_us);
  file[24 + 20 + 8 + 3] = std::byte{0x7f};

  auto reader = capture_reader::over(file, "x.pcap");

  ASSERT_TRUE(reader);
  EXPECT_THAT(all(*reader), SizeIs(1));
  EXPECT_THAT(reader->summary().warnings,
              ElementsAre("x.pcap is damaged at byte 44, behind frame 1: the next frame says that "
                          "it has 2130706434 bytes, and none has more than 1048576. 18 bytes were "
                          "passed over, and nothing that can be read was found in them."));
}

TEST(CaptureReader, RefusesWhatIsNoCaptureInASentence) {
  const auto refusal = [](bytes file) {
    auto reader = capture_reader::over(file, "x");
    return reader ? std::string("accepted") : reader.error();
  };

  EXPECT_EQ(refusal({}), "x is empty.");
  EXPECT_EQ(refusal(hex("7f454c46 0201 0100 00")),
            "x is no capture: it starts with the bytes 7f454c4602010100, and a capture with "
            "a1b2c3d4 or a1b23c4d (pcap, in either byte order) or 0a0d0d0a (pcapng), plain or "
            "packed by gzip, bzip2 or zstd.");
  EXPECT_THAT(refusal(hex("d4c3b2a1 0300 0400 00000000 00000000 ffff0000 01000000")),
              HasSubstr("version 3.4"));
  EXPECT_THAT(refusal(hex("d4c3b2a1 0200")), HasSubstr("6 of 24 bytes"));
  EXPECT_THAT(refusal(hex("736e6f6f70000000 00000002 00000004")), HasSubstr("snoop"));
  EXPECT_THAT(refusal(hex("fd377a585a00 0004")), HasSubstr("unxz"));
  EXPECT_THAT(refusal(hex("0a0d0d0a 1c000000 11223344 0100")), HasSubstr("no capture"));
}

TEST(CaptureReader, NamesTheReasonWhenAFileCannotBeOpened) {
  const auto missing = capture_reader::open("/nonexistent/x.pcap");
  const auto folder = capture_reader::open("/");

  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error(), "/nonexistent/x.pcap cannot be opened: No such file or directory");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error(), "/ cannot be read: Is a directory.");
}

TEST(CaptureReader, ReadsFilesLargerThanItsWindow) {
  pcap_builder builder({.nanoseconds = true});
  std::vector<u32> sizes;
  for (u32 i = 0; i < 900; ++i) {
    sizes.push_back(1 + i * 7919 % 3000);
    builder.add(nanos{i}, support::pattern(sizes.back(), i));
  }
  const support::temporary_file file(builder.file());

  auto reader = capture_reader::open(file.path());

  ASSERT_TRUE(reader);
  packet p;
  for (u32 i = 0; i < 900; ++i) {
    ASSERT_TRUE(reader->next(p));
    const auto want = support::pattern(sizes[i], i);
    ASSERT_TRUE(std::equal(p.data.begin(), p.data.end(), want.begin(), want.end())) << i;
  }
  EXPECT_FALSE(reader->next(p));
  EXPECT_EQ(reader->offset(), builder.file().size());
}

TEST(CaptureReader, CountsTimesThatGoBack) {
  pcap_builder builder;
  for (const int at : {5000, 3000, 4000, 9000})
    builder.add(nanos{at}, hex("00"));

  auto reader = capture_reader::over(builder.file(), "x");

  ASSERT_TRUE(reader);
  all(*reader);
  EXPECT_EQ(reader->summary().time_steps_back, 1u);
  EXPECT_EQ(reader->summary().first, nanos{3000});
  EXPECT_EQ(reader->summary().last, nanos{9000});
}

TEST(PcapWriter, WritesWhatTheFormatSays) {
  const support::temporary_file file({});
  auto writer = profiler::capture::pcap_writer::open(file.path(), 1, 65535);
  ASSERT_TRUE(writer) << writer.error();

  writer->write(nanos{1700000000'123456000}, hex("deadbeef"), 4);
  writer->write(nanos{1700000001'000007000}, hex("0102"), 60);
  ASSERT_TRUE(writer->close());

  std::ifstream in(file.path(), std::ios::binary);
  const std::string got{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(wire::to_hex(wire::as_bytes(got)), wire::to_hex(hex(two_frames_ns)));
  EXPECT_EQ(writer->packets(), 2u);
}

TEST(PcapWriter, SaysWhenTheFileCannotBeWritten) {
  const auto nowhere = profiler::capture::pcap_writer::open("/nonexistent/x.pcap", 1, 65535);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error(), "/nonexistent/x.pcap cannot be created: No such file or directory");

  auto full = profiler::capture::pcap_writer::open("/dev/full", 1, 65535);
  ASSERT_TRUE(full);
  full->write(nanos{0}, hex("00"), 1);
  const auto closed = full->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error(), "/dev/full cannot be written: No space left on device");
}

} // namespace
