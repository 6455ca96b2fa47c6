#include "rpc/xdr.hpp"
#include "rpc/xdr_print.hpp"
#include "tests/support/codec_checks.hpp"

namespace {

using namespace rpc;

std::vector<std::byte> hex(std::string_view text) {
  auto data = wire::from_hex(text);
  EXPECT_TRUE(data);
  return *data;
}

struct sample {
  static constexpr u32 text_max = 5;
  u32 number = 0;
  u64 wide = 0;
  bool flag = false;
  std::optional<u32> maybe;
  std::string_view text;
  std::vector<u32> items;
  std::vector<u64> linked;

  static bool fields(auto& m, auto& ar) {
    return ar("number", m.number, "wide", m.wide, "flag", m.flag, "maybe", m.maybe) &&
           ar.text("text", m.text, text_max) && ar.array("items", m.items, 3) &&
           ar.chain("linked", m.linked, 2);
  }
};

struct list {
  std::vector<u32> linked;
  static bool fields(auto& m, auto& ar) { return ar.chain("linked", m.linked, 1); }
};

struct note {
  bytes data;
  static bool fields(auto& m, auto& ar) { return ar.opaque("data", m.data, 100); }
};

struct block {
  bytes data;
  static bool fields(auto& m, auto& ar) { return ar.payload("data", m.data, 100); }
};

constexpr std::string_view sample_hex = "00000007"         // number
                                        "0000000100000002" // wide
                                        "00000001"         // flag
                                        "0000000100000009" // maybe
                                        "0000000361626300" // text, padded
                                        "000000020000000a0000000b"
                                        "00000001000000000000000c" // linked
                                        "00000000";

TEST(Xdr, PassesTheCodecBattery) {
  support::check_codec<sample>(hex(sample_hex));
}

TEST(Xdr, DecodesEachKindOfField) {
  const auto data = hex(sample_hex);

  const auto m = decode_exact<sample>(data);

  ASSERT_TRUE(m);
  EXPECT_EQ(m->number, 7u);
  EXPECT_EQ(m->wide, 0x100000002u);
  EXPECT_TRUE(m->flag);
  EXPECT_EQ(m->maybe, 9u);
  EXPECT_EQ(m->text, "abc");
  EXPECT_EQ(m->items, (std::vector<u32>{10, 11}));
  EXPECT_EQ(m->linked, (std::vector<u64>{12}));
}

TEST(Xdr, TakesPaddingOfAnyContentAndWritesZeros) {
  auto data = hex(sample_hex);
  data[31] = std::byte{0xee};

  const auto m = decode_exact<sample>(data);

  ASSERT_TRUE(m);
  EXPECT_EQ(m->text, "abc");
  wire::writer out;
  ASSERT_TRUE(encode(*m, out));
  EXPECT_EQ(wire::to_hex(out.flatten()), sample_hex);
}

TEST(Xdr, RefusesOneItemMoreThanTheLimit) {
  const auto two = hex("00000001 00000005 00000001 00000006 00000000");

  const auto m = decode_exact<list>(two);

  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().code, wire::errc::over_limit);
  EXPECT_EQ(m.error().offset, 8u);
}

TEST(Xdr, EncodesNothingThatItWouldRefuse) {
  sample m;
  wire::writer out;
  m.text = "six...";
  EXPECT_FALSE(encode(m, out));
  EXPECT_FALSE(encoded_size(m));
  m.text = {};
  m.items.resize(4);
  EXPECT_FALSE(encode(m, out));
  m.items.clear();
  m.linked.resize(3);
  EXPECT_FALSE(encode(m, out));
}

TEST(Xdr, OfCutDataTheBytesThatAreThereAreGiven) {
  const auto cut = hex("00000010 0102030405");

  const auto m = decode_prefix<note>(cut, "note");

  EXPECT_EQ(wire::to_hex(m.message.data), "0102030405");
  EXPECT_EQ(wire::describe(m.error), "note: truncated at byte 4");
}

TEST(Xdr, BorrowsPayloadInsteadOfCopyingIt) {
  const auto payload = hex("010203");
  wire::writer out;

  ASSERT_TRUE(encode(block{payload}, out));

  bool borrowed = false;
  out.for_each_segment([&](bytes part) { borrowed |= part.data() == payload.data(); });
  EXPECT_TRUE(borrowed);
  EXPECT_EQ(wire::to_hex(out.flatten()), "0000000301020300");
}

TEST(Xdr, PrintsNamesAndValues) {
  const auto data = hex(sample_hex);

  EXPECT_EQ(print(*decode_exact<sample>(data)),
            "number=7 wide=4294967298 flag=true maybe=9 text=\"abc\" items=[10 11] linked=[12]");
}

TEST(Xdr, PrintsNoControlCharacters) {
  sample m;
  m.text = "\x1b\"\\\n";

  EXPECT_NE(print(m).find(R"(text="\x1b\"\\\x0a")"), std::string::npos);
}

} // namespace
