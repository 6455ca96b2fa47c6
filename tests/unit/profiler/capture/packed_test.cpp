#include "reading.hpp"
#include "wire/hex.hpp"

namespace {

using namespace reading;
using profiler::capture::capture_reader;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

byte_vector hex(std::string_view text) {
  return wire::from_hex(text).value();
}

/// A zstd frame that holds `data` as it is, in blocks; its window is 2^window_log bytes.
/// · source: RFC 8878 section 3.1.1
byte_vector zstd_frame(bytes data, unsigned window_log) {
  auto out = hex("28b52ffd 00");
  out.push_back(static_cast<std::byte>((window_log - 10) << 3));
  do {
    const auto n = std::min<std::size_t>(data.size(), 1000);
    const auto last = n == data.size() ? 1u : 0u;
    const auto header = static_cast<u32>(n << 3) | last;
    for (const unsigned shift : {0u, 8u, 16u})
      out.push_back(static_cast<std::byte>(header >> shift & 0xff));
    out.insert(out.end(), data.begin(), data.begin() + static_cast<std::ptrdiff_t>(n));
    data = data.subspan(n);
  } while (!data.empty());
  return out;
}

byte_vector capture() {
  support::pcap_builder b;
  for (std::size_t i = 1; i < 100; ++i)
    b.add(when, support::pattern(i));
  return b.file();
}

byte_vector operator+(byte_vector a, const byte_vector& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const byte_vector skippable = hex("5e2a4d18 05000000 0102030405");

TEST(Packed, ZstdFramesMayBeManyAndSomeMayBeSkipped) {
  const auto all = capture();
  const auto first = bytes(all).first(700);
  const auto rest = bytes(all).subspan(700);

  const auto got = read_all(skippable + zstd_frame(first, 17) + skippable + zstd_frame({}, 17) +
                            zstd_frame(rest, 17) + skippable);

  EXPECT_THAT(got.frames, SizeIs(99));
  EXPECT_EQ(got.summary.format, "pcap, µs, zstd");
  EXPECT_THAT(got.summary.warnings, IsEmpty());
}

TEST(Packed, ZstdWindowsGoUpTo128MiB) {
  for (const unsigned window_log : {10u, 23u, 24u, 27u})
    EXPECT_THAT(read_all(zstd_frame(capture(), window_log)).frames, SizeIs(99)) << window_log;

  const auto file = zstd_frame(capture(), 28);
  const auto refused = capture_reader::over(file, "x");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("window above 128 MiB"));
}

TEST(Packed, DamageInALaterMemberEndsWithWhatWasRead) {
  const auto all = capture();
  auto second = zstd_frame(bytes(all).subspan(1000), 17);
  second[6] |= std::byte{0x06}; // a kind of block that there is not

  const auto got = read_all(zstd_frame(bytes(all).first(1000), 17) + second);

  EXPECT_GT(got.frames.size(), 20u);
  EXPECT_LT(got.frames.size(), 99u);
  EXPECT_THAT(got.summary.warnings, ElementsAre(HasSubstr("its zstd data are damaged")));
}

TEST(Packed, DamageAtTheStartOfALaterMemberIsTold) {
  // gzip and bzip2 members that start well and then make no sense.
  for (const std::string_view bad : {"1f8bff00 00000000", "425a6839 3141ffff"}) {
    const auto empty = bad[0] == '1' ? hex("1f8b0800000000000003 0300 00000000 00000000")
                                     : hex("425a6839 177245385090 00000000");
    const auto file = empty + hex(bad);

    const auto refused = capture_reader::over(file, "x");

    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error(), HasSubstr("data are damaged"));
  }
}

} // namespace
