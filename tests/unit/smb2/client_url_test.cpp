#include "smb2/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace smb2 {
namespace {

TEST(Smb2Url, TakesEveryPart) {
  const auto u = parse_url("smb://corp;ann%20b@files.example:1445/data/a/b%25?dialect=3.0.2");

  ASSERT_TRUE(u) << u.error();
  EXPECT_EQ(u->domain, "corp");
  EXPECT_EQ(u->user, "ann b");
  EXPECT_EQ(u->host, "files.example");
  EXPECT_EQ(u->port, 1445);
  EXPECT_EQ(u->share, "data");
  EXPECT_EQ(u->path, "a/b%");
  EXPECT_EQ(u->dialect, dialect::smb_3_0_2);
  EXPECT_EQ(u->sign, signing_policy::automatic);
}

TEST(Smb2Url, TakesServerAndShareAlone) {
  const auto u = parse_url("smb://[fd00::1]/data");

  ASSERT_TRUE(u) << u.error();
  EXPECT_EQ(u->host, "fd00::1");
  EXPECT_EQ(u->port, 0);
  EXPECT_EQ(u->share, "data");
  EXPECT_TRUE(u->user.empty());
  EXPECT_TRUE(u->path.empty());
  EXPECT_FALSE(u->dialect);
}

TEST(Smb2Url, TakesAPortBehindAnIpv6Address) {
  const auto u = parse_url("smb://[fd00::1]:446/data");

  ASSERT_TRUE(u) << u.error();
  EXPECT_EQ(u->port, 446);
}

TEST(Smb2Url, NamesASigningAlgorithmAndThenMeans311) {
  const auto u = parse_url("smb://s/x?sign=aes-cmac");

  ASSERT_TRUE(u) << u.error();
  EXPECT_EQ(u->sign, signing_policy::required);
  EXPECT_THAT(u->signing_algorithms, testing::ElementsAre(signing_algorithm::aes_cmac));
  EXPECT_EQ(u->dialect, dialect::smb_3_1_1);
}

TEST(Smb2Url, TurnsSigningOffAndOn) {
  EXPECT_EQ(parse_url("smb://s/x?sign=off")->sign, signing_policy::off);
  EXPECT_EQ(parse_url("smb://s/x?sign=required")->sign, signing_policy::required);
  EXPECT_EQ(parse_url("smb://s/x?sign=auto&seal=off&sec=ntlmv2&channels=1")->sign,
            signing_policy::automatic);
}

TEST(Smb2Url, GoesIntoTheOptionsOfASession) {
  const auto options = options_of(*parse_url("smb://d;u@s:99/x?dialect=2.1&sign=required"), "pw");

  EXPECT_EQ(options.where.host, "s");
  EXPECT_EQ(options.where.port, 99);
  EXPECT_EQ(options.who.user, "u");
  EXPECT_EQ(options.who.domain, "d");
  EXPECT_EQ(options.who.password, "pw");
  EXPECT_EQ(options.dialect, dialect::smb_2_1);
  EXPECT_EQ(options.sign, signing_policy::required);
}

struct refusal {
  const char* text;
  const char* says;
};

class Smb2UrlRefusals : public testing::TestWithParam<refusal> {};

TEST_P(Smb2UrlRefusals, SaysWhatIsWrong) {
  const auto u = parse_url(GetParam().text);

  ASSERT_FALSE(u);
  EXPECT_THAT(u.error(), testing::HasSubstr(GetParam().says));
  EXPECT_THAT(u.error(), testing::StartsWith(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    all, Smb2UrlRefusals,
    testing::Values(
        refusal{"nfs://s/x", "smb:// is wanted"}, refusal{"smb://", "the server is missing"},
        refusal{"smb:///x", "the server is missing"}, refusal{"smb://s", "the share is missing"},
        refusal{"smb://s/", "the share is missing"}, refusal{"smb://s//x", "the share is missing"},
        refusal{"smb://s:0/x", "'0' is not a port"},
        refusal{"smb://s:70000/x", "'70000' is not a port"},
        refusal{"smb://s:4a/x", "'4a' is not a port"}, refusal{"smb://s:/x", "'' is not a port"},
        refusal{"smb://[fd00::1/x", "lacks the ]"},
        refusal{"smb://[fd00::1]x/x", "'x' behind the server"},
        refusal{"smb://u%2@s/x", "'u%2' is not a user name"},
        refusal{"smb://u%2/x@s/x", "'u%2' is not a server"},
        refusal{"smb://a b/x", "'a b' is not a server"},
        refusal{"smb://@s/x", "is not a user name"},
        refusal{"smb://s/a%zz", "a % without two hex digits"},
        refusal{"smb://s/a%00b", "a % without two hex digits"},
        refusal{"smb://s/x?dialect=1.0", "3.0, 3.0.2 or 3.1.1 is wanted"},
        refusal{"smb://s/x?sign=maybe", "auto, required, off"},
        refusal{"smb://s/x?seal=on", "sealing is not supported yet"},
        refusal{"smb://s/x?sec=krb5", "only ntlmv2"}, refusal{"smb://s/x?channels=4", "only 1"},
        refusal{"smb://s/x?colour=red", "'colour' is no option"},
        refusal{"smb://s/x?dialect", "key=value is wanted"},
        refusal{"smb://s/x?sign=aes-gmac&dialect=3.0", "on dialect 3.1.1 only"}));

TEST(Smb2Url, RefusesAPassword) {
  const auto u = parse_url("smb://user:secret@s/x");

  ASSERT_FALSE(u);
  EXPECT_THAT(u.error(), testing::HasSubstr("a password does not belong into a URL"));
  EXPECT_THAT(u.error(), testing::Not(testing::HasSubstr("secret")));
}

} // namespace
} // namespace smb2
