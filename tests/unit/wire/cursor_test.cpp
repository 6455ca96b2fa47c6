#include "wire/hex.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

#include <gtest/gtest.h>

namespace {

using wire::bytes;
using wire::errc;
using wire::u16;
using wire::u32;
using wire::u64;
using wire::u8;

TEST(Reader, TakesNumbersInBothByteOrders) {
  const auto data = *wire::from_hex("01 0002 00000003 0400000000000000");
  wire::reader r(data);
  u8 a = 0;
  u16 b = 0;
  u32 c = 0;
  u64 d = 0;

  EXPECT_TRUE(r.be(a) && r.be(b) && r.be(c) && r.le(d));
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 2);
  EXPECT_EQ(c, 3u);
  EXPECT_EQ(d, 4u);
  EXPECT_EQ(r.left(), 0u);
}

TEST(Reader, KeepsTheFirstErrorAndItsOffset) {
  const auto data = *wire::from_hex("0001");
  wire::reader r(data);
  u16 a = 0;
  u32 b = 7;
  EXPECT_TRUE(r.be(a));

  EXPECT_FALSE(r.be(b));
  EXPECT_FALSE(r.fail(errc::bad_value));
  EXPECT_FALSE(r.skip(0)) << "nothing may be taken behind an error";

  EXPECT_EQ(b, 7u);
  EXPECT_EQ(r.error("THING"), (wire::decode_error{errc::truncated, 2, "THING"}));
  EXPECT_EQ(wire::describe(r.error("THING")), "THING: truncated at byte 2");
}

TEST(Reader, RefusesLengthsThatWouldWrap) {
  const auto data = *wire::from_hex("0001");
  wire::reader r(data);
  bytes out;

  EXPECT_FALSE(r.take(out, static_cast<std::size_t>(-1)));
  EXPECT_EQ(r.code(), errc::truncated);
}

TEST(Writer, PutsBorrowedBytesInTheirPlaceWithoutCopying) {
  const auto payload = *wire::from_hex("aabbcc");
  wire::writer w;
  w.be(u16{1});
  w.borrow(payload);
  w.le(u16{2});
  w.borrow(payload);

  std::vector<bytes> segments;
  w.for_each_segment([&](bytes s) { segments.push_back(s); });

  ASSERT_EQ(segments.size(), 4u);
  EXPECT_EQ(segments[1].data(), payload.data());
  EXPECT_EQ(w.size(), 10u);
  EXPECT_EQ(wire::to_hex(w.flatten()), "0001aabbcc0200aabbcc");
}

TEST(Writer, PatchesOwnBytesBeforeAndBehindBorrowedOnes) {
  const auto payload = *wire::from_hex("aabbcc");
  wire::writer w;
  w.be(u16{0});
  w.borrow(payload);
  const auto at = w.size();
  w.be(u16{0});

  wire::store_be(w.patch(0, 2).data(), u16{0x1111});
  wire::store_be(w.patch(at, 2).data(), u16{0x2222});

  EXPECT_EQ(wire::to_hex(w.flatten()), "1111aabbcc2222");
}

TEST(Hex, ReadsCommentsAndRefusesWhatIsNoHex) {
  EXPECT_EQ(wire::to_hex(*wire::from_hex("# a title\n 01 fF # rest\n02")), "01ff02");
  EXPECT_EQ(wire::from_hex("0"), std::nullopt);
  EXPECT_EQ(wire::from_hex("0g"), std::nullopt);
  EXPECT_EQ(wire::from_hex("01 # unended")->size(), 1u);
}

} // namespace
