#include "smb2/policy.hpp"
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

TEST(Smb2Url, OffersCompressionWhenAsked) {
  using enum compression_algorithm;
  EXPECT_TRUE(options_of(*parse_url("smb://s/x"), {}).compression.empty());
  EXPECT_TRUE(options_of(*parse_url("smb://s/x?compress=off"), {}).compression.empty());
  EXPECT_THAT(options_of(*parse_url("smb://s/x?compress=auto"), {}).compression,
              testing::UnorderedElementsAre(lznt1, lz77, lz77_huffman, pattern_v1, lz4));
  EXPECT_THAT(options_of(*parse_url("smb://s/x?compress=lz77-huffman"), {}).compression,
              testing::ElementsAre(lz77_huffman));
}

TEST(Smb2Url, OffersSeveralDialects) {
  const auto u = parse_url("smb://s/x?dialect=3.0.2,2.1");

  ASSERT_TRUE(u) << u.error();
  EXPECT_FALSE(u->dialect);
  EXPECT_THAT(dialects_of(options_of(*u, {})),
              testing::ElementsAre(dialect::smb_2_1, dialect::smb_3_0_2));
}

TEST(Smb2Url, NamesTheAlgorithmThatADialectHasAnyway) {
  EXPECT_EQ(parse_url("smb://s/x?sign=hmac-sha256&dialect=2.1")->sign, signing_policy::required);
  EXPECT_EQ(parse_url("smb://s/x?sign=aes-cmac&dialect=3.0,3.1.1")->dialects.size(), 2u);
  EXPECT_EQ(parse_url("smb://s/x?seal=aes-128-ccm&dialect=3.0.2")->seal, sealing_policy::required);
}

TEST(Smb2Url, TurnsSealingOffAndOnAndNamesACipher) {
  EXPECT_EQ(parse_url("smb://s/x")->seal, sealing_policy::automatic);
  EXPECT_EQ(parse_url("smb://s/x?seal=off")->seal, sealing_policy::off);
  EXPECT_EQ(parse_url("smb://s/x?seal=required")->seal, sealing_policy::required);
  const auto u = parse_url("smb://s/x?seal=aes-256-ccm");
  ASSERT_TRUE(u) << u.error();
  EXPECT_EQ(u->seal, sealing_policy::required);
  EXPECT_THAT(u->ciphers, testing::ElementsAre(cipher::aes_256_ccm));
}

TEST(Smb2Url, SaysHowToLogOn) {
  EXPECT_EQ(parse_url("smb://u@s/x")->sec, login::ntlm);
  EXPECT_EQ(parse_url("smb://u@s/x?sec=ntlm")->sec, login::ntlm);
  EXPECT_EQ(parse_url("smb://s/x?sec=krb5")->sec, login::kerberos);
  EXPECT_EQ(parse_url("smb://s/x?sec=guest")->sec, login::guest);
  EXPECT_EQ(parse_url("smb://s/x?sec=anonymous")->sec, login::anonymous);
  EXPECT_TRUE(needs_password(*parse_url("smb://u@s/x")));
  EXPECT_FALSE(needs_password(*parse_url("smb://s/x?sec=krb5")));
  EXPECT_FALSE(needs_password(*parse_url("smb://s/x?sec=guest")));
  EXPECT_EQ(options_of(*parse_url("smb://s/x?sec=guest"), {}).sec, login::guest);
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
        refusal{"smb://s/x?dialect=2.1,", "with commas between"},
        refusal{"smb://s/x?dialect=", "3.0, 3.0.2 or 3.1.1 is wanted"},
        refusal{"smb://s/x?dialect=2.1,4.0", "3.0, 3.0.2 or 3.1.1 is wanted"},
        refusal{"smb://s/x?seal=on", "aes-256-ccm or aes-256-gcm is wanted"},
        refusal{"smb://s/x?compress=gzip", "lznt1, lz77, lz77-huffman or lz4 is wanted"},
        refusal{"smb://s/x?compress=pattern-v1", "lznt1, lz77, lz77-huffman or lz4 is wanted"},
        refusal{"smb://s/x?compress=", "compress=: off, auto"},
        refusal{"smb://s/x?compress=auto&dialect=3.0.2", "dialect 3.0.2 does not compress"},
        refusal{"smb://s/x?sec=kerberos", "ntlm, krb5, guest or anonymous is wanted"},
        refusal{"smb://s/x?channels=4", "only 1"},
        refusal{"smb://s/x?sec=guest&sign=required", "a guest has no key to sign with"},
        refusal{"smb://s/x?sec=anonymous&sign=aes-cmac", "anonymous has no key to sign with"},
        refusal{"smb://s/x?sec=guest&seal=required", "a guest has no key to seal with"},
        refusal{"smb://s/x?dialect=2.0.2,2.1&seal=required", "dialect 2.1 cannot seal"},
        refusal{"smb://s/x?dialect=3.0&seal=aes-128-gcm",
                "dialect 3.0 does not seal with aes-128-gcm"},
        refusal{"smb://s/x?dialect=2.1&sign=aes-cmac", "dialect 2.1 does not sign with aes-cmac"},
        refusal{"smb://s/x?colour=red", "'colour' is no option"},
        refusal{"smb://s/x?dialect", "key=value is wanted"},
        refusal{"smb://s/x?sign=aes-gmac&dialect=3.0", "dialect 3.0 does not sign with aes-gmac"}));

TEST(Smb2Url, RefusesAPassword) {
  const auto u = parse_url("smb://user:secret@s/x");

  ASSERT_FALSE(u);
  EXPECT_THAT(u.error(), testing::HasSubstr("a password does not belong into a URL"));
  EXPECT_THAT(u.error(), testing::Not(testing::HasSubstr("secret")));
}

} // namespace
} // namespace smb2
