// The words in which a link is described.
#include "bench/lab/link/settings.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using namespace bench::lab::link;

TEST(LinkSettings, ReadTimesRatesSharesAndSizes) {
  EXPECT_EQ(parse_duration("0.5ms"), 500us);
  EXPECT_EQ(parse_duration("250us"), 250us);
  EXPECT_EQ(parse_duration("0"), 0ns);
  EXPECT_EQ(parse_rate("100mbit"), 100'000'000u);
  EXPECT_EQ(parse_rate("2.5gbit"), 2'500'000'000u);
  EXPECT_EQ(parse_rate("unlimited"), 0u);
  EXPECT_DOUBLE_EQ(*parse_share("0.1%"), 0.001);
  EXPECT_DOUBLE_EQ(*parse_share("100%"), 1);
  EXPECT_EQ(parse_size("256k"), 262'144u);
  EXPECT_EQ(parse_size("1500"), 1500u);
}

TEST(LinkSettings, RefuseWhatIsNoSuchThing) {
  for (const char* text : {"", "ms", "-1ms", "1", "1 ms", "1e3ms", "1msx", "nan", "infs", "99999s"})
    EXPECT_FALSE(parse_duration(text)) << text;
  for (const char* text : {"", "100", "100mbps", "-1mbit", "1e99gbit", "2000gbit"})
    EXPECT_FALSE(parse_rate(text)) << text;
  for (const char* text : {"", "1", "101%", "-1%", "%"})
    EXPECT_FALSE(parse_share(text)) << text;
  for (const char* text : {"", "1t", "-1k", "2g"})
    EXPECT_FALSE(parse_size(text)) << text;
}

TEST(LinkSettings, SplitTheRoundTripWithoutLosingANanosecond) {
  link_settings s;

  ASSERT_TRUE(apply(s, "rtt", "5ns"));

  EXPECT_EQ(s.of(direction::up).delay + s.of(direction::down).delay, 5ns);
}

TEST(LinkSettings, ChangeBothDirectionsOrOne) {
  link_settings s;

  ASSERT_TRUE(apply(s, "rate", "100mbit"));
  ASSERT_TRUE(apply(s, "up-rate", "20mbit"));
  ASSERT_TRUE(apply(s, "down-loss", "1%"));

  EXPECT_EQ(s.of(direction::up).rate_bits_per_s, 20'000'000u);
  EXPECT_EQ(s.of(direction::down).rate_bits_per_s, 100'000'000u);
  EXPECT_EQ(s.of(direction::up).loss, 0);
  EXPECT_DOUBLE_EQ(s.of(direction::down).loss, 0.01);
}

TEST(LinkSettings, KeepTheMtuWithinWhatADeviceTakes) {
  link_settings s;

  EXPECT_TRUE(apply(s, "mtu", "9000"));
  EXPECT_EQ(s.mtu_bytes, 9000u);
  for (const char* text : {"67", "65522", "1500b", "", "-1"})
    EXPECT_FALSE(apply(s, "mtu", text)) << text;
  EXPECT_EQ(s.mtu_bytes, 9000u);
}

TEST(LinkSettings, NameTheUnknownSetting) {
  link_settings s;

  const auto result = apply(s, "up-rtt", "1ms");

  ASSERT_FALSE(result);
  EXPECT_NE(result.error().find("up-rtt"), std::string::npos);
}

} // namespace
