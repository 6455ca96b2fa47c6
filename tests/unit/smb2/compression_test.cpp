#include "smb2/compression/decoders.hpp"
#include "smb2/compression/message.hpp"
#include "tests/support/le_checks.hpp"
#include "tests/support/smb2_compressor.hpp"

#include <random>

namespace smb2 {
namespace {

using support::le::exact_buffer;
using wire::errc;
using wire::from_hex;

using algorithm = wire::errc (*)(bytes, std::span<std::byte>);

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}

std::string abc_100() {
  std::string out;
  for (int i = 0; i < 100; ++i)
    out += "abc";
  return out;
}

std::vector<std::byte> unhex(const std::string& hex) {
  return *from_hex(hex);
}

/// Code lengths by symbol, and what follows the table.
std::vector<std::byte> huffman(const std::vector<std::pair<std::size_t, unsigned>>& lengths,
                               const std::string& code) {
  std::vector<std::byte> out(256);
  for (const auto& [symbol, bits] : lengths)
    out[symbol / 2] |= static_cast<std::byte>(symbol % 2 == 0 ? bits : bits << 4);
  const auto rest = unhex(code);
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

std::vector<std::byte> huffman_alphabet() {
  std::vector<std::pair<std::size_t, unsigned>> lengths;
  for (std::size_t symbol = 'a'; symbol <= 'z'; ++symbol)
    lengths.emplace_back(symbol, symbol >= 'w' ? 4 : 5);
  lengths.emplace_back(256, 4);
  return huffman(lengths, "d8523ed794115be9195ff9d67cdf8d0400000000");
}

struct vector {
  const char* name;
  algorithm run;
  std::vector<std::byte> packed;
  std::string plain;
};

/// LZ4: written by lz4 1.9.4, its frame taken off; the others: MS-XCA 3.1, 3.2, 3.3.
std::vector<vector> vectors() {
  std::string text;
  for (int i = 0; i < 3; ++i)
    text += "hello hello hello hello hello hello, this is a text of a file, this is a text of a "
            "file. ";
  std::string music = "F# F# G A A G F# E D D E F# F# E E F# F# G A A G F# E D D E F# E D D E E F# "
                      "D E F# G F# D E F# G F# E D E A F# F# G A A G F# E D D E F# E D D";
  music.push_back('\0');
  return {
      {"lz77_alphabet", compression::lz77,
       unhex("3f0000006162636465666768696a6b6c6d6e6f707172737475767778797a"),
       "abcdefghijklmnopqrstuvwxyz"},
      {"lz77_long_match", compression::lz77, unhex("ffffff1f61626317000fff2601"), abc_100()},
      {"huffman_alphabet", compression::lz77_huffman, huffman_alphabet(),
       "abcdefghijklmnopqrstuvwxyz"},
      {"huffman_long_match", compression::lz77_huffman,
       huffman({{'a', 3}, {'b', 3}, {'c', 2}, {256, 2}, {287, 2}}, "a8dc0000ff2601"), abc_100()},
      {"lznt1", compression::lznt1,
       unhex("38b08846232000204720410010a24701a045204400084501507900c045200524"
             "138805b4024a44ef0358028c091601484500be009e000401189000"),
       music},
      {"lz4", compression::lz4,
       unhex("6f68656c6c6f2006000aff0b2c207468697320697320612074657874206f6620"
             "612066696c651a00071f2e53000b021e000f3f00070f1a00070f59004350696c652e20"),
       text},
  };
}

TEST(Decompression, GivesTheTextOfThePublishedVectors) {
  for (const auto& v : vectors()) {
    const exact_buffer in(v.packed);
    std::vector<std::byte> out(v.plain.size());
    EXPECT_EQ(v.run(in.view(), out), errc::ok) << v.name;
    EXPECT_EQ(out, bytes_of(v.plain)) << v.name;
  }
}

TEST(Decompression, RefusesInputThatEndsEarly) {
  for (const auto& v : vectors()) {
    const bool bits = v.run == compression::lz77_huffman; // zeros follow the bits, see bit_reader
    const auto lost = v.packed.size() / 2;
    for (std::size_t n = 0; n < (bits ? 256 : lost); ++n) {
      const exact_buffer in(bytes(v.packed).first(n));
      std::vector<std::byte> out(v.plain.size());
      EXPECT_NE(v.run(in.view(), out), errc::ok) << v.name << " cut to " << n;
    }
  }
}

TEST(Decompression, WritesNothingBehindTheOriginalSize) {
  for (const auto& v : vectors())
    for (std::size_t n = 0; n < v.plain.size(); ++n) {
      const std::vector<std::byte> zeros(n);
      exact_buffer out(zeros);
      const auto code = v.run(v.packed, std::span(out.at(0), n));
      EXPECT_TRUE(code == errc::ok || code == errc::over_limit) << v.name << " into " << n;
    }
}

TEST(Decompression, RefusesMatchesBeforeTheStart) {
  std::vector<std::byte> out(100);
  EXPECT_EQ(compression::lz77(unhex("ffffffff0000"), out), errc::bad_offset);
  EXPECT_EQ(compression::lznt1(unhex("02b0010000"), out), errc::bad_offset);
  EXPECT_EQ(compression::lz4(unhex("00010000"), out), errc::bad_offset);
  EXPECT_EQ(compression::lz4(unhex("1061000000"), out), errc::bad_offset) << "a distance of 0";
}

/// Every 64 KiB a new table stands where the input has come to: 'a', and a match at distance 1.
TEST(Decompression, TakesANewCodeTableForEachBlock) {
  const std::vector<std::pair<std::size_t, unsigned>> codes{{'a', 1}, {256 + 15, 1}};
  auto packed = huffman(codes, "00400000"            // bits 0 1: 'a', the match
                               "ff fcff");           // 65,532 and 3
  const auto second = huffman(codes, "00400000 05"); // 15 + 5 and 3
  packed.insert(packed.end(), second.begin(), second.end());
  std::vector<std::byte> out(65'536 + 1 + 23);

  EXPECT_EQ(compression::lz77_huffman(packed, out), errc::ok);

  EXPECT_TRUE(std::ranges::all_of(out, [](std::byte b) { return b == std::byte{'a'}; }));
}

/// Chunks of 4 KiB do not look back into each other, and may be stored as they are.
TEST(Decompression, TakesSeveralChunksOfLznt1) {
  const auto packed = unhex("03b002"
                            "41fc0f"
                            "0230"
                            "78797a"); // 'A' and 4,095 more; "xyz"
  std::vector<std::byte> out(4096 + 3);

  EXPECT_EQ(compression::lznt1(packed, out), errc::ok);

  EXPECT_EQ(out.at(4095), std::byte{'A'});
  EXPECT_EQ(out.back(), std::byte{'z'});
}

TEST(Decompression, RefusesCodesThatAreNone) {
  std::vector<std::byte> out(100);
  EXPECT_EQ(compression::lz77_huffman(std::vector<std::byte>(300), out), errc::bad_value);
  EXPECT_EQ(compression::lz77_huffman(std::vector<std::byte>(300, std::byte{0x11}), out),
            errc::bad_value)
      << "more codes of one bit than two";
}

/// What is not random is found again, and random bytes survive too.
TEST(Decompression, UndoesCompressionOfWhateverTheBytesAre) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::byte> plain(random() % 20'000);
    const auto letters = 1 + random() % 255;
    for (std::size_t i = 0; i < plain.size(); ++i)
      plain[i] = round % 3 == 0 && i > 300 ? plain[i - 1 - random() % 2]
                                           : static_cast<std::byte>(random() % letters);
    const auto packed = support::lz77_compressor(plain).run();
    std::vector<std::byte> out(plain.size());
    ASSERT_EQ(compression::lz77(packed, out), errc::ok) << round;
    ASSERT_TRUE(out == plain) << round;
  }
}

TEST(CompressedMessage, IsPlainUpToTheOffset) {
  const auto plain = bytes_of("header" + abc_100());
  const auto message = support::compress_lz77(plain, 6);
  EXPECT_LT(message.size(), 60u);

  const auto out = decompress(message);

  ASSERT_TRUE(out) << wire::describe(out.error());
  EXPECT_TRUE(*out == plain);
}

/// As Windows chains: what repeats as patterns, what does not as it is, the rest by an algorithm.
std::vector<std::byte> chain() {
  return unhex("fc534d42 42010000"                   // 322 bytes
               "0400 0100 08000000 7a0000000a000000" // ten times 'z'
               "0000 0000 02000000 6869"             // "hi"
               "0200 0000 11000000 2c010000 ffffff1f61626317000fff2601"
               "0400 0000 08000000 790000000a000000"); // ten times 'y'
}

TEST(CompressedMessage, IsAChainOfPayloads) {
  const auto out = decompress(chain());

  ASSERT_TRUE(out) << wire::describe(out.error());
  EXPECT_TRUE(*out == bytes_of("zzzzzzzzzzhi" + abc_100() + "yyyyyyyyyy"));
}

TEST(CompressedMessage, IsRefusedWhenItIsCut) {
  for (const auto& whole : {chain(), support::compress_lz77(bytes_of("head" + abc_100()), 4)})
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const exact_buffer cut(bytes(whole).first(n));
      EXPECT_FALSE(decompress(cut.view())) << n;
    }
}

TEST(CompressedMessage, IsRefusedWhenItSaysToBeLongerThanAllowed) {
  auto one = support::compress_lz77(bytes_of(abc_100()));
  EXPECT_TRUE(decompress(one, 300));
  EXPECT_EQ(decompress(one, 299).error().code, errc::over_limit);
  wire::store_le(one.data() + 4, u32{0xFFFF'FFFF});
  EXPECT_EQ(decompress(one).error().code, errc::over_limit);
  auto chained = chain();
  EXPECT_EQ(decompress(chained, 321).error().code, errc::over_limit);
  wire::store_le(chained.data() + 4, u32{321});
  EXPECT_EQ(decompress(chained).error().code, errc::over_limit) << "more comes out than it says";
  wire::store_le(chained.data() + 4, u32{323});
  EXPECT_EQ(decompress(chained).error().code, errc::truncated) << "less comes out than it says";
}

TEST(CompressedMessage, IsRefusedWithAnAlgorithmThatIsNone) {
  for (const u16 number : {u16{0}, u16{4}, u16{6}, u16{0xFFFF}}) {
    auto message = support::compress_lz77(bytes_of(abc_100()));
    wire::store_le(message.data() + 8, number);
    EXPECT_EQ(decompress(message).error().code, errc::bad_value) << number;
  }
  auto flags = support::compress_lz77(bytes_of(abc_100()));
  wire::store_le(flags.data() + 10, u16{2});
  EXPECT_EQ(decompress(flags).error().code, errc::bad_value);
}

} // namespace
} // namespace smb2
