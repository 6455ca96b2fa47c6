#include "profiler/flow/smb2_keys.hpp"
#include "wire/hex.hpp"

#include <gtest/gtest.h>

namespace {

using profiler::flow::smb2_keys;

constexpr auto key_16 = "00112233445566778899aabbccddeeff";

std::string error_of(std::string_view text) {
  const auto keys = smb2_keys::parse(text, "k");
  return keys ? "" : keys.error();
}

TEST(Smb2Keys, ReadsLinesAsWiresharkHasThem) {
  const auto keys =
      smb2_keys::parse("# session, key, to client, to server\n"
                       "\n"
                       "\"74dbb62200000000\",\"00112233445566778899aabbccddeeff\",\"\",\"\"\r\n"
                       "  3d00009400480000 , , 0102030405060708 090a0b0c0d0e0f10,"
                       " 00112233445566778899aabbccddeeff # both ways\n"
                       "0x48009400003d,00112233445566778899aabbccddeeff",
                       "k");
  ASSERT_TRUE(keys) << keys.error();
  EXPECT_EQ(keys->size(), 3u);

  const auto [a, a_end] = keys->of(0x22b6db74);
  ASSERT_EQ(std::distance(a, a_end), 1);
  EXPECT_EQ(wire::to_hex(a->second.session), key_16);
  EXPECT_TRUE(a->second.to_client.empty());

  const auto [b, b_end] = keys->of(0x0000'4800'9400'003d);
  ASSERT_EQ(std::distance(b, b_end), 2) << "both ways of writing the id mean the same session";
  EXPECT_TRUE(b->second.session.empty());
  EXPECT_EQ(wire::to_hex(b->second.to_client), "0102030405060708090a0b0c0d0e0f10");
  EXPECT_EQ(wire::to_hex(b->second.to_server), key_16);
  EXPECT_EQ(wire::to_hex(std::next(b)->second.session), key_16);
}

TEST(Smb2Keys, SaysInWhichLineWhatWasExpected) {
  const std::string good = "74dbb62200000000,00112233445566778899aabbccddeeff\n";
  EXPECT_EQ(error_of(good), "");
  EXPECT_TRUE(error_of(good + "\n74dbb622,00\n").starts_with("k:3: expected a session id"));
  EXPECT_TRUE(error_of(good + "0x,00\n").starts_with("k:2: expected a session id"));
  EXPECT_TRUE(error_of("0x11223344556677889,00\n").starts_with("k:1: expected a session id"));
  EXPECT_TRUE(error_of("74dbb62200000000\n").starts_with("k:1: expected a session key"));
  EXPECT_TRUE(error_of("74dbb62200000000,\"\",\"\"").starts_with("k:1: expected a session key"));
  EXPECT_EQ(error_of("74dbb62200000000,0g\n"), "k:1: expected the session key in hex digits");
  EXPECT_EQ(error_of("74dbb62200000000,\"00,\n"), "k:1: expected the session key in hex digits");
  EXPECT_EQ(error_of("74dbb62200000000,,0011\n"),
            "k:1: expected a server-to-client key of 16 or 32 bytes, not of 2");
  EXPECT_EQ(error_of("74dbb62200000000,00,,00\n"),
            "k:1: expected a client-to-server key of 16 or 32 bytes, not of 1");
  EXPECT_TRUE(error_of("1,2,3,4,5").starts_with("k:1: expected at most four fields"));
  EXPECT_TRUE(error_of("# nothing\n").starts_with("k: expected at least one line"));
  EXPECT_TRUE(smb2_keys::load("/nowhere/at/all").error().ends_with("cannot be read"));
}

TEST(Smb2Keys, NeverRepeatsAKeyInAnError) {
  EXPECT_EQ(error_of("74dbb62200000000,deadbeefdeadbeefzz").find("deadbeef"), std::string::npos);
}

} // namespace
