#include "reading.hpp"
#include "tests/support/pcapng_body.hpp"

namespace {

using namespace reading;
using profiler::capture::capture_reader;
using support::pcapng_builder;

copier copied(const byte_vector& file) {
  auto reader = capture_reader::over(file, "x");
  copier out;
  EXPECT_TRUE(reader) << reader.error();
  if (!reader) return out;
  reader->observe(out);
  read_all(*reader);
  return out;
}

pcapng_builder of_all_kinds() {
  pcapng_builder b;
  for (const bool big_endian : {false, true, false})
    support::add_every_block(b, big_endian);
  return b;
}

TEST(FileObserver, SeesAllOfAFileOfEveryKindOfBlock) {
  const auto b = of_all_kinds();

  const auto got = copied(b.file());

  EXPECT_EQ(got.copy, b.file());
  EXPECT_EQ(got.damaged_bytes, 0u);
  EXPECT_EQ(got.pieces, 3u * 17);
}

TEST(FileObserver, IsHandedBlocksInPiecesThatAreTooLargeForMemory) {
  auto b = of_all_kinds();
  b.block(9, support::pattern(5 << 20)).add(when, support::pattern(61));

  const auto got = copied(b.file());

  EXPECT_EQ(got.copy, b.file());
  EXPECT_EQ(got.damaged_bytes, 0u);
  EXPECT_GT(got.pieces, 3u * 17 + 2);
}

TEST(FileObserver, SeesSectionsThatAreNotRead) {
  auto b = of_all_kinds();
  const auto at = b.file().size();
  support::add_every_block(b, false);
  auto file = b.file();
  file[at + 12] = std::byte{7};

  EXPECT_EQ(copied(file).copy, file);
}

TEST(FileObserver, SeesAllOfAPcapFile) {
  for (const bool big_endian : {false, true}) {
    support::pcap_builder b({.big_endian = big_endian});
    for (std::size_t i = 1; i < 50; ++i)
      b.add(when, support::pattern(i));

    const auto got = copied(b.file());

    EXPECT_EQ(got.copy, b.file());
    EXPECT_EQ(got.pieces, 50u);
  }
}

TEST(FileObserver, SeesTheDamageToo) {
  const auto ng = of_all_kinds().file();
  support::pcap_builder pcap;
  for (std::size_t i = 1; i < 60; ++i)
    pcap.add(when, support::pattern(i));

  for (const auto& whole : {ng, pcap.file()}) {
    for (std::size_t at = 28; at < whole.size(); at += 3) {
      auto file = whole;
      file[at] ^= std::byte{0xff};
      EXPECT_EQ(copied(file).copy, file) << at;
      file.resize(at);
      EXPECT_EQ(copied(file).copy, file) << at;
    }
  }
}

TEST(FileObserver, IsHandedABlockBeforeItsPacketIsGivenOut) {
  class last_block final : public profiler::capture::file_observer {
   public:
    profiler::capture::file_piece last;
    void piece(const profiler::capture::file_piece& p) override { last = p; }
  };
  pcapng_builder b;
  b.section(true).interface({}).add(when, support::pattern(61));
  auto reader = capture_reader::over(b.file(), "x");
  ASSERT_TRUE(reader);
  last_block seen;
  reader->observe(seen);
  profiler::packet p;

  ASSERT_TRUE(reader->next(p));

  EXPECT_EQ(seen.last.what, profiler::capture::file_piece::kind::block);
  EXPECT_EQ(seen.last.type, 6u);
  EXPECT_TRUE(seen.last.big_endian);
  EXPECT_TRUE(seen.last.whole);
  EXPECT_EQ(seen.last.data.data() + 28, p.data.data());
}

} // namespace
