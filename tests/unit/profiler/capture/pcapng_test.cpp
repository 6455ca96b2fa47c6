#include "profiler/capture/capture_reader.hpp"
#include "tests/support/pcap_builder.hpp"
#include "wire/hex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using profiler::packet;
using profiler::capture::capture_reader;
using support::byte_vector;
using support::pcapng_builder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using wire::nanos;
using wire::u32;
using wire::u8;

const byte_vector frame = support::pattern(61);
constexpr nanos when{1'700'000'000'123'456'789};

std::vector<nanos> times(const byte_vector& file) {
  auto reader = capture_reader::over(file, "x");
  EXPECT_TRUE(reader) << reader.error();
  std::vector<nanos> out;
  packet p;
  while (reader && reader->next(p))
    out.push_back(p.at.time);
  return out;
}

nanos time_with(u8 resolution, wire::u64 offset_s = 0) {
  pcapng_builder b;
  b.section().interface({.resolution = resolution, .offset = offset_s});
  b.add(when, frame);
  return times(b.file()).at(0);
}

TEST(Pcapng, CountsTimeInTheInterfacesResolution) {
  EXPECT_EQ(time_with(0), nanos{1'700'000'000'000'000'000});
  EXPECT_EQ(time_with(3), nanos{1'700'000'000'123'000'000});
  EXPECT_EQ(time_with(6), nanos{1'700'000'000'123'456'000});
  EXPECT_EQ(time_with(9), when);
  EXPECT_EQ(time_with(9, 1'000'000'000), when);
  // 2^-10 s and 2^-30 s: rounded down twice, by the writer and by the reader.
  EXPECT_EQ(time_with(0x80 | 10), nanos{1'700'000'000'123'046'875});
  EXPECT_NEAR(static_cast<double>((time_with(0x80 | 30) - when).count()), 0.0, 2.0);
}

TEST(Pcapng, TakesFinerTimesThanItKeeps) {
  // 1700000000.123456789012 s in units of 10^-12 s: 0x0179_3C13A7_... written out below.
  pcapng_builder b;
  b.section().interface({.resolution = u8{12}});
  byte_vector body;
  const wire::u64 ticks = 1'700'000'000'123'456'789ull; // 10^-12 s: 19.675926 days
  for (const u32 field :
       {u32{0}, static_cast<u32>(ticks >> 32), static_cast<u32>(ticks), u32{0}, u32{60}})
    support::detail::put(body, field, false);
  b.block(6, body);

  EXPECT_THAT(times(b.file()), ElementsAre(nanos{1'700'000'000'123'456}));
}

TEST(Pcapng, SurvivesAbsurdResolutionsAndOffsets) {
  for (const u8 resolution : {u8{29}, u8{127}, u8{0x80 | 63}, u8{0x80 | 64}, u8{0xff}}) {
    pcapng_builder b;
    b.section().interface({.resolution = u8{9}, .offset = ~wire::u64{0} / 2});
    b.add(nanos{0}, frame);
    auto file = b.file();
    // The resolution's option value: the builder cannot count such ticks.
    const auto option = wire::from_hex("0900010009000000").value();
    const auto at = std::search(file.begin(), file.end(), option.begin(), option.end());
    ASSERT_NE(at, file.end());
    at[4] = static_cast<std::byte>(resolution);

    EXPECT_EQ(times(file).size(), 1u);
  }
}

TEST(Pcapng, KeepsInterfacesOfDifferentKindsApart) {
  pcapng_builder b;
  b.section()
      .interface({.link_type = 1, .name = "eth0"})
      .interface({.link_type = 113, .snap_length = 40, .resolution = u8{9}, .name = "any"});
  b.add(when, frame, 0).add(when, frame, 1).add(when, frame, 1);

  auto reader = capture_reader::over(b.file(), "x");
  ASSERT_TRUE(reader);
  packet p;
  ASSERT_TRUE(reader->next(p));
  EXPECT_EQ(p.link_type, 1u);
  EXPECT_EQ(p.data.size(), 61u);
  ASSERT_TRUE(reader->next(p));
  EXPECT_EQ(p.link_type, 113u);
  EXPECT_EQ(p.data.size(), 40u);
  EXPECT_EQ(p.wire_length, 61u);
  EXPECT_EQ(p.at.time, when);
  ASSERT_TRUE(reader->next(p));
  EXPECT_FALSE(reader->next(p));

  const auto& s = reader->summary();
  ASSERT_EQ(s.interfaces.size(), 2u);
  EXPECT_EQ(s.interfaces[0].name, "eth0");
  EXPECT_EQ(s.interfaces[0].packets, 1u);
  EXPECT_EQ(s.interfaces[0].resolution, nanos{1000});
  EXPECT_EQ(s.interfaces[1].name, "any");
  EXPECT_EQ(s.interfaces[1].packets, 2u);
  EXPECT_EQ(s.interfaces[1].resolution, nanos{1});
  EXPECT_THAT(s.link_types(), ElementsAre(1u, 113u));
  EXPECT_EQ(s.snap_length(), 40u);
  EXPECT_EQ(s.cut_packets, 2u);
}

TEST(Pcapng, StartsInterfacesAnewInEachSectionOfEitherByteOrder) {
  pcapng_builder b;
  b.section(false).interface({.link_type = 1}).add(when, frame);
  b.section(true).interface({.link_type = 101}).add(when, frame);
  b.section(false).interface({.link_type = 276}).add(when, frame);

  auto reader = capture_reader::over(b.file(), "x");
  ASSERT_TRUE(reader);
  std::vector<u32> links;
  packet p;
  while (reader->next(p)) {
    links.push_back(p.link_type);
    EXPECT_EQ(p.at.time, nanos{1'700'000'000'123'456'000});
  }

  EXPECT_THAT(links, ElementsAre(1u, 101u, 276u));
  EXPECT_THAT(reader->summary().warnings, IsEmpty());
}

TEST(Pcapng, PassesOverBlocksThatItDoesNotKnow) {
  pcapng_builder b;
  b.section().interface({});
  b.block(0x0bad, support::pattern(100)).add(when, frame).block(0x40000bad, support::pattern(33));
  // Larger than anything that is kept in memory.
  b.block(0x0a, support::pattern(3 << 20)).add(when, frame);
  b.block(0x80001234, support::pattern(3 << 20)).add(when, frame);

  auto reader = capture_reader::over(b.file(), "x");
  ASSERT_TRUE(reader);
  packet p;
  while (reader->next(p)) {
  }

  EXPECT_EQ(reader->summary().packets, 3u);
  EXPECT_EQ(reader->summary().skipped_blocks, 3u);
  EXPECT_EQ(reader->summary().large_blocks, 2u);
  EXPECT_EQ(reader->summary().secrets, 1u);
  EXPECT_THAT(reader->summary().keys, IsEmpty());
  EXPECT_THAT(reader->summary().warnings, IsEmpty());
}

TEST(Pcapng, TellsDropsAndComments) {
  pcapng_builder b;
  b.section().interface({}).interface({});
  b.add(when, frame, 0, "a comment").add(when, frame, 1);
  b.statistics(0, 100, 1, 1).statistics(1, 100, 30, 0).statistics(0, 200, 3, 4);

  auto reader = capture_reader::over(b.file(), "x");
  ASSERT_TRUE(reader);
  packet p;
  while (reader->next(p)) {
  }

  const auto& s = reader->summary();
  EXPECT_EQ(s.comments, 1u);
  EXPECT_EQ(s.interfaces[0].dropped(), 7u);
  EXPECT_EQ(s.interfaces[0].dropped_by_interface, 3u);
  EXPECT_EQ(s.interfaces[0].dropped_by_system, 4u);
  EXPECT_EQ(s.interfaces[0].received, 200u);
  EXPECT_EQ(s.interfaces[1].dropped(), 30u);
  EXPECT_EQ(s.dropped(), 37u);
}

TEST(Pcapng, ReadsSimpleAndObsoletePackets) {
  pcapng_builder b;
  b.section().interface({.snap_length = 50});
  b.add(when, frame).add_simple(frame).add_old(when + std::chrono::seconds(1), frame);

  auto reader = capture_reader::over(b.file(), "x");
  ASSERT_TRUE(reader);
  packet p;
  ASSERT_TRUE(reader->next(p));
  ASSERT_TRUE(reader->next(p));
  EXPECT_EQ(p.data.size(), 50u);
  EXPECT_EQ(p.wire_length, 61u);
  EXPECT_EQ(p.at.time, nanos{1'700'000'000'123'456'000});
  ASSERT_TRUE(reader->next(p));
  EXPECT_EQ(p.data.size(), 61u);
  EXPECT_EQ(p.at.time, nanos{1'700'000'001'123'456'000});
  EXPECT_FALSE(reader->next(p));
  EXPECT_THAT(reader->summary().warnings, ElementsAre(HasSubstr("1 simple packet blocks")));
}

TEST(Pcapng, PassesOverPacketsOfInterfacesThatWereNotDescribed) {
  pcapng_builder b;
  b.section().interface({}).interface({}).add(when, frame, 1);
  b.section().interface({});
  auto file = b.file();
  pcapng_builder second;
  second.section().interface({}).interface({});
  const auto skip = second.file().size();
  second.add(when, frame, 1).add(when, frame, 0);
  file.insert(file.end(), second.file().begin() + static_cast<std::ptrdiff_t>(skip),
              second.file().end());

  auto reader = capture_reader::over(file, "x");
  ASSERT_TRUE(reader);
  packet p;
  while (reader->next(p)) {
  }

  EXPECT_EQ(reader->summary().packets, 2u);
  EXPECT_THAT(reader->summary().warnings, ElementsAre(HasSubstr("1 packets of interfaces")));
}

TEST(Pcapng, SaysWhichLengthsCannotBe) {
  const auto said = [](std::size_t at, u8 value) {
    pcapng_builder b;
    b.section().interface({});
    const auto block = b.file().size();
    b.add(when, frame);
    auto file = b.file();
    file[block + at] = static_cast<std::byte>(value);
    auto reader = capture_reader::over(file, "x");
    packet p;
    EXPECT_FALSE(reader->next(p));
    EXPECT_EQ(reader->summary().warnings.size(), 1u);
    return reader->summary().warnings.at(0);
  };

  EXPECT_THAT(said(4, 98), HasSubstr("a block says that it is 98 bytes long")); // no multiple of 4
  EXPECT_THAT(said(4, 8), HasSubstr("8 bytes long"));
  EXPECT_THAT(said(4, 92), HasSubstr("92 bytes")); // ends before its frame does
  EXPECT_THAT(said(20, 255), HasSubstr("255 bytes of a frame"));
  EXPECT_THAT(said(92, 7), HasSubstr("7 at its end"));
  EXPECT_THAT(said(7, 0x7f), HasSubstr("2130706528 bytes long"));
}

} // namespace
