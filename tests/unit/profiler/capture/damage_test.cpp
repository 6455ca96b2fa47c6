#include "reading.hpp"
#include "tests/support/pcapng_body.hpp"

#include <chrono>
#include <random>

namespace {

using namespace reading;
using support::pcap_builder;
using support::pcapng_builder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// Frames that can be told apart, a millisecond from each other.
byte_vector frame(std::size_t i) {
  return support::pattern(40 + i % 60, i * 131);
}
nanos time_of(std::size_t i) {
  return when + std::chrono::milliseconds(i);
}

struct file_of_frames {
  byte_vector data;
  std::vector<std::size_t> starts; ///< of the records
};

file_of_frames pcap_of(std::size_t n, const support::pcap_options& o = {}) {
  pcap_builder b(o);
  file_of_frames out;
  for (std::size_t i = 0; i < n; ++i) {
    out.starts.push_back(b.file().size());
    b.add(time_of(i), frame(i));
  }
  out.data = b.file();
  return out;
}

file_of_frames pcapng_of(std::size_t n, bool big_endian = false) {
  pcapng_builder b;
  b.section(big_endian).interface({});
  file_of_frames out;
  for (std::size_t i = 0; i < n; ++i) {
    out.starts.push_back(b.file().size());
    b.add(time_of(i), frame(i));
  }
  out.data = b.file();
  return out;
}

std::vector<byte_vector> frames_but(std::size_t n, std::size_t without) {
  std::vector<byte_vector> out;
  for (std::size_t i = 0; i < n; ++i)
    if (i != without) out.push_back(frame(i));
  return out;
}

TEST(Damage, OfARecordsLengthCostsThatRecord) {
  for (const bool big_endian : {false, true}) {
    auto file = pcap_of(9, {.big_endian = big_endian});
    file.data[file.starts[4] + (big_endian ? 8 : 11)] = std::byte{0x7f};

    const auto got = read_all(file.data);

    EXPECT_EQ(got.frames, frames_but(9, 4));
    EXPECT_EQ(got.summary.damaged_places, 1u);
    EXPECT_EQ(got.summary.damaged_bytes, file.starts[5] - file.starts[4]);
    EXPECT_THAT(got.summary.warnings,
                ElementsAre(AllOf(
                    HasSubstr("at byte " + std::to_string(file.starts[4]) + ", behind frame 4"),
                    HasSubstr("it goes on at byte " + std::to_string(file.starts[5])))));
  }
}

TEST(Damage, OfALengthThatReachesBehindTheEndCostsThatRecord) {
  auto file = pcap_of(9);
  file.data[file.starts[4] + 10] = std::byte{0x08}; // half a mebibyte

  const auto got = read_all(file.data);

  EXPECT_EQ(got.frames, frames_but(9, 4));
  EXPECT_THAT(got.summary.warnings, ElementsAre(HasSubstr("the file has not so many")));
}

TEST(Damage, OfTheLastRecordButOneIsBridgedToTheEndOfTheFile) {
  auto file = pcap_of(9);
  file.data[file.starts[7] + 11] = std::byte{0x7f};

  EXPECT_EQ(read_all(file.data).frames, frames_but(9, 7));
}

TEST(Damage, IsBridgedToAnotherDay) {
  pcap_builder b;
  const auto start = b.file().size();
  b.add(when, frame(0)).add(when, frame(1));
  for (std::size_t i = 2; i < 7; ++i)
    b.add(time_of(i) + std::chrono::days(30), frame(i));
  auto file = b.file();
  file[start + 16 + frame(0).size() + 11] = std::byte{0x7f};

  EXPECT_EQ(read_all(file).frames, frames_but(7, 1));
}

TEST(Damage, OfATimeDoesNotHideWhatFollows) {
  auto file = pcap_of(9);
  file.data[file.starts[3] + 3] ^= std::byte{0x20}; // seconds, 17 years off
  file.data[file.starts[4] + 11] = std::byte{0x7f};

  EXPECT_EQ(read_all(file.data).frames, frames_but(9, 4));
}

TEST(Damage, ByALongHoleIsBridged) {
  for (const auto& whole : {pcap_of(20), pcapng_of(20)}) {
    for (const std::size_t hole : {1u, 7u, 4096u, 300'000u, 3'000'001u}) {
      auto file = whole.data;
      const auto at = static_cast<std::ptrdiff_t>(whole.starts[10]);
      file.insert(file.begin() + at, hole, std::byte{0xee});

      const auto got = read_all(file);

      EXPECT_EQ(got.frames, frames_but(20, 20)) << hole;
      EXPECT_EQ(got.summary.damaged_bytes, hole);
      EXPECT_THAT(got.summary.warnings, SizeIs(1));
    }
  }
}

TEST(Damage, OfABlocksLengthCostsThatBlock) {
  for (const bool big_endian : {false, true}) {
    const auto whole = pcapng_of(9, big_endian);
    for (const std::size_t field : {0u, 4u, 5u, 6u, 7u}) {
      auto file = whole.data;
      file[whole.starts[4] + field] ^= std::byte{0x5c};

      const auto got = read_all(file);

      EXPECT_EQ(got.frames, frames_but(9, 4)) << field;
      // A type that nobody knows is no damage: the block is passed over.
      EXPECT_EQ(got.summary.damaged_places, field == 0 ? 0u : 1u) << field;
    }
  }
}

TEST(Damage, InsideABlockThatIsFramedWellCostsThatBlock) {
  auto file = pcapng_of(9);
  file.data[file.starts[4] + 21] = std::byte{0xff}; // the captured length

  const auto got = read_all(file.data);

  EXPECT_EQ(got.frames, frames_but(9, 4));
  EXPECT_EQ(got.summary.damaged_bytes, file.starts[5] - file.starts[4]);
}

TEST(Damage, IsWhatAPacketLargerThanMemoryMayBeIsTakenFor) {
  pcapng_builder b;
  b.section().interface({}).add(when, frame(0));
  b.block(6, support::pattern(3 << 20)).add(when, frame(1));

  const auto got = read_all(b.file());

  EXPECT_EQ(got.frames, (std::vector{frame(0), frame(1)}));
  EXPECT_EQ(got.summary.damaged_bytes, (3u << 20) + 12);
  EXPECT_EQ(got.summary.large_blocks, 0u);
}

TEST(Damage, IsLeftBehindAtTheNextSectionOfEitherByteOrder) {
  for (const bool big_endian : {false, true}) {
    pcapng_builder b;
    b.section(!big_endian).interface({}).add(when, frame(0));
    const auto middle = b.file().size();
    b.add(when, frame(1)).section(big_endian).interface({}).add(when, frame(2));
    auto file = b.file();
    for (auto at = middle; at < middle + 30; ++at)
      file[at] = std::byte{0xaa};

    const auto got = read_all(file);

    EXPECT_EQ(got.frames, (std::vector{frame(0), frame(2)}));
    EXPECT_EQ(got.summary.sections, 2u);
  }
}

TEST(Damage, OfASectionsMagicKeepsInterfacesApart) {
  pcapng_builder b;
  b.section().interface({.link_type = 1}).add(when, frame(0));
  const auto second = b.file().size();
  b.section().interface({.link_type = 113}).add(when, frame(1));
  auto file = b.file();
  file[second + 8] = std::byte{0};

  const auto got = read_all(file);

  EXPECT_EQ(got.frames, (std::vector{frame(0), frame(1)}));
  EXPECT_THAT(got.summary.link_types(), ElementsAre(1u, 113u));
}

TEST(Damage, SectionsOfAnotherVersionArePassedOver) {
  for (const bool told : {false, true}) {
    pcapng_builder b;
    b.section().interface({}).add(when, frame(0));
    const auto second = b.file().size();
    b.section();
    const auto body = b.file().size();
    b.interface({.link_type = 999}).add(when, frame(1));
    if (!told) b.block(5, support::pattern(20));
    const auto length = b.file().size() - body;
    b.section().interface({}).add(when, frame(2));
    auto file = b.file();
    file[second + 12] = std::byte{2};
    if (told) wire::store_le<u64>(file.data() + second + 16, length);

    const auto got = read_all(file);

    EXPECT_EQ(got.frames, (std::vector{frame(0), frame(2)}));
    EXPECT_EQ(got.summary.sections, 2u);
    EXPECT_EQ(got.summary.sections_not_read, 1u);
    EXPECT_THAT(got.summary.warnings, ElementsAre(HasSubstr("pcapng version 2")));
  }
}

TEST(Damage, AtTheEndIsTold) {
  for (const auto& whole : {pcap_of(9), pcapng_of(9)}) {
    for (auto n = whole.starts[8] + 1; n < whole.data.size(); ++n) {
      const auto got = read_all(bytes(whole.data).first(n));

      EXPECT_THAT(got.frames, SizeIs(8)) << n;
      EXPECT_THAT(got.summary.warnings,
                  ElementsAre(AllOf(HasSubstr("is cut"), HasSubstr("still being written"))))
          << n;
    }
  }
}

TEST(Damage, TellsTheFirstPlacesAndCountsTheRest) {
  auto file = pcap_of(60);
  for (std::size_t i = 1; i < 40; i += 3)
    file.data[file.starts[i] + 11] = std::byte{0x7f};

  const auto got = read_all(file.data);

  EXPECT_THAT(got.frames, SizeIs(60 - 13));
  EXPECT_EQ(got.summary.damaged_places, 13u);
  EXPECT_THAT(got.summary.warnings, SizeIs(9));
  EXPECT_THAT(got.summary.warnings.back(), HasSubstr("at 5 other places"));
}

TEST(Damage, AnywhereNeverMakesAFrameThatWasNotThere) {
  for (const auto& whole : {pcap_of(12), pcapng_of(12)}) {
    const auto all = frames_but(12, 12);
    for (std::size_t at = whole.starts[0]; at < whole.data.size(); ++at) {
      for (const auto flip : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
        auto file = whole.data;
        file[at] ^= flip;
        const auto got = read_all(file).frames;
        // All but the damaged one, and two more where a wrong length reaches into the next record.
        EXPECT_GE(got.size(), 9u) << at;
        std::size_t strange = 0;
        for (const auto& f : got)
          strange += std::find(all.begin(), all.end(), f) == all.end();
        EXPECT_LE(strange, 1u) << at;
      }
    }
  }
}

/// Damage at every step, and lengths that ask for as much as may be asked for.
TEST(Damage, CostsLinearTime) {
  const auto seconds = [](std::size_t records, u32 length) {
    pcap_builder b;
    auto file = b.file();
    const auto record = pcap_of(1).data;
    byte_vector trap;
    for (const u32 field : {u32{1'700'000'000}, u32{0}, length, length})
      support::detail::put(trap, field, false);
    for (std::size_t i = 0; i < records; ++i) {
      file.insert(file.end(), trap.begin(), trap.end());
      file.insert(file.end(), record.begin() + 24, record.end());
      file.insert(file.end(), record.begin() + 24, record.end());
    }
    const auto start = std::chrono::steady_clock::now();
    EXPECT_GT(read_all(file).frames.size(), 1000u);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (const u32 length : {0x7fffffffu, 1048576u, 262000u})
    // Quadratic time would be a matter of minutes.
    EXPECT_LT(seconds(20'000, length), 20.0) << length;
}

} // namespace
